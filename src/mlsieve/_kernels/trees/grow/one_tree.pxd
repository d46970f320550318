"""Growing predictive clustering trees."""

from libc.stdint cimport uint64_t

from mlsieve._kernels.common.data_structs cimport Columns, Labels, Tree
from mlsieve._kernels.trees.grow.grower_memory cimport GrowerMemory
from mlsieve._kernels.trees.node.gains cimport Options

cdef void grow(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options, const double* weights,
    uint64_t seed, uint64_t tree, Tree* grown
) noexcept nogil

cdef int prepare(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options
) except -1 nogil
