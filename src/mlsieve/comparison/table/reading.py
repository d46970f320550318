"""Files and data frames of results as rows of cells."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlsieve.comparison.directions import is_measure
from mlsieve.comparison.table.latex import number_of_tables
from mlsieve.comparison.table.latex import rows_of as latex_rows
from mlsieve.comparison.table.names import NAMES, ROLE_NAMES, normal, repeat_in
from mlsieve.data.readers.cells.first_rows import NO_HEADER, is_number
from mlsieve.data.readers.delimited import ROW_NAMES, RawTable, TableFormat, read_delimited
from mlsieve.data.readers.text import found_encoding, read_text
from mlsieve.errors import DataNotice, UserError, composed, number_of, shortened

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


# Below the header of a table in Markdown.
_RULE = re.compile(r"\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*")
_EMPHASIS = re.compile(r"(?<!\\)(\*\*|__|\*|`)(?=\S)(.*?[^\s\\])\1")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def _read_text(file: Path, form: TableFormat) -> RawTable:
    """Read a table of text whose methods may be called by numbers, and which may be in Markdown or LaTeX."""
    text = read_text(os.fspath(file), form.encoding or found_encoding(os.fspath(file)))
    marked_up = _latex(file, text) or _markdown(file, text)
    if marked_up is not None:
        return marked_up
    try:
        raw = read_delimited(file, form, row_names=ROW_NAME)
    except UserError:
        joined = _with_two_headers(file, form)
        if joined is None:
            raise
        return joined
    if NO_HEADER in raw.notices and _is_header(raw.rows[0]):
        raw = read_delimited(file, replace(form, header=True), row_names=ROW_NAME)
    return _without_further_headers(raw)


def _without_further_headers(raw: RawTable) -> RawTable:
    """Return a table without rows that repeat its header, as files joined by ``cat`` have them."""
    kept = [place for place, row in enumerate(raw.rows) if row != raw.header]
    if len(kept) == len(raw.rows):
        return raw
    count = number_of(len(raw.rows) - len(kept), "row")
    notices = [*raw.notices, f"{count} left out, because the header is repeated there"]
    rows, lines = [raw.rows[place] for place in kept], [raw.lines[place] for place in kept]
    return replace(raw, rows=rows, lines=lines, notices=notices)


def _markdown(file: Path, text: str) -> RawTable | None:
    """Return the first table of a file in Markdown; None of a file without one.

    Raises
    ------
    UserError
        If a row has more or fewer cells than the header.
    """
    lines = text.splitlines()
    rules = (place for place, line in enumerate(lines) if "|" in line and _RULE.fullmatch(line))
    rule = next(rules, 0)
    if not rule:
        return None
    last = next((place for place in range(rule, len(lines)) if "|" not in lines[place]), len(lines))
    places = [rule - 1, *(place for place in range(rule + 1, last) if lines[place].strip(" |"))]
    inside = [re.sub(r"^\s*\||(?<!\\)\|\s*$", "", lines[place]) for place in places]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in inside]
    rows = [[_ESCAPE.sub(r"\1", _EMPHASIS.sub(r"\2", cell)) for cell in row] for row in cells]
    wrong = next((place for place, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if wrong is not None:
        raise UserError(
            f"{number_of(len(rows[wrong]), 'cell')} for {number_of(len(rows[0]), 'column')}",
            file=file,
            line=places[wrong] + 1,
            hint="correct the row",
        )
    return _with_names(file, rows, [place + 1 for place in places])


def _with_two_headers(file: Path, form: TableFormat) -> RawTable | None:
    """Return a table whose header has two rows, and so repeats names or lacks some; None of another one."""
    try:
        return joined_headers(read_delimited(file, replace(form, header=False)))
    except UserError:
        return None


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether a first row of which some cells are numbers holds the names of the columns."""
    first, *others = cells
    counted = [str(place) for place in range(len(others))] == others
    return normal(first) in ROLE_NAMES or (bool(first) and not is_number(first) and counted)


def _latex(file: Path, text: str) -> RawTable | None:
    """Return the first table of a LaTeX file; None of a file without one."""
    if not number_of_tables(text):
        return None
    rows, lines = latex_rows(text)
    if (count := number_of_tables(text)) > 1:
        warnings.warn(DataNotice(f"has {count} tables, of which the first is read", file=file), stacklevel=4)
    return _with_names(file, rows, lines)


def _with_names(file: Path, rows: list[list[str]], lines: list[int]) -> RawTable:
    """Return the table whose first row, or first two, are the names of its columns.

    Raises
    ------
    UserError
        If it has no other rows, or two columns have the same name and the second row holds no names either.
    """
    if len(rows) < 2:
        raise UserError("its table has no rows", file=file, hint="give a table with a header and rows")
    header = [name or (ROW_NAME if not place else "") for place, name in enumerate(rows[0])]
    if len(set(header)) == len(header) and "" not in header:
        return RawTable(os.fspath(file), header, rows[1:], lines[1:])
    names = [str(place) for place in range(len(header))]
    joined = joined_headers(RawTable(os.fspath(file), names, rows, lines))
    if joined is None:
        raise UserError(
            "columns of its table have the same name, or none",
            file=file,
            line=lines[0],
            hint="give each column a name of its own",
        )
    return joined


def joined_headers(raw: RawTable) -> RawTable | None:
    """Return a table whose first two rows are names, such as a measure above methods, as one with a column
    of measures; None of another table.
    """
    if len(raw.rows) < 3:
        return None
    first, second, *_ = raw.rows
    width = len(first)
    n_keys = 1
    while n_keys < width and (not second[n_keys] or not any(first[1 : n_keys + 1])):
        n_keys += 1
    top = list(first)
    for place in range(n_keys + 1, width):  # a merged cell has its name in the first one
        top[place] = top[place] or top[place - 1]
    pairs = [(top[place], second[place]) for place in range(n_keys, width)]
    if not pairs or not all(map(all, pairs)) or any(is_number(name) for pair in pairs for name in pair):
        return None
    corner, skipped = [first[place] or second[place] for place in range(n_keys)], 2
    if not any(raw.rows[2][n_keys:]):  # as pandas writes the name of the index
        corner, skipped = raw.rows[2][:n_keys], 3
    elif n_keys == 1 and first[0] and second[0]:  # the names of the two levels
        corner = [""]
    keys = [name or (ROW_NAME if not place else f"column{place + 1}") for place, name in enumerate(corner)]
    found = by_measure(pairs, (first[0], second[0]))
    if found is None:
        return None
    measures, methods, places = found
    rows, lines = [], []
    for row, line in zip(raw.rows[skipped:], raw.lines[skipped:], strict=True):
        for measure in measures:
            cells = [places.get((measure, method)) for method in methods]
            rows.append([*row[:n_keys], measure, *("" if at is None else row[n_keys + at] for at in cells)])
            lines.append(line)
    return replace(raw, header=[*keys, "measure", *methods], rows=rows, lines=lines)


def by_measure(
    pairs: Sequence[tuple[str, str]], names: tuple[str, str] = ("", "")
) -> tuple[list[str], list[str], dict[tuple[str, str], int]] | None:
    """Return measures, methods and the place of each pair of them, where columns have names of two levels.

    Parameters
    ----------
    pairs : sequence of pairs of str
    names : pair of str
        Of the levels, where they have any.

    Returns
    -------
    tuple or None
        None if no level is known to hold measures.
    """
    levels = [list(dict.fromkeys(pair[level] for pair in pairs)) for level in (0, 1)]
    of_measures = [level for level in (0, 1) if normal(names[level]) in NAMES["measure"]]
    of_measures = of_measures or [1 - level for level in (0, 1) if normal(names[level]) in NAMES["method"]]
    of_measures = of_measures or [level for level in (0, 1) if all(map(is_measure, levels[level]))]
    if len(of_measures) != 1 or len(set(pairs)) < len(pairs):
        return None
    level = of_measures[0]
    if normal(names[level]) in NAMES["repeats"] or all(repeat_in(name)[1] for name in levels[level]):
        return None
    places = {(pair[level], pair[1 - level]): place for place, pair in enumerate(pairs)}
    return levels[level], levels[1 - level], places


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

    if frame.index.nlevels > 1 and None not in frame.index.names:
        frame = frame.reset_index()
    if frame.columns.nlevels == 2:
        frame = _with_measures_as_rows(frame)
    if frame.columns.nlevels > 1 or frame.index.nlevels > 1:
        raise UserError(
            "the rows or columns of the table have names of several levels",
            file=path or None,
            hint="give one name each, as frame.stack().reset_index() does, or name the level of the measures"
            " 'measure'",
        )
    names = [composed(str(name)).strip() for name in frame.columns]
    columns = [_cells(frame.iloc[:, place]) for place in range(len(names))]
    row_names = False
    unnamed_counts = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index)
    if not (unnamed_counts or list(frame.index) == list(range(len(frame)))):
        name = ROW_NAME if frame.index.name is None else composed(str(frame.index.name))
        names, columns = [name, *names], [[composed(str(label)) for label in frame.index], *columns]
        row_names = frame.index.name is None
    elif names and (not names[0] or names[0].startswith("Unnamed: ")):
        names[0], row_names = ROW_NAME, True
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UserError(
            f"column '{twice}' occurs twice", file=path or None, hint="give each column a name of its own"
        )
    return Sheet(path, names, columns, list(range(1, len(frame) + 1)), row_names, form or TableFormat())


def _with_measures_as_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns have two levels, one of measures, as one with a column of measures."""
    import pandas as pd

    if frame.index.name is not None:
        frame = frame.reset_index()
    pairs = [(composed(str(one)).strip(), composed(str(other)).strip()) for one, other in frame.columns]
    keys = [place for place, pair in enumerate(pairs) if not all(pair)]
    others = [place for place in range(len(pairs)) if place not in keys]
    level_names = frame.columns.names
    found = by_measure(
        [pairs[place] for place in others], (str(level_names[0] or ""), str(level_names[1] or ""))
    )
    if found is None or not others:
        return frame
    measures, methods, places = found
    if not keys and pd.api.types.is_integer_dtype(frame.index):
        frame = frame.set_axis([f"row {place + 1}" for place in range(len(frame))])
    parts = []
    for measure in measures:
        part = {"".join(pairs[place]): frame.iloc[:, place] for place in keys} | {"measure": measure}
        for method in methods:
            at = places.get((measure, method))
            part[method] = math.nan if at is None else frame.iloc[:, others[at]]
        parts.append(pd.DataFrame(part, index=frame.index))
    return pd.concat(parts)


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
    lines = list(range(first, first + len(frame)))
    if kind == "excel":
        frame = _without_merged_cells(frame, path)
        header = ["" if str(name).startswith("Unnamed: ") else str(name) for name in frame.columns]
        if "" in header[1:] or len(set(header)) < len(header):
            rows = [
                ["" if _is_missing(cell) else _plain(cell) for cell in row] for row in frame.to_numpy(object)
            ]
            joined = joined_headers(RawTable(str(path), header, [header, *rows], [first - 1, *lines]))
            if joined is not None:
                columns: list[list[Any]] = [list(column) for column in zip(*joined.rows, strict=True)]
                return Sheet(str(path), list(joined.header), columns, joined.lines, form=form)
    return replace(sheet_of_frame(frame, form, str(path)), lines=lines)


def _without_merged_cells(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return a table in which merged cells of its first columns repeat their name in each row."""
    frame = frame.copy()
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        known = column.dropna()
        if (
            len(known) in (0, len(column))
            or column.isna().iloc[0]
            or not all(isinstance(cell, str) for cell in known)
        ):
            break
        frame.isetitem(place, column.ffill())
        what = f"empty cells of column '{shortened(str(name))}' have the name above them"
        warnings.warn(DataNotice(what, file=path), stacklevel=4)
    return frame


def without_rows(sheet: Sheet, rows: Sequence[int]) -> Sheet:
    """Return a sheet without some rows, given by their places."""
    left = set(rows)
    kept = [place for place in range(len(sheet.lines)) if place not in left]
    columns = [[column[place] for place in kept] for column in sheet.columns]
    lines = [sheet.lines[place] for place in kept]
    return Sheet(sheet.path, sheet.names, columns, lines, sheet.row_names, sheet.form)


def without_column(sheet: Sheet, name: str) -> Sheet:
    """Return a sheet without one of its columns."""
    kept = [place for place, other in enumerate(sheet.names) if other != name]
    columns = [sheet.columns[place] for place in kept]
    return replace(sheet, names=[sheet.names[place] for place in kept], columns=columns)


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell) or str(cell) in ("NaT", "<NA>")


def _plain(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
