"""Rough cost of a step from its data's size: what is asked of a cluster, and what `mlsieve plan` adds up.

The numbers are estimates with room to spare for a core that does nothing else, not predictions; only those of
growing trees are meant to be met within a factor of about three either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

# Seconds for each million units of work (see `work`) on one core.
SECONDS = {
    "prepare": 2.0,
    "discretise": 0.5,
    "grow": 1.0,
    "rank": 0.5,
    "predict": 0.1,
    "score": 0.1,
    "evaluate": 0.1,
}
START = 1.0  # seconds for a Python process with its imports
# An unknown set is taken for a middling one.
UNKNOWN = {"n": 5_000, "F": 1_000, "L": 50, "cardinality": 3.0}
# Bytes of a number of X in memory: a sparse matrix holds its column, too.
DENSE_BYTES, SPARSE_BYTES = 8, 12


def cells(counts: Mapping[str, float]) -> float:
    """Return the number of values that are stored: all n F of a dense set, the non-zero ones of a sparse."""
    return counts.get("nonzeros") or counts["n"] * counts["F"]


def features_tried(ensemble: str, max_features: int | float | str | None, n_features: float) -> float:
    """Return how many features a node of a tree tries; see `mlsieve.trees.growing.GrowOptions`."""
    if max_features == "sqrt" or (max_features is None and ensemble == "random-forest"):
        return math.sqrt(n_features)
    if isinstance(max_features, float):
        return max_features * n_features
    return n_features if not isinstance(max_features, int) else min(max_features, n_features)


def work(
    step: str, counts: Mapping[str, float], sizes: int = 1, largest: int = 1, tried: float | None = None
) -> float:
    """Return the units of work of a step.

    Parameters
    ----------
    step : str
        A key of `SECONDS`.
    counts : mapping
        n (rows), F (features), L (labels), cardinality; what is missing is taken from `UNKNOWN`. Sparse data
        have nonzeros, too: their cost depends on what is stored. n_train rows are learned from; two thirds,
        if it is missing.
    sizes : int
        Number of rankings that the step makes or evaluates.
    largest : int
        Number of trees grown.
    tried : float, optional
        Features that a node of a tree tries; default all.
    """
    known = UNKNOWN | {key: value for key, value in counts.items() if value}
    n, n_features, n_labels = known["n"], known["F"], known["L"]
    stored = cells(known)
    match step:
        case "prepare" | "discretise":
            return stored
        case "grow":
            # On each level of a tree its rows are parted, and what they store of the features tried meets
            # their labels; each node, of which there is one to a few rows, looks at each feature tried. The
            # factors fit 51 ensembles of 17 sets, with 129 to 21,519 training rows, 19 to 47,236 features, 6
            # to 983 labels, dense and sparse: within a factor of 3, but for two whose labels a handful of
            # tests tells, and which take a millisecond a tree (medical, 5 times too high, and genbase, 87).
            share = 1.0 if tried is None else tried / n_features
            train = known.get("n_train", 2 / 3 * n)
            rows = 0.5 * train + 0.008 * stored * train / n * share * math.sqrt(1 + known["cardinality"])
            return largest * (math.log2(train + 2) * rows + 0.0075 * train * n_features * share)
        case "predict":
            # Each pair of a test and a training row: its features that are not zero, and the comparison.
            return sizes * (n / 3) * n * (20 + stored / n) / 100
        case "score":
            return sizes * (n / 3) * n_labels * 5
        case "evaluate":
            return work("predict", counts, sizes) + work("score", counts, sizes)
        case _:
            return largest * (n + n_features)
    raise AssertionError(step)


def method_seconds(
    cost: Callable[[Mapping[str, float], Mapping[str, Any]], float],
    counts: Mapping[str, float],
    settings: Mapping[str, Any],
) -> float:
    """Return the seconds that a method's own registered fact ``cost`` estimates for one core.

    Parameters
    ----------
    cost : callable
        Of (counts, settings): counts hold n, F, L, cardinality and stored (values of X that are stored),
        settings all parameters of the method.
    counts : mapping
        As for `work`.
    settings : mapping
    """
    known = UNKNOWN | {key: value for key, value in counts.items() if value}
    return cost({**known, "stored": cells(known)}, settings)


def estimate(
    step: str,
    counts: Mapping[str, float],
    sizes: int = 1,
    largest: int = 1,
    tried: float | None = None,
    seconds: float | None = None,
) -> tuple[float, float]:
    """Return (minutes, megabytes) of a step on one core.

    Parameters
    ----------
    step, counts, sizes, largest, tried
        See `work`.
    seconds : float, optional
        What the step's method itself estimates (see `method_seconds`), in place of `work`.
    """
    known = UNKNOWN | {key: value for key, value in counts.items() if value}
    if seconds is None:
        seconds = SECONDS[step] * work(step, counts, sizes, largest, tried) / 1e6
    seconds += START
    megabytes = cells(known) * (SPARSE_BYTES if known.get("nonzeros") else DENSE_BYTES) / 1e6
    labels = known["n"] * known["L"] * 8 / 1e6
    return seconds / 60, 300 + 4 * megabytes + (sizes * labels if step in {"predict", "score"} else labels)
