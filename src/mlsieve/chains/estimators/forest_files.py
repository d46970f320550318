"""Trees of scikit-learn as arrays of files, which are checked before its code follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.tree._tree import Tree

from mlsieve.chains.estimators.forests import SmallForest, SmallTree
from mlsieve.files.checked import csr_from, require_counts

# What prediction reads of a node; the rest is statistics of the fit.
_OF_NODES = {
    "left_child": np.int64,
    "right_child": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "missing_go_to_left": np.uint8,
}
_LEAF = -1


def state_of_forests(classifiers: Sequence[Any]) -> dict[str, np.ndarray]:
    """Return the arrays by which a file holds decision trees and forests of scikit-learn."""
    forests = [SmallForest.of(one) for one in classifiers]
    trees = [tree for forest in forests for tree in forest.trees]
    nodes = [tree.tree.__getstate__()["nodes"] for tree in trees]
    found = {
        f"node_{name}": np.concatenate([np.empty(0, dtype), *(own[name].astype(dtype) for own in nodes)])
        for name, dtype in _OF_NODES.items()
    }
    shares = [tree.shares for tree in trees]
    sizes = np.concatenate([np.empty(0, np.int64), *(np.diff(own.indptr) for own in shares)])
    return found | {
        "forest_trees": np.array([len(forest.trees) for forest in forests], np.int64),
        "tree_nodes": np.array([len(own) for own in nodes], np.int64),
        "shares": np.concatenate([np.empty(0), *(own.data for own in shares)]),
        "share_class": np.concatenate(
            [np.empty(0, np.int32), *(own.indices.astype(np.int32) for own in shares)]
        ),
        "share_start": np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
    }


def forests_from(
    arrays: Mapping[str, np.ndarray], widths: Sequence[int], n_classes: int
) -> list[SmallForest]:
    """Return forests that predict as the classifiers of which `state_of_forests` made arrays.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    widths : sequence of int
        The number of columns that each forest sees.
    n_classes : int

    Raises
    ------
    ValueError, KeyError
        If something is missing or of another kind, or trees lead to where there is nothing.
    """
    of_forests, of_trees = arrays["forest_trees"], arrays["tree_nodes"]
    require_counts("trees", of_forests, len(widths), least=1)
    require_counts("nodes", of_trees, int(of_forests.sum()), least=1)
    n = int(of_trees.sum())
    columns = {name: arrays[f"node_{name}"] for name in _OF_NODES}
    if any(columns[name].shape != (n,) or columns[name].dtype != dtype for name, dtype in _OF_NODES.items()):
        raise ValueError("its nodes are not alike")
    values = arrays["shares"]
    if values.dtype != np.float64 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("shares of classes are not within 0 and 1")
    shares = csr_from(values, arrays["share_class"], arrays["share_start"], (n, n_classes))
    starts = np.concatenate([[0], np.cumsum(of_trees)])
    first, found = 0, []
    for n_trees, width in zip(of_forests.tolist(), widths, strict=True):
        trees = []
        for place in range(first, first + n_trees):
            rows = slice(int(starts[place]), int(starts[place + 1]))
            own = {name: column[rows] for name, column in columns.items()}
            require_walkable(own["left_child"], own["right_child"], own["feature"], width)
            trees.append(SmallTree(_tree(own, width), sp.csr_array(shares[rows])))
        found.append(SmallForest.from_trees(trees, n_classes))
        first += n_trees
    return found


def require_walkable(left: np.ndarray, right: np.ndarray, feature: np.ndarray, width: int) -> None:
    """Raise a ValueError unless each node of a tree leads down the tree, and tests one of `width` columns."""
    inner, place = left != _LEAF, np.arange(len(left))
    for child in (left[inner], right[inner]):
        if (child <= place[inner]).any() or (child >= len(left)).any():
            raise ValueError("a node does not lead down its tree")
    if (right[~inner] != _LEAF).any() or (feature[inner] < 0).any() or (feature[inner] >= width).any():
        raise ValueError("a node tests what there is not")


def _tree(columns: Mapping[str, np.ndarray], width: int) -> Tree:
    made = Tree(width, np.ones(1, np.intp), 1)
    n = len(columns["feature"])
    nodes = np.zeros(n, made.__getstate__()["nodes"].dtype)
    for name in columns.keys() & set(nodes.dtype.names or ()):
        nodes[name] = columns[name]
    made.__setstate__({"max_depth": 0, "node_count": n, "nodes": nodes, "values": np.zeros((n, 1, 1))})
    return made
