"""Tables of the label counts of all tests on sparse features."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Split, Totals
from mlsieve._kernels.trees.node.label_sums cimport LabelSums
from mlsieve._kernels.trees.node.node_rows cimport Pending, PendingNodes


cdef cppclass Table nogil:
    # Label counts of all tests on sparse features in a large node.
    int64_t n_tests
    vector[int32_t] place          # of each test, -1 if it is left out
    vector[int32_t] feature        # that are not left out
    vector[int32_t] first          # (features + 1,) places of their first tests
    vector[float] count            # (L, n_tests) weight with the label of the side without unlisted rows
    vector[double] weight, B, X    # (n_tests,) of that side, B = sum_j w_j count_j^2, X = sum_j w_j C_j count_j
    double summed_at               # the node's weight when B and X were summed anew
    int32_t passes                 # since then
    bint in_use


cdef cppclass CountTables nogil:
    bint may_be_used               # on these data, with these options
    vector[Table] tables
    vector[double] wC              # (L,) w_j C_j of the node that a table is for
    vector[double] test_weight     # of all tests
    vector[int32_t] lost_label     # labels of which a node has fewer than its parent
    vector[double] lost            # and how much of w_j C_j
    vector[int32_t] own_tests      # of one row
    vector[double] before          # their counts
    vector[int32_t] kept           # features that are not left out
    vector[int32_t] kept_places    # of their tests


cdef int prepare_count_tables(CountTables* tables, const Data* data) except -1 nogil

cdef bint worth_building(
    const CountTables* tables, const Data* data, const LabelSums* sums, int64_t n_node
) noexcept nogil

cdef int32_t build_table(
    CountTables* tables, const LabelSums* sums, const Data* data, const Totals* totals, const int32_t* rows,
    int64_t n_rows
) noexcept nogil

cdef void drop_table(CountTables* tables, int32_t table) noexcept nogil

cdef int32_t pass_table(
    CountTables* tables, const Data* data, const LabelSums* sums, const PendingNodes* nodes, const Pending* parent,
    const Pending* leaving, const Pending* staying
) noexcept nogil

cdef void judge_tabulated(
    const CountTables* tables, const Data* data, const Totals* totals, int32_t table, int32_t first_feature,
    int32_t end_feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil
