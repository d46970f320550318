"""Chains of labels by random decision trees: what is set in which order, with which probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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


@dataclass(frozen=True)
class ChainRules:
    """How a chain chooses and sets labels.

    Attributes
    ----------
    order : ndarray of int, shape (L,), or None
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
    """

    order: np.ndarray | None = None
    next_label: NextLabel = "certain"
    decision: Decision = "eq16"
    sigma: float = 1.0


def predicted_sequences(
    trees: RandomTrees, X: Any, chains: Sequence[ChainRules], *, n_threads: int = 1
) -> list[tuple[LabelSequence, float]]:
    """Set the labels of each row one after the other (sections 4.2 and 4.3 of the paper on dynamic chains).

    A tree's probability of a label is pooled over the leaves that the row reaches (eq. 9), where tests on
    labels not yet set, tests that are not active, and missing cells are followed into all branches. Where the
    leaves hold no row, the root's counts take their place; so they do for the ensemble if all trees weigh 0.

    Parameters
    ----------
    trees : RandomTrees
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing.
    chains : sequence of ChainRules
        All of them start from the same leaves, and finding these takes most of the time.
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    list of (LabelSequence, float)
        For each chain, its sequence of all L labels, whose cardinality is R (eq. 12), rounded, halves up; and
        the CPU seconds that it would have taken alone.

    Notes
    -----
    A tree's weight (eq. 10) over the N rows that it pools is rounded to an even number of `weight_unit`. Sums
    of the trees' shares are then exact: they do not depend on the order of the trees, and a tree's share can
    be replaced while a chain goes on.
    """
    n, n_labels = X.shape[0], trees.n_labels
    shape = (len(chains), n, n_labels)
    labels, cardinality = np.empty(shape, np.int32), np.empty(shape)
    probabilities, positive = np.empty(shape), np.empty(shape, np.uint8)
    sigma = np.array([one.sigma for one in chains])
    n_active = np.floor(sigma[:, None] * trees.label_tests() + 0.5).astype(np.int32)
    state = trees.n_trees * n_labels * 4 if n_active.any() else 1
    orders, next_label = np.zeros((len(chains), n_labels), np.int32), np.zeros(len(chains), np.uint8)
    for place, one in enumerate(chains):
        next_label[place] = 2 if one.order is not None else one.next_label == "probable"
        orders[place] = 0 if one.order is None else one.order
    by_threshold = np.array([one.decision == "threshold" for one in chains], np.uint8)

    def run(rows: slice) -> np.ndarray:
        block, seconds = X[rows].toarray() if sp.issparse(X) else X[rows], np.zeros(len(chains) + 1)
        predict_chains(
            trees,
            np.ascontiguousarray(block, np.float64),
            orders,
            next_label,
            by_threshold,
            n_active,
            weight_unit(trees.n_trees, n_labels),
            max(1, min(_MOST_ROWS_AT_ONCE, _STATE_BYTES // state)),
            labels[:, rows],
            probabilities[:, rows],
            positive[:, rows],
            cardinality[:, rows],
            seconds,
        )
        return seconds

    blocks = list(_blocks(n, trees.n_features))
    if n_threads <= 1 or len(blocks) < 2:
        spent = [run(rows) for rows in blocks]
    else:
        _ = trees.walked_nodes, trees.leaf_records  # made once, and not by each thread
        with ThreadPoolExecutor(n_threads) as pool:
            spent = list(pool.map(run, blocks))
    seconds = np.sum([np.zeros(len(chains) + 1), *spent], axis=0)
    return [
        (
            LabelSequence(labels[c], probabilities[c], positive[c].astype(bool), cardinality[c]),
            float(seconds[c] + seconds[-1]),
        )
        for c in range(len(chains))
    ]


def _blocks(n_rows: int, n_features: int) -> Iterator[slice]:
    size = max(1, min(128, _BLOCK_CELLS // n_features))
    for first in range(0, n_rows, size):
        yield slice(first, min(first + size, n_rows))
