"""What all searches for nearest rows share: the distance of two cells, and which rows are the nearest.

A sum of distances over the features is rounded, and differently for another order of the features: distances that are
equal in exact arithmetic come out apart by some 1e-16 of their size. So distances that differ by no more than a small
tolerance are a tie, which the rows' order decides.
"""

from libc.math cimport fabs, isfinite
from libcpp.algorithm cimport make_heap, nth_element, pop_heap, push_heap, sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

ctypedef pair[double, int] Candidate


cdef inline double feature_distance(double a, double b, double low, double span, int n_values) noexcept nogil:
    """Distance d_i of two cells; n_values is 0 for a numeric feature, NaN is a missing cell."""
    cdef double scaled
    cdef bint a_missing = a != a
    cdef bint b_missing = b != b
    if n_values > 0:
        if a_missing or b_missing:
            return 1.0 - 1.0 / n_values
        return 0.0 if a == b else 1.0
    if a_missing and b_missing:
        return 1.0
    if a_missing or b_missing:
        scaled = ((b if a_missing else a) - low) / span
        return scaled if scaled > 1.0 - scaled else 1.0 - scaled
    return fabs(a - b) / span


cdef inline double kth_smallest(const double* values, Py_ssize_t n, Py_ssize_t k, vector[double] &heap) noexcept nogil:
    """K-th smallest of n >= k values, with a heap of the K smallest so far."""
    cdef Py_ssize_t j
    cdef double value, worst
    heap.clear()
    for j in range(k):
        heap.push_back(values[j])
    make_heap(heap.begin(), heap.end())
    worst = heap[0]
    for j in range(k, n):
        value = values[j]
        if value < worst:
            pop_heap(heap.begin(), heap.end())
            heap[k - 1] = value
            push_heap(heap.begin(), heap.end())
            worst = heap[0]
    return worst


cdef inline void order_with_ties(vector[Candidate] &rows, double tolerance) noexcept nogil:
    """Put rows in order of their distances, those of a tie in index order.

    A tie begins with the nearest row that is in no tie before, and holds all rows that are farther by no more than
    the tolerance.
    """
    cdef size_t first = 0, last, j
    sort(rows.begin(), rows.end())
    while first < rows.size():
        last = first + 1
        while last < rows.size() and rows[last].first - rows[first].first <= tolerance:
            last += 1
        if last - first > 1:
            for j in range(first, last):
                rows[j].first = rows[first].first
            sort(rows.begin() + first, rows.begin() + last)
        first = last


cdef inline void keep_nearest(vector[Candidate] &rows, size_t k, double absolute, double relative) noexcept nogil:
    """Keep the K nearest of at least K rows, in any order.

    All rows whose distance is the K-th smallest, up to the tolerance, are a tie, of which the first rows are kept. The
    tolerance is the sum of an absolute one and of one relative to the K-th smallest distance.
    """
    cdef double border, tolerance
    cdef size_t j
    if rows.size() <= k:
        return
    nth_element(rows.begin(), rows.begin() + (k - 1), rows.end())
    border = rows[k - 1].first
    tolerance = absolute + (relative * border if isfinite(border) else 0.0)
    for j in range(rows.size()):
        if border - tolerance <= rows[j].first <= border + tolerance:
            rows[j].first = border
    nth_element(rows.begin(), rows.begin() + (k - 1), rows.end())
    rows.resize(k)
