"""The labels that two rows of a small node share, and the scan of a dense feature's thresholds by these."""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.trees.node.gains cimport Options, Split, Totals
from mlsieve._kernels.trees.node.node_rows cimport Pending
from mlsieve._kernels.trees.node.work cimport Work

cdef bint fits_pairs(const Work* work, int64_t n_node) noexcept nogil

cdef void pair_rows(Work* work, const Labels* labels, const Pending* item) noexcept nogil

cdef void scan_pairs(
    Work* work, const Options* options, const Totals* totals, const Entry* entries, int64_t n_known, int64_t n_node,
    int32_t feature, Split* best
) noexcept nogil
