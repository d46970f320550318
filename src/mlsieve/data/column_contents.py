"""Columns by their content: digests, and a seeded order that ignores the columns' positions.

A ranking must not depend on the order in which a file lists its columns. Wherever a method has to prefer one
of several columns that are equally good, it takes the first in the order of `canonical_order`: a hash of
each column's content and of a seed. Columns of equal content have the same digest and follow each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

_DIGEST_BYTES = 8


def column_digests(X: Any) -> np.ndarray:
    """Return a digest of each column's values, the same for dense and sparse arrays.

    The digest is blake2b, of 8 bytes, over the number of rows, the rows whose cell is not 0, and these cells,
    as little-endian int64 and float64. All NaN are one value, and so are 0 and -0. Different columns share a
    digest with probability 2**-64 a pair.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing.

    Returns
    -------
    ndarray of uint64, shape (F,)
    """
    found = bytearray()
    for rows, cells in _columns_of(X):
        state = hashlib.blake2b(X.shape[0].to_bytes(8, "little"), digest_size=_DIGEST_BYTES)
        state.update(np.ascontiguousarray(rows, "<i8").data)
        state.update(np.ascontiguousarray(cells, "<f8").data)
        found += state.digest()
    return np.frombuffer(bytes(found), "<u8").astype(np.uint64)


def canonical_order(digests: np.ndarray, seed: int) -> np.ndarray:
    """Return the columns in an order that depends on their content and a seed only.

    Parameters
    ----------
    digests : ndarray of uint64, shape (F,)
        Of `column_digests`.
    seed : int
        Any integer; taken modulo 2**64.

    Returns
    -------
    ndarray of intp, shape (F,)
        Column positions. Columns with the same digest follow each other, the lower position first.
    """
    with np.errstate(over="ignore"):
        keys = _mixed(np.asarray(digests, np.uint64) + _mixed(np.array([seed % 2**64], np.uint64)))
    return np.argsort(keys, kind="stable")


def canonical_places(digests: np.ndarray, seed: int) -> np.ndarray:
    """Return each column's place in `canonical_order`; ndarray of intp, shape (F,)."""
    order = canonical_order(digests, seed)
    places = np.empty(len(order), np.intp)
    places[order] = np.arange(len(order))
    return places


def _mixed(keys: np.ndarray) -> np.ndarray:
    """Return the finaliser of splitmix64, a bijection: different keys stay different."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def _columns_of(X: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of each column whose cells are not 0, and the cells, all NaN alike."""
    if not sp.issparse(X):
        for column in np.asarray(X, np.float64).T:
            rows = np.flatnonzero(column)
            cells = column[rows]
            yield rows, np.where(np.isnan(cells), np.nan, cells)
        return
    columns = sp.csc_array(X, dtype=np.float64, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    columns.data[np.isnan(columns.data)] = np.nan
    for first, last in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        yield columns.indices[first:last], columns.data[first:last]
