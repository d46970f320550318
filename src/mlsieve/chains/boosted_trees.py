"""Trees with a vector of label values in each leaf: their arrays, margins of rows, importances."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from mlsieve._kernels.boosting.boosted_prediction import add_margins


@dataclass(frozen=True)
class BoostedTrees:
    """Trees in the order in which they were grown; the arrays are those of `add_margins`."""

    root: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    kind: np.ndarray
    yes: np.ndarray
    no: np.ndarray
    leaf: np.ndarray
    values: np.ndarray
    gain: np.ndarray
    cover: np.ndarray

    @classmethod
    def joined(cls, trees: list[dict[str, np.ndarray]]) -> BoostedTrees:
        """Join trees that have ``feature``, ``threshold`` and ``kind`` by value."""
        nodes = np.cumsum([0, *(len(tree["feature"]) for tree in trees)], dtype=np.int64)
        leaves = np.cumsum([0, *(len(tree["values"]) for tree in trees)], dtype=np.int64)
        leaf = np.concatenate([tree["leaf"] + first for tree, first in zip(trees, leaves, strict=False)])
        names = ("feature", "threshold", "kind", "yes", "no", "values", "gain", "cover")
        parts = {name: np.concatenate([tree[name] for tree in trees]) for name in names}
        return cls(root=nodes, leaf=leaf.astype(np.int64), **parts)

    def first(self, n_trees: int) -> BoostedTrees:
        """Return the first so many trees."""
        nodes = slice(0, self.root[n_trees])
        n_leaves = int((self.feature[nodes] < 0).sum())
        own = {f.name: getattr(self, f.name)[nodes] for f in fields(self)}
        return BoostedTrees(**own | {"root": self.root[: n_trees + 1], "values": self.values[:n_leaves]})

    def of_used_features(self) -> tuple[BoostedTrees, np.ndarray]:
        """Return the trees for rows of the features that they test alone, and these features."""
        used, place = np.unique(self.feature, return_inverse=True)
        n_leaf_marks = int(used[0] < 0)
        feature = (place - n_leaf_marks).astype(np.int32)
        return replace(self, feature=feature), used[n_leaf_marks:]

    def __len__(self) -> int:
        return len(self.root) - 1

    def add_to(self, margins: np.ndarray, X: np.ndarray, first: int = 0, last: int | None = None) -> None:
        """Add the values of trees to margins, float32 of shape (n, L), of rows X, float64 of shape (n, F)."""
        last = len(self) if last is None else last
        arrays = (self.root, self.feature, self.threshold, self.kind, self.yes, self.no, self.leaf)
        add_margins(X, *arrays, self.values, first, last, margins)

    def importances(self, kind: str, n_features: int) -> np.ndarray:
        """Return sums over the tests of each column: of gains, of covers, or how many there are."""
        tests = self.feature >= 0
        weights = None if kind == "splits" else getattr(self, kind)[tests]
        return np.bincount(self.feature[tests], weights, minlength=n_features).astype(np.float64)
