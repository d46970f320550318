"""The leaves of a tree that a row reaches while labels are unknown, and the tests on labels that part them."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.chains.random_nodes cimport Node
from mlsieve._kernels.common.binary_search cimport first_from

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    // A reached test on a label. Without the label a row keeps the leaves first .. middle - 1, with it the
    // others up to last - 1, in places of ReachedLeaves.leaves.
    struct ReachedTest { int32_t label, tree, rank, first, middle, last; };
    struct ReachedLeaf {
        int32_t record;
        uint32_t excluded;  // bit j modulo 32: perhaps no row of the leaf may have label j
    };
    struct ReachedLeaves {
        std::vector<ReachedLeaf> leaves;  // that hold rows
        std::vector<ReachedTest> tests;   // tree by tree; those with an empty branch aside
        std::vector<int64_t> waiting;     // nodes with a reached test, see wait_at
    };
    // Structs are made where they stay: one that is written in parts and copied at once makes the machine wait.
    static inline void wait_at(ReachedLeaves& reached, int32_t node, int32_t test) {
        reached.waiting.push_back((int64_t)node << 32 | (uint32_t)test);
    }
    static inline void add_leaf(ReachedLeaves& reached, int32_t record, uint32_t excluded) {
        reached.leaves.emplace_back();
        ReachedLeaf& leaf = reached.leaves.back();
        leaf.record = record;
        leaf.excluded = excluded;
    }
    static inline int32_t add_test(ReachedLeaves& reached, int32_t label, int32_t tree, int32_t rank) {
        reached.tests.emplace_back();
        ReachedTest& test = reached.tests.back();
        test.label = label;
        test.tree = tree;
        test.rank = rank;
        test.first = (int32_t)reached.leaves.size();
        return (int32_t)reached.tests.size() - 1;
    }
    """
    cdef struct ReachedTest:
        int32_t label
        int32_t tree
        int32_t rank
        int32_t first
        int32_t middle
        int32_t last
    cdef struct ReachedLeaf:
        int32_t record
        uint32_t excluded
    cdef cppclass ReachedLeaves nogil:
        vector[ReachedLeaf] leaves
        vector[ReachedTest] tests
        vector[int64_t] waiting
    void wait_at(ReachedLeaves& reached, int32_t node, int32_t test) noexcept nogil
    void add_leaf(ReachedLeaves& reached, int32_t record, uint32_t excluded) noexcept nogil
    int32_t add_test(ReachedLeaves& reached, int32_t label, int32_t tree, int32_t rank) noexcept nogil


cdef struct Forest:
    int32_t n_features
    int32_t n_labels
    const Node* nodes              # as of RandomTrees.walked_nodes
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
                add_leaf(reached[0], node.first, <uint32_t>(<const uint64_t*>&node.threshold)[0])
            return
        if node.test < -1 - forest.n_labels:
            place = node.first
        elif node.test < -1:
            test = -1
            if node.threshold < n_active:
                test = add_test(reached[0], -2 - node.test, tree, <int32_t>node.threshold)
                wait_at(reached[0], -1, test)
            wait_at(reached[0], node.first + 1, test)
            place = node.first
        elif node.test < forest.n_features:
            value = x[node.test]
            if value != value:
                wait_at(reached[0], node.first + 1, -1)
                place = node.first
            else:
                place = node.first + (value > node.threshold)
        else:
            value = x[node.test - forest.n_features]
            if value != value:
                for child in range(node.first + 1, node.first + <int32_t>node.threshold):
                    wait_at(reached[0], child, -1)
                place = node.first
            else:
                place = branch_of(forest, node, value)


cdef inline void find_leaves(const Forest* forest, const double* x, int32_t tree, int32_t root, int32_t n_active, ReachedLeaves* reached) noexcept nogil:
    """Add the leaves of a tree that a row reaches with all labels unknown, and its `n_active` first label tests."""
    cdef int64_t next
    cdef int32_t node, test
    descend(forest, x, tree, root, n_active, reached)
    while reached.waiting.size() > 0:
        next = reached.waiting.back()
        reached.waiting.pop_back()
        node, test = <int32_t>(next >> 32), <int32_t>next
        if node < 0:
            reached.tests[test].last = <int32_t>reached.leaves.size()
            continue
        if test >= 0:
            reached.tests[test].middle = <int32_t>reached.leaves.size()
        descend(forest, x, tree, node, n_active, reached)
