"""The weighted sum of label variances in every node of grown trees, from the counts in their leaves."""

from libc.stdint cimport int8_t, int32_t, int64_t
from libcpp.vector cimport vector

import numpy as np


cdef struct Trees:
    const int32_t* feature                 # of one tree, from its first node
    const int32_t* yes
    const int32_t* no
    const double* weight
    const int64_t* leaf_start
    const int32_t* leaf_label
    const double* leaf_count
    const double* label_weight


cdef struct Sums:
    double linear, squares                 # sum_j w_j c_j and sum_j w_j c_j^2


cdef inline void add_leaves(const Trees* trees, double* count, Sums* sums, int64_t first, int64_t end) noexcept nogil:
    """Add the label counts of the leaves among the nodes first .. end - 1, which are adjacent."""
    cdef int64_t q
    cdef int32_t j
    cdef double more
    for q in range(trees.leaf_start[first], trees.leaf_start[end]):
        j = trees.leaf_label[q]
        more = trees.leaf_count[q]
        sums.linear += trees.label_weight[j] * more
        sums.squares += trees.label_weight[j] * (more * (2.0 * count[j] + more))
        count[j] += more


cdef void one_tree(
    const Trees* trees, int64_t n_nodes, double* count, vector[int32_t]& end, vector[int8_t]& starts_path,
    vector[int32_t]& path, double* out
) noexcept nogil:
    """Fill `out` for one tree: paths from a node down its child with more counts, each from its leaf upwards.

    A count so enters the sums of at most log2(leaves) paths.
    """
    cdef int64_t node, top, q
    cdef int32_t yes, no, heavy, light
    cdef Sums sums
    for node in range(n_nodes - 1, -1, -1):
        end[node] = <int32_t>node + 1 if trees.feature[node] < 0 else end[trees.no[node]]
        starts_path[node] = node == 0
    for top in range(n_nodes):
        if not starts_path[top]:
            continue
        path.clear()
        node = top
        while trees.feature[node] >= 0:
            yes, no = trees.yes[node], trees.no[node]
            heavy, light = yes, no
            if trees.leaf_start[end[yes]] - trees.leaf_start[yes] < trees.leaf_start[end[no]] - trees.leaf_start[no]:
                heavy, light = no, yes
            starts_path[light] = True
            path.push_back(light)
            path.push_back(<int32_t>node)
            node = heavy
        sums.linear = sums.squares = 0.0
        add_leaves(trees, count, &sums, node, node + 1)
        out[node] = sums.linear - sums.squares / trees.weight[node]
        while path.size() > 0:
            node = path.back()
            path.pop_back()
            light = path.back()
            path.pop_back()
            add_leaves(trees, count, &sums, light, end[light])
            out[node] = sums.linear - sums.squares / trees.weight[node]
        for q in range(trees.leaf_start[top], trees.leaf_start[end[top]]):
            count[trees.leaf_label[q]] = 0.0


def node_variances(
    const int64_t[::1] tree_start,
    const int32_t[::1] feature,
    const int32_t[::1] yes,
    const int32_t[::1] no,
    const double[::1] weight,
    const int64_t[::1] leaf_start,
    const int32_t[::1] leaf_label,
    const double[::1] leaf_count,
    const double[::1] label_weight,
):
    """n sum_j w_j Var(y_j) of each node, over all examples that it holds, the missing ones by their shares.

    Parameters
    ----------
    tree_start : ndarray of int64, shape (T + 1,)
        First node of each tree; nodes are in preorder.
    feature, yes, no : ndarray of int32, shape (nodes,)
        Feature tested, -1 at a leaf; children, as positions within the tree.
    weight : ndarray of float64, shape (nodes,)
        n, positive.
    leaf_start, leaf_label, leaf_count : ndarray of int64, of int32 and of float64
        Weighted positives of each label that occurs in a leaf.
    label_weight : ndarray of float64, shape (L,)
        w_j.

    Returns
    -------
    ndarray of float64, shape (nodes,)
    """
    cdef int64_t t, first, n_nodes, largest = 0
    cdef double[::1] variances = np.zeros(feature.shape[0])
    cdef double[::1] count = np.zeros(label_weight.shape[0])
    cdef vector[int32_t] end, path
    cdef vector[int8_t] starts_path
    cdef Trees trees
    for t in range(tree_start.shape[0] - 1):
        largest = max(largest, tree_start[t + 1] - tree_start[t])
    end.resize(largest)
    starts_path.resize(largest)
    trees.leaf_label = &leaf_label[0] if leaf_label.shape[0] else NULL
    trees.leaf_count = &leaf_count[0] if leaf_count.shape[0] else NULL
    trees.label_weight = &label_weight[0]
    with nogil:
        for t in range(tree_start.shape[0] - 1):
            first = tree_start[t]
            n_nodes = tree_start[t + 1] - first
            if n_nodes == 0:
                continue
            trees.feature = &feature[first]
            trees.yes = &yes[first]
            trees.no = &no[first]
            trees.weight = &weight[first]
            trees.leaf_start = &leaf_start[first]
            one_tree(&trees, n_nodes, &count[0], end, starts_path, path, &variances[first])
    return np.asarray(variances)
