"""Random decision trees: their arrays, and growing them by several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.chains.random_trees import grow_random_trees
from mlsieve.costs.measured import MANY_TREES, require_memory
from mlsieve.data.coded_columns import code_columns
from mlsieve.errors import InvalidSetting

Redraw = Literal["thresholds", "all"]
MOST_LABELS = 2**20
_TREES_AT_ONCE = 8
_MOST = 2**12 - 1  # of a count that is one word with its label


@dataclass(frozen=True)
class RandomTrees:
    """Trees t = 0 .. T - 1 on n rows of F features and L labels.

    Attributes
    ----------
    n_features : int
    nodes : structured ndarray, shape (nodes,)
        ``test``: -1 at a leaf; f where feature f is compared with the threshold; F + f where the category of
        feature f decides; -2 - j where label j does. ``first``: the first child, which the others follow; of
        a leaf, its number. ``threshold``: second child if above it; of a category test, the number of
        children; of a label test, its rank in a random order of the tree's label tests.
    category : ndarray of int32, shape (nodes,)
        The category by which a child of a category test is reached, rising; of other children, 0 or 1.
    tree_start : ndarray of int64, shape (T + 1,)
        First node of each tree.
    leaf_size : ndarray of int32, shape (leaves,)
        N_v, the rows of each leaf.
    leaf_start, leaf_label, leaf_count : ndarray of int64, int32 and int32
        n_v(j) of the labels j that occur in each leaf.
    prior : ndarray of int32, shape (L,)
        Rows with each label.
    n_rows : int
    """

    n_features: int
    nodes: np.ndarray
    category: np.ndarray
    tree_start: np.ndarray
    leaf_size: np.ndarray
    leaf_start: np.ndarray
    leaf_label: np.ndarray
    leaf_count: np.ndarray
    prior: np.ndarray
    n_rows: int

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.tree_start) - 1

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.prior)

    @property
    def roots(self) -> np.ndarray:
        """First node of each tree; ndarray of int32, shape (T,)."""
        return self.tree_start[:-1].astype(np.int32)

    @cached_property
    def excluding(self) -> np.ndarray:
        """Whether a node tests a label that none of its rows has: its second child is an empty leaf."""
        of_label = np.flatnonzero(self.nodes["test"] < -1)
        second = self.nodes[self.nodes["first"][of_label] + 1]
        found = np.zeros(len(self.nodes), bool)
        is_leaf = second["test"] == -1
        found[of_label[is_leaf]] = self.leaf_size[second["first"][is_leaf]] == 0
        return found

    @cached_property
    def leaf_exclusions(self) -> np.ndarray:
        """The excluding tests above each leaf, as leaf, label and rank; shape (m, 3), by leaf."""
        parent = np.full(len(self.nodes), -1, np.int32)
        inner, first, count = children_of(self)
        parent[spread(first, count)] = np.repeat(inner, count)
        at = np.flatnonzero(self.nodes["test"] == -1).astype(np.int32)
        leaf, found = self.nodes["first"][at], [np.empty((0, 3), np.int32)]
        while len(at):
            at = parent[at]
            leaf, at = leaf[at >= 0], at[at >= 0]
            own = self.excluding[at]
            node = self.nodes[at[own]]
            found.append(np.column_stack([leaf[own], -2 - node["test"], node["threshold"].astype(np.int32)]))
        joined = np.concatenate(found)
        return joined[np.argsort(joined[:, 0], kind="stable")]

    @cached_property
    def leaf_records(self) -> np.ndarray:
        """What the leaves hold, one after the other: ndarray of uint32.

        Of each leaf the number of counts, N_v and the number of excluding tests; its counts n_v(j), each as
        j * 2**12 plus the count, in several parts where it is larger than that; label and rank of each test.
        """
        parts, entries = self._parts, self._n_entries
        excluded, places = self._n_exclusions, self._leaf_places
        records = np.zeros(int((3 + entries + 2 * excluded).sum()), np.uint32)
        records[places], records[places + 1], records[places + 2] = entries, self.leaf_size, excluded
        last = np.cumsum(parts) - 1
        words = np.repeat(self.leaf_label.astype(np.uint32) << 12, parts) + np.uint32(_MOST)
        words[last] += (self.leaf_count - _MOST * parts).astype(np.uint32)
        records[spread(places + 3, entries)] = words
        records[spread(places + 3 + entries, 2 * excluded)] = self.leaf_exclusions[:, 1:].ravel()
        return records

    @cached_property
    def _parts(self) -> np.ndarray:
        """In how many words each count is written."""
        return -(-self.leaf_count.astype(np.int64) // _MOST)

    @cached_property
    def _n_entries(self) -> np.ndarray:
        before = np.concatenate([[0], np.cumsum(self._parts)])
        return np.diff(before[self.leaf_start])

    @cached_property
    def _n_exclusions(self) -> np.ndarray:
        return np.bincount(self.leaf_exclusions[:, 0], minlength=len(self.leaf_size))

    @cached_property
    def _leaf_places(self) -> np.ndarray:
        """Where the record of each leaf starts."""
        sizes = 3 + self._n_entries + 2 * self._n_exclusions
        return np.cumsum(sizes) - sizes

    @cached_property
    def walked_nodes(self) -> np.ndarray:
        """The nodes as prediction reads them.

        ``first`` of a leaf is where its record is, -1 if it has no rows; the bits of its ``threshold`` that
        are set are those of the labels that tests exclude, modulo 32. ``test`` of an excluding test on label
        j is -2 - L - j.
        """
        nodes = self.nodes.copy()
        nodes["test"][self.excluding] -= self.n_labels
        leaf = np.flatnonzero(nodes["test"] == -1)
        number = nodes["first"][leaf]
        nodes["first"][leaf] = np.where(self.leaf_size[number] > 0, self._leaf_places[number], -1)
        masks = np.zeros(len(self.leaf_size), np.uint64)
        excluded = np.uint64(1) << (self.leaf_exclusions[:, 1] % 32).astype(np.uint64)
        np.bitwise_or.at(masks, self.leaf_exclusions[:, 0], excluded)
        nodes["threshold"][leaf] = masks[number].view(np.float64)
        return nodes

    def label_tests(self) -> np.ndarray:
        """Return the number of each tree's tests on labels; ndarray of int64, shape (T,)."""
        before = np.concatenate([[0], np.cumsum(self.nodes["test"] < -1)])
        return np.asarray(np.diff(before[self.tree_start]))


def children_of(trees: RandomTrees) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the nodes that are no leaves, the first child of each, and the number of its children."""
    inner = np.flatnonzero(trees.nodes["test"] != -1)
    several = trees.nodes["test"][inner] >= trees.n_features
    count = np.where(several, trees.nodes["threshold"][inner], 2).astype(np.int64)
    return inner, trees.nodes["first"][inner].astype(np.int64), count


def spread(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return first[i], first[i] + 1, ... of each i, count[i] numbers."""
    before = np.cumsum(count) - count
    return np.repeat(first - before, count) + np.arange(int(count.sum()))


def grow_trees(
    X: Any,
    Y: sp.csr_array,
    *,
    n_trees: int,
    discrete: np.ndarray,
    category_counts: np.ndarray,
    label_share: float,
    max_depth: int,
    max_leaf: int,
    redraw: Redraw = "thresholds",
    seed: int,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RandomTrees:
    """Grow random decision trees on [X, Y] (section 4.1.1 of the paper on dynamic chains).

    With probability `label_share` a node tests a label, else a feature, drawn at random. A discrete feature
    or a label is tested once a path and has one branch a value. The threshold of a numeric feature is its
    value in a random row of the node; where a child would be empty, feature and row are drawn again, up to
    ten times, and then the node is a leaf. Where a path has tested all labels a feature is drawn, and the
    other way round.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing. A row whose tested cell is missing follows a known row of the node, drawn at random:
        thus the leaves of a tree hold each row once.
    Y : scipy.sparse.csr_array of uint8, shape (n, L)
        Indices sorted. The trees depend on the order of the labels.
    n_trees : int
    discrete : ndarray of bool, shape (F,)
    category_counts : ndarray of int32, shape (F,)
        Number of categories of discrete features, 0 for numeric ones.
    label_share : float
        From 0 to 1.
    max_depth, max_leaf : int
        A node at this depth, the root's being 0, or of at most so many rows, is a leaf.
    redraw : {"thresholds", "all"}
        Whether tests that do not part a node are drawn again also where they are discrete.
    seed : int
        Within 0 .. 2**63 - 1.
    n_threads : int
        The trees do not depend on it.
    progress : callable, optional
        Called as ``progress(grown, n_trees)`` after some trees each.

    Returns
    -------
    RandomTrees

    Raises
    ------
    InvalidSetting
        On more than 2**20 labels, trees of 2**31 nodes or more, or many trees that, as large as the first
        ones, would not fit into the memory that is free.
    """
    if Y.shape[1] > MOST_LABELS:
        raise InvalidSetting(
            f"{Y.shape[1]} labels are more than random trees support", hint=f"give at most {MOST_LABELS}"
        )
    n_features = X.shape[1]
    store = code_columns(X, category_counts, with_tests=False, order_seed=seed)
    column_of = store.copy_of[store.data_column]
    by_label = sp.csc_array(Y)
    arrays = (
        store,
        np.ascontiguousarray(discrete[column_of], np.uint8),
        Y.indptr.astype(np.int64),
        Y.indices.astype(np.int32),
        by_label.indptr.astype(np.int64),
        by_label.indices.astype(np.int32),
    )

    def grow(first: int) -> dict[str, np.ndarray]:
        grown: dict[str, np.ndarray] = grow_random_trees(
            *arrays,
            first,
            min(first + _TREES_AT_ONCE, n_trees),
            label_share=label_share,
            max_depth=min(max_depth, np.iinfo(np.int32).max),
            max_leaf=min(max_leaf, np.iinfo(np.int32).max),
            redraw_all=redraw == "all",
            seed=seed,
        )
        return grown

    if n_trees > MANY_TREES:
        _require_memory(grow(0), n_trees)
    runs = range(0, n_trees, _TREES_AT_ONCE)
    parts: list[dict[str, np.ndarray]] = []
    with ThreadPoolExecutor(n_threads) as pool:
        for first, part in zip(
            runs, map(grow, runs) if n_threads <= 1 else pool.map(grow, runs), strict=True
        ):
            parts.append(part)
            if progress is not None:
                progress(min(first + _TREES_AT_ONCE, n_trees), n_trees)
    _require_addressable(parts)
    joined = _joined(parts)
    test = joined["nodes"]["test"]
    of_feature = test >= 0
    store_feature = test[of_feature] % n_features
    test[of_feature] += (column_of[store_feature] - store_feature).astype(np.int32)
    return RandomTrees(
        n_features=n_features,
        prior=np.diff(by_label.indptr).astype(np.int32),
        n_rows=Y.shape[0],
        **joined,
    )


def _require_memory(first: dict[str, np.ndarray], n_trees: int) -> None:
    """Raise an InvalidSetting if trees as large as those of the first run are too many to be held."""
    times = n_trees / _TREES_AT_ONCE
    needed = 2 * times * sum(array.nbytes for array in first.values())  # once in runs, once joined
    require_memory(needed, f"{n_trees:,} trees", hint="grow fewer trees")
    _require_addressable([first], times)


def _require_addressable(parts: list[dict[str, np.ndarray]], times: float = 1.0) -> None:
    """Raise an InvalidSetting if 31 bits do not number all nodes, or all words of the leaves' records.

    The trees have `times` the nodes and leaves of the parts.
    """
    n_nodes = sum(len(part["nodes"]) for part in parts)
    n_words = sum(3 * len(part["leaf_size"]) + 3 * len(part["leaf_label"]) for part in parts)
    if times * max(n_nodes, n_words) >= 2**31:
        raise InvalidSetting("the trees together are too large", hint="use fewer trees, or larger leaves")


def _joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Join runs of trees, whose children and leaves are counted from the run's first."""
    n_nodes = n_leaves = n_entries = 0
    starts: dict[str, list[np.ndarray]] = {"tree_start": [], "leaf_start": []}
    for part in parts:
        nodes = part["nodes"]
        nodes["first"] += np.where(nodes["test"] == -1, n_leaves, n_nodes).astype(np.int32)
        starts["tree_start"].append(part["tree_start"][:-1] + n_nodes)
        starts["leaf_start"].append(part["leaf_start"][:-1] + n_entries)
        n_nodes, n_leaves = n_nodes + len(nodes), n_leaves + len(part["leaf_size"])
        n_entries += len(part["leaf_label"])
    others = ("nodes", "category", "leaf_size", "leaf_label", "leaf_count")
    return {
        **{name: np.concatenate([part[name] for part in parts]) for name in others},
        "tree_start": np.concatenate([*starts["tree_start"], [n_nodes]]),
        "leaf_start": np.concatenate([*starts["leaf_start"], [n_entries]]),
    }
