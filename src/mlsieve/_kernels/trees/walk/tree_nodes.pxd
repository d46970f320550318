"""The nodes of a grown tree, as its traversal needs them."""

from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.binary_search cimport first_from


cdef struct Nodes:
    # One tree; see data_structs.Tree.
    const int32_t* feature
    const int32_t* yes
    const int32_t* no
    const int32_t* code
    const double* threshold
    const double* weight
    const double* yes_share
    const int64_t* subset_start
    const int32_t* subset
    const int64_t* leaf_start
    const int32_t* leaf_label
    const double* leaf_count


cdef inline bint is_nominal(const Nodes* nodes, int32_t node) noexcept nogil:
    return nodes.subset_start[node + 1] > nodes.subset_start[node]


cdef inline int32_t category_of(double value) noexcept nogil:
    """The category that a known value encodes; -1 if it is none."""
    return <int32_t>value if 0.0 <= value < 2147483648.0 and value == floor(value) else -1


cdef inline bint in_subset(const Nodes* nodes, int32_t node, int32_t category) noexcept nogil:
    """Whether a category answers "yes" (the subset is sorted)."""
    cdef int64_t end = nodes.subset_start[node + 1]
    cdef int64_t place = first_from(nodes.subset, nodes.subset_start[node], end, category)
    return place < end and nodes.subset[place] == category
