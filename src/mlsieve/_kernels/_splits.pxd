"""The structs of one growing tree, and the judges of one feature's tests in one node."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels._typedefs cimport Columns, Labels

cdef struct Options:
    bint random_tests      # extra trees: one random test a feature
    bint midpoint          # report the mid-point instead of the largest value on the "no" side
    int32_t n_candidates
    double min_leaf


cdef struct Totals:
    # Label counts of the examples that a feature's tests are judged on.
    double n               # weight
    double B               # sum_j w_j C_j^2
    const double* wC       # (L,) w_j C_j
    double tie             # gains within this count as equal


cdef struct Split:
    int32_t feature
    int32_t code           # "yes" is code > this (numeric)
    int32_t upper_code     # smallest code on the "yes" side that occurs in the node
    double threshold
    double gain
    bint nominal


cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Pending { int64_t start, end; int32_t depth, parent; bool is_yes; };
    struct Work {
        std::vector<int32_t> rows;         // node's rows: a segment of this stack
        std::vector<double> weights;       // weight of the example at the same place
        std::vector<int32_t> position;     // (n,) place within the node's segment, or -1
        std::vector<int32_t> touched;      // labels that occur in the node
        std::vector<double> count, wC;     // (L,) weighted positives, times label weight
        std::vector<double> known_count, known_wC;
        std::vector<double> yes_count;     // (L,) zero between scans
        std::vector<int32_t> permutation, candidates, swapped;
        std::vector<int32_t> list_of;      // (F,) list of a sampled sparse feature in this node, or -1
        std::vector<int64_t> list_start, list_fill;
        std::vector<int32_t> list_position, list_code;
        std::vector<int32_t> sorted_position, sorted_code;
        std::vector<uint64_t> keys;
        std::vector<int32_t> node_code;    // code of the chosen feature for each place of the node
        std::vector<int32_t> scratch_rows;
        std::vector<double> scratch_weights;
        std::vector<uint8_t> in_subset;    // categories
        std::vector<int32_t> best_subset, trial_subset, value_of;
        std::vector<int64_t> value_start;  // per present category: its labels
        std::vector<int32_t> value_label;
        std::vector<double> value_count, value_weight;
        std::vector<Pending> stack;
    };
    """
    cdef cppclass Pending nogil:
        int64_t start, end
        int32_t depth, parent
        bint is_yes
    cdef cppclass Work nogil:
        vector[int32_t] rows
        vector[double] weights
        vector[int32_t] position
        vector[int32_t] touched
        vector[double] count, wC, known_count, known_wC, yes_count
        vector[int32_t] permutation, candidates, swapped
        vector[int32_t] list_of
        vector[int64_t] list_start, list_fill
        vector[int32_t] list_position, list_code
        vector[int32_t] sorted_position, sorted_code
        vector[uint64_t] keys
        vector[int32_t] node_code
        vector[int32_t] scratch_rows
        vector[double] scratch_weights
        vector[uint8_t] in_subset
        vector[int32_t] best_subset, trial_subset, value_of
        vector[int64_t] value_start
        vector[int32_t] value_label
        vector[double] value_count, value_weight
        vector[Pending] stack


cdef void clear(Work* work, double* count) noexcept nogil

cdef void judge_dense(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* node_totals,
    int64_t start, int64_t n_node, int32_t feature, uint64_t threshold_key, uint64_t subset_key, int32_t node,
    Split* best
) noexcept nogil

cdef void judge_sparse(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    int64_t start, int64_t n_node, int64_t k, int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil

cdef int64_t gather_column(Work* work, const Columns* columns, int32_t feature) noexcept nogil

cdef void list_sparse(
    Work* work, const Columns* columns, int64_t start, int64_t n_node, int32_t n_lists
) noexcept nogil
