"""What the conclusion depends on, in two tables: what each change does to the tests, and the controls."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices
from mlsieve.questions.conclusion import as_good_counts
from mlsieve.questions.members import controls_of
from mlsieve.questions.table import PerformanceTable
from mlsieve.questions.verdicts import Verdict, verdicts_of
from mlsieve.questions.wording import methods_of
from mlsieve.report.tables import Cell, Column, Row, Table, plain_table


def conclusion_parts(
    table: PerformanceTable,
    analysis: Analysis,
    choices: Choices,
    tests: pd.DataFrame,
    ranks: pd.DataFrame,
) -> list[dict[str, Any]]:
    """Return both tables with what stands above them; a table without rows is left out.

    Parameters
    ----------
    table : PerformanceTable
    analysis : Analysis
    choices : Choices
    tests, ranks : DataFrame
        tests.csv and average_ranks.csv.
    """
    parts = []
    changes = change_table(tests, ranks, analysis.control)
    if changes is not None:
        text = (
            f"The tests of {methods_of('paper', analysis)}, first as they are, then with one thing changed. "
            f"Where {analysis.control} has the best average rank it is bold. 'Not significant' does not say "
            "that two methods perform alike."
        )
        parts.append({"title": "What each change does to the tests", "text": text, "table": changes})
    counts = count_table(table, analysis, choices)
    if counts is not None:
        text = (
            f"On how many data sets is a control better than {analysis.control}, the same, or worse? Values "
            "are compared as they are rounded for the ranks. These are counts of datasets, no test."
        )
        parts.append({"title": f"The controls against {analysis.control}", "text": text, "table": counts})
    return parts


def change_table(tests: pd.DataFrame, ranks: pd.DataFrame, control: str) -> Table | None:
    """Return place and verdicts of the control before and after each change; None without changes."""
    made: list[tuple[str, dict[tuple[str, str], Verdict]]] = []
    for question, family, name in (("selection", "paper", "as in the paper"), ("conclusion", None, None)):
        some, average = (
            frame[(frame["question"] == question) & (frame["family"] == (family or frame["family"]))]
            for frame in (tests, ranks)
        )
        for comparison in dict.fromkeys(average["comparison"]):
            own_tests, own_ranks = (frame[frame["comparison"] == comparison] for frame in (some, average))
            made.append((name or str(comparison), verdicts_of(own_tests, own_ranks, control)))
    if all(name == "as in the paper" for name, _ in made):
        return None
    several = len({evaluator for _, found in made for evaluator, _ in found}) > 1
    columns = [Column("methods"), Column("measure"), Column(f"average rank of {control}", True)]
    columns += [Column("first"), Column("Friedman"), Column("significantly better than")]
    columns += [Column("not significant"), Column("significantly worse than")]
    rows = []
    for name, found in made:
        for (evaluator, measure), verdict in found.items():
            best = verdict.place == 1
            cells = [
                Cell(name),
                Cell(f"{measure} by {evaluator}" if several else measure),
                Cell(f"{verdict.rank:.2f} of {verdict.n_methods}", "n best" if best else "n"),
                Cell(", ".join(verdict.first), "best" if verdict.first == (control,) else ""),
                Cell("significant" if verdict.rejected else "not significant"),
                *(Cell(", ".join(names)) for names in (verdict.beaten, verdict.undecided, verdict.ahead)),
            ]
            rows.append(Row(tuple(cells), marked=not best))
    return Table(tuple(columns), tuple(rows))


def count_table(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Table | None:
    """Return a row for each control and measure: better, the same, worse; None without controls."""
    if analysis.control not in set(table.labels["label"]):
        return None
    columns = (
        Column("control"),
        Column("measure"),
        Column("evaluator"),
        Column("data sets", True),
        Column("better", True),
        Column("the same", True),
        Column("worse", True),
        Column("as good or better", True),
    )
    rows = [
        (
            count.method,
            count.measure,
            count.evaluator,
            count.datasets,
            count.better,
            count.same,
            count.worse,
            count.as_good,
        )
        for label in controls_of(table, analysis)
        for count in as_good_counts(table, analysis, choices, label)
    ]
    return plain_table(columns, rows) if rows else None
