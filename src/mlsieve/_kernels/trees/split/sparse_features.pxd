"""Sparse features in one node: the lists of their rows, and the judges of those with two values."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Entry
from mlsieve._kernels.common.random_numbers cimport uniform
from mlsieve._kernels.trees.node.candidate_features cimport Candidates
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Split, Totals, gain_of, offer
from mlsieve._kernels.trees.node.label_sums cimport LabelSums


cdef cppclass ListedRows nogil:
    # The node's rows that each sparse feature lists.
    vector[int64_t] start, end    # (F,) of entries; end -1: none was met
    vector[Entry] entries


cdef int prepare_listed_rows(ListedRows* listed, const Columns* columns) except -1 nogil

cdef void list_by_rows(
    ListedRows* listed, Candidates* candidates, const Data* data, const int32_t* rows, int64_t n_node
) noexcept nogil

cdef void list_features(
    ListedRows* listed, Candidates* candidates, int32_t* stamp, const Data* data, const int32_t* rows, int64_t n_node,
    int32_t node
) noexcept nogil

cdef void judge_binary(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries, int32_t feature,
    uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil


cdef inline bint offer_binary(
    const Data* data, const Totals* totals, double n_side, double B, double X, int32_t feature, uint64_t threshold_key,
    int32_t node, Split* best
) noexcept nogil:
    """Offer the test between a feature's two values; return whether it is the best so far."""
    cdef const double* values = data.columns.values + data.columns.value_start[feature]
    if not offer(best, totals, gain_of(totals, n_side, B, X), feature, 0, 1):
        return False
    if data.options.random_tests:
        best.threshold = values[0] + uniform(threshold_key, node, feature) * (values[1] - values[0])
        if best.threshold >= values[1]:
            best.threshold = values[0]
    return True
