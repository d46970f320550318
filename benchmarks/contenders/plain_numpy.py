"""In plain numpy: MDMR of binary features from dense matrices, and LAIM that counts anew for every cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.contenders.plain_scipy import information
from benchmarks.data import load


def available() -> str | None:
    """Return None: mlsieve itself needs it."""
    return None


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    dataset, amount = load(spec["dataset"], spec.get("shape")), spec["amount"]
    if spec["work"] == "laim":
        return _cutting(dataset, amount)
    X, Y = _dense(dataset.X), _dense(dataset.Y)

    def run() -> dict[str, Any]:
        mdmr(X, Y, amount)
        return {}

    return run


def _cutting(dataset: Any, n_features: int) -> Callable[[], dict[str, Any]]:
    """Return LAIM on so many of the numeric features, spread over all of them."""
    X, Y = _dense(dataset.X_train), _dense(dataset.Y_train)
    numeric = np.flatnonzero(~dataset.nominal)
    some = numeric[np.unique(np.linspace(0, len(numeric) - 1, min(n_features, len(numeric))).astype(int))]

    def run() -> dict[str, Any]:
        for feature in some:
            laim(X[:, feature], Y)
        return {"amount": len(some), "full": len(numeric)}

    return run


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix, dtype=np.float64)


def mdmr(X: np.ndarray, Y: np.ndarray, k: int) -> list[int]:
    """Return the indices of k binary features, constant ones not among them; in the order of selection."""
    n = X.shape[0]
    ones, positives, both = X.sum(axis=0), Y.sum(axis=0), X.T @ Y
    relevance = information(both, ones[:, None], positives, n).sum(axis=1)
    penalties = np.zeros(len(ones))
    chosen: list[int] = []
    left = (ones > 0) & (ones < n)
    while len(chosen) < k:
        criterion = np.where(left, relevance - penalties / max(len(chosen), 1), -np.inf)
        best = int(criterion.argmax())
        chosen.append(best)
        left[best] = False
        if len(chosen) < k:
            penalties += information(X.T @ X[:, best], ones, ones[best], n)
            penalties -= relevance_given(X, Y, X[:, best], both)
    return chosen


def relevance_given(X: np.ndarray, Y: np.ndarray, chosen: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Return the sum over labels of M(f; l | chosen) of every feature, from the counts of all three."""
    n = len(chosen)
    all_three = (X * chosen[:, None]).T @ Y
    total = np.zeros(X.shape[1])
    for counts, rows in ((all_three, chosen), (both - all_three, 1 - chosen)):
        size = int(rows.sum())
        if size:
            total += information(counts, (rows @ X)[:, None], rows @ Y, size).sum(axis=1) * size / n
    return total


def laim(values: np.ndarray, Y: np.ndarray) -> list[float]:
    """Return the cuts of one feature, rising; every candidate is judged by counts of its own."""
    values, Y = values[~np.isnan(values)], Y[~np.isnan(values)]
    distinct = np.unique(values)
    candidates = list((distinct[:-1] + distinct[1:]) / 2)
    cuts: list[float] = []
    reached = -1.0
    while candidates:
        found = [criterion(values, Y, sorted([*cuts, cut])) for cut in candidates]
        best = int(np.argmax(found))
        if not found[best] > reached * (1 + 1e-12):
            break
        reached = found[best]
        cuts = sorted([*cuts, candidates.pop(best)])
    return cuts


def criterion(values: np.ndarray, Y: np.ndarray, cuts: list[float]) -> float:
    """Return LAIM's criterion of the intervals between the cuts, but for the sum of all labels."""
    interval = np.searchsorted(cuts, values)
    total = 0.0
    for one in range(len(cuts) + 1):
        counts = Y[interval == one].sum(axis=0)
        if counts.any():
            total += counts.max() ** 2 / counts.sum()
    return total / (len(cuts) + 1)
