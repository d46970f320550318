"""The judges of one numeric feature's tests in one node."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Split, Totals
from mlsieve._kernels.trees.node.label_sums cimport LabelSums
from mlsieve._kernels.trees.node.sorted_rows cimport SortedRows


cdef cppclass KnownLabels nogil:
    # Of the node's rows without those whose value is missing.
    vector[double] count, wC    # (L,) of the missing rows, zero between uses; w_j C_j of the others


cdef int prepare_known_labels(KnownLabels* known_labels, const LabelSums* sums, const Labels* labels) except -1 nogil

cdef void known_totals(
    KnownLabels* known_labels, const LabelSums* sums, const Labels* labels, const Totals* node, const Entry* missing,
    int64_t n_missing, Totals* known
) noexcept nogil

cdef void scan_descending(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries, const float* lanes,
    int32_t feature, int32_t code_below, Split* best
) noexcept nogil

cdef void judge_random(
    LabelSums* sums, Entry* scratch, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries,
    int32_t feature, int32_t rest_code, double u, Split* best
) noexcept nogil

cdef void judge_random_complete(
    LabelSums* sums, SortedRows* sorted, const Data* data, const Totals* totals, const int32_t* rows, int64_t n_node,
    int32_t feature, double u, Split* best
) noexcept nogil

cdef void judge_listed(
    LabelSums* sums, SortedRows* sorted, const Data* data, const Totals* totals, Entry* entries, int64_t n_entries,
    int64_t n_node, int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil

cdef bint one_code(const Entry* entries, int64_t n_entries) noexcept nogil

cdef void judge_ordered(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries, int64_t n_node,
    int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil

cdef int32_t last_below(const double* values, int32_t lowest, int32_t highest, double u, double* threshold) noexcept nogil
