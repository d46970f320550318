"""CLUS's permutation statistics of one tree: a feature is permuted while the features before it still are.

CLUS permutes the out-of-bag examples in place and takes nothing back, so that each error also has what all earlier
permutations did. The features of the tree come in the order in which CLUS finds them: from the root in depth-first
order, the branch "no" first. That order depends on the tree alone, not on the order of the columns.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport as_double_array, as_int_array
from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.trees.walk.out_of_bag cimport (
    OutOfBag, OutOfBagTree, child, load_column, set_up, shuffle, stamp_labels
)
from mlsieve._kernels.trees.walk.pair_scores cimport PUT, PairScores, change, pooled_error, settle_changes, take_levels
from mlsieve._kernels.trees.walk.score_keys cimport score_key, sort_keys
from mlsieve._kernels.trees.walk.tree_nodes cimport Nodes

import numpy as np


cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Reached { int32_t node; double share; };  // a node that an example reaches, and with what weight
    static inline bool operator==(const Reached& a, const Reached& b) { return a.node == b.node && a.share == b.share; }
    struct Pile {
        OutOfBag bag;
        std::vector<int32_t> order;          // features that the tree tests, as CLUS finds them
        std::vector<int32_t> place;          // (F,) of a feature in `order`, or -1
        std::vector<int32_t> tests;          // (nodes,) place of the feature tested; -1 at a leaf
        std::vector<int64_t> start;          // (tested + 1,) of `testing`
        std::vector<int32_t> testing;        // nodes that test the feature at each place, rising
        std::vector<int32_t> subtree_end;    // (nodes,) the next node that is not below this one
        std::vector<int32_t> highest;        // (nodes,) of a leaf: the highest node above it that tests the current feature, or -1
        std::vector<int32_t> codes;          // (tested, out-of-bag examples) as far as permuted
        std::vector<std::vector<Reached>> leaves;  // (out-of-bag examples,) with the codes as far as permuted
        std::vector<Reached> now, pending;
        std::vector<double> leaf_mean;       // of each entry of leaf_label
        std::vector<int32_t> stamp;          // (L,) last out-of-bag example that has the label
        std::vector<double> mean;            // (L,) sums over several leaves
        std::vector<int32_t> mean_label;
        PairScores scores;                   // of all (example, label) pairs, for the pooled curve
        bool pooled;
        std::vector<double> permuted;        // error after each feature's permutation
    };
    """
    cdef cppclass Reached nogil:
        int32_t node
        double share
        bint operator==(const Reached&)
    cdef cppclass Pile nogil:
        OutOfBag bag
        vector[int32_t] order, place, tests
        vector[int64_t] start
        vector[int32_t] testing, subtree_end, highest, codes
        vector[vector[Reached]] leaves
        vector[Reached] now, pending
        vector[double] leaf_mean
        vector[int32_t] stamp
        vector[double] mean
        vector[int32_t] mean_label
        PairScores scores
        bint pooled
        vector[double] permuted


# ------------------------------------------------------------------------------------------------------ the tree


cdef void order_features(Pile* pile, const Nodes* nodes, int32_t n_features) noexcept nogil:
    """Find the tested features as CLUS does: depth-first with a stack, on which "no" lies above "yes"."""
    cdef vector[int32_t] stack
    cdef int32_t node, feature
    pile.place.assign(n_features, -1)
    stack.push_back(0)
    while stack.size() > 0:
        node = stack.back()
        stack.pop_back()
        feature = nodes.feature[node]
        if feature < 0:
            continue
        if pile.place[feature] < 0:
            pile.place[feature] = <int32_t>pile.order.size()
            pile.order.push_back(feature)
        stack.push_back(nodes.yes[node])
        stack.push_back(nodes.no[node])


cdef void load_nodes(Pile* pile, const Nodes* nodes, int64_t n_nodes) noexcept nogil:
    """Take up which nodes test each feature, where the nodes below each end, and the leaves' label means."""
    cdef int64_t node, q
    cdef size_t p
    pile.tests.assign(n_nodes, -1)
    pile.subtree_end.resize(n_nodes)
    pile.highest.assign(n_nodes, -1)
    pile.leaf_mean.resize(nodes.leaf_start[n_nodes])
    pile.start.assign(pile.order.size() + 1, 0)
    for node in range(n_nodes - 1, -1, -1):
        if nodes.feature[node] < 0:
            pile.subtree_end[node] = <int32_t>node + 1
        else:
            pile.subtree_end[node] = pile.subtree_end[nodes.no[node]]
            pile.tests[node] = pile.place[nodes.feature[node]]
            pile.start[pile.tests[node] + 1] += 1
        for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
            pile.leaf_mean[q] = nodes.leaf_count[q] / nodes.weight[node]
    for p in range(pile.order.size()):
        pile.start[p + 1] += pile.start[p]
    pile.testing.resize(pile.start[pile.order.size()])
    for node in range(n_nodes - 1, -1, -1):    # so that the nodes of a place rise
        if pile.tests[node] >= 0:
            pile.start[pile.tests[node] + 1] -= 1
            pile.testing[pile.start[pile.tests[node] + 1]] = <int32_t>node
    for p in range(pile.order.size()):
        pile.start[p] = pile.start[p + 1]
    pile.start[pile.order.size()] = <int64_t>pile.testing.size()


cdef void mark_leaves(Pile* pile, size_t place, bint mark) noexcept nogil:
    """Write (or take back) the highest node above each leaf that tests the feature at this place."""
    cdef int64_t t
    cdef int32_t node, leaf, covered = 0
    for t in range(pile.start[place], pile.start[place + 1]):
        node = pile.testing[t]
        if node < covered:
            continue
        covered = pile.subtree_end[node]
        for leaf in range(node, covered):
            pile.highest[leaf] = node if mark else -1


# ------------------------------------------------------------------------------------------------------ the examples


cdef void find_leaves(Pile* pile, const Nodes* nodes, int64_t example, int64_t n_oob, int32_t start) noexcept nogil:
    """Fill pile.now with the leaves that an example reaches from a node, which it reaches whole."""
    cdef Reached at
    cdef int32_t code
    pile.now.clear()
    pile.pending.clear()
    at.node = start
    at.share = 1.0
    pile.pending.push_back(at)
    while pile.pending.size() > 0:
        at = pile.pending.back()
        pile.pending.pop_back()
        while pile.tests[at.node] >= 0:
            code = pile.codes[pile.tests[at.node] * n_oob + example]
            if code < 0:
                spread(pile, nodes, &at)
            else:
                at.node = child(nodes, at.node, code)
        pile.now.push_back(at)


cdef inline void spread(Pile* pile, const Nodes* nodes, Reached* at) noexcept nogil:
    """Go down both branches: "yes" now, "no" later."""
    cdef Reached other
    other.node = nodes.no[at.node]
    other.share = at.share * (1.0 - nodes.yes_share[at.node])
    pile.pending.push_back(other)
    at.share *= nodes.yes_share[at.node]
    at.node = nodes.yes[at.node]


cdef int64_t count_label(Pile* pile, int64_t example, int32_t label, double mean, uint64_t put) noexcept nogil:
    """Put a pair's score on the curve, or take it away; return the cells that its prediction makes wrong, with a sign."""
    cdef bint positive = pile.stamp[label] == example
    if pile.pooled:
        change(&pile.scores, score_key(mean), positive, put)
    if mean < 0.5:
        return 0
    return -1 if positive else 1


cdef int64_t count_labels(
    Pile* pile, const Nodes* nodes, int64_t example, const vector[Reached]& leaves, uint64_t put
) noexcept nogil:
    """Put an example's scores on the curve, or take them away; return its wrong cells less its positive labels.

    pile.stamp has the example's labels.
    """
    cdef int64_t q, wrong = 0
    cdef size_t s
    cdef int32_t label, leaf
    if leaves.size() == 1:
        leaf = leaves[0].node
        for q in range(nodes.leaf_start[leaf], nodes.leaf_start[leaf + 1]):
            wrong += count_label(pile, example, nodes.leaf_label[q], pile.leaf_mean[q], put)
        return wrong
    pile.mean_label.clear()
    for s in range(leaves.size()):
        leaf = leaves[s].node
        for q in range(nodes.leaf_start[leaf], nodes.leaf_start[leaf + 1]):
            label = nodes.leaf_label[q]
            if pile.mean[label] == 0.0:
                pile.mean_label.push_back(label)
            pile.mean[label] += leaves[s].share * pile.leaf_mean[q]
    for s in range(pile.mean_label.size()):
        label = pile.mean_label[s]
        wrong += count_label(pile, example, label, pile.mean[label], put)
        pile.mean[label] = 0.0
    return wrong


cdef int64_t walk_all(
    Pile* pile, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob
) noexcept nogil:
    """Load the examples' codes and send them through the tree unchanged; return their wrong cells."""
    cdef int64_t i, wrong = 0
    cdef size_t p
    pile.codes.resize(pile.order.size() * n_oob)
    for p in range(pile.order.size()):
        load_column(&pile.bag, columns, pile.order[p], rows, n_oob)
        for i in range(n_oob):
            pile.codes[p * n_oob + i] = pile.bag.column[i]
    pile.leaves.resize(n_oob)
    pile.scores.changes.clear()
    pile.scores.n_positives = 0
    for i in range(n_oob):
        find_leaves(pile, nodes, i, n_oob, 0)
        pile.leaves[i] = pile.now
        stamp_labels(pile.stamp.data(), labels, rows[i], <int32_t>i)
        pile.scores.n_positives += labels.start[rows[i] + 1] - labels.start[rows[i]]
        wrong += count_labels(pile, nodes, i, pile.leaves[i], PUT)
    pile.scores.n_negatives = n_oob * labels.n_labels - pile.scores.n_positives
    take_levels(&pile.scores)
    pile.scores.changes.clear()
    return wrong + pile.scores.n_positives


# ------------------------------------------------------------------------------------------------------ permuting


cdef int32_t highest_test(const Pile* pile, int64_t example) noexcept nogil:
    """The highest node that tests the current feature on the way to an example's leaves; -1 if it meets none."""
    cdef size_t s
    cdef int32_t node
    for s in range(pile.leaves[example].size()):
        node = pile.highest[pile.leaves[example][s].node]
        if node >= 0:                      # an example on several leaves starts again at the root
            return node if pile.leaves[example].size() == 1 else 0
    return -1


cdef int64_t permute_feature(
    Pile* pile, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob, size_t place, uint64_t key
) noexcept nogil:
    """Permute the feature at a place besides those before it; return how many cells become wrong by it."""
    cdef int64_t i, more = 0
    cdef int32_t node
    cdef int32_t* codes = pile.codes.data() + place * n_oob
    shuffle(&pile.bag, pile.order[place], n_oob, key)
    for i in range(n_oob):                 # its codes are still the examples' own
        pile.bag.column[i] = codes[i]
    mark_leaves(pile, place, True)
    for i in range(n_oob):
        codes[i] = pile.bag.column[pile.bag.shuffle[i]]
        if codes[i] == pile.bag.column[i]:
            continue
        node = highest_test(pile, i)
        if node < 0:
            continue
        find_leaves(pile, nodes, i, n_oob, node)
        if pile.now == pile.leaves[i]:
            continue
        stamp_labels(pile.stamp.data(), labels, rows[i], <int32_t>i)
        more -= count_labels(pile, nodes, i, pile.leaves[i], 0)
        more += count_labels(pile, nodes, i, pile.now, PUT)
        pile.leaves[i].swap(pile.now)
    mark_leaves(pile, place, False)
    return more


cdef double permute_all(
    Pile* pile, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob,
    uint64_t key
) noexcept nogil:
    """Return the error of the examples as they are; pile.permuted gets that after each feature's permutation."""
    cdef int64_t wrong = walk_all(pile, columns, labels, nodes, rows, n_oob)
    cdef double error = pooled_error(&pile.scores) if pile.pooled else <double>wrong
    cdef double own = error
    cdef size_t p
    for p in range(pile.order.size()):
        wrong += permute_feature(pile, labels, nodes, rows, n_oob, p, key)
        if not pile.pooled:
            error = <double>wrong
        elif pile.scores.changes.size() > 0:
            sort_keys(pile.scores.changes, pile.scores.sorted)
            settle_changes(&pile.scores)
            error = pooled_error(&pile.scores)
        pile.permuted.push_back(error)
    return own


def piled_permutation_errors(OutOfBagTree tree, bint pooled):
    """One tree's errors on its out-of-bag examples, as they are and as CLUS permutes feature upon feature.

    Each feature's own permutation is that of `permutation_errors`.

    Parameters
    ----------
    tree : OutOfBagTree
    pooled : bool
        Whether errors are 1 - pooled AUPRC, else wrong label cells.

    Returns
    -------
    error : float
        In [0, 1], or a whole number of cells out of L x len(rows).
    features : ndarray of int32
        All features that the tree tests, rising, whether or not an example meets them.
    permuted : ndarray of float64
        Error after permuting each of them and those that come before it.
    """
    cdef double error
    cdef Pile* pile = new Pile()
    try:
        with nogil:
            pile.pooled = pooled
            order_features(pile, &tree.nodes, tree.columns.n_features)
            load_nodes(pile, &tree.nodes, tree.n_nodes)
            set_up(&pile.bag, &tree.columns, tree.rows, tree.n_oob)
            pile.stamp.assign(tree.labels.n_labels, -1)
            pile.mean.assign(tree.labels.n_labels, 0.0)
            error = permute_all(pile, &tree.columns, &tree.labels, &tree.nodes, tree.rows, tree.n_oob, tree.key)
        features = as_int_array(&pile.order)
        rising = np.argsort(features)
        return error, features[rising], as_double_array(&pile.permuted)[rising]
    finally:
        del pile
