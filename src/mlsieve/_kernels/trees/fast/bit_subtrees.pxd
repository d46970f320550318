"""Subtrees of data all of whose features have two values, grown from bits."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport Columns, Labels, Tree
from mlsieve._kernels.trees.node.gains cimport Options
from mlsieve._kernels.trees.node.work cimport Subtree, Work

cdef bint fits_bits(const Work* work, const Columns* columns, int64_t n_rows) noexcept nogil

cdef void grow_bits(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Subtree* root,
    int32_t depth, uint64_t seed, uint64_t tree, Tree* grown
) noexcept nogil
