"""Trees as the kernel grew them, and their arrays."""

from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Tree


cdef class GrownTrees:
    cdef vector[Tree] trees


cdef dict arrays_of_tree(Tree* grown)
