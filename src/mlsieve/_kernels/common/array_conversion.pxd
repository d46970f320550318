"""Arrays of Python as the kernels' structs, and vectors of the kernels as arrays."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Labels

cdef Columns columns_of(object store)
cdef Labels labels_of(const int64_t[::1] start, const int32_t[::1] index, int32_t n_labels)
cdef object as_int_array(vector[int32_t]* data)
cdef object as_long_array(vector[int64_t]* data)
cdef object as_double_array(vector[double]* data)
cdef object array_of(const void* data, size_t size, object dtype)
