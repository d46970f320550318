"""What all rankers share: validation, ranks, selection of the best features."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.data.validation import FLOAT_ROWS, label_targets
from mlsieve.rankings.ties import best_first


class RankerMixin(SelectorMixin):
    """Mixin for estimators that set ``feature_importances_`` in ``fit``.

    Gives ``ranking_``, ``get_support``, ``transform`` and ``set_output``. A subclass has the parameter
    ``n_features_to_select`` (int count, float share, or None for all features).
    """

    feature_importances_: np.ndarray
    _column_digests: np.ndarray
    n_features_to_select: int | float | None

    def _validate_training(self, X: Any, Y: Any) -> tuple[Any, sp.csr_array]:
        """Return X (float64, dense or CSR, NaN allowed) and the label matrix; set ``classes_``."""
        if Y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        X = validate_data(self, X, ensure_min_samples=2, **FLOAT_ROWS)
        if sp.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        labels, classes = label_targets(Y, single_label=getattr(self, "hierarchy", None) is not None)
        if labels.shape[0] != X.shape[0]:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples:"
                f" [{X.shape[0]}, {labels.shape[0]}]"
            )
        self._column_digests = column_digests(X)
        self.classes_ = np.arange(labels.shape[1]) if classes is None else classes
        self.multilabel_ = classes is None
        return X, labels

    def _validate_prediction(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **FLOAT_ROWS)

    @property
    def ranking_(self) -> np.ndarray:
        """Rank of each feature, 1 the best; ndarray of int64, shape (F,).

        An order of the features' content decides between equal scores; of equal columns the first is first.
        """
        check_is_fitted(self)
        ranks = np.empty(len(self.feature_importances_), np.int64)
        places = canonical_places(self._column_digests, 0)
        ranks[best_first(self.feature_importances_, places)] = np.arange(1, len(ranks) + 1)
        return ranks

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        n_features = len(self.feature_importances_)
        wanted = self.n_features_to_select
        if wanted is None:
            count = n_features
        elif isinstance(wanted, float):
            count = max(1, round(wanted * n_features))
        else:
            count = int(wanted)
        if not 1 <= count <= n_features:
            raise ValueError(f"n_features_to_select = {wanted!r} is not within 1 .. {n_features}")
        return self.ranking_ <= count

    def _more_static_tags(self, tags: Any) -> Any:
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags
