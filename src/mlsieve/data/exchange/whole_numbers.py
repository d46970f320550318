"""Whole numbers that floats cannot hold: the one rule for every way in which data come."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import DataNotice

EXACT_UP_TO = 2**53  # floats hold these
EXACT_DIGITS = 15  # so many are exact whatever they are
_LARGEST = 10**300  # beyond it the conversion itself fails
_MERGED = "some different ones are read as the same"
# What to do about them: in files whose columns have no kinds, in others, and in arrays.
OF_COLUMNS = f"{_MERGED} (--nominal if they are codes, --drop to leave them out)"
OF_DECLARED = f"{_MERGED} (--drop to leave them out)"
OF_ARRAYS = f"{_MERGED} (if they are codes, give a DataFrame with astype('category'))"
# Excel and LibreOffice have changed what was typed, or pasted, before there was a file.
OF_SHEETS = "a spreadsheet keeps 15 of them, so that some may have been changed (type codes as texts)"
LONG_NUMBERS = f"whole numbers of more than {EXACT_DIGITS} digits"


def tell_of_long(
    names: Sequence[str], reading: str, *, file: Any = None, left_out: Collection[str] = ()
) -> None:
    """Warn of columns of long whole numbers, unless they are left out.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    reading : str
        What became of them: `OF_COLUMNS` or the like.
    file : path-like, optional
    left_out : collection of str
    """
    from mlsieve.data.readers.cells.column import Remark, notice_of

    names = [name for name in names if name not in left_out]
    if names:
        warnings.warn(DataNotice(notice_of(Remark(LONG_NUMBERS, reading), names), file=file), stacklevel=4)


def merged_texts(written: Iterable[tuple[Hashable, str]]) -> list[Any]:
    """Return the columns in which different whole numbers, written out, become the same float.

    Parameters
    ----------
    written : iterable of (column, text of a number)
    """
    exactly: dict[tuple[Hashable, float], tuple[bool, str]] = {}
    found: dict[Hashable, None] = {}
    for column, text in written:
        digits = text.lstrip("+-")
        if len(digits) > EXACT_DIGITS and digits.isdecimal():
            exact = (text[0] == "-", digits.lstrip("0"))
            if exactly.setdefault((column, float(text)), exact) != exact:
                found[column] = None
    return list(found)


def merged_columns(parts: Sequence[Any]) -> list[int]:
    """Return the columns, from 0, in which different whole numbers become the same float.

    Parameters
    ----------
    parts : sequence of DataFrame, array, scipy.sparse array or list of rows, shape (n, F)
        One below the other.
    """
    large: dict[int, set[int]] = {}
    for part in parts:
        for place, values in _large_numbers(part):
            large.setdefault(place, set()).update(values)
    return sorted(place for place, values in large.items() if len(set(map(float, values))) < len(values))


def _large_numbers(part: Any) -> Iterator[tuple[int, list[int]]]:
    """Yield the columns of a table that hold whole numbers from 2**53 on, and these."""
    if hasattr(part, "sparse") and part.shape[1]:  # a frame of sparse columns alone
        part = part.sparse.to_coo()
    if hasattr(part, "iloc"):
        if len(set(part.dtypes)) == 1 and isinstance(part.dtypes.iloc[0], np.dtype):
            yield from _large_numbers(part.to_numpy())
        else:
            yield from _large_numbers_of_frame(part)
    elif sp.issparse(part):
        entries = part.tocoo()
        is_large = _is_large(entries.data)
        columns, values = entries.coords[1][is_large], entries.data[is_large]
        for place in np.unique(columns).tolist():
            yield place, values[columns == place].tolist()
    else:
        try:
            array = np.asarray(part)
        except ValueError:  # rows of different lengths, which are refused later
            return
        if array.ndim != 2 or not _may_be_large(array):
            return
        is_large = _is_large(array)
        for place in np.flatnonzero(is_large.any(axis=0)).tolist():
            yield place, array[is_large[:, place], place].tolist()


def _large_numbers_of_frame(frame: Any) -> Iterator[tuple[int, list[int]]]:
    import pandas as pd

    for place, dtype in enumerate(frame.dtypes):
        if pd.api.types.is_object_dtype(dtype):
            column = frame.iloc[:, place].to_numpy()
        elif pd.api.types.is_integer_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype):
            exact = np.uint64 if pd.api.types.is_unsigned_integer_dtype(dtype) else np.int64
            column = frame.iloc[:, place].dropna().to_numpy(exact)
        else:
            continue
        values = column[_is_large(column)].tolist()
        if values:
            yield place, values


def _may_be_large(array: np.ndarray) -> bool:
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or not array.size:
        return bool(array.dtype == object)
    return bool(array.max() >= EXACT_UP_TO or array.min() <= -EXACT_UP_TO)


def _is_large(array: np.ndarray) -> np.ndarray:
    """Return which entries of an array are whole numbers of at least 2**53; floats are none."""
    if not _may_be_large(array):
        return np.zeros(array.shape, bool)
    if array.dtype == object:
        return np.frompyfunc(_is_large_number, 1, 1)(array).astype(bool)
    return (array >= EXACT_UP_TO) | (array <= -EXACT_UP_TO)


def _is_large_number(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and EXACT_UP_TO <= abs(int(value)) < _LARGEST
