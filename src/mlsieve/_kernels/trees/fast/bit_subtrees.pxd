"""Subtrees of data all of whose features have two values, grown from bits."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Tree
from mlsieve._kernels.trees.fast.bit_sums cimport Level
from mlsieve._kernels.trees.fast.word_subtrees cimport Side, Subtree, Words
from mlsieve._kernels.trees.node.candidate_features cimport Candidates
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.node_rows cimport Example


cdef struct BitNode:
    int64_t member, count                # beginnings in members and counts
    int64_t n_rows
    double weight
    int32_t parent, depth
    bint is_yes


cdef cppclass Bits nogil:
    bint may_be_used                     # on these data, with these options
    Level all_rows                       # what the roots of all trees share
    vector[Level] level                  # (MOST_LEVELS + 1,) of subtrees; the last keeps a small one's rows and labels
    vector[BitNode] stack
    vector[uint64_t] members             # the rows of the pending nodes
    vector[double] counts                # and their labels' weights
    vector[int32_t] places
    vector[int32_t] place_of_label       # (L,) among a subtree's root's
    vector[Side] sides                   # of one node
    vector[double] wC                    # of the node
    vector[double] side                  # label counts of one side, zero between uses


cdef int prepare_bits(Bits* bits, const Data* data, const Words* words) except -1 nogil

cdef bint fits_bits(const Bits* bits, const Data* data, int64_t n_rows) noexcept nogil

cdef void grow_bits(
    Bits* bits, Words* words, Candidates* candidates, const Data* data, const Example* examples, const Subtree* root,
    int32_t depth, uint64_t tree, Tree* grown
) noexcept nogil
