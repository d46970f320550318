"""Weighted K nearest neighbours: how good a ranking's scores are as the weights of a distance.

The distance of two examples is ``sqrt(sum_i w_i d_i^2)`` with ``w_i = max(score_i, 0)`` and d_i Relief's
distance of one feature; each of the K nearest training examples gives one vote to each of its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels import _neighbors
from mlsieve.data.dataset import Dataset
from mlsieve.distances import feature_distance
from mlsieve.evaluators._input import checked_k, checked_ranges, checked_weights
from mlsieve.evaluators._search import Search, make_search, single_threaded_blas
from mlsieve.rankings import Ranking
from mlsieve.registry import AtLeast, register
from mlsieve.targets import require_test_part


def neighbor_votes(
    dataset: Dataset,
    weightings: np.ndarray,
    *,
    k: int = 15,
    ranges: Literal["train", "all"] = "train",
    n_threads: int = 1,
) -> np.ndarray:
    """Count the votes of the K nearest training examples of each test example, under several weightings.

    Parameters
    ----------
    dataset : Dataset
        With a training and a test part.
    weightings : ndarray, shape (S, F)
        Weights of the features; negative ones count as 0. All zero: every example is at distance 0.
    k : int
        Number of neighbours. Of equally distant examples the earlier in the training part counts.
    ranges : {"train", "all"}
        Rows that give each numeric feature's minimum and maximum: the training part, or training and test
        part together (what the published figures of both ranking studies need). With "train" a test value
        outside the range is not clipped: it may be more than 1 away.
    n_threads : int
        Does not change the result.

    Returns
    -------
    votes : ndarray of unsigned int, shape (S, n_test, L)
        0 .. k; ``votes / k`` is the score of a label.

    Raises
    ------
    UserError
        If there is no test part, k exceeds the training examples, or weights do not fit the features.
    """
    train_rows, test_rows = np.flatnonzero(dataset.train_mask), np.flatnonzero(~dataset.train_mask)
    require_test_part(len(test_rows), dataset.name)
    k = checked_k(k, len(train_rows))
    weightings = checked_weights(weightings, dataset.X.shape[1])
    train, test = _rows(dataset.X, train_rows), _rows(dataset.X, test_rows)
    n_values = np.fromiter(map(len, dataset.categories), np.int64, len(dataset.categories))
    scaling = train if checked_ranges(ranges) == "train" else dataset.X
    distance = feature_distance(scaling, dataset.nominal, n_values, dataset.feature_names)
    distance = distance.with_missing_in(train).with_missing_in(test)
    search = make_search(train, test, distance, n_threads)
    return count_votes(search, weightings, k, _rows(dataset.Y, train_rows), len(test_rows))


def _rows(X: Any, rows: np.ndarray) -> Any:
    """Return rows of a dense or CSR array; without a copy if they follow each other."""
    first, last = int(rows[0]), int(rows[-1]) + 1
    if last - first != len(rows):
        return X[rows]
    if not sp.issparse(X):
        return X[first:last]
    cells = slice(X.indptr[first], X.indptr[last])
    indptr = X.indptr[first : last + 1] - X.indptr[first]
    return sp.csr_array((X.data[cells], X.indices[cells], indptr), shape=(len(rows), X.shape[1]))


def count_votes(
    search: Search, weightings: np.ndarray, k: int, labels: sp.csr_array, n_test: int
) -> np.ndarray:
    """Return the votes of the K nearest training rows of each test row, an array of shape (S, n_test, L)."""
    dtype = next(kind for kind in (np.uint8, np.uint16, np.uint32) if k <= np.iinfo(kind).max)
    votes = np.zeros((len(weightings), n_test, labels.shape[1]), dtype=dtype)
    indptr, indices = labels.indptr.astype(np.int64), labels.indices.astype(np.int32)
    with single_threaded_blas():
        for weights, counts in zip(weightings, votes, strict=True):
            _neighbors.count_votes(search.neighbors(weights, k), indptr, indices, counts)
    return votes


@register.evaluator(
    "weighted-knn",
    version=1,
    tasks={"mlc", "hmlc"},
    smoke={"k": 3},
    estimator="mlsieve.evaluators.knn_estimator:WeightedKNN",
)
@dataclass(frozen=True)
class NeighborVotes:
    """Votes of the K nearest training examples, the ranking's scores being the weights of the distance.

    The scikit-learn estimator of the same is `mlsieve.evaluators.WeightedKNN`.

    Parameters
    ----------
    k : int, default 15
        Number of neighbours. Of equally distant training rows the earlier counts.
    ranges : {"train", "all"}, default "train"
        Rows that scale numeric features to [0, 1]: the training part, or training and test part together.
    """

    k: Annotated[int, AtLeast(1)] = 15
    ranges: Literal["train", "all"] = "train"

    def vote(
        self, dataset: Dataset, rankings: Sequence[Ranking], n_threads: int = 1
    ) -> tuple[np.ndarray, float]:
        """Evaluate rankings on a data set's test part (what ``mlsieve predict`` calls).

        Parameters
        ----------
        dataset : Dataset
        rankings : sequence of Ranking
        n_threads : int

        Returns
        -------
        votes : ndarray of unsigned int, shape (S, n_test, L)
        denominator : float
            What the votes are divided by to give scores.
        """
        weightings = np.array([ranking.weights() for ranking in rankings])
        return neighbor_votes(dataset, weightings, k=self.k, ranges=self.ranges, n_threads=n_threads), self.k
