"""What the order of the columns changes, from column_order_summary.csv and column_order_tests.csv."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.configuration.merge import read_json
from mlsieve.order_effects import FUJI, ORDERS, SEEDS, SPEARMAN
from mlsieve.questions.labels import Label
from mlsieve.questions.order_wording import SAME
from mlsieve.report.files import read_frame
from mlsieve.report.tables import Cell, Column, Row, Table

NONE = Cell("–", "n none")
_NAMES = {SPEARMAN: "Spearman", FUJI: "FUJI"}
_OF_SUMMARY = (
    "The columns of each dataset are reversed, or the seed is another one, and the rest stays as it is. The "
    "table shows the similarity of the two rankings: the median over the datasets, with the least and the "
    "largest in brackets. ties=first takes the first of several features that gain equally; ties=random "
    "draws one of them."
)
_OF_TESTS = (
    "The table shows means over the datasets of the measures that the rankings give, and the mean absolute "
    "differences that reversed columns and another seed make under ties=first. p is that of a Wilcoxon test "
    "over the datasets of ties=first, with the file's order, against ties=random. The adjusted p is that of "
    "Benjamini and Hochberg over the rankings of the measure. Values are rounded before the tests as in the "
    "other tests of the study. column_order_tests.csv has the tests in all variants."
)


def add_column_order(section: dict[str, Any], folder: Path) -> None:
    """Fill in the section of the question ``column-order``, whose numbers steps of their own compute.

    Parameters
    ----------
    section : dict
        As `mlsieve.report.findings.question_section` returns it.
    folder : Path
        The study's tables.
    """
    summary, tests = folder / "column_order_summary.csv", folder / "column_order_tests.csv"
    if not summary.is_file():
        section["notes"] = [*section["notes"], f"{summary.name} is not there, so nothing is reported of it."]
        return
    section["main"] += read_json(folder / "column_order_findings.json")["sentences"]
    section["leading"] = column_order_parts(read_frame(summary), read_frame(tests))


def column_order_parts(summary: pd.DataFrame, tests: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the tables of similarities and, behind a fold, of measures; nothing for empty tables.

    Parameters
    ----------
    summary, tests : DataFrame
        As `mlsieve.order_summary` makes them.
    """
    parts: list[dict[str, Any]] = []
    if len(summary):
        title = "How alike are rankings of two orders, and of two seeds?"
        parts.append({"title": title, "text": _OF_SUMMARY, "table": similarity_table(summary)})
    rows = tests[tests["variant"] == "all"]
    if len(rows):
        title = f"What the order of the columns changes in the measures ({len(rows)} tests)"
        parts.append({"title": title, "text": _OF_TESTS, "table": measure_table(rows), "folded": True})
    return parts


def similarity_table(summary: pd.DataFrame) -> Table:
    """Return a row for each ranking and rule of ties, columns for both comparisons and quantities."""
    comparisons = [(quantity, comparison) for quantity in _NAMES for comparison in (ORDERS, SEEDS)]
    columns = [Column("ranking"), Column("trees", True), Column("ties"), Column("datasets", True)]
    columns += [Column(f"{_NAMES[quantity]} {comparison}", True) for quantity, comparison in comparisons]
    rows = []
    for (ensemble, score, size), of_ranking in summary.groupby(["ensemble", "score", "size"], sort=False):
        for ties, group in of_ranking.groupby("ties", sort=False):
            by = group.set_index(["quantity", "comparison"])
            cells = [Cell(str(Label("", ensemble, score))), Cell(str(size), "n"), Cell(str(ties))]
            cells.append(Cell(_span(group["n_datasets"]), "n"))
            cells += [_similarity(by.loc[key]) if key in by.index else NONE for key in comparisons]
            rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows))


def _similarity(row: pd.Series) -> Cell:
    median, least, largest = (_shown(row[name]) for name in ("median", "least", "largest"))
    return Cell(f"{median} ({least} to {largest})", "n")


def _shown(value: float) -> str:
    """Return two decimals; 1 stands for equal rankings alone."""
    if value >= 1 - SAME:
        return "1"
    text = f"{value:.2f}"
    return "> 0.99" if text == "1.00" else text


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"


def measure_table(tests: pd.DataFrame) -> Table:
    """Return a row for each measure and ranking."""
    names = {
        "mean_first": "first",
        "mean_first_reversed": "first, reversed",
        "mean_random": "random",
        "order_difference": "difference of orders",
        "seed_difference": "difference of seeds",
        "p_value": "p",
        "p_adjusted": "p adjusted",
    }
    columns = [Column("measure"), Column("ranking"), Column("datasets", True)]
    columns += [Column(name, True) for name in names.values()]
    rows = []
    for row in tests.to_dict("records"):
        cells = [Cell(str(row["measure"])), Cell(str(Label("", row["ensemble"], row["score"])))]
        cells.append(Cell(str(int(row["n_datasets"])), "n"))
        for key in names:
            digits = 3 if key.startswith("p_") else 4
            cells.append(NONE if pd.isna(row[key]) else Cell(f"{row[key]:.{digits}f}", "n"))
        rows.append(Row(tuple(cells), str(row["rejected"]).lower() == "true"))
    return Table(tuple(columns), tuple(rows))
