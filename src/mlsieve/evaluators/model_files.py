"""Fitted estimators as files: arrays and a header of JSON, without pickles.

An estimator of `mlsieve.chains` or `mlsieve.evaluators` has a file if it has two methods: ``_state()``
returns what it has learned, arrays by name and facts of JSON; ``_restore(arrays, facts)`` takes both, checks
them, and sets what ``_state`` has read. Parameters, classes, names, categories and the hierarchy are written
here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from mlsieve.data.frames import FrameColumns
from mlsieve.data.validation import nominal_mask, nominal_with_frame
from mlsieve.errors import InvalidSetting, UserError
from mlsieve.files.arrays import complete, require_starts
from mlsieve.files.checked import require_finite, require_json
from mlsieve.files.numbered import names_from, text_array
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.hierarchy import Hierarchy
from mlsieve.registry import Entry, entries, lookup

KINDS = ("chain", "evaluator")
_STATE = "state_"  # before the names of an estimator's own arrays
# Parameters that are arrays or objects, which stand elsewhere in the file, or that change no result.
_ELSEWHERE = ("nominal", "hierarchy", "weights", "n_jobs")
_AGAIN = "fit it again"
_MOST_FEATURES = 2**30


class Storable:
    """Base of estimators that can be written to a file, if they have `_state` and `_restore`.

    Attributes
    ----------
    facts_ : dict
        Of an estimator that was loaded: the facts that `save` was given.
    """

    facts_: dict[str, Any]

    def save(self, path: str | os.PathLike[str], facts: Mapping[str, Any] | None = None) -> None:
        """Write the fitted estimator to an .npz file (no pickles, checksum inside).

        Parameters
        ----------
        path : path-like
        facts : mapping, optional
            Values of JSON that `load` puts into ``facts_``.

        Raises
        ------
        NotFittedError
        InvalidSetting
            If it holds what has no place in such a file.
        """
        save_model(self, path, facts or {})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the fitted estimator that `save` wrote, with its parameters and one thread.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        UserError
            If the file is missing, damaged, of another version, or holds something else.
        """
        loaded: Self = load_model(path, cls)
        return loaded


def is_storable(estimator: type) -> bool:
    """Whether fitted estimators of a class can be written to files."""
    return issubclass(estimator, Storable) and hasattr(estimator, "_state") and hasattr(estimator, "_restore")


def entry_of(estimator: type) -> Entry:
    """Return the registered method whose estimator is a class, or one that it is derived from.

    Raises
    ------
    InvalidSetting
        If there is none, or it has no files.
    """
    places = {f"{one.__module__}:{one.__qualname__}" for one in estimator.__mro__}
    found = (entry for kind in KINDS for entry in entries(kind).values())
    for entry in found if is_storable(estimator) else ():
        if entry.target in estimator.__mro__ or entry.estimator_place in places:
            return entry
    raise InvalidSetting(f"{estimator.__name__} has no file of a fitted model", hint="fit it each time")


def save_model(estimator: Any, path: str | os.PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write a fitted estimator to a file; see `Storable.save`."""
    from sklearn.utils.validation import check_is_fitted

    entry = entry_of(type(estimator))
    check_is_fitted(estimator)
    state, own = estimator._state()
    arrays = {f"{_STATE}{name}": array for name, array in state.items()}
    arrays["classes"] = np.asarray(estimator.classes_.tolist())
    if arrays["classes"].dtype.kind not in "biufU":
        raise InvalidSetting(
            "the classes are neither numbers nor texts, which a file can hold", hint="rename the classes"
        )
    names = getattr(estimator, "feature_names_in_", None)
    for what, given in (("feature", names), ("label", getattr(estimator, "label_names_in_", None))):
        if given is not None:
            arrays[f"{what}_names"] = text_array(tuple(given))
    columns = getattr(estimator, "_frame_columns", None)
    if columns is not None:
        sizes = columns.n_categories
        arrays["categories"] = text_array([value for own in columns.categories for value in own or ()])
        arrays["categories_indptr"] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        arrays["categorical"] = columns.nominal
    nominal = nominal_with_frame(estimator, estimator.nominal)[0]
    if nominal is not None:
        arrays["nominal"] = nominal_mask(nominal, estimator.n_features_in_, names)
    hierarchy = getattr(estimator, "hierarchy", None)
    if hierarchy is not None:
        arrays["class_names"] = text_array(hierarchy.names)
        arrays["hierarchy_start"] = hierarchy.parent_start.astype(np.int64)
        arrays["hierarchy_parent"] = hierarchy.parent_index.astype(np.int32)
    parameters = _parameters(estimator)
    header = {
        "method": entry.id,
        "version": _version(entry, parameters),
        "parameters": parameters,
        "multi_label": bool(estimator._multi_label),
        "n_features": int(estimator.n_features_in_),
        "state": own,
        "facts": dict(facts),
    }
    write_arrays(path, entry.kind, arrays, header)


def _parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that are values of JSON; the seed in use in place of a generator."""
    found = {
        name: value for name, value in estimator.get_params(deep=False).items() if name not in _ELSEWHERE
    }
    if "random_state" in found:
        found["random_state"] = estimator._seed
    if found.get("given") is not None and not isinstance(found["given"], str):
        found["given"] = np.asarray(found["given"]).tolist()
    return {name: _plain(value) for name, value in found.items()}


def _version(entry: Entry, parameters: Mapping[str, Any]) -> int | str:
    """Return the version of a method, and of another method that is its base."""
    base = parameters.get("base")
    if isinstance(base, str) and base in entries(entry.kind):
        return f"{entry.revision} (with {base} {lookup(entry.kind, base).revision})"
    return entry.revision


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str | list) else None


def read_header(path: str | os.PathLike[str]) -> tuple[Entry, dict[str, np.ndarray], dict[str, Any]]:
    """Return the registered method of a file of a model, its arrays and its header.

    Raises
    ------
    UserError
        If it is no such file, or one of another version.
    """
    arrays, header = read_arrays(path)
    if header.get("kind") not in KINDS:
        raise UserError(
            f"holds {header.get('kind')!r}, and no model", file=path, hint="give what --save-model wrote"
        )
    with complete(path, "model", _AGAIN):
        require_json(
            header,
            {"method": str, "version": (int, str), "parameters": dict, "multi_label": bool, "state": dict}
            | {"facts": dict, "n_features": int},
            ("method", "version", "parameters", "multi_label", "state", "facts", "n_features"),
        )
    try:
        entry = lookup(header["kind"], header["method"])
    except UserError as error:
        raise UserError(f"is of an {error.what}", file=path, hint="install or name what brings it") from error
    if not is_storable(entry.estimator):
        raise UserError(f"is of the method {entry.id}, which has no files of models", file=path, hint=_AGAIN)
    version = _version(entry, header["parameters"])
    if header["version"] != version:
        raise UserError(
            f"is of version {header['version']} of the method {entry.id}, whose version is {version} now",
            file=path,
            hint=f"{_AGAIN}, or predict with the mlsieve that fitted it",
        )
    return entry, arrays, header


def load_model(path: str | os.PathLike[str], estimator: Any = None) -> Any:
    """Return the fitted estimator that a file holds.

    Parameters
    ----------
    path : path-like
    estimator : class, optional
        The class that it must be of; default: any that has files.

    Raises
    ------
    UserError
        If the file is missing, damaged, of another version, or holds something else.
    """
    entry, arrays, header = read_header(path)
    made = entry.estimator if estimator is None else estimator
    if entry_of(made) != entry:
        raise UserError(
            f"is of the method {entry.id}", file=path, hint=f"load it by {entry.estimator.__name__}"
        )
    return model_from(path, made, arrays, header)


def model_from(
    path: str | os.PathLike[str], made: Any, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]
) -> Any:
    """Return the fitted estimator of a class that a file holds, of which `read_header` has read the rest.

    Raises
    ------
    UserError
        If arrays and header do not fit.
    """
    with complete(path, "model", _AGAIN):
        known = set(made._get_param_names()) - {*_ELSEWHERE}
        if set(header["parameters"]) != known:
            raise ValueError("its parameters are not those of the method")
        model = made(**header["parameters"])
        n_features = header["n_features"]
        if not 0 < n_features < _MOST_FEATURES:
            raise ValueError("its number of features is none")
        _restore_names(model, arrays, n_features)
        model.n_features_in_, model.facts_ = n_features, header["facts"]
        model.classes_, model._multi_label = arrays["classes"], header["multi_label"]
        if model.classes_.ndim != 1 or not len(model.classes_):
            raise ValueError("its classes are no list")
        require_finite("its classes", model.classes_)
        if model._multi_label and not np.array_equal(model.classes_, np.arange(len(model.classes_))):
            raise ValueError("its labels are not numbered")
        if "label_names" in arrays:
            model.label_names_in_ = np.array([*names_from(arrays["label_names"])], dtype=object)
            if len(model.label_names_in_) != len(model.classes_):
                raise ValueError("its labels do not fit their names")
        own = {name.removeprefix(_STATE): one for name, one in arrays.items() if name.startswith(_STATE)}
        model._restore(own, header["state"])
    return model


def _restore_names(model: Any, arrays: Mapping[str, np.ndarray], n_features: int) -> None:
    """Set names, categories and kinds of a model's features, and the hierarchy of its labels."""
    names = None
    if "feature_names" in arrays:
        names = names_from(arrays["feature_names"])
        if len(names) != n_features or len(set(names)) < n_features:
            raise ValueError("the names of its features do not fit")
        model.feature_names_in_ = np.array([*names], dtype=object)
    model._frame_columns = None
    if "categorical" in arrays:
        mask, values = arrays["categorical"], names_from(arrays["categories"])
        if mask.shape != (n_features,) or mask.dtype != np.bool_:
            raise ValueError("its categories are not those of its features")
        starts = arrays["categories_indptr"]
        require_starts(starts, n_features, len(values))
        own = [tuple(values[starts[j] : starts[j + 1]]) for j in np.flatnonzero(mask).tolist()]
        if sum(map(len, own)) != len(values) or any(len(set(one)) < len(one) for one in own):
            raise ValueError("its categories are not those of its features")
        categories: list[tuple[str, ...] | None] = [None] * n_features
        for place, one in zip(np.flatnonzero(mask).tolist(), own, strict=True):
            categories[place] = one
        shown = tuple(map(str, range(n_features))) if names is None else tuple(names)
        model._frame_columns = FrameColumns(shown, tuple(categories))
    if "nominal" in arrays:
        if arrays["nominal"].shape != (n_features,) or arrays["nominal"].dtype != np.bool_:
            raise ValueError("its nominal features are not marked")
        model.nominal = arrays["nominal"]
    if "hierarchy_start" in arrays:
        if not hasattr(model, "hierarchy") or "hierarchy" not in model._get_param_names():
            raise ValueError("it has a hierarchy, which the method does not take")
        model.hierarchy = Hierarchy(
            tuple(names_from(arrays["class_names"])), arrays["hierarchy_start"], arrays["hierarchy_parent"]
        )
        if model.hierarchy.n_classes != len(arrays["classes"]):
            raise ValueError("its hierarchy is one of other labels")
