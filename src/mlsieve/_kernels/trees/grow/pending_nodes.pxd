"""The nodes that are still to be grown."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.trees.grow.grower_memory cimport GrowerMemory
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Split, Totals
from mlsieve._kernels.trees.node.label_sums cimport LabelSums, RowLanes
from mlsieve._kernels.trees.node.node_rows cimport Pending, PendingNodes

cdef int prepare_pending_nodes(PendingNodes* nodes, const Data* data) except -1 nogil

cdef void push_root(GrowerMemory* memory, const double* weights) noexcept nogil

cdef double load_counts(
    LabelSums* sums, const PendingNodes* nodes, const Labels* labels, const Pending* item, bint x_known, Totals* totals
) noexcept nogil

cdef void load_examples(GrowerMemory* memory, const Pending* item, bint x_known) noexcept nogil

cdef void gather_lanes(RowLanes* lanes, const int32_t* rows, int64_t n_node) noexcept nogil

cdef void ask(
    PendingNodes* nodes, const uint8_t* in_subset, const Columns* columns, const Split* split, const Pending* item
) noexcept nogil

cdef double push_children(GrowerMemory* memory, const Pending* item, int32_t node) noexcept nogil
