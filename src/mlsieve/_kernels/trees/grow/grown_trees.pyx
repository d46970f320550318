"""Trees as the kernel grew them, and their arrays."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from libcpp.utility cimport move
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport as_double_array, as_int_array, as_long_array
from mlsieve._kernels.common.data_structs cimport Tree

import numpy as np


cdef class GrownTrees:
    """A run of trees; `trees[i]` is a dict of one tree's arrays, as `TreeGrower.grow` returns it."""

    def __len__(self):
        return self.trees.size()

    def __getitem__(self, int64_t tree):
        if not 0 <= tree < <int64_t>self.trees.size():
            raise IndexError(tree)
        return arrays_of_tree(&self.trees[tree])


cdef dict arrays_of_tree(Tree* grown):
    """What `TreeGrower.grow` returns."""
    return {
        "feature": as_int_array(&grown.feature),
        "yes": as_int_array(&grown.yes),
        "no": as_int_array(&grown.no),
        "depth": as_int_array(&grown.depth),
        "code": as_int_array(&grown.code),
        "threshold": as_double_array(&grown.threshold),
        "gain": as_double_array(&grown.gain),
        "weight": as_double_array(&grown.weight),
        "yes_share": as_double_array(&grown.yes_share),
        "subset_start": as_long_array(&grown.subset_start),
        "subset": as_int_array(&grown.subset),
        "leaf_start": as_long_array(&grown.leaf_start),
        "leaf_label": as_int_array(&grown.leaf_label),
        "leaf_count": as_double_array(&grown.leaf_count),
    }


cdef inline void put_ints(int32_t[::1] out, int64_t at, const vector[int32_t]& data) noexcept nogil:
    if data.size() > 0:
        memcpy(&out[at], data.data(), data.size() * sizeof(int32_t))


cdef inline void put_doubles(double[::1] out, int64_t at, const vector[double]& data) noexcept nogil:
    if data.size() > 0:
        memcpy(&out[at], data.data(), data.size() * sizeof(double))


cdef inline void put_starts(int64_t[::1] out, int64_t at, int64_t offset, const vector[int64_t]& starts) noexcept nogil:
    """Put where each node's entries end into the joined array, which begins with a 0 of its own."""
    cdef int64_t i
    for i in range(1, <int64_t>starts.size()):
        out[at + i] = offset + starts[i]


def join_grown(list runs):
    """Join the arrays of all trees, one after the other.

    Parameters
    ----------
    runs : list of GrownTrees
        Their trees are freed on the way, so that they are not held twice.

    Returns
    -------
    dict of ndarray
        As of `TreeGrower.grow`, without `code`, and with tree_start (int64, shape (T + 1,)), the first node of each
        tree. Positions in subset_start and leaf_start are those in the joined arrays; yes and no stay positions within
        the tree.
    """
    cdef vector[Tree*] trees
    cdef GrownTrees run
    cdef int64_t t, n_trees, n_nodes = 0, n_subset = 0, n_leaf = 0, node = 0, in_subset = 0, in_leaf = 0
    cdef Tree* tree
    cdef Tree nothing
    for run in runs:
        for t in range(<int64_t>run.trees.size()):
            trees.push_back(&run.trees[t])
            n_nodes += <int64_t>run.trees[t].feature.size()
            n_subset += <int64_t>run.trees[t].subset.size()
            n_leaf += <int64_t>run.trees[t].leaf_label.size()
    n_trees = <int64_t>trees.size()
    cdef dict out = {name: np.empty(n_nodes, np.int32) for name in ("feature", "yes", "no", "depth")}
    out |= {name: np.empty(n_nodes) for name in ("threshold", "gain", "weight", "yes_share")}
    out |= {name: np.zeros(n_nodes + 1, np.int64) for name in ("subset_start", "leaf_start")}
    out |= {"subset": np.empty(n_subset, np.int32), "leaf_label": np.empty(n_leaf, np.int32)}
    out |= {"leaf_count": np.empty(n_leaf), "tree_start": np.zeros(n_trees + 1, np.int64)}
    cdef int32_t[::1] feature = out["feature"], yes = out["yes"], no = out["no"], depth = out["depth"]
    cdef double[::1] threshold = out["threshold"], gain = out["gain"], weight = out["weight"]
    cdef double[::1] yes_share = out["yes_share"], leaf_count = out["leaf_count"]
    cdef int64_t[::1] subset_start = out["subset_start"], leaf_start = out["leaf_start"]
    cdef int64_t[::1] tree_start = out["tree_start"]
    cdef int32_t[::1] subset = out["subset"], leaf_label = out["leaf_label"]
    with nogil:
        for t in range(n_trees):
            tree = trees[t]
            put_ints(feature, node, tree.feature)
            put_ints(yes, node, tree.yes)
            put_ints(no, node, tree.no)
            put_ints(depth, node, tree.depth)
            put_doubles(threshold, node, tree.threshold)
            put_doubles(gain, node, tree.gain)
            put_doubles(weight, node, tree.weight)
            put_doubles(yes_share, node, tree.yes_share)
            put_starts(subset_start, node, in_subset, tree.subset_start)
            put_ints(subset, in_subset, tree.subset)
            put_starts(leaf_start, node, in_leaf, tree.leaf_start)
            put_ints(leaf_label, in_leaf, tree.leaf_label)
            put_doubles(leaf_count, in_leaf, tree.leaf_count)
            node += <int64_t>tree.feature.size()
            in_subset += <int64_t>tree.subset.size()
            in_leaf += <int64_t>tree.leaf_label.size()
            tree_start[t + 1] = node
            tree[0] = move(nothing)
    return out
