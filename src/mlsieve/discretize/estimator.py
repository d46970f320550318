"""LAIM, MDLP and the equal intervals as a scikit-learn transformer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mlsieve.data.exchange.examples import formerly
from mlsieve.data.validation import label_targets, nominal_mask, nominal_with_frame, validated
from mlsieve.discretize.cuts import Cuts, Discretization, learn_cuts
from mlsieve.errors import InvalidSetting, did_you_mean
from mlsieve.registry import AtLeast

_WITHOUT_LABELS = ("equal-width", "equal-frequency", "none")


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cuts numeric features into intervals, whose bounds are learned from the labels or from the values.

    Parameters
    ----------
    method : {"laim", "laim-boundaries", "mdlp", "equal-width", "equal-frequency", "none"}, default "laim"
        How features are cut, see `mlsieve.discretize.learn_cuts`. LAIM and MDLP look at all labels at once;
        the other methods need no labels.
    bins : int, default 5
        Intervals of "equal-width" and "equal-frequency", at least 2; fewer where values coincide.
    encode : {"ordinal", "zero-first"}, default "ordinal"
        What stands for an interval. "ordinal": its number, 0 the lowest. "zero-first": 0 is the interval that
        holds the value 0, and the others follow from the lowest to the highest, so that sparse data stay
        sparse. Rankers, selectors and evaluators take either as a nominal feature.
    nominal : array-like of bool, shape (F,), of int (feature indices) or of str (column names), optional
        Features that stay as they are. So do columns of a DataFrame that hold texts or categories, of which
        the result has the positions.

    Attributes
    ----------
    cuts_ : mlsieve.discretize.Cuts
    bin_edges_ : list of F ndarrays of float64
        The bounds between the intervals of each feature, rising; an interval contains its upper bound. Empty
        for a feature that is not cut, or is nominal.
    n_bins_ : ndarray of int, shape (F,)
        Number of intervals of each feature; 0 for a nominal one.
    n_features_in_ : int
    feature_names_in_, label_names_in_ : ndarray of str
        Only if X or y is a DataFrame with string column names, or y holds lists of labels.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value and stays one.
    """

    def __init__(
        self,
        method: Discretization = "laim",
        *,
        bins: Annotated[int, AtLeast(2)] = 5,
        encode: Literal["ordinal", "zero-first"] = "ordinal",
        nominal: Any = None,
    ) -> None:
        self.method = method
        self.bins = bins
        self.encode = encode
        self.nominal = nominal

    cuts_: Cuts

    @formerly(Y="y")
    def fit(self, X: Any, y: Any = None) -> Discretizer:
        """Learn where to cut.

        Parameters
        ----------
        X : array-like, DataFrame or scipy.sparse array, shape (n, F)
        y : labels, shape (n, L), in any form that `mlsieve.data.Dataset.from_frame` takes, or (n,), classes
            Not used by the methods without labels.

        Returns
        -------
        self : Discretizer

        Raises
        ------
        ValueError
            On a parameter that is not accepted, or data of the wrong shape or content.
        """
        self._check_parameters()
        if self.method in _WITHOUT_LABELS:
            X = validated(self, X)
            labels = sp.csr_array((X.shape[0], 0), dtype=np.uint8)
        elif y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        else:
            X, y = validated(self, X, y, multi_output=True)
            labels = label_targets(y)[0]
        nominal = nominal_with_frame(self, self.nominal)[0]
        numeric = np.ones(X.shape[1], bool)
        if nominal is not None:
            numeric = ~nominal_mask(nominal, X.shape[1], getattr(self, "feature_names_in_", None))
        self.cuts_ = learn_cuts(X, labels, method=self.method, numeric=numeric, bins=int(self.bins))
        self.bin_edges_ = [self.cuts_.of(feature) for feature in range(X.shape[1])]
        self.n_bins_ = np.where(numeric, np.diff(self.cuts_.start) + 1, 0)
        return self

    def transform(self, X: Any) -> Any:
        """Return X with intervals in place of the values of numeric features.

        Parameters
        ----------
        X : array-like, DataFrame or scipy.sparse array, shape (n, F)

        Returns
        -------
        ndarray of float64, shape (n, F), or with ``encode="zero-first"`` of sparse X a csr_array
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        if self.encode == "zero-first":
            return self.cuts_.transform(X)
        return self.cuts_.intervals(X.toarray() if sp.issparse(X) else X)

    def _check_parameters(self) -> None:
        for name, known in (("method", get_args(Discretization)), ("encode", ("ordinal", "zero-first"))):
            value = getattr(self, name)
            if value not in known:
                raise InvalidSetting(f"{name} = {value!r} is unknown", hint=did_you_mean(str(value), known))
        if isinstance(self.bins, bool) or not isinstance(self.bins, int | np.integer) or self.bins < 2:
            raise InvalidSetting(
                f"bins must be a whole number of at least 2, got {self.bins!r}", hint="give e.g. 5"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self.method not in _WITHOUT_LABELS
        tags.target_tags.multi_output = True
        return tags
