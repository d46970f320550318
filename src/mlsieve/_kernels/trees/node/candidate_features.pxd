"""The features that a node tries."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport CANDIDATES, Columns
from mlsieve._kernels.common.random_numbers cimport below, make_key
from mlsieve._kernels.trees.node.data cimport Data


cdef cppclass Candidates nogil:
    # Sets of features are one bit a feature.
    vector[uint64_t] mask                # features that the node tries; empty between nodes
    vector[uint64_t] every, dense        # all features, all dense ones
    vector[int32_t] permutation, swapped


cdef inline int prepare_candidates(Candidates* candidates, const Columns* columns) except -1 nogil:
    cdef int32_t i
    candidates.every.assign(columns.n_features // 64 + 1, 0)
    candidates.dense.assign(candidates.every.size(), 0)
    candidates.mask.assign(candidates.every.size(), 0)
    candidates.permutation.resize(columns.n_features)
    candidates.swapped.resize(columns.n_features)
    for i in range(columns.n_features):
        candidates.permutation[i] = i
        candidates.every[i >> 6] |= <uint64_t>1 << (i & 63)
        if columns.dense_slot[i] >= 0:
            candidates.dense[i >> 6] |= <uint64_t>1 << (i & 63)


cdef inline void draw_candidates(Candidates* candidates, const Data* data, uint64_t tree, int32_t node) noexcept nogil:
    """Sample features without replacement (partial Fisher-Yates, undone afterwards) into the mask."""
    cdef int32_t i, other, held, n_candidates = data.options.n_candidates
    cdef uint64_t key = make_key(data.options.seed, tree, CANDIDATES)
    for i in range(n_candidates):
        other = i + <int32_t>below(key, node, i, data.columns.n_features - i)
        candidates.swapped[i] = other
        held = candidates.permutation[i]
        candidates.permutation[i] = candidates.permutation[other]
        candidates.permutation[other] = held
        candidates.mask[candidates.permutation[i] >> 6] |= <uint64_t>1 << (candidates.permutation[i] & 63)
    i = n_candidates - 1
    while i >= 0:
        other = candidates.swapped[i]
        held = candidates.permutation[i]
        candidates.permutation[i] = candidates.permutation[other]
        candidates.permutation[other] = held
        i -= 1
