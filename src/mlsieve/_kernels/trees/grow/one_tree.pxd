"""Growing predictive clustering trees."""

from libc.stdint cimport uint64_t

from mlsieve._kernels.common.data_structs cimport Tree
from mlsieve._kernels.trees.grow.grower_memory cimport GrowerMemory

cdef void grow(GrowerMemory* memory, const double* weights, uint64_t tree, Tree* grown) noexcept nogil

cdef int prepare(GrowerMemory* memory) except -1 nogil
