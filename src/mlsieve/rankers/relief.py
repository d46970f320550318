"""MLC- and HMLC-Relief as a feature ranker."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.data.validation import category_counts
from mlsieve.distances.label_sets import (
    Definition,
    HierarchicalDistance,
    LargestOf,
    hierarchical_distance,
)
from mlsieve.errors import DataNotice, UserError, number_of
from mlsieve.hierarchy import ClassWeights, Hierarchy
from mlsieve.registry import AtLeast, AtMost, register
from mlsieve.registry.parameters import MoreThan
from mlsieve.relief.multi_label import TargetDistance, relief_scores

Distance = Literal["f1", "hamming", "accuracy", "subset", "hierarchical"]


def examples_in_use(m: int | float, n: int) -> int:
    """Return the number of examples that m means: a count (at most n), or a share, rounded half up.

    A share is taken as it is written: 0.29 of 50 are 14.5, though as a binary number 0.29 is a little less.
    """
    count = int(m) if isinstance(m, (int, np.integer)) else math.floor(Fraction(str(m)) * n + Fraction(1, 2))
    return max(1, min(count, n))


def examples_of_percentage(size: int, n: int) -> int:
    """Return size % of n examples, rounded half up, at least one."""
    return max(1, (2 * int(size) * n + 100) // 200)


def estimated_seconds(counts: Mapping[str, float], settings: Mapping[str, Any]) -> float:
    """Return the estimated cost in seconds of one core: m searches, each through all values that are stored.

    The factor is twice the largest of 10 sets on which it can be measured (0.4 to 1.4 nanoseconds).
    """
    return 3e-9 * examples_in_use(settings["m"], int(counts["n"])) * counts["stored"]


def draws_examples(settings: Mapping[str, Any]) -> bool:
    """Return whether the scores depend on the seed: not where all examples look for their neighbours."""
    share = settings["m"]
    return not (isinstance(share, float) and share == 1.0)


_NEIGHBORS = 15  # by default; of fewer examples these are all, without a word


@register.ranker(
    "relief",
    version=3,
    tasks=("mlc", "hmlc"),
    doi="10.1007/s10994-020-05908-1",
    smoke={"k": 3, "m": 10},
    cost=estimated_seconds,
    seeded=draws_examples,
    sizes="m",
    not_configurable=("n_categories", "feature_names", "sizes"),
)
def relief_importances(
    X: Any,
    y: Any,
    *,
    distance: Distance | None = None,
    k: Annotated[int, AtLeast(1)] = _NEIGHBORS,
    m: Annotated[int, AtLeast(1)] | Annotated[float, MoreThan(0), AtMost(1)] = 0.25,
    sigma: Annotated[float, AtLeast(0)] = 0.0,
    mu: LargestOf | None = None,
    definition: Definition = "paper",
    class_weights: ClassWeights | None = None,
    class_weight_decay: Annotated[float, MoreThan(0), AtMost(1)] | None = None,
    hierarchy: Hierarchy | None = None,
    nominal: Any = None,
    n_categories: Any = None,
    feature_names: Sequence[str] | None = None,
    sizes: Sequence[int] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> np.ndarray:
    """MLC- and HMLC-Relief: a feature is relevant if it separates near examples with different label sets.

    Parameters
    ----------
    X : ndarray of float64 (C-contiguous) or csr_array, shape (n, F)
        NaN is missing; n at least 2.
    y : csr_array, shape (n, L)
        0/1 labels; with a hierarchy closed upwards, and without stored zeros.
    distance : {"f1", "hamming", "accuracy", "subset", "hierarchical"} or None
        Distance of two label sets: 1 - F1, the share of labels in which they differ, 1 - Jaccard index,
        whether they differ at all, or how far apart they are in the hierarchy (the root of the weight of the
        classes in which they differ, times mu). Two empty sets are at distance 0. None: "hierarchical" with a
        hierarchy, else "f1".
    k : int
        Number of neighbours; with fewer other examples, all of them are taken.
    m : int or float
        Number of examples that look for their neighbours (of fewer, all), or as a float their share of all,
        in (0, 1], rounded half up to at least one.
    sigma : float
        The k-th neighbour, k = 0, 1, ..., weighs ``exp(-(sigma k)^2)``, divided by the sum of the weights;
        0: all weigh the same.
    mu : {"sets", "pairs", "observed"} or None
        The hierarchical distance is divided by the largest distance of any two closed label sets, of two
        classes (each with all classes above it), or of two training examples. With "pairs", label sets of
        several classes can be at distances above 1. None: "sets". Refused, as the other settings of the
        hierarchical distance are, with any other distance.
    definition : {"paper", "clus"}
        "clus" is the hierarchical distance of the program CLUS: without the root, divided by the largest
        distance of two classes that are the most specific ones of training examples, each with all above it;
        mu is not used, distances can be above 1, and examples without a class are left out. With distances
        above 1 scores can leave [-1, 1].
    class_weights : {"mean", "sum", "min", "max"} or None
        What is taken of several parents' weights: a class weighs `class_weight_decay` times that. None:
        "mean".
    class_weight_decay : float or None
        Above 0, at most 1. Top-level classes weigh 1. None: 0.75.
    hierarchy : Hierarchy, optional
        Of the columns of y; label sets are completed with all classes above theirs.
    nominal : array-like of bool, of int or of str, optional
        Nominal features (mask, indices, or names of X's columns), holding category positions 0, 1, ...
    n_categories : array-like of int, shape (F,), optional
        Number of declared categories of each nominal feature; default: as many as occur. A missing nominal
        value is at distance ``1 - 1 / n_categories`` from any.
    random_state : int
        Seed of the permutation whose first m examples are taken.
    n_jobs : int
        Threads; results do not depend on it.
    feature_names : sequence of str, shape (F,), optional
        For `nominal` and for errors.
    sizes : sequence of int, optional
        Numbers of examples in percent, within 1 .. 100, in place of m, which is then not read. One pass
        serves all, and gives each the scores that ``m=size / 100`` gives alone.

    Returns
    -------
    ndarray of float64, shape (F,), or with sizes (len(sizes), F)
        In [-1, 1], unless label sets can be at distances above 1 (mu = "pairs", definition = "clus").

    Raises
    ------
    ValueError
        If `nominal` or `n_categories` does not fit X, or a size is no percentage.
    UserError
        If a feature's range is not a finite number, or a setting does not apply to the labels.

    References
    ----------
    Petković, Džeroski, Kocev: Multi-label feature ranking with ensemble methods, Machine Learning 109, 2020.

    Petković, Džeroski, Kocev: Feature Ranking for Hierarchical Multi-Label Classification with Tree Ensemble
    Methods, Acta Polytechnica Hungarica 17(10), 2020.
    """
    if definition == "clus" and hierarchy is not None:
        X, y = _with_classes(X, y)
    target = target_distance(
        y,
        hierarchy,
        distance,
        mu=mu,
        definition=definition,
        class_weights=class_weights,
        class_weight_decay=class_weight_decay,
    )
    n, n_features = X.shape
    if n - 1 < k != _NEIGHBORS:
        what = (
            f"k = {k} exceeds the {number_of(n - 1, 'other example')}: relief uses all of them as neighbours"
        )
        warnings.warn(DataNotice(what), stacklevel=2)
    counts = category_counts(X, nominal, n_features, feature_names, n_categories)
    if sizes is not None and not (len(sizes) and all(1 <= size <= 100 for size in sizes)):
        raise ValueError(f"sizes must be percentages from 1 to 100, got {list(sizes)}")
    ms = [examples_in_use(m, n)] if sizes is None else [examples_of_percentage(size, n) for size in sizes]
    scores = relief_scores(
        X,
        y,
        distance=target,
        k_values=[min(k, n - 1)],
        m_values=ms,
        sigma=float(sigma),
        n_values=counts,
        seed=random_state,
        n_threads=n_jobs,
        feature_names=feature_names,
    )[0]
    return scores[0] if sizes is None else scores


def target_distance(
    y: sp.csr_array,
    hierarchy: Hierarchy | None,
    distance: Distance | None,
    *,
    mu: LargestOf | None,
    definition: Definition,
    class_weights: ClassWeights | None,
    class_weight_decay: float | None,
) -> TargetDistance | HierarchicalDistance:
    """Return the distance of label sets that the settings of `relief_importances` select.

    Raises
    ------
    UserError
        If a setting does not apply to the labels or to the other settings.
    """
    name = distance or ("f1" if hierarchy is None else "hierarchical")
    if name != "hierarchical":
        unused = f"distance = {name} makes no use of the hierarchy"
        reason = "the labels have no hierarchy" if hierarchy is None else unused
        given = {
            "mu": mu,
            "definition": None if definition == "paper" else definition,  # of flat labels, too
            "class_weights": class_weights,
            "class_weight_decay": class_weight_decay,
        }
        for parameter, value in given.items():
            if value is not None:
                raise UserError(f"{parameter} = {value} does not apply: {reason}", hint="leave it out")
        return name
    if hierarchy is None:
        raise UserError(
            "distance = hierarchical does not apply: the labels have no hierarchy",
            hint="use f1, hamming, accuracy or subset",
        )
    if definition == "clus" and mu is not None:
        raise UserError(
            f"mu = {mu} does not apply: definition = clus has a scale of its own", hint="give one of them"
        )
    return hierarchical_distance(
        hierarchy,
        y,
        mu=mu or "sets",
        definition=definition,
        class_weights=class_weights or "mean",
        class_weight_decay=0.75 if class_weight_decay is None else class_weight_decay,
    )


def _with_classes(X: Any, y: sp.csr_array) -> tuple[Any, sp.csr_array]:
    """Return the examples with a class: CLUS leaves out the others as it reads them."""
    with_class = np.diff(y.indptr) > 0
    if with_class.sum() < 2:
        raise UserError(
            "definition = clus leaves out examples without a class: there are not two others",
            hint="use definition = paper",
        )
    return (X, y) if with_class.all() else (X[with_class], y[with_class])
