"""scikit-learn estimators made of the functions that select features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlsieve.data.validation import nominal_mask
from mlsieve.errors import UserError
from mlsieve.rankers.estimators import N_SELECTED, FunctionRanker
from mlsieve.rankings.selection import FeatureCount, Selection, feature_count


class SelectorEstimator(FunctionRanker):
    """Base of the selectors' estimators.

    Attributes
    ----------
    selection_ : mlsieve.rankings.selection.Selection
    feature_importances_ : ndarray of float64, shape (F,)
        `Selection.scores`.
    """

    notes = """This is the estimator of the function described above. X and y are given to `fit`; in place of
k there is `n_features_to_select`: a count, a share of the features (float), or None for ceil(sqrt(n))."""
    selection_: Selection

    def _rank(self, X: Any, labels: Any, parameters: dict[str, Any]) -> None:
        if parameters.get("nominal") is not None:
            names = getattr(self, "feature_names_in_", None)
            parameters["nominal"] = nominal_mask(parameters["nominal"], X.shape[1], names)
        self.selection_ = self._entry.target(X, labels, k=self._size(X.shape), **parameters)
        self.feature_importances_ = self.selection_.scores

    def _size(self, shape: tuple[int, int]) -> int:
        n_rows, n_features = shape
        wanted: FeatureCount = "sqrt" if getattr(self, N_SELECTED) is None else getattr(self, N_SELECTED)
        if isinstance(wanted, np.generic):
            wanted = wanted.item()
        try:
            count = feature_count(wanted, n_features, n_rows)
        except UserError as error:
            raise ValueError(f"{N_SELECTED}: {error}") from None
        if count < 1 or (isinstance(wanted, int) and wanted > n_features):
            raise ValueError(f"{N_SELECTED} = {wanted!r} is not within 1 .. {n_features}")
        return count

    @property
    def ranking_(self) -> np.ndarray:
        """Rank of each feature, 1 the first that was selected; ndarray of int64, shape (F,)."""
        check_is_fitted(self)
        ranks = np.empty(len(self.selection_.order), np.int64)
        ranks[self.selection_.order] = np.arange(1, len(ranks) + 1)
        return ranks

    def _selects(self) -> bool:
        return True

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.ranking_ <= self.selection_.n_selected
