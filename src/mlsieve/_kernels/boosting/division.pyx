"""From one level of a tree to the next: nodes that gain get two children, and rows and items follow."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Boosted, Chunk, Level, Lists, Options, Tests, chunks
from mlsieve._kernels.boosting.gradients cimport choose_lanes, take_lanes
from mlsieve._kernels.boosting.histograms cimport inherit_histogram
from mlsieve._kernels.boosting.node_tests cimport take_test
from mlsieve._kernels.boosting.split_scores cimport COMMON_REST, PRESENT, Item, Judge
from mlsieve._kernels.boosting.tasks cimport run_tasks

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


cdef void resize_level(Level* level, int32_t n_nodes) noexcept nogil:
    """Make room for so many nodes' sums."""
    level.n_nodes = n_nodes
    level.block.resize(n_nodes)
    level.n_lanes.resize(n_nodes)
    level.totals.resize(n_nodes)
    level.histogram.resize(n_nodes)
    level.counts.resize(n_nodes)
    level.n_summed.resize(n_nodes)


cdef void first_level(
    Level* level, const Lists* lists, const Options* options, Boosted* tree, vector[int32_t]* leaf_of,
    DivisionMemory* memory
) noexcept nogil:
    """The root with all rows that the tree sees, before its block is packed."""
    cdef int64_t i
    cdef int32_t c
    cdef Item item
    resize_level(level, 1)
    level.histogram[0].clear()
    level.depth = 0
    level.node.assign(1, new_node(tree))
    level.first.assign(1, 0)
    level.first.push_back(options.n_rows)
    level.row.resize(options.n_rows)
    for i in range(options.n_rows):
        level.row[i] = options.rows[i] if options.rows != NULL else <int32_t>i
    leaf_of.assign(lists.n_rows, 0)
    memory.new_place.assign(lists.n_rows, -1)
    for i in range(options.n_rows):
        memory.new_place[level.row[i]] = <int32_t>i
    level.listed.clear()
    level.n_listed.assign(1, 0)
    level.items.clear()
    level.start.clear()
    for c in range(lists.n_columns):
        if lists.bin_start[c] == lists.bin_start[c + 1] and (options.column == NULL or options.column[c]):
            level.listed.push_back(c)
            level.start.push_back(<int64_t>level.items.size())
            if options.rows == NULL:
                level.items.insert(
                    level.items.end(), lists.items.begin() + lists.start[c], lists.items.begin() + lists.start[c + 1]
                )
            else:
                for i in range(lists.start[c], lists.start[c + 1]):
                    item = lists.items[i]
                    item.place = memory.new_place[item.place]
                    if item.place >= 0:
                        level.items.push_back(item)
            level.start.push_back(<int64_t>level.items.size())
        level.n_listed.push_back(<int32_t>level.listed.size())


cdef bint may_be_divided(const vector[double]* sums, int64_t n_rows, int32_t n_lanes, const Judge* judge) noexcept nogil:
    """Whether a node has two rows and a label that can count."""
    cdef int32_t i, width = chunks(n_lanes) * 8
    if n_rows < 2:
        return False
    for i in range(n_lanes):
        if judge.every_label or sums[0][width + i] >= judge.least_hessian:
            return True
    return False


cdef void add_child(
    Level* level, Level* below, const Lists* lists, const Judge* judge, int32_t k, const Tests* tests,
    bint is_no, int32_t n_threads, DivisionMemory* memory
) noexcept nogil:
    """Give the last node below its sums, its lanes and its block."""
    cdef int32_t child = <int32_t>below.node.size() - 1, before = level.n_lanes[k], size = chunks(before)
    cdef int64_t first = below.first[child], n = below.first[child + 1] - first, i, own
    cdef bint fewer
    resize_level(below, child + 1)
    below.totals[child] = tests.smaller if is_no == tests.no_is_smaller else tests.larger
    below.n_lanes[child] = before
    below.histogram[child].clear()
    fewer = choose_lanes(&below.totals[child], &below.n_lanes[child], judge, &memory.lane)
    own = chunks(below.n_lanes[child])
    if level.listed.size() > 0 or fewer:
        # Scans of listed columns want a node's rows side by side.
        below.block[child] = <int32_t>below.blocks.size()
        below.blocks.resize(below.blocks.size() + 1)
        below.blocks[below.block[child]].resize(n * own)
        if fewer:
            take_lanes(
                level.blocks[level.block[k]].data(), below.slot.data() + first, n, before, &memory.lane,
                below.blocks[below.block[child]].data()
            )
        else:
            for i in range(n):
                memcpy(
                    below.blocks[below.block[child]].data() + i * size,
                    level.blocks[level.block[k]].data() + <int64_t>below.slot[first + i] * size, size * sizeof(Chunk)
                )
        for i in range(n):
            below.slot[first + i] = <int32_t>i
    else:
        below.block[child] = -1 - level.block[k]  # the node's own, which moves when all children are there
    if lists.bin_code.size() > 0 and is_no != tests.no_is_smaller:
        inherit_histogram(level, below, lists, k, child, tests, fewer, &memory.lane, n_threads)


cdef void move_blocks(Level* level, Level* below) noexcept nogil:
    """Take the blocks along that nodes below share; others go."""
    cdef vector[int32_t] place
    cdef int32_t k, block
    place.assign(level.blocks.size(), -1)
    for k in range(below.n_nodes):
        block = -1 - below.block[k]
        if block >= 0:
            if place[block] < 0:
                place[block] = <int32_t>below.blocks.size()
                below.blocks.resize(below.blocks.size() + 1)
                below.blocks[place[block]].swap(level.blocks[block])
            below.block[k] = place[block]
    level.blocks.swap(below.blocks)
    below.blocks.clear()


cdef void divide_rows(
    const Level* level, Level* below, int32_t k, bint is_no, bint goes_on, int32_t node, const Tests* tests,
    vector[int32_t]* leaf_of, DivisionMemory* memory
) noexcept nogil:
    """Send a node's rows to one of its children, which may become a node of the next level."""
    cdef int64_t place
    for place in range(level.first[k], level.first[k + 1]):
        if tests.says_no[place] == is_no:
            leaf_of[0][level.row[place]] = node
            if goes_on:
                memory.new_place[place] = <int32_t>below.row.size()
                below.row.push_back(level.row[place])
                below.slot.push_back(level.slot[place])
    if goes_on:
        below.node.push_back(node)
        below.first.push_back(<int64_t>below.row.size())


cdef struct Division:
    Level* level
    Level* below
    DivisionMemory* memory


cdef void divide_column(const Division* a, int64_t l, Item* parted) noexcept nogil:
    """Divide a column's items as the rows are, among its own places; those in leaves go."""
    cdef const Level* level = a.level
    cdef const Level* below = a.below
    cdef const int32_t* new_place = a.memory.new_place.data()
    cdef int64_t stride = level.n_nodes + 1, at = level.start[l * stride], i, last, n_parted
    cdef int32_t k, child = 0, place, edge
    cdef int64_t* start = a.below.start.data() + l * (below.n_nodes + 1)
    cdef Item item
    cdef Item* items = a.level.items.data()
    start[0] = at
    for k in range(level.n_nodes):
        if a.memory.children[k] == 0:
            continue
        i = level.start[l * stride + k]
        last = level.start[l * stride + k + 1]
        if a.memory.children[k] == 1:  # the other one is a leaf
            for i in range(i, last):
                item = items[i]
                item.place = new_place[item.place]
                items[at] = item
                at += item.place >= 0
        else:
            edge = <int32_t>below.first[child + 1]
            n_parted = 0
            for i in range(i, last):
                item = items[i]
                place = new_place[item.place]
                item.place = place
                items[at] = item
                parted[n_parted] = item
                n_parted += place >= edge
                at += place < edge
            child += 1
            start[child] = at
            memcpy(items + at, parted, n_parted * sizeof(Item))
            at += n_parted
        child += 1
        start[child] = at


cdef void divide_part(void* of, int32_t part) noexcept nogil:
    """Divide the items of a part of the columns."""
    cdef const Division* a = <const Division*>of
    cdef int64_t n = <int64_t>a.level.listed.size(), n_parts = <int64_t>a.memory.parted.size(), l
    a.memory.parted[part].resize(a.level.row.size())
    for l in range(n * part // n_parts, n * (part + 1) // n_parts):
        divide_column(a, l, a.memory.parted[part].data())


cdef void divide_items(Level* level, Level* below, int32_t n_threads, DivisionMemory* memory) noexcept nogil:
    """Divide the items of all listed columns."""
    cdef Division a
    a.level = level
    a.below = below
    a.memory = memory
    below.start.resize(level.listed.size() * (below.n_nodes + 1))
    memory.parted.resize(1 if n_threads < 2 else 4 * n_threads)
    run_tasks(divide_part, &a, <int32_t>memory.parted.size(), n_threads)


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
        for i in range(lists.start[c], lists.start[c + 1]):
            says_no[lists.items[i].place] = tree.side[node] != PRESENT and lists.items[i].code > tree.code[node]
        for i in range(<int64_t>rows[node].size()):
            if says_no[rows[node][i]]:
                rows[tree.no[node]].push_back(rows[node][i])
            else:
                rows[tree.yes[node]].push_back(rows[node][i])
        rows[node].clear()


cdef void next_level(
    Level* level, Level* below, const Lists* lists, const Judge* judge, const Options* options, Tests* tests,
    Boosted* tree, vector[int32_t]* leaf_of, DivisionMemory* memory
) noexcept nogil:
    """Divide the nodes of a level by their tests, if these gain enough; the next level takes its place."""
    cdef int32_t k, node, side
    cdef int64_t n
    cdef double gain, cover
    cdef bint goes_on
    tests.says_no.resize(level.row.size())
    tests.row_says_no.resize(lists.n_rows)
    memory.new_place.assign(level.row.size(), -1)
    memory.children.assign(level.n_nodes, 0)
    below.node.clear()
    below.first.assign(1, 0)
    below.row.clear()
    below.slot.clear()
    below.depth = level.depth + 1
    resize_level(below, 0)
    for k in range(level.n_nodes):
        if tests.column[k] < 0:
            continue
        gain = take_test(level, lists, judge, k, tests, &cover) - options.gamma
        if not gain > LEAST_GAIN:
            continue
        node = level.node[k]
        tree.feature[node] = tests.column[k]
        tree.code[node] = tests.best[k].code
        tree.next_code[node] = tests.best[k].next
        tree.side[node] = tests.best[k].side
        tree.gain[node] = gain
        tree.cover[node] = cover
        tree.yes[node] = new_node(tree)
        tree.no[node] = new_node(tree)
        for side in range(2):  # "yes" first
            n = <int64_t>tests.row.size()
            if side != tests.no_is_smaller:
                n = level.first[k + 1] - level.first[k] - n
            goes_on = below.depth < options.max_depth and may_be_divided(
                &tests.smaller if side == tests.no_is_smaller else &tests.larger, n, level.n_lanes[k], judge
            )
            divide_rows(
                level, below, k, side, goes_on, tree.no[node] if side else tree.yes[node], tests, leaf_of, memory
            )
            if goes_on:
                memory.children[k] += 1
                add_child(level, below, lists, judge, k, tests, side, options.n_threads, memory)
    if below.n_nodes > 0:
        divide_items(level, below, options.n_threads, memory)
    move_blocks(level, below)
    level.node.swap(below.node)
    level.first.swap(below.first)
    level.row.swap(below.row)
    level.slot.swap(below.slot)
    level.start.swap(below.start)
    level.block.swap(below.block)
    level.n_lanes.swap(below.n_lanes)
    level.totals.swap(below.totals)
    level.histogram.swap(below.histogram)
    level.counts.swap(below.counts)
    level.n_summed.swap(below.n_summed)
    level.n_nodes = below.n_nodes
    level.depth = below.depth
    resize_level(below, 0)
