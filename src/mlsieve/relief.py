"""MLC-Relief: does a feature differ between near examples of different labels more than between others?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels import _relief
from mlsieve.distances import distances_from_zero, feature_distance

TargetDistance = Literal["hamming", "accuracy", "f1", "subset"]
_TARGETS = {"hamming": 0, "accuracy": 1, "f1": 2, "subset": 3}
_TILE_ROWS = _relief.tile_rows()
# Examples whose sums are formed together. It is what threads share out, and fixes the order of the sums.
_BLOCK = 32


def relief_scores(
    X: Any,
    Y: sp.csr_array,
    *,
    distance: TargetDistance = "f1",
    k_values: Sequence[int] = (15,),
    m_values: Sequence[int] = (),
    sigma: float = 0.0,
    n_values: np.ndarray | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> np.ndarray:
    """Score the features for several numbers of neighbours and of examples in one pass.

    For each of m examples, T is the mean distance of its K neighbours' label sets to its own, A_i the mean
    distance in feature i, AT_i the mean of the products (RReliefF's sums, Robnik-Šikonja and Kononenko 2003).
    The neighbours are the K other examples with the smallest sum of distances in all features; of equals,
    the lower rows.

    Parameters
    ----------
    X : ndarray of float64 (C-contiguous) or csr_array, shape (n, F)
        NaN is missing.
    Y : csr_array, shape (n, L)
        0/1 labels.
    distance : {"f1", "hamming", "accuracy", "subset"}
        Distance of two label sets.
    k_values : sequence of int
        Numbers of neighbours, rising, within 1 .. n - 1.
    m_values : sequence of int
        Numbers of examples that look for their neighbours, rising, within 1 .. n; default n. The first m of
        one seeded permutation are taken.
    sigma : float
        The k-th neighbour weighs ``exp(-(sigma k)^2)``.
    n_values : ndarray of int, shape (F,), optional
        Number of categories of each nominal feature, 0 for a numeric one.
    seed, n_threads : int

    Returns
    -------
    ndarray of float64, shape (len(k_values), len(m_values), F)
        ``AT_i / T - (A_i - AT_i) / (m - T)``, in [-1, 1]; a term without denominator (the label sets of all
        neighbours equal, or all at distance 1) is 0.
    """
    n, n_features = X.shape
    m_values = list(m_values) or [n]
    counts = np.zeros(n_features, np.int64) if n_values is None else np.asarray(n_values)
    rows = _SparseRows(X, counts) if sp.issparse(X) else _DenseRows(X, counts)
    arguments = rows.arguments()
    k_array = np.asarray(k_values, np.int32)
    order = np.argsort(np.random.Philox(seed).random_raw(n), kind="stable").astype(np.int32)[: m_values[-1]]
    weights = np.exp(-((sigma * np.arange(1, k_array[-1] + 1)) ** 2))
    labels = (Y.indptr.astype(np.int64), Y.indices.astype(np.int32), _TARGETS[distance], float(Y.shape[1]))

    def sums(block: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        means, targets = np.zeros((2, len(k_array), n_features)), np.zeros((2, len(k_array)))
        rows.kernel(order[slice(*block)], k_array, weights, *arguments, *labels, *means, *targets)
        return means, targets

    scores = np.zeros((len(k_array), len(m_values), n_features))
    means, targets = np.zeros((2, len(k_array), n_features)), np.zeros((2, len(k_array)))
    blocks = list(_blocks(m_values))
    with ThreadPoolExecutor(n_threads) as pool:
        for (_, last), (more_means, more_targets) in zip(blocks, pool.map(sums, blocks), strict=True):
            means, targets = means + more_means, targets + more_targets
            if last in m_values:
                with np.errstate(divide="ignore", invalid="ignore"):
                    shares = np.where(targets[:, :, None] > 0, means / targets[:, :, None], 0.0)
                scores[:, m_values.index(last)] = shares[0] - shares[1]
    return scores


def _blocks(m_values: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of the examples summed together: _BLOCK at most, and none reaches over an m."""
    first = 0
    for m in m_values:
        while first < m:
            yield first, min(first + _BLOCK, m)
            first = min(first + _BLOCK, m)


class _DenseRows:
    """Scaled cells in tiles of rows."""

    kernel = staticmethod(_relief.relief_dense)

    def __init__(self, X: np.ndarray, counts: np.ndarray) -> None:
        self.X = np.ascontiguousarray(X, np.float64)
        self.scale = feature_distance(self.X, counts > 0, counts)
        scale, missing = self.scale, np.isnan(self.X)
        simple = ~scale.missing & (scale.n_values <= 2)
        simple[scale.n_values == 2] &= (np.isin(self.X[:, scale.n_values == 2], (0, 1))).all(axis=0)
        scaled = np.where(missing, 0.0, (self.X - scale.low) / scale.span)
        worst = np.where(missing, 1.0, np.maximum(scaled, 1.0 - scaled))
        self.plain = _tiles(scaled[:, simple])
        self.other_values = np.ascontiguousarray(scale.n_values[~simple])
        parts = [_tiles(part[:, ~simple]) for part in (scaled, missing.astype(np.float64), worst)]
        self.other = np.ascontiguousarray(np.stack(parts, axis=2))

    def arguments(self) -> tuple[Any, ...]:
        """What the kernel takes of the rows."""
        scale = self.scale
        return self.X, scale.low, scale.span, scale.n_values, self.plain, self.other, self.other_values


def _tiles(cells: np.ndarray) -> np.ndarray:
    """Return (n, P) as float32 of shape (n_tiles, P, _TILE_ROWS), filled up with zeros."""
    n, width = cells.shape
    n_tiles = -(-n // _TILE_ROWS)
    padded = np.zeros((n_tiles * _TILE_ROWS, width), np.float32)
    padded[:n] = cells
    return np.ascontiguousarray(padded.reshape(n_tiles, _TILE_ROWS, width).transpose(0, 2, 1))


class _SparseRows:
    """Rows and columns without zeros."""

    kernel = staticmethod(_relief.relief_sparse)

    def __init__(self, X: sp.csr_array, counts: np.ndarray) -> None:
        rows = sp.csr_array(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        self.scale = scale = feature_distance(rows, counts > 0, counts)
        columns = rows.tocsc()
        self.rows = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data)
        self.columns = (columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)
        low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
        np.fmin.at(low, rows.indices, rows.data)
        np.fmax.at(high, rows.indices, rows.data)
        numeric = np.where(scale.n_values == 0, 2, 0)
        self.kind = np.where(scale.missing, 0, np.where(low == high, 1, numeric)).astype(np.uint8)
        self.from_zero = np.asarray(distances_from_zero(rows, scale).sum(axis=1)).ravel()

    def arguments(self) -> tuple[Any, ...]:
        """What the kernel takes of the rows."""
        scale = self.scale
        own = scale.low, scale.span, scale.n_values, self.kind
        return *self.rows, *own, *self.columns, self.from_zero
