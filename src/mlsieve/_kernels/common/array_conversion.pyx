"""Arrays of Python as the kernels' structs, and vectors of the kernels as arrays."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy as np


cdef Columns columns_of(object store):
    """Borrow the arrays of a `ColumnStore` (which must outlive the struct)."""
    cdef Columns columns
    cdef const int32_t[::1] dense_slot = store.dense_slot, n_known = store.n_known
    cdef const int32_t[:, ::1] codes = store.codes
    cdef const int64_t[::1] column_start = store.column_start, row_start = store.row_start
    cdef const int32_t[::1] column_row = store.column_row, column_code = store.column_code
    cdef const int32_t[::1] row_feature = store.row_feature, row_code = store.row_code
    cdef const int32_t[::1] rest_code = store.rest_code, n_categories = store.n_categories
    cdef const int64_t[::1] test_start = store.test_start, test_row_start = store.test_row_start
    cdef const int32_t[::1] row_test = store.row_test
    cdef const int64_t[::1] value_start = store.value_start
    cdef const double[::1] values = store.values
    columns.n_rows = store.n_rows
    columns.n_features = store.n_features
    columns.dense_slot = &dense_slot[0]
    columns.codes = &codes[0, 0] if codes.shape[0] else NULL
    columns.n_known = &n_known[0] if n_known.shape[0] else NULL
    columns.column_start = &column_start[0]
    columns.column_row = &column_row[0] if column_row.shape[0] else NULL
    columns.column_code = &column_code[0] if column_code.shape[0] else NULL
    columns.row_start = &row_start[0]
    columns.row_feature = &row_feature[0] if row_feature.shape[0] else NULL
    columns.row_code = &row_code[0] if row_code.shape[0] else NULL
    columns.rest_code = &rest_code[0]
    columns.test_start = &test_start[0]
    columns.test_row_start = &test_row_start[0] if row_test.shape[0] else NULL
    columns.row_test = &row_test[0] if row_test.shape[0] else NULL
    columns.value_start = &value_start[0]
    columns.values = &values[0] if values.shape[0] else NULL
    columns.n_categories = &n_categories[0]
    return columns


cdef Labels labels_of(const int64_t[::1] start, const int32_t[::1] index, int32_t n_labels):
    """Borrow the arrays of positive labels (which must outlive the struct); labels have no weights."""
    cdef Labels labels
    labels.n_labels = n_labels
    labels.start = &start[0]
    labels.index = &index[0] if index.shape[0] else NULL
    labels.weight = NULL
    return labels


cdef object as_int_array(vector[int32_t]* data):
    return array_of(data.data(), data.size(), np.int32)


cdef object as_long_array(vector[int64_t]* data):
    return array_of(data.data(), data.size(), np.int64)


cdef object as_double_array(vector[double]* data):
    return array_of(data.data(), data.size(), np.float64)


cdef object array_of(const void* data, size_t size, object dtype):
    """Copy numbers into an array of their own."""
    out = np.empty(size, dtype)
    cdef unsigned char[::1] cells = out.view(np.uint8)
    if size > 0:
        memcpy(&cells[0], data, cells.shape[0])
    return out
