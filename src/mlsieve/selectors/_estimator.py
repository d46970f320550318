"""scikit-learn estimators made of the functions that select features."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mlsieve.errors import UserError
from mlsieve.rankers.base import RankerMixin, seed_from, thread_count
from mlsieve.registry import Entry, check_parameters
from mlsieve.selection import FeatureCount, Selection, feature_count
from mlsieve.targets import nominal_mask

_OWN = "n_features_to_select"
_NOTE = """This is the estimator of the function described above. X and Y are given to `fit`; in place of k
there is `n_features_to_select`: a count, a share of the features (float), or None for ceil(sqrt(n))."""


class SelectorEstimator(RankerMixin, BaseEstimator):
    """Base of the selectors' estimators.

    Attributes
    ----------
    selection_ : mlsieve.selection.Selection
    feature_importances_ : ndarray of float64, shape (F,)
        `Selection.scores`.
    """

    _entry: Entry
    selection_: Selection

    def fit(self, X: Any, Y: Any) -> SelectorEstimator:
        """Select features.

        Parameters
        ----------
        X : array-like or scipy.sparse array, shape (n, F)
            NaN, missing, counts as a value of its own.
        Y : array-like or scipy.sparse array
            0/1 matrix of shape (n, L), or one column of classes.

        Raises
        ------
        ValueError
            On a parameter out of its range, or data of the wrong shape or content.
        """
        given = {name: value for name, value in self.get_params(deep=False).items() if name != _OWN}
        settings = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in given.items()
            if name in self._entry.parameters()
        }
        try:
            check_parameters("ranker", self._entry.id, settings)
        except UserError as error:
            raise ValueError(str(error)) from None
        X, labels = self._validate_training(X, Y)
        names = {"feature_names": getattr(self, "feature_names_in_", None)}
        accepted = inspect.signature(self._entry.target).parameters
        if given.get("nominal") is not None:
            given["nominal"] = nominal_mask(given["nominal"], X.shape[1], names["feature_names"])
        if "random_state" in given:
            given["random_state"] = seed_from(given["random_state"])
        if "n_jobs" in given:
            given["n_jobs"] = thread_count(given["n_jobs"])
        names = {name: value for name, value in names.items() if name in accepted}
        self.selection_ = self._entry.target(X, labels, k=self._size(X.shape), **given, **names)
        self.feature_importances_ = self.selection_.scores
        return self

    def _size(self, shape: tuple[int, int]) -> int:
        n_rows, n_features = shape
        wanted: FeatureCount = "sqrt" if getattr(self, _OWN) is None else getattr(self, _OWN)
        if isinstance(wanted, np.generic):
            wanted = wanted.item()
        try:
            count = feature_count(wanted, n_features, n_rows)
        except UserError as error:
            raise ValueError(f"{_OWN}: {error}") from None
        if count < 1 or (isinstance(wanted, int) and wanted > n_features):
            raise ValueError(f"{_OWN} = {wanted!r} is not within 1 .. {n_features}")
        return count

    @property
    def ranking_(self) -> np.ndarray:
        """Rank of each feature, 1 the first that was selected; ndarray of int64, shape (F,)."""
        check_is_fitted(self)
        ranks = np.empty(len(self.selection_.order), np.int64)
        ranks[self.selection_.order] = np.arange(1, len(ranks) + 1)
        return ranks

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.ranking_ <= self.selection_.n_selected

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())


def selector_class(entry: Entry, name: str) -> type[SelectorEstimator]:
    """Return a selector's estimator class: its parameters, but `n_features_to_select` for k.

    Parameters
    ----------
    entry : Entry
        Its target is the function.
    name : str
        Of the class, by which `mlsieve.selectors` finds it again (pickles do).
    """
    hints = typing.get_type_hints(entry.target, include_extras=True)
    own = inspect.Parameter(_OWN, inspect.Parameter.KEYWORD_ONLY, default=None)
    others = [
        parameter
        for parameter in inspect.signature(entry.target).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        and parameter.name not in ("k", "feature_names", "digests")
    ]
    defaults = {parameter.name: parameter.default for parameter in (own, *others)}

    def __init__(self: Any, **given: Any) -> None:
        for unknown in given.keys() - defaults.keys():
            raise TypeError(f"{name} has no parameter '{unknown}'")
        for key, default in defaults.items():
            setattr(self, key, given.get(key, default))

    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([self_parameter, own, *others])  # type: ignore[attr-defined]
    __init__.__annotations__ = {key: hints[key] for key in defaults if key in hints}
    text = f"{inspect.getdoc(entry.target)}\n\nNotes\n-----\n{_NOTE}"
    members = {"__init__": __init__, "__doc__": text, "__module__": "mlsieve.selectors", "_entry": entry}
    return type(name, (SelectorEstimator,), members)
