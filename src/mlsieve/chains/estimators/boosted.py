"""ML-XGB and XDCC as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mlsieve.chains.boosted import Boosting, Examples, MultiLabelXGBLearner
from mlsieve.chains.estimator import LabelChain, Progress, described_by
from mlsieve.chains.xdcc import XDCCLearner
from mlsieve.data.exchange.examples import formerly, labels_as_fitted
from mlsieve.errors import InvalidSetting

_LEAST_WEIGHT, _MOST_WEIGHT = 1e-12, 1e12  # squares of their sums are numbers of single precision


class BoostedChain(LabelChain, Boosting):
    """What the two estimators share: examples with weights, rows held back, and importances."""

    @formerly(Y="y")
    def fit(
        self,
        X: Any,
        y: Any,  # scikit-learn's name, by which it gives labels with weights
        sample_weight: Any = None,
        *,
        progress: Progress | None = None,
        validation: tuple[Any, Any] | None = None,
    ) -> Any:
        """Learn from examples.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
            NaN is a missing value, in sparse data an explicit one.
        y : labels, shape (n, L), in any form that `mlsieve.data.Dataset.from_frame` takes, or (n,), classes
        sample_weight : array-like of shape (n,) or, for several labels, (n, L), optional
            Factors of gradients and hessians: 0, or from 1e-12 to 1e12. A row whose weights are 0 is left
            out.
        progress : callable, optional
            Called as ``progress(done, total)`` after each round.
        validation : pair of X and y, optional
            Rows for `n_iter_no_change`, in place of a share of the examples.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On a parameter that is not accepted, or data of the wrong shape or content.
        """
        examples = self._examples(*self._validated(X, y))
        if sample_weight is not None:
            weights = self._weights(sample_weight, examples.truth.shape)
            some = weights.any(axis=1)
            if not some.any():
                raise ValueError("every sample_weight is zero: nothing can be learnt")
            examples = Examples(examples.X, examples.truth, weights)
            examples = examples if some.all() else examples[some]
        held = None
        if validation is not None and self.n_iter_no_change is None:
            raise InvalidSetting("validation is given without n_iter_no_change", hint="set n_iter_no_change")
        if validation is not None:
            held = self._given_rows(validation, examples.truth.shape[1])
        elif self.n_iter_no_change is not None:
            examples, held = self._with_held(examples)
        self._learn(examples, held, progress)
        return self

    def _weights(self, given: Any, shape: tuple[int, int]) -> np.ndarray:
        """Return weights, float32 of shape (n, L)."""
        weights = np.array(given, dtype=np.float64, copy=True)
        given_shape = weights.shape
        if given_shape == shape[:1]:
            weights = np.repeat(weights[:, None], shape[1], axis=1)
        if weights.shape != shape or (not self._multi_label and len(given_shape) != 1):
            shapes = f"({shape[0]},) or {shape}" if self._multi_label else f"({shape[0]},)"
            raise ValueError(f"sample_weight has the shape {given_shape}: give {shapes}")
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError("sample_weight must hold finite numbers of at least 0")
        some = weights[weights > 0]
        if some.size and not (_LEAST_WEIGHT <= some.min() and some.max() <= _MOST_WEIGHT):
            raise ValueError(
                f"sample_weight holds {some.min():g} to {some.max():g}: scale the weights, which must be 0 or"
                f" from {_LEAST_WEIGHT:g} to {_MOST_WEIGHT:g}"
            )
        return np.ascontiguousarray(weights, np.float32)

    def _given_rows(self, validation: tuple[Any, Any], n_labels: int) -> Examples:
        """Return the rows that are held back, as they were given."""
        if not (isinstance(validation, tuple | list) and len(validation) == 2):
            raise ValueError("validation must be a pair of X and y")
        X, y = self._rows(validation[0]), validation[1]
        if self._multi_label:
            labels = labels_as_fitted(self, validation[0], y)
        else:
            given = np.asarray(y).reshape(-1, 1)
            labels = sp.csr_array((given == self.classes_).astype(np.uint8))
            unknown = given[np.diff(labels.indptr) == 0]
            if len(unknown):
                raise ValueError(f"validation has the class {unknown[0].tolist()[0]!r}, which no example has")
        labels = labels.toarray().astype(np.uint8)
        if labels.shape != (X.shape[0], n_labels):
            raise ValueError(f"validation has labels of shape {labels.shape} and {X.shape[0]} rows")
        return Examples(self._as_read(X), labels)

    def _all_importances(self, kind: str) -> np.ndarray:
        check_is_fitted(self)
        return super()._all_importances(kind)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Shares of the gain, which sum to 1, or are all 0 without a test."""
        gains = self.importances("gain")
        return gains / (gains.sum() or 1.0)


@described_by(MultiLabelXGBLearner)
class MultiLabelXGB(BoostedChain, MultiLabelXGBLearner):
    """Gradient boosting whose trees hold a value for each label in every leaf (ML-XGB).

    {described}

    Attributes
    ----------
    trees_ : BoostedTrees
    base_margins_ : ndarray of float32, shape (L,)
    n_iter_ : int
        Rounds that were kept.
    feature_importances_ : ndarray of float64, shape (F,)
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value. Missing cells go to the side that gains more, and a test
    may be of missing cells against known ones. Loza Mencia et al., section 5.2.
    """


@described_by(XDCCLearner)
class XDCC(BoostedChain, XDCCLearner):
    """Dynamic classifier chain of boosted trees (XDCC).

    {described}

    Attributes
    ----------
    trees_ : list of BoostedTrees
        The model of each step.
    base_margins_ : ndarray of float32, shape (L,)
    n_iter_ : ndarray of int, shape (K,)
        Rounds of each step that were kept.
    feature_importances_ : ndarray of float64, shape (F,)
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value. A value that a label has keeps its side of 1/2; it
    changes in later steps whose probability is more certain. Loza Mencia et al., section 5.3.

    ``definition="xdcc"`` does what the authors' program does where that differs from the paper. An example
    chooses among all labels; if it chooses one that it has set, it sets no other one in this step. Only the
    chosen label may become more certain. Labels that are set weigh nothing in the leaves either, and a test
    must leave every label a sum of hessians of `min_child_weight` in both children. The usual way to
    cumulate is "running". ``selection="unset"`` is refused.
    """

    def label_importances(self, kind: str = "gain") -> np.ndarray:
        """Return how much the trees use each label that is set, as `importances` does for features.

        Parameters
        ----------
        kind : {"gain", "cover", "splits"}

        Returns
        -------
        ndarray of float64, shape (L,)
        """
        return self._all_importances(kind)[self.n_features_in_ :]

    def staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the scores of the labels after each step, float64 of shape (n, L): those of shorter chains.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        """
        check_is_fitted(self)
        self._check_prediction()
        yield from super().staged_scores(self._rows(X))
