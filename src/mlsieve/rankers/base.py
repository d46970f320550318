"""What all rankers share: validation, ranks, selection of the best features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.data.frames import as_pandas
from mlsieve.data.validation import coded_as_fitted, label_targets, labels_given_to, validated
from mlsieve.rankings.files import Ranking
from mlsieve.rankings.ties import best_first

if TYPE_CHECKING:
    import pandas as pd


class RankerMixin(SelectorMixin):
    """Mixin for estimators that set ``feature_importances_`` in ``fit``.

    Gives ``ranking_``, ``ranking_frame``, ``get_support``, ``transform`` and ``set_output``. A subclass has
    the parameter ``n_features_to_select`` (int count, float share, or None for all features).
    """

    feature_importances_: np.ndarray
    _column_digests: np.ndarray
    n_features_to_select: int | float | None

    def _validate_training(self, X: Any, y: Any) -> tuple[Any, sp.csr_array]:
        """Return X (float64, dense or CSR, NaN allowed) and the label matrix; set ``classes_``."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        y = labels_given_to(self, X, y)
        X = validated(self, X, ensure_min_samples=2)
        if sp.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        labels, classes = label_targets(y, single_label=getattr(self, "hierarchy", None) is not None)
        if labels.shape[0] != X.shape[0]:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples:"
                f" [{X.shape[0]}, {labels.shape[0]}]"
            )
        self._column_digests = column_digests(X)
        self.classes_ = np.arange(labels.shape[1]) if classes is None else classes
        self.multilabel_ = classes is None
        return X, labels

    def transform(self, X: Any) -> Any:
        """Keep the selected features.

        Parameters
        ----------
        X : array-like, DataFrame or scipy.sparse array, shape (n, F)

        Returns
        -------
        ndarray, csr_array or DataFrame, shape (n, selected)
            Positions in place of a frame's categories; with ``set_output(transform="pandas")`` the frame's
            own columns.
        """
        check_is_fitted(self)
        gives_frames = _get_output_config("transform", estimator=self)["dense"] != "default"
        return super().transform(as_pandas(X) if gives_frames else coded_as_fitted(self, X))

    def ranking(self) -> Ranking:
        """Return the features with their scores, best first; a selection if features are selected.

        Without `n_features_to_select`, a ranker selects none.
        """
        check_is_fitted(self)
        n_features = len(self.feature_importances_)
        names = getattr(self, "feature_names_in_", [f"x{place}" for place in range(n_features)])
        order = np.argsort(self.ranking_, kind="stable").astype(np.int64)
        selected = int(self._get_support_mask().sum()) if self._selects() else None
        return Ranking(
            self.feature_importances_,
            tuple(map(str, names)),
            n_selected=selected,
            name=type(self).__name__,
            search_order=order,
        )

    def ranking_frame(self) -> pd.DataFrame:
        """Return the ranking as a DataFrame, best first.

        Returns
        -------
        DataFrame
            Columns rank (from 1), feature_index (from 0), feature and score; with selected features also
            selected (bool). The same rows in the same order as in ranking.csv.
        """
        return self.ranking().frame()

    def _selects(self) -> bool:
        """Return whether a number of features is selected."""
        return self.n_features_to_select is not None

    def _validate_prediction(self, X: Any) -> Any:
        check_is_fitted(self)
        return validated(self, X, reset=False)

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
