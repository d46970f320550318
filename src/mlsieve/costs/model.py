"""What a job costs, from the size of its data and of what is made of them: CPU seconds, memory, disk.

Each cost is a sum of a few terms, such as the number of values that are stored, each times a factor of
`mlsieve.costs.coefficients`. The factors are fitted to jobs of finished studies; docs/scale.md reports how
well they fit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mlsieve.costs.coefficients import FACTORS

# What is not known of a dataset is that of a middling one.
UNKNOWN = {"n": 5_000, "F": 1_000, "L": 50, "cardinality": 3.0}

# An example whose value is missing goes down both branches: with each % of missing values, so many times a %
# more leaves hold it, up to a limit.
_MISSING_SHARE, _MISSING_LARGEST = 40.0, 3.5

# What a method that nobody measured estimates of itself is taken as it is.
_OWN, _OWN_FACTORS = "own", {"job": 1.0, "own": 1.0}


class Cost(NamedTuple):
    """What a job needs on one core.

    Attributes
    ----------
    minutes : float
        CPU time.
    megabytes : float
        Of memory, at the peak; 10^6 bytes.
    disk : float
        Megabytes (10^6 bytes) of its output.
    """

    minutes: float
    megabytes: float
    disk: float


@dataclass(frozen=True)
class Task:
    """What is known of a job before it runs.

    Attributes
    ----------
    step : str
        Rule of the workflow: prepare, discretise, grow, rank, predict, score or evaluate.
    n, n_train, n_features, n_labels : float
        Examples, those learned from, features, and labels or classes.
    cardinality : float
        Labels of an example in the mean.
    numeric : float
        Share of the features that are numeric, 0 to 1.
    nonzeros : float
        Values of X that are stored where it is sparse; 0 where it is dense.
    missing : float
        Missing values of X.
    hierarchical : bool
        Whether the labels are classes of a hierarchy.
    method, evaluator : str
        Ids; empty where the step has none.
    own_seconds : float or None
        What the method itself estimates, by its registered fact ``cost``.
    trees : float
        Trees of the ensemble that is grown or read; 0 without one.
    tried : float
        Features that a node of a tree tries.
    bootstrap : bool
        Whether trees have out-of-bag examples.
    gathers : bool
        Whether the statistics of the permutation score are gathered on them.
    both_definitions : bool
        Whether it is prepared as CLUS defines it, too.
    sizes : int
        Rankings that the job makes or evaluates.
    repeats : int
        Splits that the job goes through.
    """

    step: str
    n: float = UNKNOWN["n"]
    n_train: float = UNKNOWN["n"] * 2 / 3
    n_features: float = UNKNOWN["F"]
    n_labels: float = UNKNOWN["L"]
    cardinality: float = UNKNOWN["cardinality"]
    numeric: float = 1.0
    nonzeros: float = 0.0
    missing: float = 0.0
    hierarchical: bool = False
    method: str = ""
    evaluator: str = ""
    own_seconds: float | None = None
    trees: float = 0.0
    tried: float = UNKNOWN["F"]
    bootstrap: bool = False
    gathers: bool = True
    both_definitions: bool = False
    sizes: int = 1
    repeats: int = 1

    @property
    def stored(self) -> float:
        """Values of X that are stored: the non-zero ones of sparse data, all of dense."""
        return self.nonzeros or self.n * self.n_features


def features_tried(ensemble: str, max_features: int | float | str | None, n_features: float) -> float:
    """Return how many features a node of a tree tries; see `mlsieve.trees.growing.GrowOptions`."""
    if max_features == "sqrt" or (max_features is None and ensemble == "random-forest"):
        return math.sqrt(n_features)
    if max_features == "log2":
        return max(1.0, math.log2(n_features))
    if isinstance(max_features, float):
        return max_features * n_features
    return n_features if not isinstance(max_features, int) else min(max_features, n_features)


def terms(task: Task) -> dict[str, float]:
    """Return the quantities of which costs are sums; `mlsieve.costs.coefficients.FACTORS` names them."""
    train, test = task.n_train, max(1.0, task.n - task.n_train)
    flat, nested = (0.0, 1.0) if task.hierarchical else (1.0, 0.0)
    sparse = 1.0 if task.nonzeros else 0.0
    split_by_missing = min(
        _MISSING_LARGEST, 1 + _MISSING_SHARE * task.missing / max(1.0, task.n * task.n_features)
    )
    levels = math.log2(train + 2)  # of a tree
    root = math.sqrt(train)
    # A bootstrap sample holds 63 % of the examples, some of them twice; a leaf keeps the labels of those it
    # holds.
    kept = task.trees * train * (1 - math.exp(-1) if task.bootstrap else 1.0)
    grown = task.trees * train * split_by_missing
    # Values that a tree looks at on one of its levels.
    looked_at = grown * task.stored / task.n * min(1.0, task.tried / task.n_features)
    numeric, nominal = looked_at * task.numeric, looked_at * (1 - task.numeric)
    permuted = task.trees * train * task.bootstrap
    predictions = float(task.sizes) * task.repeats * test
    return {
        "job": 1.0,
        "splits": float(task.repeats),
        "own": task.own_seconds or 0.0,
        # The data.
        "values": task.stored,
        "cells": task.n * task.n_features,
        "label_cells": task.n * task.n_labels * flat,
        "labels_set": task.n * task.cardinality,
        "features": task.n_features,
        "split_values": task.repeats * task.stored,
        "split_cells": task.repeats * train * task.n_features,
        "split_label_cells": task.repeats * task.n * task.n_labels,
        "split_features": task.repeats * task.n_features,
        # Selectors: features with labels, features with those that are selected, pairs of labels.
        "value_labels": task.repeats * task.stored * task.n_labels,
        "selected_values": task.repeats * task.stored * math.sqrt(task.n),
        "selected_features": task.repeats * task.n_features * math.sqrt(task.n),
        "label_pairs": task.repeats * task.n * task.n_labels**2,
        # Ensembles: as they are kept, and what is done to grow them.
        "tree_rows": kept,
        "tree_labels": kept * task.cardinality * split_by_missing,
        "level_rows": task.trees * levels * train,
        "dense_levels": (1 - sparse) * numeric * levels,
        "dense_unsorted_levels": (1 - sparse) * numeric * levels * (not task.bootstrap),
        "dense_level_labels": (1 - sparse) * numeric * levels * task.cardinality,
        "dense_all_labels": (1 - sparse) * numeric * task.n_labels * flat,
        "nominal_level_labels": nominal * levels * task.cardinality,
        "sparse_levels": sparse * numeric * levels,
        "sparse_level_labels": sparse * numeric * levels * task.cardinality,
        "sparse_rows": sparse * task.trees * levels * task.stored * train / task.n,
        "drawn_features": task.trees * train * math.sqrt(task.tried),
        "tree_label_sums": task.trees * task.n_labels * root,
        "permuted_labels": permuted * levels * task.cardinality * split_by_missing,
        "permuted_walks": permuted * levels**2,
        "permuted_features": permuted * min(task.n_features, train),
        "permuted_classes": nested * permuted * levels**2 * task.cardinality * split_by_missing**2,
        # Evaluation.
        "pairs": float(task.sizes) * task.repeats * test * train,
        "pair_values": float(task.sizes) * task.repeats * test * task.stored * train / task.n,
        "predictions": predictions,
        "predictions_set": predictions * task.cardinality,
        "label_predictions": predictions * task.n_labels * flat,
        "class_predictions": predictions * task.n_labels * nested,
        "test_labels": test * task.n_labels,
        "split_test_labels": task.repeats * test * task.n_labels,
        "selected_label_predictions": task.repeats * test * task.n_labels * math.sqrt(task.n),
        "scores": float(task.sizes) * task.repeats,
    }


def parts(task: Task) -> tuple[str, ...]:
    """Return the keys of `FACTORS`' entries whose sums make a job's cost."""
    match task.step:
        case "grow":
            # CLUS's statistics took 0.7 to 2.5 times as long as the paper's, on eight sets.
            permutation = ("permutation",) * (3 if task.both_definitions else 1)
            return ("grow", "trees", *permutation) if task.bootstrap and task.gathers else ("grow", "trees")
        case "rank" if task.trees:
            return ("rank-ensemble",)
        case "rank":
            named = f"rank-{task.method}"
            if named in FACTORS["seconds"]:
                return (named,)
            return (_OWN,) if task.own_seconds is not None else ("rank",)
        case "predict" if task.evaluator == "mlnb":
            return ("evaluate",)
        case "evaluate" if task.evaluator not in ("mlnb", ""):
            return ("predict", "score")
        case _:
            return (task.step,)


def _sum(factors: Mapping[str, float], values: Mapping[str, float]) -> float:
    return sum(factor * values[name] for name, factor in factors.items())


def predicted(task: Task) -> Cost:
    """Return what a job is expected to cost on one core: the middle of what was measured, without headroom.

    Parameters
    ----------
    task : Task

    Raises
    ------
    KeyError
        If the step is none of the rules that `Task` names.
    """
    values = terms(task)
    found = {}
    for quantity, by_part in FACTORS.items():
        keys = parts(task) if quantity == "seconds" else (_memory_part(task),)
        # Parts of seconds add up; a peak of memory, or a file, is the job's own.
        found[quantity] = sum(_sum(_OWN_FACTORS if key is _OWN else by_part[key], values) for key in keys)
    return Cost(found["seconds"] / 60, found["megabytes"], found["bytes"] / 1e6)


def _memory_part(task: Task) -> str:
    """Return the key of `FACTORS`' entries of memory and disk."""
    if task.step == "rank":
        return "rank-ensemble" if task.trees else "rank"
    return task.step
