"""The nodes that are still to be grown: their rows, label counts and inherited orders, and how one is divided."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Entry, Labels, code_at
from mlsieve._kernels.trees.fast.bit_subtrees cimport fits_bits
from mlsieve._kernels.trees.fast.count_tables cimport pass_table
from mlsieve._kernels.trees.fast.inherited_lists cimport hand_on
from mlsieve._kernels.trees.fast.row_pairs cimport fits_pairs, pair_rows
from mlsieve._kernels.trees.fast.shared_labels cimport list_shared
from mlsieve._kernels.trees.node.gains cimport RELATIVE_TIE, Split, Totals
from mlsieve._kernels.trees.node.node_rows cimport Example, Pending
from mlsieve._kernels.trees.node.sorted_rows cimport known_rows, part_both, part_entries
from mlsieve._kernels.trees.node.work cimport Work

cdef double LARGEST_COUNT = 16777216.0  # single precision counts so far
cdef double LARGEST_PRODUCT = 1e36      # and adds some of these up


# ---------------------------------------------------------------------------------------------- the counts of a node


cdef double load_counts(
    Work* work, const Labels* labels, const Pending* item, bint x_known, Totals* totals
) noexcept nogil:
    """Take up the node's label counts; return its impurity times its weight, or 0 if that is a rounding error."""
    cdef int64_t t
    cdef int32_t j
    cdef double mass = 0.0, impurity        # mass: sum_j w_j C_j
    for j in range(work.width):
        work.wC[j] = 0.0
        work.mean[j] = 0.0
    work.touched.assign(
        work.node_label.begin() + item.counts_start, work.node_label.begin() + item.counts_end
    )
    totals.n = item.weight
    totals.B = 0.0
    for t in range(item.counts_start, item.counts_end):
        j = work.node_label[t]
        work.wC[j] = labels.weight[j] * work.node_count[t]
        totals.B += work.wC[j] * work.node_count[t]
        mass += work.wC[j]
        if work.width > 0:
            work.mean[j] = <float>(work.node_count[t] / item.weight)
    totals.wC = work.wC.data()
    totals.x_known = x_known
    totals.tie = RELATIVE_TIE * mass
    impurity = mass - totals.B / totals.n - totals.tie
    return impurity if impurity > 0.0 else 0.0


cdef void load_examples(Work* work, const Labels* labels, const Pending* item, bint x_known) noexcept nogil:
    """Take up the examples' weights, and their x and shared labels if judges will ask for them often enough."""
    cdef int64_t i
    cdef int32_t q
    cdef double x
    cdef Example* example
    if not work.whole:
        for i in range(item.start, item.end):
            work.example[work.rows[i]].weight = work.weights[i]
    work.paired = x_known and fits_pairs(work, item.end - item.start)
    if work.paired:
        pair_rows(work, labels, item)
        return
    work.pairs_depth = 2147483647        # no node below this one is below the last small one
    if x_known and work.may_share:
        list_shared(work, labels, item)
    elif x_known:
        for i in range(item.start, item.end):
            example = &work.example[work.rows[i]]
            x = 0.0
            for q in range(example.first, example.last):
                x += work.wC[labels.index[q]]
            example.x = x


cdef void gather_lanes(Work* work, const Pending* item) noexcept nogil:
    """Copy the lanes of the node's rows next to each other."""
    cdef int64_t i
    cdef int32_t j
    cdef const float* own
    cdef float* near = work.near_lanes.data()
    for i in range(item.start, item.end):
        own = work.lanes.data() + <int64_t>work.rows[i] * work.width
        for j in range(work.width):
            near[j] = own[j]
        near += work.width


cdef double count_rows(Work* work, const Labels* labels, int64_t start, int64_t end) noexcept nogil:
    """Add the label counts of some places to work.child_count; return their weight."""
    cdef int64_t i
    cdef int32_t q
    cdef double weight, total = 0.0
    cdef const Example* example
    for i in range(start, end):
        example = &work.example[work.rows[i]]
        weight = example.weight if work.whole else work.weights[i]
        total += weight
        for q in range(example.first, example.last):
            work.child_count[labels.index[q]] += weight
    return total


cdef void take_counts(Work* work, const Pending* parent, bint complement, bint clear, Pending* child) noexcept nogil:
    """Push the counts of work.child_count, or what the parent has besides them, as the child's, but for zeros."""
    cdef int64_t t
    cdef int32_t j
    cdef double count
    child.counts_start = <int64_t>work.node_label.size()
    for t in range(parent.counts_start, parent.counts_end):
        j = work.node_label[t]
        count = work.child_count[j]
        if complement:
            count = work.node_count[t] - count
        if count != 0.0:
            work.node_label.push_back(j)
            work.node_count.push_back(count)
        if clear:
            work.child_count[j] = 0.0
    child.counts_end = <int64_t>work.node_label.size()


cdef void count_children(
    Work* work, const Labels* labels, const Pending* parent, Pending* no, Pending* yes
) noexcept nogil:
    """Count the labels of both children; if weights are whole numbers, the larger one's are what the other leaves."""
    cdef bint no_is_smaller = no.end - no.start <= yes.end - yes.start
    if not work.whole:
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
    """Put each row's answer into work.answer: 1 yes, 0 no, -1 missing."""
    cdef int64_t i, q, n_node = item.end - item.start
    cdef int32_t feature = split.feature, code, slot = columns.dense_slot[feature]
    cdef const int32_t* rows = work.rows.data() + item.start
    cdef const int32_t* codes
    cdef bint rest
    if slot >= 0:
        codes = columns.codes + <int64_t>slot * columns.n_rows
        for i in range(n_node):
            code = codes[rows[i]]
            if code < 0:
                work.answer[i] = -1
            else:
                work.answer[i] = work.in_subset[code] != 0 if split.nominal else code > split.code
    elif columns.column_start[feature + 1] - columns.column_start[feature] < 2 * n_node:
        for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
            work.stamp[columns.column_row[q]] = -2 - (columns.column_code[q] > split.code)
        rest = columns.rest_code[feature] > split.code
        for i in range(n_node):
            work.answer[i] = -2 - work.stamp[rows[i]] if work.stamp[rows[i]] < -1 else rest
        for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
            work.stamp[columns.column_row[q]] = -1
    else:
        for i in range(n_node):
            work.answer[i] = code_at(columns, rows[i], feature) > split.code


cdef double known_share(const Work* work, const Pending* item) noexcept nogil:
    """Share of the known weight that answers "yes"."""
    cdef int64_t i
    cdef double known = 0.0, yes = 0.0, weight
    for i in range(item.end - item.start):
        if work.answer[i] < 0:
            continue
        weight = work.example[work.rows[item.start + i]].weight
        known += weight
        if work.answer[i]:
            yes += weight
    return yes / known


cdef void divide(Work* work, double share, const Pending* item, Pending* no, Pending* yes) noexcept nogil:
    """Reorder the node's segment into "no" then "yes"; missing examples go down both with a share of their weight."""
    cdef int64_t i, n_no = 0, n_yes = 0, n_node = item.end - item.start, start = item.start
    cdef int8_t answer
    cdef double weight
    for i in range(n_node):
        answer = work.answer[i]
        if answer != 0:
            work.scratch_rows[n_yes] = work.rows[start + i]
            if not work.whole:
                weight = work.weights[start + i]
                work.scratch_weights[n_yes] = weight * share if answer < 0 else weight
            n_yes += 1
        if answer != 1:
            work.rows[start + n_no] = work.rows[start + i]
            if not work.whole:
                weight = work.weights[start + i]
                work.weights[start + n_no] = weight * (1.0 - share) if answer < 0 else weight
            n_no += 1
    if <int64_t>work.rows.size() < start + n_no + n_yes:
        work.rows.resize(2 * (start + n_no + n_yes))
        work.weights.resize(work.rows.size())
    for i in range(n_yes):
        work.rows[start + n_no + i] = work.scratch_rows[i]
        if not work.whole:
            work.weights[start + n_no + i] = work.scratch_weights[i]
    no.start = start
    no.end = yes.start = start + n_no
    yes.end = start + n_no + n_yes


# ---------------------------------------------------------------------------------------------- orders


cdef void inherit_root(Work* work, const Columns* columns, int64_t n_rows) noexcept nogil:
    """Put the root's rows of all dense features into order, for its descendants to inherit."""
    cdef int64_t i
    cdef int32_t feature
    cdef Entry* entries
    for feature in range(columns.n_features):
        if columns.dense_slot[feature] < 0:
            continue
        entries = work.inherited.data() + <int64_t>columns.dense_slot[feature] * work.order_stride
        if known_rows(work, columns, feature, work.rows.data(), n_rows, True, False) < 0:
            for i in range(n_rows):      # they agree: any order will do
                entries[i].row = work.rows[i]
                entries[i].code = 0
        else:
            for i in range(n_rows):
                entries[i] = work.sorted[i]


cdef void widen_orders(Work* work, int64_t used, int64_t needed) noexcept nogil:
    """Make room for longer segments; `used` entries of each order are kept."""
    cdef vector[Entry] wider
    cdef int64_t slot, i, stride = work.order_stride, n_slots = <int64_t>work.inherited.size() // stride
    wider.resize(n_slots * 2 * needed)
    for slot in range(n_slots):
        for i in range(used):
            wider[slot * 2 * needed + i] = work.inherited[slot * stride + i]
    work.inherited.swap(wider)
    work.order_stride = 2 * needed


cdef void inherit(Work* work, const Pending* item) noexcept nogil:
    """Part every dense feature's order as the node's rows will be: "no" then "yes", each still in order."""
    cdef int64_t slot, i, n_yes, n_both = 0, n_node = item.end - item.start
    cdef Entry* entries
    for i in range(n_node if not work.complete else 0):
        n_both += work.answer[i] < 0
    if item.end + n_both > work.order_stride:
        widen_orders(work, item.end, item.end + n_both)
    for i in range(n_node):
        work.stamp[work.rows[item.start + i]] = work.answer[i] if n_both == 0 else (
            3 if work.answer[i] < 0 else 1 + work.answer[i]
        )
    for slot in range(<int64_t>work.inherited.size() // work.order_stride):
        entries = work.inherited.data() + slot * work.order_stride + item.start
        if n_both == 0:
            part_entries(entries, n_node, work.stamp.data(), work.scratch.data())
        else:
            part_both(entries, n_node, work.stamp.data(), work.scratch.data(), &n_yes)
    for i in range(n_node):
        work.stamp[work.rows[item.start + i]] = -1


# ---------------------------------------------------------------------------------------------- roots and children


cdef void load_lanes(Work* work, const Columns* columns, const Labels* labels, int64_t n_rows) noexcept nogil:
    """Write the lanes of the first n_rows rows, if the weights are whole numbers: they fit single precision."""
    cdef int64_t i
    cdef int32_t row, q
    cdef float weight
    cdef float* lanes
    work.width = work.most_lanes if work.exact_floats and not fits_bits(work, columns, n_rows) else 0
    if work.width == 0:
        return
    for i in range(n_rows):
        row = work.rows[i]
        weight = <float>work.example[row].weight
        lanes = work.lanes.data() + <int64_t>row * work.width
        for q in range(work.width):
            lanes[q] = 0.0
        for q in range(work.example[row].first, work.example[row].last):
            lanes[labels.index[q]] = weight
        lanes[work.width - 1] = weight


cdef void push_root(
    Work* work, const Columns* columns, const Labels* labels, const double* weights
) noexcept nogil:
    """Put the root on the stack: all rows of a positive weight."""
    cdef Pending root
    cdef int32_t row, j
    cdef int64_t n_rows = 0
    cdef double total = 0.0
    work.heaviest = 0.0
    work.pairs_depth = 2147483647
    work.whole = work.complete
    for row in range(columns.n_rows):
        if weights[row] > 0.0:
            work.rows[n_rows] = row
            work.weights[n_rows] = weights[row]
            work.example[row].weight = weights[row]
            work.whole = work.whole and weights[row] == <double><int32_t>weights[row]
            work.heaviest = max(work.heaviest, weights[row])
            total += weights[row]
            n_rows += 1
        else:
            work.example[row].weight = 0.0
        work.stamp[row] = -1
    work.exact_floats = work.whole and total <= LARGEST_COUNT and work.largest_weight * total * total < LARGEST_PRODUCT
    load_lanes(work, columns, labels, n_rows)
    work.inherits = work.order_stride > 0
    if work.inherits:
        inherit_root(work, columns, n_rows)
    work.node_label.clear()
    work.node_count.clear()
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
        if work.child_count[j] != 0.0:
            work.node_label.push_back(j)
            work.node_count.push_back(work.child_count[j])
            work.child_count[j] = 0.0
    root.counts_end = <int64_t>work.node_label.size()
    work.stack.push_back(root)


cdef double push_children(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Pending* item, int32_t node
) noexcept nogil:
    """Divide the node as work.answer says and put its children on the stack, "yes" on top.

    Returns the "yes" share of the known weight.
    """
    cdef Pending no, yes
    cdef int64_t n_no, n_yes
    cdef double share = 0.0 if work.whole else known_share(work, item)
    if work.inherits:
        inherit(work, item)
    divide(work, share, item, &no, &yes)
    n_no = no.end - no.start
    n_yes = yes.end - yes.start
    count_children(work, labels, item, &no, &yes)
    if work.whole:
        share = yes.weight / item.weight
    no.depth = yes.depth = item.depth + 1
    no.parent = yes.parent = node
    no.is_yes = False
    yes.is_yes = True
    no.table = yes.table = -1
    no.runs_start = yes.runs_start = -1
    no.runs_end = yes.runs_end = <int64_t>work.runs.size()
    no.ordered_end = yes.ordered_end = item.ordered_end
    if item.runs_start >= 0:
        hand_on(work, options, item, &no, &yes)
    if item.table >= 0:
        if n_yes <= n_no:
            no.table = pass_table(work, columns, labels, options, item, &yes, &no)
        else:
            yes.table = pass_table(work, columns, labels, options, item, &no, &yes)
    work.stack.push_back(no)
    work.stack.push_back(yes)
    return share
