"""The section of a question: its findings, figures, average ranks and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mlsieve.analysis.findings import Finding
from mlsieve.analysis.sentences.wording import number_of
from mlsieve.files.csv_tables import EFFECT_SIZE
from mlsieve.registry import lookup
from mlsieve.report.counted import counted_parts
from mlsieve.report.tables import test_table

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


def question_section(
    item: Mapping[str, Any],
    section: Mapping[str, Any],
    tests: pd.DataFrame,
    figures: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the section of one question: findings, figures, average ranks and tests.

    Parameters
    ----------
    item : mapping
        Of findings.json.
    section : mapping
        The question's section of sections.json.
    tests : DataFrame
        tests.csv.
    figures : list of dict
        As `mlsieve.report.files.read_figures` returns them.
    """
    question = item["question"]
    findings = [Finding(**finding) for finding in (*item["findings"], *section["findings"])]
    tests = tests[tests["question"] == question]
    effect_sizes = bool(lookup("question", question).facts.effect_sizes)
    parts = []
    for group in section["groups"]:
        parts += counted_parts(group["ranks"])
        if (own := tests["family"] == group["family"]).any():
            parts.append(_tests_part(tests[own], group, effect_sizes))
    return {
        "id": f"question-{question}",
        "short": section["short"],
        "title": item["title"],
        "main": sentences_of(findings, "paper"),
        "extended": sentences_of(findings, "extended"),
        "notes": [*item["notes"], *section["notes"]],
        "leading": counted_parts(section["tables"]),
        "overview": counted_parts(section["overview"]),
        **_placed(question, figures),
        "tables": parts,
    }


def _tests_part(tests: pd.DataFrame, group: Mapping[str, Any], effect_sizes: bool) -> dict[str, Any]:
    """Return the tests of a method group; effect sizes without a test only for questions that show them."""
    text = ""
    if group["tests"] < len(tests) and not effect_sizes:
        tests = tests[tests["test"] != EFFECT_SIZE]
        text = "The effect sizes of pairs where Friedman's test is not significant are in tests.csv. "
    elif group["tests"] < len(tests):
        text = "The rows 'effect-size' are not tests: Friedman's test is not significant for their pairs. "
    count = number_of(group["tests"], "test")
    return {
        "title": f"Tests, {group['title']} ({count})",
        "text": text + TESTS_TEXT,
        "table": test_table(tests),
    }
