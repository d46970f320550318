"""The best test of a node.

Single precision finds the tests that are near the best one; if there are several, double precision decides among them.
Sums in single precision depend on the order of the rows in their last digits. They would decide between tests that divide
the rows alike, which are frequent.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport (
    Candidate, Growth, Lists, Node, Options, Tests, chunks, item_at, padded, threads_for
)
from mlsieve._kernels.common.label_vectors cimport (
    MAX_GAIN, MAX_SIGNED, SUM_ABS, SUM_GAIN, SUM_SIGNED, Doubles, Floats
)
from mlsieve._kernels.boosting.rows_of_sums cimport sum_rows
from mlsieve._kernels.boosting.split_scores cimport (
    COMMON_REST, FAINT, PRESENT, Chunk, Item, Judge, Near, Test, scan_column, scan_column_in_double
)
from mlsieve._kernels.common.tasks cimport run_tasks

cdef float NOTHING = -3.4e38
# The error of a score in single precision, as a share of `size_of`, grows with the root of the number of rows. This is some
# ten times what it usually is.
cdef float SHARE = 5e-7


cdef double label_score(int32_t score, double G, double H, double reg_lambda) noexcept nogil:
    if score == SUM_GAIN or score == MAX_GAIN:
        return G * G / (H + reg_lambda)
    if score == SUM_SIGNED or score == MAX_SIGNED:
        return -G / (H + reg_lambda)
    return fabs(G) / (H + reg_lambda)


cdef double node_score(
    const Judge* judge, const double* G, const double* H, const double* of_parent, int64_t n
) noexcept nogil:
    """The score of a node over the labels that count in it, 0 if none does; `of_parent`: hessians of the node above."""
    cdef int64_t j
    cdef double faint = FAINT if judge.in_double else -1.0
    cdef double total = 0.0, highest = 0.0, value
    cdef bint any_counts = False
    for j in range(n):
        if H[j] >= judge.least_hessian and H[j] > faint * of_parent[j]:  # as `judge` in split_scores has it
            value = label_score(judge.score, G[j], H[j], judge.reg_lambda)
            total += value
            if not any_counts or value > highest:
                highest = value
            any_counts = True
    if judge.score == SUM_GAIN or judge.score == SUM_SIGNED or judge.score == SUM_ABS:
        return total
    return highest


cdef struct View:
    # A column's items in a node, or its bins: what a scan goes through.
    const float* sums
    const Item* item
    int64_t n_items
    int64_t n_known                 # rows


cdef void filled_bins(const Node* node, const Lists* lists, int32_t c, Item* entry, View* view) noexcept nogil:
    """List the bins of a column that hold rows of a node."""
    cdef int32_t b
    view.sums = <const float*>node.histogram.data()
    view.item = entry
    view.n_items = view.n_known = 0
    for b in range(lists.bin_start[c], lists.bin_start[c + 1]):
        if node.counts[b] > 0:
            entry[view.n_items].place = b
            entry[view.n_items].code = lists.bin_code[b]
            view.n_items += 1
            view.n_known += node.counts[b]


cdef void items_of_bins(
    const Growth* growth, const Node* node, const Lists* lists, const int32_t* slot_of, int32_t c, vector[Item]* entry,
    View* view
) noexcept nogil:
    """List the items of a binned column that are rows of a node."""
    cdef int64_t i
    cdef Item item
    entry.clear()
    for i in range(lists.start[c], lists.end[c]):
        item = item_at(lists, i)
        item.place = slot_of[item.place]
        if item.place >= 0:
            entry.push_back(item)
    view.sums = <const float*>(growth.gradients.data() + node.block)
    view.item = entry.data()
    view.n_items = view.n_known = <int64_t>entry.size()


cdef void listed_items(const Growth* growth, const Node* node, int32_t c, View* view) noexcept nogil:
    """Find a listed column's items in a node."""
    cdef int32_t l = growth.n_listed[c]
    view.sums = <const float*>(growth.gradients.data() + node.block - node.first * chunks(node.n_lanes))  # of places
    view.item = growth.items.data() + node.start[l]
    view.n_items = view.n_known = node.end[l] - node.start[l]


cdef bint is_constant(const View* view, int64_t n_rows) noexcept nogil:
    """Whether a column does not divide a node's rows."""
    cdef int64_t n = view.n_items
    return n == 0 or (view.n_known == n_rows and view.item[0].code == view.item[n - 1].code)


cdef struct Search:
    const Growth* growth
    const Node* node
    const Lists* lists
    const Judge* judge
    const Options* options
    Tests* tests


cdef void search_columns(const Search* a, int32_t first, int32_t last, vector[Candidate]* candidates) noexcept nogil:
    """Find the columns, of some, with tests whose scores in single precision come near the best one."""
    cdef int32_t c, i, size = chunks(a.node.n_lanes)
    cdef int64_t n_rows = a.node.last - a.node.first
    cdef vector[Chunk] memory       # the totals, then room for two children
    cdef vector[Item] entry
    cdef float* total
    cdef Near near
    cdef View view
    cdef Candidate candidate
    candidates.clear()
    near.least = NOTHING
    near.share = SHARE * <float>sqrt(<double>max(n_rows, a.node.n_summed if a.lists.bin_code.size() > 0 else 0))
    memory.resize(3 * size)
    total = <float*>memory.data()
    for i in range(16 * size):
        total[i] = <float>a.node.totals[i]
    entry.resize(a.lists.bin_start[last] - a.lists.bin_start[first])
    for c in range(first, last):
        if a.options.column != NULL and not a.options.column[c]:
            continue
        if a.lists.bin_start[c + 1] > a.lists.bin_start[c]:
            filled_bins(a.node, a.lists, c, entry.data(), &view)
        else:
            listed_items(a.growth, a.node, c, &view)
        if is_constant(&view, n_rows):
            continue
        near.test.score = near.second = NOTHING
        scan_column(
            a.judge[0], view.sums, total, view.item, view.n_items, a.lists.rest_kind[c], a.lists.rest_code[c],
            n_rows - view.n_known, <Floats*>(memory.data() + size), &near
        )
        if near.test.score > NOTHING:
            candidate.column = c
            candidate.test = near.test
            candidate.second = near.second
            candidate.least = near.least
            candidates.push_back(candidate)


cdef void search_part(void* of, int32_t part) noexcept nogil:
    """Search a part of the columns."""
    cdef const Search* a = <const Search*>of
    cdef int64_t n = a.lists.n_columns
    search_columns(
        a, <int32_t>(n * part // a.tests.n_parts), <int32_t>(n * (part + 1) // a.tests.n_parts),
        &a.tests.candidates[part]
    )


cdef int64_t keep_the_nearest(Tests* tests) noexcept nogil:
    """Keep the columns with tests near the best one of all, in the first part; return how many tests there are."""
    cdef int64_t i, n = 0, n_tests = 0
    cdef int32_t part
    cdef float least = NOTHING
    cdef Candidate candidate
    for part in range(tests.n_parts):
        if tests.candidates[part].size() > 0:
            least = max(least, tests.candidates[part].back().least)
    for part in range(tests.n_parts):
        for i in range(<int64_t>tests.candidates[part].size()):
            candidate = tests.candidates[part][i]
            if candidate.test.score >= least:
                if n < <int64_t>tests.candidates[0].size():
                    tests.candidates[0][n] = candidate
                else:
                    tests.candidates[0].push_back(candidate)
                n += 1
                n_tests += 2 if candidate.second >= least else 1
    tests.candidates[0].resize(n)
    return n_tests


cdef void score_again(const Search* a) noexcept nogil:
    """Of the columns that are candidates, find the best test in double precision.

    Of equally good ones, that of the first column and its lowest code is taken.
    """
    cdef int32_t c, size = chunks(a.node.n_lanes)
    cdef int64_t i, place, n_rows = a.node.last - a.node.first
    cdef vector[Chunk] memory       # twice that of `search_columns`
    cdef vector[Item] entry
    cdef double* total
    cdef double before
    cdef View view
    memory.resize(6 * size)
    total = <double*>memory.data()
    for i in range(16 * size):
        total[i] = a.node.totals[i]
    a.tests.best.score = NOTHING
    a.tests.column = -1
    if a.lists.bin_code.size() > 0:
        a.tests.slot_of.resize(a.lists.n_rows, -1)
        for place in range(a.node.first, a.node.last):
            a.tests.slot_of[a.growth.row[place]] = a.growth.slot[place]
    for i in range(<int64_t>a.tests.candidates[0].size()):
        c = a.tests.candidates[0][i].column
        if a.lists.bin_start[c + 1] > a.lists.bin_start[c]:
            items_of_bins(a.growth, a.node, a.lists, a.tests.slot_of.data(), c, &entry, &view)
        else:
            listed_items(a.growth, a.node, c, &view)
        if is_constant(&view, n_rows):
            continue
        before = a.tests.best.score
        scan_column_in_double(
            a.judge[0], view.sums, total, view.item, view.n_items, a.lists.rest_kind[c], a.lists.rest_code[c],
            n_rows - view.n_known, <Doubles*>(memory.data() + 2 * size), &a.tests.best
        )
        if a.tests.best.score > before:
            a.tests.column = c
    if a.lists.bin_code.size() > 0:
        for place in range(a.node.first, a.node.last):
            a.tests.slot_of[a.growth.row[place]] = -1


cdef void search_tests(
    Growth* growth, const Node* node, const Lists* lists, const Judge* rule, const Options* options, Tests* tests
) noexcept nogil:
    """Find a node's best test, the same one for any order of its rows and any number of threads."""
    cdef int64_t n_sums = (node.last - node.first) * <int64_t>growth.listed.size() + <int64_t>lists.bin_code.size()
    cdef int32_t c, n_threads = threads_for(n_sums * chunks(node.n_lanes), options.n_threads)
    cdef Search a
    cdef Judge judge = rule[0]
    cdef Candidate candidate
    judge.n_vectors = chunks(node.n_lanes)
    judge.n_labels = node.n_lanes
    judge.scale = node.n_lanes
    judge.cover = 0.0
    if judge.score == SUM_GAIN or judge.score == MAX_GAIN:
        judge.scale = 1.0
        for c in range(node.n_lanes):
            judge.cover += node.totals[padded(node.n_lanes) + c] + judge.reg_lambda
    tests.n_parts = 1 if judge.exact or judge.in_double or n_threads < 2 else 4 * n_threads
    tests.candidates.resize(tests.n_parts)
    a.growth = growth
    a.node = node
    a.lists = lists
    a.judge = &judge
    a.options = options
    a.tests = tests
    if judge.exact:
        judge.scale = judge.cover = 0.0
        judge.of_node = <float>node_score(
            &judge, node.totals.data(), node.totals.data() + padded(judge.n_labels),
            node.totals.data() + padded(judge.n_labels), judge.n_labels
        )
    if judge.exact or judge.in_double:
        tests.candidates[0].clear()
        for c in range(lists.n_columns):
            if options.column == NULL or options.column[c]:
                candidate.column = c
                tests.candidates[0].push_back(candidate)
        score_again(&a)
        return
    run_tasks(search_part, &a, tests.n_parts, n_threads)
    if keep_the_nearest(tests) > 1:
        score_again(&a)
        return
    tests.column = -1
    if tests.candidates[0].size() > 0:
        tests.best = tests.candidates[0][0].test
        tests.column = tests.candidates[0][0].column


cdef void send_places(const Growth* growth, const Node* node, const Lists* lists, Tests* tests) noexcept nogil:
    """Write down which places of a node say "no" to its test."""
    cdef int32_t c = tests.column
    cdef const Test* test = &tests.best
    cdef int64_t i, place
    cdef bint rest_says_no = test.side != 1
    cdef Item item
    if test.side != PRESENT and lists.rest_kind[c] == COMMON_REST:
        rest_says_no = lists.rest_code[c] > test.code
    if lists.bin_start[c + 1] > lists.bin_start[c]:
        for place in range(node.first, node.last):
            tests.row_says_no[growth.row[place]] = rest_says_no
        for i in range(lists.start[c], lists.end[c]):
            item = item_at(lists, i)
            tests.row_says_no[item.place] = test.side != PRESENT and item.code > test.code
        for place in range(node.first, node.last):
            tests.says_no[place] = tests.row_says_no[growth.row[place]]
        return
    for place in range(node.first, node.last):
        tests.says_no[place] = rest_says_no
    for i in range(node.start[growth.n_listed[c]], node.end[growth.n_listed[c]]):
        tests.says_no[growth.items[i].place] = test.side != PRESENT and growth.items[i].code > test.code


cdef double take_test(
    const Growth* growth, const Node* node, const Lists* lists, const Judge* judge, Tests* tests, double* cover
) noexcept nogil:
    """Send a node's places by its best test; return what it gains, from exact sums, and the node's hessians."""
    cdef int32_t n = node.n_lanes, size = chunks(n), width = padded(n), i
    cdef int64_t place, n_no = 0
    cdef const double* total = node.totals.data()
    cdef double children
    send_places(growth, node, lists, tests)
    for place in range(node.first, node.last):
        n_no += tests.says_no[place]
    tests.no_is_smaller = 2 * n_no < node.last - node.first
    tests.slot.clear()
    tests.row.clear()
    for place in range(node.first, node.last):
        if tests.says_no[place] == tests.no_is_smaller:
            tests.slot.push_back(growth.slot[place])
            tests.row.push_back(growth.row[place])
    tests.smaller.resize(16 * size)
    tests.larger.resize(16 * size)
    sum_rows(
        growth.gradients.data() + node.block, tests.slot.data(), <int64_t>tests.slot.size(), size, tests.smaller.data()
    )
    cover[0] = 0.0
    for i in range(16 * size):
        tests.larger[i] = total[i] - tests.smaller[i]
    for i in range(n):
        tests.larger[width + i] = max(tests.larger[width + i], 0.0)
        if judge.every_label or total[width + i] >= judge.least_hessian:
            cover[0] += total[width + i]
    children = node_score(judge, tests.smaller.data(), tests.smaller.data() + width, total + width, n)
    children += node_score(judge, tests.larger.data(), tests.larger.data() + width, total + width, n)
    return children - node_score(judge, total, total + width, total + width, n)
