"""The plain structs that the tree kernels share: features coded once, labels as sparse rows, one tree."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.binary_search cimport first_from

cdef enum Stream:
    # What a random number is for; part of its key.
    BOOTSTRAP = 1
    CANDIDATES = 2
    THRESHOLD = 3
    SUBSET = 4
    PERMUTATION = 5
    TIE = 6


cdef extern from *:
    """
    #include <cstdint>
    struct Entry { int32_t row, code; };  // of some feature
    """
    cdef struct Entry:
        int32_t row
        int32_t code


cdef struct Columns:
    # Every feature's values are replaced by their rank among its distinct values ("code"). A feature most of whose
    # rows share one value lists the others, by column and by row; the rest are dense. Missing is code -1 (dense only).
    int32_t n_rows
    int32_t n_features
    const int32_t* dense_slot      # (F,) row of `codes`, or -1
    const int32_t* codes           # (n_dense, n)
    const int32_t* n_known         # (n_dense,)
    const int64_t* column_start    # (F + 1,) of column_row / column_code; empty for a dense feature
    const int32_t* column_row
    const int32_t* column_code
    const int64_t* row_start       # (n + 1,) of row_feature / row_code
    const int32_t* row_feature
    const int32_t* row_code
    const int32_t* rest_code       # (F,) code of the rows that a sparse feature does not list, -1 for a dense one
    const int64_t* test_start      # (F + 1,) test t of a feature parts the codes up to t from those above
    const int64_t* test_row_start  # (n + 1,) of row_test; NULL if tests are not written down
    const int32_t* row_test        # the tests whose side without unlisted rows has the row
    const int64_t* value_start     # (F + 1,) of values
    const double* values           # distinct values, rising within a feature
    const int32_t* n_categories    # (F,) > 2 for a nominal feature with more than two values, else 0


cdef inline bint is_binary(const Columns* columns, int32_t feature) noexcept nogil:
    """Whether a feature has two values."""
    return columns.value_start[feature + 1] - columns.value_start[feature] == 2


cdef inline int32_t code_at(const Columns* columns, int32_t row, int32_t feature) noexcept nogil:
    """Code of one cell (-1: missing)."""
    cdef int64_t place, end = columns.row_start[row + 1]
    if columns.dense_slot[feature] >= 0:
        return columns.codes[<int64_t>columns.dense_slot[feature] * columns.n_rows + row]
    place = first_from(columns.row_feature, columns.row_start[row], end, feature)
    if place < end and columns.row_feature[place] == feature:
        return columns.row_code[place]
    return columns.rest_code[feature]


cdef struct Labels:
    int32_t n_labels
    const int64_t* start           # (n + 1,) of index
    const int32_t* index           # positive labels of each row
    const double* weight           # (L,) weight of each label in the impurity


cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Tree {
        // one entry a node, in preorder ("yes" before "no")
        std::vector<int32_t> feature;      // -1: leaf
        std::vector<int32_t> yes, no, depth, code;
        std::vector<double> threshold, gain, weight, yes_share;
        std::vector<int64_t> subset_start; // nodes + 1
        std::vector<int32_t> subset;       // categories that answer "yes"
        std::vector<int64_t> leaf_start;   // nodes + 1; empty for inner nodes
        std::vector<int32_t> leaf_label;
        std::vector<double> leaf_count;    // weighted positives of that label

        // Make room for a tree of about that size: arrays that grow are copied, and touch new memory.
        void expect(size_t nodes, size_t labels) {
            nodes += nodes / 16 + 1;
            labels += labels / 16;
            for (auto* array : {&feature, &yes, &no, &depth, &code}) array->reserve(nodes);
            for (auto* array : {&threshold, &gain, &weight, &yes_share}) array->reserve(nodes);
            for (auto* array : {&subset_start, &leaf_start}) array->reserve(nodes + 1);
            leaf_label.reserve(labels);
            leaf_count.reserve(labels);
        }
    };
    """
    cdef cppclass Tree nogil:
        vector[int32_t] feature
        vector[int32_t] yes
        vector[int32_t] no
        vector[int32_t] depth
        vector[int32_t] code
        vector[double] threshold
        vector[double] gain
        vector[double] weight
        vector[double] yes_share
        vector[int64_t] subset_start
        vector[int32_t] subset
        vector[int64_t] leaf_start
        vector[int32_t] leaf_label
        vector[double] leaf_count
        void expect(size_t nodes, size_t labels)
