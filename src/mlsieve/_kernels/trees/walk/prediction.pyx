"""Walking grown trees: prediction."""

from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.trees.walk.tree_nodes cimport Nodes, category_of, in_subset, is_nominal


cdef void add_votes(const Nodes* nodes, const double* x, double* votes, vector[int32_t]* pending, vector[double]* share) noexcept nogil:
    """Add one tree's label means for one example; a missing value splits it over both branches."""
    cdef int32_t node
    cdef double part, value
    cdef int64_t q
    pending.clear()
    share.clear()
    pending.push_back(0)
    share.push_back(1.0)
    while pending.size() > 0:
        node = pending.back()
        part = share.back()
        pending.pop_back()
        share.pop_back()
        while nodes.feature[node] >= 0:
            value = x[nodes.feature[node]]
            if isnan(value):
                pending.push_back(nodes.no[node])
                share.push_back(part * (1.0 - nodes.yes_share[node]))
                part = part * nodes.yes_share[node]
                node = nodes.yes[node]
            elif is_nominal(nodes, node):
                node = nodes.yes[node] if in_subset(nodes, node, category_of(value)) else nodes.no[node]
            else:
                node = nodes.yes[node] if value > nodes.threshold[node] else nodes.no[node]
        for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
            votes[nodes.leaf_label[q]] += part * (nodes.leaf_count[q] / nodes.weight[node])


def add_predictions(
    const double[:, ::1] X,
    const int64_t[::1] tree_start,
    const int64_t[::1] subset_start,
    const int64_t[::1] leaf_start,
    const int32_t[::1] feature,
    const int32_t[::1] yes,
    const int32_t[::1] no,
    const double[::1] threshold,
    const double[::1] weight,
    const double[::1] yes_share,
    const int32_t[::1] subset,
    const int32_t[::1] leaf_label,
    const double[::1] leaf_count,
    int64_t first_tree,
    int64_t last_tree,
    double[:, ::1] votes,
):
    """Add the label means of trees first_tree .. last_tree - 1 to `votes`.

    Parameters
    ----------
    X : ndarray of float64, shape (n, F)
        NaN is missing; nominal features hold category positions.
    tree_start : ndarray of int64, shape (T + 1,)
        First node of each tree; the node arrays are those of all trees, joined, children counted within a tree.
    subset_start, leaf_start : ndarray of int64, shape (nodes + 1,)
        Bounds of each node's entries in `subset`, and in `leaf_label` and `leaf_count`.
    votes : ndarray of float64, shape (n, L)
        Changed in place.
    """
    cdef Nodes nodes
    cdef int64_t i, tree, base
    cdef vector[int32_t] pending
    cdef vector[double] share
    if X.shape[0] == 0 or votes.shape[1] == 0:
        return
    with nogil:
        for i in range(X.shape[0]):
            for tree in range(first_tree, last_tree):
                base = tree_start[tree]
                nodes.feature = &feature[base]
                nodes.yes = &yes[base]
                nodes.no = &no[base]
                nodes.threshold = &threshold[base]
                nodes.weight = &weight[base]
                nodes.yes_share = &yes_share[base]
                nodes.subset_start = &subset_start[base]
                nodes.leaf_start = &leaf_start[base]
                nodes.subset = &subset[0] if subset.shape[0] else NULL
                nodes.leaf_label = &leaf_label[0] if leaf_label.shape[0] else NULL
                nodes.leaf_count = &leaf_count[0] if leaf_count.shape[0] else NULL
                add_votes(&nodes, &X[i, 0], &votes[i, 0], &pending, &share)
