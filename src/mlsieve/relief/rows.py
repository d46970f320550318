"""Rows as the kernels of Relief and ReliefF take them: for approximate distances, and for exact ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.neighbors.comparison import Comparison, DenseComparison, SparseComparison, tile_rows
from mlsieve.distances.features import FeatureDistance, distances_from_zero, feature_distance

_TILE_ROWS = tile_rows()
# Share of stored cells from which scaled rows are faster than lists of entries; nor do they take more memory.
_MOSTLY_STORED = 0.4


class Rows(NamedTuple):
    """The scale of the features, and the rows as the kernels compare them."""

    scale: FeatureDistance
    comparison: Comparison


def prepare_rows(X: Any, counts: np.ndarray, names: Sequence[str] | None) -> Rows:
    """Measure the features' ranges and bring rows into the form in which they are compared fastest.

    Parameters
    ----------
    X : ndarray of float64 (C-contiguous) or csr_array, shape (n, F)
        NaN is missing.
    counts : ndarray of int, shape (F,)
        Number of categories of each nominal feature, 0 for a numeric one.
    names : sequence of str or None
        Features' names, for the error.

    Raises
    ------
    UserError
        If a feature's range is not a finite number.
    """
    if sp.issparse(X) and X.nnz > _MOSTLY_STORED * X.shape[0] * X.shape[1]:
        X = X.toarray()
    return (_sparse_rows if sp.issparse(X) else _dense_rows)(X, counts, names)


def _dense_rows(X: np.ndarray, counts: np.ndarray, names: Sequence[str] | None) -> Rows:
    """Scale the cells, in tiles of rows."""
    X = np.ascontiguousarray(X, np.float64)
    scale = feature_distance(X, counts > 0, counts, names)
    n = len(X)
    # Of a numeric feature, a missing cell is in the middle, with half a range added to every distance.
    simple = (scale.n_values == 0) | (~scale.missing & (scale.n_values <= 2))
    simple[scale.n_values == 2] &= (np.isin(X[:, scale.n_values == 2], (0, 1))).all(axis=0)
    n_tiles, n_plain = -(-n // _TILE_ROWS), int(simple.sum())
    plain = np.zeros((n_tiles, n_plain, _TILE_ROWS), np.float32)
    offset = np.zeros(n_tiles * _TILE_ROWS)
    other = np.zeros((n_tiles, len(simple) - n_plain, 2, _TILE_ROWS), np.float32)
    for tile in range(n_tiles):  # one by one, as all of X would be copied several times
        rows = slice(tile * _TILE_ROWS, min((tile + 1) * _TILE_ROWS, n))
        cells = X[rows]
        missing = np.isnan(cells)
        scaled = np.where(missing, 0.5, (cells - scale.low) / scale.span)
        plain[tile, :, : len(cells)] = scaled[:, simple].T
        offset[rows] = 0.5 * missing[:, simple].sum(axis=1)
        other[tile, :, 0, : len(cells)] = scaled[:, ~simple].T
        other[tile, :, 1, : len(cells)] = missing[:, ~simple].T
    of_features = scale.low, scale.span, scale.n_values
    other_values = np.ascontiguousarray(scale.n_values[~simple])
    return Rows(scale, DenseComparison(X, *of_features, plain, offset, other, other_values))


def _sparse_rows(X: sp.csr_array, counts: np.ndarray, names: Sequence[str] | None) -> Rows:
    """List rows and columns without zeros, nor entries of features that are equal in all rows.

    Approximate distances are sums over distances to the origin, and as wrong as these are large: for a
    numeric feature without zeros it is the middle of the range.
    """
    rows = sp.csr_array(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    scale = feature_distance(rows, counts > 0, counts, names)
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    np.fmin.at(low, rows.indices, rows.data)
    np.fmax.at(high, rows.indices, rows.data)
    full = np.bincount(rows.indices, minlength=X.shape[1]) == X.shape[0]
    constant = full & (low == high) & ~scale.missing
    if constant.any():
        rows.data[constant[rows.indices]] = 0.0
        rows.eliminate_zeros()
    columns = rows.tocsc()
    numeric = np.where(scale.n_values == 0, 2, 0)
    kind = np.where(scale.missing, 0, np.where(low == high, 1, numeric)).astype(np.uint8)
    origin = np.where(full & (scale.n_values == 0), scale.low + 0.5 * scale.span, 0.0)
    from_origin = np.asarray(distances_from_zero(rows, scale, origin).sum(axis=1)).ravel()
    of_features = scale.low, scale.span, scale.n_values, kind
    listed = *_arrays(rows), *of_features, *_arrays(columns)
    return Rows(scale, SparseComparison(*listed, origin, from_origin))


def _arrays(cells: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return cells.indptr.astype(np.int64), cells.indices.astype(np.int32), cells.data
