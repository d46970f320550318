"""Sums of a node's rows by bin."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Growth, Lists, Node, Tests

cdef void bin_columns(Lists* lists, int32_t first, bint exact) noexcept nogil
cdef void choose_bins(Lists* lists, const uint8_t* column) noexcept nogil
cdef void make_histogram(Growth* growth, Node* node, const Lists* lists, int32_t n_threads) noexcept nogil
cdef void inherit_histogram(
    const Growth* growth, Node* node, Node* child, const Lists* lists, const Tests* tests, bint fewer_lanes,
    const vector[int32_t]* lane, int32_t n_threads
) noexcept nogil
