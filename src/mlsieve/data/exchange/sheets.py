"""A sheet of an Excel or LibreOffice file as its cells, and what is missing in it that is no empty cell."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mlsieve.data.exchange.sheet_budget import BYTES, engine_within_budget
from mlsieve.errors import DataNotice, UserError, composed, number_of, shortened
from mlsieve.files.budget import most_of

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
        If there is no such sheet; the message lists them. If the file exceeds the budget of
        `mlsieve.data.exchange.sheet_budget`.
    """
    import pandas as pd

    engine = engine_within_budget(content, path)
    with _openpyxl_silent(), pd.ExcelFile(io.BytesIO(content), engine=engine) as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is not None:
            sheet = next((name for name in names if composed(name) == composed(sheet)), sheet)
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
    # The cells that hold one text of the workbook share it, as long as nothing is made of each.
    letters = sum(len(cell) for place in frame for cell in frame[place] if isinstance(cell, str))
    if letters > (most := most_of(len(content), *BYTES)):
        what = f"has texts of {letters:,} letters in its cells, more than {most:,}"
        raise UserError(what, file=path, hint="shorten them, or write the table as CSV")
    _tell_of_errors(frame, path, _error_cells(content, sheet, frame))
    places = _empty_formulas(content, sheet, frame)
    if places:
        columns = ", ".join(_column_name(frame, place) for place in places[:5])
        what = (
            f"formulas without a stored value in {number_of(len(places), 'column')}: {columns}; their cells"
            " count as missing (save the file in Excel or LibreOffice, which computes them)"
        )
        warnings.warn(DataNotice(what, file=path), stacklevel=2)
    return frame


def _tell_of_errors(
    frame: pd.DataFrame, path: str | os.PathLike[str], cells: Sequence[tuple[int, int]]
) -> None:
    """Warn of cells, by row and column from 0, whose formulas failed."""
    if cells:
        row = cells[0][0] + 1
        columns = list(dict.fromkeys(_column_name(frame, place) for _, place in cells))[:5]
        count = number_of(len(cells), "cell")
        what = (
            f"{count} with an error such as #DIV/0! in column {', '.join(columns)}, the first in row {row}:"
            " read as missing"
        )
        warnings.warn(DataNotice(what, file=path), stacklevel=3)


def _error_cells(content: bytes, sheet: str, frame: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the cells of an .xlsx file's sheet that hold an error other than #N/A."""
    if not frame.isna().any(axis=None) or not _has_in_sheets(content, (b't="e"',)):
        return []
    with _rows(content, sheet, data_only=True) as rows:
        return [
            (number, place)
            for number, row in enumerate(rows)
            for place, cell in enumerate(row)
            if cell.data_type == "e" and cell.value != "#N/A"
        ]


def _column_name(frame: pd.DataFrame, place: int) -> str:
    first = frame.iat[0, place]
    return f"'{shortened(first)}'" if isinstance(first, str) else f"number {place + 1}"


def _empty_formulas(content: bytes, sheet: str, frame: pd.DataFrame) -> Sequence[int]:
    """Return the columns of an .xlsx file's sheet with formulas that no program has computed."""
    if not frame.isna().any(axis=None) or not _has_in_sheets(content, (b"<f>", b"<f ")):
        return []
    missing = frame.isna().to_numpy()
    found: set[int] = set()
    with _rows(content, sheet, data_only=False) as rows:
        for row, cells in zip(missing, rows, strict=False):
            found.update(
                place for place, cell in enumerate(cells[: len(row)]) if row[place] and cell.data_type == "f"
            )
    return sorted(found)


@contextlib.contextmanager
def _rows(content: bytes, sheet: str, *, data_only: bool) -> Iterator[Iterator[Sequence[Any]]]:
    """Yield the rows of a sheet as far as they go, whatever size the file declares."""
    import openpyxl

    with (
        _openpyxl_silent(),
        contextlib.closing(
            openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=data_only)
        ) as book,
    ):
        book[sheet].reset_dimensions()
        yield book[sheet].iter_rows()


@contextlib.contextmanager
def _openpyxl_silent() -> Iterator[None]:
    """Have no warning of parts of a workbook that say nothing of its cells, such as missing styles."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"openpyxl\.")
        yield


def _has_in_sheets(content: bytes, marks: Sequence[bytes]) -> bool:
    """Return whether the sheets of an .xlsx file hold one of some marks."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return False
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(mark in part for part in map(archive.read, sheets) for mark in marks)
