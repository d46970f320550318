"""The judges of a nominal feature's tests in one node."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.trees.node.gains cimport Options, Split, Totals
from mlsieve._kernels.trees.node.work cimport Work

cdef void judge_nominal(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, const Entry* entries,
    int64_t n_entries, int32_t feature, Split* best
) noexcept nogil

cdef void judge_random_subset(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, const Entry* entries,
    int64_t n_entries, int32_t feature, uint64_t key, int32_t node, Split* best
) noexcept nogil
