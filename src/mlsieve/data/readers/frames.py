"""Tables with typed columns (Parquet, Feather) and spreadsheets (Excel, LibreOffice), read with pandas."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.data.readers.columns import typed_tables
from mlsieve.data.readers.delimited import RawTable
from mlsieve.data.readers.packed import read_bytes
from mlsieve.errors import UserError, shortened

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.data.readers.tables import Reading


def read_frames(paths: Sequence[Path], file_format: str, reading: Reading) -> list[ArffTable]:
    """Read the files of one dataset, each with the same columns.

    Columns of numbers are numeric, those of categories and truth values nominal; columns of texts, dates and
    mixed cells are read as those of a CSV file.

    Raises
    ------
    UserError
        If a file is damaged, a package that reads it is missing, or a column is not as it should be.
    """
    frames = [_frame(path, file_format, reading) for path in paths]
    return frame_tables(frames, [str(path) for path in paths], reading)


def frame_tables(frames: Sequence[pd.DataFrame], paths: Sequence[str], reading: Reading) -> list[ArffTable]:
    """Return the tables of data frames; see `read_frames`."""
    frames = [_with_plain_columns(frame, path) for frame, path in zip(frames, paths, strict=True)]
    names = list(frames[0].columns)
    alike = all(list(frame.columns) == names for frame in frames[1:])
    text = [
        name for name in names if not alike or not all(_is_typed(frame[name], reading) for frame in frames)
    ]
    raw = [
        RawTable(path, text, _cells(frame, text), list(range(1, len(frame) + 1)))
        for path, frame in zip(paths, frames, strict=True)
    ]
    labels = reading.labels(names) if alike else ()
    as_text = typed_tables(
        raw,
        missing=reading.form.missing_cells,
        decimal=reading.form.decimal,
        nominal=reading.nominal,
        unread=reading.unread,
        labels=lambda header: [header.index(names[i]) for i in labels if names[i] in header],
    )
    return [
        _joined(path, frame, table, text, frames)
        for path, frame, table in zip(paths, frames, as_text, strict=True)
    ]


def _joined(
    path: str, frame: pd.DataFrame, text_table: ArffTable, text: Sequence[str], frames: Sequence[pd.DataFrame]
) -> ArffTable:
    place = {name: i for i, name in enumerate(text)}
    values = np.full(frame.shape, np.nan)
    attributes = []
    for column, name in enumerate(frame.columns):
        if name in place:
            values[:, column] = np.asarray(text_table.values)[:, place[name]]
            attributes.append(text_table.attributes[place[name]])
            continue
        categories = _categories([each[name] for each in frames])
        if categories is None:
            values[:, column] = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            code = {value: i for i, value in enumerate(categories)}
            cells = frame[name].astype(object)
            values[:, column] = [
                np.nan if missing else code[str(cell)]
                for cell, missing in zip(cells, cells.isna(), strict=True)
            ]
        attributes.append(Attribute(name, categories, 1))
    return ArffTable(path, "", tuple(attributes), values, np.arange(1, len(frame) + 1, dtype=np.int64))


def _is_typed(column: pd.Series, reading: Reading) -> bool:
    import pandas as pd

    kinds = pd.api.types
    if column.name in reading.nominal:
        return False
    return bool(
        kinds.is_numeric_dtype(column.dtype)
        or kinds.is_bool_dtype(column.dtype)
        or isinstance(column.dtype, pd.CategoricalDtype)
    )


def _categories(columns: Sequence[pd.Series]) -> tuple[str, ...] | None:
    """Return the categories of a typed column in their order; None for numbers."""
    import pandas as pd

    if isinstance(columns[0].dtype, pd.CategoricalDtype):
        return tuple(
            dict.fromkeys(
                str(value) for column in columns for value in column.astype("category").cat.categories
            )
        )
    return ("False", "True") if pd.api.types.is_bool_dtype(columns[0].dtype) else None


def _cells(frame: pd.DataFrame, names: Sequence[str]) -> list[list[str]]:
    columns = [[_cell(value) for value in frame[name].astype(object)] for name in names]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(len(frame))]


def _cell(value: Any) -> str:
    """Return the text of a cell as a CSV file holds it."""
    import pandas as pd

    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if hasattr(value, "isoformat"):
        return value.isoformat(sep=" ") if hasattr(value, "hour") else value.isoformat()
    return str(value).strip()


def _with_plain_columns(frame: pd.DataFrame, path: str) -> pd.DataFrame:
    """Return a frame whose columns have different names of text, without an unnamed one of row names."""
    frame = frame.reset_index(drop=True)
    names = [str(name).strip() for name in frame.columns]
    if len(names) > 1 and names[0] in ("Unnamed: 0", "") and frame.iloc[:, 0].is_unique:
        frame, names = frame.iloc[:, 1:], names[1:]
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


def _frame(path: Path, file_format: str, reading: Reading) -> pd.DataFrame:
    import pandas as pd

    content = io.BytesIO(read_bytes(path))
    try:
        if file_format == "parquet":
            return pd.read_parquet(content)
        if file_format == "feather":
            return pd.read_feather(content)
        sheet: Any = 0 if reading.form.sheet is None else reading.form.sheet
        header = None if reading.form.header is False else 0
        frame = pd.read_excel(content, sheet_name=sheet, header=header)
        if header is None:
            frame.columns = [f"column{number}" for number in range(1, frame.shape[1] + 1)]
        return frame
    except ImportError as error:
        raise UserError(
            f"{file_format} files need a further package ({shortened(str(error), 120)})",
            file=path,
            hint="pip install 'mlsieve[tables]', or write the table as CSV",
        ) from error
    except Exception as error:  # pyarrow, openpyxl and zipfile have many of their own
        raise UserError(
            f"is not a {file_format} file that can be read ({shortened(str(error), 200)})",
            file=path,
            hint="fetch or copy it again, or write the table as CSV",
        ) from error
