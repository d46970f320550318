"""What the boosting kernels share: columns, the nodes of a tree that grows, and the tree."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.label_vectors cimport FLOATS
from mlsieve._kernels.boosting.split_scores cimport Chunk, Item, Test


cdef struct Lists:
    # The columns' known rows by rising code, then row; rest_kind is what the others are (split_scores.Rest).
    int32_t n_columns
    int64_t n_rows
    vector[int64_t] start           # by column, in items: columns come in any order
    vector[int64_t] end
    # place: the row. Of few rows an item takes 4 bytes: the row and the code, which is below the number of rows.
    bint is_narrow
    vector[Item] wide
    vector[uint32_t] narrow
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
    # Arrays of n rows and L labels; a row of gradients holds `stride` gradients, then as many hessians.
    int32_t n_labels
    int32_t stride                  # L, rounded up to whole vectors
    const float* margin
    const uint8_t* truth
    const float* weight             # (n, L), or NULL: all 1
    const uint8_t* hidden           # (n, L): labels of a row that no split score sees; NULL: none
    # The search may see fewer columns of gradients than labels: the labels of the largest ones, or projections.
    int32_t n_sketch                # 0: all labels
    const float* projection         # (L, n_sketch), or NULL: the largest


cdef struct Options:
    int32_t max_depth
    bint hide_in_leaves             # hidden labels do not count in the leaves either
    double learning_rate
    double gamma
    const uint8_t* column           # whether a column may be tested; NULL: all
    const int32_t* rows             # those that the tree sees, rising; NULL: all
    int64_t n_rows
    int32_t n_threads


cdef struct Node:
    # A node that may be divided.
    int32_t number                  # in the tree
    int32_t depth
    int64_t first                   # its rows' places
    int64_t last
    int64_t block                   # the first chunk of its block, which it may share with its parent's other child
    bint is_alone                   # in its block
    int64_t top                     # from here on the chunks are free for its children
    int32_t n_lanes                 # labels that can count
    int64_t n_summed                # rows of the ancestor whose histogram was made from rows
    vector[double] totals           # exact sums, laid out as a row
    vector[Chunk] histogram         # a row for each bin; empty until it is needed
    vector[int32_t] counts          # rows in each bin
    vector[int64_t] start           # by listed column, in items
    vector[int64_t] end


cdef struct Growth:
    # A row has a place; the rows of a node are neighbours. Of a node's children the smaller one waits until all nodes
    # below the larger one are done: so one histogram is held at a time, and rows, items and blocks stay where they are.
    vector[Node] waiting            # the last one is next
    vector[int32_t] row             # by place
    vector[int32_t] slot            # by place: the row's place in its node's block
    vector[Chunk] gradients         # blocks; each row of one holds gradients, then hessians; a lane is a label
    vector[Chunk] spare             # a histogram's memory
    vector[int32_t] listed          # the listed columns
    vector[int32_t] n_listed        # columns + 1: how many of them come before each column
    vector[Item] items              # theirs, by column; those of a node's rows are neighbours


cdef struct Candidate:
    # A column's best test in single precision, the score of the second best, and what a test near the best one of the
    # columns so far reaches.
    int32_t column
    Test test
    float second
    float least


cdef struct Tests:
    # The best test of a node, and where it sends the places.
    Test best
    int32_t column                  # -1: the node becomes a leaf
    vector[uint8_t] says_no         # by place
    vector[uint8_t] row_says_no     # by row
    vector[int32_t] slot            # of the rows of the smaller child
    vector[int32_t] row             # these rows
    bint no_is_smaller
    vector[double] smaller          # exact sums of both children, laid out as a row
    vector[double] larger
    int32_t n_parts                 # into which the columns are cut
    vector[vector[Candidate]] candidates  # by part
    vector[int32_t] slot_of         # by row: its place in the block of the node at hand, -1 elsewhere


cdef struct Boosted:
    # One tree, by depth; a leaf has feature -1. What is tested: codes up to `code` against those from `next_code` on.
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


cdef inline Item item_at(const Lists* lists, int64_t i) noexcept nogil:
    cdef Item item
    if not lists.is_narrow:
        return lists.wide[i]
    item.place = lists.narrow[i] >> 16
    item.code = lists.narrow[i] & 0xFFFF
    return item


cdef inline int64_t n_items(const Lists* lists) noexcept nogil:
    return <int64_t>(lists.narrow.size() if lists.is_narrow else lists.wide.size())


cdef inline int32_t padded(int64_t n) noexcept nogil:
    """The number of floats in the vectors that hold n."""
    return <int32_t>((n + FLOATS - 1) // FLOATS * FLOATS)


cdef inline int32_t chunks(int64_t n) noexcept nogil:
    """The number of chunks in a row of n gradients and n hessians."""
    return padded(n) // FLOATS


cdef inline int32_t threads_for(int64_t n, int32_t n_threads) noexcept nogil:
    """How many threads so many chunks of work are worth."""
    return n_threads if n >= 1 << 14 else 1
