"""Tables of the report: rows of text cells with the few marks that the page's template formats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mlsieve.analysis.sentences.wording import p_bound
from mlsieve.files.csv_tables import EFFECT_SIZE
from mlsieve.paper.verdicts import PAIRS


@dataclass(frozen=True)
class Column:
    """A column's heading; numbers are aligned on the right."""

    name: str
    number: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell's text and its style in the style sheet: "n", "best", "wrap", "pair", "none" or several."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Row:
    """A row; `marked` highlights it."""

    cells: tuple[Cell, ...]
    marked: bool = False


@dataclass(frozen=True)
class Table:
    """Columns and rows."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def shown(value: Any, digits: int = 3) -> str:
    """Return a value as the report shows it; empty for a missing one."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 1e6:
            return str(int(value))
        return f"{value:.2e}" if 0 < abs(value) < 10**-digits else f"{value:.{digits}f}"
    return str(value)


def plain_table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    wrap: Sequence[str] = (),
    marked: Iterable[bool] = (),
) -> Table:
    """Return a table of values; columns named in `wrap` break their lines."""
    marks = iter(marked)
    made = []
    for values in rows:
        cells = []
        for column, value in zip(columns, values, strict=True):
            style = "n" if column.number else "wrap" if column.name in wrap else ""
            cells.append(Cell(shown(value), style))
        made.append(Row(tuple(cells), next(marks, False)))
    return Table(tuple(columns), tuple(made))


# Tests of two methods of a comparison.
_OF_PAIRS = (*PAIRS, EFFECT_SIZE)


def test_table(tests: pd.DataFrame) -> Table:
    """Return the tests of one question, method group and kind; significant ones are marked."""
    effects = tests["wins"].notna().any()
    columns = [
        Column("measure"),
        Column("comparison"),
        Column("variant"),
        Column("test"),
        Column("datasets", True),
    ]
    columns += [Column("statistic", True), Column("p", True), Column("kind of p")]
    columns += [Column("p adjusted", True), Column("verdict")]
    if effects:
        columns += [Column("win / tie / loss", True), Column("difference [95 % interval]", True)]
    rows, marks = [], []
    for test in tests.to_dict("records"):
        rejected = test["rejected"]
        verdict = (
            "significant"
            if rejected
            else "not significant"
            if not math.isnan(_float(test["p_value"]))
            else test["note"]
        )
        compared = test["comparison"]
        if test["test"] in _OF_PAIRS:
            compared = f"{compared}: {' against '.join(str(test['methods']).split(';'))}"
        row = [test["measure"], compared, test["variant"], test["test"], test["n_datasets"]]
        row += [_statistic(test), _p_value(test["p_value"]), _text(test.get("p_kind"))]
        row += [_p_value(test["p_adjusted"]), verdict]
        if effects:
            counts = [shown(_float(test[name])) for name in ("wins", "ties", "losses")]
            spread = [shown(_float(test[name])) for name in ("difference", "interval_low", "interval_high")]
            row += [
                " / ".join(counts) if all(counts) else "",
                f"{spread[0]} [{spread[1]}, {spread[2]}]" if spread[0] else "",
            ]
        rows.append(row)
        marks.append(rejected)
    return plain_table(columns, rows, marked=marks)


def _statistic(test: Mapping[str, Any]) -> str:
    """Return a test's statistic; for Friedman's test, the name and value of the one behind the p-value."""
    if test["test"] != "friedman":
        return shown(_float(test["statistic"]))
    column, name = ("f_f", "F") if test.get("p_kind") == "f" else ("statistic", "chi-squared")
    value = shown(_float(test[column]))
    return value and f"{name} = {value}"


def _p_value(value: Any) -> float | str:
    """Return a p-value, or its bound as a text."""
    found = _float(value)
    return p_bound(found) or found


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def mapping_table(values: Mapping[str, Any], first: str = "what", second: str = "value") -> Table:
    """Return a table of two columns."""
    return plain_table((Column(first), Column(second)), values.items(), wrap=(second,))
