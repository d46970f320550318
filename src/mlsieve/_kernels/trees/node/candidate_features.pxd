"""The features that a node tries."""

from libc.stdint cimport int32_t, uint64_t

from mlsieve._kernels.common.random_numbers cimport below
from mlsieve._kernels.trees.node.work cimport Work


cdef inline void draw_candidates(
    Work* work, int32_t n_features, int32_t n_candidates, uint64_t key, int32_t node
) noexcept nogil:
    """Sample features without replacement (partial Fisher-Yates, undone afterwards) into the mask."""
    cdef int32_t i, other, held
    for i in range(n_candidates):
        other = i + <int32_t>below(key, node, i, n_features - i)
        work.swapped[i] = other
        held = work.permutation[i]
        work.permutation[i] = work.permutation[other]
        work.permutation[other] = held
        work.mask[work.permutation[i] >> 6] |= <uint64_t>1 << (work.permutation[i] & 63)
    i = n_candidates - 1
    while i >= 0:
        other = work.swapped[i]
        held = work.permutation[i]
        work.permutation[i] = work.permutation[other]
        work.permutation[other] = held
        i -= 1
