"""A tree's out-of-bag examples: the nodes that each meets, and permuting one feature among them."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.common.random_numbers cimport below
from mlsieve._kernels.trees.walk.tree_nodes cimport Nodes, in_subset, is_nominal


cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Meeting {
        int32_t example, feature, node;      // a node on the example's path, which tests the feature
        int32_t code;                        // of the feature when permuted
    };
    struct OutOfBag {
        std::vector<Meeting> meetings, sorted;  // by example; by feature, or by example again
        std::vector<int64_t> start;          // of each feature's, or each example's, in `sorted`
        std::vector<int32_t> place;          // (n,) of a row among the out-of-bag examples, or -1
        std::vector<int32_t> column, shuffle;  // (out-of-bag examples,) one feature's codes and permutation
        std::vector<int32_t> met;            // features met, rising
    };
    """
    cdef cppclass Meeting nogil:
        int32_t example, feature, node, code
    cdef cppclass OutOfBag nogil:
        vector[Meeting] meetings, sorted
        vector[int64_t] start
        vector[int32_t] place, column, shuffle, met


cdef class OutOfBagTree:
    cdef Columns columns
    cdef Labels labels
    cdef Nodes nodes
    cdef int64_t n_nodes, n_oob
    cdef const int32_t* rows             # (n_oob,) of the out-of-bag examples
    cdef uint64_t key                    # of the permutations
    cdef tuple arrays                    # what the pointers borrow


cdef inline int set_up(
    OutOfBag* bag, const Columns* columns, const int32_t* rows, int64_t n_oob
) except -1 nogil:
    """Take up the rows of the out-of-bag examples."""
    cdef int64_t i
    bag.place.assign(columns.n_rows, -1)
    for i in range(n_oob):
        bag.place[rows[i]] = <int32_t>i
    bag.column.resize(n_oob)
    bag.shuffle.resize(n_oob)


cdef inline void stamp_labels(int32_t* stamp, const Labels* labels, int32_t row, int32_t example) noexcept nogil:
    """Note an example as the last that has each of its labels."""
    cdef int64_t q
    for q in range(labels.start[row], labels.start[row + 1]):
        stamp[labels.index[q]] = example


cdef inline int32_t child(const Nodes* nodes, int32_t node, int32_t code) noexcept nogil:
    if is_nominal(nodes, node):
        return nodes.yes[node] if in_subset(nodes, node, code) else nodes.no[node]
    return nodes.yes[node] if code > nodes.code[node] else nodes.no[node]


cdef inline bint answers_otherwise(const Nodes* nodes, int32_t node, int32_t own, int32_t code) noexcept nogil:
    """Whether an example leaves its path at a node with another code, or a missing one spreads it there."""
    return own < 0 or code < 0 or child(nodes, node, own) != child(nodes, node, code)


cdef inline void shuffle(OutOfBag* bag, int32_t feature, int64_t n_oob, uint64_t key) noexcept nogil:
    """Draw the feature's own permutation of the out-of-bag examples (Fisher-Yates)."""
    cdef int64_t i
    cdef int32_t held
    cdef int32_t* places = bag.shuffle.data()
    cdef int32_t* others = bag.column.data()
    for i in range(n_oob):                 # draws do not wait for swaps
        places[i] = <int32_t>i
        others[i] = <int32_t>below(key, feature, i, i + 1)
    i = n_oob - 1
    while i > 0:
        held = places[i]
        places[i] = places[others[i]]
        places[others[i]] = held
        i -= 1


cdef inline void load_column(
    OutOfBag* bag, const Columns* columns, int32_t feature, const int32_t* rows, int64_t n_oob
) noexcept nogil:
    """Write the out-of-bag examples' codes of a feature."""
    cdef int64_t i, q
    cdef int32_t slot = columns.dense_slot[feature]
    if slot >= 0:
        for i in range(n_oob):
            bag.column[i] = columns.codes[<int64_t>slot * columns.n_rows + rows[i]]
        return
    bag.column.assign(n_oob, columns.rest_code[feature])
    for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
        if bag.place[columns.column_row[q]] >= 0:
            bag.column[bag.place[columns.column_row[q]]] = columns.column_code[q]


cdef inline void sort_meetings(OutOfBag* bag, int64_t n_keys, bint by_feature) noexcept nogil:
    """Put the meetings into `sorted` by feature or by example; meetings of one keep their order."""
    cdef size_t m
    cdef int64_t k
    cdef int32_t key
    bag.start.assign(n_keys + 1, 0)
    for m in range(bag.meetings.size()):
        bag.start[(bag.meetings[m].feature if by_feature else bag.meetings[m].example) + 1] += 1
    for k in range(n_keys):
        bag.start[k + 1] += bag.start[k]
    bag.sorted.resize(bag.meetings.size())
    for m in range(bag.meetings.size()):
        key = bag.meetings[m].feature if by_feature else bag.meetings[m].example
        bag.sorted[bag.start[key]] = bag.meetings[m]
        bag.start[key] += 1
    for k in range(n_keys, 0, -1):
        bag.start[k] = bag.start[k - 1]
    bag.start[0] = 0
