"""Subtrees small enough that one word of bits holds their examples."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Tree
from mlsieve._kernels.common.simd cimport prefetch
from mlsieve._kernels.trees.node.candidate_features cimport Candidates
from mlsieve._kernels.trees.node.data cimport Data, Facts
from mlsieve._kernels.trees.node.node_rows cimport Example

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Side {                         // the rows that a feature of two values lists in a node
        double n, B, X;
        int32_t feature;
    };
    struct SmallLabels {                  // that occur in a node
        std::vector<int32_t> place;       // among the root's labels
        std::vector<uint64_t> words;
        std::vector<double> weight, count, wC;
    };
    """
    cdef cppclass Side nogil:
        double n, B, X
        int32_t feature
    cdef cppclass SmallLabels nogil:
        vector[int32_t] place
        vector[uint64_t] words
        vector[double] weight, count, wC


cdef struct Subtree:
    # A node that is to be grown with all below it.
    const int32_t* rows                       # rising
    const int32_t* label                      # that occur, rising
    int64_t n_rows, n_labels
    double weight
    int32_t parent, depth
    bint is_yes


cdef struct SmallPending:
    # A node of a small subtree.
    uint64_t examples
    int32_t weight, parent, depth
    bint is_yes


cdef cppclass Words nogil:
    bint may_be_used                          # on these data
    vector[int32_t] place_of_label            # (L,) among the root's
    vector[Side] sides                        # of one node
    # Of a small subtree.
    vector[uint64_t] word_of_feature
    vector[uint64_t] word_of_label            # of its root's labels, as the next
    vector[double] weight_of_label
    vector[SmallPending] stack
    SmallLabels labels                        # of one node
    long n_labels


cdef int prepare_words(Words* words, const Data* data) except -1 nogil

cdef bint fits_a_word(const Words* words, const Facts* facts, double weight) noexcept nogil

cdef void grow_small(
    Words* words, Candidates* candidates, const Example* examples, const Data* data, const Subtree* root, uint64_t tree,
    Tree* grown
) noexcept nogil


cdef inline void prefetch_row(const Example* examples, const Data* data, const Subtree* root, int64_t i) noexcept nogil:
    """Ask for what the rows after the i-th will need: a node's rows lie far apart."""
    cdef int32_t next = root.rows[min(i + 4, root.n_rows - 1)], later = root.rows[min(i + 8, root.n_rows - 1)]
    cdef int64_t first = data.columns.row_start[next]
    prefetch(&data.columns.row_start[later])
    prefetch(&examples[later])
    prefetch(&data.columns.row_feature[first])
    prefetch(&data.columns.row_feature[min(first + 16, data.columns.row_start[data.columns.n_rows] - 1)])
    prefetch(&data.labels.index[examples[next].first])
