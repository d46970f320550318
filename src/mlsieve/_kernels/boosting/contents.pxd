"""Digests of columns and rows that ignore the order of the rows."""

from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Lists


cdef struct Rows:
    const uint64_t* key             # digest of what is known of a row besides its cells
    const uint64_t* count           # whole part of its weight
    const uint64_t* fraction        # digest of the rest of its weight, 0 if there is none


cdef void digest_columns(
    const Lists* lists, const Rows* rows, vector[uint64_t]* of_column, vector[uint64_t]* of_row
) noexcept nogil
