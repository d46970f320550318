"""What the boosting kernels share: lists of columns, one level of a tree that grows, and the tree."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.split_scores cimport FLOATS, Item, Judge, Test


cdef struct Lists:
    # The columns' known rows by rising code, then row; rest_kind is what the others are (split_scores.Rest).
    int32_t n_columns
    int64_t n_rows
    vector[int64_t] start           # columns + 1, in items
    vector[Item] items              # place: the row
    vector[int32_t] rest_kind
    vector[int32_t] rest_code       # of a common value, else -1


cdef struct Targets:
    # Arrays of n rows and L labels; each row of gradients holds `stride` gradients, then as many hessians.
    int32_t n_labels
    int32_t stride                  # L, rounded up to whole vectors
    const float* margin
    const uint8_t* truth
    const float* weight             # (n, L), or NULL: all 1
    const uint8_t* hidden           # (n, L): labels of a row that no split score sees; NULL: none
    vector[float] gradients         # (n, 2 * stride)


cdef struct Options:
    int32_t max_depth
    bint hide_in_leaves             # hidden labels do not count in the leaves either
    double learning_rate
    double gamma
    const uint8_t* column           # whether a column may be tested; NULL: all


cdef struct Level:
    # The nodes of one depth that may be divided. A row has a place; the rows of a node are neighbours.
    int32_t n_nodes
    int32_t depth
    vector[int32_t] node            # their numbers in the tree
    vector[int64_t] first           # nodes + 1: places of their rows
    vector[int32_t] row             # by place
    vector[Item] items              # of all columns, by column, then node
    vector[int64_t] start           # (columns, nodes + 1) in items
    vector[int32_t] label           # the labels that can count in each node
    vector[int64_t] label_start     # nodes + 1
    vector[float] sums              # each node's block: by place, gradients and hessians of its labels
    vector[int64_t] sums_start      # nodes + 1, in floats


cdef struct Tests:
    # The best test of each node of a level, and where it sends the places.
    vector[Test] best
    vector[int32_t] column          # -1: the node becomes a leaf
    vector[uint8_t] says_no         # by place
    vector[double] exact            # sums in double precision
    vector[float] memory


cdef struct Boosted:
    # One tree; a leaf has feature -1. What is tested: codes up to `code` against those from `next_code` on.
    vector[int32_t] feature
    vector[int32_t] code
    vector[int32_t] next_code
    vector[int32_t] side
    vector[int32_t] yes
    vector[int32_t] no
    vector[int32_t] leaf            # which vector of values
    vector[double] gain
    vector[double] cover            # hessians of all labels that can count, in the node
    vector[float] values            # (leaves, L)


cdef inline int32_t padded(int64_t n) noexcept nogil:
    """The number of floats in the vectors that hold n."""
    return <int32_t>((n + FLOATS - 1) // FLOATS * FLOATS)
