"""Relief's distances of two label sets."""

from libc.math cimport sqrt


cdef enum TargetDistance:
    HAMMING = 0
    ACCURACY = 1
    F1 = 2
    SUBSET = 3
    EUCLIDEAN = 4
    WEIGHT = 5


cdef struct Targets:
    TargetDistance distance
    double n_labels
    const long long* start           # (n + 1,) of label
    const int* label           # rising within a row
    const double* weight           # (L,) of the labels, where the distance has weights
    double divisor                 # 0: all label sets are at distance 0
    double most                    # distances are cut off at


cdef inline double weighted_distance(const Targets* targets, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """The weight of the labels in which two sets differ, or its root, over the divisor."""
    cdef long long p = targets.start[a], q = targets.start[b]
    cdef long long p_end = targets.start[a + 1], q_end = targets.start[b + 1]
    cdef double differing = 0.0, distance
    while p < p_end or q < q_end:
        if q == q_end or (p < p_end and targets.label[p] < targets.label[q]):
            differing += targets.weight[targets.label[p]]
            p += 1
        elif p == p_end or targets.label[q] < targets.label[p]:
            differing += targets.weight[targets.label[q]]
            q += 1
        else:
            p += 1
            q += 1
    if targets.divisor == 0.0:
        return 0.0
    if targets.distance == EUCLIDEAN:
        differing = sqrt(differing)
    distance = differing / targets.divisor
    return distance if distance < targets.most else targets.most


cdef inline double target_distance(const Targets* targets, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Distance of two label sets, in [0, 1] if it has no weights; two empty sets are at distance 0."""
    cdef long long p = targets.start[a], q = targets.start[b]
    cdef long long p_end = targets.start[a + 1], q_end = targets.start[b + 1]
    cdef double size = <double>(p_end - p + q_end - q), common = 0.0
    if targets.weight != NULL:
        return weighted_distance(targets, a, b)
    while p < p_end and q < q_end:
        if targets.label[p] < targets.label[q]:
            p += 1
        elif targets.label[q] < targets.label[p]:
            q += 1
        else:
            common += 1.0
            p += 1
            q += 1
    if size == 2.0 * common:
        return 0.0
    if targets.distance == HAMMING:
        return (size - 2.0 * common) / targets.n_labels
    if targets.distance == ACCURACY:
        return 1.0 - common / (size - common)
    if targets.distance == F1:
        return 1.0 - 2.0 * common / size
    return 1.0
