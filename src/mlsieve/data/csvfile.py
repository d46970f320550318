"""CSV files with a header row, read into the tables that ARFF files make."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Sequence

import numpy as np

from mlsieve.data.arff import ArffTable, Attribute
from mlsieve.data.textfiles import read_text
from mlsieve.errors import UserError

_MISSING = {"", "?"}


def read_csv_files(paths: Sequence[str | os.PathLike[str]]) -> list[ArffTable]:
    """Read the comma-separated files of one data set, each with the same header row.

    A column is numeric if every value of every file is a finite number, else nominal with its values in
    sorted order. An empty cell and ``?`` are missing values.

    Parameters
    ----------
    paths : sequence of path-like
        Training file(s) and test file; types and categories are told from all of them together.

    Returns
    -------
    list of ArffTable
        Dense, one a file.

    Raises
    ------
    UserError
        For an empty file, a name that stands twice, or a row with too few or too many values.
    """
    raw = [_raw(os.fspath(path)) for path in paths]
    width = {len(header) for _, header, _, _ in raw}
    kinds: list[tuple[str, ...] | None] = []
    if len(width) == 1:
        for column in range(width.pop()):
            seen = {row[column] for _, _, rows, _ in raw for row in rows} - _MISSING
            kinds.append(None if all(map(_is_number, seen)) else tuple(sorted(seen)))
    tables = []
    for path, header, rows, lines in raw:
        own = kinds or [None] * len(
            header
        )  # headers of different length are refused when the tables are joined
        values = np.full((len(rows), len(header)), np.nan)
        for column, kind in enumerate(own if kinds else []):
            place = None if kind is None else {value: i for i, value in enumerate(kind)}
            for i, row in enumerate(rows):
                if row[column] not in _MISSING:
                    values[i, column] = float(row[column]) if place is None else place[row[column]]
        attributes = tuple(Attribute(name, kind, 1) for name, kind in zip(header, own, strict=True))
        tables.append(ArffTable(path, "", attributes, values, np.array(lines, dtype=np.int64)))
    return tables


def _raw(path: str) -> tuple[str, list[str], list[list[str]], list[int]]:
    """Return path, header, rows of stripped cells, and the line of each row."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        for row in reader:
            if row:
                rows.append([value.strip() for value in row])
                lines.append(reader.line_num)
    except csv.Error as error:
        raise UserError(
            f"not valid CSV ({error})", file=path, line=reader.line_num, cure="check its quotes"
        ) from error
    if not header or not rows:
        raise UserError(
            "has no header row or no rows",
            file=path,
            cure="the file may be truncated: fetch or copy it again",
        )
    for name in header:
        if not name or header.count(name) > 1:
            problem = f"column '{name}' stands twice" if name else "a column has no name"
            raise UserError(
                f"{problem} in the header", file=path, line=1, cure="give each column a name of its own"
            )
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            much = "few" if len(row) < len(header) else "many"
            raise UserError(
                f"too {much} values: {len(row)} for {len(header)} columns",
                file=path,
                line=line,
                cure="correct the row",
            )
    return path, header, rows, lines


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
