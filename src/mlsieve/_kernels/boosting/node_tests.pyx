"""The best test of every node of a level."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Level, Lists, Options, Tests, padded
from mlsieve._kernels.boosting.split_scores cimport (
    COMMON_REST, FLOATS, MAX_GAIN, MAX_SIGNED, MISSING_NO, NO_REST, PRESENT, SUM_ABS, SUM_GAIN, SUM_SIGNED, Floats,
    Item, Judge, Test, scan_column
)

cdef float NOTHING = -3.4e38


cdef void sum_block(const float* block, int64_t n_places, int32_t width, vector[double]* sums) noexcept nogil:
    """Add up a node's gradients and hessians in double precision."""
    cdef int64_t place
    cdef int32_t i
    cdef double* to
    sums.assign(2 * width, 0.0)
    to = sums.data()
    for place in range(n_places):
        for i in range(2 * width):
            to[i] += block[i]
        block += 2 * width


cdef void search_tests(
    Level* level, const Lists* lists, Judge* judge, const Options* options, Tests* tests
) noexcept nogil:
    """Find each node's best test; of equally good ones, that of the first column and the lowest code."""
    cdef int32_t k, c, i, width
    cdef int64_t n_labels, n_places, at, n_items, stride = level.n_nodes + 1
    cdef float* scratch
    cdef float* total
    cdef float before
    cdef const float* block
    cdef const Item* item
    tests.best.resize(level.n_nodes)
    tests.column.assign(level.n_nodes, -1)
    for k in range(level.n_nodes):
        tests.best[k].score = NOTHING
        n_labels = level.label_start[k + 1] - level.label_start[k]
        n_places = level.first[k + 1] - level.first[k]
        if n_labels == 0 or n_places < 2:
            continue
        width = padded(n_labels)
        judge.n_vectors = width // FLOATS
        judge.n_labels = <int32_t>n_labels
        # Two children and the totals, aligned as vectors are.
        tests.memory.resize(6 * width + FLOATS)
        scratch = tests.memory.data() + (32 - <uintptr_t>tests.memory.data() % 32) // sizeof(float)
        total = scratch + 4 * width
        block = level.sums.data() + level.sums_start[k]
        sum_block(block, n_places, width, &tests.exact)
        for i in range(2 * width):
            total[i] = <float>tests.exact[i]
        block -= level.first[k] * 2 * width  # places are those of the level
        for c in range(lists.n_columns):
            at = level.start[c * stride + k]
            n_items = level.start[c * stride + k + 1] - at
            if n_items == 0 or (options.column != NULL and not options.column[c]):
                continue
            item = level.items.data() + at
            if n_items == n_places and item[0].code == item[n_items - 1].code:
                continue
            before = tests.best[k].score
            scan_column(
                judge[0], block, total, item, n_items, lists.rest_kind[c], lists.rest_code[c], n_places - n_items,
                <Floats*>scratch, &tests.best[k]
            )
            if tests.best[k].score > before:
                tests.column[k] = c


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


cdef void send_places(const Level* level, const Lists* lists, int32_t k, Tests* tests) noexcept nogil:
    """Write down which places of a node say "no" to its test."""
    cdef int32_t c = tests.column[k]
    cdef const Test* test = &tests.best[k]
    cdef int64_t i, place, at = <int64_t>c * (level.n_nodes + 1) + k
    cdef bint rest_says_no = test.side != 1
    if test.side != PRESENT and lists.rest_kind[c] == COMMON_REST:
        rest_says_no = lists.rest_code[c] > test.code
    for place in range(level.first[k], level.first[k + 1]):
        tests.says_no[place] = rest_says_no
    for i in range(level.start[at], level.start[at + 1]):
        tests.says_no[level.items[i].place] = test.side != PRESENT and level.items[i].code > test.code


cdef double take_test(
    const Level* level, const Lists* lists, const Judge* judge, int32_t k, Tests* tests, double* cover
) noexcept nogil:
    """Send a node's places by its best test; return what it gains, from exact sums, and the node's hessians."""
    cdef int64_t n = level.label_start[k + 1] - level.label_start[k], place, i
    cdef int32_t width = padded(n)
    cdef const float* own = level.sums.data() + level.sums_start[k]
    cdef double* yes
    cdef double* no
    cdef double* side
    cdef double children
    send_places(level, lists, k, tests)
    tests.exact.assign(4 * n, 0.0)
    yes = tests.exact.data()
    no = yes + 2 * n
    for place in range(level.first[k], level.first[k + 1]):
        side = no if tests.says_no[place] else yes
        for i in range(n):
            side[i] += own[i]
            side[n + i] += own[width + i]
        own += 2 * width
    children = node_score(judge, yes, yes + n, n) + node_score(judge, no, no + n, n)
    cover[0] = 0.0
    for i in range(2 * n):
        yes[i] += no[i]
    for i in range(n):
        cover[0] += yes[n + i]
    return children - node_score(judge, yes, yes + n, n)
