"""Approximate distances of examples to all rows, dense or sparse; `comparison.pxd` has the exact ones."""

from libc.math cimport INFINITY, fabs
from libcpp.vector cimport vector

from mlsieve._kernels.common.simd cimport LANES

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


# ---------------------------------------------------------------------------------------------- rows


cdef class Comparison:
    """Rows of one dataset, as the kernels compare them."""

    cdef double* approximate(self, const int[::1] examples, Py_ssize_t e, Approximate &found) noexcept nogil:
        """Return the approximate distances of the e-th example to all rows, infinity to itself; ask from e = 0 on."""
        return NULL


cdef class DenseComparison(Comparison):
    """Dense rows.

    Parameters
    ----------
    cells : (n, F) feature values, NaN missing
    low, span, n_values : (F,) minimum, range and number of categories (0: numeric) of each feature
    plain : (n_tiles, P, TILE_ROWS) scaled cells of the features that are numeric, or of two values and complete; a
        missing cell is 1/2
    offset : (n_tiles * TILE_ROWS,) half the number of missing cells of each row in `plain`: with t scaled,
        max(t, 1 - t) = |t - 1/2| + 1/2 is the distance to a missing cell, and 1/2 + 1/2 that of two of them
    other : (n_tiles, Q, 2, TILE_ROWS) category, 1 if missing, of the others
    other_n_values : (Q,) number of categories of the others
    """

    cdef const float[:, :, ::1] plain
    cdef const double[::1] offset
    cdef const float[:, :, :, ::1] other
    cdef const int[::1] other_n_values

    def __init__(
        self,
        const double[:, ::1] cells,
        const double[::1] low,
        const double[::1] span,
        const int[::1] n_values,
        const float[:, :, ::1] plain,
        const double[::1] offset,
        const float[:, :, :, ::1] other,
        const int[::1] other_n_values,
    ):
        self.rows = Rows(
            cells.shape[0], cells.shape[1], &cells[0, 0], NULL, NULL, NULL, &low[0], &span[0], &n_values[0]
        )
        self.arrays = cells, low, span, n_values
        self.plain, self.offset, self.other, self.other_n_values = plain, offset, other, other_n_values

    cdef double* approximate(self, const int[::1] examples, Py_ssize_t e, Approximate &found) noexcept nogil:
        """All examples' at once."""
        cdef Py_ssize_t width = self.plain.shape[0] * TILE_ROWS
        cdef double ulp = 1.0 / 16777216.0
        if e == 0:
            found.distances.resize(examples.shape[0] * width)
            approximate_dense(
                examples, self.plain, self.offset, self.other, self.other_n_values, found.own, found.distances.data()
            )
            # Each scaled cell is rounded once, each sum of a chunk CHUNK times; and so for both distances.
            found.tolerance = ulp * 2.0 * self.rows.n_features
            found.relative = ulp * (CHUNK + 8)
        cdef double* distances = found.distances.data() + e * width
        distances[examples[e]] = INFINITY
        return distances


cdef class SparseComparison(Comparison):
    """Sparse rows.

    Parameters
    ----------
    start, feature, value : the rows as CSR without stored zeros, nor entries of features that never differ
    low, span, n_values : as in `DenseComparison`
    kind : (F,) 1 where all entries are equal, 2 where they are numeric and complete, 0 for others
    list_start, list_row, list_value : the same as CSC
    origin : (F,) value from which the distances of a feature's entries are measured; 0 where a row has no entry
    from_origin : (n,) distance of each row to the origin
    """

    cdef const unsigned char[::1] kind
    cdef const long long[::1] list_start
    cdef const int[::1] list_row
    cdef const double[::1] list_value, origin, from_origin
    cdef double largest            # distance to the origin

    def __init__(
        self,
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
    ):
        cdef Py_ssize_t r
        self.rows = Rows(
            from_origin.shape[0], low.shape[0], NULL, &start[0], NULL, NULL, &low[0], &span[0], &n_values[0]
        )
        if feature.shape[0]:
            self.rows.feature = &feature[0]
            self.rows.value = &value[0]
        self.arrays = start, feature, value, low, span, n_values
        self.kind, self.list_start, self.list_row, self.list_value = kind, list_start, list_row, list_value
        self.origin, self.from_origin = origin, from_origin
        self.largest = 0.0
        for r in range(self.rows.n):
            self.largest = max(self.largest, from_origin[r])

    cdef double* approximate(self, const int[::1] examples, Py_ssize_t e, Approximate &found) noexcept nogil:
        """One example's at a time."""
        cdef Py_ssize_t own = examples[e]
        found.distances.resize(self.rows.n)
        approximate_sparse(
            &self.rows, own, self.rows.n, self.kind, self.list_start, self.list_row, self.list_value, self.origin,
            self.from_origin, found.distances.data()
        )
        found.distances[own] = INFINITY
        found.tolerance = 1e-15 * (2.0 * self.rows.n_features + 16.0) * (self.from_origin[own] + self.largest)
        found.relative = 0.0
        return found.distances.data()


def tile_rows():
    """Rows of a tile of `DenseComparison`."""
    return TILE_ROWS
