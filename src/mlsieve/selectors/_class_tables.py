"""Contingency tables of discrete features and the classes that a pruned problem transformation leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.coded_columns import ColumnStore, code_columns
from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.data.validation import nominal_mask
from mlsieve.discretize import Discretization, learn_cuts
from mlsieve.rankings.selection import Selection, wanted_size
from mlsieve.selectors._pruned_problem import Pruned, PrunedProblem, pruned_problem
from mlsieve.selectors.scored import select_by_score


def select_by_tables(
    X: Any,
    y: sp.csr_array,
    statistic: Callable[[np.ndarray], float],
    *,
    k: int | float | None,
    p: int,
    pruned: Pruned,
    n_subsets: int,
    discretize: Discretization,
    nominal: Any,
    digests: np.ndarray | None,
    random_state: int,
) -> Selection:
    """Select the features whose tables have the highest statistics.

    Numeric features are cut on all rows that are given; then the rows of pruned label sets go.

    Parameters
    ----------
    X, y, k, p, pruned, n_subsets, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.ppt_mi.ppt_information_selection`.
    statistic : callable
        Given a table, ndarray of int64, shape (values, classes), without empty rows or columns and with two
        values at least.
    """
    problem = pruned_problem(y, p=p, pruned=pruned, n_subsets=n_subsets)
    numeric = None if nominal is None else ~nominal_mask(nominal, X.shape[1])
    size = wanted_size(k, *X.shape)
    places = canonical_places(column_digests(X) if digests is None else digests, random_state)
    if discretize != "none" and (numeric is None or numeric.any()):
        X = learn_cuts(X, y, method=discretize, numeric=numeric).transform(X)
    store = code_columns(X[problem.rows], with_tests=False)
    scores, varies = np.zeros(store.n_features), np.zeros(store.n_features, bool)
    sizes = np.bincount(problem.classes, minlength=problem.n_classes)
    for feature in range(store.n_features):
        table = _table(store, feature, problem, sizes)
        if len(table) > 1:
            scores[feature], varies[feature] = statistic(table), True
    return select_by_score(size, scores, varies, places)


def _table(store: ColumnStore, feature: int, problem: PrunedProblem, sizes: np.ndarray) -> np.ndarray:
    """Return how many examples of each class hold each of a feature's values, missing being the first."""
    slot, n_classes = store.dense_slot[feature], problem.n_classes
    n_values = store.value_start[feature + 1] - store.value_start[feature] + 1
    if slot >= 0:
        codes, classes = store.codes[slot], problem.classes
    else:
        listed = slice(store.column_start[feature], store.column_start[feature + 1])
        codes, classes = store.column_code[listed], problem.classes[store.column_row[listed]]
    cells = np.bincount((codes.astype(np.int64) + 1) * n_classes + classes, minlength=n_values * n_classes)
    table = cells.reshape(n_values, n_classes)
    if slot < 0:
        table[store.rest_code[feature] + 1] = sizes - table.sum(axis=0)
    return table[table.any(axis=1)]
