"""The best test of every node of a level."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Level, Lists, Options, Tests, chunks, padded
from mlsieve._kernels.boosting.histograms cimport make_histogram
from mlsieve._kernels.boosting.rows_of_sums cimport sum_rows
from mlsieve._kernels.boosting.split_scores cimport (
    COMMON_REST, MAX_GAIN, MAX_SIGNED, PRESENT, SUM_ABS, SUM_GAIN, SUM_SIGNED, Chunk, Doubles, Floats, Item, Judge,
    Test, scan_column, scan_column_exactly
)
from mlsieve._kernels.boosting.tasks cimport run_tasks

cdef float NOTHING = -3.4e38


cdef double label_score(int32_t score, double G, double H, double reg_lambda) noexcept nogil:
    if score == SUM_GAIN or score == MAX_GAIN:
        return G * G / (H + reg_lambda)
    if score == SUM_SIGNED or score == MAX_SIGNED:
        return -G / (H + reg_lambda)
    return fabs(G) / (H + reg_lambda)


cdef double node_score(const Judge* judge, const double* G, const double* H, int64_t n) noexcept nogil:
    """The score of one node over the labels that count in it; 0 if none does."""
    cdef int64_t j
    cdef double total = 0.0, highest = 0.0, value
    cdef bint any_counts = False
    for j in range(n):
        if H[j] >= judge.least_hessian:
            value = label_score(judge.score, G[j], H[j], judge.reg_lambda)
            total += value
            if not any_counts or value > highest:
                highest = value
            any_counts = True
    if judge.score == SUM_GAIN or judge.score == SUM_SIGNED or judge.score == SUM_ABS:
        return total
    return highest


cdef int64_t filled_bins(
    const Level* level, const Lists* lists, int32_t k, int32_t c, Item* entry, int64_t* n_entries
) noexcept nogil:
    """List the bins of a column that hold rows of a node; return how many rows."""
    cdef int32_t b
    cdef int64_t n_rows = 0
    n_entries[0] = 0
    for b in range(lists.bin_start[c], lists.bin_start[c + 1]):
        if level.counts[k][b] > 0:
            entry[n_entries[0]].place = b
            entry[n_entries[0]].code = lists.bin_code[b]
            n_entries[0] += 1
            n_rows += level.counts[k][b]
    return n_rows


cdef void search_columns(
    const Level* level, const Lists* lists, const Judge* judge, const Options* options, int32_t k, int32_t first,
    int32_t last, Test* best, int32_t* column
) noexcept nogil:
    """Try the tests of some columns in a node; of equally good ones, that of the first and the lowest code is taken."""
    cdef int32_t c, i, l, size = chunks(level.n_lanes[k])
    cdef int64_t n_places = level.first[k + 1] - level.first[k], at, n_items, n_known, stride = level.n_nodes + 1
    cdef const float* block = <const float*>level.blocks[level.block[k]].data()
    cdef const float* own
    cdef const Item* item
    cdef float before
    cdef float* total
    cdef vector[Chunk] memory  # the totals, then room for two children; twice that in double precision
    cdef double* exact
    cdef vector[Item] entry
    best.score = NOTHING
    column[0] = -1
    memory.resize(6 * size if judge.exact else 3 * size)
    total = <float*>memory.data()
    exact = <double*>memory.data()
    for i in range(16 * size):
        if judge.exact:
            exact[i] = level.totals[k][i]
        else:
            total[i] = <float>level.totals[k][i]
    block -= level.first[k] * 16 * size  # items hold places of the level
    entry.resize(lists.bin_start[last] - lists.bin_start[first])
    for c in range(first, last):
        if options.column != NULL and not options.column[c]:
            continue
        if lists.bin_start[c + 1] > lists.bin_start[c]:
            n_known = filled_bins(level, lists, k, c, entry.data(), &n_items)
            item = entry.data()
            own = <const float*>level.histogram[k].data()
        else:
            l = level.n_listed[c]
            at = level.start[l * stride + k]
            n_known = n_items = level.start[l * stride + k + 1] - at
            item = level.items.data() + at
            own = block
        if n_items == 0 or (n_known == n_places and item[0].code == item[n_items - 1].code):
            continue
        before = best.score
        if judge.exact:
            scan_column_exactly(
                judge[0], own, exact, item, n_items, lists.rest_kind[c], lists.rest_code[c], n_places - n_known,
                <Doubles*>(memory.data() + 2 * size), best
            )
        else:
            scan_column(
                judge[0], own, total, item, n_items, lists.rest_kind[c], lists.rest_code[c], n_places - n_known,
                <Floats*>(memory.data() + size), best
            )
        if best.score > before:
            column[0] = c


cdef struct Search:
    const Level* level
    const Lists* lists
    const Judge* judge
    const Options* options
    Tests* tests


cdef void search_part(void* of, int32_t which) noexcept nogil:
    """Search a part of the columns in a node."""
    cdef const Search* a = <const Search*>of
    cdef int32_t k = which // a.tests.n_parts, part = which % a.tests.n_parts
    cdef int64_t n = a.lists.n_columns
    cdef Judge judge = a.judge[0]
    judge.n_vectors = chunks(a.level.n_lanes[k])
    judge.n_labels = a.level.n_lanes[k]
    if judge.exact:
        judge.of_node = <float>node_score(
            &judge, a.level.totals[k].data(), a.level.totals[k].data() + padded(judge.n_labels), judge.n_labels
        )
    search_columns(
        a.level, a.lists, &judge, a.options, k, <int32_t>(n * part // a.tests.n_parts),
        <int32_t>(n * (part + 1) // a.tests.n_parts), &a.tests.best_of[which], &a.tests.column_of[which]
    )


cdef void search_tests(
    Level* level, const Lists* lists, const Judge* judge, const Options* options, Tests* tests
) noexcept nogil:
    """Find each node's best test, the same one for any number of threads and parts."""
    cdef int32_t k, part, at
    cdef Search a
    tests.n_parts = 1 if options.n_threads < 2 else 4 * options.n_threads
    tests.best.resize(level.n_nodes)
    tests.column.assign(level.n_nodes, -1)
    tests.best_of.resize(level.n_nodes * tests.n_parts)
    tests.column_of.resize(level.n_nodes * tests.n_parts)
    for k in range(level.n_nodes):
        if lists.bin_code.size() > 0 and level.histogram[k].size() == 0:
            make_histogram(level, lists, k, options.n_threads)
    a.level = level
    a.lists = lists
    a.judge = judge
    a.options = options
    a.tests = tests
    run_tasks(search_part, &a, level.n_nodes * tests.n_parts, options.n_threads)
    for k in range(level.n_nodes):
        tests.best[k].score = NOTHING
        for part in range(tests.n_parts):
            at = k * tests.n_parts + part
            if tests.best_of[at].score > tests.best[k].score:
                tests.best[k] = tests.best_of[at]
                tests.column[k] = tests.column_of[at]


cdef void send_places(const Level* level, const Lists* lists, int32_t k, Tests* tests) noexcept nogil:
    """Write down which places of a node say "no" to its test."""
    cdef int32_t c = tests.column[k]
    cdef const Test* test = &tests.best[k]
    cdef int64_t i, place
    cdef bint rest_says_no = test.side != 1
    if test.side != PRESENT and lists.rest_kind[c] == COMMON_REST:
        rest_says_no = lists.rest_code[c] > test.code
    if lists.bin_start[c + 1] > lists.bin_start[c]:
        for place in range(level.first[k], level.first[k + 1]):
            tests.row_says_no[level.row[place]] = rest_says_no
        for i in range(lists.start[c], lists.start[c + 1]):
            tests.row_says_no[lists.items[i].place] = test.side != PRESENT and lists.items[i].code > test.code
        for place in range(level.first[k], level.first[k + 1]):
            tests.says_no[place] = tests.row_says_no[level.row[place]]
        return
    for place in range(level.first[k], level.first[k + 1]):
        tests.says_no[place] = rest_says_no
    i = <int64_t>level.n_listed[c] * (level.n_nodes + 1) + k
    for i in range(level.start[i], level.start[i + 1]):
        tests.says_no[level.items[i].place] = test.side != PRESENT and level.items[i].code > test.code


cdef double take_test(
    const Level* level, const Lists* lists, const Judge* judge, int32_t k, Tests* tests, double* cover
) noexcept nogil:
    """Send a node's places by its best test; return what it gains, from exact sums, and the node's hessians."""
    cdef int32_t n = level.n_lanes[k], size = chunks(n), width = padded(n), i
    cdef int64_t place, n_no = 0
    cdef const double* total = level.totals[k].data()
    cdef double children
    send_places(level, lists, k, tests)
    for place in range(level.first[k], level.first[k + 1]):
        n_no += tests.says_no[place]
    tests.no_is_smaller = 2 * n_no < level.first[k + 1] - level.first[k]
    tests.slot.clear()
    tests.row.clear()
    for place in range(level.first[k], level.first[k + 1]):
        if tests.says_no[place] == tests.no_is_smaller:
            tests.slot.push_back(level.slot[place])
            tests.row.push_back(level.row[place])
    tests.smaller.resize(16 * size)
    tests.larger.resize(16 * size)
    sum_rows(
        level.blocks[level.block[k]].data(), tests.slot.data(), <int64_t>tests.slot.size(), size, tests.smaller.data()
    )
    cover[0] = 0.0
    for i in range(16 * size):
        tests.larger[i] = total[i] - tests.smaller[i]
    for i in range(n):
        tests.larger[width + i] = max(tests.larger[width + i], 0.0)
        if judge.every_label or total[width + i] >= judge.least_hessian:
            cover[0] += total[width + i]
    children = node_score(judge, tests.smaller.data(), tests.smaller.data() + width, n)
    children += node_score(judge, tests.larger.data(), tests.larger.data() + width, n)
    return children - node_score(judge, total, total + width, n)
