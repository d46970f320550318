"""Labels that at least two of a node's rows have, and the scan of a dense feature's thresholds by these."""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.trees.node.gains cimport Options, Split, Totals
from mlsieve._kernels.trees.node.node_rows cimport Pending
from mlsieve._kernels.trees.node.work cimport Work

cdef void make_room(Work* work, int64_t n_rows, int64_t n_labels, int64_t n_positives) noexcept nogil

cdef void list_shared(Work* work, const Labels* labels, const Pending* item) noexcept nogil

cdef void scan_shared(
    Work* work, const Options* options, const Totals* node, const Entry* entries, int64_t n_known, int64_t n_node,
    int32_t feature, Split* best
) noexcept nogil
