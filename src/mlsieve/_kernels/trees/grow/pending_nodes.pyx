"""The nodes that are still to be grown: their rows, label counts and inherited orders, and how one is divided."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Entry, Labels, code_at
from mlsieve._kernels.trees.fast.bit_subtrees cimport fits_bits
from mlsieve._kernels.trees.fast.count_tables cimport pass_table
from mlsieve._kernels.trees.fast.inherited_lists cimport hand_on
from mlsieve._kernels.trees.fast.inherited_orders cimport order_root, part_orders
from mlsieve._kernels.trees.fast.row_pairs cimport fits_pairs, forget_pairs, pair_rows
from mlsieve._kernels.trees.fast.shared_labels cimport list_shared
from mlsieve._kernels.trees.node.gains cimport RELATIVE_TIE, Split, Totals
from mlsieve._kernels.trees.node.node_rows cimport Example, Pending
from mlsieve._kernels.trees.node.work cimport Work

cdef double LARGEST_COUNT = 16777216.0  # single precision counts so far
cdef double LARGEST_PRODUCT = 1e36      # and adds some of these up


cdef int prepare_pending_nodes(PendingNodes* nodes, int32_t n_rows, int32_t n_labels) except -1 nogil:
    nodes.rows.resize(n_rows)
    nodes.weights.resize(n_rows)
    nodes.answer.resize(n_rows)
    nodes.stamp.resize(n_rows)
    nodes.scratch_rows.resize(n_rows)
    nodes.scratch_weights.resize(n_rows)
    nodes.child_count.assign(n_labels, 0.0)


# ---------------------------------------------------------------------------------------------- the counts of a node


cdef double load_counts(
    Work* work, const Labels* labels, const Pending* item, bint x_known, Totals* totals
) noexcept nogil:
    """Take up the node's label counts; return its impurity times its weight, or 0 if that is a rounding error."""
    cdef int64_t t
    cdef int32_t j
    cdef double mass = 0.0, impurity        # mass: sum_j w_j C_j
    for j in range(work.sums.lanes.width):
        work.sums.wC[j] = 0.0
        work.sums.lanes.mean[j] = 0.0
    work.sums.touched.assign(work.nodes.label.begin() + item.counts_start, work.nodes.label.begin() + item.counts_end)
    totals.n = item.weight
    totals.B = 0.0
    for t in range(item.counts_start, item.counts_end):
        j = work.nodes.label[t]
        work.sums.wC[j] = labels.weight[j] * work.nodes.count[t]
        totals.B += work.sums.wC[j] * work.nodes.count[t]
        mass += work.sums.wC[j]
        if work.sums.lanes.width > 0:
            work.sums.lanes.mean[j] = <float>(work.nodes.count[t] / item.weight)
    totals.wC = work.sums.wC.data()
    totals.x_known = x_known
    totals.tie = RELATIVE_TIE * mass
    impurity = mass - totals.B / totals.n - totals.tie
    return impurity if impurity > 0.0 else 0.0


cdef void load_examples(Work* work, const Labels* labels, const Pending* item, bint x_known) noexcept nogil:
    """Take up the examples' weights, and their x and shared labels if judges will ask for them often enough."""
    cdef int64_t i, n_node = item.end - item.start
    cdef const int32_t* rows = work.nodes.rows.data() + item.start
    cdef int32_t q
    cdef double x
    cdef Example* example
    if not work.facts.whole:
        for i in range(item.start, item.end):
            work.sums.example[work.nodes.rows[i]].weight = work.nodes.weights[i]
    work.pairs.at_hand = x_known and fits_pairs(&work.pairs, n_node)
    if work.pairs.at_hand:
        pair_rows(&work.pairs, work.sums.example.data(), labels, rows, n_node, item.depth)
        return
    forget_pairs(&work.pairs)            # no node below this one is below the last small one
    if x_known and work.shared.may_be_used:
        list_shared(&work.shared, &work.sums, labels, rows, n_node)
    elif x_known:
        for i in range(item.start, item.end):
            example = &work.sums.example[work.nodes.rows[i]]
            x = 0.0
            for q in range(example.first, example.last):
                x += work.sums.wC[labels.index[q]]
            example.x = x


cdef void gather_lanes(Work* work, const Pending* item) noexcept nogil:
    """Copy the lanes of the node's rows next to each other."""
    cdef int64_t i
    cdef int32_t j
    cdef const float* own
    cdef float* near = work.sums.lanes.of_place.data()
    for i in range(item.start, item.end):
        own = work.sums.lanes.of_row.data() + <int64_t>work.nodes.rows[i] * work.sums.lanes.width
        for j in range(work.sums.lanes.width):
            near[j] = own[j]
        near += work.sums.lanes.width


cdef double count_rows(Work* work, const Labels* labels, int64_t start, int64_t end) noexcept nogil:
    """Add the label counts of some places to work.nodes.child_count; return their weight."""
    cdef int64_t i
    cdef int32_t q
    cdef double weight, total = 0.0
    cdef const Example* example
    for i in range(start, end):
        example = &work.sums.example[work.nodes.rows[i]]
        weight = example.weight if work.facts.whole else work.nodes.weights[i]
        total += weight
        for q in range(example.first, example.last):
            work.nodes.child_count[labels.index[q]] += weight
    return total


cdef void take_counts(Work* work, const Pending* parent, bint complement, bint clear, Pending* child) noexcept nogil:
    """Push the counts of work.nodes.child_count, or what the parent has besides them, as the child's, but for zeros."""
    cdef int64_t t
    cdef int32_t j
    cdef double count
    child.counts_start = <int64_t>work.nodes.label.size()
    for t in range(parent.counts_start, parent.counts_end):
        j = work.nodes.label[t]
        count = work.nodes.child_count[j]
        if complement:
            count = work.nodes.count[t] - count
        if count != 0.0:
            work.nodes.label.push_back(j)
            work.nodes.count.push_back(count)
        if clear:
            work.nodes.child_count[j] = 0.0
    child.counts_end = <int64_t>work.nodes.label.size()


cdef void count_children(
    Work* work, const Labels* labels, const Pending* parent, Pending* no, Pending* yes
) noexcept nogil:
    """Count the labels of both children; if weights are whole numbers, the larger one's are what the other leaves."""
    cdef bint no_is_smaller = no.end - no.start <= yes.end - yes.start
    if not work.facts.whole:
        no.weight = count_rows(work, labels, no.start, no.end)
        take_counts(work, parent, False, True, no)
        yes.weight = count_rows(work, labels, yes.start, yes.end)
        take_counts(work, parent, False, True, yes)
        return
    if no_is_smaller:
        no.weight = count_rows(work, labels, no.start, no.end)
        yes.weight = parent.weight - no.weight
    else:
        yes.weight = count_rows(work, labels, yes.start, yes.end)
        no.weight = parent.weight - yes.weight
    take_counts(work, parent, not no_is_smaller, False, no)
    take_counts(work, parent, no_is_smaller, True, yes)


# ---------------------------------------------------------------------------------------------- dividing a node


cdef void ask(Work* work, const Columns* columns, const Split* split, const Pending* item) noexcept nogil:
    """Put each row's answer into work.nodes.answer: 1 yes, 0 no, -1 missing."""
    cdef int64_t i, q, n_node = item.end - item.start
    cdef int32_t feature = split.feature, code, slot = columns.dense_slot[feature]
    cdef const int32_t* rows = work.nodes.rows.data() + item.start
    cdef const int32_t* codes
    cdef bint rest
    if slot >= 0:
        codes = columns.codes + <int64_t>slot * columns.n_rows
        for i in range(n_node):
            code = codes[rows[i]]
            if code < 0:
                work.nodes.answer[i] = -1
            else:
                work.nodes.answer[i] = work.subsets.in_subset[code] != 0 if split.nominal else code > split.code
    elif columns.column_start[feature + 1] - columns.column_start[feature] < 2 * n_node:
        for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
            work.nodes.stamp[columns.column_row[q]] = -2 - (columns.column_code[q] > split.code)
        rest = columns.rest_code[feature] > split.code
        for i in range(n_node):
            work.nodes.answer[i] = -2 - work.nodes.stamp[rows[i]] if work.nodes.stamp[rows[i]] < -1 else rest
        for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
            work.nodes.stamp[columns.column_row[q]] = -1
    else:
        for i in range(n_node):
            work.nodes.answer[i] = code_at(columns, rows[i], feature) > split.code


cdef double known_share(const Work* work, const Pending* item) noexcept nogil:
    """Share of the known weight that answers "yes"."""
    cdef int64_t i
    cdef double known = 0.0, yes = 0.0, weight
    for i in range(item.end - item.start):
        if work.nodes.answer[i] < 0:
            continue
        weight = work.sums.example[work.nodes.rows[item.start + i]].weight
        known += weight
        if work.nodes.answer[i]:
            yes += weight
    return yes / known


cdef void divide(Work* work, double share, const Pending* item, Pending* no, Pending* yes) noexcept nogil:
    """Reorder the node's segment into "no" then "yes"; missing examples go down both with a share of their weight."""
    cdef int64_t i, n_no = 0, n_yes = 0, n_node = item.end - item.start, start = item.start
    cdef int8_t answer
    cdef double weight
    for i in range(n_node):
        answer = work.nodes.answer[i]
        if answer != 0:
            work.nodes.scratch_rows[n_yes] = work.nodes.rows[start + i]
            if not work.facts.whole:
                weight = work.nodes.weights[start + i]
                work.nodes.scratch_weights[n_yes] = weight * share if answer < 0 else weight
            n_yes += 1
        if answer != 1:
            work.nodes.rows[start + n_no] = work.nodes.rows[start + i]
            if not work.facts.whole:
                weight = work.nodes.weights[start + i]
                work.nodes.weights[start + n_no] = weight * (1.0 - share) if answer < 0 else weight
            n_no += 1
    if <int64_t>work.nodes.rows.size() < start + n_no + n_yes:
        work.nodes.rows.resize(2 * (start + n_no + n_yes))
        work.nodes.weights.resize(work.nodes.rows.size())
    for i in range(n_yes):
        work.nodes.rows[start + n_no + i] = work.nodes.scratch_rows[i]
        if not work.facts.whole:
            work.nodes.weights[start + n_no + i] = work.nodes.scratch_weights[i]
    no.start = start
    no.end = yes.start = start + n_no
    yes.end = start + n_no + n_yes


# ---------------------------------------------------------------------------------------------- roots and children


cdef void load_lanes(Work* work, const Columns* columns, const Labels* labels, int64_t n_rows) noexcept nogil:
    """Write the lanes of the first n_rows rows, if the weights are whole numbers: they fit single precision."""
    cdef int64_t i
    cdef int32_t row, q
    cdef float weight
    cdef float* lanes
    work.sums.lanes.width = work.sums.lanes.most if work.facts.exact_floats and not fits_bits(
        &work.bits, &work.facts, columns, n_rows
    ) else 0
    if work.sums.lanes.width == 0:
        return
    for i in range(n_rows):
        row = work.nodes.rows[i]
        weight = <float>work.sums.example[row].weight
        lanes = work.sums.lanes.of_row.data() + <int64_t>row * work.sums.lanes.width
        for q in range(work.sums.lanes.width):
            lanes[q] = 0.0
        for q in range(work.sums.example[row].first, work.sums.example[row].last):
            lanes[labels.index[q]] = weight
        lanes[work.sums.lanes.width - 1] = weight


cdef void push_root(Work* work, const Columns* columns, const Labels* labels, const double* weights) noexcept nogil:
    """Put the root on the stack: all rows of a positive weight."""
    cdef Pending root
    cdef int32_t row, j
    cdef int64_t n_rows = 0
    cdef double total = 0.0
    work.facts.heaviest = 0.0
    forget_pairs(&work.pairs)
    work.facts.whole = work.facts.complete
    for row in range(columns.n_rows):
        if weights[row] > 0.0:
            work.nodes.rows[n_rows] = row
            work.nodes.weights[n_rows] = weights[row]
            work.sums.example[row].weight = weights[row]
            work.facts.whole = work.facts.whole and weights[row] == <double><int32_t>weights[row]
            work.facts.heaviest = max(work.facts.heaviest, weights[row])
            total += weights[row]
            n_rows += 1
        else:
            work.sums.example[row].weight = 0.0
        work.nodes.stamp[row] = -1
    work.facts.exact_floats = work.facts.whole and total <= LARGEST_COUNT and work.facts.largest_weight * total * total < LARGEST_PRODUCT
    load_lanes(work, columns, labels, n_rows)
    if work.orders.stride > 0:
        order_root(&work.orders, &work.sorted, columns, work.nodes.rows.data(), n_rows)
    work.nodes.label.clear()
    work.nodes.count.clear()
    root.start = 0
    root.end = n_rows
    root.depth = 0
    root.parent = root.table = -1
    root.runs_start = -1
    root.runs_end = root.ordered_end = 0
    root.is_yes = False
    root.weight = count_rows(work, labels, 0, n_rows)
    root.counts_start = 0
    for j in range(labels.n_labels):
        if work.nodes.child_count[j] != 0.0:
            work.nodes.label.push_back(j)
            work.nodes.count.push_back(work.nodes.child_count[j])
            work.nodes.child_count[j] = 0.0
    root.counts_end = <int64_t>work.nodes.label.size()
    work.nodes.stack.push_back(root)


cdef double push_children(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Pending* item, int32_t node
) noexcept nogil:
    """Divide the node as work.nodes.answer says and put its children on the stack, "yes" on top.

    Returns the "yes" share of the known weight.
    """
    cdef Pending no, yes
    cdef int64_t n_no, n_yes
    cdef double share = 0.0 if work.facts.whole else known_share(work, item)
    if work.orders.stride > 0:
        part_orders(&work.orders, &work.nodes, work.sorted.scratch.data(), item, work.facts.complete)
    divide(work, share, item, &no, &yes)
    n_no = no.end - no.start
    n_yes = yes.end - yes.start
    count_children(work, labels, item, &no, &yes)
    if work.facts.whole:
        share = yes.weight / item.weight
    no.depth = yes.depth = item.depth + 1
    no.parent = yes.parent = node
    no.is_yes = False
    yes.is_yes = True
    no.table = yes.table = -1
    no.runs_start = yes.runs_start = -1
    no.runs_end = yes.runs_end = <int64_t>work.lists.runs.size()
    no.ordered_end = yes.ordered_end = item.ordered_end
    if item.runs_start >= 0:
        hand_on(
            &work.lists, work.sorted.scratch.data(), work.nodes.stamp.data(), work.sums.example.data(),
            work.nodes.rows.data(), options, item, &no, &yes
        )
    if item.table >= 0:
        if n_yes <= n_no:
            no.table = pass_table(
                &work.tables, &work.facts, &work.sums, &work.nodes, columns, labels, options, item, &yes, &no
            )
        else:
            yes.table = pass_table(
                &work.tables, &work.facts, &work.sums, &work.nodes, columns, labels, options, item, &no, &yes
            )
    work.nodes.stack.push_back(no)
    work.nodes.stack.push_back(yes)
    return share
