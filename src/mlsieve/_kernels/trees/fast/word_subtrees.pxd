"""Subtrees small enough that one word of bits holds their examples."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport Columns, Labels, Tree
from mlsieve._kernels.common.simd cimport prefetch
from mlsieve._kernels.trees.node.gains cimport Options
from mlsieve._kernels.trees.node.work cimport Subtree, Work

cdef bint fits_a_word(const Work* work, double weight) noexcept nogil

cdef void grow_small(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Subtree* root,
    uint64_t seed, uint64_t tree, Tree* grown
) noexcept nogil


cdef inline void prefetch_row(
    const Work* work, const Columns* columns, const Labels* labels, const Subtree* root, int64_t i
) noexcept nogil:
    """Ask for what the rows after the i-th will need: a node's rows lie far apart."""
    cdef int32_t next = root.rows[min(i + 4, root.n_rows - 1)], later = root.rows[min(i + 8, root.n_rows - 1)]
    cdef int64_t first = columns.row_start[next]
    prefetch(&columns.row_start[later])
    prefetch(&work.sums.example[later])
    prefetch(&columns.row_feature[first])
    prefetch(&columns.row_feature[min(first + 16, columns.row_start[columns.n_rows] - 1)])
    prefetch(&labels.index[work.sums.example[next].first])
