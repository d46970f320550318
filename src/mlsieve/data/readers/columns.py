"""What the columns of a text table hold: numbers in any of the ways people write them, or categories."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlsieve.data.exchange.truth_words import is_truth_word
from mlsieve.data.labels import LABEL_HINT, chosen_names, unknown_column
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.data.readers.cells.column import Column, Remark, Where, notice_of
from mlsieve.data.readers.cells.missing import missing_among, tell_of_unused
from mlsieve.data.readers.cells.numbers import (
    DECIMAL_COMMAS,
    begins_with_number,
    has_thousands_or_point,
    is_address,
    is_infinite,
    is_written_number,
    numeric_column,
)
from mlsieve.data.readers.delimited import MISSING, RawTable
from mlsieve.errors import ColumnError, DataNotice, UserError, shortened
from mlsieve.progress import counted

if TYPE_CHECKING:
    from mlsieve.data.readers.tables import Reading


def typed_tables(
    tables: Sequence[RawTable],
    *,
    missing: Collection[str],
    decimal: str | None = None,
    nominal: Collection[str] = (),
    unread: Callable[[Sequence[str]], Collection[str]] = lambda header: (),
    labels: Callable[[list[str]], Collection[int]] = lambda header: (),
) -> list[ArffTable]:
    """Return the tables of one dataset with numbers and categories in place of text.

    A column is numeric if every known cell of every table is a finite number, and nominal, with its values in
    sorted order, if fewer than half of them are or if it is declared so. A column of numbers with a few other
    values is an error: it is more likely a slip, and as a nominal column it would lose the order of its
    numbers. Numbers may have a decimal comma, thousands in groups, a percent sign or a currency; dates
    become days since 1970, and times hours. A notice names each such column, and each column of categories
    that begin as numbers do.

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
    unread : callable, optional
        Returns the names in the header of columns that are left out later, which may hold anything.
    labels : callable, optional
        Returns the positions of the labels in the header, so that a mixed label is reported as a label.

    Raises
    ------
    UserError
        For a column of numbers with a value that is none, or one whose numbers or dates can be read in two
        ways.
    """
    tokens, missing = missing, set(missing)
    every = {cell for table in tables for row in table.rows for cell in row} if set(tokens) - MISSING else ()
    declared = missing_among(every, tokens)
    missing |= declared.keys()
    alike = all(table.header == tables[0].header for table in tables[1:])
    header = tables[0].header if alike else []
    left_out = set(unread(header)) if alike else set()
    label_places = set(labels(header)) if alike else set()
    values = [np.full((len(table.rows), len(table.header)), np.nan) for table in tables]
    columns: list[Column] = []
    remarks: dict[Remark, list[str]] = {}
    for place, name in enumerate(counted(header, "columns")):
        cells = dict.fromkeys(row[place] for table in tables for row in table.rows)
        known = [cell for cell in cells if cell not in missing]
        where = Where(tables, place, name, missing)
        column = None if name in nominal or name in left_out else numeric_column(known, decimal, where)
        if column is None and name not in nominal and name not in left_out:
            column = _categories(known, decimal, where, place in label_places)
        columns.append(column or _nominal(known))
        for remark in columns[-1].remarks:
            remarks.setdefault(remark, []).append(name)
        for table, own in zip(tables, values, strict=True):
            own[:, place] = _values(table, place, columns[-1], missing)
    if decimal is None:
        _refuse_thousands(columns, tables, missing)
    tables[0].notices.extend(notice_of(remark, names) for remark, names in remarks.items())
    for table in tables:
        table.tell()
    tell_of_unused(tokens, set(declared.values()), tables[0].path)
    return [_typed(table, columns, own) for table, own in zip(tables, values, strict=True)]


def nominal_columns(reading: Reading, header: Sequence[str], path: str) -> list[str]:
    """Return the columns of a header that are nominal whatever they hold.

    Raises
    ------
    UserError
        If one of them is not there.
    """
    if callable(reading.nominal):
        return reading.nominal(header)
    chosen = chosen_names(reading.nominal, header, file=path)
    if chosen:
        labels = {header[place] for place in reading.labels(list(header))}
        both = next((name for name in chosen if name in labels or name == reading.label_column), None)
        if both is not None:
            what = f"--nominal names '{shortened(both)}', which is no feature but holds labels"
            warnings.warn(DataNotice(what, file=path), stacklevel=2)
    if reading.label_column is None:
        return chosen
    if reading.label_column not in header:
        raise unknown_column(reading.label_column, header, path)
    return [*chosen, reading.label_column]


def _values(table: RawTable, place: int, column: Column, missing: Collection[str]) -> list[float]:
    cells = (row[place] for row in table.rows)
    return [np.nan if cell in missing else column.values[cell] for cell in cells]


def _typed(table: RawTable, columns: Sequence[Column], values: np.ndarray) -> ArffTable:
    """Return one table; headers that differ are refused later, without a look at the values."""
    kinds = [column.categories for column in columns] or [None] * len(table.header)
    attributes = tuple(Attribute(name, kind, 1) for name, kind in zip(table.header, kinds, strict=True))
    return ArffTable(table.path, "", attributes, values, np.array(table.lines, dtype=np.int64))


def _nominal(cells: Sequence[str], remarks: tuple[Remark, ...] = ()) -> Column:
    categories = tuple(sorted(cells))
    return Column({value: float(i) for i, value in enumerate(categories)}, categories, remarks)


def _categories(cells: Sequence[str], decimal: str | None, where: Where, is_label: bool) -> Column:
    """Return the categories that cells are which are not declared to be some, unless they may be a slip."""
    if decimal is not None:
        _refuse_other_mark(cells, decimal, where)
    if is_label and all(is_truth_word(cell) for cell in cells):
        return _nominal(cells)
    _refuse_infinite(cells, where)
    _refuse_mixed(where, is_label)
    if is_label or not cells:
        return _nominal(cells)
    if not all(map(begins_with_number, cells)):
        return _nominal(cells, _of_numbers_among(cells, where))
    if all(map(is_address, cells)):
        return _nominal(cells, (Remark("IP addresses", "they are read as categories"),))
    cell = shortened(where.first(lambda cell: True)[0])
    reading = "they are not plain numbers, and are read as categories (--nominal if that is right)"
    return _nominal(cells, (Remark(f"values such as '{cell}'", reading),))


def _of_numbers_among(cells: Sequence[str], where: Where) -> tuple[Remark, ...]:
    """Return a remark on categories of which some are numbers, with the most frequent other one."""
    if not any(map(is_written_number, cells)):
        return ()
    times = Counter(row[where.place] for table in where.tables for row in table.rows)
    other = max((cell for cell in cells if not is_written_number(cell)), key=lambda cell: (times[cell], cell))
    what = f"numbers beside values such as '{shortened(other)}'"
    reading = f"they are read as categories (--missing '{shortened(other)}' if that is a missing value)"
    return (Remark(what, reading),)


def _refuse_other_mark(cells: Sequence[str], decimal: str, where: Where) -> None:
    """Raise for numbers with decimal points where --decimal says that they have commas, or the reverse."""
    other, name = (".", "comma") if decimal == "," else (",", "point")
    if not cells or numeric_column(cells, other, where) is None:
        return
    cell, path, line = where.first(lambda cell: numeric_column([cell], decimal, where) is None)
    raise UserError(
        f"column '{where.name}' holds {shortened(cell)}, which has no decimal {name}",
        file=path,
        line=line,
        hint=f"leave out --decimal {decimal}",
    )


def _refuse_thousands(
    columns: Sequence[Column], tables: Sequence[RawTable], missing: Collection[str]
) -> None:
    """Raise for numbers such as 1.234 alone in a column of a table with decimal commas elsewhere."""
    if not any(DECIMAL_COMMAS in column.remarks for column in columns):
        return
    for place, column in enumerate(columns):
        if column.categories is None and not column.remarks and has_thousands_or_point(list(column.values)):
            name = tables[0].header[place]
            cell, path, line = Where(tables, place, name, missing).first(lambda cell: "." in cell)
            raise UserError(
                f"column '{name}' holds {cell}, and others decimal commas: thousands, or a decimal point?",
                file=path,
                line=line,
                hint="give --decimal , if they are thousands, or write all numbers alike",
            )


def _refuse_infinite(cells: Sequence[str], where: Where) -> None:
    """Raise for the first infinite value among numbers."""
    if any(map(is_infinite, cells)) and all(is_infinite(cell) or is_written_number(cell) for cell in cells):
        cell, path, line = where.first(is_infinite)
        raise ColumnError(
            f"column '{where.name}' holds '{shortened(cell)}', an infinite value",
            ["give a finite number", f"say that it is missing (--missing '{shortened(cell)}')"],
            [f"leave the column out (--drop '{where.name}')"],
            file=path,
            line=line,
        )


def _refuse_mixed(where: Where, is_label: bool) -> None:
    """Raise for the first cell that is no number in a column where at least half of the known ones are."""
    known = [
        row[where.place]
        for table in where.tables
        for row in table.rows
        if row[where.place] not in where.missing
    ]
    written = {cell: is_written_number(cell) for cell in dict.fromkeys(known)}
    others = sum(not written[cell] for cell in known)
    if 2 * others > len(known):
        return
    if not others:
        raise _written_in_two_ways(known, where)
    value, path, line = where.first(lambda cell: not written[cell])
    value = shortened(value)
    if is_label:
        raise UserError(
            f"label '{where.name}' is '{value}', not 0 or 1", file=path, line=line, hint=LABEL_HINT
        )
    raise ColumnError(
        f"column '{where.name}' holds '{value}', but numbers in {len(known) - others} of {len(known)} rows",
        ["correct the cell", f"say that it is missing (--missing '{value}')"],
        [f"declare the column nominal (--nominal '{where.name}')"],
        file=path,
        line=line,
    )


def _written_in_two_ways(known: Sequence[str], where: Where) -> UserError:
    """Return the error for numbers that cannot be read together, such as $5 and €5."""

    def shape(cell: str) -> str:
        return re.sub(r"\d+", "0", cell)

    first = known[0]
    others = sorted(
        (cell for cell in known if shape(cell) != shape(first)), key=lambda cell: shape(cell) == "0"
    )
    what = f"holds '{shortened(first)}', which is neither a number nor a date"
    if others:
        what = f"mixes two notations, '{shortened(first)}' and '{shortened(others[0])}'"
    _, path, line = where.first(lambda cell: cell == (others or known)[0])
    return ColumnError(
        f"column '{where.name}' {what}",
        ["use one of them" if others else "correct it"],
        where.choices,
        file=path,
        line=line,
    )
