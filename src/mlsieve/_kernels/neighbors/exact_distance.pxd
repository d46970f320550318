"""The exact squared distance of a test row and a training row, dense or sparse: a sum in feature order."""

from mlsieve._kernels.neighbors.nearest_rows cimport feature_distance


cdef struct Rows:
    # Of dense rows only `value`, cell by cell; of sparse ones CSR without zeros, indices sorted.
    const double* value
    const long long* start
    const int* index


cdef struct Pairs:
    # All that the exact distance of a test row and a training row takes.
    Rows test
    Rows train
    bint is_sparse
    bint counted  # lower bounds are in the very order of the exact distances
    Py_ssize_t n_features
    Py_ssize_t n_columns
    const int* columns  # features with a positive weight, in index order
    const double* weights
    const double* low
    const double* span
    const int* n_values


cdef inline Pairs make_pairs(
    bint is_sparse, bint counted, const int[::1] columns, const double[::1] weights, const double[::1] low,
    const double[::1] span, const int[::1] n_values
) noexcept:
    cdef Pairs pairs
    pairs.is_sparse = is_sparse
    pairs.counted = counted
    pairs.n_features = weights.shape[0]
    pairs.n_columns = columns.shape[0]
    pairs.columns = &columns[0] if columns.shape[0] else NULL
    pairs.weights = &weights[0]
    pairs.low = &low[0]
    pairs.span = &span[0]
    pairs.n_values = &n_values[0]
    return pairs


cdef inline Rows make_rows(const long long[::1] start, const int[::1] index, const double[::1] value) noexcept:
    cdef Rows rows
    rows.start = &start[0]
    rows.index = &index[0] if index.shape[0] else NULL
    rows.value = &value[0] if value.shape[0] else NULL
    return rows


cdef inline double squared_distance(const Pairs* pairs, Py_ssize_t feature, double a, double b) noexcept nogil:
    cdef double d = feature_distance(a, b, pairs.low[feature], pairs.span[feature], pairs.n_values[feature])
    return pairs.weights[feature] * (d * d)


cdef inline double dense_distance(const Pairs* pairs, Py_ssize_t row, Py_ssize_t other, double bound) noexcept nogil:
    """Exact squared distance, or something above the bound if it is."""
    cdef const double* a = pairs.test.value + row * pairs.n_features
    cdef const double* b = pairs.train.value + other * pairs.n_features
    cdef double total = 0.0
    cdef Py_ssize_t c, feature
    for c in range(pairs.n_columns):
        feature = pairs.columns[c]
        total += squared_distance(pairs, feature, a[feature], b[feature])
        if total > bound:
            break
    return total


cdef inline double sparse_distance(const Pairs* pairs, Py_ssize_t row, Py_ssize_t other, double bound) noexcept nogil:
    """The same for sparse rows."""
    cdef Py_ssize_t p = pairs.test.start[row], p_end = pairs.test.start[row + 1]
    cdef Py_ssize_t q = pairs.train.start[other], q_end = pairs.train.start[other + 1]
    cdef double total = 0.0, a, b
    cdef int feature, of_test, of_train
    while p < p_end or q < q_end:
        of_test = pairs.test.index[p] if p < p_end else <int> pairs.n_features
        of_train = pairs.train.index[q] if q < q_end else <int> pairs.n_features
        feature = min(of_test, of_train)
        a = b = 0.0
        if of_test == feature:
            a = pairs.test.value[p]
            p += 1
        if of_train == feature:
            b = pairs.train.value[q]
            q += 1
        if pairs.weights[feature] == 0.0:
            continue
        total += squared_distance(pairs, feature, a, b)
        if total > bound:
            break
    return total


cdef inline double exact_distance(
    const Pairs* pairs, Py_ssize_t row, Py_ssize_t other, double bound
) noexcept nogil:
    if pairs.is_sparse:
        return sparse_distance(pairs, row, other, bound)
    return dense_distance(pairs, row, other, bound)
