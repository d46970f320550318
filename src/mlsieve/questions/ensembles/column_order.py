"""How does the order of the columns change rankings?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, CountedTable
from mlsieve.analysis.findings import plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.orders import SAME
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.evaluation.column_order import FUJI, ORDERS, SEEDS, SPEARMAN
from mlsieve.files.checksums import require_file
from mlsieve.registry import register
from mlsieve.stats._lazy import pd
from mlsieve.study.column_order import QUESTION, ColumnOrder
from mlsieve.tables.labels import Label


@dataclass(frozen=True)
class ColumnOrderKeys:
    """Keys of ``analysis`` for this question."""

    column_order: Annotated[ColumnOrder | None, "ensembles to grow on reversed columns"] = None


_NAMES = {SPEARMAN: "Spearman", FUJI: "FUJI"}
_OF_SUMMARY = (
    "For each dataset, two rankings are compared that differ only in the order of the columns (as in the "
    "file or reversed), or only in the seed. The table shows their similarity: the median over the "
    "datasets, with the smallest and the largest in brackets. With ties=first, a node takes the first of "
    "several equally good features; with ties=random, it draws one of them."
)
_OF_TESTS = (
    "The table shows the mean of each measure over the datasets, and the mean absolute differences between "
    "the two orders and between two seeds under ties=first. p is the p-value of Wilcoxon's test of "
    "ties=first, with the file's order, against ties=random over the datasets. The adjusted p is corrected "
    "over the rankings of the measure by the method of Benjamini and Hochberg. Values are rounded before "
    "the tests, as in the other tests of the study. column_order_tests.csv has the tests in all variants."
)


def section(study: SectionTables) -> Section:
    """Similarities and measures under other orders of the columns, which separate steps compute."""
    summary, tests = (study.read(f"column_order_{name}.csv") for name in ("summary", "tests"))
    if summary is None or tests is None:
        return Section(notes=["column_order_summary.csv is missing, so this section is empty."])
    path = require_file(study.folder / "column_order_findings.json", "run the study again")
    found = json.loads(path.read_text(encoding="utf-8"))
    return Section(
        findings=plain_findings(found["sentences"]),
        tables=[*similarity_tables(summary), *measure_tables(tests[tests["variant"] == "all"])],
    )


@register.question(
    QUESTION,
    version=1,
    order=13,
    title="What does the order of the columns change?",
    settings=ColumnOrderKeys,
    tables={
        "sections": (
            "column_order_summary",
            "column_order_tests",
            "column_order_findings",
        )
    },
    short="Column order",
    section=section,
)
def column_order(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """``mlsieve step column-order`` grows trees on reversed columns; the study's own rankings are not tested.

    ``mlsieve step column-order-summary`` tests the effects and words the findings.
    """
    return Answer()


def similarity_tables(summary: pd.DataFrame) -> list[CountedTable]:
    """Return a table with a row for each ranking and rule of ties; nothing for an empty summary.

    Parameters
    ----------
    summary : DataFrame
        column_order_summary.csv.
    """
    comparisons = [(quantity, comparison) for quantity in _NAMES for comparison in (ORDERS, SEEDS)]
    rows = []
    for (ensemble, score, size), of_ranking in summary.groupby(["ensemble", "score", "size"], sort=False):
        for ties, group in of_ranking.groupby("ties", sort=False):
            by = group.set_index(["quantity", "comparison"])
            cells = (_similarity(by.loc[key]) if key in by.index else MISSING for key in comparisons)
            name = str(Label("", ensemble, score))
            rows.append((name, str(size), str(ties), _span(group["n_datasets"]), *cells))
    columns = ["ranking", "trees", "ties", "datasets"]
    columns += [f"{_NAMES[quantity]} {comparison}" for quantity, comparison in comparisons]
    made = CountedTable(
        "orders",
        "Similarity of rankings between two orders, and between two seeds",
        _OF_SUMMARY,
        tuple(columns),
        tuple(rows),
        numbers=(1, *range(3, len(columns))),
        folded=False,
    )
    return [made] if rows else []


def _similarity(row: pd.Series) -> str:
    median, least, largest = (_shown(row[name]) for name in ("median", "least", "largest"))
    return f"{median} ({least} to {largest})"


def _shown(value: float) -> str:
    """Return two decimals; only equal rankings give 1."""
    if value >= 1 - SAME:
        return "1"
    text = f"{value:.2f}"
    return "> 0.99" if text == "1.00" else text


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"


def measure_tables(tests: pd.DataFrame) -> list[CountedTable]:
    """Return a table with a row for each measure and ranking; nothing without tests.

    Parameters
    ----------
    tests : DataFrame
        column_order_tests.csv.
    """
    digits = {
        **dict.fromkeys(("mean_first", "mean_first_reversed", "mean_random"), 4),
        **{"order_difference": 4, "seed_difference": 4, "p_value": 3, "p_adjusted": 3},
    }
    rows, significant = [], []
    for place, row in enumerate(tests.to_dict("records")):
        cells = (MISSING if pd.isna(row[key]) else f"{row[key]:.{n}f}" for key, n in digits.items())
        name = str(Label("", row["ensemble"], row["score"]))
        rows.append((str(row["measure"]), name, int(row["n_datasets"]), *cells))
        if row["rejected"]:
            significant.append(place)
    columns = (
        *("measure", "ranking", "datasets", "first", "first, reversed", "random"),
        *("difference of orders", "difference of seeds", "p", "p adjusted"),
    )
    made = CountedTable(
        "measures",
        f"Effects of the order of the columns on the measures ({number_of(len(rows), 'test')})",
        _OF_TESTS,
        columns,
        tuple(rows),
        numbers=tuple(range(2, len(columns))),
        highlighted=tuple(significant),
        folded=True,
    )
    return [made] if rows else []
