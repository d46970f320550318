"""MLC- and HMLC-Relief: does a feature differ between near examples more where their label sets differ?"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.neighbors import relief
from mlsieve.distances.label_sets import HierarchicalDistance
from mlsieve.progress import counted
from mlsieve.relief.rows import prepare_rows

TargetDistance = Literal["hamming", "accuracy", "f1", "subset"]
_TARGETS = {"hamming": 0, "accuracy": 1, "f1": 2, "subset": 3}
_EUCLIDEAN, _WEIGHT = 4, 5
# Examples whose sums are formed together. It is what threads share out, and fixes the order of the sums.
_BLOCK = 32


def relief_scores(
    X: Any,
    Y: sp.csr_array,
    *,
    distance: TargetDistance | HierarchicalDistance = "f1",
    k_values: Sequence[int] = (15,),
    m_values: Sequence[int] = (),
    sigma: float = 0.0,
    n_values: np.ndarray | None = None,
    seed: int = 0,
    n_threads: int = 1,
    feature_names: Sequence[str] | None = None,
) -> np.ndarray:
    """Score the features for several numbers of neighbours and of examples in one pass.

    For each of m examples, T is the mean distance of its K neighbours' label sets to its own, A_i the mean
    distance in feature i, AT_i the mean of the products (RReliefF's sums, Robnik-Šikonja and Kononenko 2003).
    The neighbours are the K other examples with the smallest sum of distances in all features. Sums that
    differ by no more than 1e-12 of the largest that two rows can have, one per feature, are equal: the lower
    row comes first.

    Parameters
    ----------
    X : ndarray of float64 (C-contiguous) or csr_array, shape (n, F)
        NaN is missing.
    Y : csr_array, shape (n, L)
        0/1 labels.
    distance : {"f1", "hamming", "accuracy", "subset"} or HierarchicalDistance
        Distance of two label sets; with the latter, Y is closed upwards.
    k_values : sequence of int
        Numbers of neighbours, within 1 .. n - 1, in any order.
    m_values : sequence of int
        Numbers of examples that look for their neighbours, within 1 .. n, in any order; default n. The first
        m of one seeded permutation are taken, and as many searches made as the largest m; the result for
        one m does not depend on the others asked for.
    sigma : float
        The k-th neighbour, k = 0, 1, ..., weighs ``exp(-(sigma k)^2)``, divided by the sum of the weights;
        from about 30 on, the nearest alone counts.
    n_values : ndarray of int, shape (F,), optional
        Number of categories of each nominal feature, 0 for a numeric one.
    seed, n_threads : int
    feature_names : sequence of str, optional
        For the error.

    Returns
    -------
    ndarray of float64, shape (len(k_values), len(m_values), F)
        ``AT_i / T - (A_i - AT_i) / (m - T)``; a term without denominator (the label sets of all neighbours
        equal, or all at distance 1) is 0. In [-1, 1], unless distances exceed 1 (an unbounded
        HierarchicalDistance): then m - T may come near 0, or be negative.

    Raises
    ------
    ValueError
        If a number of neighbours or examples is out of its range.
    UserError
        If a feature's range is not a finite number.
    """
    n, n_features = X.shape
    ks, k_places = _distinct("k_values", k_values, n - 1)
    ms, m_places = _distinct("m_values", m_values if len(m_values) else [n], n)
    counts = np.zeros(n_features, np.int64) if n_values is None else np.asarray(n_values)
    comparison = prepare_rows(X, counts, feature_names).comparison
    order = np.argsort(np.random.Philox(seed).random_raw(n), kind="stable").astype(np.int32)[: ms[-1]]
    weights = _neighbor_weights(sigma, int(ks[-1]))
    labels = _label_arguments(Y, distance)

    def sums(first: int) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Return a block's sums up to each m within it, and up to its end."""
        last = min(first + _BLOCK, len(order))
        means, targets = np.zeros((2, len(ks), n_features)), np.zeros((2, len(ks)))
        found = []
        for end in [*(m for m in ms if first < m < last), last]:
            relief.relief(comparison, order[first:end], ks, weights, *labels, *means, *targets)
            found.append((end, means.copy(), targets.copy()))
            first = end
        return found

    scores = np.zeros((len(ks), len(ms), n_features))
    means, targets = np.zeros((2, len(ks), n_features)), np.zeros((2, len(ks)))
    starts = range(0, len(order), _BLOCK)
    with ThreadPoolExecutor(n_threads) as pool:
        for found in counted(pool.map(sums, starts), "blocks of examples", len(starts)):
            for end, more_means, more_targets in found:
                if end in ms:
                    scores[:, ms == end] = _quotients(means + more_means, targets + more_targets)[:, None]
            means, targets = means + more_means, targets + more_targets
    return scores[np.ix_(k_places, m_places)]


def _label_arguments(Y: sp.csr_array, distance: TargetDistance | HierarchicalDistance) -> tuple[Any, ...]:
    """Return what the kernels take of the labels and their distance."""
    rows = (Y.indptr.astype(np.int64), Y.indices.astype(np.int32))
    if isinstance(distance, str):
        return *rows, _TARGETS[distance], float(Y.shape[1]), np.empty(0), 0.0, 1.0
    kind = _EUCLIDEAN if distance.rooted else _WEIGHT
    return *rows, kind, float(Y.shape[1]), distance.weights, distance.divisor, distance.most


def _distinct(name: str, values: Sequence[int], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the values rising and without repetition, as int32, and each value's place in them."""
    distinct, places = np.unique(np.asarray(values, np.int64), return_inverse=True)
    if not len(distinct) or not 1 <= distinct[0] <= distinct[-1] <= most:
        raise ValueError(f"{name} = {list(values)} are not within 1 .. {most}")
    return distinct.astype(np.int32), places


def _neighbor_weights(sigma: float, k: int) -> np.ndarray:
    """Return exp(-(sigma j)^2) of j = 0 .. k - 1."""
    with np.errstate(over="ignore"):
        return np.exp(-((sigma * np.arange(k, dtype=np.float64)) ** 2))


def _quotients(means: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return AT_i / T - (A_i - AT_i) / (m - T) of the sums of both terms."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(targets[:, :, None] != 0, means / targets[:, :, None], 0.0)
    return shares[0] - shares[1]
