"""Chains of labels by random decision trees: what is set in which order, with which probability."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.chains.label_chain import predict_chains
from mlsieve.chains.random_trees import RandomTrees
from mlsieve.chains.sequence import LabelSequence

Decision = Literal["eq16", "threshold"]
NextLabel = Literal["certain", "probable"]
_BLOCK_CELLS = 2**20  # dense cells of X that a thread holds
_STATE_BYTES = 2**21  # pooled counts of the rows that go through a tree together
_MOST_ROWS_AT_ONCE = 8


def by_label(labels: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return what each step of a whole chain has in the order of the labels.

    Parameters
    ----------
    labels : ndarray of int, shape (n, L)
        The label that each step sets.
    values : ndarray, shape (n, L)
        One value a step.
    """
    out = np.empty_like(values)
    np.put_along_axis(out, labels.astype(np.intp), values, axis=1)
    return out


def weight_unit(n_trees: int, n_labels: int) -> float:
    """Return the number of units in a weight of 1: a power of 2 with which all sums are exact."""
    return 2.0 ** min(40, 52 - (n_trees * n_labels - 1).bit_length())


def predicted_sequence(
    trees: RandomTrees,
    X: Any,
    *,
    order: np.ndarray | None = None,
    next_label: NextLabel = "certain",
    decision: Decision = "eq16",
    sigma: float = 1.0,
    n_threads: int = 1,
) -> LabelSequence:
    """Set the labels of each row one after the other (sections 4.2 and 4.3 of the paper on dynamic chains).

    A tree's probability of a label is pooled over the leaves that the row reaches (eq. 9), where tests on
    labels not yet set, tests that are not active, and missing cells are followed into all branches. Where the
    leaves hold no row, the root's counts take their place; so they do for the ensemble if all trees weigh 0.

    Parameters
    ----------
    trees : RandomTrees
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing.
    order : ndarray of int, shape (L,), optional
        Of a static chain.
    next_label : {"certain", "probable"}
        Without an order, the next label is the one whose probability is farthest from 1/2 (eq. 15), or the
        one with the highest (eq. 6); the first of several.
    decision : {"eq16", "threshold"}
        Eq. 16 steers the number of positive labels towards R; with "threshold" a label is positive if its
        probability is at least 1/2.
    sigma : float
        Share of each tree's label tests that are active, rounded to a number of tests, halves up. Those of a
        smaller share are among those of a larger one.
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    LabelSequence
        Of all L labels; the cardinality is R (eq. 12), rounded, halves up.

    Notes
    -----
    A tree's weight (eq. 10) over the N rows that it pools is rounded to an even number of `weight_unit`. Sums
    of the trees' shares are then exact: they do not depend on the order of the trees, and a tree's share can
    be replaced while a chain goes on.
    """
    n, n_labels = X.shape[0], trees.n_labels
    labels, cardinality = np.empty((n, n_labels), np.int32), np.empty((n, n_labels))
    probabilities, positive = np.empty((n, n_labels)), np.empty((n, n_labels), np.uint8)
    n_active = np.floor(sigma * trees.label_tests() + 0.5).astype(np.int32)
    state = trees.n_trees * n_labels * 4 if n_active.any() else 1
    chain = np.empty(0, np.int32) if order is None else np.ascontiguousarray(order, np.int32)

    def run(rows: slice) -> None:
        block = X[rows].toarray() if sp.issparse(X) else X[rows]
        predict_chains(
            trees,
            np.ascontiguousarray(block, np.float64),
            chain,
            next_label == "probable",
            n_active,
            decision == "threshold",
            weight_unit(trees.n_trees, n_labels),
            max(1, min(_MOST_ROWS_AT_ONCE, _STATE_BYTES // state)),
            labels[rows],
            probabilities[rows],
            positive[rows],
            cardinality[rows],
        )

    blocks = list(_blocks(n, trees.n_features))
    if n_threads <= 1 or len(blocks) < 2:
        for rows in blocks:
            run(rows)
    else:
        _ = trees.walked_nodes, trees.leaf_records  # made once, and not by each thread
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(run, blocks))
    return LabelSequence(labels, probabilities, positive.astype(bool), cardinality)


def _blocks(n_rows: int, n_features: int) -> Iterator[slice]:
    size = max(1, min(128, _BLOCK_CELLS // n_features))
    for first in range(0, n_rows, size):
        yield slice(first, min(first + size, n_rows))
