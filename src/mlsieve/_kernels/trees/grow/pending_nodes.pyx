"""The nodes that are still to be grown: their rows and label counts, and how one is divided."""

from libc.stdint cimport int8_t, int32_t, int64_t

from mlsieve._kernels.common.data_structs cimport Entry, code_at
from mlsieve._kernels.trees.fast.bit_subtrees cimport fits_bits
from mlsieve._kernels.trees.fast.count_tables cimport pass_table
from mlsieve._kernels.trees.fast.inherited_lists cimport hand_on
from mlsieve._kernels.trees.fast.row_pairs cimport fits_pairs, forget_pairs, pair_rows
from mlsieve._kernels.trees.fast.shared_labels cimport list_shared
from mlsieve._kernels.trees.node.data cimport Facts
from mlsieve._kernels.trees.node.gains cimport RELATIVE_TIE
from mlsieve._kernels.trees.node.node_rows cimport Example
from mlsieve._kernels.trees.node.sorted_rows cimport order_root, part_orders

cdef double LARGEST_COUNT = 16777216.0  # single precision counts so far
cdef double LARGEST_PRODUCT = 1e36      # and adds some of these up


cdef int prepare_pending_nodes(PendingNodes* nodes, const Data* data) except -1 nogil:
    nodes.rows.resize(data.columns.n_rows)
    nodes.weights.resize(data.columns.n_rows)
    nodes.answer.resize(data.columns.n_rows)
    nodes.stamp.resize(data.columns.n_rows)
    nodes.scratch_rows.resize(data.columns.n_rows)
    nodes.scratch_weights.resize(data.columns.n_rows)
    nodes.child_count.assign(data.labels.n_labels, 0.0)


# ---------------------------------------------------------------------------------------------- the counts of a node


cdef double load_counts(
    LabelSums* sums, const PendingNodes* nodes, const Labels* labels, const Pending* item, bint x_known, Totals* totals
) noexcept nogil:
    """Take up the node's label counts; return its impurity times its weight, or 0 if that is a rounding error."""
    cdef int64_t t
    cdef int32_t j
    cdef double mass = 0.0, impurity        # mass: sum_j w_j C_j
    for j in range(sums.lanes.width):
        sums.wC[j] = 0.0
        sums.lanes.mean[j] = 0.0
    sums.touched.assign(nodes.label.begin() + item.counts_start, nodes.label.begin() + item.counts_end)
    totals.n = item.weight
    totals.B = 0.0
    for t in range(item.counts_start, item.counts_end):
        j = nodes.label[t]
        sums.wC[j] = labels.weight[j] * nodes.count[t]
        totals.B += sums.wC[j] * nodes.count[t]
        mass += sums.wC[j]
        if sums.lanes.width > 0:
            sums.lanes.mean[j] = <float>(nodes.count[t] / item.weight)
    totals.wC = sums.wC.data()
    totals.x_known = x_known
    totals.tie = RELATIVE_TIE * mass
    impurity = mass - totals.B / totals.n - totals.tie
    return impurity if impurity > 0.0 else 0.0


cdef void load_examples(GrowerMemory* memory, const Pending* item, bint x_known) noexcept nogil:
    """Take up the examples' weights, and their x and shared labels if judges will ask for them often enough."""
    cdef const Data* data = &memory.data
    cdef int64_t i, n_node = item.end - item.start
    cdef const int32_t* rows = memory.nodes.rows.data() + item.start
    cdef int32_t q
    cdef double x
    cdef Example* examples = memory.sums.example.data()
    cdef Example* example
    if not data.facts.whole:
        for i in range(n_node):
            examples[rows[i]].weight = memory.nodes.weights[item.start + i]
    memory.pairs.at_hand = x_known and fits_pairs(&memory.pairs, n_node)
    if memory.pairs.at_hand:
        pair_rows(&memory.pairs, examples, &data.labels, rows, n_node, item.depth)
        return
    forget_pairs(&memory.pairs)           # no node below this one is below the last small one
    if x_known and memory.shared.may_be_used:
        list_shared(&memory.shared, &memory.sums, &data.labels, rows, n_node)
    elif x_known:
        for i in range(n_node):
            example = &examples[rows[i]]
            x = 0.0
            for q in range(example.first, example.last):
                x += memory.sums.wC[data.labels.index[q]]
            example.x = x


cdef void gather_lanes(RowLanes* lanes, const int32_t* rows, int64_t n_node) noexcept nogil:
    """Copy the lanes of the node's rows next to each other."""
    cdef int64_t i
    cdef int32_t j
    cdef const float* own
    cdef float* near = lanes.of_place.data()
    for i in range(n_node):
        own = lanes.of_row.data() + <int64_t>rows[i] * lanes.width
        for j in range(lanes.width):
            near[j] = own[j]
        near += lanes.width


cdef double count_rows(
    PendingNodes* nodes, const Example* examples, bint whole, const Labels* labels, int64_t start, int64_t end
) noexcept nogil:
    """Add the label counts of some places to nodes.child_count; return their weight."""
    cdef int64_t i
    cdef int32_t q
    cdef double weight, total = 0.0
    cdef const Example* example
    for i in range(start, end):
        example = &examples[nodes.rows[i]]
        weight = example.weight if whole else nodes.weights[i]
        total += weight
        for q in range(example.first, example.last):
            nodes.child_count[labels.index[q]] += weight
    return total


cdef void take_counts(
    PendingNodes* nodes, const Pending* parent, bint complement, bint clear, Pending* child
) noexcept nogil:
    """Push the counts of nodes.child_count, or what the parent has besides them, as the child's, but for zeros."""
    cdef int64_t t
    cdef int32_t j
    cdef double count
    child.counts_start = <int64_t>nodes.label.size()
    for t in range(parent.counts_start, parent.counts_end):
        j = nodes.label[t]
        count = nodes.child_count[j]
        if complement:
            count = nodes.count[t] - count
        if count != 0.0:
            nodes.label.push_back(j)
            nodes.count.push_back(count)
        if clear:
            nodes.child_count[j] = 0.0
    child.counts_end = <int64_t>nodes.label.size()


cdef void count_children(
    PendingNodes* nodes, const Example* examples, bint whole, const Labels* labels, const Pending* parent, Pending* no,
    Pending* yes
) noexcept nogil:
    """Count the labels of both children; if weights are whole numbers, the larger one's are what the other leaves."""
    cdef bint no_is_smaller = no.end - no.start <= yes.end - yes.start
    if not whole:
        no.weight = count_rows(nodes, examples, whole, labels, no.start, no.end)
        take_counts(nodes, parent, False, True, no)
        yes.weight = count_rows(nodes, examples, whole, labels, yes.start, yes.end)
        take_counts(nodes, parent, False, True, yes)
        return
    if no_is_smaller:
        no.weight = count_rows(nodes, examples, whole, labels, no.start, no.end)
        yes.weight = parent.weight - no.weight
    else:
        yes.weight = count_rows(nodes, examples, whole, labels, yes.start, yes.end)
        no.weight = parent.weight - yes.weight
    take_counts(nodes, parent, not no_is_smaller, False, no)
    take_counts(nodes, parent, no_is_smaller, True, yes)


# ---------------------------------------------------------------------------------------------- dividing a node


cdef void ask(
    PendingNodes* nodes, const uint8_t* in_subset, const Columns* columns, const Split* split, const Pending* item
) noexcept nogil:
    """Put each row's answer into nodes.answer: 1 yes, 0 no, -1 missing."""
    cdef int64_t i, q, n_node = item.end - item.start
    cdef int32_t feature = split.feature, code, slot = columns.dense_slot[feature]
    cdef const int32_t* rows = nodes.rows.data() + item.start
    cdef const int32_t* codes
    cdef bint rest
    if slot >= 0:
        codes = columns.codes + <int64_t>slot * columns.n_rows
        for i in range(n_node):
            code = codes[rows[i]]
            if code < 0:
                nodes.answer[i] = -1
            else:
                nodes.answer[i] = in_subset[code] != 0 if split.nominal else code > split.code
    elif columns.column_start[feature + 1] - columns.column_start[feature] < 2 * n_node:
        for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
            nodes.stamp[columns.column_row[q]] = -2 - (columns.column_code[q] > split.code)
        rest = columns.rest_code[feature] > split.code
        for i in range(n_node):
            nodes.answer[i] = -2 - nodes.stamp[rows[i]] if nodes.stamp[rows[i]] < -1 else rest
        for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
            nodes.stamp[columns.column_row[q]] = -1
    else:
        for i in range(n_node):
            nodes.answer[i] = code_at(columns, rows[i], feature) > split.code


cdef double known_share(const PendingNodes* nodes, const Example* examples, const Pending* item) noexcept nogil:
    """Share of the known weight that answers "yes"."""
    cdef int64_t i
    cdef double known = 0.0, yes = 0.0, weight
    for i in range(item.end - item.start):
        if nodes.answer[i] < 0:
            continue
        weight = examples[nodes.rows[item.start + i]].weight
        known += weight
        if nodes.answer[i]:
            yes += weight
    return yes / known


cdef void divide(
    PendingNodes* nodes, bint whole, double share, const Pending* item, Pending* no, Pending* yes
) noexcept nogil:
    """Reorder the node's segment into "no" then "yes"; missing examples go down both with a share of their weight."""
    cdef int64_t i, n_no = 0, n_yes = 0, n_node = item.end - item.start, start = item.start
    cdef int8_t answer
    cdef double weight
    for i in range(n_node):
        answer = nodes.answer[i]
        if answer != 0:
            nodes.scratch_rows[n_yes] = nodes.rows[start + i]
            if not whole:
                weight = nodes.weights[start + i]
                nodes.scratch_weights[n_yes] = weight * share if answer < 0 else weight
            n_yes += 1
        if answer != 1:
            nodes.rows[start + n_no] = nodes.rows[start + i]
            if not whole:
                weight = nodes.weights[start + i]
                nodes.weights[start + n_no] = weight * (1.0 - share) if answer < 0 else weight
            n_no += 1
    if <int64_t>nodes.rows.size() < start + n_no + n_yes:
        nodes.rows.resize(2 * (start + n_no + n_yes))
        nodes.weights.resize(nodes.rows.size())
    for i in range(n_yes):
        nodes.rows[start + n_no + i] = nodes.scratch_rows[i]
        if not whole:
            nodes.weights[start + n_no + i] = nodes.scratch_weights[i]
    no.start = start
    no.end = yes.start = start + n_no
    yes.end = start + n_no + n_yes


# ---------------------------------------------------------------------------------------------- roots and children


cdef void load_lanes(
    RowLanes* lanes, const Example* examples, const Labels* labels, const int32_t* rows, int64_t n_rows
) noexcept nogil:
    """Write the lanes of these rows."""
    cdef int64_t i
    cdef int32_t q
    cdef float weight
    cdef float* own
    for i in range(n_rows):
        weight = <float>examples[rows[i]].weight
        own = lanes.of_row.data() + <int64_t>rows[i] * lanes.width
        for q in range(lanes.width):
            own[q] = 0.0
        for q in range(examples[rows[i]].first, examples[rows[i]].last):
            own[labels.index[q]] = weight
        own[lanes.width - 1] = weight


cdef void push_root(GrowerMemory* memory, const double* weights) noexcept nogil:
    """Put the root on the stack: all rows of a positive weight."""
    cdef const Data* data = &memory.data
    cdef Facts* facts = &memory.data.facts
    cdef PendingNodes* nodes = &memory.nodes
    cdef Example* examples = memory.sums.example.data()
    cdef RowLanes* lanes = &memory.sums.lanes
    cdef Pending root
    cdef int32_t row, j
    cdef int64_t n_rows = 0
    cdef double total = 0.0
    facts.heaviest = 0.0
    facts.whole = facts.complete
    for row in range(data.columns.n_rows):
        examples[row].weight = weights[row] if weights[row] > 0.0 else 0.0
        nodes.stamp[row] = -1
        if weights[row] > 0.0:
            nodes.rows[n_rows] = row
            nodes.weights[n_rows] = weights[row]
            facts.whole = facts.whole and weights[row] == <double><int32_t>weights[row]
            facts.heaviest = max(facts.heaviest, weights[row])
            total += weights[row]
            n_rows += 1
    facts.exact_floats = (
        facts.whole and total <= LARGEST_COUNT and facts.largest_weight * total * total < LARGEST_PRODUCT
    )
    lanes.width = lanes.most if facts.exact_floats and not fits_bits(&memory.bits, data, n_rows) else 0
    if lanes.width > 0:
        load_lanes(lanes, examples, &data.labels, nodes.rows.data(), n_rows)
    if memory.orders.stride > 0:
        order_root(&memory.orders, &memory.sorted, &data.columns, nodes.rows.data(), n_rows)
    forget_pairs(&memory.pairs)
    nodes.label.clear()
    nodes.count.clear()
    root.start = 0
    root.end = n_rows
    root.depth = 0
    root.parent = root.table = -1
    root.runs_start = -1
    root.runs_end = root.ordered_end = 0
    root.is_yes = False
    root.weight = count_rows(nodes, examples, facts.whole, &data.labels, 0, n_rows)
    root.counts_start = 0
    for j in range(data.labels.n_labels):
        if nodes.child_count[j] != 0.0:
            nodes.label.push_back(j)
            nodes.count.push_back(nodes.child_count[j])
            nodes.child_count[j] = 0.0
    root.counts_end = <int64_t>nodes.label.size()
    nodes.stack.push_back(root)


cdef double push_children(GrowerMemory* memory, const Pending* item, int32_t node) noexcept nogil:
    """Divide the node as nodes.answer says and put its children on the stack, "yes" on top.

    Returns the "yes" share of the known weight.
    """
    cdef const Data* data = &memory.data
    cdef Pending no, yes
    cdef int64_t n_no, n_yes
    cdef PendingNodes* nodes = &memory.nodes
    cdef const Example* examples = memory.sums.example.data()
    cdef Entry* scratch = memory.sorted.scratch.data()
    cdef bint whole = data.facts.whole
    cdef double share = 0.0 if whole else known_share(nodes, examples, item)
    if memory.orders.stride > 0:
        part_orders(&memory.orders, nodes, scratch, item, data.facts.complete)
    divide(nodes, whole, share, item, &no, &yes)
    n_no = no.end - no.start
    n_yes = yes.end - yes.start
    count_children(nodes, examples, whole, &data.labels, item, &no, &yes)
    if whole:
        share = yes.weight / item.weight
    no.depth = yes.depth = item.depth + 1
    no.parent = yes.parent = node
    no.is_yes = False
    yes.is_yes = True
    no.table = yes.table = -1
    no.runs_start = yes.runs_start = -1
    no.runs_end = yes.runs_end = <int64_t>memory.lists.runs.size()
    no.ordered_end = yes.ordered_end = item.ordered_end
    if item.runs_start >= 0:
        hand_on(&memory.lists, scratch, nodes.stamp.data(), examples, nodes.rows.data(), &data.options, item, &no, &yes)
    if item.table >= 0:
        if n_yes <= n_no:
            no.table = pass_table(&memory.tables, data, &memory.sums, nodes, item, &yes, &no)
        else:
            yes.table = pass_table(&memory.tables, data, &memory.sums, nodes, item, &no, &yes)
    nodes.stack.push_back(no)
    nodes.stack.push_back(yes)
    return share
