"""A sheet of an Excel or LibreOffice file as its cells, and what is missing in it that is no empty cell."""

from __future__ import annotations

import io
import os
import warnings
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlsieve.errors import DataNotice, UserError, number_of, shortened

if TYPE_CHECKING:
    import pandas as pd


def read_sheet(content: bytes, path: str | os.PathLike[str], sheet: str | None) -> pd.DataFrame:
    """Return the cells of a sheet, its first row among them.

    Parameters
    ----------
    content : bytes
        Of the file.
    path : path-like
        For messages.
    sheet : str or None
        Its name; None: the first one, and a notice if there are others.

    Raises
    ------
    UserError
        If there is no such sheet; the message lists them.
    """
    import pandas as pd

    with pd.ExcelFile(io.BytesIO(content)) as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is not None and sheet not in names:
            shown = ", ".join(shortened(name) for name in names[:20])
            raise UserError(f"has no sheet '{shortened(sheet)}'", file=path, hint=f"its sheets: {shown}")
        if sheet is None and len(names) > 1:
            count = number_of(len(names), "sheet")
            what = f"'{shortened(names[0])}', the first of {count}, is read (--sheet for another)"
            warnings.warn(DataNotice(what, file=path), stacklevel=2)
        sheet = names[0] if sheet is None else sheet
        # A text stays one, and what stands for a missing cell is decided as in tables of text.
        options: dict[str, Any] = {"dtype": object, "keep_default_na": False, "na_values": [""]}
        frame = pd.read_excel(book, sheet_name=sheet, header=None, **options)
    places = _empty_formulas(content, sheet, frame)
    if places:
        columns = ", ".join(_column_name(frame, place) for place in places[:5])
        what = (
            f"formulas without a stored value in {number_of(len(places), 'column')}: {columns}; their cells"
            " count as missing (save the file in Excel or LibreOffice, which computes them)"
        )
        warnings.warn(DataNotice(what, file=path), stacklevel=2)
    return frame


def _column_name(frame: pd.DataFrame, place: int) -> str:
    first = frame.iat[0, place]
    return f"'{shortened(first)}'" if isinstance(first, str) else f"number {place + 1}"


def _empty_formulas(content: bytes, sheet: str, frame: pd.DataFrame) -> Sequence[int]:
    """Return the columns of an .xlsx file's sheet with formulas that no program has computed."""
    if not frame.isna().any(axis=None) or not _has_formulas(content):
        return []
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=False)
    missing = frame.isna().to_numpy()
    found: set[int] = set()
    cells: Any
    for row, cells in zip(missing, book[sheet].iter_rows(), strict=False):
        found.update(
            place for place, cell in enumerate(cells[: len(row)]) if row[place] and cell.data_type == "f"
        )
    book.close()
    return sorted(found)


def _has_formulas(content: bytes) -> bool:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return False
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(b"<f>" in part or b"<f " in part for part in map(archive.read, sheets))
