"""The weighted K nearest neighbours as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.examples import formerly
from mlsieve.data.frames import as_pandas
from mlsieve.data.validation import label_targets, thread_count, validated
from mlsieve.distances.features import FeatureDistance, feature_distance
from mlsieve.errors import InvalidSetting
from mlsieve.evaluators._estimator import LabelClassifier
from mlsieve.evaluators._files import require_distance, rows_from, rows_state
from mlsieve.evaluators._input import checked_k, checked_ranges, checked_weights
from mlsieve.evaluators._search import make_search
from mlsieve.evaluators.weighted_knn import NeighborVotes, count_votes, rows_of
from mlsieve.files.checked import csr_from, require_json
from mlsieve.hierarchy import Hierarchy
from mlsieve.registry import AtLeast


class WeightedKNN(LabelClassifier):
    """Multi-label K nearest neighbours with weighted features; each neighbour has one vote a label.

    A label is predicted that at least half the neighbours have.

    Parameters
    ----------
    k : int, default 15
        Number of neighbours. Of equally distant training rows the earlier counts. With fewer training rows
        than that, all of them count, and a warning says so (``mlsieve predict`` refuses it).
    ranges : {"train", "all"}, default "train"
        Rows that scale numeric features to [0, 1]: the training rows, or also those given to `fit` as
        `X_other`. Values outside the range are not clipped.
    weights : array-like of shape (F,), ranker or selector, optional
        Weights of the features, negative ones counting as 0; all 1 by default. A ranker or a selector is
        cloned and fitted to the rows given to `fit`, so that cross-validation ranks inside each fold: its
        importances are the weights, and of selected features each counts 1 and all others 0. A selector is
        anything with ``get_support``, a ranker anything with ``feature_importances_``. Its parameters
        `nominal` and `hierarchy` are those given here, where it leaves them None.
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Nominal features, which hold category positions 0, 1, ... and are compared for equality only; all
        numeric by default.
    hierarchy : mlsieve.hierarchy.Hierarchy, optional
        Of the labels, in the order of the columns of y. A training row then has all classes above its own, so
        that no class has more votes than one above it.
    n_jobs : int, optional
        Threads; -1 for all cores. Does not change the result.

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    weights_ : ndarray of float64, shape (F,)
        The weights in use.
    ranker_ : estimator
        The fitted ranker or selector; only if there is one.
    k_ : int
        Number of neighbours in use: k, or the number of training rows if that is less.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    Notes
    -----
    X may be dense, sparse or a DataFrame, whose columns of texts or categories are nominal; a category that
    `fit` did not see is missing. NaN is a missing value (in sparse data an explicit NaN). The distance of a
    feature with missing cells is described in `mlsieve.evaluators`.
    """

    _relevant = np.greater_equal
    ranker_: Any

    def __init__(
        self,
        k: Annotated[int, AtLeast(1)] = 15,
        ranges: Literal["train", "all"] = "train",
        *,
        weights: Any = None,
        nominal: Any = None,
        hierarchy: Hierarchy | None = None,
        n_jobs: int | None = 1,
    ) -> None:
        self.k = k
        self.ranges = ranges
        self.weights = weights
        self.nominal = nominal
        self.hierarchy = hierarchy
        self.n_jobs = n_jobs

    @formerly(Y="y")
    def fit(self, X: Any, y: Any, X_other: Any = None) -> WeightedKNN:
        """Keep the training rows and measure the features' ranges.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        y : labels, shape (n, L), in any form that `mlsieve.data.Dataset.from_frame` takes, or (n,), classes
        X_other : array-like or sparse of shape (m, F), optional
            Further rows whose values take part in the ranges; needed with ``ranges="all"``.

        Returns
        -------
        self : WeightedKNN

        Raises
        ------
        ValueError
            On a parameter that is not accepted, or data of the wrong shape or content.
        """
        self._X, self._labels = self._validated(X, y)
        n_rows, n_features = self._X.shape
        self.k_ = min(checked_k(self.k), n_rows)
        if self.k_ < self.k:
            warnings.warn(
                f"k = {self.k} is more than n_samples = {n_rows} training examples; all are used",
                UserWarning,
                stacklevel=2,
            )
        self.weights_ = checked_weights(self._feature_weights(X, y, n_features), n_features)[0]
        scaling = self._X
        if checked_ranges(self.ranges) == "all":
            if X_other is None:
                raise InvalidSetting(
                    "ranges = 'all' needs the other rows", hint="give them to fit as X_other"
                )
            scaling = self._stacked(self._like_training_rows(X_other))
        counts = self._category_counts(scaling)
        self._distance = feature_distance(scaling, counts > 0, counts)
        return self

    def _feature_weights(self, X: Any, y: Any, n_features: int) -> np.ndarray:
        """Return the weights that are given, or those of a ranker that is fitted to these rows."""
        if hasattr(self, "ranker_"):
            del self.ranker_
        if self.weights is None:
            return np.ones(n_features)
        if isinstance(self.weights, type | str):
            raise InvalidSetting(
                f"weights = {self.weights!r} is not a ranker",
                hint="give an estimator, such as weights=ReliefRanker()",
            )
        if not hasattr(self.weights, "fit"):
            return np.asarray(self._in_order(self.weights), dtype=np.float64)
        ranker = clone(self.weights)
        known = ranker.get_params(deep=False)
        for name in ("nominal", "hierarchy"):
            if getattr(self, name) is not None and name in known and known[name] is None:
                ranker.set_params(**{name: getattr(self, name)})
        ours = hasattr(ranker, "ranking_frame")  # their package imports this one
        if not ours and self._multi_label and not sp.issparse(y):  # others take 0 and 1 only
            y = label_targets(as_pandas(y), single_label=self.hierarchy is not None)[0].toarray()
        self.ranker_ = ranker.fit(X, y)
        if ours:
            return ranker.ranking().weights()
        if hasattr(ranker, "get_support"):
            return ranker.get_support().astype(np.float64)
        if hasattr(ranker, "feature_importances_"):
            return np.asarray(ranker.feature_importances_, dtype=np.float64)
        raise InvalidSetting(
            f"weights = {type(ranker).__name__} has neither feature_importances_ nor get_support",
            hint="give a ranker, a selector, or one weight per feature",
        )

    def _in_order(self, weights: Any) -> Any:
        """Return weights in the order of the features, by name if they are a Series with these names."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or not hasattr(weights, "reindex"):
            return weights
        return weights.reindex(names) if set(weights.index) == set(names) else weights

    def _like_training_rows(self, X: Any) -> Any:
        """Return validated rows, stored as the training rows are."""
        X = validated(self, X, reset=False)
        if sp.issparse(self._X):
            return sp.csr_array(X)
        return X.toarray() if sp.issparse(X) else X

    def _stacked(self, rows: Any) -> Any:
        stack = sp.vstack if sp.issparse(self._X) else np.vstack
        stacked = stack([self._X, rows])
        return sp.csr_array(stacked) if sp.issparse(stacked) else stacked

    @classmethod
    def trained(cls, evaluator: NeighborVotes, dataset: Dataset, weights: np.ndarray) -> WeightedKNN:
        """Return one that knows the training part of a dataset, and predicts as an evaluator does.

        Parameters
        ----------
        evaluator : NeighborVotes
        dataset : Dataset
            With the features of the evaluator's `weighted` alone, in their order.
        weights : ndarray of float64, shape (F,)
            Theirs.
        """
        made = cls(evaluator.k, evaluator.ranges, weights=weights, hierarchy=dataset.hierarchy)
        made._X, made._labels = rows_of(dataset.X, np.flatnonzero(dataset.train_mask)), dataset.Y_train
        made.k_, made.weights_ = checked_k(made.k, made._X.shape[0]), weights
        n_values = np.fromiter(map(len, dataset.categories), np.int64, len(dataset.categories))
        scaling = made._X if checked_ranges(made.ranges) == "train" else dataset.X
        made._distance = feature_distance(scaling, dataset.nominal, n_values, dataset.feature_names)
        made.classes_, made._multi_label = np.arange(len(dataset.label_names)), True
        made.n_features_in_, made._frame_columns = len(dataset.feature_names), None
        return made

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        distance, labels = self._distance, self._labels
        return {
            **rows_state(self._X),
            "labels_indptr": labels.indptr.astype(np.int64),
            "labels_indices": labels.indices.astype(np.int32),
            "weights": self.weights_,
            **{one.name: getattr(distance, one.name) for one in fields(FeatureDistance)},
        }, {"k": self.k_}

    def _restore(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        checked_k(self.k)
        checked_ranges(self.ranges)
        require_json(facts, {"k": int}, ("k",))
        n_features, n_labels = self.n_features_in_, len(self.classes_)
        indices, indptr = arrays["labels_indices"], arrays["labels_indptr"]
        shape = (len(indptr) - 1, n_labels)
        self._labels = csr_from(np.ones(len(indices), np.uint8), indices, indptr, shape)
        self._distance = FeatureDistance(**{one.name: arrays[one.name] for one in fields(FeatureDistance)})
        require_distance(self._distance, n_features)
        self._X = rows_from(arrays, (shape[0], n_features), self._distance.n_values)
        self.k_ = checked_k(facts["k"], shape[0])
        if arrays["weights"].shape != (n_features,):
            raise ValueError("its weights are not those of its features")
        self.weights = self.weights_ = checked_weights(arrays["weights"], n_features)[0]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of neighbours that carry each label (or class).

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)

        Returns
        -------
        scores : ndarray of float64, shape (n, L)
        """
        check_is_fitted(self)
        rows = self._like_training_rows(X)
        distance = self._distance.with_missing_in(rows).with_missing_in(self._X)
        search = make_search(self._X, rows, distance, thread_count(self.n_jobs))
        return count_votes(search, self.weights_[None, :], self.k_, self._labels, rows.shape[0])[0] / self.k_
