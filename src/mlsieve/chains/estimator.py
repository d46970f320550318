"""The scikit-learn estimators of this room: two methods make the whole interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mlsieve.chains.learner import Learner, Progress
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.data.exchange.examples import formerly
from mlsieve.data.validation import require_examples, validated
from mlsieve.errors import InvalidSetting
from mlsieve.evaluators._estimator import LabelClassifier, of_classes

__all__ = ["LabelChain", "Progress", "described_by"]

Class = TypeVar("Class", bound=type)


def described_by(learner: type) -> Callable[[Class], Class]:
    """Return a decorator that puts a learner's description and parameters into its estimator's docstring.

    They take the place of the word ``{described}`` there.
    """
    text = (learner.__doc__ or "").partition("\n\n")[2].strip()

    def described(estimator: Class) -> Class:
        estimator.__doc__ = (estimator.__doc__ or "").replace("{described}", text)
        return estimator

    return described


class LabelChain(LabelClassifier, Learner):
    """Base of estimators that predict label sets; a subclass has `_fit`, `_predict` and its parameters.

    A subclass may name its parameters of prediction in `PREDICTION`: those that a fitted estimator can have
    otherwise, see `varied`. One that takes all of it from a learner comes before that among its bases.

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.
    """

    hierarchy = None  # labels are flat here

    @formerly(Y="y")
    def fit(self, X: Any, y: Any, *, progress: Progress | None = None) -> Any:
        """Learn from examples.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
            NaN is a missing value, in sparse data an explicit one.
        y : labels, shape (n, L), in any form that `mlsieve.data.Dataset.from_frame` takes, or (n,), classes
        progress : callable, optional
            Called as ``progress(done, total)`` after each step of the work.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On a parameter that is not accepted, or data of the wrong shape or content.
        """
        X, labels = self._validated(X, y)
        self._fit(X, labels, progress)
        return self

    def _rows(self, X: Any) -> Any:
        """Return rows to predict: float64, dense or CSR, NaN allowed."""
        require_examples(X)
        with np.errstate(invalid="ignore"):  # the check sums X, which may pass the largest numbers
            X = validated(self, X, reset=False)
        self._category_counts(X)  # which refuses what is no category position
        return X

    def _validated(self, X: Any, y: Any) -> tuple[Any, sp.csr_array]:
        require_examples(X, y)
        return super()._validated(X, y)

    def varied(self, **parameters: Any) -> Self:
        """Return a fitted estimator of the same model with other parameters of prediction.

        Parameters
        ----------
        **parameters
            Of `PREDICTION`, or `n_jobs`.

        Raises
        ------
        InvalidSetting
            On another parameter, which would need a new fit, or a value that is not accepted.
        """
        check_is_fitted(self)
        return super().varied(**parameters)

    def predict_all(self, X: Any) -> ChainPrediction:
        """Return label sets, probabilities and the sequence, if the method has one, from one pass.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        """
        check_is_fitted(self)
        self._check_prediction()
        return self._predict(self._rows(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted sets as 0/1, shape (n, L), or the likeliest classes, (n,), the first on ties.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        """
        if not getattr(self, "_multi_label", True):
            return super().predict(X)
        return self.predict_all(X).labels.astype(np.int64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each label; of classes, their probabilities over their sum.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)

        Returns
        -------
        ndarray of float64, shape (n, L)
        """
        scores = self.predict_all(X).probabilities
        return scores if self._multi_label else of_classes(scores)

    def predict_sequence(self, X: Any) -> LabelSequence:
        """Return the labels in the order in which the chain sets them.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)

        Raises
        ------
        InvalidSetting
            If the method has no chain.
        """
        sequence = self.predict_all(X).sequence
        if sequence is None:
            raise InvalidSetting(
                f"{type(self).__name__} predicts all labels at once", hint="use a method with a chain"
            )
        return sequence
