"""From one level of a tree to the next: nodes that gain get two children, and rows and items follow."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Boosted, Level, Lists, Options, Tests
from mlsieve._kernels.boosting.node_tests cimport take_test
from mlsieve._kernels.boosting.split_scores cimport Item, Judge

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


cdef void first_level(Level* level, const Lists* lists, Boosted* tree, vector[int32_t]* leaf_of) noexcept nogil:
    """The root with all rows."""
    cdef int64_t i
    cdef int32_t c
    level.n_nodes = 1
    level.depth = 0
    level.node.assign(1, new_node(tree))
    level.first.assign(1, 0)
    level.first.push_back(lists.n_rows)
    level.row.resize(lists.n_rows)
    for i in range(lists.n_rows):
        level.row[i] = <int32_t>i
    leaf_of.assign(lists.n_rows, 0)
    level.items = lists.items
    level.start.resize(2 * lists.n_columns)
    for c in range(lists.n_columns):
        level.start[2 * c] = lists.start[c]
        level.start[2 * c + 1] = lists.start[c + 1]


cdef void divide_rows(
    const Level* level, Level* below, int32_t k, const Tests* tests, Boosted* tree, vector[int32_t]* leaf_of,
    DivisionMemory* memory
) noexcept nogil:
    """Give a node two children, which are neighbours on the next level, "yes" first."""
    cdef int32_t node = level.node[k], yes = new_node(tree), no = new_node(tree)
    cdef int64_t place, at_no, at_yes = <int64_t>below.row.size(), n_no = 0
    tree.yes[node] = yes
    tree.no[node] = no
    for place in range(level.first[k], level.first[k + 1]):
        n_no += tests.says_no[place]
    at_no = at_yes + level.first[k + 1] - level.first[k] - n_no
    below.node.push_back(yes)
    below.first.push_back(at_no)
    below.node.push_back(no)
    below.first.push_back(at_no + n_no)
    below.row.resize(at_no + n_no)
    for place in range(level.first[k], level.first[k + 1]):
        if tests.says_no[place]:
            memory.new_place[place] = <int32_t>at_no
            below.row[at_no] = level.row[place]
            leaf_of[0][level.row[place]] = no
            at_no += 1
        else:
            memory.new_place[place] = <int32_t>at_yes
            below.row[at_yes] = level.row[place]
            leaf_of[0][level.row[place]] = yes
            at_yes += 1


cdef void divide_items(
    Level* level, Level* below, const Lists* lists, const Tests* tests, DivisionMemory* memory
) noexcept nogil:
    """Divide each column's items as the rows are; those in leaves go."""
    cdef int32_t c, k, child, place
    cdef int64_t i, at, last, n_parted, stride = level.n_nodes + 1, own = below.n_nodes + 1
    cdef Item item
    cdef Item* items = level.items.data()
    below.start.resize(lists.n_columns * own)
    memory.parted.resize(level.row.size())
    for c in range(lists.n_columns):
        child = 0
        at = lists.start[c]
        below.start[c * own] = at
        for k in range(level.n_nodes):
            if tests.column[k] < 0:
                continue
            i = level.start[c * stride + k]
            last = level.start[c * stride + k + 1]
            n_parted = 0
            for i in range(i, last):
                item = items[i]
                place = memory.new_place[item.place]
                item.place = place
                items[at] = item
                memory.parted[n_parted] = item
                if place >= below.first[child + 1]:
                    n_parted += 1
                else:
                    at += 1
            below.start[c * own + child + 1] = at
            memcpy(items + at, memory.parted.data(), n_parted * sizeof(Item))
            at += n_parted
            below.start[c * own + child + 2] = at
            child += 2


cdef void next_level(
    Level* level, Level* below, const Lists* lists, const Judge* judge, const Options* options, Tests* tests,
    Boosted* tree, vector[int32_t]* leaf_of, DivisionMemory* memory
) noexcept nogil:
    """Divide the nodes of a level by their tests, if these gain enough; the next level takes its place."""
    cdef int32_t k, node
    cdef double gain, cover
    tests.says_no.resize(level.row.size())
    memory.new_place.assign(level.row.size(), -1)
    below.node.clear()
    below.first.assign(1, 0)
    below.row.clear()
    for k in range(level.n_nodes):
        if tests.column[k] < 0:
            continue
        gain = take_test(level, lists, judge, k, tests, &cover) - options.gamma
        if not gain > LEAST_GAIN:
            tests.column[k] = -1
            continue
        node = level.node[k]
        tree.feature[node] = tests.column[k]
        tree.code[node] = tests.best[k].code
        tree.next_code[node] = tests.best[k].next
        tree.side[node] = tests.best[k].side
        tree.gain[node] = gain
        tree.cover[node] = cover
        divide_rows(level, below, k, tests, tree, leaf_of, memory)
    below.depth = level.depth + 1
    below.n_nodes = <int32_t>below.node.size() if below.depth < options.max_depth else 0
    if below.n_nodes > 0:
        divide_items(level, below, lists, tests, memory)
    level.node.swap(below.node)
    level.first.swap(below.first)
    level.row.swap(below.row)
    level.start.swap(below.start)
    level.n_nodes = below.n_nodes
    level.depth = below.depth
