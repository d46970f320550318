"""Tables as findings.json and sections.json hold them, for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

VALUE_DIGITS = 3  # decimals of a measure's values, of shares and of ratios in tables
RANK_DIGITS = 2  # decimals of an average rank in tables; equal printed ranks are bold together
MISSING = "–"  # a cell without a value


def as_shown(values: Any) -> Any:
    """Return numbers as a table shows them, so that what is counted is what a reader of the table counts.

    Parameters
    ----------
    values : float, Series or DataFrame
        Values of a measure, shares or ratios; NaN stays.

    Returns
    -------
    float, Series or DataFrame
        With `VALUE_DIGITS` decimals, and without a negative zero.
    """
    if hasattr(values, "map"):
        return values.map(as_shown)
    return float(f"{values:.{VALUE_DIGITS}f}") + 0.0


@dataclass(frozen=True)
class CountedTable:
    """A table with its title and the text above it.

    Attributes
    ----------
    name : str
        Id of the table among those of its question.
    title, text : str
    columns : tuple of str
    rows : tuple of tuple
        One cell a column: a text, or a number (int, float; None where there is none).
    numbers : tuple of int or None
        Positions of the columns that are aligned on the right; None: those with numbers only.
    marks : tuple of (row, column, {"best", "pair"})
        Cells in bold, and cells of two numbers, which a line break may separate.
    highlighted : tuple of int
        Rows that are highlighted.
    folded : bool or None
        Whether only the title is shown at first; None: where the table has many rows.
    measure : str
        For values of one measure, datasets by methods: the measure. The question's section adds printed
        values.
    """

    name: str
    title: str
    text: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    numbers: tuple[int, ...] | None = None
    marks: tuple[tuple[int, int, str], ...] = ()
    highlighted: tuple[int, ...] = ()
    folded: bool | None = None
    measure: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the table as in findings.json; numpy's numbers become Python's."""
        return {
            **vars(self),
            "columns": list(self.columns),
            "rows": [_plain(row) for row in self.rows],
            "numbers": None if self.numbers is None else _plain(self.numbers),
            "marks": [_plain(mark) for mark in self.marks],
            "highlighted": _plain(self.highlighted),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> CountedTable:
        """Return the table from the result of `as_dict`."""
        return cls(**{name: _frozen(value) for name, value in content.items()})


def _plain(row: Sequence[Any]) -> list[Any]:
    cells = [cell.item() if hasattr(cell, "item") else cell for cell in row]
    return [None if isinstance(cell, float) and cell != cell else cell for cell in cells]


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
