"""Search for the K nearest training rows under many weightings of the features.

Everything that does not depend on the weights is prepared once; each weighting then costs a matrix product
(dense rows) or a walk over inverted lists (sparse rows), and an exact sum for the few rows at the border: see
the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController

from mlsieve._kernels import _neighbors
from mlsieve.distances import FeatureDistance, distances_from_zero

_BLOCK_BYTES = 48 * 2**20  # of approximate distances held at a time, over all threads
_EPSILON = float(np.finfo(np.float64).eps)
# Added to a tolerance, so that it stays positive where squares underflow; above the limit every row is summed
# exactly.
_SMALLEST, _LARGEST = 1e-290, 1e300


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
        for first, last in bounds:
            task(first, last)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(lambda pair: task(*pair), bounds):
            pass


@cache
def _threadpools() -> ThreadpoolController:
    return ThreadpoolController()  # looking for the libraries takes longer than a small search


def single_threaded_blas() -> AbstractContextManager[object]:
    """Return a context in which matrix products use one thread: the blocks are what runs in parallel."""
    return _threadpools().limit(limits=1, user_api="blas")


class DenseSearch:
    """Approximate squared distances by a matrix product over columns that need only be weighted.

    A known numeric cell t enters as ``(t_a - t_b)^2 = t_a^2 + t_b^2 - 2 t_a t_b``, two norms and one column
    of the product; a nominal feature as 1 less the products of its indicator columns. With missing cells the
    squared distance is a sum of products too, of indicators of known and missing cells: four more columns for
    a numeric feature, two for a nominal one.
    """

    def __init__(
        self, train: np.ndarray, test: np.ndarray, distance: FeatureDistance, n_threads: int
    ) -> None:
        self.train, self.test, self.distance, self.n_threads = train, test, distance, n_threads
        nominal = distance.n_values > 0
        binary = nominal & ((train == 0) | (train == 1)).all(axis=0) & ((test == 0) | (test == 1)).all(axis=0)
        plain = ~distance.missing & (~nominal | binary)  # 0/1 categories differ by |a - b|, like numbers
        with np.errstate(over="ignore", invalid="ignore"):
            test_scaled = np.where(plain, (test - distance.low) / distance.span, 0.0)
            train_scaled = np.where(plain, (train - distance.low) / distance.span, 0.0)
            self.test_norms, self.train_norms = test_scaled**2, train_scaled**2
            others = [column for i in np.flatnonzero(~plain) for column in self._columns(int(i))]
        self.owner = np.array([*np.flatnonzero(plain), *(column[0] for column in others)], dtype=np.intp)
        self.left = np.column_stack([-2.0 * test_scaled[:, plain], *(column[1] for column in others)])
        self.right = np.column_stack([train_scaled[:, plain], *(column[2] for column in others)])
        self.largest_right = np.abs(self.right).max(axis=0, initial=0.0)
        even = -(-len(test) // n_threads)
        self.block = max(1, min(even, _BLOCK_BYTES // 8 // max(1, len(train)) // n_threads))

    def _columns(self, i: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield (feature, test column, training column); products sum to the squared distance."""
        distance = self.distance
        a, b = self.test[:, i], self.train[:, i]
        known_a, known_b = (~np.isnan(a)).astype(np.float64), (~np.isnan(b)).astype(np.float64)
        if distance.n_values[i]:
            either_missing = (1.0 - 1.0 / distance.n_values[i]) ** 2
            yield i, np.full(len(a), either_missing), np.ones(len(b))
            yield i, (1.0 - either_missing) * known_a, known_b
            for value in np.unique(b[~np.isnan(b)]):
                yield i, -(a == value).astype(np.float64), (b == value).astype(np.float64)
            return
        ta = np.where(known_a > 0, (a - distance.low[i]) / distance.span[i], 0.0)
        tb = np.where(known_b > 0, (b - distance.low[i]) / distance.span[i], 0.0)
        yield i, ta * ta, known_b
        yield i, -2.0 * ta, tb
        yield i, known_a, tb * tb
        yield i, 1.0 - known_a, 1.0 - known_b + known_b * np.maximum(tb, 1.0 - tb) ** 2
        yield i, known_a * np.maximum(ta, 1.0 - ta) ** 2, 1.0 - known_b

    def neighbors(self, weights: np.ndarray, k: int) -> np.ndarray:
        """See `Search`."""
        weights = _exact_scale(weights)
        features = np.flatnonzero(weights > 0).astype(np.int32)
        columns = np.flatnonzero(weights[self.owner] > 0)
        of_columns = weights[self.owner[columns]]
        whole = len(columns) == len(self.owner)
        right = self.right if whole else np.ascontiguousarray(self.right[:, columns])
        largest = of_columns * self.largest_right[columns]
        relative = 4.0 * (len(columns) + 2 * len(features) + 16) * _EPSILON
        neighbors = np.empty((len(self.test), k), np.int32)

        with np.errstate(over="ignore", invalid="ignore"):
            test_norms, train_norms = self.test_norms @ weights, self.train_norms @ weights
        largest_norm = train_norms.max(initial=0.0)

        def task(first: int, last: int) -> None:
            left = self.left[first:last] if whole else self.left[first:last, columns]
            with np.errstate(over="ignore", invalid="ignore"):
                approximate = (left * of_columns) @ right.T
                approximate += test_norms[first:last, None]
                approximate += train_norms
                bound = test_norms[first:last] + largest_norm + np.abs(left) @ largest
            tolerance = np.where(bound < _LARGEST, relative * bound + _SMALLEST, np.inf)
            distance = self.distance
            _neighbors.select_dense(
                approximate, tolerance, first, self.test, self.train, features, weights,
                distance.low, distance.span, distance.n_values, neighbors,
            )  # fmt: skip

        _in_blocks(task, len(self.test), self.block, self.n_threads)
        return neighbors


class SparseSearch:
    """Approximate squared distances from those to zero, corrected where both rows have an entry.

    ``d(a, b)^2 = d(a, 0)^2 + d(b, 0)^2 + correction``, whatever the feature's kind; the correction vanishes
    where a or b is 0.
    """

    def __init__(
        self, train: sp.csr_array, test: sp.csr_array, distance: FeatureDistance, n_threads: int
    ) -> None:
        self.distance, self.n_threads = distance, n_threads
        self.train, self.test = _canonical(train), _canonical(test)
        self.lists = self.train.tocsc()
        with np.errstate(over="ignore"):
            self.train_norms = distances_from_zero(self.train, distance).power(2)
            self.test_norms = distances_from_zero(self.test, distance).power(2)
        self.missing = distance.missing.astype(np.uint8)
        self.longest = int(sum(np.diff(rows.indptr).max(initial=0) for rows in (self.train, self.test)))
        self.block = max(1, min(256, -(-test.shape[0] // n_threads)))

    def neighbors(self, weights: np.ndarray, k: int) -> np.ndarray:
        """See `Search`."""
        weights = _exact_scale(weights)
        neighbors = np.empty((self.test.shape[0], k), np.int32)
        with np.errstate(over="ignore", invalid="ignore"):
            test_norms, train_norms = self.test_norms @ weights, self.train_norms @ weights
        # A correction is at most three times the two norms together; a row meets at most `longest` of them.
        relative = 16.0 * (self.longest + 16) * _EPSILON
        distance, arrays = self.distance, [*_arrays(self.test), *_arrays(self.train), *_arrays(self.lists)]

        def task(first: int, last: int) -> None:
            _neighbors.select_sparse(
                first, last, weights, distance.low, distance.span, distance.n_values, self.missing, *arrays,
                test_norms, train_norms, relative, np.empty((1, self.train.shape[0])), neighbors,
            )  # fmt: skip

        _in_blocks(task, self.test.shape[0], self.block, self.n_threads)
        return neighbors


def _canonical(rows: sp.csr_array) -> sp.csr_array:
    """Return a copy with sorted indices, without duplicates or stored zeros."""
    rows = rows.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows


def _arrays(rows: Any) -> Iterable[np.ndarray]:
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data
