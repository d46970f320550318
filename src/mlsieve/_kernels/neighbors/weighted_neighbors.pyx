"""Exact K nearest training rows under a weighted feature distance, and their votes.

The squared distance of two rows is ``sum_i w_i d_i^2`` over the features in index order, in double precision; the
neighbours are the K rows with the smallest squared distances. Those that differ from the K-th smallest by no more
than `TIE` of it are a tie, which goes to the lower rows: rounding, which depends on the order of the features,
decides nothing. Summing every pair in double precision would be slow, so a single precision sum of products (by BLAS
for dense rows, see `product_tiles` for sparse ones) bounds each distance from both sides. That sorts out the rows
that are certainly in or out; only the rows in between are summed exactly. The result therefore depends neither on the
approximation's rounding, nor on dense or sparse storage, nor on the number of threads.

Of the bounds, what all training rows share for one test row is left out: they are those of a squared distance less
the test row's squared norm.

Functions here check nothing: the facade in `mlsieve.evaluators` owns and validates the arrays.
"""

from libc.math cimport INFINITY, isfinite, nextafterf
from libc.string cimport memset
from libcpp.algorithm cimport nth_element, pop_heap, push_heap, sort
from libcpp.vector cimport vector

from mlsieve._kernels.neighbors.exact_distance cimport Pairs, exact_distance, make_pairs, make_rows
from mlsieve._kernels.neighbors.nearest_rows cimport Candidate, keep_nearest
from mlsieve._kernels.neighbors.product_tiles cimport (
    TILE_LANES, aligned_tile, least_uppers, lower_bound, multiply_list, multiply_rows, next_within, upper_bound
)

TILE_ROWS = TILE_LANES  # test rows of a tile

# Squared distances that differ by this share are equal. `mlsieve.evaluators._search` widens the bounds by more.
cdef double TIE = 1e-12

ctypedef fused Count:
    unsigned char
    unsigned short
    unsigned int


cdef struct Bounded:
    float lower
    float upper
    int row


cdef cppclass Shortlist:
    """Training rows that may be among the K nearest of one test row, in index order."""
    vector[Bounded] rows
    vector[float] uppers  # heap of the K smallest upper bounds


cdef struct Bounds:
    # A sum, base or top, and slope times lane_slope are a training row's bounds for a test row: see `product_tiles`.
    Py_ssize_t n_train
    const float* base
    const float* top
    const float* slope
    const float* lane_slope  # inf: nothing is known of the test row's sums


cdef struct Lanes:
    # The test rows of a tile.
    Py_ssize_t first
    Py_ssize_t n
    float slope[16]
    float bar[16]


cdef inline void keep_nearer(vector[Candidate] &heap, size_t slots, double distance, int row) noexcept nogil:
    """Add a row to the `slots` nearest so far. Rows come in index order, so an equal distance never displaces."""
    if heap.size() < slots:
        heap.push_back(Candidate(distance, row))
        push_heap(heap.begin(), heap.end())
    elif distance < heap[0].first:
        pop_heap(heap.begin(), heap.end())
        heap[slots - 1] = Candidate(distance, row)
        push_heap(heap.begin(), heap.end())


cdef void start_lists(
    const float* tile, Py_ssize_t stride, const Bounds* bounds, size_t k, Lanes* lanes, vector[float] &least,
    vector[float] &of_lane, Shortlist* lists
) noexcept nogil:
    """Empty the shortlists and set bars that the K nearest are not above; nothing is within that of an idle lane.

    Of the rows in groups the least upper bound of each is known, and the K-th smallest of those is a bar.
    """
    cdef Py_ssize_t lane, g, n_groups = 2 * k
    cdef bint in_groups = 2 * n_groups <= bounds.n_train
    for lane in range(TILE_LANES):
        lists[lane].rows.clear()
        lists[lane].uppers.clear()
        lanes.bar[lane] = INFINITY if lane < lanes.n else -INFINITY
        lanes.slope[lane] = 0.0
        if lane < lanes.n and isfinite(bounds.lane_slope[lanes.first + lane]):
            lanes.slope[lane] = bounds.lane_slope[lanes.first + lane]
    if not in_groups:
        return
    least.resize(<size_t> (TILE_LANES * n_groups))
    of_lane.resize(<size_t> n_groups)
    least_uppers(tile, stride, bounds.top, bounds.slope, lanes.slope, bounds.n_train, n_groups, least.data())
    for lane in range(lanes.n):
        if isfinite(bounds.lane_slope[lanes.first + lane]):
            for g in range(n_groups):
                of_lane[g] = least[TILE_LANES * g + lane]
            nth_element(of_lane.begin(), of_lane.begin() + (k - 1), of_lane.end())
            lanes.bar[lane] = of_lane[k - 1]


cdef inline void add_row(Shortlist* list, size_t k, int row, float lower, float upper, float* bar) noexcept nogil:
    """Add a row to a shortlist and lower the bar that later rows' lower bounds must not exceed.

    Once K rows have an upper bound, a later row whose lower bound is not below all of them has a higher index and is
    no nearer than K others.
    """
    list.rows.push_back(Bounded(lower, upper, row))
    if list.uppers.size() < k:
        list.uppers.push_back(upper)
        push_heap(list.uppers.begin(), list.uppers.end())
    elif upper < list.uppers[0]:
        pop_heap(list.uppers.begin(), list.uppers.end())
        list.uppers[k - 1] = upper
        push_heap(list.uppers.begin(), list.uppers.end())
    if list.uppers.size() == k and list.uppers[0] <= bar[0]:
        bar[0] = nextafterf(list.uppers[0], -INFINITY) if isfinite(list.uppers[0]) else INFINITY


cdef void make_shortlists(
    const float* tile, Py_ssize_t stride, const Bounds* bounds, size_t k, Lanes* lanes, Shortlist* lists
) noexcept nogil:
    """Put the training rows of a tile on the shortlists of its test rows."""
    cdef Py_ssize_t r = 0, lane
    cdef float lower, upper
    while True:
        r = next_within(tile, stride, bounds.base, bounds.slope, lanes.slope, lanes.bar, r, bounds.n_train)
        if r == bounds.n_train:
            return
        for lane in range(lanes.n):
            lower = lower_bound(tile[r * stride + lane], bounds.base[r], bounds.slope[r], lanes.slope[lane])
            if lower <= lanes.bar[lane]:
                upper = upper_bound(tile[r * stride + lane], bounds.top[r], bounds.slope[r], lanes.slope[lane])
                if not isfinite(bounds.lane_slope[lanes.first + lane]):
                    upper = INFINITY
                add_row(&lists[lane], k, <int> r, lower, upper, &lanes.bar[lane])
        r += 1


cdef inline void add_candidate(
    const Pairs* pairs, Py_ssize_t row, int other, size_t slots, vector[Candidate] &candidates, vector[double] &heap
) noexcept nogil:
    """Add a row that may be among the `slots` nearest, or tie with the last of them.

    The heap holds the smallest distances so far.
    """
    cdef double bound = heap[0] * (1.0 + 2.0 * TIE) if heap.size() == slots else INFINITY
    cdef double distance = exact_distance(pairs, row, other, bound)
    if distance > bound:
        return
    candidates.push_back(Candidate(distance, other))
    if heap.size() == slots:
        if distance >= heap[0]:
            return
        pop_heap(heap.begin(), heap.end())
        heap.pop_back()
    heap.push_back(distance)
    push_heap(heap.begin(), heap.end())


cdef void choose(
    const Pairs* pairs, Shortlist* list, Py_ssize_t row, size_t k, vector[Candidate] &nearest, vector[double] &heap,
    vector[float] &lowers, int* out
) noexcept nogil:
    """Write the K nearest rows of a shortlist, in index order.

    A row whose lower bound exceeds the K-th smallest upper bound is out. One whose upper bound lies below the
    (K + 1)-th smallest lower bound is in: of the others, K - 1 at most can be nearer. Bounds have room for ties.
    """
    cdef float highest = list.uppers[0], sure = INFINITY
    cdef size_t b, n_chosen = 0
    cdef const Bounded* bounded
    nearest.clear()
    heap.clear()
    lowers.clear()
    if not pairs.counted:
        for b in range(list.rows.size()):
            if list.rows[b].lower <= highest:
                lowers.push_back(list.rows[b].lower)
        if lowers.size() > k:
            nth_element(lowers.begin(), lowers.begin() + k, lowers.end())
            sure = lowers[k]
        for b in range(list.rows.size()):
            # Without a (K + 1)-th row all are in, even those without a finite bound.
            if list.rows[b].lower <= highest and (lowers.size() <= k or list.rows[b].upper < sure):
                out[n_chosen] = list.rows[b].row
                n_chosen += 1
    for b in range(list.rows.size() if n_chosen < k else 0):
        bounded = &list.rows[b]
        if pairs.counted:
            keep_nearer(nearest, k, bounded.lower, bounded.row)
        elif bounded.lower <= highest and bounded.upper >= sure:
            add_candidate(pairs, row, bounded.row, k - n_chosen, nearest, heap)
    if not pairs.counted:
        keep_nearest(nearest, k - n_chosen, 0.0, TIE)
    for b in range(nearest.size()):
        out[n_chosen + b] = nearest[b].second
    sort(out, out + k)


cdef cppclass Workspace:
    """Memory that the tiles use one after the other."""
    vector[Shortlist] lists
    vector[float] least
    vector[float] of_lane
    vector[float] lowers
    vector[double] heap
    vector[Candidate] nearest


cdef void choose_lanes(
    const Pairs* pairs, const Bounds* bounds, const float* tile, Py_ssize_t stride, Py_ssize_t first, Py_ssize_t last,
    Workspace &work, int[:, ::1] out
) noexcept nogil:
    """Write the K nearest training rows of a tile's test rows, those from `first` on."""
    cdef Lanes lanes
    cdef Py_ssize_t lane, k = out.shape[1]
    lanes.first = first
    lanes.n = min(TILE_LANES, last - first)
    work.lists.resize(TILE_LANES)
    start_lists(tile, stride, bounds, k, &lanes, work.least, work.of_lane, work.lists.data())
    make_shortlists(tile, stride, bounds, k, &lanes, work.lists.data())
    for lane in range(lanes.n):
        choose(
            pairs, &work.lists[lane], first + lane, k, work.nearest, work.heap, work.lowers, &out[first + lane, 0]
        )


def select_dense(
    Py_ssize_t first,
    Py_ssize_t last,
    bint counted,
    const float[:, ::1] sums,
    const float[::1] base,
    const float[::1] top,
    const float[::1] slope,
    const float[::1] lane_slope,
    const int[::1] columns,
    const double[::1] weights,
    const double[::1] low,
    const double[::1] span,
    const int[::1] n_values,
    const double[:, ::1] test,
    const double[:, ::1] train,
    int[:, ::1] out,
):
    """Write the K nearest training rows of the test rows first .. last - 1, in index order.

    Parameters
    ----------
    counted : lower bounds are in the very order of the exact distances
    sums : (n_train, B) sums of products, B at least last - first and a multiple of TILE_LANES
    base, top : (n_train,) the training row's norm less and plus its error; -inf and inf where nothing is known
    slope, lane_slope : (n_train,) and (n_test,) slope times lane_slope bounds the error of a sum; an infinite
        lane_slope says that nothing is known
    columns : features with a positive weight, in index order
    weights, low, span, n_values : (F,) weight, minimum, range and number of categories (0: numeric) of each feature
    test, train : (n_test, F) and (n_train, F) feature values, NaN missing
    out : (n_test, K) filled in rows first .. last - 1
    """
    cdef Py_ssize_t begin
    cdef Pairs pairs = make_pairs(False, counted, columns, weights, low, span, n_values)
    cdef Bounds bounds = Bounds(base.shape[0], &base[0], &top[0], &slope[0], &lane_slope[0])
    cdef Workspace work
    pairs.test.value = &test[0, 0]
    pairs.train.value = &train[0, 0]
    with nogil:
        begin = first
        while begin < last:
            choose_lanes(&pairs, &bounds, &sums[0, begin - first], sums.shape[1], begin, last, work, out)
            begin += TILE_LANES


cdef cppclass TestTile:
    """Cells of TILE_LANES test rows, those of one column together, and the columns that any of them has."""
    vector[float] held
    float* cells
    vector[int] columns
    vector[char] is_met


cdef void spread(
    Py_ssize_t first, Py_ssize_t last, const long long[::1] start, const int[::1] index, const double[::1] value,
    const double[::1] factor, const float[::1] lane_slope, TestTile &tile
) noexcept nogil:
    """Fill the cells."""
    cdef Py_ssize_t lane, p
    cdef int column
    for lane in range(min(TILE_LANES, last - first)):
        if not isfinite(lane_slope[first + lane]):
            continue  # cells that single precision may not hold; every training row is on the shortlist anyway
        for p in range(start[first + lane], start[first + lane + 1]):
            column = index[p]
            if factor[column] == 0.0:
                continue
            tile.cells[TILE_LANES * column + lane] = <float> (value[p] * factor[column])
            if not tile.is_met[column]:
                tile.is_met[column] = 1
                tile.columns.push_back(column)


cdef void clear(TestTile &tile) noexcept nogil:
    cdef size_t c
    for c in range(tile.columns.size()):
        memset(tile.cells + TILE_LANES * tile.columns[c], 0, TILE_LANES * sizeof(float))
        tile.is_met[tile.columns[c]] = 0
    tile.columns.clear()


def select_sparse(
    Py_ssize_t first,
    Py_ssize_t last,
    bint counted,
    const float[::1] base,
    const float[::1] top,
    const float[::1] slope,
    const float[::1] lane_slope,
    const int[::1] columns,
    const double[::1] weights,
    const double[::1] low,
    const double[::1] span,
    const int[::1] n_values,
    const long long[::1] test_start,
    const int[::1] test_index,
    const double[::1] test_value,
    const long long[::1] train_start,
    const int[::1] train_index,
    const double[::1] train_value,
    const long long[::1] left_start,
    const int[::1] left_index,
    const double[::1] left_value,
    const double[::1] left_factor,
    const long long[::1] right_start,
    const int[::1] right_index,
    const float[::1] right_value,
    const long long[::1] list_start,
    const int[::1] list_row,
    const float[::1] list_value,
    int[:, ::1] out,
):
    """Write the K nearest training rows of the test rows first .. last - 1, in index order.

    Parameters
    ----------
    counted, base, top, slope, lane_slope, columns, weights, low, span, n_values, out : as in `select_dense`
    test_*, train_* : (n_test, F) and (n_train, F) CSR arrays without stored zeros, indices sorted
    left_* : (n_test, C) CSR array, the left columns, to be multiplied by left_factor (C,)
    right_* : (n_train, C) CSR array, a part of the right columns; values that are all 1 may be left out
    list_* : (n_train, C) CSC array, the other part; those of columns that a test row has are added up one by one
    """
    cdef Py_ssize_t n_train = base.shape[0], row, column, begin
    cdef size_t c
    cdef Pairs pairs = make_pairs(True, counted, columns, weights, low, span, n_values)
    cdef Bounds bounds = Bounds(n_train, &base[0], &top[0], &slope[0], &lane_slope[0])
    cdef const float* right = &right_value[0] if right_value.shape[0] else NULL
    cdef const int* right_column = &right_index[0] if right_index.shape[0] else NULL
    cdef const int* list_rows = &list_row[0] if list_row.shape[0] else NULL
    cdef const float* list_values = &list_value[0] if list_value.shape[0] else NULL
    cdef TestTile tile
    cdef vector[float] held
    cdef float* sums
    cdef Workspace work
    pairs.test = make_rows(test_start, test_index, test_value)
    pairs.train = make_rows(train_start, train_index, train_value)
    with nogil:
        tile.held.resize(<size_t> (TILE_LANES * (left_factor.shape[0] + 1)))
        tile.cells = aligned_tile(tile.held.data())
        tile.is_met.resize(<size_t> left_factor.shape[0])
        held.resize(<size_t> (TILE_LANES * (n_train + 1)))
        sums = aligned_tile(held.data())
        row = first
        while row < last:
            spread(row, last, left_start, left_index, left_value, left_factor, lane_slope, tile)
            multiply_rows(tile.cells, n_train, &right_start[0], right_column, right, sums)
            for c in range(tile.columns.size()):
                column = tile.columns[c]
                begin = list_start[column]
                multiply_list(
                    tile.cells + TILE_LANES * column, list_start[column + 1] - begin, list_rows + begin,
                    list_values + begin if list_values != NULL else NULL, sums
                )
            clear(tile)
            choose_lanes(&pairs, &bounds, sums, TILE_LANES, row, last, work, out)
            row += TILE_LANES


def count_votes(
    const int[:, ::1] neighbors,
    const long long[::1] label_indptr,
    const int[::1] label_indices,
    Count[:, ::1] out,
):
    """Add to `out` (n_test, L) how many of each row's neighbours carry each label; labels of the training rows as CSR."""
    cdef Py_ssize_t i, j, p
    with nogil:
        for i in range(neighbors.shape[0]):
            for j in range(neighbors.shape[1]):
                for p in range(label_indptr[neighbors[i, j]], label_indptr[neighbors[i, j] + 1]):
                    out[i, label_indices[p]] += 1
