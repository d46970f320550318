"""Tables that a question counts itself, for findings.json and the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CountedTable:
    """A table with what stands above it.

    Attributes
    ----------
    name : str
        Tells the tables of a question apart.
    title, text : str
    columns : tuple of str
    rows : tuple of tuple
        One cell a column: a text, or a number (int, float; None where there is none).
    """

    name: str
    title: str
    text: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the table as findings.json holds it; numpy's numbers become Python's."""
        return {
            "name": self.name,
            "title": self.title,
            "text": self.text,
            "columns": list(self.columns),
            "rows": [_plain(row) for row in self.rows],
        }


def _plain(row: Sequence[Any]) -> list[Any]:
    cells = [cell.item() if hasattr(cell, "item") else cell for cell in row]
    return [None if isinstance(cell, float) and cell != cell else cell for cell in cells]
