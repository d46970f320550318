"""Tables with typed columns (Parquet, Feather) and spreadsheets (Excel, LibreOffice), read with pandas."""

from __future__ import annotations

import io
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.data.exchange.label_cells import cell_of_list
from mlsieve.data.exchange.sheets import read_sheet
from mlsieve.data.exchange.whole_numbers import (
    EXACT_DIGITS,
    EXACT_UP_TO,
    OF_COLUMNS,
    OF_SHEETS,
    merged_columns,
    tell_of_long,
)
from mlsieve.data.frames import FrameColumns
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.data.readers.cells.column import Remark, notice_of
from mlsieve.data.readers.cells.first_rows import NO_HEADER, holds_values, require_no_title
from mlsieve.data.readers.cells.missing import missing_among, tell_of_unused
from mlsieve.data.readers.columns import nominal_columns, typed_tables
from mlsieve.data.readers.delimited import MISSING, NULL, ROW_NAMES, RawTable
from mlsieve.data.readers.packed import read_bytes
from mlsieve.data.readers.typed_budget import require_within_budget
from mlsieve.errors import DataNotice, UserError, composed, shortened

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.data.readers.tables import Reading

_LISTS = (list, tuple, set, frozenset, np.ndarray)
_NULLS = frozenset({NULL})
_TITLE_ROWS = 5  # that a title above the header is judged by


def read_frames(paths: Sequence[Path], file_format: str, reading: Reading) -> list[ArffTable]:
    """Read the files of one dataset, each with the same columns.

    Columns of numbers, truth values and categories are taken as by `mlsieve.data.frames.FrameColumns`;
    columns of texts, dates and mixed cells are read as those of a CSV file. A null is a missing cell, and a
    text such as NA is one in a sheet alone, where people type it.

    Raises
    ------
    UserError
        If a file is damaged, a package that reads it is missing, or a column is not as it should be.
    """
    read = [frame_of_file(path, file_format, reading) for path in paths]
    names = [str(path) for path in paths]
    missing = MISSING if file_format == "excel" else _NULLS
    lines = [line for _, line in read]
    if file_format == "excel":
        for (frame, _), name in zip(read, names, strict=True):
            _tell_of_rounded(frame, name, reading)
    return frame_tables([frame for frame, _ in read], names, reading, lines, missing)


def frame_tables(
    frames: Sequence[pd.DataFrame],
    paths: Sequence[str],
    reading: Reading,
    first_lines: Sequence[int] = (),
    missing: frozenset[str] = _NULLS,
) -> list[ArffTable]:
    """Return the tables of data frames, see `read_frames`.

    Parameters
    ----------
    frames : sequence of DataFrame
    paths : sequence of str
    reading : Reading
    first_lines : sequence of int, optional
        Numbers of the frames' first rows; default 1.
    missing : frozenset of str, optional
        Texts that are missing cells; default: none is, but for those that `reading` declares.
    """
    frames = [_with_plain_columns(frame, path) for frame, path in zip(frames, paths, strict=True)]
    if reading.form.missing:
        frames = _without_declared_missing(frames, paths, reading.form.missing, missing)
    names = list(frames[0].columns)
    nominal = nominal_columns(reading, names, paths[0])
    alike = all(list(frame.columns) == names for frame in frames[1:])
    text = [
        name for name in names if not alike or not all(_is_typed(frame[name], nominal) for frame in frames)
    ]
    starts = first_lines or [1] * len(frames)
    raw = [
        RawTable(path, text, _cells(frame, text), list(range(start, start + len(frame))))
        for path, frame, start in zip(paths, frames, starts, strict=True)
    ]
    if alike and reading.label_column is not None:
        for frame, table in zip(frames, raw, strict=True):
            _require_known_labels(frame[reading.label_column], reading.label_column, table.path, table.lines)
    labels = reading.labels(names) if alike else ()
    unread = set(reading.unread(names)) if alike else set()
    raw[0].notices.extend(_missing_texts(raw, missing, unread))
    as_text = typed_tables(
        raw,
        missing=missing,
        decimal=reading.form.decimal,
        nominal=nominal,
        unread=lambda header: unread,
        labels=lambda header: [header.index(names[i]) for i in labels if names[i] in header],
    )
    typed = [name for name in names if name not in set(text)]
    if alike:
        merged = [typed[place] for place in merged_columns([frame[typed] for frame in frames])]
        tell_of_long(merged, OF_COLUMNS, file=paths[0], left_out=unread)
    columns = FrameColumns.of(frames[0][typed])
    for frame in frames[1:] if alike else ():
        columns = columns.with_categories_of(frame[typed])
    return [_joined(frame, table, columns) for frame, table in zip(frames, as_text, strict=True)]


def _without_declared_missing(
    frames: Sequence[pd.DataFrame], paths: Sequence[str], tokens: Sequence[str], known: frozenset[str]
) -> list[pd.DataFrame]:
    """Return frames whose cells that `--missing` declares are missing."""
    texts = [frame.map(_cell) for frame in frames]
    found = missing_among({cell for cells in texts for cell in cells.to_numpy().ravel()}, tokens, known)
    tell_of_unused(tokens, set(found.values()), paths[0], known)
    return [frame.mask(cells.isin(list(found))) for frame, cells in zip(frames, texts, strict=True)]


def _missing_texts(tables: Sequence[RawTable], missing: frozenset[str], left_out: set[str]) -> list[str]:
    """Return a notice of the texts of a sheet that are read as missing cells."""
    texts = missing - {"", NULL}
    found: dict[str, str] = {}
    for table in tables:
        for place, name in enumerate(table.header):
            word = next((row[place] for row in table.rows if row[place] in texts), None)
            if word is not None and name not in left_out:
                found.setdefault(name, word)
    if not found:
        return []
    word = next(iter(found.values()))
    remark = Remark(f"cells such as '{word}'", "they are read as missing (name a category differently)")
    return [notice_of(remark, list(found))]


def _tell_of_rounded(frame: pd.DataFrame, path: str, reading: Reading) -> None:
    """Warn of whole numbers in a sheet that are longer than those which spreadsheets keep."""

    def is_long(cell: Any) -> bool:
        is_whole = isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer())
        return is_whole and abs(cell) >= 10**EXACT_DIGITS

    names = list(map(str, frame.columns))
    cells = frame.astype(object).map(is_long).to_numpy(bool)
    long = [names[place] for place in np.flatnonzero(cells.any(axis=0))]
    if long:
        tell_of_long(long, OF_SHEETS, file=path, left_out=reading.unread(names))


def _joined(frame: pd.DataFrame, text_table: ArffTable, columns: FrameColumns) -> ArffTable:
    """Return a table of the columns that have types and of those that were read as text."""
    of_text = {attribute.name: place for place, attribute in enumerate(text_table.attributes)}
    of_type = {name: place for place, name in enumerate(columns.names)}
    values = np.full(frame.shape, np.nan)
    if columns.names:
        typed = columns.values(frame[list(columns.names)])
    attributes = []
    for column, name in enumerate(frame.columns):
        if name in of_text:
            values[:, column] = np.asarray(text_table.values)[:, of_text[name]]
            attributes.append(text_table.attributes[of_text[name]])
        else:
            values[:, column] = typed[:, of_type[name]]
            attributes.append(Attribute(name, columns.categories[of_type[name]], 1))
    return ArffTable(text_table.path, "", tuple(attributes), values, text_table.lines)


def _is_typed(column: pd.Series, nominal: Collection[str]) -> bool:
    import pandas as pd

    kinds = pd.api.types
    if isinstance(column.dtype, pd.CategoricalDtype):
        return True
    # Truth values are categories, as in a table of text.
    is_number = kinds.is_numeric_dtype(column.dtype) and not kinds.is_bool_dtype(column.dtype)
    return bool(is_number and column.name not in nominal)


def _cells(frame: pd.DataFrame, names: Sequence[str]) -> list[list[str]]:
    columns = [[_cell(value) for value in frame[name].astype(object)] for name in names]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(len(frame))]


def _cell(value: Any) -> str:
    """Return the text of a cell as a CSV file holds it."""
    if isinstance(value, _LISTS):  # a set of labels
        return cell_of_list(map(_cell, value))
    if _is_missing(value):
        return NULL
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if hasattr(value, "total_seconds"):
        minutes, seconds = divmod(abs(value.total_seconds()), 60)
        sign = "-" if value.total_seconds() < 0 else ""
        return f"{sign}{int(minutes) // 60}:{int(minutes) % 60:02}:{seconds:09.6f}"
    if hasattr(value, "isoformat"):
        return value.isoformat().replace("T", " ")
    return composed(str(value)).strip()


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return value is None or bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _require_known_labels(column: pd.Series, name: str, path: str, lines: Sequence[int]) -> None:
    """Raise for a list of labels that holds a missing value or a further list."""
    for value, line in zip(column, lines, strict=True):
        for label in value if isinstance(value, _LISTS) else ():
            if _is_missing(label) or isinstance(label, (*_LISTS, dict)):
                what = (
                    "a missing value" if _is_missing(label) else f"{shortened(str(label))}, which is no label"
                )
                raise UserError(
                    f"row {line} of column '{shortened(name)}' lists {what}",
                    file=path,
                    hint="leave it out of the list" if _is_missing(label) else "give lists of names",
                )


def _with_plain_columns(frame: pd.DataFrame, path: str) -> pd.DataFrame:
    """Return a frame whose columns have different names, without unnamed ones of row names and empty ones."""
    if not frame.shape[1]:  # of R, it may declare any number of rows
        raise UserError("has no columns", file=path, hint="give a table of features and labels")
    _tell_of_row_names(frame, path)
    frame = frame.reset_index(drop=True)
    names = [composed(str(name)).strip() for name in frame.columns]
    if len(names) > 1 and names[0] in ("Unnamed: 0", "") and frame.iloc[:, 0].is_unique:
        warnings.warn(DataNotice(ROW_NAMES, file=path), stacklevel=2)
        frame, names = frame.iloc[:, 1:], names[1:]
    unnamed = [not name or name.startswith("Unnamed: ") for name in names]
    kept = [j for j in range(len(names)) if not (unnamed[j] and frame.iloc[:, j].isna().all())]
    frame, names = frame.iloc[:, kept], [names[j] for j in kept]
    for position, name in enumerate(names):
        if not name or name.startswith("Unnamed: "):
            raise UserError(
                f"column {position + 1} has no name", file=path, hint="give each column a name of its own"
            )
        if name in names[:position]:
            raise UserError(
                f"column '{shortened(name)}' occurs twice",
                file=path,
                hint="give each column a name of its own",
            )
    if not len(frame):
        raise UserError("has no rows", file=path, hint="the file may be truncated: fetch or copy it again")
    return frame.set_axis(names, axis="columns")


def _tell_of_row_names(frame: pd.DataFrame, path: str) -> None:
    """Warn of an index that is no count of the rows, from 0 or from 1 as R counts them."""
    index, n = frame.index, len(frame)
    counts = [str(label) for label in index[[0, -1]]] if n else []
    if not n or (counts in (["0", str(n - 1)], ["1", str(n)]) and index.is_unique and index.nlevels == 1):
        return
    names = ", ".join(f"'{shortened(str(name))}'" for name in index.names if name is not None)
    what = (
        f"the names of the rows{names and ' (' + names + ')'} are left out (to keep them, make them a column)"
    )
    warnings.warn(DataNotice(what, file=path), stacklevel=2)


def _typed_frame(content: io.BytesIO, file_format: str) -> pd.DataFrame:
    """Return the frame of a Parquet or Feather file; large whole numbers beside missing ones stay exact."""
    import pandas as pd

    read = pd.read_parquet if file_format == "parquet" else pd.read_feather
    frame = read(content)
    large = [name for name in frame.select_dtypes("float64") if (frame[name].abs() >= EXACT_UP_TO).any()]
    if large:
        content.seek(0)
        exact = read(content, columns=large, dtype_backend="numpy_nullable")
        for name in exact.select_dtypes("integer"):
            frame[name] = exact[name].array
    return _with_declared_categories(frame, content) if file_format == "parquet" else frame


def _with_declared_categories(frame: pd.DataFrame, content: io.BytesIO) -> pd.DataFrame:
    """Return a Parquet file's frame with the categories that it loses where these are numbers."""
    import pyarrow.parquet

    content.seek(0)
    declared = (pyarrow.parquet.read_schema(content).pandas_metadata or {}).get("columns", [])
    for column in declared:
        name = column.get("name")
        if column.get("pandas_type") == "categorical" and name in frame and frame[name].dtype != "category":
            frame[name] = frame[name].astype("category")
    return frame


def _with_header(frame: pd.DataFrame, path: Path, reading: Reading) -> tuple[pd.DataFrame, int]:
    """Return a sheet whose first row is the header, if it is one, and the number of the row below."""
    rows = [[cell.strip(NULL) for cell in row] for row in _cells(frame, list(frame.columns))]
    header = reading.form.header
    if header is None:
        header = not (rows and holds_values(rows[0], rows[1:], reading.form.missing_cells))
        if not header:
            warnings.warn(DataNotice(NO_HEADER, file=path), stacklevel=2)
    if not header or not rows:
        names = [f"column{number}" for number in range(1, frame.shape[1] + 1)]
        return frame.set_axis(names, axis="columns").infer_objects(), 1
    require_no_title([len([cell for cell in row if cell]) for row in rows[:_TITLE_ROWS]], path)
    names = [name or f"Unnamed: {place}" for place, name in enumerate(rows[0])]
    return frame.iloc[1:].set_axis(names, axis="columns").infer_objects(), 2


def frame_of_file(path: Path, file_format: str, reading: Reading) -> tuple[pd.DataFrame, int]:
    """Return the table of a Parquet, Feather, Excel or LibreOffice file, and the number of its first row.

    Raises
    ------
    UserError
        If the file is damaged, or a package that reads it is missing.
    """
    content = io.BytesIO(read_bytes(path))
    try:
        if file_format in ("parquet", "feather"):
            require_within_budget(content, file_format, path)
            content.seek(0)
            return _typed_frame(content, file_format), 1
        return _with_header(read_sheet(content.getvalue(), path, reading.form.sheet), path, reading)
    except UserError:
        raise
    except ImportError as error:
        raise UserError(
            f"{file_format} files need a further package ({shortened(str(error), 120)})",
            file=path,
            hint="pip install 'mlsieve[tables]', or write the table as CSV",
        ) from error
    except Exception as error:  # pyarrow, openpyxl and zipfile have many of their own
        article = "an" if file_format == "excel" else "a"
        raise UserError(
            f"is not {article} {file_format} file that can be read ({shortened(str(error), 200)})",
            file=path,
            hint="fetch or copy it again, or write the table as CSV",
        ) from error
