"""Random decision trees as arrays of files, which are checked before a kernel follows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mlsieve._kernels.chains.random_trees import NODE
from mlsieve.chains.random_trees import MOST_LABELS, RandomTrees, children_of, spread
from mlsieve.files.arrays import require_starts
from mlsieve.files.checked import require_finite, require_json

_LARGEST = 2**31
_ARRAYS = {
    "category": np.int32,
    "tree_start": np.int64,
    "leaf_size": np.int32,
    "leaf_start": np.int64,
    "leaf_label": np.int32,
    "leaf_count": np.int32,
    "prior": np.int32,
}


def state_of_trees(trees: RandomTrees) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the facts by which a file holds trees."""
    own = {name: getattr(trees, name) for name in _ARRAYS}
    nodes = {f"node_{name}": trees.nodes[name] for name in NODE.names or ()}
    return {**own, **nodes}, {"n_rows": trees.n_rows}


def trees_from(arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any], n_features: int) -> RandomTrees:
    """Return the trees of which `state_of_trees` made arrays and facts.

    Raises
    ------
    ValueError, KeyError
        If something is missing or of another kind, or trees lead to where there is nothing.
    """
    nodes = np.empty(len(arrays["node_test"]), NODE)
    for name in NODE.names or ():
        if arrays[f"node_{name}"].shape != nodes.shape or arrays[f"node_{name}"].dtype != NODE[name]:
            raise ValueError("its nodes are not alike")
        nodes[name] = arrays[f"node_{name}"]
    for name, dtype in _ARRAYS.items():
        if arrays[name].ndim != 1 or arrays[name].dtype != dtype:
            raise ValueError(f"{name} is not what it should be")
    require_json(facts, {"n_rows": int}, ("n_rows",))
    own = {name: arrays[name] for name in _ARRAYS}
    trees = RandomTrees(n_features=n_features, n_rows=facts["n_rows"], nodes=nodes, **own)
    require_walkable(trees)
    return trees


def require_walkable(trees: RandomTrees) -> None:
    """Raise a ValueError unless each node leads down its own tree, and each leaf is one of the tree's.

    The leaves of a tree hold each row once, so that no sum of counts is larger than the number of rows.
    """
    if not (0 < trees.n_features < _LARGEST // 2 and 0 < trees.n_rows < _LARGEST):
        raise ValueError("its header is not that of trees")
    if not 0 < trees.n_labels <= MOST_LABELS:
        raise ValueError("the number of its labels is not one of trees")
    n, n_leaves = len(trees.nodes), len(trees.leaf_size)
    require_starts(trees.tree_start, len(trees.tree_start) - 1, n)
    if trees.n_trees < 1 or (np.diff(trees.tree_start) == 0).any():
        raise ValueError("a tree has no nodes")
    _require_tests(trees)
    end = np.repeat(trees.tree_start[1:], np.diff(trees.tree_start))
    inner, first, count = children_of(trees)
    if (first <= inner).any() or (first + count > end[inner]).any() or count.sum() != n - trees.n_trees:
        raise ValueError("a node does not lead down its tree")
    expected = np.ones(n, np.int64)
    expected[trees.tree_start[:-1]] = 0
    if not np.array_equal(np.bincount(spread(first, count), minlength=n), expected):
        raise ValueError("a node is not the child of one other")
    if trees.category.shape != (n,):
        raise ValueError("categories do not fit the nodes")
    leaf = trees.nodes["first"][trees.nodes["test"] == -1]
    if not np.array_equal(np.sort(leaf), np.arange(n_leaves)):
        raise ValueError("leaves do not fit the nodes")
    _require_counts(trees)


def _require_tests(trees: RandomTrees) -> None:
    test, threshold = trees.nodes["test"].astype(np.int64), trees.nodes["threshold"]
    require_finite("its numbers", *(trees.nodes[name] for name in trees.nodes.dtype.names or ()))
    if (test < -1 - trees.n_labels).any() or (test >= 2 * trees.n_features).any():
        raise ValueError("a node tests what there is not")
    for of_kind, least in ((test < -1, 0), (test >= trees.n_features, 1)):
        numbers = threshold[of_kind]
        if not ((numbers >= least) & (numbers < _LARGEST) & (numbers == np.floor(numbers))).all():
            raise ValueError("the rank or the number of children of a test is none")


def _require_counts(trees: RandomTrees) -> None:
    n_entries, sizes = len(trees.leaf_label), trees.leaf_size.astype(np.int64)
    require_starts(trees.leaf_start, len(sizes), n_entries)
    if trees.leaf_count.shape != (n_entries,):
        raise ValueError("labels do not fit their counts")
    if n_entries and not 0 <= trees.leaf_label.min() <= trees.leaf_label.max() < trees.n_labels:
        raise ValueError("a leaf has a label that there is not")
    most = np.repeat(sizes, np.diff(trees.leaf_start))
    if (sizes < 0).any() or (trees.leaf_count < 1).any() or (trees.leaf_count > most).any():
        raise ValueError("a leaf has more rows with a label than rows, or none")
    rising = np.diff(trees.leaf_label) > 0
    rising[trees.leaf_start[1:-1][np.isin(trees.leaf_start[1:-1], [0, n_entries], invert=True)] - 1] = True
    if not rising.all():
        raise ValueError("the labels of a leaf do not rise")
    at = np.flatnonzero(trees.nodes["test"] == -1)
    of_tree = np.searchsorted(trees.tree_start, at, side="right") - 1
    rows = np.bincount(of_tree, weights=sizes[trees.nodes["first"][at]], minlength=trees.n_trees)
    if (rows != trees.n_rows).any() or (trees.prior < 0).any() or (trees.prior > trees.n_rows).any():
        raise ValueError("the leaves of a tree do not hold its rows")
