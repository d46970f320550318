"""The section of a question: its findings, figures, average ranks and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mlsieve.analysis.findings import Finding, first_of
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


MOST_TESTS = 300  # of one method group; thousands would make a page of many megabytes


def answer_of(item: Mapping[str, Any], section: Mapping[str, Any]) -> list[str]:
    """Return a question's answer in a few sentences; where no test gives it, its first findings.

    Without findings, the reason is the answer.

    Parameters
    ----------
    item : mapping
        Of findings.json.
    section : mapping
        The question's section of sections.json.
    """
    if item["answer"]:
        return list(item["answer"])
    findings = [Finding(**finding) for finding in (*item["findings"], *section["findings"])]
    said = sentences_of(findings, "paper") or sentences_of(findings, "extended")
    notes = [*item["notes"], *section["notes"]]
    return first_of(said) or notes[:1] or ["This study gives no answer."]


def _placed(question: str, figures: list[dict[str, Any]]) -> dict[str, Any]:
    """Sort a question's figures: those of all methods are folded, and small ones come before wide ones.

    Returns
    -------
    dict
        first : the figure of the question's answer, a drawn one, or None; figures, extended_figures : lists
        of the others. A question without figures of the main methods shows those of all methods.
    """
    own = sorted(
        (figure for figure in figures if figure["question"] == question),
        key=lambda figure: (not figure["picture"], figure["wide"]),
    )
    folded = [figure for figure in own if figure["group"] == "extended"]
    shown = [figure for figure in own if figure not in folded]
    listed = shown or folded
    first = listed[0] if listed and listed[0]["picture"] else None
    return {
        "first": first,
        "figures": [figure for figure in listed if figure is not first],
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
    parts: list[dict[str, Any]] = []
    for group in section["groups"]:
        parts += counted_parts(group["ranks"])
        if (own := tests["family"] == group["family"]).any():
            parts.append(_tests_part(tests[own], group, effect_sizes))
    return {
        "id": f"question-{question}",
        "short": section["short"],
        "title": item["title"],
        "answer": " ".join(answer_of(item, section)),
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
    if len(tests) > MOST_TESTS:
        # Those of all datasets come first, in the order of the file.
        tests = tests.iloc[(tests["variant"] != "all").argsort(kind="stable")].head(MOST_TESTS)
        text += f"The table shows {MOST_TESTS} tests, those of all datasets first; tests.csv has every test. "
    return {
        "title": f"Tests, {group['title']} ({count})",
        "text": text + TESTS_TEXT,
        "table": test_table(tests),
    }
