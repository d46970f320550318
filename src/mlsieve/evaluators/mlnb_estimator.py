"""Multi-label naive Bayes as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.examples import formerly
from mlsieve.data.validation import validated
from mlsieve.discretize import Cuts, Discretization
from mlsieve.discretize.files import require_cuts
from mlsieve.errors import UserError
from mlsieve.evaluators._consistent import consistent
from mlsieve.evaluators._estimator import LabelClassifier, of_classes
from mlsieve.evaluators._files import odds_from, state_of_odds
from mlsieve.evaluators._naive_bayes import LabelOdds, learned_cuts, posterior, rounded_odds
from mlsieve.evaluators.mlnb import NaiveBayes
from mlsieve.hierarchy import Hierarchy
from mlsieve.registry import check_parameters


class MLNB(LabelClassifier):
    """Multi-label naive Bayes: one naive Bayes classifier a label.

    A label is predicted whose posterior exceeds 1/2.

    Parameters
    ----------
    input : {"discretised", "gaussian"}, default "discretised"
        Whether numeric features are cut into intervals, or modelled by normal distributions.
    discretize : {"laim", "equal-width", "equal-frequency", "none", ...}, default "laim"
        How they are cut, see `mlsieve.discretize`; on the rows given to `fit`. Not used with "gaussian".
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Nominal features, which hold category positions 0, 1, ...; all numeric by default. Their categories
        are those up to the largest position given to `fit`.
    hierarchy : mlsieve.hierarchy.Hierarchy, optional
        Of the labels, in the order of the columns of y. A training row then has all classes above its own; a
        class's posterior is the least of its own and those of all classes above it.

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    Notes
    -----
    X may be dense, sparse or a DataFrame, whose columns of texts or categories are nominal; a category that
    `fit` did not see is missing. NaN is a missing value (in sparse data an explicit NaN), which is ignored.
    The likelihoods are described at the evaluator ``mlnb`` (`mlsieve.evaluators.mlnb.NaiveBayes`).
    """

    _relevant = np.greater

    def __init__(
        self,
        input: Literal["discretised", "gaussian"] = "discretised",
        discretize: Discretization = "laim",
        *,
        nominal: Any = None,
        hierarchy: Hierarchy | None = None,
    ) -> None:
        self.input = input
        self.discretize = discretize
        self.nominal = nominal
        self.hierarchy = hierarchy

    @formerly(Y="y")
    def fit(self, X: Any, y: Any) -> MLNB:
        """Cut the features and count.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)
        y : labels, shape (n, L), in any form that `mlsieve.data.Dataset.from_frame` takes, or (n,), classes

        Returns
        -------
        self : MLNB

        Raises
        ------
        ValueError
            On a parameter that is not known, or data of the wrong shape or content.
        """
        try:
            check_parameters("evaluator", "mlnb", {"input": self.input, "discretize": self.discretize})
        except UserError as error:
            raise ValueError(str(error)) from None
        X, labels = self._validated(X, y)
        self._learn(X, labels, self._category_counts(X))
        return self

    def _learn(self, X: Any, labels: sp.csr_array, counts: np.ndarray) -> None:
        method = self.discretize if self.input == "discretised" else None
        self._cuts, counts = learned_cuts(X, labels, counts, method)
        self._odds = LabelOdds(X if self._cuts is None else self._cuts.transform(X), labels, counts)

    @classmethod
    def trained(cls, evaluator: NaiveBayes, dataset: Dataset, weights: np.ndarray) -> MLNB:
        """Return one that has learned from the training part of a dataset, and predicts as an evaluator does.

        Parameters
        ----------
        evaluator : NaiveBayes
        dataset : Dataset
            With the features of the evaluator's `weighted` alone, in their order.
        weights : ndarray of float64, shape (F,)
            All 1.

        Raises
        ------
        UserError
            With ``unseen="first"``, which gives no probability to a label without examples.
        """
        if evaluator.unseen != "prior":
            raise UserError(
                f"unseen = '{evaluator.unseen}' gives no probability to a label without examples",
                hint="leave it out",
            )
        made = cls(evaluator.input, evaluator.discretize, hierarchy=dataset.hierarchy)
        declared = np.fromiter(map(len, dataset.categories), np.int64, len(dataset.categories))
        counts = np.where(dataset.nominal, np.maximum(declared, 1), 0)
        made.classes_, made._multi_label = np.arange(len(dataset.label_names)), True
        made.n_features_in_, made._frame_columns = len(dataset.feature_names), None
        made._learn(dataset.X_train, dataset.Y_train, counts)
        return made

    def _state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        cuts = self._cuts
        arrays = state_of_odds(self._odds)
        if cuts is None:
            return arrays, {}
        return arrays | {"cut_start": cuts.start, "cuts": cuts.cuts, "cut": cuts.numeric}, {}

    def _restore(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        check_parameters("evaluator", "mlnb", {"input": self.input, "discretize": self.discretize})
        n_features = self.n_features_in_
        self._cuts = None
        if "cuts" in arrays:
            self._cuts = Cuts(arrays["cut_start"], arrays["cuts"], arrays["cut"])
            require_cuts(self._cuts, n_features)
        self._odds = odds_from(arrays, n_features, len(self.classes_))

    def _log_odds(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        self._category_counts(X)  # which refuses what is no category position
        X = X if self._cuts is None else self._cuts.transform(X)
        [odds] = self._odds.growing(X, np.arange(X.shape[1]), [X.shape[1]])
        return odds

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the posterior of each label; of classes, their classifiers' posteriors over their sum.

        Parameters
        ----------
        X : array-like or sparse of shape (n, F)

        Returns
        -------
        scores : ndarray of float64, shape (n, L)
        """
        odds = self._log_odds(X)
        if self._multi_label:
            psi = posterior(odds)
            return psi if self.hierarchy is None else consistent(psi, self.hierarchy)
        logarithms = -np.logaddexp(0.0, -rounded_odds(odds))
        return of_classes(np.exp(logarithms - logarithms.max(axis=1, keepdims=True)))
