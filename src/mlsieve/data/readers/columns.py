"""What the columns of a text table hold: numbers in any of the ways people write them, or categories."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from mlsieve.data.labels import LABEL_HINT
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.data.readers.delimited import RawTable, is_number
from mlsieve.errors import UserError, shortened

_COMMA_NUMBER = re.compile(r"[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_ONE_GROUP = re.compile(r"[+-]?\d{1,3},\d{3}")
_POINT_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?")
_PERCENT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)\s*%")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_OTHER_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?: \d{1,2}:\d{2}.*)?|\d{4}/\d{1,2}/\d{1,2}.*")


@dataclass(frozen=True)
class _Column:
    """One column of all files: how a cell becomes a number, and its categories if they are not numbers."""

    values: dict[str, float]  # of each cell that is not missing
    categories: tuple[str, ...] | None = None
    notice: str = ""


def typed_tables(
    tables: Sequence[RawTable],
    *,
    missing: Collection[str],
    decimal: str | None = None,
    nominal: Collection[str] = (),
    unread: Collection[str] = (),
    labels: Callable[[list[str]], Collection[int]] = lambda header: (),
) -> list[ArffTable]:
    """Return the tables of one dataset with numbers and categories in place of text.

    A column is numeric if every known cell of every table is a finite number, and nominal, with its values in
    sorted order, if fewer than half of them are or if it is declared so. A column of numbers with a few other
    values is an error: it is more likely a slip, and as a nominal column it would lose the order of its
    numbers. Numbers may have a decimal comma, thousands in groups, or a percent sign, and a column of ISO
    dates becomes days since 1970; a notice names each such column.

    Parameters
    ----------
    tables : sequence of RawTable
        Training table(s) and test table; types and categories are determined from all of them together.
    missing : collection of str
        Cells that are missing values.
    decimal : {".", ","}, optional
        Decimal mark; default: found out for each column.
    nominal : collection of str, optional
        Columns that are nominal whatever they hold.
    unread : collection of str, optional
        Columns that are left out later, which may hold anything.
    labels : callable, optional
        Returns the positions of the labels in the header, so that a mixed label is reported as a label.

    Raises
    ------
    UserError
        For a column of numbers with a value that is none, or one whose numbers or dates can be read in two
        ways.
    """
    alike = all(table.header == tables[0].header for table in tables[1:])
    columns: list[_Column] = []
    told: dict[str, list[str]] = {}
    for place, name in enumerate(tables[0].header if alike else ()):
        cells = dict.fromkeys(row[place] for table in tables for row in table.rows)
        known = [cell for cell in cells if cell not in missing]
        column = None if name in nominal else _numeric(known, decimal, _Where(tables, place, name, missing))
        if column is None:
            if name not in nominal and name not in unread:
                if decimal == "," and known and all(map(is_number, known)):
                    _refuse_points(_Where(tables, place, name, missing))
                _refuse_mixed(tables, place, missing, labels)
            categories = tuple(sorted(known))
            column = _Column({value: float(i) for i, value in enumerate(categories)}, categories)
        columns.append(column)
        if column.notice and name not in unread:
            told.setdefault(column.notice, []).append(name)
    if told:
        tables[0].notices.extend(f"{notice} in {_listed(names)}" for notice, names in told.items())
    for table in tables:
        table.tell()
    return [_typed(table, columns, missing) for table in tables]


def _listed(names: Sequence[str]) -> str:
    """Return columns for a notice, the first few of many by name."""
    shown = ", ".join(f"'{shortened(name)}'" for name in names[:5])
    return (
        f"column {shown}" if len(names) == 1 else f"{len(names)} columns: {shown}{', ...' * (len(names) > 5)}"
    )


def _typed(table: RawTable, columns: Sequence[_Column], missing: Collection[str]) -> ArffTable:
    """Return one table's values; headers that differ are refused later, without a look at the values."""
    values = np.full((len(table.rows), len(table.header)), np.nan)
    for place, column in enumerate(columns):
        cells = [row[place] for row in table.rows]
        values[:, place] = [np.nan if cell in missing else column.values[cell] for cell in cells]
    kinds = [column.categories for column in columns] or [None] * len(table.header)
    attributes = tuple(Attribute(name, kind, 1) for name, kind in zip(table.header, kinds, strict=True))
    return ArffTable(table.path, "", attributes, values, np.array(table.lines, dtype=np.int64))


@dataclass(frozen=True)
class _Where:
    """A column's place, for what is said of it."""

    tables: Sequence[RawTable]
    place: int
    name: str
    missing: Collection[str]

    def first(self, fits: Callable[[str], bool]) -> tuple[str, str, int]:
        """Return the first cell that is not missing and fits, its file and its line."""
        for table in self.tables:
            for row, line in zip(table.rows, table.lines, strict=True):
                if row[self.place] not in self.missing and fits(row[self.place]):
                    return row[self.place], table.path, line
        raise AssertionError("no cell fits")


def _numeric(cells: Sequence[str], decimal: str | None, where: _Where) -> _Column | None:
    """Return the column of numbers that the cells are; None if they are categories or mixed."""
    if decimal != "," and all(map(is_number, cells)):
        return _Column({cell: float(cell) for cell in cells})
    for read in (_with_comma, _percent, _dates):
        column = read(cells, decimal, where)
        if column is not None:
            return column
    return None


def _with_comma(cells: Sequence[str], decimal: str | None, where: _Where) -> _Column | None:
    """Read decimal commas or thousands in groups."""
    as_decimal = all(map(_COMMA_NUMBER.fullmatch, cells))
    as_point_groups = all(_COMMA_NUMBER.fullmatch(c) or _POINT_THOUSANDS.fullmatch(c) for c in cells)
    as_groups = all(is_number(cell) or _THOUSANDS.fullmatch(cell) for cell in cells)
    if decimal == "," and (as_decimal or as_point_groups):
        return _Column({cell: float(cell.replace(".", "").replace(",", ".")) for cell in cells})
    if not any("," in cell for cell in cells) or not (as_decimal or as_groups):
        return None
    if as_groups and decimal == ".":
        notice = "commas group thousands"
        return _Column({cell: float(cell.replace(",", "")) for cell in cells}, notice=notice)
    if as_decimal and as_groups and decimal is None:
        if all(_ONE_GROUP.fullmatch(cell) for cell in cells if "," in cell):
            cell, path, line = where.first(lambda cell: "," in cell)
            raise UserError(
                f"column '{where.name}' holds {cell}: a decimal comma, or thousands?",
                file=path,
                line=line,
                hint="give --decimal , or --decimal .",
            )
    if as_groups and not as_decimal:
        notice = "commas group thousands"
        return _Column({cell: float(cell.replace(",", "")) for cell in cells}, notice=notice)
    if decimal is None:
        notice = "decimal commas"
        return _Column({cell: float(cell.replace(",", ".")) for cell in cells}, notice=notice)
    return None


def _percent(cells: Sequence[str], decimal: str | None, where: _Where) -> _Column | None:
    pointed = {cell: cell.replace(",", ".") if decimal == "," else cell for cell in cells}
    if not cells or not all(map(_PERCENT.fullmatch, pointed.values())):
        return None
    notice = "percentages (50% is read as 0.5)"
    return _Column({cell: float(text.rstrip("% \t")) / 100 for cell, text in pointed.items()}, notice=notice)


def _dates(cells: Sequence[str], decimal: str | None, where: _Where) -> _Column | None:
    if cells and all(map(_DATE.fullmatch, cells)):
        try:
            days = {cell: _days(cell) for cell in cells}
        except ValueError:
            return None
        return _Column(days, notice="dates (read as days since 1970-01-01)")
    if cells and all(map(_OTHER_DATE.fullmatch, cells)):
        cell, path, line = where.first(lambda cell: True)
        raise UserError(
            f"column '{where.name}' holds dates such as {shortened(cell)}, whose order is not clear",
            file=path,
            line=line,
            hint=f"write them as 2020-12-31, leave the column out (--drop '{where.name}'),"
            f" or declare it nominal (--nominal '{where.name}')",
        )
    return None


def _days(text: str) -> float:
    """Return the days from 1970-01-01 to an ISO date; its time of day is a fraction, UTC without a zone."""
    date, _, time = text.replace("T", " ").partition(" ")
    year, month, day = (int(part) for part in date.split("-"))
    moment = datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}")
    days = float((moment - datetime(1970, 1, 1)).days)
    if not time:
        return days
    clock, sign, zone = re.fullmatch(r"([\d:.]+)(?:Z|([+-])(\d{2}:?\d{2}))?", time).groups()  # type: ignore[union-attr]
    hours, minutes, seconds = (*clock.split(":"), "0")[:3]
    offset = 0 if zone is None else int(zone[:2]) * 60 + int(zone[-2:])
    total = int(hours) * 60 + int(minutes) + float(seconds) / 60 - (offset if sign == "+" else -offset)
    return days + total / 1440


def _refuse_points(where: _Where) -> None:
    """Raise for numbers with decimal points where --decimal says that they have commas."""
    cell, path, line = where.first(lambda cell: True)
    raise UserError(
        f"column '{where.name}' holds {shortened(cell)}, which has no decimal comma",
        file=path,
        line=line,
        hint="leave out --decimal ,",
    )


def _refuse_mixed(
    tables: Sequence[RawTable],
    place: int,
    missing: Collection[str],
    labels: Callable[[list[str]], Collection[int]],
) -> None:
    """Raise for the first cell that is no number in a column where at least half of the known ones are."""
    known = [row[place] for table in tables for row in table.rows if row[place] not in missing]
    others = sum(not is_number(cell) for cell in known)
    if 2 * others > len(known):
        return
    name = tables[0].header[place]
    value, path, line = _Where(tables, place, name, missing).first(lambda cell: not is_number(cell))
    value = shortened(value)
    if place in labels(tables[0].header):
        raise UserError(f"label '{name}' is '{value}', not 0 or 1", file=path, line=line, hint=LABEL_HINT)
    raise UserError(
        f"column '{name}' holds '{value}', but numbers in {len(known) - others} of {len(known)} rows",
        file=path,
        line=line,
        hint=f"correct the cell, say that it is missing (--missing '{value}'), or declare the column nominal"
        f" (--nominal '{name}')",
    )
