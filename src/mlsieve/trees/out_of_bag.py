"""What permuting a feature among a tree's out-of-bag examples does to the tree's error there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlsieve._kernels.trees.walk.out_of_bag import OutOfBagTree
from mlsieve._kernels.trees.walk.permutation import permutation_errors
from mlsieve._kernels.trees.walk.piled_permutation import piled_permutation_errors
from mlsieve._kernels.trees.walk.pooled_permutation import pooled_permutation_errors
from mlsieve.trees.options import OutOfBagError


class TreeErrors(NamedTuple):
    """One tree's errors on its out-of-bag examples.

    Attributes
    ----------
    n_oob, n_positive : int
        Out-of-bag examples, and how many labels they have together.
    error : int or float
        Wrong label cells, or 1 - pooled AUPRC.
    features : ndarray of int32
        Features met by an out-of-bag example, rising; permuting another one changes nothing.
    permuted : ndarray of int64 or of float64
        Error after permuting each of them.
    piled : tuple of ndarray, or None
        The features that the tree tests, rising, and the error after permuting each of them and all those
        before it (see `mlsieve._kernels.trees.walk.piled_permutation`); None unless asked for.
    """

    n_oob: int
    n_positive: int
    error: float
    features: np.ndarray
    permuted: np.ndarray
    piled: tuple[np.ndarray, np.ndarray] | None = None


class Labels(NamedTuple):
    """Positive labels of each row: `starts` (int64, (n + 1,)) into `indices` (int32), out of `n_labels`."""

    starts: np.ndarray
    indices: np.ndarray
    n_labels: int


def tree_errors(
    kind: OutOfBagError,
    store: Any,
    tree_arrays: Any,
    labels: Labels,
    rows: np.ndarray,
    seed: int,
    tree: int,
    piled: bool = False,
) -> TreeErrors:
    """Return a tree's errors on its out-of-bag examples, as they are and with one feature permuted at a time.

    Parameters
    ----------
    kind : {"hamming-loss", "pooled-auprc"}
    store : ColumnStore
    tree_arrays : dict
        What `TreeGrower.grow` returned.
    labels : Labels
    rows : ndarray of int32
        Out-of-bag rows, rising.
    seed, tree : int
        Key of the permutations, which are the same for all kinds.
    piled : bool
        Whether to find the errors of permutations that pile up, too, as CLUS has them.
    """
    pooled = kind == "pooled-auprc"
    of_tree = OutOfBagTree(store, tree_arrays, *labels, rows, seed, tree)
    found = pooled_permutation_errors(of_tree) if pooled else permutation_errors(of_tree)
    n_positive = int((labels.starts[rows + 1] - labels.starts[rows]).sum())
    errors = TreeErrors(len(rows), n_positive, *found)
    if not piled:
        return errors
    return errors._replace(piled=piled_permutation_errors(of_tree, pooled)[1:])


def join_errors(kind: OutOfBagError, errors: Sequence[TreeErrors]) -> dict[str, np.ndarray]:
    """Return the trees' errors as `mlsieve.trees.ensemble.Ensemble.oob` has them."""
    counts = kind == "hamming-loss"
    of_errors = np.int64 if counts else np.float64
    joined: dict[str, np.ndarray] = {
        "n_oob": np.array([each.n_oob for each in errors], np.int64),
        "start": np.cumsum([0, *(len(each.features) for each in errors)], dtype=np.int64),
        "feature": np.concatenate([each.features for each in errors]).astype(np.int32),
        "permuted": np.concatenate([each.permuted for each in errors]).astype(of_errors),
    }
    piles = [each.piled for each in errors if each.piled is not None]
    if piles:
        features, permuted = zip(*piles, strict=True)
        joined["piled_start"] = np.cumsum([0, *map(len, features)], dtype=np.int64)
        joined["piled_feature"] = np.concatenate(features).astype(np.int32)
        joined["piled"] = np.concatenate(permuted).astype(of_errors)
    if counts:
        return {**joined, "wrong": np.array([each.error for each in errors], np.int64)}
    return {
        **joined,
        "n_positive": np.array([each.n_positive for each in errors], np.int64),
        "error": np.array([each.error for each in errors], np.float64),
    }
