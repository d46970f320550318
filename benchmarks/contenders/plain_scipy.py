"""SCLS of binary features, and the classes that differ most, as a user of scipy.sparse would write them.

All M(f; l) come from one sparse product X'Y, and each round needs only the counts of the newly chosen feature
with all others, a product of X' with one column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.data import load
from benchmarks.hierarchical import synthetic_graph


def available() -> str | None:
    """Return None: mlsieve itself needs it."""
    return None


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    if spec["work"] == "pairs":
        hierarchy = synthetic_graph(spec["shape"]["terms"])
        above, weights = sp.csr_array(hierarchy.ancestors, dtype=np.float64), hierarchy.weights()
        return lambda: {"found": largest_difference(above, weights)}
    dataset = load(spec["dataset"], spec.get("shape"))
    X, Y, k = sp.csr_array(dataset.X), dataset.Y, spec["amount"]

    def run() -> dict[str, Any]:
        scls(X, Y, k)
        return {}

    return run


def scls(X: sp.csr_array, Y: sp.csr_array, k: int) -> list[int]:
    """Return the indices of k binary features, constant ones not among them; in the order of selection."""
    n = X.shape[0]
    by_feature = X.T.tocsr()
    by_column = X.tocsc()
    ones, positives = X.sum(axis=0), Y.sum(axis=0)
    both = (by_feature @ Y).toarray()
    relevance = information(both, ones[:, None], positives[None, :], n).sum(axis=1)
    entropy = (xlogx(n) - xlogx(ones) - xlogx(n - ones)) / n
    redundancy = np.zeros(len(ones))
    chosen: list[int] = []
    left = entropy > 0
    for _ in range(k):
        criterion = np.where(left, relevance * (1 - redundancy / np.where(left, entropy, 1)), -np.inf)
        best = int(criterion.argmax())
        chosen.append(best)
        left[best] = False
        with_best = by_feature @ by_column[:, [best]].toarray().ravel()
        redundancy += information(with_best, ones, ones[best], n)
    return chosen


def largest_difference(above: sp.csr_array, weights: np.ndarray, block: int = 500) -> float:
    """Return the largest weight of the classes in one of two rows only, from products of all rows."""
    weighted = above @ sp.diags_array(weights)
    of_row, turned, most = above @ weights, above.T.tocsr(), 0.0
    for first in range(0, above.shape[0], block):
        common = (weighted[first : first + block] @ turned).toarray()
        most = max(most, float((of_row[first : first + block, None] + of_row - 2 * common).max()))
    return most


def information(both: np.ndarray, ones: np.ndarray, others: np.ndarray, n: int) -> np.ndarray:
    """Return the mutual information of binary variables in bits, from how often both and each are 1."""
    joint = xlogx(both) + xlogx(ones - both) + xlogx(others - both) + xlogx(n - ones - others + both)
    return (joint - xlogx(ones) - xlogx(n - ones) - xlogx(others) - xlogx(n - others) + xlogx(n)) / n


def xlogx(counts: Any) -> np.ndarray:
    """Return x log2(x), 0 for 0."""
    counts = np.asarray(counts, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1))
