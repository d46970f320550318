# cython: language_level=3
# distutils: language = c++
"""Growing one predictive clustering tree; the search for a test is in _splits."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort

from mlsieve._kernels._convert cimport as_double_array, as_int_array, as_long_array, columns_of
from mlsieve._kernels._rng cimport below, make_key, uniform
from mlsieve._kernels._splits cimport (
    Options, Pending, Split, Totals, Work, clear, gather_column, judge_dense, judge_sparse, list_sparse
)
from mlsieve._kernels._typedefs cimport (
    BOOTSTRAP, CANDIDATES, SUBSET, THRESHOLD, Columns, Labels, Tree, code_at
)

import numpy as np

cdef double MIN_GAIN = 1e-9        # CLUS: a test must gain more than this
cdef double LEAF_SLACK = 1e-9      # fractional weights add up to a whole number only up to rounding
cdef double RELATIVE_TIE = 1e-10   # gains closer than this share of the node's label mass count as equal


# ---------------------------------------------------------------------------------------------- one node


cdef void draw_candidates(Work* work, int32_t n_features, int32_t n_candidates, uint64_t key, int32_t node) noexcept nogil:
    """Sample features without replacement (partial Fisher-Yates, undone afterwards), in data order."""
    cdef int32_t i, other, held
    work.candidates.resize(n_candidates)
    for i in range(n_candidates):
        other = i + <int32_t>below(key, node, i, n_features - i)
        work.swapped[i] = other
        held = work.permutation[i]
        work.permutation[i] = work.permutation[other]
        work.permutation[other] = held
        work.candidates[i] = work.permutation[i]
    i = n_candidates - 1
    while i >= 0:
        other = work.swapped[i]
        held = work.permutation[i]
        work.permutation[i] = work.permutation[other]
        work.permutation[other] = held
        i -= 1
    sort(work.candidates.begin(), work.candidates.end())


cdef void find_split(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    int64_t start, int64_t n_node, uint64_t seed, uint64_t tree, int32_t node, Split* best
) noexcept nogil:
    cdef uint64_t threshold_key = make_key(seed, tree, THRESHOLD), subset_key = make_key(seed, tree, SUBSET)
    cdef int64_t i, q, k, by_row = 0, by_column = 0
    cdef size_t s
    cdef int32_t feature, n_lists = 0
    cdef bint walk_rows
    if options.n_candidates < columns.n_features:
        draw_candidates(work, columns.n_features, options.n_candidates, make_key(seed, tree, CANDIDATES), node)
    # Sparse features: walk the node's rows or the sampled columns, whichever holds fewer non-zeros.
    for s in range(work.candidates.size()):
        feature = work.candidates[s]
        if columns.dense_slot[feature] < 0:
            by_column += columns.column_start[feature + 1] - columns.column_start[feature]
            n_lists += 1
    walk_rows = False
    if n_lists > 0:
        for i in range(n_node):
            by_row += columns.row_start[work.rows[start + i] + 1] - columns.row_start[work.rows[start + i]]
            if 2 * by_row > by_column:
                break
        walk_rows = 2 * by_row <= by_column
    if walk_rows:
        n_lists = 0
        for s in range(work.candidates.size()):
            feature = work.candidates[s]
            if columns.dense_slot[feature] < 0:
                work.list_of[feature] = n_lists
                n_lists += 1
        list_sparse(work, columns, start, n_node, n_lists)
    for s in range(work.candidates.size()):
        feature = work.candidates[s]
        if columns.dense_slot[feature] >= 0:
            judge_dense(
                work, columns, labels, options, totals, start, n_node, feature, threshold_key, subset_key, node, best
            )
            continue
        if walk_rows:
            k = 0
            for q in range(work.list_start[work.list_of[feature]], work.list_start[work.list_of[feature] + 1]):
                work.sorted_position[k] = work.list_position[q]
                work.sorted_code[k] = work.list_code[q]
                k += 1
            work.list_of[feature] = -1
        else:
            k = gather_column(work, columns, feature)
        judge_sparse(work, columns, labels, options, totals, start, n_node, k, feature, threshold_key, node, best)


cdef void count_labels(
    Work* work, const Labels* labels, int64_t start, int64_t n_node, Totals* totals, double* mass
) noexcept nogil:
    """Label counts of a node; `mass` becomes A = sum_j w_j C_j."""
    cdef int64_t i, q
    cdef size_t t
    cdef int32_t j, row
    cdef double w
    work.touched.clear()
    totals.n = 0.0
    for i in range(n_node):
        row = work.rows[start + i]
        w = work.weights[start + i]
        totals.n += w
        for q in range(labels.start[row], labels.start[row + 1]):
            j = labels.index[q]
            if work.count[j] == 0.0:
                work.touched.push_back(j)
            work.count[j] += w
    sort(work.touched.begin(), work.touched.end())
    totals.B = 0.0
    mass[0] = 0.0
    for t in range(work.touched.size()):
        j = work.touched[t]
        work.wC[j] = labels.weight[j] * work.count[j]
        totals.B += work.wC[j] * work.count[j]
        mass[0] += work.wC[j]
    totals.wC = work.wC.data()
    totals.tie = RELATIVE_TIE * mass[0]


cdef void code_node(Work* work, const Columns* columns, int32_t feature, int64_t start, int64_t n_node) noexcept nogil:
    """Write the feature's code for each place of the node into work.node_code (-1: missing)."""
    cdef int64_t i
    for i in range(n_node):
        work.node_code[i] = code_at(columns, work.rows[start + i], feature)


cdef inline bint answers_yes(const Work* work, const Split* split, int32_t code) noexcept nogil:
    if split.nominal:
        return work.in_subset[code] != 0
    return code > split.code


cdef double divide(Work* work, const Split* split, int64_t start, int64_t n_node, int64_t* n_no, int64_t* n_yes) noexcept nogil:
    """Reorder the node's segment into "no" then "yes"; missing examples go down both with a share of their weight.

    Returns the "yes" share of the known weight.
    """
    cdef int64_t i
    cdef int32_t code
    cdef bint yes
    cdef double known = 0.0, known_yes = 0.0, share
    for i in range(n_node):
        code = work.node_code[i]
        if code < 0:
            continue
        known += work.weights[start + i]
        if answers_yes(work, split, code):
            known_yes += work.weights[start + i]
    share = known_yes / known
    n_no[0] = 0
    n_yes[0] = 0
    for i in range(n_node):
        code = work.node_code[i]
        yes = code >= 0 and answers_yes(work, split, code)
        if code < 0 or yes:
            work.scratch_rows[n_yes[0]] = work.rows[start + i]
            work.scratch_weights[n_yes[0]] = work.weights[start + i] * (share if code < 0 else 1.0)
            n_yes[0] += 1
        if code < 0 or not yes:
            work.rows[start + n_no[0]] = work.rows[start + i]
            work.weights[start + n_no[0]] = work.weights[start + i] * (1.0 - share if code < 0 else 1.0)
            n_no[0] += 1
    if <int64_t>work.rows.size() < start + n_no[0] + n_yes[0]:
        work.rows.resize(2 * (start + n_no[0] + n_yes[0]))
        work.weights.resize(2 * (start + n_no[0] + n_yes[0]))
    for i in range(n_yes[0]):
        work.rows[start + n_no[0] + i] = work.scratch_rows[i]
        work.weights[start + n_no[0] + i] = work.scratch_weights[i]
    return share


cdef double report_threshold(const Columns* columns, const Options* options, const Split* split) noexcept nogil:
    """The threshold in the feature's own unit: "yes" is x > threshold."""
    cdef const double* values = columns.values + columns.value_start[split.feature]
    cdef double middle
    if split.nominal:
        return 0.0
    if options.random_tests:
        return split.threshold
    if not options.midpoint:
        return values[split.code]
    middle = 0.5 * values[split.code] + 0.5 * values[split.upper_code]
    return values[split.code] if middle >= values[split.upper_code] else middle


cdef void append_node(Tree* grown, int32_t depth, double weight) noexcept nogil:
    grown.feature.push_back(-1)
    grown.yes.push_back(-1)
    grown.no.push_back(-1)
    grown.depth.push_back(depth)
    grown.code.push_back(-1)
    grown.threshold.push_back(0.0)
    grown.gain.push_back(0.0)
    grown.weight.push_back(weight)
    grown.yes_share.push_back(0.0)


cdef void close_node(Work* work, Tree* grown, bint leaf) noexcept nogil:
    """End the node's entry in the ragged arrays; a leaf keeps its label counts."""
    cdef size_t t
    if leaf:
        for t in range(work.touched.size()):
            grown.leaf_label.push_back(work.touched[t])
            grown.leaf_count.push_back(work.count[work.touched[t]])
    grown.leaf_start.push_back(<int64_t>grown.leaf_label.size())
    grown.subset_start.push_back(<int64_t>grown.subset.size())


cdef void grow(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, int64_t n_examples,
    uint64_t seed, uint64_t tree, Tree* grown
) noexcept nogil:
    """Grow the tree over the first n_examples entries of work.rows."""
    cdef Pending item
    cdef Totals totals
    cdef Split best
    cdef int64_t i, n_node, n_no, n_yes
    cdef int32_t node
    cdef size_t t
    cdef double mass
    item.start = 0
    item.end = n_examples
    item.depth = 0
    item.parent = -1
    item.is_yes = False
    work.stack.push_back(item)
    grown.leaf_start.push_back(0)
    grown.subset_start.push_back(0)
    while work.stack.size() > 0:
        item = work.stack.back()
        work.stack.pop_back()
        n_node = item.end - item.start
        node = <int32_t>grown.feature.size()
        if item.parent >= 0:
            if item.is_yes:
                grown.yes[item.parent] = node
            else:
                grown.no[item.parent] = node
        count_labels(work, labels, item.start, n_node, &totals, &mass)
        append_node(grown, item.depth, totals.n)
        best.feature = -1
        best.gain = MIN_GAIN
        best.nominal = False
        best.threshold = 0.0
        if totals.n >= 2.0 * options.min_leaf and mass - totals.B / totals.n > MIN_GAIN + totals.tie:
            for i in range(n_node):
                work.position[work.rows[item.start + i]] = <int32_t>i
            find_split(work, columns, labels, options, &totals, item.start, n_node, seed, tree, node, &best)
            for i in range(n_node):
                work.position[work.rows[item.start + i]] = -1
        if best.feature >= 0:
            grown.feature[node] = best.feature
            grown.code[node] = best.code
            grown.gain[node] = best.gain
            grown.threshold[node] = report_threshold(columns, options, &best)
            if best.nominal:
                for i in range(columns.n_categories[best.feature]):
                    work.in_subset[i] = 0
                sort(work.best_subset.begin(), work.best_subset.end())
                for t in range(work.best_subset.size()):
                    work.in_subset[work.best_subset[t]] = 1
                    grown.subset.push_back(work.best_subset[t])
            code_node(work, columns, best.feature, item.start, n_node)
            grown.yes_share[node] = divide(work, &best, item.start, n_node, &n_no, &n_yes)
        close_node(work, grown, best.feature < 0)
        for t in range(work.touched.size()):
            work.count[work.touched[t]] = 0.0
        if best.feature >= 0:
            item.parent = node
            item.depth += 1
            item.is_yes = False
            item.end = item.start + n_no
            work.stack.push_back(item)
            item.is_yes = True
            item.start = item.end
            item.end = item.start + n_yes
            work.stack.push_back(item)


def bootstrap_counts(uint64_t seed, uint64_t tree, int32_t n):
    """How often each of n rows is drawn for a tree.

    Parameters
    ----------
    seed, tree : int
        Key of the draws.
    n : int
        Number of rows and of draws.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    counts = np.zeros(n, dtype=np.int32)
    cdef int32_t[::1] view = counts
    cdef uint64_t key = make_key(seed, tree, BOOTSTRAP)
    cdef int32_t i
    for i in range(n):
        view[<int32_t>below(key, i, 0, n)] += 1
    return counts


def random_number(uint64_t seed, uint64_t tree, uint64_t stream, uint64_t first, uint64_t second):
    """The kernels' uniform random number in [0, 1) for these counters (for tests and twins)."""
    return uniform(make_key(seed, tree, stream), first, second)


def grow_tree(
    object store,
    const int64_t[::1] label_start,
    const int32_t[::1] label_index,
    const double[::1] label_weight,
    const double[::1] example_weight,
    *,
    int32_t n_candidates,
    double min_leaf,
    bint random_tests,
    bint midpoint,
    uint64_t seed,
    uint64_t tree,
):
    """Grow one tree.

    Parameters
    ----------
    store : ColumnStore
        The features, coded once an ensemble.
    label_start, label_index : ndarray of int64, shape (n + 1,), and of int32
        Positive labels of each row (CSR).
    label_weight : ndarray of float64, shape (L,)
        w_j of the impurity: 1 / Var_train(y_j) for MLC, 0 for a label that is constant on the training set.
    example_weight : ndarray of float64, shape (n,)
        Weight of each row (bootstrap multiplicity); rows of weight 0 are not seen.
    n_candidates : int
        Features tried in a node, 1 .. F; drawn without replacement.
    min_leaf : float
        Least weight of a child's examples, >= 1.
    random_tests : bool
        Extra trees: one random test a feature instead of the best one.
    midpoint : bool
        Thresholds half-way between neighbouring values instead of the largest value on the "no" side.
    seed, tree : int
        Key of all random draws.

    Returns
    -------
    dict of ndarray
        One entry a node in preorder, "yes" before "no": feature (-1 at a leaf), yes, no, depth, threshold, gain (h),
        weight, yes_share, code; ragged: subset_start, subset; leaf_start, leaf_label, leaf_count.
    """
    cdef Columns columns = columns_of(store)
    cdef Labels labels
    cdef Options options
    cdef int32_t n = columns.n_rows, i, n_labels = <int32_t>label_weight.shape[0], widest = 2
    cdef int64_t n_examples = 0
    if label_start.shape[0] != n + 1 or example_weight.shape[0] != n:
        raise ValueError("labels and weights must have one entry a row of the store")
    labels.n_labels = n_labels
    labels.start = &label_start[0]
    labels.index = &label_index[0] if label_index.shape[0] else NULL
    labels.weight = &label_weight[0] if n_labels else NULL
    options.n_candidates = min(n_candidates, columns.n_features)
    options.min_leaf = min_leaf * (1.0 - LEAF_SLACK)
    options.random_tests = random_tests
    options.midpoint = midpoint
    for i in range(columns.n_features):
        widest = max(widest, columns.n_categories[i])
    cdef Work* work = new Work()
    cdef Tree* grown = new Tree()
    try:
        with nogil:
            work.rows.resize(n)
            work.weights.resize(n)
            for i in range(n):
                if example_weight[i] > 0.0:
                    work.rows[n_examples] = i
                    work.weights[n_examples] = example_weight[i]
                    n_examples += 1
            work.position.assign(n, -1)
            work.count.assign(n_labels, 0.0)
            work.wC.assign(n_labels, 0.0)
            work.known_count.assign(n_labels, 0.0)
            work.known_wC.assign(n_labels, 0.0)
            work.yes_count.assign(n_labels, 0.0)
            work.permutation.resize(columns.n_features)
            work.candidates.resize(columns.n_features)
            for i in range(columns.n_features):
                work.permutation[i] = i
                work.candidates[i] = i
            work.swapped.resize(columns.n_features)
            work.list_of.assign(columns.n_features, -1)
            work.list_start.resize(columns.n_features + 1)
            work.list_fill.resize(columns.n_features + 1)
            work.sorted_position.resize(n)
            work.sorted_code.resize(n)
            work.keys.resize(n)
            work.node_code.resize(n)
            work.scratch_rows.resize(n)
            work.scratch_weights.resize(n)
            work.in_subset.assign(widest, 0)
            work.value_of.resize(widest)
            work.value_start.resize(widest + 1)
            work.value_weight.resize(widest)
            grow(work, &columns, &labels, &options, n_examples, seed, tree, grown)
        return {
            "feature": as_int_array(&grown.feature),
            "yes": as_int_array(&grown.yes),
            "no": as_int_array(&grown.no),
            "depth": as_int_array(&grown.depth),
            "code": as_int_array(&grown.code),
            "threshold": as_double_array(&grown.threshold),
            "gain": as_double_array(&grown.gain),
            "weight": as_double_array(&grown.weight),
            "yes_share": as_double_array(&grown.yes_share),
            "subset_start": as_long_array(&grown.subset_start),
            "subset": as_int_array(&grown.subset),
            "leaf_start": as_long_array(&grown.leaf_start),
            "leaf_label": as_int_array(&grown.leaf_label),
            "leaf_count": as_double_array(&grown.leaf_count),
        }
    finally:
        del work
        del grown
