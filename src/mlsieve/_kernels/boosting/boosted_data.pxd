"""What the boosting kernels share: columns, one level of a tree that grows, and the tree."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.split_scores cimport FLOATS, Chunk, Item, Test


cdef struct Lists:
    # The columns' known rows by rising code, then row; rest_kind is what the others are (split_scores.Rest).
    int32_t n_columns
    int64_t n_rows
    vector[int64_t] start           # columns + 1, in items
    vector[Item] items              # place: the row
    vector[int32_t] rest_kind
    vector[int32_t] rest_code       # of a common value, else -1
    # A column of few codes is binned: nodes hold a sum for each of its codes. Others are listed: nodes hold the items.
    vector[int32_t] bin_start       # columns + 1; a listed column has none
    vector[int32_t] bin_code
    vector[int32_t] bin_column
    vector[int64_t] row_start       # rows + 1
    vector[int32_t] row_bin
    # The same of the columns that a tree may test.
    vector[int64_t] own_start
    vector[int32_t] own_bin
    const int64_t* seen_start
    const int32_t* seen_bin


cdef struct Targets:
    # Arrays of n rows and L labels; each row of gradients holds `stride` gradients, then as many hessians.
    int32_t n_labels
    int32_t stride                  # L, rounded up to whole vectors
    const float* margin
    const uint8_t* truth
    const float* weight             # (n, L), or NULL: all 1
    const uint8_t* hidden           # (n, L): labels of a row that no split score sees; NULL: none
    # The search may see fewer columns of gradients than labels: the labels of the largest ones, or projections.
    int32_t n_sketch                # 0: all labels
    const float* projection         # (L, n_sketch), or NULL: the largest
    vector[Chunk] gradients


cdef struct Options:
    int32_t max_depth
    bint hide_in_leaves             # hidden labels do not count in the leaves either
    double learning_rate
    double gamma
    const uint8_t* column           # whether a column may be tested; NULL: all
    const int32_t* rows             # those that the tree sees, rising; NULL: all
    int64_t n_rows
    int32_t n_threads


cdef struct Level:
    # The nodes of one depth that may be divided. A row has a place; the rows of a node are neighbours.
    int32_t n_nodes
    int32_t depth
    vector[int32_t] node            # their numbers in the tree
    vector[int64_t] first           # nodes + 1: places of their rows
    vector[int32_t] row             # by place
    vector[int32_t] slot            # by place: the row's place in its node's block
    # Each row of a block holds gradients, then hessians; a lane is a label. Nodes may share a block.
    vector[vector[Chunk]] blocks
    vector[int32_t] block           # by node
    vector[int32_t] n_lanes         # by node: labels that can count
    vector[vector[double]] totals   # by node: exact sums, laid out as a row
    vector[vector[Chunk]] histogram # by node: a row for each bin; empty until it is needed
    vector[vector[int32_t]] counts  # by node: rows in each bin
    vector[int64_t] n_summed        # by node: rows of the ancestor whose histogram was made from rows
    vector[int32_t] listed          # the listed columns
    vector[int32_t] n_listed        # columns + 1: how many of them come before each column
    vector[Item] items              # theirs, by column, then node
    vector[int64_t] start           # (listed columns, nodes + 1) in items


cdef struct Tests:
    # The best test of each node of a level, and where it sends the places.
    vector[Test] best
    vector[int32_t] column          # -1: the node becomes a leaf
    vector[uint8_t] says_no         # by place
    vector[uint8_t] row_says_no     # by row
    vector[int32_t] slot            # of the rows of the smaller child
    vector[int32_t] row             # these rows
    bint no_is_smaller
    vector[double] smaller          # exact sums of both children, laid out as a row
    vector[double] larger
    int32_t n_parts                 # into which the columns are cut
    vector[Test] best_of            # (nodes, parts)
    vector[int32_t] column_of


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


cdef inline int32_t chunks(int64_t n) noexcept nogil:
    """The number of chunks in a row of n gradients and n hessians."""
    return padded(n) // FLOATS
