"""Arrays of Python as the kernels' structs, and vectors of the kernels as arrays."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels._typedefs cimport Columns

cdef Columns columns_of(object store)
cdef object as_int_array(vector[int32_t]* data)
cdef object as_long_array(vector[int64_t]* data)
cdef object as_double_array(vector[double]* data)
