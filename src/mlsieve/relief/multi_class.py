"""ReliefF for several classes: does a feature differ between near examples of different classes?"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.neighbors import relieff
from mlsieve.distances.features import FeatureDistance
from mlsieve.progress import counted
from mlsieve.relief.rows import prepare_rows

# Examples whose sums are formed together. It is what threads share out, and fixes the order of the sums.
_BLOCK = 32


def relieff_scores(
    X: Any,
    classes: np.ndarray,
    *,
    n_neighbors: int = 10,
    examples: np.ndarray | None = None,
    n_values: np.ndarray | None = None,
    n_threads: int = 1,
    feature_names: Sequence[str] | None = None,
) -> np.ndarray:
    """Score the features by ReliefF (Kononenko 1994; Robnik-Šikonja and Kononenko 2003, eq. 1 and 2).

    For each example, a feature gains its mean distance to the nearest examples of every other class c,
    weighted by P(c) / (1 - P(the example's class)), and loses its mean distance to the nearest of the same
    class; the scores are means over the examples. The neighbours are the K other examples of the class with
    the smallest sum of distances in all features; of sums that differ by no more than 1e-12 of the number of
    features, the earlier rows. A class of fewer examples
    gives all that it has, averaged over their number; a class of one has nothing near to itself, and its
    example nothing to lose.

    Parameters
    ----------
    X : ndarray of float64 (C-contiguous) or csr_array, shape (n, F)
        NaN is missing. Distances in a feature are those of `mlsieve.distances.features.FeatureDistance`, with
        ranges of these rows.
    classes : ndarray of int, shape (n,)
        Classes 0 .. C - 1, each of which occurs.
    n_neighbors : int
        K, at least 1.
    examples : ndarray of int, shape (m,), optional
        Rising rows of the examples that look for neighbours; default all.
    n_values : ndarray of int, shape (F,), optional
        Number of categories of each nominal feature, 0 for a numeric one.
    n_threads : int
    feature_names : sequence of str, optional
        For the error.

    Returns
    -------
    ndarray of float64, shape (F,)
        In [-1, 1].

    Raises
    ------
    UserError
        If a feature's range is not a finite number.

    Notes
    -----
    Weka's program divides by K whether a class has as many examples or not, so that small classes count
    less; scikit-rebate divides, as here, by the number found.
    """
    n, n_features = X.shape
    by_class = np.argsort(classes, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(classes))]).astype(np.int32)
    counts = np.zeros(n_features, np.int64) if n_values is None else np.asarray(n_values)
    X = X[by_class]
    scale, comparison = prepare_rows(X, counts, feature_names)
    # Of complete numeric features |a - b| is added up, and the sum divided by the range.
    raw = (scale.n_values == 0) & ~scale.missing
    exact = _differences_are_counted(X, scale)
    place = np.empty(n, np.int32)
    place[by_class] = np.arange(n, dtype=np.int32)
    order = np.sort(place if examples is None else place[examples])

    def sums(first: int) -> np.ndarray:
        found = np.zeros(n_features)
        block = order[first : first + _BLOCK]
        relieff.relieff(comparison, block, start, n_neighbors, len(order), exact, raw.astype(np.uint8), found)
        return found

    total = np.zeros(n_features)
    starts = range(0, len(order), _BLOCK)
    with ThreadPoolExecutor(n_threads) as pool:
        for found in counted(pool.map(sums, starts), "blocks of examples", len(starts)):
            total += found
    return np.where(raw, total / scale.span, total)


def _differences_are_counted(X: Any, scale: FeatureDistance) -> bool:
    """Return whether distances are counts of features that differ, which single precision holds exactly."""
    if scale.missing.any() or X.shape[1] >= 2**22:
        return False
    numeric = scale.n_values == 0
    values = X.data[numeric[X.indices]] if sp.issparse(X) else X[:, numeric]
    return bool(((values == 0) | (values == 1)).all())
