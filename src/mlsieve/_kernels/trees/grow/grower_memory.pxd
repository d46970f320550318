"""A grower's memory: the parts of all kernels, each declared beside its kernel."""

from mlsieve._kernels.trees.fast.bit_subtrees cimport Bits
from mlsieve._kernels.trees.fast.count_tables cimport CountTables
from mlsieve._kernels.trees.fast.inherited_lists cimport InheritedLists
from mlsieve._kernels.trees.fast.row_pairs cimport RowPairs
from mlsieve._kernels.trees.fast.shared_labels cimport SharedLabels
from mlsieve._kernels.trees.fast.word_subtrees cimport Words
from mlsieve._kernels.trees.node.candidate_features cimport Candidates
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.label_sums cimport LabelSums
from mlsieve._kernels.trees.node.node_rows cimport PendingNodes
from mlsieve._kernels.trees.node.sorted_rows cimport InheritedOrders, SortedRows
from mlsieve._kernels.trees.split.nominal_features cimport Subsets
from mlsieve._kernels.trees.split.numeric_features cimport KnownLabels
from mlsieve._kernels.trees.split.sparse_features cimport ListedRows


cdef cppclass GrowerMemory nogil:
    Data data
    # The node at hand and the pending ones.
    PendingNodes nodes
    LabelSums sums
    Candidates candidates
    # Judging one feature.
    SortedRows sorted
    KnownLabels known
    Subsets subsets
    ListedRows listed
    # Faster ways to the same tests.
    InheritedLists lists
    InheritedOrders orders
    CountTables tables
    SharedLabels shared
    RowPairs pairs
    Bits bits
    Words words
