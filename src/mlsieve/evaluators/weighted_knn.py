"""Weighted k nearest neighbours: the quality of a ranking's scores as the weights of a distance.

The distance of two examples is ``sqrt(sum_i w_i d_i^2)`` with ``w_i = max(score_i, 0)`` and d_i Relief's
distance of one feature; each of the K nearest training examples gives one vote to each of its labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.neighbors import weighted_neighbors
from mlsieve.data.dataset import Dataset
from mlsieve.data.validation import require_test_part
from mlsieve.distances.features import feature_distance
from mlsieve.errors import UserError
from mlsieve.evaluators._features import FeatureCount, Points, feature_count, prefix_sizes, prefix_weights
from mlsieve.evaluators._input import checked_k, checked_ranges, checked_weights
from mlsieve.evaluators._search import Search, make_search, single_threaded_blas
from mlsieve.evaluators.prediction import Prediction
from mlsieve.progress import counted
from mlsieve.rankings.files import Ranking
from mlsieve.registry import AtLeast, register


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
        Number of neighbours. Of equally distant examples (squared distances that agree to 1e-12) the earlier
        in the training part counts.
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
    weightings = checked_weights(weightings, dataset.X.shape[1])
    voters = _Voters(dataset, k, ranges, n_threads)
    return np.stack([voters.votes(weights) for weights in weightings])


class _Voters:
    """The training examples of a dataset, searched under one weighting after another."""

    def __init__(self, dataset: Dataset, k: int, ranges: str, n_threads: int) -> None:
        train_rows, test_rows = np.flatnonzero(dataset.train_mask), np.flatnonzero(~dataset.train_mask)
        require_test_part(len(test_rows), dataset.name)
        self._k, self._n_test = checked_k(k, len(train_rows)), len(test_rows)
        train, test = rows_of(dataset.X, train_rows), rows_of(dataset.X, test_rows)
        n_values = np.fromiter(map(len, dataset.categories), np.int64, len(dataset.categories))
        scaling = train if checked_ranges(ranges) == "train" else dataset.X
        distance = feature_distance(scaling, dataset.nominal, n_values, dataset.feature_names)
        distance = distance.with_missing_in(train).with_missing_in(test)
        self._search = make_search(train, test, distance, n_threads)
        self._labels = rows_of(dataset.Y, train_rows)

    def votes(self, weights: np.ndarray) -> np.ndarray:
        """Return the votes under weights of shape (F,); unsigned int, shape (n_test, L)."""
        return count_votes(self._search, weights[None], self._k, self._labels, self._n_test)[0]


def rows_of(X: Any, rows: np.ndarray) -> Any:
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
            weighted_neighbors.count_votes(search.neighbors(weights, k), indptr, indices, counts)
    return votes


@register.evaluator(
    "weighted-knn",
    version=3,
    tasks=("mlc", "hmlc"),
    smoke={"k": 3},
    estimator="mlsieve.evaluators.knn_estimator:WeightedKNN",
)
@dataclass(frozen=True)
class NeighborVotes:
    """Votes of the k nearest training examples under a distance with the ranking's scores as weights.

    The label sets of data with a hierarchy hold all classes above theirs, so no class has more votes than one
    above it: predictions obey the hierarchy by themselves. The scikit-learn estimator of the same is
    `mlsieve.evaluators.WeightedKNN`.

    Parameters
    ----------
    k : int, default 15
        Number of neighbours. Of equally distant training rows the earlier counts.
    ranges : {"train", "all"}, default "train"
        Rows that scale numeric features to [0, 1]: the training part, or training and test part together.
    features : "weights", int, float, "sqrt", "log2" or "all", default "weights"
        With "weights" a ranking's scores are the weights, and the features that a selection selected weigh
        1, its others 0. Else that many of the first features weigh 1, the others 0: a count, a share of all
        features (float), ceil(sqrt(n)) or ceil(log2(n)) with n the examples of the whole dataset, or all; of
        rankings and selections alike.
    points : int or "all", default 1
        Number of sizes to predict at, evenly spaced up to the number of features in use, or all of these
        sizes (see `mlsieve.evaluators._features`). More than one needs features of equal weight.
    """

    k: Annotated[int, AtLeast(1)] = 15
    ranges: Literal["train", "all"] = "train"
    features: Literal["weights"] | FeatureCount = "weights"
    points: Points = 1

    relevant: ClassVar[str] = ">="

    @property
    def denominator(self) -> float:
        """What the votes are divided by to give scores."""
        return self.k

    def predictions(
        self, dataset: Dataset, rankings: Sequence[Ranking], n_threads: int = 1
    ) -> Iterator[Prediction]:
        """Evaluate rankings on a dataset's test part, one prediction at a time.

        Parameters
        ----------
        dataset : Dataset
        rankings : sequence of Ranking
        n_threads : int
            Does not change the result.

        Yields
        ------
        Prediction
            Votes of unsigned int, 0 .. k; for each ranking, its sizes rising.

        Raises
        ------
        UserError
            If there is no test part, k exceeds the training examples, weights do not fit the features, or
            several points are asked of the scores of a ranking.
        """
        sizes = [self._sizes(ranking, dataset.X.shape[0]) for ranking in rankings]
        voters = _Voters(dataset, self.k, self.ranges, n_threads)
        for position, ranking in enumerate(counted(rankings, "rankings")):
            for size in sizes[position]:
                weights = ranking.weights() if size is None else prefix_weights(ranking, size)
                weights = checked_weights(weights, dataset.X.shape[1])[0]
                yield Prediction(position, int(np.count_nonzero(weights)), voters.votes(weights))

    def weighted(self, dataset: Dataset, ranking: Ranking) -> tuple[np.ndarray, np.ndarray]:
        """Return the features that count under a ranking, ndarray of int, and the weight of each."""
        size = self._sizes(ranking, dataset.X.shape[0])[-1]
        weights = ranking.weights() if size is None else prefix_weights(ranking, size)
        weights = checked_weights(weights, dataset.X.shape[1])[0]
        features = np.flatnonzero(weights)
        return features, weights[features]

    def _sizes(self, ranking: Ranking, n_rows: int) -> tuple[int | None, ...]:
        """Return the numbers of features of equal weight; None means the ranking's own weights."""
        if self.features != "weights":
            count = feature_count(self.features, len(ranking.scores), n_rows)
        elif ranking.n_selected is not None:
            count = ranking.n_selected
        elif self.points == 1:
            return (None,)
        else:
            raise UserError(
                f"points = {self.points}: a ranking whose scores are the weights uses all features at once",
                hint="set features to a count, a share, sqrt, log2 or all, or give a selection",
            )
        return prefix_sizes(count, self.points)
