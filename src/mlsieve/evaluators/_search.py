"""Search for the K nearest training rows under many weightings of the features.

Everything that does not depend on the weights is prepared once, as columns whose products make up the
distances (see `_columns`); each weighting then costs a matrix product in single precision and an exact sum
for the few rows at the border: see the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController

from mlsieve._kernels.neighbors import weighted_neighbors
from mlsieve.distances.features import FeatureDistance
from mlsieve.evaluators._columns import Columns, dense_columns, sparse_columns
from mlsieve.progress import counted

_BLOCK = 128  # test rows whose sums with all training rows a thread holds at a time
# Share of test rows with a cell of a column from which on it is summed row by row, and number of test rows
# from which on it pays to look: see `SparseSearch`.
_OFTEN, _MANY = 0.025, 1600
_UNIT = 2.0**-24  # largest relative error of rounding to single precision
# 16,384 rounding errors of double precision: those of the exact sum, and room for ties (1e-12 of it).
_EXACT = 2.0**-39
# Beyond the limits of squares and lengths single precision may fail, and every row is summed exactly. What
# underflows in a product of cells up to 1e10 and their factors is less than the summand: single precision
# ends at 1e-45.
_LARGEST, _LONGEST, _SMALLEST = 1e20, 2**22, 1e-17


@dataclass(frozen=True)
class _Weighted:
    """What one weighting makes of the columns; see the kernel."""

    counted: bool
    features: np.ndarray  # with a positive weight
    factor: np.ndarray  # of each column: the square root of its weight, for the left and for the right side
    bounded: np.ndarray  # training rows whose cells single precision holds
    bounds: tuple[np.ndarray, ...]  # base, top, slope and lane_slope of the kernel


class Search(Protocol):
    """Neighbours of the test rows under one weighting after another."""

    def neighbors(self, weights: np.ndarray, k: int) -> np.ndarray:
        """Return the K nearest training rows of each test row, in index order; shape (n_test, K), int32."""


def make_search(train: Any, test: Any, distance: FeatureDistance, n_threads: int) -> Search:
    """Return the search that suits the storage of the rows.

    Parameters
    ----------
    train, test : ndarray (C-contiguous) or csr_array of float64, shapes (n_train, F) and (n_test, F)
        Both dense or both sparse.
    distance : FeatureDistance
    n_threads : int
        Number of blocks of test rows searched at the same time.
    """
    if sp.issparse(train):
        return SparseSearch(train, test, distance, n_threads)
    return DenseSearch(train, test, distance, n_threads)


def _exact_scale(weights: np.ndarray) -> np.ndarray:
    """Return the weights times a power of two, the largest within [1/2, 1): the order of the sums stays."""
    weights = np.maximum(np.asarray(weights, np.float64), 0.0)
    largest = float(weights.max(initial=0.0))
    return weights if largest == 0.0 else np.ldexp(weights, -int(np.frexp(largest)[1]))


def _in_blocks(task: Callable[[int, int], None], n_rows: int, block: int, n_threads: int) -> None:
    """Call task(first, last) on consecutive blocks of rows."""
    bounds = [(first, min(first + block, n_rows)) for first in range(0, n_rows, block)]
    if n_threads == 1 or len(bounds) == 1:
        for first, last in counted(bounds, "blocks of rows"):
            task(first, last)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in counted(pool.map(lambda pair: task(*pair), bounds), "blocks of rows", len(bounds)):
            pass


@cache
def _threadpools() -> ThreadpoolController:
    return ThreadpoolController()  # looking for the libraries takes longer than a small search


def single_threaded_blas() -> AbstractContextManager[object]:
    """Return a context in which matrix products use one thread: the blocks are what runs in parallel."""
    return _threadpools().limit(limits=1, user_api="blas")


class _ColumnSearch:
    """What both kinds of rows have in common: bounds of the squared distances from single precision sums.

    With u = 2^-24, the sum of the n products of a pair, all of whose factors and partial sums are rounded to
    single precision in whatever order, is wrong by at most ``(n + 8) u / (1 - (n + 8) u)`` of the products'
    absolute sum; that is at most ``2 sqrt(s_a s_b)`` by Cauchy and Schwarz, the s being the rows' squares.
    Adding the training row's norm, rounded as well, is wrong by 2 u of the norm and one u of the result, and
    so is each operation on the bounds themselves. Hence ``4 (n + 16) u sqrt(s_a s_b) + 8 u norm`` bounds the
    error with room to spare, as long as n is below ``_LONGEST`` and no number leaves the range of single
    precision. n is at most the training row's cells.

    The exact sum is rounded, too, in double precision: relative to the distance, and so to the test row's
    square, which these bounds leave out. ``_EXACT F s_a`` more, F the number of features, covers it; with the
    longest test row's root for one of the two roots of s_a, it joins the slope. Rows whose bounds do not
    overlap are then farther apart than a tie, 1e-12 of a distance and so at most ``2e-12 (s_a + s_b)``: the
    training row's part of it has room in ``8 u norm``.
    """

    columns: Columns
    distance: FeatureDistance
    lengths: np.ndarray  # products that a training row can have with another
    test_in_range: np.ndarray | bool = True
    train_in_range: np.ndarray | bool = True

    def _weighted(self, weights: np.ndarray, may_count: bool = True) -> _Weighted:
        columns, features = self.columns, np.flatnonzero(weights > 0).astype(np.int32)
        # Distances that count features of equal weight are in the order of the counts, which single precision
        # holds exactly up to 2^24: the double sum is the same for the same count, and grows with each
        # summand.
        counted = (
            may_count
            and len(features) < 2**22
            and bool(columns.counted[features].all())
            and bool((weights[features] == weights[features[:1]]).all())
        )
        used = (weights > 0).astype(np.float64) if counted else weights
        of_columns = used[columns.owner]
        with np.errstate(over="ignore", invalid="ignore"):
            norms = columns.norms @ (used if columns.norm_owner is None else used[columns.norm_owner])
            same = columns.right_squares is columns.norms
            squares = norms if same else columns.right_squares @ of_columns
            test_squares = columns.left_squares @ of_columns
        bounded = (squares < _LARGEST) & (norms < _LARGEST) & (self.lengths < _LONGEST) & self.train_in_range
        test_bounded = (test_squares < _LARGEST) & self.test_in_range
        if counted and not (bounded.all() and test_bounded.all()):  # sums of some rows, and so their order,
            return self._weighted(weights, may_count=False)  # are not known, if only for features not used
        lengths = 0.0 if counted else self.lengths + 16.0
        farthest = np.sqrt(test_squares[test_bounded].max(initial=0.0))
        slope = 4.0 * _UNIT * lengths * np.sqrt(np.where(bounded, squares, 0.0))
        if not counted:
            slope = slope + _EXACT * (len(features) + 16.0) * farthest
        norms = np.where(bounded, norms, 0.0)
        own = 0.0 if counted else 8.0 * _UNIT * norms + _SMALLEST * lengths
        bounds = (
            np.where(bounded, norms - own, -np.inf),
            np.where(bounded, norms + own, np.inf),
            slope,
            np.sqrt(np.where(test_bounded, test_squares, np.inf)),
        )
        return _Weighted(
            counted,
            features,
            np.sqrt(of_columns),
            bounded,
            tuple(bound.astype(np.float32) for bound in bounds),
        )


class DenseSearch(_ColumnSearch):
    """Products of dense rows, by BLAS."""

    def __init__(
        self, train: np.ndarray, test: np.ndarray, distance: FeatureDistance, n_threads: int
    ) -> None:
        self.train, self.test, self.distance, self.n_threads = train, test, distance, n_threads
        self.columns = dense_columns(train, test, distance)
        self.lengths = np.full(len(train), len(self.columns.owner))
        self.test_in_range, self.train_in_range = _in_range(self.columns.left), _in_range(self.columns.right)

    def neighbors(self, weights: np.ndarray, k: int) -> np.ndarray:
        """See `Search`."""
        weights = _exact_scale(weights)
        weighted, distance = self._weighted(weights), self.distance
        factor = weighted.factor.astype(np.float32)
        right = _weighted_cells(self.columns.right, factor, weighted.bounded)
        neighbors = np.empty((len(self.test), k), np.int32)

        def task(first: int, last: int) -> None:
            bounded = np.isfinite(weighted.bounds[3][first:last])
            n_tiles = -(-(last - first) // weighted_neighbors.TILE_ROWS)
            left = np.zeros((n_tiles * weighted_neighbors.TILE_ROWS, right.shape[1]), np.float32)
            left[: last - first] = _weighted_cells(self.columns.left[first:last], factor, bounded)
            weighted_neighbors.select_dense(
                first, last, weighted.counted, right @ left.T, *weighted.bounds, weighted.features, weights,
                distance.low, distance.span, distance.n_values, self.test, self.train, neighbors,
            )  # fmt: skip

        _in_blocks(task, len(self.test), _BLOCK, self.n_threads)
        return neighbors


def _weighted_cells(cells: np.ndarray, factor: np.ndarray, bounded: np.ndarray) -> np.ndarray:
    """Return the columns of positive factor times it; 0 in rows that single precision may not hold."""
    kept = factor > 0
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if (factor == 1).all():
            weighted = cells
        elif kept.all():
            weighted = cells * factor
        else:
            weighted = cells[:, kept] * factor[kept]
    if not bounded.all():
        weighted = np.where(bounded[:, None], weighted, np.float32(0.0))
    return weighted


def _in_range(cells: np.ndarray) -> np.ndarray | bool:
    """Return whether a row's cells may be multiplied in single precision; True if all rows' may."""
    largest = _LARGEST**0.5
    if cells.max(initial=0.0) <= largest and cells.min(initial=0.0) >= -largest:
        return True
    return np.asarray((np.abs(cells) <= largest).all(axis=1))


class SparseSearch(_ColumnSearch):
    """Products of sparse rows, by the kernel, of all training rows with a tile of test rows.

    A training row's cells are summed one after the other, whether the tile has their columns or not; those of
    rare columns column by column if the tile has it. That takes about three times as long for each, as the
    sums come from memory. So it pays for columns that less than a third of the tiles of 16 rows has.
    """

    def __init__(
        self, train: sp.csr_array, test: sp.csr_array, distance: FeatureDistance, n_threads: int
    ) -> None:
        self.distance, self.n_threads = distance, n_threads
        self.train, self.test = _canonical(train), _canonical(test)
        self.columns = sparse_columns(self.train, self.test, distance)
        left, right = self.columns.left, self.columns.right
        self.lengths = np.diff(right.indptr)
        self.in_rows, self.in_lists = right, sp.csc_array(right.shape)
        if left.shape[0] >= _MANY:
            often = np.bincount(left.indices, minlength=left.shape[1]) > _OFTEN * left.shape[0]
            in_rows = often[right.indices]
            self.in_rows, self.in_lists = _part(right, in_rows), _part(right, ~in_rows).tocsc()
        self.rows = [*_arrays(self.test), *_arrays(self.train)]
        self.block = max(_BLOCK, -(-test.shape[0] // n_threads))

    def neighbors(self, weights: np.ndarray, k: int) -> np.ndarray:
        """See `Search`."""
        weights = _exact_scale(weights)
        weighted, distance, columns = self._weighted(weights), self.distance, self.columns
        # Cells that are 1 remain so: the left ones take the whole weight.
        ones = columns.counted[columns.owner]
        left_factor = np.where(ones, weighted.factor**2, weighted.factor)
        right_factor = np.where(ones, weighted.factor > 0, weighted.factor)
        arrays = [
            *self.rows, *_arrays(columns.left), left_factor,
            *_weighted_cells_of(self.in_rows, right_factor, weighted.bounded),
            *_weighted_cells_of(self.in_lists, right_factor, weighted.bounded),
        ]  # fmt: skip
        neighbors = np.empty((self.test.shape[0], k), np.int32)

        def task(first: int, last: int) -> None:
            weighted_neighbors.select_sparse(
                first, last, weighted.counted, *weighted.bounds, weighted.features, weights,
                distance.low, distance.span, distance.n_values, *arrays, neighbors,
            )  # fmt: skip

        _in_blocks(task, self.test.shape[0], self.block, self.n_threads)
        return neighbors


def _part(rows: sp.csr_array, chosen: np.ndarray) -> sp.csr_array:
    """Return a CSR array of the chosen cells."""
    kept = np.flatnonzero(chosen)
    indptr = np.searchsorted(kept, rows.indptr).astype(rows.indptr.dtype)
    return sp.csr_array((rows.data[kept], rows.indices[kept], indptr), shape=rows.shape)


def _weighted_cells_of(
    cells: Any, factor: np.ndarray, bounded: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arrays of a CSR or CSC array times each column's factor in single precision.

    Without columns of factor 0 if it is CSR; 0 in rows out of range; without values if they are all 1.
    """
    indptr, indices, values = _arrays(cells)
    by_rows = cells.format == "csr"
    if by_rows and not factor.all():
        indptr, indices, values = _arrays(_part(cells, factor[indices] > 0))
    if bounded.all() and (factor[factor > 0] == 1).all():
        values = values[:0] if (values == 1).all() else values
        return indptr, indices, values.astype(np.float32)
    along = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    rows, columns = (along, indices) if by_rows else (indices, along)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        values = values * factor[columns]
        values = values if bounded.all() else np.where(bounded[rows], values, 0.0)
        return indptr, indices, values.astype(np.float32)


def _canonical(rows: sp.csr_array) -> sp.csr_array:
    """Return the rows with sorted indices, without duplicates or stored zeros; a copy if they are not so."""
    if rows.has_canonical_format and rows.data.all():
        return rows
    rows = rows.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def _arrays(rows: Any) -> Iterable[np.ndarray]:
    return rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False), rows.data
