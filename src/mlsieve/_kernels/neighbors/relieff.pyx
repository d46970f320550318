"""ReliefF: of each class the nearest examples of every example, and the features' differences to them.

Rows of a class follow each other. Neighbours and distances are those of `relief`: approximate distances sort out the
rows that are certainly among the K nearest of their class or certainly not; the few others are summed exactly, and of
a tie (distances that differ by no more than `TIE` of the number of features) the earlier rows are taken. Neighbours
are added up in row order, so that the result depends neither on the approximation's rounding, nor on dense or sparse
storage, nor on the number of threads.

Functions here check nothing: the facade in `mlsieve.relief.multi_class` owns and validates the arrays.
"""

from libc.math cimport fabs
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from mlsieve._kernels.common.simd cimport LANES
from mlsieve._kernels.neighbors.comparison cimport TIE, Approximate, Comparison, Rows, compare
from mlsieve._kernels.neighbors.nearest_rows cimport Candidate, feature_distance, keep_nearest, kth_smallest

cdef extern from *:
    """
    #include <cmath>

    // sums[i] += weight |own[i] - other[i]|
    MLSIEVE_WIDEST
    static void add_plain(const double* own, const double* other, double weight, long n_features, double* sums) {
        for (long i = 0; i < n_features; ++i) sums[i] += weight * std::fabs(own[i] - other[i]);
    }
    """
    void add_plain(
        const double* own, const double* other, double weight, long n_features, double* sums
    ) noexcept nogil


cdef struct Problem:
    Py_ssize_t n_rows
    Py_ssize_t n_classes
    const int* class_start    # (n_classes + 1,) of the rows
    const unsigned char* raw  # (F,) 1 where |a - b| is added up, 0 where it is the distance of the two cells
    bint all_raw
    Py_ssize_t k
    Py_ssize_t n_examples
    bint exact                # approximate distances are exact
    double tolerance          # of an approximate distance: this, and
    double relative           # this times the distance


cdef cppclass Workspace:
    """Memory that the examples use one after the other."""
    vector[double] heap
    vector[double] parts
    vector[int] differing
    vector[Candidate] border
    vector[int] chosen
    vector[double] cells      # of the example, one a feature; sparse rows only
    vector[long long] met     # last pair in which the other row had the feature; sparse rows only
    long long n_pairs


cdef void choose(
    const Rows* rows, const Problem* problem, Py_ssize_t own, const double* approximate, Py_ssize_t first,
    Py_ssize_t last, Workspace &work
) noexcept nogil:
    """List the K nearest others among some rows, in index order; all if there are no more.

    Let e bound the error of approximate distances around the K-th smallest of them, a. A row of the K nearest is
    not above a + 2 e. One below a - 2 e is among the K nearest: those at most as far are all below a. Rows that tie
    with the K-th nearest may be as much farther or nearer as a tie allows.
    """
    cdef Py_ssize_t row, wanted = problem.k
    cdef double kth, margin, lowest, highest, tie = TIE * rows.n_features
    cdef size_t b
    work.chosen.clear()
    work.border.clear()
    if last - first - (first <= own < last) <= problem.k:
        for row in range(first, last):
            if row != own:
                work.chosen.push_back(<int> row)
        return
    kth = kth_smallest(approximate + first, last - first, problem.k, work.heap)
    margin = 0.0 if problem.exact else 2.5 * (problem.tolerance + problem.relative * kth) + 2.0 * tie
    lowest = kth - margin
    highest = kth + margin
    for row in range(first, last):
        if approximate[row] > highest or row == own:
            continue
        if approximate[row] < lowest:
            work.chosen.push_back(<int> row)
        else:
            work.border.push_back(Candidate(approximate[row], <int> row))
    wanted -= <Py_ssize_t> work.chosen.size()
    if <Py_ssize_t> work.border.size() > wanted:
        if not problem.exact:
            for b in range(work.border.size()):
                work.border[b].first = compare(rows, own, work.border[b].second, work.differing, work.parts)
        keep_nearest(work.border, <size_t> wanted, tie, 0.0)
    for b in range(<size_t> wanted):
        work.chosen.push_back(work.border[b].second)
    sort(work.chosen.begin(), work.chosen.end())


cdef inline double difference(
    const Rows* rows, const Problem* problem, Py_ssize_t i, double a, double b
) noexcept nogil:
    if problem.raw[i]:
        return fabs(a - b)
    return feature_distance(a, b, rows.low[i], rows.span[i], rows.n_values[i])


cdef void add_differences(
    const Rows* rows, const Problem* problem, Py_ssize_t own, Py_ssize_t other, double weight, Workspace &work,
    double* sums
) noexcept nogil:
    """Add the weighted differences of an example and another row, each feature once."""
    cdef Py_ssize_t i
    cdef long long p
    cdef const double* a
    cdef const double* b
    if rows.cells != NULL:
        a = rows.cells + own * rows.n_features
        b = rows.cells + other * rows.n_features
        if problem.all_raw:
            add_plain(a, b, weight, rows.n_features, sums)
            return
        for i in range(rows.n_features):
            if a[i] != b[i]:
                sums[i] += weight * difference(rows, problem, i, a[i], b[i])
        return
    work.n_pairs += 1
    for p in range(rows.start[other], rows.start[other + 1]):
        i = rows.feature[p]
        work.met[i] = work.n_pairs
        sums[i] += weight * difference(rows, problem, i, work.cells[i], rows.value[p])
    for p in range(rows.start[own], rows.start[own + 1]):
        i = rows.feature[p]
        if work.met[i] != work.n_pairs:
            sums[i] += weight * difference(rows, problem, i, rows.value[p], 0.0)


cdef void add_example(
    const Rows* rows, const Problem* problem, Py_ssize_t own, const double* approximate, Workspace &work,
    double* sums
) noexcept nogil:
    """Add the mean differences to the nearest of each other class, by its share of them, less those to the own."""
    cdef Py_ssize_t c, first, last, own_size = 0
    cdef long long p
    cdef size_t j
    cdef double weight
    if rows.cells == NULL:
        for p in range(rows.start[own], rows.start[own + 1]):
            work.cells[rows.feature[p]] = rows.value[p]
    for c in range(problem.n_classes):
        if problem.class_start[c] <= own < problem.class_start[c + 1]:
            own_size = problem.class_start[c + 1] - problem.class_start[c]
    for c in range(problem.n_classes):
        first = problem.class_start[c]
        last = problem.class_start[c + 1]
        choose(rows, problem, own, approximate, first, last, work)
        if work.chosen.empty():
            continue
        weight = -1.0 if first <= own < last else (last - first) / <double> (problem.n_rows - own_size)
        weight = weight / work.chosen.size() / problem.n_examples
        for j in range(work.chosen.size()):
            add_differences(rows, problem, own, work.chosen[j], weight, work, sums)
    if rows.cells == NULL:
        for p in range(rows.start[own], rows.start[own + 1]):
            work.cells[rows.feature[p]] = 0.0


cdef Problem make_problem(
    const int[::1] class_start, const unsigned char[::1] raw, Py_ssize_t k, Py_ssize_t n_examples, bint exact
) noexcept:
    cdef Problem problem
    cdef Py_ssize_t i
    problem.n_classes = class_start.shape[0] - 1
    problem.n_rows = class_start[problem.n_classes]
    problem.class_start = &class_start[0]
    problem.raw = &raw[0]
    problem.all_raw = True
    for i in range(raw.shape[0]):
        problem.all_raw = problem.all_raw and raw[i]
    problem.k = k
    problem.n_examples = n_examples
    problem.exact = exact
    problem.tolerance = problem.relative = 0.0
    return problem


def relieff(
    Comparison comparison,
    const int[::1] examples,
    const int[::1] class_start,
    Py_ssize_t k,
    Py_ssize_t n_examples,
    bint exact,
    const unsigned char[::1] raw,
    double[::1] sums,
):
    """Add what some examples say of the features, in their order.

    Parameters
    ----------
    comparison : Comparison
        Of the rows.
    examples : (B,) rows
    class_start : (C + 1,) first row of each class; the last is n
    k : number of neighbours of each class
    n_examples : number of examples in all, by which each one's share is divided
    exact : approximate distances are exact
    raw : (F,) 1 where |a - b| is added up (complete features), 0 where it is the distance of the two cells
    sums : (F,) what is added to: differences to other classes less those to the own
    """
    cdef Rows rows = comparison.rows
    cdef Problem problem = make_problem(class_start, raw, k, n_examples, exact)
    cdef Py_ssize_t e
    cdef const double* distances
    cdef Approximate approximate
    cdef Workspace work
    with nogil:
        work.n_pairs = 0
        if rows.cells == NULL:
            work.cells.assign(rows.n_features, 0.0)
            work.met.assign(rows.n_features, 0)
        for e in range(examples.shape[0]):
            distances = comparison.approximate(examples, e, approximate)
            problem.tolerance = approximate.tolerance
            problem.relative = approximate.relative
            add_example(&rows, &problem, examples[e], distances, work, &sums[0])
