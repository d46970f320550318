"""The rows of a node in the order of one feature."""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels._typedefs cimport Columns, Entry
from mlsieve._kernels._work cimport Work

cdef int64_t known_rows(
    Work* work, const Columns* columns, int32_t feature, const int32_t* rows, int64_t n_node, bint in_order, bint numbered
) noexcept nogil

cdef void sort_listed(Work* work, Entry* entries, int64_t n_entries) noexcept nogil
