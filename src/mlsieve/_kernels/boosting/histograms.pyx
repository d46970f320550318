"""Sums of a node's rows by bin: from its rows, or from its parent's by taking away those of the other child."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Chunk, Growth, Lists, Node, Tests, chunks, item_at
from mlsieve._kernels.boosting.gradients cimport take_lanes
from mlsieve._kernels.boosting.rows_of_sums cimport add_to_bins
from mlsieve._kernels.common.tasks cimport run_tasks

cdef int64_t ROWS_A_BIN = 8    # a column of several codes is binned if it lists so many rows for each
cdef int64_t LEAST_SHARE = 8   # of rows that stay, 1 in so many: differences lose digits
cdef int64_t LEAST_WORK = 1 << 13  # chunks that are worth another thread


cdef void bin_columns(Lists* lists, int32_t first, bint exact) noexcept nogil:
    """Bin the columns of few codes among those from the first one given on, which are the last ones.

    Bins are sums in single precision: an exact search has none.
    """
    cdef int32_t c, n_codes
    cdef int64_t i, at
    lists.bin_start.resize(lists.n_columns + 1)
    lists.bin_start[0] = 0
    lists.bin_code.resize(lists.bin_start[first])
    lists.bin_column.resize(lists.bin_start[first])
    for c in range(first, lists.n_columns):
        n_codes = 0
        for i in range(lists.start[c], lists.end[c]):
            n_codes += i == lists.start[c] or item_at(lists, i).code != item_at(lists, i - 1).code
        # Columns that are added later are given anew before each model.
        if exact or first > 0 or (n_codes > 1 and n_codes * ROWS_A_BIN > lists.end[c] - lists.start[c]):
            n_codes = 0
        lists.bin_start[c + 1] = lists.bin_start[c] + n_codes
        if n_codes > 0:
            for i in range(lists.start[c], lists.end[c]):
                if i == lists.start[c] or item_at(lists, i).code != item_at(lists, i - 1).code:
                    lists.bin_code.push_back(item_at(lists, i).code)
                    lists.bin_column.push_back(c)
    if first > 0:
        return
    lists.row_start.assign(lists.n_rows + 1, 0)
    for c in range(lists.n_columns):
        if lists.bin_start[c + 1] > lists.bin_start[c]:
            for i in range(lists.start[c], lists.end[c]):
                lists.row_start[item_at(lists, i).place + 1] += 1
    for i in range(lists.n_rows):
        lists.row_start[i + 1] += lists.row_start[i]
    lists.row_bin.resize(lists.row_start[lists.n_rows])
    for c in range(lists.n_columns):
        n_codes = -1
        if lists.bin_start[c + 1] > lists.bin_start[c]:
            for i in range(lists.start[c], lists.end[c]):
                n_codes += i == lists.start[c] or item_at(lists, i).code != item_at(lists, i - 1).code
                at = lists.row_start[item_at(lists, i).place]
                lists.row_bin[at] = lists.bin_start[c] + n_codes
                lists.row_start[item_at(lists, i).place] = at + 1
    for i in range(lists.n_rows, 0, -1):
        lists.row_start[i] = lists.row_start[i - 1]
    lists.row_start[0] = 0


cdef void choose_bins(Lists* lists, const uint8_t* column) noexcept nogil:
    """Keep the rows' bins in the columns that a tree may test; NULL: in all."""
    cdef int64_t i, e
    lists.seen_start = lists.row_start.data()
    lists.seen_bin = lists.row_bin.data()
    if column == NULL:
        return
    lists.own_start.assign(1, 0)
    lists.own_bin.clear()
    for i in range(lists.n_rows):
        for e in range(lists.row_start[i], lists.row_start[i + 1]):
            if column[lists.bin_column[lists.row_bin[e]]]:
                lists.own_bin.push_back(lists.row_bin[e])
        lists.own_start.push_back(<int64_t>lists.own_bin.size())
    lists.seen_start = lists.own_start.data()
    lists.seen_bin = lists.own_bin.data()


cdef int64_t items_of(const Lists* lists, const int32_t* row, int64_t n) noexcept nogil:
    cdef int64_t i, items = 0
    for i in range(n):
        items += lists.seen_start[row[i] + 1] - lists.seen_start[row[i]]
    return items


cdef void count_rows(
    const Lists* lists, const int32_t* row, int64_t n, int32_t sign, vector[int32_t]* counts
) noexcept nogil:
    cdef int64_t i, e
    for i in range(n):
        for e in range(lists.seen_start[row[i]], lists.seen_start[row[i] + 1]):
            counts[0][lists.seen_bin[e]] += sign


cdef struct Summing:
    # Rows whose sums are added to bins, or taken away: tasks of a few chunks of a row each.
    const Lists* lists
    const Chunk* block
    const int32_t* slot
    const int32_t* row
    int64_t n
    int32_t size
    int32_t sign
    int32_t step
    Chunk* sums


cdef void sum_part(void* of, int32_t which) noexcept nogil:
    cdef const Summing* a = <const Summing*>of
    cdef int32_t part = which * a.step
    add_to_bins(
        a.block, a.slot, a.row, a.n, a.lists.seen_start, a.lists.seen_bin, a.size, part,
        min(part + a.step, a.size), a.sign, a.sums
    )


cdef void add_rows(
    const Lists* lists, const Chunk* block, const int32_t* slot, const int32_t* row, int64_t n, int32_t size,
    int32_t sign, int32_t n_threads, Chunk* sums
) noexcept nogil:
    cdef Summing a
    a.lists = lists
    a.block = block
    a.slot = slot
    a.row = row
    a.n = n
    a.size = size
    a.sign = sign
    a.sums = sums
    if n_threads < 2 or n * size < LEAST_WORK:
        a.step = size
        sum_part(&a, 0)
    else:
        a.step = max(1, (size + n_threads - 1) // n_threads)
        run_tasks(sum_part, &a, (size + a.step - 1) // a.step, n_threads)


cdef void make_histogram(Growth* growth, Node* node, const Lists* lists, int32_t n_threads) noexcept nogil:
    """Sum a node's rows by bin."""
    cdef int32_t size = chunks(node.n_lanes)
    cdef int64_t n = node.last - node.first, n_bins = <int64_t>lists.bin_code.size()
    node.n_summed = n
    if node.histogram.capacity() == 0:
        node.histogram.swap(growth.spare)
    node.histogram.clear()
    node.histogram.resize(n_bins * size)
    node.counts.assign(n_bins, 0)
    count_rows(lists, growth.row.data() + node.first, n, 1, &node.counts)
    add_rows(
        lists, growth.gradients.data() + node.block, growth.slot.data() + node.first, growth.row.data() + node.first, n,
        size, 1, n_threads, node.histogram.data()
    )


cdef void inherit_histogram(
    const Growth* growth, Node* node, Node* child, const Lists* lists, const Tests* tests, bint fewer_lanes,
    const vector[int32_t]* lane, int32_t n_threads
) noexcept nogil:
    """Make the histogram of a node's larger child from the node's, if that is less work."""
    cdef int32_t size = chunks(node.n_lanes), own_size = chunks(child.n_lanes)
    cdef int64_t n_bins = <int64_t>lists.bin_code.size(), n_taken = <int64_t>tests.row.size(), work, anew
    cdef int64_t n = child.last - child.first
    if n * LEAST_SHARE < node.n_summed:
        return
    work = items_of(lists, tests.row.data(), n_taken) * size + (n_bins * own_size * 16 if fewer_lanes else 0)
    anew = (items_of(lists, growth.row.data() + child.first, n) + n_bins) * own_size
    if work > anew:
        return
    add_rows(
        lists, growth.gradients.data() + node.block, tests.slot.data(), tests.row.data(), n_taken, size, -1, n_threads,
        node.histogram.data()
    )
    count_rows(lists, tests.row.data(), n_taken, -1, &node.counts)
    if fewer_lanes:  # within the node's memory
        take_lanes(node.histogram.data(), NULL, n_bins, node.n_lanes, lane, node.histogram.data())
        node.histogram.resize(n_bins * own_size)
    child.histogram.swap(node.histogram)
    child.counts.swap(node.counts)
    child.n_summed = node.n_summed
