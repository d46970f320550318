"""A grown ensemble: all trees' nodes in joined arrays, the cached file, prediction."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.trees.grow.grown_trees import GrownTrees, join_grown
from mlsieve._kernels.trees.walk.prediction import add_predictions
from mlsieve.errors import number_of
from mlsieve.files.arrays import complete
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.trees.walkable import require_walkable

_NODE_ARRAYS = ("feature", "yes", "no", "depth", "threshold", "gain", "weight", "yes_share")
_OTHER_ARRAYS = (
    "tree_start",
    "subset_start",
    "subset",
    "leaf_start",
    "leaf_label",
    "leaf_count",
    "copy_of",
    "column_order",
)
_BLOCK_BYTES = 32_000_000  # dense rows held at once while predicting


@dataclass(frozen=True)
class Ensemble:
    """Trees t = 0 .. T - 1, each a run of nodes in preorder ("yes" child before "no" child).

    Attributes
    ----------
    n_features : int
    tree_start : ndarray of int64, shape (T + 1,)
        First node of each tree.
    nodes : dict of ndarray, each of shape (nodes,)
        feature (int32, -1 at a leaf), yes, no (int32, position within the tree), depth (int32, root 0),
        threshold (float64, "yes" is x > threshold), gain (float64, h of the test), weight (float64,
        examples),
        yes_share (float64, share of the known weight that answers "yes").
    subset_start, subset : ndarray of int64, shape (nodes + 1,), and of int32
        Categories that answer "yes" at a test on a nominal feature with more than two values.
    leaf_start, leaf_label, leaf_count : ndarray
        Weighted positives of each label that occurs in a leaf.
    oob : dict of ndarray or None
        Permutation statistics: n_oob (T,), wrong (T,) wrong label cells; start (T + 1,) into feature and
        permuted (wrong cells after permuting the feature). Where the error is 1 - pooled AUPRC, error (T,)
        and permuted are float64, and n_positive (T,) counts the labels of the out-of-bag examples, in place
        of wrong. None where there is no bootstrap. Grown with definition="clus": piled_start (T + 1,) into
        piled_feature and piled, the error after permuting a feature and all those before it.
    copy_of : ndarray of int32, shape (F,)
        The first column that equals each column, where ties between features were drawn: scores of equal
        columns are averaged. The column itself where the first one wins (``ties="first"``), and for columns
        that have no equal.
    column_order : ndarray of int64, shape (F,)
        The columns in the order in which the trees saw them: by content, or, with ``ties="first"``, as they
        are. Rankings order features with the same score by it.
    facts : dict
        JSON-serialisable: options, seed, n_train, n_labels, hierarchical (absent in older files, of flat
        labels), out_of_bag_error, names.
    label_weight : ndarray of float64, shape (L,), or None
        Weights of the labels in the impurity that are not those of flat labels' variances: of classes in a
        hierarchy, or given ones. Older files have none.
    """

    n_features: int
    tree_start: np.ndarray
    nodes: Mapping[str, np.ndarray]
    subset_start: np.ndarray
    subset: np.ndarray
    leaf_start: np.ndarray
    leaf_label: np.ndarray
    leaf_count: np.ndarray
    oob: Mapping[str, np.ndarray] | None
    copy_of: np.ndarray
    column_order: np.ndarray
    facts: dict[str, Any] = field(default_factory=dict)
    label_weight: np.ndarray | None = None

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.tree_start) - 1

    @property
    def hierarchical(self) -> bool:
        """Whether the labels are classes of a hierarchy."""
        return bool(self.facts.get("hierarchical", False))

    def predict_proba(self, X: Any, n_trees: int | None = None) -> np.ndarray:
        """Mean of the leaves' label means.

        Parameters
        ----------
        X : ndarray of float64 or scipy.sparse array, shape (n, F)
            NaN is missing: the example goes down both branches.
        n_trees : int, optional
            Use the first `n_trees` trees only.

        Returns
        -------
        ndarray of float64, shape (n, L)
            In [0, 1].
        """
        last = self.n_trees if n_trees is None else int(n_trees)
        if not 1 <= last <= self.n_trees:
            raise ValueError(f"n_trees = {n_trees} is not within 1 .. {self.n_trees}")
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"X has {number_of(X.shape[1], 'feature')}, the ensemble was grown on {self.n_features}"
            )
        n = X.shape[0]
        votes = np.zeros((n, self.facts["n_labels"]))
        rows = max(1, _BLOCK_BYTES // (8 * max(1, self.n_features)))
        for first in range(0, n, rows):
            block = X[first : first + rows]
            dense = np.ascontiguousarray(block.toarray() if sp.issparse(block) else block, dtype=np.float64)
            add_predictions(
                dense,
                self.tree_start,
                self.subset_start,
                self.leaf_start,
                *(self.nodes[name] for name in ("feature", "yes", "no", "threshold", "weight", "yes_share")),
                self.subset,
                self.leaf_label,
                self.leaf_count,
                0,
                last,
                votes[first : first + rows],
            )
        return np.minimum(votes / last, 1.0)  # a sum of means may exceed 1 by a rounding error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ensemble to an .npz file (no pickles, checksum inside)."""
        arrays = {f"node_{name}": self.nodes[name] for name in _NODE_ARRAYS}
        for name in _OTHER_ARRAYS:
            arrays[name] = getattr(self, name)
        if self.oob is not None:
            arrays |= {f"oob_{name}": array for name, array in self.oob.items()}
        if self.label_weight is not None:
            arrays["label_weight"] = self.label_weight
        write_arrays(path, "ensemble", arrays, {"n_features": self.n_features, "facts": self.facts})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ensemble:
        """Read what `save` wrote.

        Raises
        ------
        UserError
            If the file is missing, damaged, or not an ensemble.
        """
        arrays, meta = read_arrays(path, "ensemble")
        with complete(path, "ensemble", "grow it again"):
            require_walkable(arrays, meta)
            oob = {name[4:]: array for name, array in arrays.items() if name.startswith("oob_")}
            return cls(
                n_features=meta["n_features"],
                nodes={name: arrays[f"node_{name}"] for name in _NODE_ARRAYS},
                oob=oob or None,
                facts=meta["facts"],
                label_weight=arrays.get("label_weight"),
                **{name: arrays[name] for name in _OTHER_ARRAYS},
            )


def join_trees(
    runs: Sequence[GrownTrees],
    oob: Mapping[str, np.ndarray] | None,
    *,
    data_column: np.ndarray,
    copy_of: np.ndarray,
    two_valued: np.ndarray,
    facts: dict[str, Any],
    label_weight: np.ndarray | None = None,
) -> Ensemble:
    """Join the kernels' results into an ensemble, whose features are the columns of the data.

    Parameters
    ----------
    runs : sequence of GrownTrees
        What `grow_many` returned; their trees are freed.
    oob : dict of ndarray or None
        Kept as `Ensemble.oob`; its features are those of the kernels, as in `runs`.
    data_column : ndarray of int, shape (F,)
        Column of the data that each feature of the kernels is.
    copy_of : ndarray of int32, shape (F,)
        Kept as `Ensemble.copy_of`.
    two_valued : ndarray of bool, shape (F,)
        Nominal features with at most two values: their one test is reported as x > 0.
    facts : dict
        Kept as `Ensemble.facts`.
    label_weight : ndarray of float64, shape (L,), optional
        Kept as `Ensemble.label_weight`.
    """
    joined = join_grown(list(runs))
    nodes = {name: joined.pop(name) for name in _NODE_ARRAYS}
    inner, column = nodes["feature"] >= 0, data_column.astype(np.int32)
    nodes["feature"] = np.where(inner, column[nodes["feature"]], np.int32(-1))
    if two_valued.any():
        nodes["threshold"][inner & two_valued[nodes["feature"]]] = 0.0
    if oob is not None:
        of_data = {name: column[oob[name]] for name in ("feature", "piled_feature") if name in oob}
        oob = {**oob, **of_data}
    return Ensemble(
        n_features=len(data_column),
        nodes=nodes,
        oob=oob,
        copy_of=copy_of,
        column_order=data_column,
        facts=facts,
        label_weight=label_weight,
        **joined,
    )
