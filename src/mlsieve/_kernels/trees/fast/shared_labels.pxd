"""Labels that at least two of a node's rows have, and the scan of a dense feature's thresholds by these."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Options, Split, Totals
from mlsieve._kernels.trees.node.label_sums cimport LabelSums
from mlsieve._kernels.trees.node.node_rows cimport Example


cdef cppclass SharedLabels nogil:
    bint may_be_used                # on these data, with these options
    int32_t n, fixed_length         # of the node: shared labels; how many each of its rows lists at least
    vector[Example] near            # (n,) of the node's rows, with their places in label
    vector[int32_t] label           # numbered anew
    vector[int32_t] number          # (L,) zero between nodes
    vector[double] sums             # pairs by number, see Sums; zero between scans
    vector[double] doubled          # as LabelSums.doubled, by number, twice


cdef int prepare_shared_labels(SharedLabels* shared, const Data* data, const LabelSums* sums) except -1 nogil

cdef void list_shared(
    SharedLabels* shared, LabelSums* sums, const Labels* labels, const int32_t* rows, int64_t n_node
) noexcept nogil

cdef void scan_shared(
    SharedLabels* shared, const Options* options, const Totals* node, const Entry* entries, int64_t n_known,
    int64_t n_node, int32_t feature, Split* best
) noexcept nogil
