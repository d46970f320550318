"""Predicting labels one after the other: the reached leaves are found once and only become fewer as labels are set."""

from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.chains.pooled_counts cimport (
    PooledTree, add_shares, most_certain, most_probable, sum_counts, sum_of_sums, weigh_tree,
)
from mlsieve._kernels.chains.random_nodes cimport Node
from mlsieve._kernels.chains.reached_leaves cimport Forest, ReachedLeaf, ReachedLeaves, ReachedTest, find_leaves
from mlsieve._kernels.common.simd cimport LANES, lowest_bit, prefetch, prefetch_to_write

cdef extern from *:
    """
    #include <cstdint>
    #include <ctime>
    #include <vector>
    static inline double cpu_seconds() {  // of this thread, where the system counts them
    #ifdef CLOCK_THREAD_CPUTIME_ID
        struct timespec now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return now.tv_sec + 1e-9 * now.tv_nsec;
    #else
        return (double)std::clock() / CLOCKS_PER_SEC;
    #endif
    }
    // A leaf is a record: counts, rows, tests; the counts, each with its label in one word; label and rank of each
    // label test above whose other branch, that with the label, holds no rows.
    enum { COUNT_BITS = 12, MOST = (1 << COUNT_BITS) - 1 };
    struct ChainOfRow {
        ReachedLeaves reached;
        std::vector<int32_t> counts;     // (T, L padded) pooled rows of each tree with each label
        std::vector<PooledTree> trees;   // (T,)
        std::vector<double> sums;        // (L padded) of the trees' shares
        double weight;                   // of all trees
    };
    struct ChainMemory {
        // Of the row at hand.
        std::vector<uint64_t> left;      // bits: leaves that are still reached
        std::vector<ReachedTest> tests;  // label by label, tree by tree
        std::vector<int32_t> test_start; // (L + 1,)
        std::vector<double> open;        // (L padded) 1: not yet set, else 0
        // The state of the row before a chain, for the next one.
        std::vector<int32_t> counts;
        std::vector<PooledTree> trees;
        std::vector<double> sums;
        double weight;
    };
    """
    double cpu_seconds() noexcept nogil
    const int COUNT_BITS, MOST
    cdef cppclass ChainOfRow nogil:
        ReachedLeaves reached
        vector[int32_t] counts
        vector[PooledTree] trees
        vector[double] sums
        double weight
    cdef cppclass ChainMemory nogil:
        vector[uint64_t] left
        vector[ReachedTest] tests
        vector[int32_t] test_start
        vector[double] open
        vector[int32_t] counts
        vector[PooledTree] trees
        vector[double] sums
        double weight



cdef struct Model:
    Forest forest
    int32_t n_trees
    int32_t n_labels
    int32_t n_padded
    const int32_t* roots
    const uint32_t* records
    const int32_t* prior           # (L padded)
    int32_t n_rows                 # that the trees grew on
    const int32_t* n_active        # (T,) label tests of each tree that are active in some chain
    bint refines                   # whether any is
    double unit


cdef struct Wanted:
    const int32_t* order           # (L,) of a static chain; NULL: dynamic
    bint probable                  # of a dynamic chain: the most probable label is next, not the most certain
    bint threshold                 # a label is positive from 0.5 on, whatever R
    const int32_t* n_active        # (T,) label tests of each tree that are active
    bint refines                   # whether any is


cdef struct Steps:
    # (L,) of one row, in the order in which labels are set.
    int32_t* label
    double* probability
    uint8_t* value
    double* cardinality


cdef inline int32_t* counts_of(const Model* model, ChainOfRow* row, int32_t tree) noexcept nogil:
    return row.counts.data() + (<int64_t>tree * model.n_padded if model.refines else 0)


cdef inline void weigh(const Model* model, ChainOfRow* row, PooledTree* pooled) noexcept nogil:
    weigh_tree(pooled[0], model.n_labels, model.unit)
    row.weight += pooled.weight


cdef void pool_tree(const Model* model, ChainOfRow* row, const double* x, int32_t tree) noexcept nogil:
    """Find the leaves of a tree, pool their counts and add its shares."""
    cdef size_t place, first = row.reached.leaves.size()
    cdef int32_t j, q
    cdef PooledTree* pooled = &row.trees[tree]
    cdef const uint32_t* record
    cdef int32_t* counts = counts_of(model, row, tree)
    find_leaves(&model.forest, x, tree, model.roots[tree], model.n_active[tree], &row.reached)
    for place in range(first, row.reached.leaves.size()):
        prefetch(model.records + row.reached.leaves[place].record)
    for j in range(model.n_padded):
        counts[j] = 0
    pooled.n_rows = 0
    for place in range(first, row.reached.leaves.size()):
        record = model.records + row.reached.leaves[place].record
        pooled.n_rows += record[1]
        for q in range(3, 3 + <int32_t>record[0]):
            counts[record[q] >> COUNT_BITS] += record[q] & MOST
    pooled.last = <int32_t>row.reached.leaves.size()
    if pooled.n_rows > 0:
        sum_counts(counts, model.n_padded, &pooled.sum, &pooled.squares)
        weigh(model, row, pooled)
        add_shares(row.sums.data(), counts, pooled.scale, model.n_padded)
    else:
        add_prior(model, row, pooled)
    if not model.refines:
        row.reached.leaves.clear()


cdef inline void prefetch_state(const Model* model, const ChainOfRow* row, int32_t tree) noexcept nogil:
    """Ask for where `pool_tree` will write."""
    cdef int32_t j
    if tree < model.n_trees:
        for j in range(0, model.n_padded, 16):
            prefetch_to_write(row.counts.data() + <int64_t>tree * model.n_padded + j)
    for j in range(0, 18, 3):
        prefetch_to_write(row.reached.tests.data() + row.reached.tests.size() + j)
    prefetch_to_write(row.reached.leaves.data() + row.reached.leaves.size())


cdef void add_prior(const Model* model, ChainOfRow* row, PooledTree* pooled) noexcept nogil:
    """Let the root's counts stand for those of a tree whose leaves are all left."""
    cdef PooledTree root = PooledTree(0.0, 0.0, 0, 0, model.n_rows, 0)
    sum_counts(model.prior, model.n_padded, &root.sum, &root.squares)
    weigh(model, row, &root)
    add_shares(row.sums.data(), model.prior, root.scale, model.n_padded)


cdef void leave(const Model* model, ChainOfRow* row, int32_t tree, int32_t place) noexcept nogil:
    """Take a leaf out of the pooled counts of its tree, and its share off the sums."""
    cdef int32_t* counts = counts_of(model, row, tree)
    cdef PooledTree* pooled = &row.trees[tree]
    cdef const uint32_t* record = model.records + row.reached.leaves[place].record
    cdef int32_t q, count, after
    cdef int64_t sum = 0, squares = 0
    cdef double scale = pooled.scale
    pooled.n_rows -= record[1]
    for q in range(3, 3 + <int32_t>record[0]):
        count = record[q] & MOST
        after = counts[record[q] >> COUNT_BITS] - count
        counts[record[q] >> COUNT_BITS] = after
        row.sums[record[q] >> COUNT_BITS] -= scale * count
        sum += count
        squares += <int64_t>count * (count + 2 * <int64_t>after)
    pooled.sum -= sum
    pooled.squares -= squares


cdef void weigh_anew(const Model* model, ChainOfRow* row, int32_t tree) noexcept nogil:
    """Replace the weight of a tree that lost leaves, and the scale of its shares."""
    cdef PooledTree* pooled = &row.trees[tree]
    cdef double scale = pooled.scale
    row.weight -= pooled.weight
    if pooled.n_rows > 0:
        weigh(model, row, pooled)
        add_shares(row.sums.data(), counts_of(model, row, tree), pooled.scale - scale, model.n_padded)
    else:
        add_prior(model, row, pooled)


cdef inline bint excludes(const Model* model, const ReachedLeaf* leaf, int32_t label, int32_t n_active) noexcept nogil:
    """Whether an active test above a leaf, whose other branch is empty, asks that a label be absent."""
    cdef const uint32_t* record = model.records + leaf.record
    cdef const uint32_t* test = record + 3 + record[0]
    cdef uint32_t q
    for q in range(record[2]):
        if <int32_t>test[2 * q] == label and <int32_t>test[2 * q + 1] < n_active:
            return True
    return False


cdef void leave_excluding(const Model* model, ChainOfRow* row, ChainMemory* memory, const Wanted* wanted, int32_t label) noexcept nogil:
    """Leave the leaves that a positive label excludes without a reached test, as its other branch is empty."""
    cdef int32_t place, tree = 0, open_tree = -1
    cdef uint32_t excluded = <uint32_t>1 << (label & 31)
    cdef size_t word
    cdef uint64_t bits
    for word in range(memory.left.size()):
        bits = memory.left[word]
        while bits != 0:
            place = <int32_t>(64 * word) + lowest_bit(bits)
            bits &= bits - 1
            if place >= <int32_t>row.reached.leaves.size():
                break
            if not row.reached.leaves[place].excluded & excluded:
                continue
            while place >= row.trees[tree].last:
                tree += 1
            if not excludes(model, &row.reached.leaves[place], label, wanted.n_active[tree]):
                continue
            if tree != open_tree:
                if open_tree >= 0:
                    weigh_anew(model, row, open_tree)
                open_tree = tree
            memory.left[word] ^= <uint64_t>1 << (place & 63)
            leave(model, row, tree, place)
    if open_tree >= 0:
        weigh_anew(model, row, open_tree)


cdef inline uint64_t still_reached(const ChainMemory* memory, int32_t word, int32_t first, int32_t last) noexcept nogil:
    """Those of the leaves first .. last - 1 in a word of bits that are still reached."""
    cdef uint64_t bits = memory.left[word]
    if word == first >> 6:
        bits &= ~<uint64_t>0 << (first & 63)
    if word == (last - 1) >> 6:
        bits &= ~<uint64_t>0 >> (63 - ((last - 1) & 63))
    return bits


cdef inline void prefetch_test(const Model* model, const ChainOfRow* row, const ChainMemory* memory, const ReachedTest* test, bint value) noexcept nogil:
    """Ask for the leaves on the other side of a test, which lie anywhere."""
    cdef int32_t first = test.first if value else test.middle, last = test.middle if value else test.last
    cdef uint64_t bits
    cdef int32_t j
    if first == last:
        return
    bits = still_reached(memory, first >> 6, first, last)
    if bits != 0:
        for j in range(0, model.n_padded, 16):
            prefetch_to_write(row.counts.data() + <int64_t>test.tree * model.n_padded + j)
    while bits != 0:
        prefetch(model.records + row.reached.leaves[(first & ~63) + lowest_bit(bits)].record)
        bits &= bits - 1


cdef void set_label(const Model* model, ChainOfRow* row, ChainMemory* memory, const Wanted* wanted, int32_t label, bint value) noexcept nogil:
    """Leave the leaves on the other side of the reached tests on a label."""
    cdef int32_t open_tree = -1, first, last, word
    cdef int64_t at, end = memory.test_start[label + 1]
    cdef const ReachedTest* test
    cdef uint64_t bits
    for at in range(memory.test_start[label], end):
        prefetch_test(model, row, memory, &memory.tests[at], value)
    for at in range(memory.test_start[label], end):
        test = &memory.tests[at]
        first = test.first if value else test.middle
        last = test.middle if value else test.last
        if first == last:
            continue
        for word in range(first >> 6, ((last - 1) >> 6) + 1):
            bits = still_reached(memory, word, first, last)
            if bits == 0:
                continue
            if test.tree != open_tree:
                if open_tree >= 0:
                    weigh_anew(model, row, open_tree)
                open_tree = test.tree
            memory.left[word] ^= bits
            while bits != 0:
                leave(model, row, open_tree, 64 * word + lowest_bit(bits))
                bits &= bits - 1
    if open_tree >= 0:
        weigh_anew(model, row, open_tree)
    if value:
        leave_excluding(model, row, memory, wanted, label)


cdef void start_row(const Model* model, ChainOfRow* row) noexcept nogil:
    row.reached.leaves.clear()
    row.reached.tests.clear()
    row.counts.resize((<int64_t>model.n_trees if model.refines else 1) * model.n_padded)
    row.trees.resize(model.n_trees)
    row.sums.assign(model.n_padded, 0.0)
    row.weight = 0.0


cdef void keep_state(const ChainOfRow* row, ChainMemory* memory) noexcept nogil:
    memory.counts, memory.trees, memory.sums = row.counts, row.trees, row.sums
    memory.weight = row.weight


cdef void restore_state(ChainOfRow* row, const ChainMemory* memory) noexcept nogil:
    row.counts, row.trees, row.sums = memory.counts, memory.trees, memory.sums
    row.weight = memory.weight


cdef void start_chain(const Model* model, const ChainOfRow* row, ChainMemory* memory, const Wanted* wanted) noexcept nogil:
    """Let all labels be open and all leaves reached; sort the active tests by label."""
    cdef int32_t j
    cdef const ReachedTest* test
    cdef size_t i
    memory.open.assign(model.n_padded, 0.0)
    for j in range(model.n_labels):
        memory.open[j] = 1.0
    memory.left.assign((row.reached.leaves.size() >> 6) + 1, ~<uint64_t>0)
    memory.test_start.assign(model.n_labels + 2, 0)
    for i in range(row.reached.tests.size()):
        test = &row.reached.tests[i]
        memory.test_start[test.label + 2] += test.rank < wanted.n_active[test.tree]
    for j in range(2, model.n_labels + 2):
        memory.test_start[j] += memory.test_start[j - 1]
    memory.tests.resize(row.reached.tests.size())
    for i in range(row.reached.tests.size()):
        test = &row.reached.tests[i]
        if test.rank < wanted.n_active[test.tree]:
            memory.tests[memory.test_start[test.label + 1]] = test[0]
            memory.test_start[test.label + 1] += 1


cdef void follow_chain(const Model* model, ChainOfRow* row, ChainMemory* memory, const Wanted* wanted, double* prior, Steps steps) noexcept nogil:
    """Set all labels of a row (eq. 16), in the given order, by certainty or by probability."""
    cdef int32_t k, label, positives = 0, n_labels = model.n_labels
    cdef double* sums
    cdef double weight, cardinality
    cdef bint positive
    start_chain(model, row, memory, wanted)
    for k in range(n_labels):
        sums = row.sums.data() if row.weight > 0.0 else prior
        weight = row.weight if row.weight > 0.0 else <double>model.n_rows
        if wanted.order != NULL:
            label = wanted.order[k]
        elif wanted.probable:
            label = <int32_t>most_probable(sums, memory.open.data(), model.n_padded)
        else:
            label = <int32_t>most_certain(sums, memory.open.data(), weight, model.n_padded)
        cardinality = floor((2.0 * sum_of_sums(sums, model.n_padded) + weight) / (2.0 * weight))
        positive = 2.0 * sums[label] >= weight
        if not wanted.threshold:
            positive = (positive and positives < cardinality) or n_labels - k - 1 < cardinality - positives
        steps.label[k] = label
        steps.probability[k] = sums[label] / weight
        steps.value[k] = positive
        steps.cardinality[k] = cardinality
        positives += positive
        memory.open[label] = 0.0
        if wanted.refines and k + 1 < n_labels:
            set_label(model, row, memory, wanted, label, positive)


def predict_chains(
    object trees,
    const double[:, ::1] X,
    const int32_t[:, ::1] order,
    const uint8_t[::1] next_label,
    const uint8_t[::1] threshold,
    const int32_t[:, ::1] n_active,
    double unit,
    int32_t rows_at_once,
    int32_t[:, :, :] label,
    double[:, :, :] probability,
    uint8_t[:, :, :] value,
    double[:, :, :] cardinality,
    double[::1] seconds,
):
    """Set the labels of rows one after the other, by several chains; all of them start from the same leaves.

    Parameters
    ----------
    trees : RandomTrees
    X : ndarray of float64, shape (n, F)
        NaN is missing.
    order : ndarray of int32, shape (C, L)
        Of the static ones of the C chains.
    next_label : ndarray of uint8, shape (C,)
        0: the next label is the most certain one; 1: the most probable one; 2: a static chain.
    threshold : ndarray of uint8, shape (C,)
        Whether a label is positive if its probability is at least 1/2, whatever the cardinality.
    n_active : ndarray of int32, shape (C, T)
        How many label tests of each tree are active, those of the lowest ranks.
    unit : float
        How many units a weight of 1 is; a power of 2 with ``unit * T * L <= 2**52``.
    rows_at_once : int
        Rows that go through a tree together.
    label, probability, value, cardinality : ndarray, shape (C, n, L)
        Filled, in the order of the chain: the label set, its probability then, its value, R then. The values
        of a row and chain are consecutive.
    seconds : ndarray of float64, shape (C + 1,)
        CPU seconds of each chain are added, and those of finding the leaves at the end.
    """
    cdef Model model
    cdef const unsigned char[::1] nodes = trees.walked_nodes.view("u1")
    cdef const int32_t[::1] roots = trees.roots, category = trees.category
    cdef const uint32_t[::1] records = trees.leaf_records
    cdef const int32_t[::1] prior_counts = trees.prior
    cdef vector[Wanted] chains
    cdef vector[int32_t] most_active
    cdef vector[ChainOfRow] rows
    cdef ChainMemory memory
    cdef vector[int32_t] prior
    cdef vector[double] prior_sums
    cdef int64_t block, first, last, i
    cdef int32_t tree, j, c, n_chains = <int32_t>order.shape[0]
    cdef double begin, end
    cdef Steps steps
    if X.shape[0] == 0:
        return
    model.forest.n_features = trees.n_features
    model.forest.n_labels = trees.n_labels
    model.forest.nodes = <const Node*>&nodes[0]
    model.forest.category = &category[0]
    model.n_trees = <int32_t>roots.shape[0]
    model.n_labels = <int32_t>prior_counts.shape[0]
    model.n_padded = (model.n_labels + LANES - 1) // LANES * LANES
    model.roots = &roots[0]
    model.records = &records[0]
    model.n_rows = trees.n_rows
    model.unit = unit
    with nogil:
        model.refines = False
        most_active.assign(model.n_trees, 0)
        chains.resize(n_chains)
        for c in range(n_chains):
            chains[c].order = &order[c, 0] if next_label[c] == 2 else NULL
            chains[c].probable = next_label[c] == 1
            chains[c].threshold = threshold[c]
            chains[c].n_active = &n_active[c, 0]
            chains[c].refines = False
            for tree in range(model.n_trees):
                chains[c].refines = chains[c].refines or n_active[c, tree] > 0
                most_active[tree] = max(most_active[tree], n_active[c, tree])
            model.refines = model.refines or chains[c].refines
        model.n_active = most_active.data()
        prior.assign(model.n_padded, 0)
        prior_sums.assign(model.n_padded, 0.0)
        for j in range(model.n_labels):
            prior[j] = prior_counts[j]
            prior_sums[j] = prior_counts[j]
        model.prior = prior.data()
        rows.resize(rows_at_once)
        begin = cpu_seconds()
        for block in range((X.shape[0] + rows_at_once - 1) // rows_at_once):
            first = block * rows_at_once
            last = min(first + rows_at_once, X.shape[0])
            for i in range(first, last):
                start_row(&model, &rows[i - first])
            for tree in range(model.n_trees):
                for i in range(first, last):
                    if model.refines:
                        prefetch_state(&model, &rows[i + 1 - first if i + 1 < last else 0], tree + (i + 1 == last))
                    pool_tree(&model, &rows[i - first], &X[i, 0], tree)
            end = cpu_seconds()
            seconds[n_chains] += end - begin
            begin = end
            for i in range(first, last):
                if n_chains > 1:
                    keep_state(&rows[i - first], &memory)
                for c in range(n_chains):
                    if c > 0:
                        restore_state(&rows[i - first], &memory)
                    steps = Steps(&label[c, i, 0], &probability[c, i, 0], &value[c, i, 0], &cardinality[c, i, 0])
                    follow_chain(&model, &rows[i - first], &memory, &chains[c], prior_sums.data(), steps)
                    end = cpu_seconds()
                    seconds[c] += end - begin
                    begin = end
