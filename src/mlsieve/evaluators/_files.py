"""What evaluators have learned as arrays of files, which are checked where they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.distances.features import FeatureDistance
from mlsieve.evaluators._likelihoods import CategoryLikelihoods, LabelCounts, NormalLikelihoods
from mlsieve.evaluators._naive_bayes import LabelOdds
from mlsieve.files.checked import csr_from, require_counts, require_finite

_KINDS: dict[bool, tuple[str, Any]] = {
    True: ("category_", CategoryLikelihoods),
    False: ("normal_", NormalLikelihoods),
}
# What counts and the two kinds of likelihoods hold, by shape: F features, K listed categories, L labels.
_COUNTS = {"of_label": "L", "_missing": "FL", "_n_missing": "F"}
_OF_KIND = {
    True: {
        "_n_categories": "F",
        "_keys": "K",
        "_with_label": "KL",
        "_rows_with": "K",
        "_listed": "FL",
        "_n_listed": "F",
    },
    False: {
        **dict.fromkeys(("_n_known", "_centre", "_spread", "_sum", "_square"), "F"),
        **dict.fromkeys(("_sums", "_squares"), "FL"),
    },
}
# What may be negative.
_SIGNED = ("_centre", "_sum", "_sums")


def rows_state(X: Any) -> dict[str, np.ndarray]:
    """Return the arrays by which a file holds rows, ndarray or csr_array of shape (n, F)."""
    if not sp.issparse(X):
        return {"X": X}
    X = sp.csr_array(X, copy=True)
    X.sum_duplicates()
    return {
        "X_data": X.data,
        "X_indices": X.indices.astype(np.int32),
        "X_indptr": X.indptr.astype(np.int64),
    }


def rows_from(arrays: Mapping[str, np.ndarray], shape: tuple[int, int], n_values: np.ndarray) -> Any:
    """Return the rows of which `rows_state` made arrays; nominal features have `n_values` categories each.

    Raises
    ------
    ValueError, KeyError
        If something is missing or of another kind, or a value is none of its feature.
    """
    if "X" in arrays:
        X: Any = np.ascontiguousarray(arrays["X"])
        nominal = n_values > 0
        if X.shape != shape:
            raise ValueError("its rows have another shape than it states")
        values, codes, most = X, X[:, nominal], n_values[nominal]
    else:
        X = csr_from(arrays["X_data"], arrays["X_indices"], arrays["X_indptr"], shape)
        of_nominal = n_values[X.indices] > 0
        values, codes, most = X.data, X.data[of_nominal], n_values[X.indices[of_nominal]]
    if values.dtype != np.float64:
        raise ValueError("its rows are no numbers")
    require_finite("its rows", values, missing=True)
    if not (np.isnan(codes) | ((codes >= 0) & (codes < most) & (codes == np.floor(codes)))).all():
        raise ValueError("a nominal feature has a value that is none of its categories")
    return X


def require_distance(distance: FeatureDistance, n_features: int) -> None:
    """Raise a ValueError unless the scale of a file is one of so many features."""
    for name, dtype in (("low", np.float64), ("span", np.float64), ("n_values", np.int32), ("missing", bool)):
        array = getattr(distance, name)
        if array.shape != (n_features,) or array.dtype != dtype:
            raise ValueError("its distance is not one of its features")
    require_finite("its ranges", distance.low, distance.span)
    if not (distance.span > 0).all() or (distance.n_values < 0).any():
        raise ValueError("its ranges are none")


def state_of_odds(odds: LabelOdds) -> dict[str, np.ndarray]:
    """Return the arrays by which a file holds the classifiers of multi-label naive Bayes."""
    found = {"n_categories": odds._n_categories.astype(np.int64), "prior": odds._prior}
    model: Any
    for kind, model in odds._models.items():
        prefix, _ = _KINDS[kind]
        found[f"{prefix}n"] = np.array([model._counts.n])
        for owner, names in ((model._counts, _COUNTS), (model, _OF_KIND[kind])):
            for name in names:
                array = getattr(owner, name)
                parts = {"": array}
                if sp.issparse(array):
                    array = sp.csr_array(array, copy=True)
                    array.sum_duplicates()
                    indices, starts = array.indices.astype(np.int32), array.indptr.astype(np.int64)
                    parts = {"_data": array.data, "_indices": indices, "_indptr": starts}
                found |= {f"{prefix}{name.strip('_')}{part}": values for part, values in parts.items()}
    return found


def odds_from(arrays: Mapping[str, np.ndarray], n_features: int, n_labels: int) -> LabelOdds:
    """Return the classifiers of which `state_of_odds` made arrays.

    Raises
    ------
    ValueError, KeyError
        If something is missing or of another kind, or numbers are none of counts.
    """
    n_categories, prior = arrays["n_categories"], arrays["prior"]
    require_counts("numbers of categories", n_categories, n_features)
    if prior.shape != (n_labels,) or prior.dtype != np.float64:
        raise ValueError("its prior is not one of its labels")
    require_finite("its priors", prior)
    models: dict[bool, Any] = {}
    for kind, (prefix, made) in _KINDS.items():
        chosen = n_categories[(n_categories > 0) == kind]
        if not len(chosen):
            continue
        model, counts = made.__new__(made), LabelCounts.__new__(LabelCounts)
        size = arrays[f"{prefix}n"]
        if size.shape != (1,) or size.dtype != np.float64 or not 0 < size[0] < 2**53:
            raise ValueError("its number of examples is none")
        counts.n, model._counts = float(size[0]), counts
        keys = {"F": len(chosen), "L": n_labels, "K": len(arrays["category_keys"]) if kind else 0}
        for owner, names in ((counts, _COUNTS), (model, _OF_KIND[kind])):
            for name, shape in names.items():
                sizes = tuple(keys[letter] for letter in shape)
                setattr(owner, name, _part(arrays, f"{prefix}{name.strip('_')}", sizes, name in _SIGNED))
        if kind and (np.diff(model._keys) <= 0).any():
            raise ValueError("its categories are not in order")
        if kind and not np.array_equal(model._n_categories, chosen):
            raise ValueError("its numbers of categories do not fit")
        if not kind and not ((model._spread > 0).all() and (model._n_known >= 1).all()):
            raise ValueError("its normal distributions are none")
        models[kind] = model
    return LabelOdds.of_models(n_categories, prior, models)


def _part(arrays: Mapping[str, np.ndarray], name: str, shape: tuple[int, ...], signed: bool) -> Any:
    if len(shape) == 2:
        data, indices, starts = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
        found: Any = csr_from(data, indices, starts, (shape[0], shape[1]))
        values = found.data
    else:
        found = values = arrays[name]
        if found.shape != shape:
            raise ValueError("its counts do not fit")
    if values.dtype != (np.int64 if name.endswith("keys") else np.float64):
        raise ValueError("its counts are no numbers")
    require_finite("its counts", values)
    if not signed and (values < 0).any():
        raise ValueError("its counts are negative")
    return found
