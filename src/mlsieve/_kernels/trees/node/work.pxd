"""A grower's memory."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Entry
from mlsieve._kernels.trees.fast.bit_subtrees cimport Bits
from mlsieve._kernels.trees.fast.row_pairs cimport RowPairs
from mlsieve._kernels.trees.fast.shared_labels cimport SharedLabels
from mlsieve._kernels.trees.fast.word_subtrees cimport Words
from mlsieve._kernels.trees.node.candidate_features cimport Candidates
from mlsieve._kernels.trees.node.facts cimport Facts
from mlsieve._kernels.trees.node.label_sums cimport LabelSums
from mlsieve._kernels.trees.node.node_rows cimport Example, PendingNodes
from mlsieve._kernels.trees.node.sorted_rows cimport SortedRows
from mlsieve._kernels.trees.split.nominal_features cimport Subsets
from mlsieve._kernels.trees.split.numeric_features cimport KnownLabels
from mlsieve._kernels.trees.split.sparse_features cimport ListedRows

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    // The node's rows that a sparse feature lists.
    struct Run {
        int64_t start, n;                 // in ordered
        int32_t feature;
    };
    // Label counts of all tests on sparse features in a large node, see count_tables.
    struct Table {
        int64_t n_tests;
        std::vector<int32_t> place;       // of each test, -1 if it is left out
        std::vector<int32_t> feature;     // that are not left out
        std::vector<int32_t> first;       // (features + 1,) places of their first tests
        std::vector<float> count;         // (L, n_tests) weight with the label of the side without unlisted rows
        std::vector<double> weight, B, X; // (n_tests,) of that side, B = sum_j w_j count_j^2, X = sum_j w_j C_j count_j
        double summed_at;                 // the node's weight when B and X were summed anew
        int32_t passes;                   // since then
        bool in_use;
    };
    """
    cdef cppclass Run nogil:
        int64_t start, n
        int32_t feature
    cdef cppclass Table nogil:
        int64_t n_tests
        vector[int32_t] place, feature, first
        vector[float] count
        vector[double] weight, B, X
        double summed_at
        int32_t passes
        bint in_use


cdef cppclass Work nogil:
    Facts facts
    PendingNodes nodes
    LabelSums sums
    Candidates candidates
    SortedRows sorted
    KnownLabels known
    ListedRows listed
    vector[Run] runs, yes_runs  # of the pending nodes, rising by feature; where all features are judged
    vector[Entry] ordered  # by falling code
    vector[Entry] inherited  # (n_dense, order_stride) the same of all dense features, where all are judged
    int64_t order_stride  # 0: no orders are inherited
    Subsets subsets
    vector[double] table_wC  # (L,) w_j C_j of the node that a table is for
    vector[double] test_weight  # of all tests
    vector[int32_t] lost_label  # labels of which a node has fewer than its parent
    vector[double] lost  # and how much of w_j C_j
    vector[int32_t] own_tests, kept, kept_places  # of one row; that are not left out
    vector[double] before
    vector[Table] tables
    RowPairs pairs
    SharedLabels shared
    bint may_tabulate, inherits, keeps_order
    Bits bits
    Words words
