"""Growing an ensemble, by several threads, and what each label weighs in the impurity."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.trees.grow.grown_trees import GrownTrees
from mlsieve._kernels.trees.grow.tree_grower import TreeGrower, bootstrap_counts
from mlsieve.costs.measured import MANY_TREES, WorkClock, require_memory
from mlsieve.data.coded_columns import code_columns
from mlsieve.errors import InvalidSetting, number_of
from mlsieve.hierarchy import ClassWeights, Hierarchy
from mlsieve.trees.ensemble import Ensemble, join_trees
from mlsieve.trees.options import DEFAULT_CLASS_WEIGHTS, DEFAULT_DECAY, GrowOptions, no_hierarchy
from mlsieve.trees.out_of_bag import Labels, TreeErrors, join_errors, tree_errors

LARGEST_SEED = 2**63 - 1
_LONGEST_RUN = 16  # trees: progress shows often, and an interrupted run loses few of them
_LARGEST_SUM = 1e300
_Grown = tuple[GrownTrees, list[TreeErrors]]  # of a run of trees


def _runs(n_trees: int, n_threads: int) -> list[range]:
    """Return the trees that a thread grows at once: fewer and fewer, so that all end at the same time."""
    runs, first = [], 0
    while first < n_trees:
        length = 1 if n_threads <= 1 else min(_LONGEST_RUN, max(1, (n_trees - first) // (4 * n_threads)))
        runs.append(range(first, first + length))
        first += length
    return runs


def grow_ensemble(
    X: Any,
    Y: sp.csr_array,
    *,
    n_trees: int,
    options: GrowOptions | None = None,
    category_counts: np.ndarray | None = None,
    label_weights: np.ndarray | None = None,
    hierarchy: Hierarchy | None = None,
    permutation: bool = True,
    seed: int = 0,
    n_threads: int = 1,
    progress: Callable[[int], None] | None = None,
    clock: WorkClock | None = None,
) -> Ensemble:
    """Grow an ensemble of predictive clustering trees, for flat labels or classes of a hierarchy.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing; nominal features hold category positions.
    Y : scipy.sparse.csr_array, shape (n, L)
        Labels, 0 or 1.
    n_trees : int
        Number of trees; tree t is the same in every ensemble of the same seed, whatever n_trees.
    options : GrowOptions, optional
    category_counts : ndarray of int, shape (F,), optional
        Number of categories of nominal features, 0 for numeric ones.
    label_weights : ndarray of float64, shape (L,), optional
        Weight of each label in the impurity, instead of `impurity_weights`.
    hierarchy : Hierarchy, optional
        Of the labels, C = L; label sets are closed upwards first.
    permutation : bool
        Whether to gather the permutation statistics of the out-of-bag examples (bootstrap ensembles only).
    seed : int
        Non-negative.
    n_threads : int
        Threads; the result does not depend on it.
    progress : callable, optional
        Called with 1 after each tree; with several threads, with a number of trees after as many.
    clock : WorkClock, optional
        Counts the CPU seconds of the work.

    Returns
    -------
    Ensemble

    Raises
    ------
    InvalidSetting
        On a wrong number of trees, seed or setting, or one that these labels or trees cannot have.
    ValueError
        If X, Y and the hierarchy do not fit.
    """
    options = options or GrowOptions()
    if isinstance(n_trees, bool) or not isinstance(n_trees, (int, np.integer)) or n_trees < 1:
        raise InvalidSetting(
            f"number of trees must be a whole number of at least 1, got {n_trees!r}", hint="give e.g. 100"
        )
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidSetting(f"seed {seed} is out of range", hint="give a whole number from 0 to 2**63 - 1")
    n, n_features = X.shape
    clock = clock or WorkClock()
    with clock.measure("once"):
        tries_all = options.n_candidates(n_features) == n_features
        order_seed = seed if options.ties == "random" else None
        store = code_columns(X, category_counts, with_tests=tries_all, order_seed=order_seed)
    if Y.shape[0] != n:
        raise ValueError(f"X has {number_of(n, 'row')} and y has {Y.shape[0]}")
    if hierarchy is not None:
        Y = hierarchy.close(Y)
    weights = impurity_weights(
        Y,
        hierarchy,
        rule=options.class_weights,
        decay=options.class_weight_decay,
        label_weights=label_weights,
    )
    labels = Labels(
        np.ascontiguousarray(Y.indptr, dtype=np.int64),
        np.ascontiguousarray(Y.indices, dtype=np.int32),
        Y.shape[1],
    )
    error_kind = options.error_kind(hierarchy is not None)
    gather = permutation and options.draws_bootstrap

    own = threading.local()  # a grower works on one tree at a time
    growers: list[TreeGrower] = []

    def grow(trees: range) -> _Grown:
        if not hasattr(own, "grower"):
            own.grower = TreeGrower(
                store,
                labels.starts,
                labels.indices,
                weights,
                n_candidates=options.n_candidates(n_features),
                min_leaf=options.min_leaf,
                random_tests=options.ensemble == "extra-trees",
                midpoint=options.threshold == "midpoint",
                random_ties=options.ties == "random",
                seed=seed,
            )
            growers.append(own.grower)
        with clock.measure("trees", time.thread_time):
            grown = own.grower.grow_many(trees.start, trees.stop, options.draws_bootstrap)
        errors: list[TreeErrors] = []
        if gather:
            with clock.measure("permutation", time.thread_time):
                for at, tree in enumerate(trees[: len(grown)]):
                    rows = np.flatnonzero(bootstrap_counts(seed, tree, n) == 0).astype(np.int32)
                    of_tree = (store, grown[at], labels, rows, seed, tree, options.definition == "clus")
                    errors.append(tree_errors(error_kind, *of_tree))
        if progress is not None:
            progress(len(grown))
        return grown, errors

    if n_trees > MANY_TREES:
        tree = sum(array.nbytes for array in grow(range(1))[0][0].values())
        # Once as trees, once as an ensemble.
        require_memory(2 * tree * n_trees, f"{n_trees:,} trees", hint="grow fewer trees")
    runs = _runs(n_trees, n_threads)
    if n_threads <= 1:
        results = [grow(run) for run in runs]
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                results = list(pool.map(grow, runs))
            except BaseException:  # an interrupt, above all, which the pool would wait out
                for grower in growers:
                    grower.stop()
                raise
    facts = {
        "options": asdict(options),
        "bootstrap": options.draws_bootstrap,
        "n_candidates": options.n_candidates(n_features),
        "seed": seed,
        "n_train": n,
        "n_labels": int(Y.shape[1]),
        "hierarchical": hierarchy is not None,
        "out_of_bag_error": error_kind if gather else None,
    }
    two_valued = (
        np.zeros(n_features, bool)
        if category_counts is None
        else (category_counts > 0) & (category_counts <= 2)
    )
    errors = [error for _, of_run in results for error in of_run]
    oob = join_errors(error_kind, errors) if gather else None
    return join_trees(
        [run for run, _ in results],
        oob,
        data_column=store.data_column,
        copy_of=store.copy_of,
        two_valued=two_valued,
        facts=facts,
        label_weight=weights if hierarchy is not None or label_weights is not None else None,
    )


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
            f"label_weights must be {n_labels} finite numbers of at least 0", hint="give one for each label"
        )
    if weights.max(initial=0.0) > _LARGEST_SUM / (n * n * max(1, n_labels)):
        raise InvalidSetting(
            f"label_weights of up to {weights.max():g} are too large to be summed", hint="divide them all"
        )
    return weights
