"""Files and data frames of results as rows of cells."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlsieve.comparison.table.names import ROLE_NAMES, normal
from mlsieve.data.readers.cells.first_rows import NO_HEADER
from mlsieve.data.readers.delimited import ROW_NAMES, RawTable, TableFormat, read_delimited
from mlsieve.errors import DataNotice, UserError, composed

if TYPE_CHECKING:
    import pandas as pd

ROW_NAME = "row names"


@dataclass(frozen=True)
class Sheet:
    """A table of results as it was written.

    Attributes
    ----------
    path : str
        Empty for a data frame.
    names : list of str
        Of the columns, all different.
    columns : list of list
        Cells of each column: texts, numbers, or None.
    lines : list of int
        Line of each row in its file.
    row_names : bool
        Whether the first column had no name and holds the names of the rows.
    form : TableFormat
    """

    path: str
    names: list[str]
    columns: list[list[Any]]
    lines: list[int]
    row_names: bool = False
    form: TableFormat = field(default_factory=TableFormat)

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column."""
        return self.columns[self.names.index(name)]

    def text(self, name: str) -> list[str]:
        """Return the cells of a column as texts without blanks around them; a missing cell is empty."""
        return ["" if _is_missing(cell) else _plain(cell) for cell in self.column(name)]


def read_sheet_of(path: str | os.PathLike[str], form: TableFormat | None = None) -> Sheet:
    """Read a table of results: text (CSV and its kin), Excel, LibreOffice, Parquet or Feather, also packed.

    Parameters
    ----------
    path : path-like
    form : TableFormat, optional
        How a text table is written, and which sheet is read.

    Raises
    ------
    UserError
        If the file is missing, damaged or of another kind.
    """
    from mlsieve.data.readers.text import recognised_format
    from mlsieve.files.checksums import require_file

    form = form or TableFormat()
    file = require_file(path, "check the path")
    kind = recognised_format(file, form.encoding) or "csv"
    if form.sheet is not None and kind != "excel":
        raise UserError("is no workbook, and has no sheets", file=file, hint="leave out --sheet")
    if kind in ("parquet", "feather", "excel"):
        _refuse_text_options(form, file)
        return _sheet_of_frame_file(file, kind, form)
    if kind != "csv":
        raise UserError(
            f"holds {kind} data, not a table of results", file=file, hint="give a CSV, Excel or Parquet file"
        )
    raw = _read_text(file, form)
    for notice in raw.notices:
        if notice != ROW_NAMES:
            warnings.warn(DataNotice(notice, file=raw.path), stacklevel=2)
    columns: list[list[Any]] = [list(column) for column in zip(*raw.rows, strict=True)]
    columns = columns or [[] for _ in raw.header]
    return Sheet(raw.path, list(raw.header), columns, raw.lines, ROW_NAME in raw.header, form)


_RULE = re.compile(r":?-{3,}:?")  # below the header of a table in Markdown


def _read_text(file: Path, form: TableFormat) -> RawTable:
    """Read a table of text whose methods may be called by numbers, and which may be written in Markdown."""
    raw = read_delimited(file, form, row_names=ROW_NAME)
    if NO_HEADER in raw.notices and normal(raw.rows[0][0]) in ROLE_NAMES:
        raw = read_delimited(file, replace(form, header=True), row_names=ROW_NAME)
    if raw.header[0] == ROW_NAME and not any(row[0] for row in raw.rows):  # before the first vertical bar
        raw = replace(raw, header=raw.header[1:], rows=[row[1:] for row in raw.rows])
    kept = [place for place, row in enumerate(raw.rows) if not all(map(_RULE.fullmatch, row))]
    return replace(raw, rows=[raw.rows[place] for place in kept], lines=[raw.lines[place] for place in kept])


def _refuse_text_options(form: TableFormat, file: Path) -> None:
    """Refuse what only says how a table of text is written."""
    for name, option in (("separator", "--sep"), ("encoding", "--encoding")):
        if getattr(form, name) is not None:
            raise UserError(
                f"{option} is about tables of text, and this is none", file=file, hint="leave it out"
            )


def sheet_of_frame(frame: pd.DataFrame, form: TableFormat | None = None, path: str = "") -> Sheet:
    """Return a data frame as a sheet; an index of names, or with a name, becomes the first column.

    Raises
    ------
    UserError
        If the columns have several levels, or two have the same name.
    """
    import pandas as pd

    if frame.columns.nlevels > 1 or frame.index.nlevels > 1:
        raise UserError(
            "the rows or columns of the table have names of several levels",
            file=path or None,
            hint="give one name each, e.g. frame.reset_index()",
        )
    names = [composed(str(name)).strip() for name in frame.columns]
    columns = [_cells(frame.iloc[:, place]) for place in range(len(names))]
    row_names = False
    unnamed_counts = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index)
    if not (unnamed_counts or list(frame.index) == list(range(len(frame)))):
        name = ROW_NAME if frame.index.name is None else str(frame.index.name)
        names, columns = [name, *names], [[str(label) for label in frame.index], *columns]
        row_names = frame.index.name is None
    elif names and (not names[0] or names[0].startswith("Unnamed: ")):
        names[0], row_names = ROW_NAME, True
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UserError(
            f"column '{twice}' occurs twice", file=path or None, hint="give each column a name of its own"
        )
    return Sheet(path, names, columns, list(range(1, len(frame) + 1)), row_names, form or TableFormat())


def _cells(column: pd.Series) -> list[Any]:
    """Return the cells of a column as Python's own objects, None for a missing one of any kind."""
    return [
        None if missing else composed(cell) if isinstance(cell, str) else cell
        for cell, missing in zip(column.astype(object), column.isna(), strict=True)
    ]


def _sheet_of_frame_file(path: Path, kind: str, form: TableFormat) -> Sheet:
    from mlsieve.data.readers.frames import frame_of_file
    from mlsieve.data.readers.tables import Reading

    reading = Reading(form, (), None, lambda header: (), lambda header: ())
    frame, first = frame_of_file(path, kind, reading)
    sheet = sheet_of_frame(frame, form, str(path))
    return replace(sheet, lines=[line - 1 + first for line in sheet.lines])


def without_rows(sheet: Sheet, rows: Sequence[int]) -> Sheet:
    """Return a sheet without some rows, given by their places."""
    left = set(rows)
    kept = [place for place in range(len(sheet.lines)) if place not in left]
    columns = [[column[place] for place in kept] for column in sheet.columns]
    lines = [sheet.lines[place] for place in kept]
    return Sheet(sheet.path, sheet.names, columns, lines, sheet.row_names, sheet.form)


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell) or str(cell) in ("NaT", "<NA>")


def _plain(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
