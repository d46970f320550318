"""Tables of findings.json and sections.json, as parts of the page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mlsieve.analysis.counted_tables import MISSING, CountedTable
from mlsieve.report.tables import Cell, Column, Row, Table, shown

MOST_ROWS = 12  # that are shown without a fold


def counted_part(table: CountedTable) -> dict[str, Any]:
    """Return a table as the page shows it: title, text, table and whether it is folded."""
    numbers = right_columns(table)
    columns = tuple(Column(name, place in numbers) for place, name in enumerate(table.columns))
    marks: dict[tuple[int, int], list[str]] = {}
    for row, column, style in table.marks:
        marks.setdefault((row, column), []).append(style)
    rows = []
    for place, cells in enumerate(table.rows):
        made = []
        for column, value in enumerate(cells):
            words = [*["n"] * (column in numbers), *marks.get((place, column), ())]
            words += ["none"] * (value == MISSING)
            made.append(Cell(shown(value), " ".join(words)))
        rows.append(Row(tuple(made), place in table.highlighted))
    folded = len(rows) > MOST_ROWS if table.folded is None else table.folded
    return {"title": table.title, "text": table.text, "table": Table(columns, tuple(rows)), "folded": folded}


def counted_parts(tables: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return tables of findings.json or sections.json as parts of the page."""
    return [counted_part(CountedTable.from_dict(table)) for table in tables]


def right_columns(table: CountedTable) -> Collection[int]:
    """Return the places of the columns that are aligned on the right.

    Those that the table names, else those whose cells, as far as there are any, are numbers.
    """
    if table.numbers is not None:
        return table.numbers
    known = [[cell for cell in column if cell not in (None, "")] for column in zip(*table.rows, strict=True)]
    return [
        place
        for place, cells in enumerate(known)
        if cells and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)
    ]
