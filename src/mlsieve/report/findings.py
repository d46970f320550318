"""The findings of a study: sections of its questions, and the tables of its tests and average ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mlsieve.analysis.findings import Finding
from mlsieve.analysis.sentences.wording import methods_of, number_of
from mlsieve.analysis.settings import Analysis
from mlsieve.files.csv_tables import EFFECT_SIZE
from mlsieve.registry import lookup
from mlsieve.report import tables
from mlsieve.report.counted import counted_parts
from mlsieve.tables.labels import Labels

TESTS_TEXT = (
    "Wins, ties and losses count datasets; related datasets are not independent trials. The column 'kind of "
    "p' is the distribution behind a p-value. docs/statistics.md explains every test."
)


def sentences_of(findings: Sequence[Finding], group: str) -> list[str]:
    """Return the findings about a method group as sentences, followed by the remarks that several share."""
    own = [finding for finding in findings if finding.group == group]
    often = Counter(finding.remark for finding in own)
    shared = [remark for remark, count in often.items() if remark and count > 2]
    return [finding.text if finding.remark in shared else finding.sentence for finding in own] + shared


def _placed(question: str, figures: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Sort a question's figures: those of all methods are folded, and small ones come before wide ones.

    Returns
    -------
    dict
        figures, extended_figures : list of figures; a question without others shows those of all methods.
    """
    own = sorted(
        (figure for figure in figures if figure["question"] == question), key=lambda figure: figure["wide"]
    )
    folded = [figure for figure in own if figure["group"] == "extended"]
    shown = [figure for figure in own if figure not in folded]
    return {
        "figures": shown or folded,
        "extended_figures": folded if shown else [],
    }


def _by_unit(ranks: pd.DataFrame, labels: Labels) -> list[tuple[str, pd.DataFrame]]:
    """Return average ranks by the unit of their sizes: numbers of trees and percentages of the examples."""
    trees = labels.of_trees(ranks["comparison"])
    if trees.all() or not trees.any():
        return [("", ranks)]
    return [(" of numbers of trees", ranks[trees]), (" of percentages of the examples", ranks[~trees])]


def short_title(question: str) -> str:
    """Return the name of a question in the page's table of contents."""
    return str(lookup("question", question).facts.short) or question.capitalize()


@dataclass(frozen=True)
class QuestionTables:
    """The tables from which the report shows the tests of any question.

    Attributes
    ----------
    tests, ranks : DataFrame
        tests.csv and average_ranks.csv.
    analysis : Analysis
        The analysis of findings.json, which names the method groups.
    labels : Labels
        Of the study's rankings.
    """

    tests: pd.DataFrame
    ranks: pd.DataFrame
    analysis: Analysis
    labels: Labels


def question_section(
    item: Mapping[str, Any],
    section: Mapping[str, Any],
    study: QuestionTables,
    figures: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the section of one question: findings, figures, average ranks and tests.

    Parameters
    ----------
    item : mapping
        Of findings.json.
    section : mapping
        The question's section of sections.json.
    study : QuestionTables
    figures : list of dict
        As `mlsieve.report.files.read_figures` returns them.
    """
    question = item["question"]
    facts = lookup("question", question).facts
    findings = [Finding(**finding) for finding in (*item["findings"], *section["findings"])]
    tests, ranks = (frame[frame["question"] == question] for frame in (study.tests, study.ranks))
    parts = []
    for family in dict.fromkeys([*ranks["family"], *tests["family"]]):
        title = methods_of(str(family), study.analysis)
        some = ranks[(ranks["family"] == family) & (ranks["variant"] == "all")]
        if len(some):
            text = (
                f"1 is best. The best rank at {tables.RANK_DIGITS} decimals is bold; bold is not the result "
                "of a test. The table shows the critical distance where Friedman's test is significant, "
                "without correction for the number of measures."
            )
            for kind, these in _by_unit(some, study.labels):
                table = tables.rank_table(these)
                parts.append({"title": f"Average ranks{kind}, {title}", "text": text, "table": table})
        some = tests[tests["family"] == family]
        n_tests = int((some["test"] != EFFECT_SIZE).sum()) if len(some) else 0
        text = ""
        if not facts.effect_sizes and n_tests < len(some):
            some = some[some["test"] != EFFECT_SIZE]
            text = "The effect sizes of pairs where Friedman's test is not significant are in tests.csv. "
        elif n_tests < len(some):
            text = (
                "The rows 'effect-size' are not tests: Friedman's test is not significant for their pairs. "
            )
        if len(some):
            count = number_of(n_tests, "test")
            text += TESTS_TEXT
            table = tables.test_table(some)
            parts.append({"title": f"Tests, {title} ({count})", "text": text, "table": table})
    return {
        "id": f"question-{question}",
        "short": short_title(question),
        "title": item["title"],
        "main": sentences_of(findings, "paper"),
        "extended": sentences_of(findings, "extended"),
        "notes": [*item["notes"], *section["notes"]],
        "leading": counted_parts(section["tables"]),
        "overview": counted_parts(section["overview"]),
        **_placed(question, figures),
        "tables": parts,
    }
