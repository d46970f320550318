"""Exact K nearest training rows under a weighted feature distance, and their votes.

The squared distance of two rows is ``sum_i w_i d_i^2`` over the features in index order, in double precision; the
neighbours are the K rows with the smallest (squared distance, row index). Summing every pair in that order would be
slow, so a cheap approximation (a matrix product for dense rows, inverted lists for sparse ones) sorts out the rows
that are certainly in or out: those further than twice the tolerance from the K-th smallest approximation. Only the
rows in between are summed exactly. The result therefore depends neither on the approximation's rounding, nor on
dense or sparse storage, nor on the number of threads.

Functions here check nothing: the facade in `mlsieve.evaluators` owns and validates the arrays.
"""

from libc.math cimport INFINITY, isfinite
from libcpp.algorithm cimport pop_heap, push_heap, sort
from libcpp.vector cimport vector

from mlsieve._kernels._nearest cimport Candidate, feature_distance, kth_smallest

ctypedef fused Count:
    unsigned char
    unsigned short
    unsigned int


cdef void split_rows(
    const double[:, ::1] approximate, Py_ssize_t row, Py_ssize_t k, double tolerance,
    vector[double] &heap, vector[int] &chosen, vector[int] &border,
) noexcept nogil:
    """Sort training rows into those certainly among the K nearest and those to be looked at exactly.

    A row whose approximation lies more than twice the tolerance below the K-th smallest can be beaten by K - 2 others
    at most; one that lies as far above it cannot enter. Without a finite tolerance every row is looked at.
    """
    cdef Py_ssize_t j
    cdef double centre, lower, upper, value
    chosen.clear()
    border.clear()
    if not isfinite(tolerance):
        for j in range(approximate.shape[1]):
            border.push_back(<int> j)
        return
    centre = kth_smallest(&approximate[row, 0], approximate.shape[1], k, heap)
    lower = centre - 2.0 * tolerance
    upper = centre + 2.0 * tolerance
    for j in range(approximate.shape[1]):
        value = approximate[row, j]
        if value <= upper:
            if value < lower:
                chosen.push_back(<int> j)
            else:
                border.push_back(<int> j)


cdef inline void keep_nearer(vector[Candidate] &heap, size_t slots, double distance, int row) noexcept nogil:
    """Add a row to the `slots` nearest so far. Rows come in index order, so an equal distance never displaces."""
    if heap.size() < slots:
        heap.push_back(Candidate(distance, row))
        push_heap(heap.begin(), heap.end())
    elif distance < heap[0].first:
        pop_heap(heap.begin(), heap.end())
        heap[slots - 1] = Candidate(distance, row)
        push_heap(heap.begin(), heap.end())


cdef void write_chosen(
    vector[int] &chosen, vector[Candidate] &nearest, int[:, ::1] out, Py_ssize_t row
) noexcept nogil:
    cdef size_t j
    for j in range(nearest.size()):
        chosen.push_back(nearest[j].second)
    sort(chosen.begin(), chosen.end())
    for j in range(chosen.size()):
        out[row, j] = chosen[j]


def select_dense(
    const double[:, ::1] approximate,
    const double[::1] tolerance,
    Py_ssize_t first,
    const double[:, ::1] test,
    const double[:, ::1] train,
    const int[::1] columns,
    const double[::1] weights,
    const double[::1] low,
    const double[::1] span,
    const int[::1] n_values,
    int[:, ::1] out,
):
    """Write the K nearest training rows of a block of test rows, in index order.

    Parameters
    ----------
    approximate : (B, n_train) approximate squared distances of test rows first .. first + B - 1
    tolerance : (B,) bound on the error of the approximation and of the exact sum
    first : number of the block's first test row
    test, train : (n_test, F) and (n_train, F) feature values, NaN missing
    columns : features with a positive weight, in index order
    weights, low, span, n_values : (F,) weight, minimum, range and number of categories (0: numeric) of each feature
    out : (n_test, K) filled in rows first .. first + B - 1
    """
    cdef Py_ssize_t k = out.shape[1]
    cdef Py_ssize_t i, c, row, feature
    cdef size_t b, slots
    cdef int other
    cdef double total, bound, d
    cdef vector[double] heap
    cdef vector[int] chosen
    cdef vector[int] border
    cdef vector[Candidate] nearest
    with nogil:
        for i in range(approximate.shape[0]):
            row = first + i
            split_rows(approximate, i, k, tolerance[i], heap, chosen, border)
            nearest.clear()
            slots = k - chosen.size()
            if border.size() == slots:
                for b in range(border.size()):
                    chosen.push_back(border[b])
            else:
                for b in range(border.size()):
                    other = border[b]
                    bound = nearest[0].first if nearest.size() == slots else INFINITY
                    total = 0.0
                    for c in range(columns.shape[0]):
                        feature = columns[c]
                        d = feature_distance(
                            test[row, feature], train[other, feature], low[feature], span[feature], n_values[feature]
                        )
                        total += weights[feature] * (d * d)
                        if total > bound:
                            break
                    keep_nearer(nearest, slots, total, other)
            write_chosen(chosen, nearest, out, row)


def select_sparse(
    Py_ssize_t first,
    Py_ssize_t last,
    const double[::1] weights,
    const double[::1] low,
    const double[::1] span,
    const int[::1] n_values,
    const unsigned char[::1] missing,
    const long long[::1] test_indptr,
    const int[::1] test_indices,
    const double[::1] test_data,
    const long long[::1] train_indptr,
    const int[::1] train_indices,
    const double[::1] train_data,
    const long long[::1] list_indptr,
    const int[::1] list_rows,
    const double[::1] list_data,
    const double[::1] test_norms,
    const double[::1] train_norms,
    double relative_tolerance,
    double[:, ::1] approximate,
    int[:, ::1] out,
):
    """Write the K nearest training rows of test rows first .. last - 1, in index order.

    Parameters
    ----------
    weights, low, span, n_values : as in `select_dense`
    missing : (F,) 1 for features with a missing cell
    test_*, train_* : CSR arrays without stored zeros, indices sorted
    list_* : the training rows once more, as CSC: for each feature the rows where it is not 0
    test_norms, train_norms : squared distance of each row to the row of zeros
    relative_tolerance : error of the approximation as a share of the largest sum of two norms
    approximate : (1, n_train) working space
    out : (n_test, K)
    """
    cdef Py_ssize_t k = out.shape[1]
    cdef Py_ssize_t n_train = train_norms.shape[0]
    cdef Py_ssize_t row, j, p, q, p_end, q_end, feature
    cdef size_t b, slots
    cdef int other
    cdef double value, weight, factor, from_zero, d, e, total, bound, largest = 0.0
    cdef vector[double] heap
    cdef vector[int] chosen
    cdef vector[int] border
    cdef vector[Candidate] nearest
    with nogil:
        for j in range(n_train):
            if not (train_norms[j] <= largest):
                largest = train_norms[j]
        for row in range(first, last):
            for j in range(n_train):
                approximate[0, j] = test_norms[row] + train_norms[j]
            for p in range(test_indptr[row], test_indptr[row + 1]):
                feature = test_indices[p]
                weight = weights[feature]
                if weight == 0.0:
                    continue
                value = test_data[p]
                if missing[feature]:
                    from_zero = feature_distance(value, 0.0, low[feature], span[feature], n_values[feature])
                    for q in range(list_indptr[feature], list_indptr[feature + 1]):
                        d = feature_distance(value, list_data[q], low[feature], span[feature], n_values[feature])
                        e = feature_distance(0.0, list_data[q], low[feature], span[feature], n_values[feature])
                        approximate[0, list_rows[q]] += weight * (d * d - from_zero * from_zero - e * e)
                elif n_values[feature] > 0:
                    for q in range(list_indptr[feature], list_indptr[feature + 1]):
                        approximate[0, list_rows[q]] -= 2.0 * weight if value == list_data[q] else weight
                else:
                    factor = -2.0 * weight * (value / span[feature])
                    for q in range(list_indptr[feature], list_indptr[feature + 1]):
                        approximate[0, list_rows[q]] += factor * (list_data[q] / span[feature])
            bound = test_norms[row] + largest
            # The summand keeps the tolerance positive where squares underflow; near overflow all rows are summed.
            bound = relative_tolerance * bound + 1e-290 if bound < 1e300 else INFINITY
            split_rows(approximate, 0, k, bound, heap, chosen, border)
            nearest.clear()
            slots = k - chosen.size()
            if border.size() == slots:
                for b in range(border.size()):
                    chosen.push_back(border[b])
            else:
                for b in range(border.size()):
                    other = border[b]
                    bound = nearest[0].first if nearest.size() == slots else INFINITY
                    total = 0.0
                    p = test_indptr[row]
                    p_end = test_indptr[row + 1]
                    q = train_indptr[other]
                    q_end = train_indptr[other + 1]
                    while p < p_end or q < q_end:
                        if q == q_end or (p < p_end and test_indices[p] < train_indices[q]):
                            feature = test_indices[p]
                            value = test_data[p]
                            e = 0.0
                            p += 1
                        elif p == p_end or train_indices[q] < test_indices[p]:
                            feature = train_indices[q]
                            value = 0.0
                            e = train_data[q]
                            q += 1
                        else:
                            feature = test_indices[p]
                            value = test_data[p]
                            e = train_data[q]
                            p += 1
                            q += 1
                        if weights[feature] == 0.0:
                            continue
                        d = feature_distance(value, e, low[feature], span[feature], n_values[feature])
                        total += weights[feature] * (d * d)
                        if total > bound:
                            break
                    keep_nearer(nearest, slots, total, other)
            write_chosen(chosen, nearest, out, row)


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
