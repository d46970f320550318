"""Checks of the values in array files, for the readers of all kinds of them.

Code that follows such arrays, compiled code too, relies on what is checked here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.files.arrays import require_starts

LARGEST_COUNT = 2**31 - 1
LARGEST_NUMBER = 2.0**63


def require_encodable(arrays: Iterable[np.ndarray], meta: Any) -> None:
    """Raise ValueError if a text of a file is none that UTF-8 can write: it holds half of a pair."""
    json.dumps(meta, ensure_ascii=False).encode()
    for array in arrays:
        if array.dtype.kind == "U":
            points = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
            if (points.reshape(-1).view(np.uint32) >> 11 == 0xD800 >> 11).any():
                raise ValueError("an array's text is not a text")


def csr_from(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]
) -> sp.csr_array:
    """Return a sparse array whose rows are within it, each with rising columns.

    Raises
    ------
    ValueError
        If they do not fit. SciPy's own check looks no further at an array that states no entry.
    """
    if indices.ndim != 1 or data.shape != indices.shape or indices.dtype.kind != "i":
        raise ValueError("the entries of a sparse matrix do not fit each other")
    require_starts(indptr, shape[0], len(indices))
    if len(indices) and not 0 <= indices.min() <= indices.max() < shape[1]:
        raise ValueError("a sparse matrix has an entry outside of it")
    matrix = sp.csr_array((data, indices, indptr), shape=shape)
    if not matrix.has_canonical_format:
        raise ValueError("the entries of a sparse matrix are not in order")
    return matrix


def require_finite(what: str, *arrays: np.ndarray, missing: bool = False) -> None:
    """Raise ValueError if a number is infinite or, unless some may be missing, NaN."""
    for array in arrays:
        if array.dtype.kind == "f" and not (np.isfinite(array) | (missing & np.isnan(array))).all():
            raise ValueError(f"{what} are not finite numbers")


def require_counts(what: str, array: np.ndarray, n: int, least: int = 0, most: int = LARGEST_COUNT) -> None:
    """Raise ValueError unless an array holds n whole numbers from `least` to `most`."""
    if array.shape != (n,) or array.dtype.kind != "i" or ((array < least) | (array > most)).any():
        raise ValueError(f"{what} are not whole numbers from {least} on")


def require_json(value: Any, kinds: Mapping[str, Any], need: Collection[str] = ()) -> None:
    """Raise ValueError unless a header, or a part of it, is a mapping whose known keys have the right values.

    Parameters
    ----------
    value : JSON
    kinds : mapping of str to type, tuple of type, or int
        Of the values whose kinds matter: types (bool is no int), or the length of a list of texts.
    need : collection of str
        Keys that must be there.
    """
    if not isinstance(value, dict) or not set(need) <= set(value):
        raise ValueError("its header is not complete")
    for key in kinds.keys() & value.keys():
        if not _is_of(value[key], kinds[key]):
            raise ValueError(f"'{key}' in its header is not what it should be")


def _is_of(value: Any, kind: Any) -> bool:
    if isinstance(kind, int):
        return is_texts(value) and len(value) == kind
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return type(value) in kinds
    return type(value) in kinds and abs(value) < LARGEST_NUMBER


def require_places(value: Any, n: int) -> None:
    """Raise ValueError unless a value of JSON is a list of places in a list of n items."""
    if not isinstance(value, list) or not all(type(place) is int and 0 <= place < n for place in value):
        raise ValueError("its header refers to what there is not")


def is_texts(value: Any) -> bool:
    """Whether a value of JSON is a list of texts."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
