"""What each label weighs in the trees' impurity: its variance for flat labels, its place in a hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import InvalidSetting
from mlsieve.hierarchy import ClassWeights, Hierarchy
from mlsieve.trees.options import DEFAULT_CLASS_WEIGHTS, DEFAULT_DECAY

_LARGEST_SUM = 1e300


def variance_weights(Y: sp.csr_array) -> np.ndarray:
    """Weight of each label in the impurity of flat labels: 1 / Var_train(y_j), 0 for a constant label.

    Parameters
    ----------
    Y : scipy.sparse.csr_array of uint8, shape (n, L)
        Training labels.

    Returns
    -------
    ndarray of float64, shape (L,)
    """
    n = Y.shape[0]
    positives = np.bincount(Y.indices, minlength=Y.shape[1]).astype(np.float64)
    scaled = positives * (n - positives)
    with np.errstate(divide="ignore"):
        return np.where(scaled > 0, n * n / np.where(scaled > 0, scaled, 1.0), 0.0)


def impurity_weights(
    Y: sp.csr_array,
    hierarchy: Hierarchy | None = None,
    *,
    rule: ClassWeights = DEFAULT_CLASS_WEIGHTS,
    decay: float = DEFAULT_DECAY,
    label_weights: Any = None,
) -> np.ndarray:
    """Return w_j of impurity(E) = sum_j w_j Var_E(y_j).

    Parameters
    ----------
    Y : scipy.sparse.csr_array of uint8, shape (n, L)
        Training labels.
    hierarchy : Hierarchy, optional
        Of the labels; without one they are flat, and the weights those of `variance_weights`.
    rule, decay
        See `mlsieve.hierarchy.Hierarchy.weights`; for labels in a hierarchy only.
    label_weights : array-like of float, shape (L,), optional
        Taken as they are, with a hierarchy and without.

    Returns
    -------
    ndarray of float64, shape (L,)

    Raises
    ------
    InvalidSetting
        If weights of classes are asked of flat labels, or besides `label_weights`; or on weights that are not
        one finite number of at least 0 a label, or too large to be summed.
    """
    chosen = rule != DEFAULT_CLASS_WEIGHTS or decay != DEFAULT_DECAY
    if chosen and hierarchy is None:
        raise no_hierarchy("class_weights" if rule != DEFAULT_CLASS_WEIGHTS else "class_weight_decay")
    if chosen and label_weights is not None:
        raise InvalidSetting(
            "label_weights take the place of the weights by class_weights and class_weight_decay",
            hint="give one or the other",
        )
    if label_weights is not None:
        weights = np.ascontiguousarray(label_weights, dtype=np.float64)
    elif hierarchy is not None:
        weights = hierarchy.weights(rule, decay)
    else:
        weights = variance_weights(Y)
    n, n_labels = Y.shape
    if weights.shape != (n_labels,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise InvalidSetting(
            f"label_weights must be {n_labels} finite numbers of at least 0", hint="give one a label"
        )
    if weights.max(initial=0.0) > _LARGEST_SUM / (n * n * max(1, n_labels)):
        raise InvalidSetting(
            f"label_weights of up to {weights.max():g} are too large to be summed", hint="divide them all"
        )
    return weights


def no_hierarchy(setting: str, of: str = "these labels are flat") -> InvalidSetting:
    """Return the error of a setting for classes in a hierarchy that is given for flat labels."""
    return InvalidSetting(
        f"'{setting}' is about the classes of a hierarchy, and {of}",
        hint="leave it out, or give data with a hierarchy",
    )
