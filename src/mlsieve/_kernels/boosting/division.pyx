"""From a node of a tree to its children: rows, items and gradients are divided where they are."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy
from libcpp.utility cimport move
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport (
    Boosted, Growth, Lists, Node, Options, Tests, chunks, item_at, threads_for
)
from mlsieve._kernels.boosting.gradients cimport add_blocks, choose_lanes, divide_block
from mlsieve._kernels.boosting.histograms cimport inherit_histogram
from mlsieve._kernels.boosting.node_tests cimport take_test
from mlsieve._kernels.boosting.split_scores cimport COMMON_REST, PRESENT, Item, Judge
from mlsieve._kernels.common.tasks cimport run_tasks

cdef double LEAST_GAIN = 1e-6  # as in XGBoost


cdef int32_t new_node(Boosted* tree) noexcept nogil:
    """Append a leaf."""
    tree.feature.push_back(-1)
    tree.code.push_back(-1)
    tree.next_code.push_back(-1)
    tree.side.push_back(0)
    tree.yes.push_back(-1)
    tree.no.push_back(-1)
    tree.leaf.push_back(-1)
    tree.gain.push_back(0.0)
    tree.cover.push_back(0.0)
    return <int32_t>tree.feature.size() - 1


cdef int64_t copy_items(const Lists* lists, int32_t c, const int32_t* new_place, Item* to) noexcept nogil:
    """Write a column's items, with `new_place` those of rows that have one; return how many."""
    cdef int64_t first = lists.start[c], n = lists.end[c] - first, i, at = 0
    cdef const uint32_t* narrow = lists.narrow.data() + first
    cdef Item item
    if new_place != NULL:
        for i in range(first, first + n):
            item = item_at(lists, i)
            item.place = new_place[item.place]
            to[at] = item
            at += item.place >= 0
        return at
    if not lists.is_narrow:
        memcpy(to, lists.wide.data() + first, n * sizeof(Item))
        return n
    for i in range(n):
        to[i].place = <int32_t>(narrow[i] >> 16)
        to[i].code = <int32_t>(narrow[i] & 0xFFFF)
    return n


cdef void plant(
    Growth* growth, Node* root, const Lists* lists, const Options* options, Boosted* tree, vector[int32_t]* leaf_of,
    DivisionMemory* memory
) noexcept nogil:
    """Give the root all rows that the tree sees and their items, before its block is packed."""
    cdef int64_t i, l, at = 0, n = 0
    cdef int32_t c
    cdef const int32_t* new_place = NULL
    root.number = new_node(tree)
    root.depth = 0
    root.first = 0
    root.last = options.n_rows
    root.histogram.clear()
    growth.waiting.clear()
    growth.row.resize(options.n_rows)
    for i in range(options.n_rows):
        growth.row[i] = options.rows[i] if options.rows != NULL else <int32_t>i
    leaf_of.assign(lists.n_rows, 0)
    memory.new_place.assign(lists.n_rows, -1)
    if options.rows != NULL:
        new_place = memory.new_place.data()
        for i in range(options.n_rows):
            memory.new_place[growth.row[i]] = <int32_t>i
    growth.listed.clear()
    growth.n_listed.assign(1, 0)
    for c in range(lists.n_columns):
        if lists.bin_start[c] == lists.bin_start[c + 1] and (options.column == NULL or options.column[c]):
            growth.listed.push_back(c)
            n += lists.end[c] - lists.start[c]
        growth.n_listed.push_back(<int32_t>growth.listed.size())
    if <int64_t>growth.items.capacity() < n:
        growth.items.clear()
        growth.items.shrink_to_fit()  # or growing would copy them
    growth.items.resize(n)
    root.start.resize(growth.listed.size())
    root.end.resize(growth.listed.size())
    for l in range(<int64_t>growth.listed.size()):
        root.start[l] = at
        at += copy_items(lists, growth.listed[l], new_place, growth.items.data() + at)
        root.end[l] = at


cdef bint may_be_divided(const vector[double]* sums, int64_t n_rows, int32_t n_lanes, const Judge* judge) noexcept nogil:
    """Whether a node has two rows and a label that can count."""
    cdef int32_t i, width = chunks(n_lanes) * 8
    if n_rows < 2:
        return False
    for i in range(n_lanes):
        if judge.every_label or sums[0][width + i] >= judge.least_hessian:
            return True
    return False


cdef void divide_rows(
    Growth* growth, const Node* node, const Tests* tests, const int32_t* number, vector[int32_t]* leaf_of,
    DivisionMemory* memory
) noexcept nogil:
    """Put a node's rows that say "yes" before the others; `number` is that of the children, "yes" first."""
    cdef int64_t place, at = node.first, i
    memory.row.clear()
    memory.slot.clear()
    for place in range(node.first, node.last):
        leaf_of[0][growth.row[place]] = number[tests.says_no[place]]
        if tests.says_no[place]:
            memory.new_place[place] = <int32_t>memory.row.size()
            memory.row.push_back(growth.row[place])
            memory.slot.push_back(growth.slot[place])
        else:
            memory.new_place[place] = <int32_t>at
            growth.row[at] = growth.row[place]
            growth.slot[at] = growth.slot[place]
            at += 1
    for place in range(node.first, node.last):
        if tests.says_no[place]:
            memory.new_place[place] += <int32_t>at
    for i in range(<int64_t>memory.row.size()):
        growth.row[at + i] = memory.row[i]
        growth.slot[at + i] = memory.slot[i]


cdef struct Division:
    Growth* growth
    const Node* node
    Node** children                 # "yes" and "no"; NULL: a leaf
    DivisionMemory* memory
    int64_t edge                    # the first place of "no"


cdef void divide_column(const Division* a, int64_t l, Item* parted) noexcept nogil:
    """Divide a column's items as the rows are, among its own places; those in leaves go."""
    cdef const int32_t* new_place = a.memory.new_place.data()
    cdef int64_t at = a.node.start[l], i, n_parted = 0
    cdef int32_t place, edge = <int32_t>a.edge
    cdef bint is_no
    cdef Item item
    cdef Item* items = a.growth.items.data()
    if a.children[0] == NULL or a.children[1] == NULL:
        is_no = a.children[0] == NULL
        a.children[is_no].start[l] = at
        for i in range(a.node.start[l], a.node.end[l]):
            item = items[i]
            item.place = new_place[item.place]
            items[at] = item
            at += (item.place >= edge) == is_no
        a.children[is_no].end[l] = at
        return
    a.children[0].start[l] = at
    for i in range(a.node.start[l], a.node.end[l]):
        item = items[i]
        place = new_place[item.place]
        item.place = place
        items[at] = item
        parted[n_parted] = item
        n_parted += place >= edge
        at += place < edge
    a.children[0].end[l] = at
    a.children[1].start[l] = at
    memcpy(items + at, parted, n_parted * sizeof(Item))
    a.children[1].end[l] = at + n_parted


cdef void divide_part(void* of, int32_t part) noexcept nogil:
    """Divide the items of a part of the columns."""
    cdef const Division* a = <const Division*>of
    cdef int64_t n = <int64_t>a.growth.listed.size(), n_parts = <int64_t>a.memory.parted.size(), l
    a.memory.parted[part].resize(a.node.last - a.node.first)
    for l in range(n * part // n_parts, n * (part + 1) // n_parts):
        divide_column(a, l, a.memory.parted[part].data())


cdef void divide_items(
    Growth* growth, const Node* node, Node** children, int64_t edge, int32_t n_threads, DivisionMemory* memory
) noexcept nogil:
    """Divide the items of all listed columns."""
    cdef Division a
    cdef int64_t n_columns = <int64_t>growth.listed.size()
    cdef int32_t side, threads = threads_for((node.last - node.first) * n_columns, n_threads)
    a.growth = growth
    a.node = node
    a.children = children
    a.memory = memory
    a.edge = edge
    for side in range(2):
        if children[side] != NULL:
            children[side].start.resize(n_columns)
            children[side].end.resize(n_columns)
    memory.parted.resize(1 if threads < 2 else 4 * threads)
    run_tasks(divide_part, &a, <int32_t>memory.parted.size(), threads)


cdef void send_others(
    const Lists* lists, Boosted* tree, const Options* options, vector[int32_t]* leaf_of
) noexcept nogil:
    """Send the rows that a tree did not see down to its leaves.

    They may have codes between those that a test parts, which say "no": the next code is the very next one.
    """
    cdef vector[vector[int32_t]] rows
    cdef vector[uint8_t] says_no
    cdef int64_t i, n_nodes = <int64_t>tree.feature.size(), node
    cdef int32_t c
    cdef bint rest_says_no
    cdef Item item
    says_no.assign(lists.n_rows, 0)
    for i in range(options.n_rows):
        says_no[options.rows[i]] = 1
    rows.resize(n_nodes)
    for i in range(lists.n_rows):
        if not says_no[i]:
            rows[0].push_back(<int32_t>i)
    for node in range(n_nodes):
        c = tree.feature[node]
        if c < 0:
            for i in range(<int64_t>rows[node].size()):
                leaf_of[0][rows[node][i]] = <int32_t>node
            continue
        if tree.side[node] != PRESENT:
            tree.next_code[node] = tree.code[node] + 1
        rest_says_no = tree.side[node] != 1
        if tree.side[node] != PRESENT and lists.rest_kind[c] == COMMON_REST:
            rest_says_no = lists.rest_code[c] > tree.code[node]
        says_no.assign(lists.n_rows, rest_says_no)
        for i in range(lists.start[c], lists.end[c]):
            item = item_at(lists, i)
            says_no[item.place] = tree.side[node] != PRESENT and item.code > tree.code[node]
        for i in range(<int64_t>rows[node].size()):
            if says_no[rows[node][i]]:
                rows[tree.no[node]].push_back(rows[node][i])
            else:
                rows[tree.yes[node]].push_back(rows[node][i])
        rows[node].clear()


cdef void begin_child(Node* child, const Node* node, int32_t number, vector[double]* totals) noexcept nogil:
    child.number = number
    child.depth = node.depth + 1
    child.n_lanes = node.n_lanes
    child.totals.swap(totals[0])


cdef void divide_node(
    Growth* growth, Node* node, const Lists* lists, const Judge* judge, const Options* options, Tests* tests,
    Boosted* tree, vector[int32_t]* leaf_of, DivisionMemory* memory
) noexcept nogil:
    """Divide a node by its test, if it gains enough; children that may be divided wait, the larger one is next."""
    cdef int32_t number[2]
    cdef bint goes_on[2]
    cdef bint fewer[2]
    cdef Node* by_side[2]
    cdef Node* by_size[2]
    cdef int32_t i, side
    cdef int64_t edge, n
    cdef double gain, cover
    if tests.column < 0:
        return
    tests.says_no.resize(growth.row.size())
    tests.row_says_no.resize(lists.n_rows)
    gain = take_test(growth, node, lists, judge, tests, &cover) - options.gamma
    if not gain > LEAST_GAIN:
        return
    tree.feature[node.number] = tests.column
    tree.code[node.number] = tests.best.code
    tree.next_code[node.number] = tests.best.next
    tree.side[node.number] = tests.best.side
    tree.gain[node.number] = gain
    tree.cover[node.number] = cover
    for side in range(2):
        number[side] = new_node(tree)
    tree.yes[node.number] = number[0]
    tree.no[node.number] = number[1]
    divide_rows(growth, node, tests, number, leaf_of, memory)
    for i in range(2):  # the smaller child first
        n = <int64_t>tests.row.size() if i == 0 else node.last - node.first - <int64_t>tests.row.size()
        goes_on[i] = node.depth + 1 < options.max_depth and may_be_divided(
            &tests.larger if i else &tests.smaller, n, node.n_lanes, judge
        )
        if goes_on[i]:
            growth.waiting.resize(growth.waiting.size() + 1)
    n = <int64_t>growth.waiting.size()
    edge = node.last - <int64_t>memory.row.size()
    for i in range(1, -1, -1):
        by_size[i] = NULL
        if goes_on[i]:
            n -= 1
            by_size[i] = &growth.waiting[n]
    for i in range(2):
        side = tests.no_is_smaller != <bint>i
        by_side[side] = by_size[i]
        if goes_on[i]:
            begin_child(by_size[i], node, number[side], &tests.larger if i else &tests.smaller)
            by_size[i].first = edge if side else node.first
            by_size[i].last = node.last if side else edge
            fewer[i] = choose_lanes(&by_size[i].totals, &by_size[i].n_lanes, judge, &memory.lane[i])
    if goes_on[1] and lists.bin_code.size() > 0:
        inherit_histogram(growth, node, by_size[1], lists, tests, fewer[1], &memory.lane[1], options.n_threads)
    if growth.listed.size() > 0 and (goes_on[0] or goes_on[1]):
        divide_items(growth, node, by_side, edge, options.n_threads, memory)
    # Scans of listed columns want a node's rows side by side. A larger child of fewer lanes is copied in any case:
    # then the smaller one is, too, and the node's block is not needed.
    i = 1 if goes_on[1] else 0
    if growth.listed.size() > 0 or (node.is_alone and goes_on[i] and fewer[i]):
        divide_block(growth, node, by_size, fewer, &memory.lane[0], &memory.gradients)
    else:
        add_blocks(growth, node, by_size, fewer, &memory.lane[0])


cdef void take_next(Growth* growth, Node* node) noexcept nogil:
    """Take the node that comes next; the memory of the last one's histogram is left for others."""
    if node.histogram.capacity() > 0:
        growth.spare.swap(node.histogram)
    node[0] = move(growth.waiting.back())
    growth.waiting.pop_back()


cdef void number_by_depth(Boosted* tree, vector[int32_t]* leaf_of) noexcept nogil:
    """Number the nodes level by level, "yes" before "no"."""
    cdef vector[int32_t] order, place
    cdef Boosted old
    cdef int64_t i, n = <int64_t>tree.feature.size()
    cdef int32_t node
    order.push_back(0)
    for i in range(n):
        node = order[i]
        if tree.feature[node] >= 0:
            order.push_back(tree.yes[node])
            order.push_back(tree.no[node])
    place.resize(n)
    for i in range(n):
        place[order[i]] = <int32_t>i
    old = tree[0]
    for i in range(n):
        node = order[i]
        tree.feature[i] = old.feature[node]
        tree.code[i] = old.code[node]
        tree.next_code[i] = old.next_code[node]
        tree.side[i] = old.side[node]
        tree.gain[i] = old.gain[node]
        tree.cover[i] = old.cover[node]
        tree.yes[i] = tree.no[i] = -1
        if tree.feature[i] >= 0:
            tree.yes[i] = place[old.yes[node]]
            tree.no[i] = place[old.no[node]]
    for i in range(<int64_t>leaf_of.size()):
        leaf_of[0][i] = place[leaf_of[0][i]]
