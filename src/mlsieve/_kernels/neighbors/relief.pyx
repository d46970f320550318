"""Relief for several targets: nearest examples by Manhattan distance, and the sums that its scores are made of.

The distance of two examples is the sum of the features' distances in feature order, in double precision; the
neighbours are the K others with the smallest distances. Those that differ by no more than `TIE` of the largest
distance that two rows can have, one a feature, are a tie, and the lower row comes first: rounding, which depends on
the order of the features, decides nothing. Summing every pair in double precision would be slow, so a single precision
sum over tiles of rows (dense) or a pass over inverted lists (sparse) sorts out the rows that cannot be among them; the
few others are summed exactly. The result depends neither on the approximation's rounding, nor on dense or sparse
storage, nor on the number of threads.

Functions here check nothing: the facade in `mlsieve.relief.multi_label` owns and validates the arrays.
"""

from libc.math cimport INFINITY, fabs
from libcpp.vector cimport vector

from mlsieve._kernels.common.simd cimport LANES
from mlsieve._kernels.neighbors.label_set_distance cimport TargetDistance, Targets, target_distance
from mlsieve._kernels.neighbors.nearest_rows cimport Candidate, feature_distance, kth_smallest, order_with_ties

cdef extern from *:
    """
    #include <cmath>
    // total[r] += sum_c |own[c] - tile[c, r]|
    MLSIEVE_WIDEST
    static void add_differences(const float* own, const float* tile, long n_columns, double* total) {
        for (long first = 0; first < n_columns; first += CHUNK) {
            const long last = first + CHUNK < n_columns ? first + CHUNK : n_columns;
            float sum[TILE_ROWS] = {0};
            for (long c = first; c < last; ++c) {
                const float value = own[c];
                const float* column = tile + c * TILE_ROWS;
                for (int r = 0; r < TILE_ROWS; ++r) sum[r] += std::fabs(value - column[r]);
            }
            for (int r = 0; r < TILE_ROWS; ++r) total[r] += sum[r];
        }
    }

    // The same for a nominal column: share[r] is 1 where the cell is missing, else 0. Products with 0 and 1 are exact,
    // and compilers make vectors of them where they would leave nested conditions as branches.
    MLSIEVE_WIDEST
    static void add_nominal(bool missing, float value, float unknown, const float* column, const float* share,
                            double* total) {
        if (missing) {
            for (int r = 0; r < TILE_ROWS; ++r) total[r] += unknown;
        } else {
            for (int r = 0; r < TILE_ROWS; ++r) {
                const float differs = value != column[r] ? 1.0f : 0.0f;
                total[r] += (1.0f - share[r]) * differs + share[r] * unknown;
            }
        }
    }
    """
    void add_differences(const float* own, const float* tile, long n_columns, double* total) noexcept nogil
    void add_nominal(
        bint missing, float value, float unknown, const float* column, const float* share, double* total
    ) noexcept nogil


# ---------------------------------------------------------------------------------------------- two examples


cdef inline double cell_distance(const Rows* rows, Py_ssize_t i, double a, double b) noexcept nogil:
    return feature_distance(a, b, rows.low[i], rows.span[i], rows.n_values[i])


cdef double compare(
    const Rows* rows, Py_ssize_t a, Py_ssize_t b, vector[int] &differing, vector[double] &parts
) noexcept nogil:
    """List the features in which two examples differ and by how much; return the sum, in feature order."""
    cdef double total = 0.0, d, x, y
    cdef Py_ssize_t i
    cdef long long p, q, p_end, q_end
    cdef const double* left
    cdef const double* right
    differing.clear()
    parts.clear()
    if rows.cells != NULL:
        left = rows.cells + a * rows.n_features
        right = rows.cells + b * rows.n_features
        for i in range(rows.n_features):
            if left[i] == right[i]:
                continue
            d = cell_distance(rows, i, left[i], right[i])
            total += d
            differing.push_back(<int> i)
            parts.push_back(d)
        return total
    p = rows.start[a]
    p_end = rows.start[a + 1]
    q = rows.start[b]
    q_end = rows.start[b + 1]
    while p < p_end or q < q_end:
        if q == q_end or (p < p_end and rows.feature[p] < rows.feature[q]):
            i = rows.feature[p]
            x = rows.value[p]
            y = 0.0
            p += 1
        elif p == p_end or rows.feature[q] < rows.feature[p]:
            i = rows.feature[q]
            x = 0.0
            y = rows.value[q]
            q += 1
        else:
            i = rows.feature[p]
            x = rows.value[p]
            y = rows.value[q]
            p += 1
            q += 1
            if x == y:
                continue
        d = cell_distance(rows, i, x, y)
        total += d
        differing.push_back(<int> i)
        parts.push_back(d)
    return total


# ---------------------------------------------------------------------------------------------- one example


cdef void find_nearest(
    const Rows* rows, Py_ssize_t own, const double* approximate, Py_ssize_t n, double limit,
    vector[Candidate] &nearest, vector[int] &differing, vector[double] &parts
) noexcept nogil:
    """Put the others within the limit, and a tie more, in order of their distances; those that overflowed, too."""
    cdef Py_ssize_t row
    cdef double tie = TIE * rows.n_features
    limit += tie
    nearest.clear()
    for row in range(n):
        if not (approximate[row] > limit) and row != own:
            nearest.push_back(Candidate(compare(rows, own, row, differing, parts), <int> row))
    order_with_ties(nearest, tie)


cdef void add_example(
    const Rows* rows, const Targets* targets, Py_ssize_t own, vector[Candidate] &nearest,
    const int[::1] k_values, const double[::1] neighbor_weights, vector[int] &differing, vector[double] &parts,
    vector[int] &touched, double* sum_unlike, double* sum_alike, double[:, ::1] unlike, double[:, ::1] alike,
    double[::1] T, double[::1] T_alike
) noexcept nogil:
    """Add one example's means over its nearest 1 .. K, for each K."""
    cdef Py_ssize_t j = 0, kth, i
    cdef size_t s
    cdef double weight, total = 0.0, sum_t = 0.0, sum_rest = 0.0, t, d
    touched.clear()
    for kth in range(k_values.shape[0]):
        while j < k_values[kth]:
            compare(rows, own, nearest[j].second, differing, parts)
            t = target_distance(targets, own, nearest[j].second)
            weight = neighbor_weights[j]
            total += weight
            sum_t += weight * t
            sum_rest += weight * (1.0 - t)
            for s in range(differing.size()):
                i = differing[s]
                d = weight * parts[s]
                if d == 0.0:
                    continue
                if sum_unlike[i] == 0.0 and sum_alike[i] == 0.0:
                    touched.push_back(<int> i)
                sum_unlike[i] += d * t
                sum_alike[i] += d * (1.0 - t)
            j += 1
        T[kth] += sum_t / total
        T_alike[kth] += sum_rest / total
        for s in range(touched.size()):
            i = touched[s]
            unlike[kth, i] += sum_unlike[i] / total
            alike[kth, i] += sum_alike[i] / total
    for s in range(touched.size()):
        sum_unlike[touched[s]] = 0.0
        sum_alike[touched[s]] = 0.0


# ---------------------------------------------------------------------------------------------- approximate distances


cdef void approximate_dense(
    const int[::1] examples, const float[:, :, ::1] plain, const double[::1] offset, const float[:, :, :, ::1] other,
    const int[::1] other_n_values, vector[float] &own, double* approximate
) noexcept nogil:
    """Distances of each example to all rows, (B, n_tiles * TILE_ROWS); a tile stays in the cache for all examples."""
    cdef Py_ssize_t n_tiles = plain.shape[0], n_plain = plain.shape[1], n_other = other.shape[1]
    cdef Py_ssize_t n_examples = examples.shape[0], e, tile, c, r, home, seat
    cdef double* total
    cdef float unknown
    own.resize(n_examples * n_plain + 1)
    for e in range(n_examples):
        total = approximate + e * n_tiles * TILE_ROWS
        for r in range(n_tiles * TILE_ROWS):
            total[r] = offset[examples[e]] + offset[r]
        for c in range(n_plain):
            own[e * n_plain + c] = plain[examples[e] // TILE_ROWS, c, examples[e] % TILE_ROWS]
    for tile in range(n_tiles):
        for e in range(n_examples):
            total = approximate + (e * n_tiles + tile) * TILE_ROWS
            if n_plain > 0:
                add_differences(own.data() + e * n_plain, &plain[tile, 0, 0], n_plain, total)
            home = examples[e] // TILE_ROWS
            seat = examples[e] % TILE_ROWS
            for c in range(n_other):
                unknown = <float> (1.0 - 1.0 / other_n_values[c])
                add_nominal(
                    other[home, c, 1, seat] > 0.5, other[home, c, 0, seat], unknown,
                    &other[tile, c, 0, 0], &other[tile, c, 1, 0], total
                )


cdef void approximate_sparse(
    const Rows* rows, Py_ssize_t own, Py_ssize_t n, const unsigned char[::1] kind, const long long[::1] list_start,
    const int[::1] list_row, const double[::1] list_value, const double[::1] origin, const double[::1] from_origin,
    double* approximate
) noexcept nogil:
    """d(a, b) = d(a, o) + d(b, o) + a correction where both have an entry; o, the origin, is 0 where one has none.

    kind: 1 all entries equal, 2 complete, 0 other.
    """
    cdef Py_ssize_t r, i
    cdef long long p, q
    cdef double value, scaled, other, own_origin, correction
    for r in range(n):
        approximate[r] = from_origin[own] + from_origin[r]
    for p in range(rows.start[own], rows.start[own + 1]):
        i = rows.feature[p]
        value = rows.value[p]
        own_origin = cell_distance(rows, i, value, origin[i])
        if kind[i] == 1:
            correction = 2.0 * own_origin
            for q in range(list_start[i], list_start[i + 1]):
                approximate[list_row[q]] -= correction
        elif kind[i] == 2:
            scaled = (value - origin[i]) / rows.span[i]
            for q in range(list_start[i], list_start[i + 1]):
                other = (list_value[q] - origin[i]) / rows.span[i]
                approximate[list_row[q]] += fabs(scaled - other) - fabs(scaled) - fabs(other)
        else:
            for q in range(list_start[i], list_start[i + 1]):
                approximate[list_row[q]] += (
                    cell_distance(rows, i, value, list_value[q])
                    - own_origin
                    - cell_distance(rows, i, origin[i], list_value[q])
                )


# ---------------------------------------------------------------------------------------------- blocks of examples


def relief_dense(
    const int[::1] examples,
    const int[::1] k_values,
    const double[::1] neighbor_weights,
    const double[:, ::1] cells,
    const double[::1] low,
    const double[::1] span,
    const int[::1] n_values,
    const float[:, :, ::1] plain,
    const double[::1] offset,
    const float[:, :, :, ::1] other,
    const int[::1] other_n_values,
    const long long[::1] label_start,
    const int[::1] label,
    int distance,
    double n_labels,
    const double[::1] label_weights,
    double divisor,
    double most,
    double[:, ::1] unlike,
    double[:, ::1] alike,
    double[::1] T,
    double[::1] T_alike,
):
    """Add the means of some examples, in their order.

    Parameters
    ----------
    examples : (B,) rows
    k_values : numbers of neighbours, rising
    neighbor_weights : (K,) weight of the first, second, ... neighbour
    cells : (n, F) feature values, NaN missing
    low, span, n_values : (F,) minimum, range and number of categories (0: numeric) of each feature
    plain : (n_tiles, P, TILE_ROWS) scaled cells of the features that are numeric, or of two values and complete; a
        missing cell is 1/2
    offset : (n_tiles * TILE_ROWS,) half the number of missing cells of each row in `plain`: with t scaled,
        max(t, 1 - t) = |t - 1/2| + 1/2 is the distance to a missing cell, and 1/2 + 1/2 that of two of them
    other : (n_tiles, Q, 2, TILE_ROWS) category, 1 if missing, of the others
    other_n_values : (Q,) number of categories of the others
    label_start, label : labels as CSR
    distance : 0 Hamming, 1 accuracy, 2 F1, 3 subset, 4 root of the weight of the labels that differ, 5 this weight
    n_labels : number of labels
    label_weights : (L,) of distances 4 and 5; of no length for others
    divisor : by which 4 and 5 are divided; with 0 all label sets are at distance 0
    most : where distances 4 and 5 are cut off
    unlike, alike : (K values, F) sums of the means of d_i d_L and of d_i (1 - d_L)
    T, T_alike : (K values,) sums of the means of d_L and of 1 - d_L: the latter loses no digits where d_L is near 1
    """
    cdef Rows rows = Rows(cells.shape[1], NULL, NULL, NULL, NULL, &low[0], &span[0], &n_values[0])
    cdef Targets targets = Targets(
        <TargetDistance> distance, n_labels, &label_start[0], NULL, NULL, divisor, most
    )
    cdef Py_ssize_t n = cells.shape[0], width = plain.shape[0] * TILE_ROWS, e
    cdef Py_ssize_t k = k_values[k_values.shape[0] - 1]
    cdef double ulp = 1.0 / 16777216.0, tolerance, kth
    cdef double* row
    cdef vector[double] approximate
    cdef vector[double] heap
    cdef vector[double] parts
    cdef vector[double] sum_unlike
    cdef vector[double] sum_alike
    cdef vector[float] own
    cdef vector[int] differing
    cdef vector[int] touched
    cdef vector[Candidate] nearest
    rows.cells = &cells[0, 0]
    if label.shape[0]:
        targets.label = &label[0]
    if label_weights.shape[0]:
        targets.weight = &label_weights[0]
    with nogil:
        sum_unlike.assign(cells.shape[1], 0.0)
        sum_alike.assign(cells.shape[1], 0.0)
        approximate.resize(examples.shape[0] * width)
        approximate_dense(examples, plain, offset, other, other_n_values, own, approximate.data())
        for e in range(examples.shape[0]):
            row = approximate.data() + e * width
            row[examples[e]] = INFINITY
            kth = kth_smallest(row, n, k, heap)
            # Each scaled cell is rounded once, each sum of a chunk CHUNK times; and so for both distances.
            tolerance = ulp * (2.0 * cells.shape[1] + (CHUNK + 8) * kth)
            find_nearest(&rows, examples[e], row, n, kth + 2.5 * tolerance, nearest, differing, parts)
            add_example(
                &rows, &targets, examples[e], nearest, k_values, neighbor_weights, differing, parts, touched,
                sum_unlike.data(), sum_alike.data(), unlike, alike, T, T_alike
            )


def relief_sparse(
    const int[::1] examples,
    const int[::1] k_values,
    const double[::1] neighbor_weights,
    const long long[::1] start,
    const int[::1] feature,
    const double[::1] value,
    const double[::1] low,
    const double[::1] span,
    const int[::1] n_values,
    const unsigned char[::1] kind,
    const long long[::1] list_start,
    const int[::1] list_row,
    const double[::1] list_value,
    const double[::1] origin,
    const double[::1] from_origin,
    const long long[::1] label_start,
    const int[::1] label,
    int distance,
    double n_labels,
    const double[::1] label_weights,
    double divisor,
    double most,
    double[:, ::1] unlike,
    double[:, ::1] alike,
    double[::1] T,
    double[::1] T_alike,
):
    """The same from sparse rows; parameters as in `relief_dense`, and

    start, feature, value : the examples as CSR without stored zeros, nor entries of features that never differ
    kind : (F,) 1 where all entries are equal, 2 where they are numeric and complete, 0 for others
    list_start, list_row, list_value : the same as CSC
    origin : (F,) value from which the distances of a feature's entries are measured; 0 where a row has no entry
    from_origin : (n,) distance of each example to the origin
    """
    cdef Rows rows = Rows(low.shape[0], NULL, &start[0], NULL, NULL, &low[0], &span[0], &n_values[0])
    cdef Targets targets = Targets(
        <TargetDistance> distance, n_labels, &label_start[0], NULL, NULL, divisor, most
    )
    cdef Py_ssize_t n = from_origin.shape[0], e, r
    cdef Py_ssize_t k = k_values[k_values.shape[0] - 1]
    cdef double tolerance, kth, largest = 0.0
    cdef vector[double] approximate
    cdef vector[double] heap
    cdef vector[double] parts
    cdef vector[double] sum_unlike
    cdef vector[double] sum_alike
    cdef vector[int] differing
    cdef vector[int] touched
    cdef vector[Candidate] nearest
    if feature.shape[0]:
        rows.feature = &feature[0]
        rows.value = &value[0]
    if label.shape[0]:
        targets.label = &label[0]
    if label_weights.shape[0]:
        targets.weight = &label_weights[0]
    with nogil:
        sum_unlike.assign(low.shape[0], 0.0)
        sum_alike.assign(low.shape[0], 0.0)
        approximate.resize(n)
        for r in range(n):
            largest = max(largest, from_origin[r])
        for e in range(examples.shape[0]):
            approximate_sparse(
                &rows, examples[e], n, kind, list_start, list_row, list_value, origin, from_origin, approximate.data()
            )
            approximate[examples[e]] = INFINITY
            tolerance = 1e-15 * (2.0 * low.shape[0] + 16.0) * (from_origin[examples[e]] + largest)
            kth = kth_smallest(approximate.data(), n, k, heap)
            find_nearest(
                &rows, examples[e], approximate.data(), n, kth + 2.5 * tolerance, nearest, differing, parts
            )
            add_example(
                &rows, &targets, examples[e], nearest, k_values, neighbor_weights, differing, parts, touched,
                sum_unlike.data(), sum_alike.data(), unlike, alike, T, T_alike
            )


def tile_rows():
    """Rows of a tile of `relief_dense`."""
    return TILE_ROWS
