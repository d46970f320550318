"""The labels that two rows of a small node share, and the scan of a dense feature's thresholds by these."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.trees.fast.shared_labels cimport SharedLabels
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Options, Split, Totals
from mlsieve._kernels.trees.node.node_rows cimport Example


cdef cppclass RowPairs nogil:
    bint may_be_used                              # on these data, with these options
    bint at_hand                                  # for the node
    int32_t depth                                 # of the node that root_pairs are for
    vector[int32_t] root_place, place             # (n,) rows' numbers in that node, in the node at hand
    vector[uint64_t] rows_of_label                # (L,) zero between uses
    vector[double] root_pairs, node_pairs         # K of that node's rows, of the node's rows
    vector[double] weight, mass, x                # of the node's rows


cdef int prepare_row_pairs(RowPairs* pairs, const Data* data, const SharedLabels* shared) except -1 nogil

cdef void forget_pairs(RowPairs* pairs) noexcept nogil

cdef bint fits_pairs(const RowPairs* pairs, int64_t n_node) noexcept nogil

cdef void pair_rows(
    RowPairs* pairs, Example* examples, const Labels* labels, const int32_t* rows, int64_t n_node, int32_t depth
) noexcept nogil

cdef void scan_pairs(
    const RowPairs* pairs, const Options* options, const Totals* totals, const Entry* entries, int64_t n_known,
    int64_t n_node, int32_t feature, Split* best
) noexcept nogil
