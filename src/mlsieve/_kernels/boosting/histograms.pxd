"""Sums of a node's rows by bin."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Level, Lists, Tests

cdef void bin_columns(Lists* lists, int32_t first, bint exact) noexcept nogil
cdef void choose_bins(Lists* lists, const uint8_t* column) noexcept nogil
cdef void make_histogram(Level* level, const Lists* lists, int32_t k, int32_t n_threads) noexcept nogil
cdef void inherit_histogram(
    Level* level, Level* below, const Lists* lists, int32_t k, int32_t child, const Tests* tests, bint fewer_lanes,
    const vector[int32_t]* lane, int32_t n_threads
) noexcept nogil
