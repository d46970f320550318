"""PPT+RF: ReliefF on label sets as classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.data.validation import category_counts
from mlsieve.rankers.relief import draws_examples, estimated_seconds, examples_in_use
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.registry import AtLeast, AtMost, register
from mlsieve.registry.parameters import MoreThan
from mlsieve.relief.multi_class import relieff_scores
from mlsieve.selectors._pruned_problem import Count, Pruned, pruned_problem
from mlsieve.selectors.scored import select_by_score


@register.ranker(
    "ppt-rf",
    version=2,
    tasks=("mlc",),
    doi="10.1016/j.neucom.2015.02.045",
    smoke={"p": 1, "m": 10, "n_neighbors": 3},
    cost=estimated_seconds,  # as if no example were pruned; with p = 1 it can take four times as long
    seeded=draws_examples,
    not_configurable=("n_categories", "feature_names"),
    selects=True,
    estimator="mlsieve.selectors:PPTRelief",
)
def ppt_relief_selection(
    X: Any,
    y: Any,
    *,
    k: SelectionSize = None,
    p: Count = 6,
    pruned: Pruned = "drop",
    n_subsets: Count = 2,
    n_neighbors: Count = 10,
    m: Annotated[int, AtLeast(1)] | Annotated[float, MoreThan(0), AtMost(1)] = 1.0,
    nominal: Any = None,
    n_categories: Any = None,
    feature_names: Sequence[str] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> Selection:
    """PPT+RF: ReliefF for the classes that a pruned problem transformation forms from label sets.

    Every label set that occurs at least p times, the empty one among them, is a class (Read: A pruned
    problem transformation method for multi-label classification, NZCSRSC 2008); the features are scored by
    ReliefF (Kononenko: Estimating attributes, ECML 1994), see `mlsieve.relief.multi_class`, and the best
    selected. Both together are PPT-ReliefF of Reyes, Morell, Ventura (Neurocomputing 161, 2015).

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
        Features are taken as they are. NaN is missing.
    y : csr_array, shape (n, L)
        0/1 labels.
    k : int or float, optional
        How many features to select, or their share; default ceil(sqrt(n)), n being the rows that are given.
    p : int
        Label sets that occur fewer than p times are pruned.
    pruned : {"drop", "subsets"}
        Whether their examples take no part, or are re-added as subsets that occur at least p times.
    n_subsets : int
        With "subsets", the most that an example is re-added as: those of more labels first, then the more
        frequent (strategy A_b of Read, Pfahringer, Holmes, ICDM 2008). Never as the empty set.
    n_neighbors : int
        Number of neighbours of each class; of a class of fewer examples all, averaged over their number.
    m : int or float
        Number of examples that look for their neighbours (of fewer, all), or as a float their share of all
        that are not pruned, in (0, 1], rounded half up to at least one.
    nominal : array-like, optional
        Nominal features (mask, indices, or names), holding category positions 0, 1, ...
    n_categories : array-like of int, shape (F,), optional
        Number of declared categories of each nominal feature; default: as many as occur.
    feature_names : sequence of str, shape (F,), optional
        For `nominal` and for errors.
    random_state : int
        Seed of the permutation whose first m examples are taken, where m are not all; and of the order in
        which equally good features are taken, which is one of their contents.
    n_jobs : int
        Threads, at least 1; results do not depend on it.

    Returns
    -------
    Selection
        Its scores are ReliefF's, in [-1, 1]. Features that do not vary are last.

    Raises
    ------
    ValueError
        If fewer than two label sets occur p times, or `nominal` or `n_categories` does not fit X.
    UserError
        If a feature's range is not a finite number.
    """
    counts = category_counts(X, nominal, X.shape[1], feature_names, n_categories)
    problem = pruned_problem(y, p=p, pruned=pruned, n_subsets=n_subsets)
    n_examples = len(problem.rows)
    in_use = examples_in_use(m, n_examples)
    drawn = np.argsort(np.random.Philox(random_state).random_raw(n_examples), kind="stable")[:in_use]
    in_use_of_X = X[problem.rows]
    scores = relieff_scores(
        in_use_of_X,
        problem.classes,
        n_neighbors=n_neighbors,
        examples=None if in_use == n_examples else drawn,
        n_values=counts,
        n_threads=n_jobs,
        feature_names=feature_names,
    )
    places = canonical_places(column_digests(X), random_state)
    return select_by_score(wanted_size(k, *X.shape), scores, _varies(in_use_of_X), places)


def _varies(X: Any) -> np.ndarray:
    """Return which features hold two different values, missing being one; ndarray of bool, shape (F,)."""
    n, n_features = X.shape
    if not sp.issparse(X):
        low, high, n_missing = np.fmin.reduce(X), np.fmax.reduce(X), np.isnan(X).sum(axis=0)
        return (low < high) | ((n_missing > 0) & (n_missing < n))
    cells = sp.csr_array(X, copy=True)
    cells.sum_duplicates()
    has_zero = np.bincount(cells.indices, minlength=n_features) < n
    n_missing = np.bincount(cells.indices, np.isnan(cells.data), minlength=n_features)
    low, high = np.where(has_zero, 0.0, np.inf), np.where(has_zero, 0.0, -np.inf)
    np.fmin.at(low, cells.indices, cells.data)
    np.fmax.at(high, cells.indices, cells.data)
    return (low < high) | ((n_missing > 0) & (n_missing < n))
