"""scikit-learn estimators, made of the functions that rank features, which define the parameters."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from mlsieve.data.exchange.examples import formerly
from mlsieve.data.validation import nominal_with_frame, seed_from, thread_count
from mlsieve.errors import InvalidSetting, UserError, did_you_mean
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers.base import RankerMixin
from mlsieve.registry import Entry, check_parameters
from mlsieve.registry.parameters import type_hints

N_SELECTED = "n_features_to_select"
# What the commands give to a function, and no user of its estimator.
_OF_COMMANDS = frozenset({"sizes", "each", "feature_names", "digests"})


class FunctionRanker(RankerMixin, BaseEstimator):
    """Base of the estimators that call a ranker's function.

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
    classes_ : ndarray
        Classes of a single-column y, else 0 .. L - 1.
    feature_names_in_, label_names_in_ : ndarray of str
        Only if X or y is a DataFrame with string column names, or y holds lists of labels.
    """

    notes = """This is the estimator of the function described above. X and y are given to `fit`. It has one
more parameter, n_features_to_select: how many features `transform` keeps (a count, a share as a float, or
None for all). random_state may be an int, a RandomState, a Generator, or None for another seed in each fit;
n_jobs = -1 takes all cores; nominal may be a mask, indices, or names of X's columns. Columns of a DataFrame
that hold texts or categories are nominal by themselves (see `mlsieve.data.frames.FrameColumns`)."""

    # What users may call a parameter, as the command or the function does, and its name here.
    other_names: ClassVar[Mapping[str, str]] = {"k": N_SELECTED, "seed": "random_state", "threads": "n_jobs"}
    _entry: Entry

    @formerly(Y="y")
    def fit(self, X: Any, y: Any) -> FunctionRanker:
        """Rank the features.

        Parameters
        ----------
        X : array-like, DataFrame or scipy.sparse array, shape (n, F)
            NaN is missing. Columns of a frame that hold texts or categories are nominal features.
        y : DataFrame, array-like or scipy.sparse array, shape (n, L) or (n,)
            Labels in any form that `mlsieve.data.Dataset.from_frame` takes: 0/1 or yes/no columns, or a list
            of labels for each row. One column holds classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On a parameter out of its range, or data of the wrong shape or content.
        """
        given = self._checked_parameters()
        X, labels = self._validate_training(X, y)
        if given.get("hierarchy") is not None:
            if not self.multilabel_:
                raise ValueError(
                    "with a hierarchy, y must be a 0/1 matrix with a column for each of its classes"
                )
            labels = given["hierarchy"].close(labels)
        if "feature_names" in inspect.signature(self._entry.target).parameters:
            given["feature_names"] = getattr(self, "feature_names_in_", None)
        if "nominal" in given:
            given["nominal"], declared = nominal_with_frame(self, given["nominal"])
            if declared is not None and given.get("n_categories", declared) is None:
                given["n_categories"] = declared
        self._rank(X, labels, given)
        return self

    def _rank(self, X: Any, labels: Any, parameters: dict[str, Any]) -> None:
        self.feature_importances_ = self._entry.target(X, labels, **parameters)

    def _checked_parameters(self) -> dict[str, Any]:
        """Return the function's parameters, with a plain seed and number of threads."""
        given = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in self.get_params(deep=False).items()
            if name != N_SELECTED
        }
        known = self._entry.parameters()
        try:
            check_parameters("ranker", self._entry.id, {name: given[name] for name in given if name in known})
        except UserError as error:
            raise InvalidSetting(error.what, hint=error.hint) from None
        hierarchy = given.get("hierarchy")
        if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
            raise ValueError(f"hierarchy = {hierarchy!r} is not an mlsieve.hierarchy.Hierarchy")
        if "random_state" in given:
            given["random_state"] = seed_from(given["random_state"])
        if "n_jobs" in given:
            given["n_jobs"] = thread_count(given["n_jobs"])
        return given

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())


def keyword_parameters(function: Any) -> dict[str, tuple[Any, Any]]:
    """Return type and default of each keyword-only parameter that an estimator of a function has."""
    hints = type_hints(function)
    return {
        name: (hints.get(name, Any), parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in _OF_COMMANDS
    }


def init_parameters(target: type) -> dict[str, tuple[Any, Any]]:
    """Return type and default of each parameter of a class."""
    hints = type_hints(target)
    return {
        name: (hints.get(name, Any), parameter.default)
        for name, parameter in inspect.signature(target).parameters.items()
    }


def estimator_class(
    entry: Entry, name: str, package: str, base: type, parameters: Mapping[str, tuple[Any, Any]]
) -> type:
    """Return a ranker's estimator class.

    Parameters
    ----------
    entry : Entry
    name, package : str
        Of the class: where pickles find it again.
    base : type
        It has `fit`, and `notes` for the docstring.
    parameters : mapping of str to (type, default)
        Of ``__init__``, beside `n_features_to_select`.
    """
    every = {N_SELECTED: (int | float | None, None), **parameters}

    def __init__(self: Any, **given: Any) -> None:
        for unknown in given.keys() - every.keys():
            known = base.other_names.get(unknown)  # type: ignore[attr-defined]
            hint = f"did you mean '{known}'?" if known in every else did_you_mean(unknown, list(every))
            raise TypeError(f"{name} has no parameter '{unknown}'; {hint}")
        for key, (_, default) in every.items():
            setattr(self, key, given.get(key, default))

    kind = inspect.Parameter
    signature = [kind("self", kind.POSITIONAL_OR_KEYWORD)]
    signature += [kind(key, kind.KEYWORD_ONLY, default=default) for key, (_, default) in every.items()]
    __init__.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    __init__.__annotations__ = {key: hint for key, (hint, _) in every.items()}
    text = _with_notes(inspect.getdoc(entry.target) or "", base.notes)  # type: ignore[attr-defined]
    members = {"__init__": __init__, "__doc__": text, "__module__": package, "_entry": entry}
    return type(name, (base,), members)


def _with_notes(text: str, notes: str) -> str:
    """Return a docstring whose last section, Notes, ends with these."""
    heading = "\n\nNotes\n-----\n"
    return text + (f"\n\n{notes}" if heading in text else f"{heading}{notes}")
