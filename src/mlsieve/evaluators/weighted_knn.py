"""Weighted K nearest neighbours: how good a ranking's scores are as the weights of a distance.

The distance of two examples is ``sqrt(sum_i w_i d_i^2)`` with ``w_i = max(score_i, 0)`` and d_i Relief's
distance of one feature; each of the K nearest training examples gives one vote to each of its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mlsieve._kernels import _neighbors
from mlsieve.data.dataset import Dataset
from mlsieve.evaluators._feature_distance import feature_distance
from mlsieve.evaluators._input import InvalidInput, checked_k, checked_ranges, checked_weights
from mlsieve.evaluators._search import Search, make_search, single_threaded_blas
from mlsieve.rankings import Ranking
from mlsieve.registry import AtLeast, register
from mlsieve.targets import category_counts, label_targets, require_test_part


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
    train, test = dataset.X[train_rows], dataset.X[test_rows]
    n_values = np.array([len(values) for values in dataset.categories])
    scaling = train if checked_ranges(ranges) == "train" else dataset.X
    distance = feature_distance(scaling, dataset.nominal, n_values, dataset.feature_names)
    distance = distance.with_missing_in(train).with_missing_in(test)
    search = make_search(train, test, distance, n_threads)
    return _votes(search, weightings, k, dataset.Y[train_rows], len(test_rows))


def _votes(search: Search, weightings: np.ndarray, k: int, labels: sp.csr_array, n_test: int) -> np.ndarray:
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
    not_configurable=("weights",),
)
class WeightedKNN(ClassifierMixin, BaseEstimator):
    """Multi-label K nearest neighbours with weighted features; each neighbour has one vote a label.

    Parameters
    ----------
    k : int, default 15
        Number of neighbours. Of equally distant training rows the earlier counts.
    ranges : {"train", "all"}, default "train"
        Rows that scale numeric features to [0, 1]: the training rows, or also those given to `fit` as
        `X_other`. Values outside the range are not clipped.
    weights : array-like of shape (F,), optional
        Weights of the features, negative ones counting as 0; all 1 by default.
    nominal : array-like of bool, shape (F,), or of int (feature indices), optional
        Nominal features, which hold category positions 0, 1, ... and are compared for equality only; all
        numeric by default.
    n_jobs : int, optional
        Threads; -1 for all cores. Does not change the result.

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value (in sparse data an explicit NaN). The distance of a
    feature with missing cells is described in `mlsieve.evaluators`.
    """

    def __init__(
        self,
        k: Annotated[int, AtLeast(1)] = 15,
        ranges: Literal["train", "all"] = "train",
        *,
        weights: Any = None,
        nominal: Any = None,
        n_jobs: int | None = 1,
    ) -> None:
        self.k = k
        self.ranges = ranges
        self.weights = weights
        self.nominal = nominal
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        # classifier_tags.multi_label stays unset: its check wants probabilities strictly within (0, 1), and a
        # share of votes may be 0.
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, Y: Any, X_other: Any = None) -> WeightedKNN:
        """Keep the training rows and measure the features' ranges.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        Y : array-like or sparse of shape (n, L), 0/1, or (n,), classes
        X_other : array-like or sparse of shape (m, F), optional
            Further rows whose values take part in the ranges; needed with ``ranges="all"``.

        Returns
        -------
        self : WeightedKNN
        """
        X, Y = validate_data(
            self,
            X,
            Y,
            multi_output=True,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan",
        )
        self._labels, classes = label_targets(Y)
        self._multi_label = classes is None
        self.classes_ = np.arange(self._labels.shape[1]) if classes is None else classes
        checked_k(self.k, X.shape[0])
        n_features = X.shape[1]
        weights = np.ones(n_features) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        self._weights = checked_weights(weights, n_features)
        self._X = sp.csr_array(X) if sp.issparse(X) else X
        scaling = self._X
        if checked_ranges(self.ranges) == "all":
            if X_other is None:
                raise InvalidInput("ranges = 'all' needs the other rows", cure="give them to fit as X_other")
            scaling = self._stacked(self._like_training_rows(X_other))
        counts = category_counts(scaling, self.nominal, n_features)
        counts = np.zeros(n_features, np.int32) if counts is None else counts
        self._distance = feature_distance(scaling, counts > 0, counts)
        return self

    def _like_training_rows(self, X: Any) -> Any:
        """Return validated rows, stored as the training rows are."""
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan",
        )
        if sp.issparse(self._X):
            return sp.csr_array(X)
        return X.toarray() if sp.issparse(X) else X

    def _stacked(self, rows: Any) -> Any:
        stack = sp.vstack if sp.issparse(self._X) else np.vstack
        stacked = stack([self._X, rows])
        return sp.csr_array(stacked) if sp.issparse(stacked) else stacked

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of neighbours that carry each label (or class).

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)

        Returns
        -------
        scores : ndarray of float64, shape (n, L)
        """
        from joblib import effective_n_jobs

        check_is_fitted(self)
        rows = self._like_training_rows(X)
        distance = self._distance.with_missing_in(rows).with_missing_in(self._X)
        search = make_search(self._X, rows, distance, effective_n_jobs(self.n_jobs))
        return _votes(search, self._weights, self.k, self._labels, rows.shape[0])[0] / self.k

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels with at least half the votes, or the class with the most (the first on ties).

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)

        Returns
        -------
        predicted : ndarray, shape (n, L) of 0/1, or (n,) of classes
        """
        scores = self.predict_proba(X)
        if self._multi_label:
            return (scores >= 0.5).astype(np.int64)
        return self.classes_[np.argmax(scores, axis=1)]

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
