"""Rows as the kernels of Relief and ReliefF take them: for approximate distances, and for exact ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.neighbors import relief
from mlsieve.distances.features import distances_from_zero, feature_distance

_TILE_ROWS = relief.tile_rows()
# Share of stored cells from which scaled rows are faster than lists of entries; nor do they take more memory.
_MOSTLY_STORED = 0.4


def prepare_rows(X: Any, counts: np.ndarray, names: Sequence[str] | None) -> DenseRows | SparseRows:
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
    return (SparseRows if sp.issparse(X) else DenseRows)(X, counts, names)


class DenseRows:
    """Scaled cells in tiles of rows."""

    is_sparse = False

    def __init__(self, X: np.ndarray, counts: np.ndarray, names: Sequence[str] | None) -> None:
        self.X = np.ascontiguousarray(X, np.float64)
        self.scale = feature_distance(self.X, counts > 0, counts, names)
        scale, n = self.scale, len(self.X)
        # Of a numeric feature, a missing cell is in the middle, with half a range added to every distance.
        simple = (scale.n_values == 0) | (~scale.missing & (scale.n_values <= 2))
        simple[scale.n_values == 2] &= (np.isin(self.X[:, scale.n_values == 2], (0, 1))).all(axis=0)
        n_tiles, n_plain = -(-n // _TILE_ROWS), int(simple.sum())
        self.plain = np.zeros((n_tiles, n_plain, _TILE_ROWS), np.float32)
        self.offset = np.zeros(n_tiles * _TILE_ROWS)
        self.other = np.zeros((n_tiles, len(simple) - n_plain, 2, _TILE_ROWS), np.float32)
        self.other_values = np.ascontiguousarray(scale.n_values[~simple])
        for tile in range(n_tiles):  # one by one, as all of X would be copied several times
            rows = slice(tile * _TILE_ROWS, min((tile + 1) * _TILE_ROWS, n))
            cells = self.X[rows]
            missing = np.isnan(cells)
            scaled = np.where(missing, 0.5, (cells - scale.low) / scale.span)
            self.plain[tile, :, : len(cells)] = scaled[:, simple].T
            self.offset[rows] = 0.5 * missing[:, simple].sum(axis=1)
            self.other[tile, :, 0, : len(cells)] = scaled[:, ~simple].T
            self.other[tile, :, 1, : len(cells)] = missing[:, ~simple].T

    def arguments(self) -> tuple[Any, ...]:
        """Return what the kernels take of the rows."""
        scale = self.scale
        own = scale.low, scale.span, scale.n_values
        return self.X, *own, self.plain, self.offset, self.other, self.other_values


class SparseRows:
    """Rows and columns without zeros, nor entries of features that are equal in all rows.

    Approximate distances are sums over distances to the origin, and as wrong as these are large: for a
    numeric feature without zeros it is the middle of the range.
    """

    is_sparse = True

    def __init__(self, X: sp.csr_array, counts: np.ndarray, names: Sequence[str] | None) -> None:
        rows = sp.csr_array(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        self.scale = scale = feature_distance(rows, counts > 0, counts, names)
        low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
        np.fmin.at(low, rows.indices, rows.data)
        np.fmax.at(high, rows.indices, rows.data)
        full = np.bincount(rows.indices, minlength=X.shape[1]) == X.shape[0]
        constant = full & (low == high) & ~scale.missing
        if constant.any():
            rows.data[constant[rows.indices]] = 0.0
            rows.eliminate_zeros()
        columns = rows.tocsc()
        self.rows = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data)
        self.columns = (columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)
        numeric = np.where(scale.n_values == 0, 2, 0)
        self.kind = np.where(scale.missing, 0, np.where(low == high, 1, numeric)).astype(np.uint8)
        self.origin = np.where(full & (scale.n_values == 0), scale.low + 0.5 * scale.span, 0.0)
        self.from_origin = np.asarray(distances_from_zero(rows, scale, self.origin).sum(axis=1)).ravel()

    def arguments(self) -> tuple[Any, ...]:
        """Return what the kernels take of the rows."""
        scale = self.scale
        own = scale.low, scale.span, scale.n_values, self.kind
        return *self.rows, *own, *self.columns, self.origin, self.from_origin
