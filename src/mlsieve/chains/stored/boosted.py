"""Boosted trees as arrays of files, which are checked before a kernel follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import numpy as np

from mlsieve.chains.boosted_trees import BoostedTrees
from mlsieve.files.arrays import require_starts
from mlsieve.files.checked import require_counts, require_finite

_OF_NODES = {
    "feature": np.int32,
    "threshold": np.float64,
    "kind": np.int32,
    "yes": np.int32,
    "no": np.int32,
    "leaf": np.int64,
    "gain": np.float64,
    "cover": np.float64,
}
_KINDS = (0, 1, 2, 4, 5, 6)  # see `mlsieve._kernels.boosting.boosted_prediction.add_margins`


def state_of_models(models: Sequence[BoostedTrees]) -> dict[str, np.ndarray]:
    """Return the arrays by which a file holds the trees of several models, one after the other."""
    joined = {one.name: [getattr(model, one.name) for model in models] for one in fields(BoostedTrees)}
    roots = [np.diff(root) for root in joined.pop("root")]
    found = {name: np.concatenate(parts) for name, parts in joined.items()} if models else {}
    found["tree_nodes"] = np.concatenate([np.empty(0, np.int64), *roots])
    found["model_trees"] = np.array([len(model) for model in models], np.int64)
    found["model_leaves"] = np.array([len(model.values) for model in models], np.int64)
    return found


def models_from(arrays: Mapping[str, np.ndarray], widths: Sequence[int], n_labels: int) -> list[BoostedTrees]:
    """Return the models of which `state_of_models` made arrays.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    widths : sequence of int
        The number of columns that each model sees.
    n_labels : int

    Raises
    ------
    ValueError, KeyError
        If something is missing or of another kind, or trees lead to where there is nothing.
    """
    sizes = {name: arrays[name] for name in ("tree_nodes", "model_trees", "model_leaves")}
    n_models = len(widths)
    require_counts("trees", sizes["model_trees"], n_models, least=1)
    require_counts("leaves", sizes["model_leaves"], n_models, least=1)
    require_counts("nodes", sizes["tree_nodes"], int(sizes["model_trees"].sum()), least=1)
    if not n_models:
        return []
    trees, leaves = (_starts(sizes[name]) for name in ("model_trees", "model_leaves"))
    nodes, values = _starts(sizes["tree_nodes"]), arrays["values"]
    for name, dtype in _OF_NODES.items():
        if arrays[name].shape != (nodes[-1],) or arrays[name].dtype != dtype:
            raise ValueError("its nodes are not alike")
    if values.shape != (leaves[-1], n_labels) or values.dtype != np.float32:
        raise ValueError("its leaves do not fit its labels")
    require_finite("its values", values)
    found = []
    for place, width in enumerate(widths):
        of_trees = nodes[trees[place] : trees[place + 1] + 1]
        own = {name: arrays[name][of_trees[0] : of_trees[-1]] for name in _OF_NODES}
        root = of_trees - of_trees[0]
        model = BoostedTrees(root=root, values=values[leaves[place] : leaves[place + 1]], **own)
        require_walkable(model, width)
        found.append(model)
    return found


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def require_walkable(trees: BoostedTrees, width: int) -> None:
    """Raise a ValueError unless each node leads down its tree, and tests one of `width` columns."""
    n = len(trees.feature)
    require_starts(trees.root, len(trees), n)
    inner = trees.feature >= 0
    place = np.arange(n) - np.repeat(trees.root[:-1], np.diff(trees.root))
    size = np.repeat(np.diff(trees.root), np.diff(trees.root))
    if (trees.feature < -1).any() or (trees.feature >= width).any():
        raise ValueError("a node tests what there is not")
    for child in (trees.yes[inner], trees.no[inner]):
        if (child <= place[inner]).any() or (child >= size[inner]).any():
            raise ValueError("a node does not lead down its tree")
    leaf = trees.leaf[~inner]
    if (leaf < 0).any() or (leaf >= len(trees.values)).any() or not np.isin(trees.kind[inner], _KINDS).all():
        raise ValueError("leaves do not fit the nodes")
