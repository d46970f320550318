"""Predictions that obey a hierarchy: who has a class has all classes above it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import InvalidSetting, number_of
from mlsieve.hierarchy import Hierarchy


def consistent(scores: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return scores in which no class has more than a class above it: the least of its own and all above.

    Parameters
    ----------
    scores : ndarray of float64, shape (n, C)
    hierarchy : Hierarchy
        Of C classes.

    Returns
    -------
    ndarray of float64, shape (n, C)
    """
    of_class = np.ascontiguousarray(scores.T)  # whole rows are compared
    if of_class is scores or np.shares_memory(of_class, scores):
        of_class = of_class.copy()
    for c in hierarchy.topological_order.tolist():
        for parent in hierarchy.parents(c).tolist():
            np.minimum(of_class[c], of_class[parent], out=of_class[c])
    return np.ascontiguousarray(of_class.T)


def closed_labels(labels: sp.csr_array, classes: Any, hierarchy: Hierarchy | None) -> sp.csr_array:
    """Return the labels given to an estimator with all classes above them.

    Parameters
    ----------
    labels : csr_array of uint8, shape (n, L)
    classes : ndarray or None
        Classes of a single column of y; None for a label matrix.
    hierarchy : Hierarchy, optional
        None: the labels are flat and stay as they are.

    Raises
    ------
    InvalidSetting
        If the hierarchy has another number of classes, or y is a single column.
    """
    if hierarchy is None:
        return labels
    if classes is not None:
        raise InvalidSetting(
            "a hierarchy needs a label matrix, and y is a single column of classes",
            hint="give a 0/1 matrix with one column per class of the hierarchy",
        )
    if labels.shape[1] != hierarchy.n_classes:
        raise InvalidSetting(
            f"y has {number_of(labels.shape[1], 'column')}, the hierarchy "
            f"{number_of(hierarchy.n_classes, 'class')}",
            hint="give one column per class, in the hierarchy's order",
        )
    return hierarchy.close(labels)
