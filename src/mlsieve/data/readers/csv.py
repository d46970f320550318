"""CSV files with a header row, read into the tables that ARFF files make."""

from __future__ import annotations

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import numpy as np

from mlsieve.data.labels import LABEL_HINT
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.data.readers.text import BeyondLimit, read_first_lines, read_text
from mlsieve.errors import UserError, did_you_mean, number_of, shortened

_MISSING = {"", "?"}
_Raw = tuple[str, list[str], list[list[str]], list[int]]


def read_csv_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    nominal: Sequence[str] = (),
    unread: Sequence[str] = (),
    labels: Callable[[list[str]], Collection[int]] = lambda header: (),
) -> list[ArffTable]:
    """Read the comma-separated files of one dataset, each with the same header row.

    A column is numeric if every value of every file is a finite number, and nominal, with its values in
    sorted order, if fewer than half of them are or if it is declared so. A column of numbers with a few other
    values is an error: it is more likely a slip, and as a nominal column it would lose the order of its
    numbers. An empty cell and ``?`` are missing values.

    Parameters
    ----------
    paths : sequence of path-like
        Training file(s) and test file; types and categories are determined from all of them together.
    nominal : sequence of str, optional
        Columns that are nominal whatever they hold.
    unread : sequence of str, optional
        Columns that are left out later, which may hold anything.
    labels : callable, optional
        Returns the positions of the labels in the header, so that a mixed label is reported as a label.

    Returns
    -------
    list of ArffTable
        Dense, one per file.

    Raises
    ------
    UserError
        For an empty file, a name that occurs twice, a row with too few or too many values, a column of
        numbers with a value that is none, or a nominal column that does not exist.
    """
    raw = [_raw(os.fspath(path)) for path in paths]
    alike = all(header == raw[0][1] for _, header, _, _ in raw[1:])
    kinds: list[tuple[str, ...] | None] = []
    require_columns(nominal, *raw[0][:2])
    if alike:
        for column in range(len(raw[0][1])):
            seen = {row[column] for _, _, rows, _ in raw for row in rows} - _MISSING
            name = raw[0][1][column]
            if name not in nominal and all(map(_is_number, seen)):
                kinds.append(None)
                continue
            if name not in nominal and name not in unread:
                numbers = {value for value in seen if _is_number(value)}
                _refuse_mixed(raw, column, numbers, labels)
            kinds.append(tuple(sorted(seen)))
    tables = []
    for path, header, rows, lines in raw:
        # Headers that differ are refused when the tables are joined: their values are not looked at.
        own = kinds if alike else [None] * len(header)
        values = np.full((len(rows), len(header)), np.nan)
        for column, kind in enumerate(kinds):
            place = None if kind is None else {value: i for i, value in enumerate(kind)}
            for i, row in enumerate(rows):
                if row[column] not in _MISSING:
                    values[i, column] = float(row[column]) if place is None else place[row[column]]
        attributes = tuple(Attribute(name, kind, 1) for name, kind in zip(header, own, strict=True))
        tables.append(ArffTable(path, "", attributes, values, np.array(lines, dtype=np.int64)))
    return tables


def read_header(path: str | os.PathLike[str]) -> list[str] | None:
    """Return the names of a CSV file's columns, reading no further; None if they do not end early.

    Raises
    ------
    UserError
        As `read_csv_files`, as far as it shows in the header.
    """
    path = os.fspath(path)
    reader = csv.reader((f"{line}\n" for line in read_first_lines(path)), strict=True)
    try:
        return _checked_header(path, next(reader, []))
    except csv.Error as error:
        raise _not_csv(path, reader.line_num, error) from error
    except BeyondLimit:
        return None


def require_columns(nominal: Sequence[str], path: str, header: Sequence[str]) -> None:
    """Raise a `UserError` for the first nominal column that a CSV file's header does not name."""
    for name in nominal:
        if name not in header:
            near = did_you_mean(name, list(header))
            hint = near if near.startswith("did") else f"see its header of {number_of(len(header), 'column')}"
            raise UserError(f"no column '{name}' to be nominal", file=path, line=1, hint=hint)


def _refuse_mixed(
    raw: Sequence[_Raw], column: int, numbers: set[str], labels: Callable[[list[str]], Collection[int]]
) -> None:
    """Raise for the first cell that is no number in a column where at least half of the known ones are."""
    known = [
        (path, header[column], row[column], line)
        for path, header, rows, lines in raw
        for row, line in zip(rows, lines, strict=True)
        if row[column] not in _MISSING
    ]
    others = [cell for cell in known if cell[2] not in numbers]
    if 2 * len(others) > len(known):
        return
    path, name, value, line = others[0]
    value = shortened(value)
    if column in labels(raw[0][1]):
        raise UserError(f"label '{name}' is '{value}', not 0 or 1", file=path, line=line, hint=LABEL_HINT)
    raise UserError(
        f"column '{name}' holds '{value}', but numbers in {len(known) - len(others)} of {len(known)} rows",
        file=path,
        line=line,
        hint="correct the cell, write ? if it is missing, or declare the column nominal"
        f" (--nominal '{name}')",
    )


def _raw(path: str) -> _Raw:
    """Return path, header, rows of stripped cells, and the line of each row."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        header = _checked_header(path, next(reader, []))
        for row in reader:
            if row:
                rows.append([value.strip() for value in row])
                lines.append(reader.line_num)
    except csv.Error as error:
        raise _not_csv(path, reader.line_num, error) from error
    if not rows:
        raise _without_rows(path)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            much = "few" if len(row) < len(header) else "many"
            raise UserError(
                f"too {much} values: {len(row)} for {number_of(len(header), 'column')}",
                file=path,
                line=line,
                hint="correct the row",
            )
    return path, header, rows, lines


def _checked_header(path: str, cells: Sequence[str]) -> list[str]:
    """Return the names in the cells of a header row."""
    header = [name.strip() for name in cells]
    if not header:
        raise _without_rows(path)
    for separator, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise UserError(
                f"its columns are separated by {word}, not by commas",
                file=path,
                line=1,
                hint="save it with commas between the columns",
            )
    for name, times in Counter(header).items():
        if not name or times > 1:
            problem = f"column '{shortened(name)}' occurs twice" if name else "a column has no name"
            raise UserError(
                f"{problem} in the header", file=path, line=1, hint="give each column a name of its own"
            )
    return header


def _not_csv(path: str, line: int, error: csv.Error) -> UserError:
    return UserError(f"not valid CSV ({error})", file=path, line=line, hint="check its quotes")


def _without_rows(path: str) -> UserError:
    return UserError(
        "has no header row or no rows", file=path, hint="the file may be truncated: fetch or copy it again"
    )


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
