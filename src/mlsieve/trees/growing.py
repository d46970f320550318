"""Growing an ensemble: options, threads, and the label weights of the impurity."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, get_args

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels._grower import TreeGrower, bootstrap_counts
from mlsieve._kernels._grown import GrownTrees
from mlsieve._kernels._permutation import permutation_errors
from mlsieve.errors import UserError, did_you_mean
from mlsieve.registry import AtLeast, AtMost, check_values, parameter_schemas
from mlsieve.trees.columns import code_columns
from mlsieve.trees.ensemble import Ensemble, TreeErrors, join_trees
from mlsieve.work import WorkClock

EnsembleKind = Literal["bagging", "random-forest", "extra-trees"]
MaxFeatures = (
    Annotated[int, AtLeast(1)] | Annotated[float, AtLeast(1e-6), AtMost(1)] | Literal["sqrt", "all"] | None
)
MinLeaf = Annotated[float, AtLeast(1)]
Threshold = Literal["value", "midpoint"]
ENSEMBLES: tuple[str, ...] = get_args(EnsembleKind)
LARGEST_SEED = 2**63 - 1
_LONGEST_RUN = 16  # trees: so that progress is told, and what grew in vain is little
_LARGEST_SUM = 1e300
_Grown = tuple[GrownTrees, list[TreeErrors | None]]  # of a run of trees


class InvalidSetting(UserError, ValueError):
    """A wrong parameter: a ValueError for scikit-learn, one line for the command line."""


@dataclass(frozen=True)
class GrowOptions:
    """How trees are grown.

    Attributes
    ----------
    ensemble : {"bagging", "random-forest", "extra-trees"}
        Bagging: bootstrap, all features. Random forest: bootstrap, ceil(sqrt(F)) features a node. Extra
        trees: no bootstrap, all features, one random test a feature (Petković, Džeroski, Kocev, Machine
        Learning 2020).
    max_features : int, float, "sqrt", "all" or None
        Features tried in a node: a count, a share, or a rule; None is the ensemble's own.
    min_leaf : float
        Least weight of a child's examples (bootstrap multiplicities count), >= 1.
    threshold : {"value", "midpoint"}
        Numeric tests compare with the largest value on the "no" side (CLUS) or with the mid-point.
    bootstrap : bool or None
        None is the ensemble's own.
    """

    ensemble: EnsembleKind = "random-forest"
    max_features: MaxFeatures = None
    min_leaf: MinLeaf = 2.0
    threshold: Threshold = "value"
    bootstrap: bool | None = None

    def __post_init__(self) -> None:
        values = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in asdict(self).items()
        }
        if self.ensemble not in ENSEMBLES:
            raise InvalidSetting(
                f"unknown ensemble '{self.ensemble}'", cure=did_you_mean(str(self.ensemble), ENSEMBLES)
            )
        try:
            check_values("ranker 'pct'", parameter_schemas(GrowOptions), values)
        except UserError as error:
            raise InvalidSetting(error.what, cure=error.cure) from None

    @property
    def draws_bootstrap(self) -> bool:
        """Whether each tree sees a bootstrap sample."""
        return self.ensemble != "extra-trees" if self.bootstrap is None else bool(self.bootstrap)

    def n_candidates(self, n_features: int) -> int:
        """Return how many features a node tries, in 1 .. n_features."""
        rule = self.max_features
        if rule is None:
            rule = "sqrt" if self.ensemble == "random-forest" else "all"
        if rule == "sqrt":
            return max(1, math.ceil(math.sqrt(n_features)))
        if rule == "all":
            return n_features
        if isinstance(rule, float):
            rule = math.ceil(rule * n_features)
        return max(1, min(int(rule), n_features))  # type: ignore[arg-type]


def variance_weights(Y: sp.csr_array) -> np.ndarray:
    """Weight of each label in the MLC impurity: 1 / Var_train(y_j), 0 for a label that is constant.

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
    permutation: bool = True,
    seed: int = 0,
    n_threads: int = 1,
    progress: Callable[[int], None] | None = None,
    clock: WorkClock | None = None,
) -> Ensemble:
    """Grow an ensemble of predictive clustering trees for multi-label classification.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing; nominal features hold category positions.
    Y : scipy.sparse.csr_array, shape (n, L)
        Labels.
    n_trees : int
        Number of trees; tree t is the same in every ensemble of the same seed, whatever n_trees.
    options : GrowOptions, optional
    category_counts : ndarray of int, shape (F,), optional
        Number of categories of nominal features, 0 for numeric ones.
    label_weights : ndarray of float64, shape (L,), optional
        Weight of each label in the impurity; default `variance_weights`.
    permutation : bool
        Whether to gather the permutation statistics of the out-of-bag examples (bootstrap ensembles only).
    seed : int
        Non-negative.
    n_threads : int
        Threads; the result does not depend on it.
    progress : callable, optional
        Called with 1 after each tree; with several threads, with a number of trees after as many.
    clock : WorkClock, optional
        Told the CPU seconds of the work.

    Returns
    -------
    Ensemble
    """
    options = options or GrowOptions()
    if isinstance(n_trees, bool) or not isinstance(n_trees, (int, np.integer)) or n_trees < 1:
        raise InvalidSetting(f"{n_trees!r} trees make no ensemble", cure="give a whole number from 1")
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidSetting(f"seed {seed} is out of range", cure="give a whole number from 0 to 2**63 - 1")
    n, n_features = X.shape
    clock = clock or WorkClock()
    with clock.measure("once"):
        tries_all = options.n_candidates(n_features) == n_features
        store = code_columns(X, category_counts, with_tests=tries_all)
    label_start = np.ascontiguousarray(Y.indptr, dtype=np.int64)
    label_index = np.ascontiguousarray(Y.indices, dtype=np.int32)
    weights = (
        variance_weights(Y)
        if label_weights is None
        else np.ascontiguousarray(label_weights, dtype=np.float64)
    )
    if weights.shape != (Y.shape[1],) or not np.isfinite(weights).all() or (weights < 0).any():
        raise InvalidSetting(
            f"label_weights must be {Y.shape[1]} finite numbers of at least 0", cure="give one a label"
        )
    if Y.shape[0] != n:
        raise ValueError(f"X has {n} rows and Y has {Y.shape[0]}")
    if weights.max(initial=0.0) > _LARGEST_SUM / (n * n * max(1, len(weights))):
        raise InvalidSetting(
            f"label_weights of up to {weights.max():g} are too large to be summed", cure="divide them all"
        )
    gather = permutation and options.draws_bootstrap

    own = threading.local()  # a grower works on one tree at a time
    growers: list[TreeGrower] = []

    def grow(trees: range) -> _Grown:
        if not hasattr(own, "grower"):
            own.grower = TreeGrower(
                store,
                label_start,
                label_index,
                weights,
                n_candidates=options.n_candidates(n_features),
                min_leaf=options.min_leaf,
                random_tests=options.ensemble == "extra-trees",
                midpoint=options.threshold == "midpoint",
                seed=seed,
            )
            growers.append(own.grower)
        with clock.measure("trees", time.thread_time):
            grown = own.grower.grow_many(trees.start, trees.stop, options.draws_bootstrap)
        errors: list[TreeErrors | None] = [None] * len(grown)
        if gather:
            with clock.measure("permutation", time.thread_time):
                for at, tree in enumerate(trees[: len(grown)]):
                    rows = np.flatnonzero(bootstrap_counts(seed, tree, n) == 0).astype(np.int32)
                    labels = label_start, label_index, Y.shape[1]
                    errors[at] = len(rows), *permutation_errors(store, grown[at], *labels, rows, seed, tree)
        if progress is not None:
            progress(len(grown))
        return grown, errors

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
    }
    two_valued = (
        np.zeros(n_features, bool)
        if category_counts is None
        else (category_counts > 0) & (category_counts <= 2)
    )
    errors = [error for _, of_run in results for error in of_run]
    runs_grown = [run for run, _ in results]
    return join_trees(runs_grown, errors, n_features=n_features, two_valued=two_valued, facts=facts)
