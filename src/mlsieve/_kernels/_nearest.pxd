"""What all searches for nearest rows share: the distance of two cells, and the K-th smallest of a row of distances."""

from libc.math cimport fabs
from libcpp.algorithm cimport make_heap, pop_heap, push_heap
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
