"""The nodes that are still to be grown."""

from libc.stdint cimport int32_t

from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.trees.node.gains cimport Options, Split, Totals
from mlsieve._kernels.trees.node.node_rows cimport Pending, PendingNodes
from mlsieve._kernels.trees.node.work cimport Work

cdef int prepare_pending_nodes(PendingNodes* nodes, int32_t n_rows, int32_t n_labels) except -1 nogil

cdef void push_root(Work* work, const Columns* columns, const Labels* labels, const double* weights) noexcept nogil

cdef double load_counts(
    Work* work, const Labels* labels, const Pending* item, bint x_known, Totals* totals
) noexcept nogil

cdef void load_examples(Work* work, const Labels* labels, const Pending* item, bint x_known) noexcept nogil

cdef void gather_lanes(Work* work, const Pending* item) noexcept nogil

cdef void ask(Work* work, const Columns* columns, const Split* split, const Pending* item) noexcept nogil

cdef double push_children(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Pending* item, int32_t node
) noexcept nogil
