"""Growing random decision trees on features and labels: every test is drawn, none is searched."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from mlsieve._kernels.chains.random_nodes cimport ACTIVE_TEST, MISSING_CELL, TEST, Node
from mlsieve._kernels.common.array_conversion cimport as_int_array, as_long_array, columns_of, labels_of
from mlsieve._kernels.common.binary_search cimport first_from
from mlsieve._kernels.common.data_structs cimport Columns, Labels, code_at
from mlsieve._kernels.common.random_numbers cimport below, make_key, uniform

import numpy as np

NODE = np.dtype([("test", "<i4"), ("first", "<i4"), ("threshold", "<f8")])

cdef extern from *:
    """
    #include <cstdint>
    #include <utility>
    #include <vector>
    enum { MAX_DRAWS = 11 };     // of a test: ten after the first
    enum { LOOK_UP_COST = 12 };  // of one cell of a sparse feature, against one listed row
    struct PendingNode { int32_t node, begin, end, depth; };  // its rows are rows[begin .. end - 1]
    struct RandomTreeMemory {
        // Of the tree at hand. A node's rows rise.
        std::vector<int32_t> rows, scratch;
        std::vector<int32_t> code;        // of each row of the node, later its branch; -1: missing
        std::vector<int32_t> listed;      // (n,) codes of a sparse column's listed rows, else -1
        std::vector<int32_t> path;        // at each depth above: the feature, if discrete, or F + label; else -1
        std::vector<int32_t> used;        // those of one kind, rising
        std::vector<int32_t> branch_code; // codes that have a branch, rising
        std::vector<int32_t> place;       // by code: the number of its branch, else -1
        std::vector<int32_t> known;       // branches of the rows that are not missing
        std::vector<int32_t> next;        // by branch: where its next row goes
        std::vector<int32_t> label_rows;  // (L,) rows of a leaf with each label
        std::vector<int32_t> leaf_labels;
        std::vector<PendingNode> pending;
        std::vector<std::pair<uint64_t, int32_t>> label_tests;
    };
    struct RandomTreeArrays {
        // Of all trees, one after the other.
        std::vector<RandomNode> nodes;
        std::vector<int32_t> category;    // of each node: the category by which it is reached
        std::vector<int32_t> leaf_size, leaf_label, leaf_count;
        std::vector<int64_t> tree_start, leaf_start;
    };
    """
    const int MAX_DRAWS, LOOK_UP_COST
    cdef struct Pending "PendingNode":
        int32_t node
        int32_t begin
        int32_t end
        int32_t depth
    cdef cppclass Memory "RandomTreeMemory" nogil:
        vector[int32_t] rows
        vector[int32_t] scratch
        vector[int32_t] code
        vector[int32_t] listed
        vector[int32_t] path
        vector[int32_t] used
        vector[int32_t] branch_code
        vector[int32_t] place
        vector[int32_t] known
        vector[int32_t] next
        vector[int32_t] label_rows
        vector[int32_t] leaf_labels
        vector[Pending] pending
        vector[pair[uint64_t, int32_t]] label_tests
    cdef cppclass Grown "RandomTreeArrays" nogil:
        vector[Node] nodes
        vector[int32_t] category
        vector[int32_t] leaf_size
        vector[int32_t] leaf_label
        vector[int32_t] leaf_count
        vector[int64_t] tree_start
        vector[int64_t] leaf_start


cdef struct Data:
    Columns columns
    Labels labels
    const int64_t* positive_start  # (L + 1,) of positive_row
    const int32_t* positive_row    # rows of each label
    const uint8_t* discrete        # (F,) features that a path tests once
    double label_share             # probability that a node tests a label
    int32_t max_depth
    int32_t max_leaf
    bint redraw_all                # whether a discrete test with one branch is drawn again
    uint64_t seed


cdef struct Keys:
    # Of the random numbers of one tree.
    uint64_t test
    uint64_t missing_cell
    uint64_t active_test


cdef void find_used(const Data* data, Memory* memory, int32_t depth, bint labels) noexcept nogil:
    """List the labels, or the discrete features, that are tested above a node."""
    cdef int32_t above, item, n_features = data.columns.n_features
    memory.used.clear()
    for above in range(depth):
        item = memory.path[above]
        if labels and item >= n_features:
            memory.used.push_back(item - n_features)
        elif not labels and 0 <= item < n_features:
            memory.used.push_back(item)
    sort(memory.used.begin(), memory.used.end())


cdef inline int32_t unused(const Memory* memory, int32_t place) noexcept nogil:
    """The number that has `place` among those not in `used`."""
    cdef size_t i
    for i in range(memory.used.size()):
        if place >= memory.used[i]:
            place += 1
    return place


cdef void read_listed(Memory* memory, const int32_t* rows, int32_t n, const int32_t* row, const int32_t* code, int64_t n_listed, int32_t rest) noexcept nogil:
    """Read codes of a column that lists the rows that differ from the rest; without `code` these are 1."""
    cdef int64_t q
    cdef int32_t i, own
    for q in range(n_listed):
        memory.listed[row[q]] = code[q] if code != NULL else 1
    for i in range(n):
        own = memory.listed[rows[i]]
        memory.code[i] = own if own >= 0 else rest
    for q in range(n_listed):
        memory.listed[row[q]] = -1


cdef void read_feature(const Data* data, Memory* memory, const int32_t* rows, int32_t n, int32_t feature) noexcept nogil:
    """Read a feature's codes in the rows of a node."""
    cdef const Columns* columns = &data.columns
    cdef int64_t first = columns.column_start[feature], n_listed = columns.column_start[feature + 1] - first
    cdef const int32_t* codes
    cdef int32_t i
    if columns.dense_slot[feature] >= 0:
        codes = columns.codes + <int64_t>columns.dense_slot[feature] * columns.n_rows
        for i in range(n):
            memory.code[i] = codes[rows[i]]
    elif <int64_t>n * LOOK_UP_COST < n_listed:
        for i in range(n):
            memory.code[i] = code_at(columns, rows[i], feature)
    else:
        read_listed(memory, rows, n, columns.column_row + first, columns.column_code + first, n_listed, columns.rest_code[feature])


cdef void read_label(const Data* data, Memory* memory, const int32_t* rows, int32_t n, int32_t label) noexcept nogil:
    """Read which rows of a node have a label."""
    cdef int64_t first = data.positive_start[label], n_listed = data.positive_start[label + 1] - first, place, end
    cdef int32_t i
    if <int64_t>n * LOOK_UP_COST < n_listed:
        for i in range(n):
            end = data.labels.start[rows[i] + 1]
            place = first_from(data.labels.index, data.labels.start[rows[i]], end, label)
            memory.code[i] = place < end and data.labels.index[place] == label
    else:
        read_listed(memory, rows, n, data.positive_row + first, NULL, n_listed, 0)


cdef int32_t part_by_threshold(Memory* memory, int32_t n, int32_t code) noexcept nogil:
    """Turn codes into branches: 1 above `code`. Return the number of branches, or 0 if one would be empty."""
    cdef int32_t i, above = 0, known = 0
    for i in range(n):
        if memory.code[i] >= 0:
            known += 1
            memory.code[i] = memory.code[i] > code
            above += memory.code[i]
    return 2 if 0 < above < known else 0


cdef int32_t part_by_category(Memory* memory, int32_t n, int32_t n_codes) noexcept nogil:
    """Turn codes into branches, one for each that occurs; return their number."""
    cdef int32_t i, code
    cdef size_t b
    if <int32_t>memory.place.size() < n_codes:
        memory.place.resize(n_codes, -1)
    memory.branch_code.clear()
    for i in range(n):
        code = memory.code[i]
        if code >= 0 and memory.place[code] < 0:
            memory.place[code] = 0
            memory.branch_code.push_back(code)
    sort(memory.branch_code.begin(), memory.branch_code.end())
    for b in range(memory.branch_code.size()):
        memory.place[memory.branch_code[b]] = <int32_t>b
    for i in range(n):
        if memory.code[i] >= 0:
            memory.code[i] = memory.place[memory.code[i]]
    for b in range(memory.branch_code.size()):
        memory.place[memory.branch_code[b]] = -1
    return <int32_t>memory.branch_code.size()


cdef bint both_occur(const Memory* memory, int32_t n) noexcept nogil:
    """Whether the rows differ in their (known) codes 0 and 1."""
    cdef int32_t i, above = 0
    for i in range(n):
        above += memory.code[i]
    return 0 < above < n


cdef void place_missing(Memory* memory, const int32_t* rows, int32_t n, uint64_t key, int32_t node) noexcept nogil:
    """Let a row whose cell is missing follow a known row, drawn at random."""
    cdef int32_t i
    memory.known.clear()
    for i in range(n):
        if memory.code[i] >= 0:
            memory.known.push_back(memory.code[i])
    if <int32_t>memory.known.size() == n:
        return
    for i in range(n):
        if memory.code[i] < 0:
            memory.code[i] = memory.known[below(key, node, rows[i], memory.known.size())]


cdef int32_t draw_test(const Data* data, Memory* memory, const Keys* keys, const Pending* at, int32_t node, Node* test) noexcept nogil:
    """Draw the test of a node and write it into `test`.

    The node's branches are then in `code`, those of a category test also in `branch_code`. Returns the number of
    branches, 0 if no test parts the node.
    """
    cdef const Columns* columns = &data.columns
    cdef const int32_t* rows = memory.rows.data() + at.begin
    cdef int32_t n = at.end - at.begin, n_labels = data.labels.n_labels, n_features = columns.n_features
    cdef int32_t draw, feature, label, row, code, n_branches, n_unused
    cdef bint of_label = uniform(keys.test, node, 0) < data.label_share
    cdef int64_t first
    find_used(data, memory, at.depth, of_label)
    if memory.used.size() == <size_t>(n_labels if of_label else n_features) and 0.0 < data.label_share < 1.0:
        of_label = not of_label
        find_used(data, memory, at.depth, of_label)
    n_unused = (n_labels if of_label else n_features) - <int32_t>memory.used.size()
    if n_unused == 0:
        return 0
    for draw in range(MAX_DRAWS):
        if of_label:
            label = unused(memory, <int32_t>below(keys.test, node, 1 + 2 * draw, n_unused))
            read_label(data, memory, rows, n, label)
            if data.redraw_all and not both_occur(memory, n):
                continue
            test.test = -2 - label
            return 2
        feature = unused(memory, <int32_t>below(keys.test, node, 1 + 2 * draw, n_unused))
        first = columns.value_start[feature]
        read_feature(data, memory, rows, n, feature)
        if data.discrete[feature]:
            n_branches = part_by_category(memory, n, <int32_t>(columns.value_start[feature + 1] - first))
            if n_branches < (2 if data.redraw_all else 1):
                continue
            test.test = n_features + feature
            test.threshold = n_branches
        else:
            row = <int32_t>below(keys.test, node, 2 + 2 * draw, n)
            code = memory.code[row]
            n_branches = part_by_threshold(memory, n, code) if code >= 0 else 0
            if n_branches == 0:
                continue
            test.test = feature
            test.threshold = columns.values[first + code]
        place_missing(memory, rows, n, keys.missing_cell, node)
        return n_branches
    return 0


cdef void add_leaf(const Data* data, Memory* memory, const Pending* at, Grown* grown) noexcept nogil:
    """Count the labels of the rows of a leaf."""
    cdef int32_t i, row, label
    cdef int64_t q
    cdef size_t k
    for i in range(at.begin, at.end):
        row = memory.rows[i]
        for q in range(data.labels.start[row], data.labels.start[row + 1]):
            label = data.labels.index[q]
            if memory.label_rows[label] == 0:
                memory.leaf_labels.push_back(label)
            memory.label_rows[label] += 1
    sort(memory.leaf_labels.begin(), memory.leaf_labels.end())
    for k in range(memory.leaf_labels.size()):
        label = memory.leaf_labels[k]
        grown.leaf_label.push_back(label)
        grown.leaf_count.push_back(memory.label_rows[label])
        memory.label_rows[label] = 0
    memory.leaf_labels.clear()
    grown.leaf_size.push_back(at.end - at.begin)
    grown.leaf_start.push_back(<int64_t>grown.leaf_label.size())


cdef void divide(const Data* data, Memory* memory, const Pending* at, int32_t first_child, int32_t n_branches) noexcept nogil:
    """Bring the rows of each branch together, still rising, and put the children on the stack."""
    cdef int32_t i, branch, start = at.begin, size, n = at.end - at.begin
    memory.next.assign(n_branches, 0)
    for i in range(n):
        memory.next[memory.code[i]] += 1
    for branch in range(n_branches):
        size = memory.next[branch]
        memory.next[branch] = start
        memory.pending.push_back(Pending(first_child + branch, start, start + size, at.depth + 1))
        start += size
    for i in range(n):
        memory.scratch[i] = memory.rows[at.begin + i]
    for i in range(n):
        branch = memory.code[i]
        memory.rows[memory.next[branch]] = memory.scratch[i]
        memory.next[branch] += 1


cdef void rank_label_tests(Memory* memory, const Keys* keys, Grown* grown, int64_t base) noexcept nogil:
    """Give each label test its rank in a random order of the tree's."""
    cdef int64_t node
    cdef size_t rank
    memory.label_tests.clear()
    for node in range(base, <int64_t>grown.nodes.size()):
        if grown.nodes[node].test < -1:
            memory.label_tests.push_back(pair[uint64_t, int32_t](below(keys.active_test, node - base, 0, <uint64_t>1 << 53), <int32_t>(node - base)))
    sort(memory.label_tests.begin(), memory.label_tests.end())
    for rank in range(memory.label_tests.size()):
        grown.nodes[base + memory.label_tests[rank].second].threshold = rank


cdef inline int32_t category_of(const Columns* columns, int32_t feature, int32_t code) noexcept nogil:
    return <int32_t>columns.values[columns.value_start[feature] + code]


cdef void grow_tree(const Data* data, Memory* memory, uint64_t tree, Grown* grown) noexcept nogil:
    """Grow one tree on all rows."""
    cdef Keys keys = Keys(make_key(data.seed, tree, TEST), make_key(data.seed, tree, MISSING_CELL), make_key(data.seed, tree, ACTIVE_TEST))
    cdef int64_t base = <int64_t>grown.nodes.size()
    cdef int32_t i, n_branches, n_features = data.columns.n_features
    cdef Pending at
    cdef Node node
    memory.rows.resize(data.columns.n_rows)
    for i in range(data.columns.n_rows):
        memory.rows[i] = i
    grown.nodes.push_back(Node(-1, 0, 0.0))
    grown.category.push_back(0)
    memory.pending.push_back(Pending(0, 0, data.columns.n_rows, 0))
    while memory.pending.size() > 0:
        at = memory.pending.back()
        memory.pending.pop_back()
        node = Node(-1, 0, 0.0)
        n_branches = 0
        if at.end - at.begin > data.max_leaf and at.depth < data.max_depth:
            n_branches = draw_test(data, memory, &keys, &at, at.node, &node)
        if n_branches == 0:
            node.first = <int32_t>grown.leaf_size.size()
            grown.nodes[base + at.node] = node
            add_leaf(data, memory, &at, grown)
            continue
        node.first = <int32_t>grown.nodes.size()
        grown.nodes[base + at.node] = node
        for i in range(n_branches):
            grown.nodes.push_back(Node(-1, 0, 0.0))
            grown.category.push_back(category_of(&data.columns, node.test - n_features, memory.branch_code[i]) if node.test >= n_features else i)
        if <int32_t>memory.path.size() <= at.depth:
            memory.path.resize(at.depth + 1)
        memory.path[at.depth] = -1
        if node.test < -1:
            memory.path[at.depth] = n_features - 2 - node.test
        elif node.test >= n_features:
            memory.path[at.depth] = node.test - n_features
        divide(data, memory, &at, <int32_t>(node.first - base), n_branches)
    rank_label_tests(memory, &keys, grown, base)
    grown.tree_start.push_back(<int64_t>grown.nodes.size())


def grow_random_trees(
    object store,
    const uint8_t[::1] discrete,
    const int64_t[::1] label_start,
    const int32_t[::1] label_index,
    const int64_t[::1] positive_start,
    const int32_t[::1] positive_row,
    uint64_t first,
    uint64_t last,
    *,
    double label_share,
    int32_t max_depth,
    int32_t max_leaf,
    bint redraw_all,
    uint64_t seed,
):
    """Grow the trees first .. last - 1.

    Parameters
    ----------
    store : ColumnStore
        The features, coded.
    discrete : ndarray of uint8, shape (F,)
        Features of the store that are tested once a path, with one branch a value.
    label_start, label_index : ndarray of int64, shape (n + 1,), and of int32
        Labels of each row, rising.
    positive_start, positive_row : ndarray of int64, shape (L + 1,), and of int32
        Rows of each label, rising.
    label_share : float
        Probability that a node tests a label.
    max_depth, max_leaf : int
        A node at this depth (root: 0), or of at most so many rows, is a leaf.
    redraw_all : bool
        Whether a discrete test with one branch is drawn again, like a threshold.
    seed : int
        Key of all random draws, together with the tree's number.

    Returns
    -------
    dict of ndarray
        nodes (of dtype NODE, features as in the store, children and leaves counted from the first tree's first),
        category, tree_start (nodes); leaf_size; leaf_start, leaf_label, leaf_count (labels of a leaf, rising).
    """
    cdef Data data
    cdef Memory memory
    cdef Grown grown
    cdef uint64_t tree
    cdef int32_t n_labels = <int32_t>(positive_start.shape[0] - 1)
    cdef unsigned char[::1] cells
    data.columns = columns_of(store)
    if label_start.shape[0] != data.columns.n_rows + 1 or discrete.shape[0] != data.columns.n_features:
        raise ValueError("labels must have one entry a row, and `discrete` one a feature of the store")
    data.labels = labels_of(label_start, label_index, n_labels)
    data.positive_start = &positive_start[0]
    data.positive_row = &positive_row[0] if positive_row.shape[0] else NULL
    data.discrete = &discrete[0]
    data.label_share = label_share
    data.max_depth = max_depth
    data.max_leaf = max_leaf
    data.redraw_all = redraw_all
    data.seed = seed
    with nogil:
        memory.scratch.resize(data.columns.n_rows)
        memory.code.resize(data.columns.n_rows)
        memory.listed.assign(data.columns.n_rows, -1)
        memory.label_rows.assign(n_labels, 0)
        grown.tree_start.push_back(0)
        grown.leaf_start.push_back(0)
        for tree in range(first, last):
            grow_tree(&data, &memory, tree, &grown)
    nodes = np.empty(grown.nodes.size(), NODE)
    cells = nodes.view(np.uint8)
    memcpy(&cells[0], grown.nodes.data(), cells.shape[0])
    return {
        "nodes": nodes,
        "category": as_int_array(&grown.category),
        "tree_start": as_long_array(&grown.tree_start),
        "leaf_size": as_int_array(&grown.leaf_size),
        "leaf_start": as_long_array(&grown.leaf_start),
        "leaf_label": as_int_array(&grown.leaf_label),
        "leaf_count": as_int_array(&grown.leaf_count),
    }
