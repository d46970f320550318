"""The rows of a feature in the order of their codes, as kernels take them that look at one feature at a time."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct CodeOrder {
        std::vector<int64_t> start, fill;   // (codes + 1,) of row; used while filling
        std::vector<int32_t> row;           // listed rows, by code; missing ones are left out
        int32_t rest_code;                  // of the rows that are not listed; -1 where all are
    };
    """
    cdef cppclass CodeOrder nogil:
        vector[int64_t] start
        vector[int64_t] fill
        vector[int32_t] row
        int32_t rest_code


cdef struct LabelRows:
    int32_t n_labels
    const int64_t* start   # (n + 1,) of index
    const int32_t* index   # positive labels of each row


cdef inline int32_t n_values_of(const Columns* columns, int32_t feature) noexcept nogil:
    """Number of distinct values of a feature."""
    return <int32_t>(columns.value_start[feature + 1] - columns.value_start[feature])


cdef inline double between(double low, double high) noexcept nogil:
    """A number that parts two: their middle, or the lower one where no number lies between."""
    cdef double middle = low + (high - low) / 2.0
    if high - low > 1.7976931348623157e308:
        middle = low / 2.0 + high / 2.0
    return middle if middle < high else low


cdef inline void order_by_code(const Columns* columns, int32_t feature, CodeOrder* order) noexcept nogil:
    """Put a feature's listed rows in the order of their codes, and those of one code in index order."""
    cdef int32_t slot = columns.dense_slot[feature], code
    cdef int32_t n_values = n_values_of(columns, feature)
    cdef int64_t i, first = 0, last = columns.n_rows
    cdef const int32_t* codes
    if slot >= 0:
        codes = columns.codes + <int64_t>slot * columns.n_rows
    else:
        first = columns.column_start[feature]
        last = columns.column_start[feature + 1]
        codes = columns.column_code
    order.rest_code = columns.rest_code[feature]
    order.start.assign(n_values + 1, 0)
    for i in range(first, last):
        if codes[i] >= 0:
            order.start[codes[i] + 1] += 1
    for code in range(n_values):
        order.start[code + 1] += order.start[code]
    order.fill.assign(order.start.begin(), order.start.end())
    order.row.resize(order.start[n_values])
    for i in range(first, last):
        if codes[i] >= 0:
            order.row[order.fill[codes[i]]] = <int32_t>i if slot >= 0 else columns.column_row[i]
            order.fill[codes[i]] += 1
