"""Trees as the kernel grew them, and their arrays."""

from libcpp.vector cimport vector

from mlsieve._kernels._typedefs cimport Tree


cdef class GrownTrees:
    cdef vector[Tree] trees


cdef dict arrays_of_tree(Tree* grown)
