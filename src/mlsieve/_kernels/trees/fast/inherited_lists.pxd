"""Sparse features' lists in order, handed from a node to its children where all features are judged."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Entry
from mlsieve._kernels.trees.node.candidate_features cimport Candidates
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Options
from mlsieve._kernels.trees.node.node_rows cimport Example, Pending
from mlsieve._kernels.trees.node.sorted_rows cimport SortedRows
from mlsieve._kernels.trees.split.sparse_features cimport ListedRows


cdef struct Run:
    # A node's rows that a sparse feature lists.
    int64_t start, n               # in ordered
    int32_t feature


cdef cppclass InheritedLists nogil:
    bint may_be_used               # on these data, with these options
    vector[Run] runs               # of the pending nodes, rising by feature
    vector[Entry] ordered          # of the runs, by falling code
    vector[Run] yes_runs


cdef int prepare_inherited_lists(InheritedLists* lists, const Data* data) except -1 nogil

cdef void list_in_order(
    InheritedLists* lists, ListedRows* listed, Candidates* candidates, SortedRows* sorted, const Example* examples,
    const Data* data, const int32_t* rows, Pending* item
) noexcept nogil

cdef void hand_on(
    InheritedLists* lists, Entry* scratch, int32_t* stamp, const Example* examples, const int32_t* rows,
    const Options* options, const Pending* item, Pending* no, Pending* yes
) noexcept nogil
