"""What the evaluators' scikit-learn estimators share: checks of X and y, tags, and the step to labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin

from mlsieve.data.exchange.examples import formerly, labels_as_fitted
from mlsieve.data.validation import (
    category_counts,
    label_targets,
    nominal_with_frame,
    validated,
)
from mlsieve.evaluators._consistent import closed_labels
from mlsieve.evaluators.model_files import Storable
from mlsieve.hierarchy import Hierarchy


def of_classes(scores: np.ndarray) -> np.ndarray:
    """Return the scores of one label a class, at least 0, over their sum; all the same where that is 0."""
    sums = scores.sum(axis=1, keepdims=True)
    return np.where(sums > 0, scores / np.where(sums > 0, sums, 1.0), 1.0 / scores.shape[1])


class LabelClassifier(Storable, ClassifierMixin, BaseEstimator):
    """Base of the estimators that score labels; a subclass has `predict_proba`, `nominal` and `hierarchy`.

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    feature_names_in_, label_names_in_ : ndarray of str
        Only if X or y is a DataFrame with string column names, or y holds lists of labels.

    Notes
    -----
    Columns of a DataFrame that hold texts or categories are nominal features beside those of `nominal`; rows
    to predict have the categories that `fit` learned, and an unknown one is missing
    (`mlsieve.data.frames.FrameColumns`).
    """

    nominal: Any
    hierarchy: Hierarchy | None
    _relevant: Callable[..., np.ndarray]  # how a score compares with 1/2 if the label is predicted
    predict_proba: Callable[[Any], np.ndarray]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        # classifier_tags.multi_label stays unset: its check wants probabilities strictly within (0, 1), and a
        # score may be 0 or 1.
        tags.target_tags.multi_output = True
        return tags

    def _validated(self, X: Any, y: Any) -> tuple[Any, sp.csr_array]:
        """Return X (float64, dense or CSR, NaN allowed) and the label matrix; set ``classes_``."""
        with np.errstate(invalid="ignore"):  # the check sums X, which may pass the largest numbers
            X, checked = validated(self, X, y, multi_output=True)
        labels, classes = label_targets(checked, single_label=self.hierarchy is not None)
        labels = closed_labels(labels, classes, self.hierarchy)
        self._multi_label = classes is None
        self.classes_ = np.arange(labels.shape[1]) if classes is None else classes
        return sp.csr_array(X) if sp.issparse(X) else X, labels

    def _category_counts(self, X: Any) -> np.ndarray:
        nominal, declared = nominal_with_frame(self, self.nominal)
        names = getattr(self, "feature_names_in_", None)
        counts = category_counts(X, nominal, X.shape[1], names, declared)
        return np.zeros(X.shape[1], np.int32) if counts is None else counts

    @formerly(Y="y")
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the rows whose labels, or class, are predicted as they are.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        y : labels of any form that `fit` takes
            Lists, and frames of named columns, are put into the order that `fit` saw.
        sample_weight : array-like of shape (n,), optional
        """
        if getattr(self, "_multi_label", False):
            y = labels_as_fitted(self, X, y)
        return super().score(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels whose score is large enough, or the class with the largest (the first on ties).

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)

        Returns
        -------
        predicted : ndarray, shape (n, L) of 0/1, or (n,) of classes
        """
        scores = self.predict_proba(X)
        if self._multi_label:
            return self._relevant(scores, 0.5).astype(np.int64)
        return self.classes_[np.argmax(scores, axis=1)]
