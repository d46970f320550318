"""Search in sorted arrays."""

from libc.stdint cimport int32_t, int64_t


cdef inline int64_t first_from(const int32_t* values, int64_t low, int64_t high, int32_t wanted) noexcept nogil:
    """The first place in low .. high - 1 whose value is not below `wanted`; high if there is none."""
    cdef int64_t middle
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
