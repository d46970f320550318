"""Tables of the label counts of all tests on sparse features."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.trees.node.gains cimport Options, Split, Totals
from mlsieve._kernels.trees.node.node_rows cimport Pending
from mlsieve._kernels.trees.node.work cimport Work

cdef bint worth_building(const Work* work, const Columns* columns, const Labels* labels, int64_t n_node) noexcept nogil

cdef int32_t build_table(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    const int32_t* rows, int64_t n_rows
) noexcept nogil

cdef int32_t pass_table(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Pending* parent,
    const Pending* leaving, const Pending* staying
) noexcept nogil

cdef void judge_tabulated(
    Work* work, const Columns* columns, const Options* options, const Totals* totals, int32_t table,
    int32_t first_feature, int32_t end_feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil
