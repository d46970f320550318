"""The leaves of a tree that a row reaches while labels are unknown, and the tests on labels that part them."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.chains.random_nodes cimport Node
from mlsieve._kernels.common.binary_search cimport first_from

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    // A reached test on a label. Without the label a row keeps the leaves first .. middle - 1, with it the
    // others up to last - 1, in places of ReachedLeaves.leaves.
    struct ReachedTest { int32_t label, tree, first, middle, last; };
    struct WaitingNode { int32_t node, test; };  // -1: none
    struct ReachedLeaves {
        std::vector<int32_t> leaves;      // records of leaves that hold rows
        std::vector<ReachedTest> tests;   // tree by tree
        std::vector<WaitingNode> waiting;
    };
    """
    cdef struct ReachedTest:
        int32_t label
        int32_t tree
        int32_t first
        int32_t middle
        int32_t last
    cdef struct Waiting "WaitingNode":
        int32_t node
        int32_t test
    cdef cppclass ReachedLeaves nogil:
        vector[int32_t] leaves
        vector[ReachedTest] tests
        vector[Waiting] waiting


cdef struct Forest:
    int32_t n_features
    const Node* nodes              # `first` of a leaf: its record, -1 if it holds no row
    const int32_t* category        # of a child of a category test


cdef inline int32_t branch_of(const Forest* forest, const Node* node, double value) noexcept nogil:
    """The child of a category test for a category; -1 if it has none."""
    cdef int64_t end = node.first + <int64_t>node.threshold
    cdef int64_t child = first_from(forest.category, node.first, end, <int32_t>value)
    return <int32_t>child if child < end and forest.category[child] == value else -1


cdef inline void descend(const Forest* forest, const double* x, int32_t tree, int32_t place, int32_t n_active, ReachedLeaves* reached) noexcept nogil:
    """Go down from a node to a leaf; the other branches of what is unknown wait."""
    cdef const Node* node
    cdef double value
    cdef int32_t child, test
    while place >= 0:
        node = forest.nodes + place
        if node.test == -1:
            if node.first >= 0:
                reached.leaves.push_back(node.first)
            return
        if node.test < -1:
            test = -1
            if node.threshold < n_active:
                test = <int32_t>reached.tests.size()
                reached.tests.push_back(ReachedTest(-2 - node.test, tree, <int32_t>reached.leaves.size(), 0, 0))
                reached.waiting.push_back(Waiting(-1, test))
            reached.waiting.push_back(Waiting(node.first + 1, test))
            place = node.first
        elif node.test < forest.n_features:
            value = x[node.test]
            if value != value:
                reached.waiting.push_back(Waiting(node.first + 1, -1))
                place = node.first
            else:
                place = node.first + (value > node.threshold)
        else:
            value = x[node.test - forest.n_features]
            if value != value:
                for child in range(node.first + 1, node.first + <int32_t>node.threshold):
                    reached.waiting.push_back(Waiting(child, -1))
                place = node.first
            else:
                place = branch_of(forest, node, value)


cdef inline void find_leaves(const Forest* forest, const double* x, int32_t tree, int32_t root, int32_t n_active, ReachedLeaves* reached) noexcept nogil:
    """Add the leaves of a tree that a row reaches with all labels unknown, and its `n_active` first label tests."""
    cdef Waiting next
    descend(forest, x, tree, root, n_active, reached)
    while reached.waiting.size() > 0:
        next = reached.waiting.back()
        reached.waiting.pop_back()
        if next.node < 0:
            reached.tests[next.test].last = <int32_t>reached.leaves.size()
            continue
        if next.test >= 0:
            reached.tests[next.test].middle = <int32_t>reached.leaves.size()
        descend(forest, x, tree, next.node, n_active, reached)
