"""The judges of a nominal feature's tests in one node."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Entry, Tree
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Split, Totals
from mlsieve._kernels.trees.node.label_sums cimport LabelSums


cdef cppclass Subsets nogil:
    vector[uint8_t] in_subset                    # of each category, or of each that occurs in the node
    vector[int32_t] best_subset, trial_subset    # categories
    # Of the categories that occur in the node: code, weight, and the labels of their examples with their counts.
    vector[int32_t] value_of
    vector[double] value_weight
    vector[int64_t] value_start                  # of value_label and value_count
    vector[int32_t] value_label
    vector[double] value_count


cdef int prepare_subsets(Subsets* subsets, const Columns* columns) except -1 nogil

cdef void enter_subset(Subsets* subsets, int32_t n_categories, Tree* grown) noexcept nogil

cdef void judge_nominal(
    Subsets* subsets, LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries,
    int32_t feature, Split* best
) noexcept nogil

cdef void judge_random_subset(
    Subsets* subsets, LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries,
    int32_t feature, uint64_t key, int32_t node, Split* best
) noexcept nogil
