"""Whether the arrays of an ensemble are consistent: the kernels follow them without checking bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mlsieve.files.arrays import require_starts
from mlsieve.files.checked import is_texts, require_finite, require_json

_NODES = {
    "feature": np.int32,
    "yes": np.int32,
    "no": np.int32,
    "depth": np.int32,
    "threshold": np.float64,
    "gain": np.float64,
    "weight": np.float64,
    "yes_share": np.float64,
}
_LARGEST = 2**31


def require_walkable(arrays: Mapping[str, np.ndarray], meta: Mapping[str, Any]) -> None:
    """Raise unless each node leads down to nodes of its own tree, and all indices are within their ranges.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        As `mlsieve.trees.ensemble.Ensemble.save` names them.
    meta : mapping
        The file's header: n_features, and in its facts n_labels.

    Raises
    ------
    KeyError
        If one is missing.
    ValueError
        If they do not fit each other.
    """
    n_features, n_labels = meta["n_features"], meta["facts"]["n_labels"]
    for number in (n_features, n_labels):
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number < _LARGEST:
            raise ValueError("its header is not an ensemble's")
    nodes = {name: arrays[f"node_{name}"] for name in _NODES}
    n = len(nodes["feature"])
    if any(nodes[name].shape != (n,) or nodes[name].dtype != dtype for name, dtype in _NODES.items()):
        raise ValueError("its nodes are not alike")
    trees = arrays["tree_start"]
    require_starts(trees, len(trees) - 1, n)
    if len(trees) < 2 or (np.diff(trees) == 0).any():
        raise ValueError("a tree has no nodes")
    sizes = np.diff(trees)
    place = np.arange(n) - np.repeat(trees[:-1], sizes)
    inner = nodes["feature"] >= 0
    if (nodes["feature"] < -1).any() or (nodes["feature"] >= n_features).any():
        raise ValueError("a node tests a feature that there is not")
    for answer in ("yes", "no"):
        child = nodes[answer][inner]
        if (child <= place[inner]).any() or (child >= np.repeat(sizes, sizes)[inner]).any():
            raise ValueError("a node does not lead down its tree")
    copy_of = arrays["copy_of"]
    if copy_of.shape != (n_features,) or copy_of.dtype != np.int32:
        raise ValueError("its equal columns are not what they should be")
    if (copy_of < 0).any() or (copy_of > np.arange(n_features)).any() or (copy_of[copy_of] != copy_of).any():
        raise ValueError("a column equals one that is not the first of its kind")
    if not np.array_equal(np.sort(arrays["column_order"]), np.arange(n_features)):
        raise ValueError("its order of the columns leaves one out")
    require_starts(arrays["subset_start"], n, len(arrays["subset"]))
    require_starts(arrays["leaf_start"], n, len(arrays["leaf_label"]))
    label = arrays["leaf_label"]
    kinds = {"subset": np.int32, "leaf_label": np.int32, "leaf_count": np.float64}
    if any(arrays[name].ndim != 1 or arrays[name].dtype != dtype for name, dtype in kinds.items()):
        raise ValueError("its leaves or subsets are not what they should be")
    if arrays["leaf_count"].shape != label.shape:
        raise ValueError("leaves do not fit their labels")
    if len(label) and not 0 <= label.min() <= label.max() < n_labels:
        raise ValueError("a leaf has a label that there is not")
    require_finite("its numbers", *(nodes[name] for name in _NODES), arrays["leaf_count"])
    if (nodes["weight"] <= 0).any() or (arrays["leaf_count"] < 0).any():
        raise ValueError("a node has no examples, or a leaf fewer than none")
    if not ((nodes["yes_share"] >= 0) & (nodes["yes_share"] <= 1)).all():
        raise ValueError("a share is not within 0 and 1")
    _require_facts(arrays, meta["facts"], n_features, n_labels)
    _require_label_weight(arrays, n_labels)
    _require_out_of_bag(arrays, len(trees) - 1, n_features)


def _require_facts(
    arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any], n_features: int, n_labels: int
) -> None:
    kinds: dict[str, Any] = {
        "n_train": int,
        "hierarchical": bool,
        "bootstrap": bool,
        "seed": int,
        "options": dict,
    }
    kinds |= {"feature_names": n_features, "label_names": n_labels, "categories": dict}
    require_json(facts, kinds, ["n_train", "options"])
    if facts["n_train"] < 1 or not isinstance(facts.get("ensemble") or facts["options"].get("ensemble"), str):
        raise ValueError("its header is not an ensemble's")
    categories = facts.get("categories", {})
    if not all(is_texts(values) and values for values in categories.values()):
        raise ValueError("its categories are not texts")
    subset, start = arrays["subset"], arrays["subset_start"]
    if "categories" in facts and len(subset):
        known = np.array([len(categories.get(str(feature), ())) for feature in range(n_features)])
        feature = np.repeat(arrays["node_feature"], np.diff(start))
        if (feature < 0).any() or not ((subset >= 0) & (subset < known[feature])).all():
            raise ValueError("a node tests a category that there is not")


def _require_label_weight(arrays: Mapping[str, np.ndarray], n_labels: int) -> None:
    weight = arrays.get("label_weight")
    if weight is not None and (weight.shape != (n_labels,) or weight.dtype != np.float64):
        raise ValueError("its labels' weights do not fit its labels")
    if weight is not None and not (np.isfinite(weight) & (weight >= 0)).all():
        raise ValueError("its labels' weights are not weights")


def _require_out_of_bag(arrays: Mapping[str, np.ndarray], n_trees: int, n_features: int) -> None:
    if not any(name.startswith("oob_") for name in arrays):
        return
    if "oob_piled" in arrays:
        piled, tested = arrays["oob_piled"], arrays["oob_piled_feature"]
        require_starts(arrays["oob_piled_start"], n_trees, len(tested))
        if piled.shape != tested.shape or piled.dtype.kind not in "if" or tested.dtype != np.int32:
            raise ValueError("permutation statistics as CLUS has them do not fit the trees")
        if len(tested) and not 0 <= tested.min() <= tested.max() < n_features:
            raise ValueError("permutation statistics of a feature that there is not")
    feature = arrays["oob_feature"]
    require_starts(arrays["oob_start"], n_trees, len(feature))
    if arrays["oob_permuted"].shape != feature.shape or arrays["oob_n_oob"].shape != (n_trees,):
        raise ValueError("permutation statistics do not fit the trees")
    if any(arrays[f"oob_{name}"].dtype.kind not in "if" for name in ("permuted", "n_oob")):
        raise ValueError("permutation statistics are not numbers")
    of_trees = {"wrong"} if "oob_wrong" in arrays else {"error", "n_positive"}
    for name in (*of_trees, "n_oob"):
        if arrays[f"oob_{name}"].shape != (n_trees,) or arrays[f"oob_{name}"].dtype.kind not in "if":
            raise ValueError("permutation statistics do not fit the trees")
    require_finite("permutation statistics", *(arrays[name] for name in arrays if name[:4] == "oob_"))
    if feature.dtype != np.int32 or (len(feature) and not 0 <= feature.min() <= feature.max() < n_features):
        raise ValueError("permutation statistics of a feature that there is not")
