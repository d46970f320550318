"""MDLP discretisation: cuts of numeric features that leave least class entropy, as long as they pay for themselves.

A feature's rows are put in order once. Each interval is gone through from its lowest value up, its rows moving one
by one from the counts above the cut to those below it. Of the rows that a sparse feature does not list only the
number in each class is known, by subtraction: they have one value, and move together.
"""

from libc.math cimport log, log1p, log2, exp
from libc.stdint cimport int32_t, int64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport as_double_array, as_long_array, columns_of
from mlsieve._kernels.common.data_structs cimport Columns
from mlsieve._kernels.discrete.rows_by_code cimport CodeOrder, between, n_values_of, order_by_code

# Equal counts that are summed in another order differ in the last bits: no reason to prefer a cut. Relative to
# n log2(n), the greatest of the terms.
cdef double TIE = 1e-12
cdef double LOG2_OF_3 = log2(3.0), LN_OF_2 = log(2.0), LN_OF_3 = log(3.0)

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Side {                              // the rows on one side of a cut
        std::vector<int64_t> count;            // by class
        int64_t n_rows;
        int32_t n_classes;                     // that occur
        double sum;                            // of x log2(x) of the counts
    };
    struct Mdlp {
        CodeOrder order;                       // the known rows
        std::vector<int64_t> rest;             // rows of each class that are not listed
        std::vector<int32_t> rest_class;       // the classes among them
        std::vector<int32_t> first, last;      // intervals that are still to be cut
        std::vector<int32_t> cuts;             // codes below the cuts
        Side below, above;
    };
    """
    cdef cppclass Side nogil:
        vector[int64_t] count
        int64_t n_rows
        int32_t n_classes
        double sum

    cdef cppclass Mdlp nogil:
        CodeOrder order
        vector[int64_t] rest
        vector[int32_t] rest_class
        vector[int32_t] first
        vector[int32_t] last
        vector[int32_t] cuts
        Side below
        Side above


cdef inline void add(Side* side, int32_t label_set, int64_t change, const double* xlogx) noexcept nogil:
    """Add rows of a class to a side, or take them from it."""
    cdef int64_t before = side.count[label_set], after = before + change
    side.count[label_set] = after
    side.n_rows += change
    side.n_classes += <int32_t>(after > 0) - <int32_t>(before > 0)
    side.sum += xlogx[after] - xlogx[before]


cdef inline double entropy_of(const Side* side, const double* xlogx) noexcept nogil:
    """Rows times their class entropy."""
    return xlogx[side.n_rows] - side.sum if side.n_classes > 1 else 0.0


cdef inline void empty(Side* side) noexcept nogil:
    side.n_rows = 0
    side.n_classes = 0
    side.sum = 0.0


cdef void add_code(
    Mdlp* mdlp, const int32_t* classes, int32_t code, Side* side, int64_t change, const double* xlogx
) noexcept nogil:
    """Add the rows of a code to a side, or take them from it."""
    cdef int64_t i
    cdef size_t k
    for i in range(mdlp.order.start[code], mdlp.order.start[code + 1]):
        add(side, classes[mdlp.order.row[i]], change, xlogx)
    if code == mdlp.order.rest_code:
        for k in range(mdlp.rest_class.size()):
            add(side, mdlp.rest_class[k], change * mdlp.rest[mdlp.rest_class[k]], xlogx)


cdef inline double log2_of_partitions(int32_t n_classes) noexcept nogil:
    """log2(3 ** k - 2), also where 3 ** k is too large for a number."""
    return n_classes * LOG2_OF_3 + log1p(-2.0 * exp(-n_classes * LN_OF_3)) / LN_OF_2


cdef int32_t find_cut(
    Mdlp* mdlp, const int32_t* classes, int32_t first, int32_t last, const double* xlogx
) noexcept nogil:
    """Return the code below the best cut of an interval, the lowest of several; -1 if it is not worth its cost."""
    cdef int32_t code, cut = -1, n_classes, classes_below = 0, classes_above = 0
    cdef int64_t n_rows, n_below = 1, n_above = 1
    cdef double whole, below, above, best_below = 0.0, best_above = 0.0, tie, cost
    empty(&mdlp.below)
    empty(&mdlp.above)
    for code in range(first, last + 1):
        add_code(mdlp, classes, code, &mdlp.above, 1, xlogx)
    n_rows = mdlp.above.n_rows
    n_classes = mdlp.above.n_classes
    whole = entropy_of(&mdlp.above, xlogx)
    tie = TIE * xlogx[n_rows]
    for code in range(first, last + 1):
        add_code(mdlp, classes, code, &mdlp.above, -1, xlogx)
        if code == last:
            break
        add_code(mdlp, classes, code, &mdlp.below, 1, xlogx)
        below = entropy_of(&mdlp.below, xlogx)
        above = entropy_of(&mdlp.above, xlogx)
        if cut < 0 or below + above < best_below + best_above - tie:
            cut = code
            best_below = below
            best_above = above
            n_below = mdlp.below.n_rows
            n_above = mdlp.above.n_rows
            classes_below = mdlp.below.n_classes
            classes_above = mdlp.above.n_classes
    for code in range(first, last):
        add_code(mdlp, classes, code, &mdlp.below, -1, xlogx)
    if cut < 0 or n_classes < 2:
        return -1
    cost = log2(n_rows - 1.0) + log2_of_partitions(n_classes) - (
        n_classes * whole / n_rows - classes_below * best_below / n_below - classes_above * best_above / n_above
    )
    return cut if whole - best_below - best_above > cost + tie else -1


cdef void cut_feature(Mdlp* mdlp, const int32_t* classes, int32_t n_values, const double* xlogx) noexcept nogil:
    """Cut a feature whose rows are in order."""
    cdef int32_t first, last, cut
    mdlp.cuts.clear()
    mdlp.first.assign(1, 0)
    mdlp.last.assign(1, n_values - 1)
    while mdlp.first.size() > 0:
        first = mdlp.first.back()
        last = mdlp.last.back()
        mdlp.first.pop_back()
        mdlp.last.pop_back()
        cut = find_cut(mdlp, classes, first, last, xlogx) if first < last else -1
        if cut >= 0:
            mdlp.cuts.push_back(cut)
            mdlp.first.push_back(first)
            mdlp.last.push_back(cut)
            mdlp.first.push_back(cut + 1)
            mdlp.last.push_back(last)
    sort(mdlp.cuts.begin(), mdlp.cuts.end())


cdef void count_rest(
    Mdlp* mdlp, const int32_t* classes, const int64_t* rows_of_class, int32_t n_classes
) noexcept nogil:
    """Count the rows of each class that the feature does not list."""
    cdef int64_t i
    cdef int32_t label_set
    mdlp.rest_class.clear()
    if mdlp.order.rest_code < 0:
        return
    mdlp.rest.assign(rows_of_class, rows_of_class + n_classes)
    for i in range(<int64_t>mdlp.order.row.size()):
        mdlp.rest[classes[mdlp.order.row[i]]] -= 1
    for label_set in range(n_classes):
        if mdlp.rest[label_set] > 0:
            mdlp.rest_class.push_back(label_set)


def mdlp_cuts(object store, const int32_t[::1] classes, int32_t n_classes, const double[::1] xlogx):
    """Cuts of all features.

    Parameters
    ----------
    store : ColumnStore
        Of n rows; missing values are in no interval.
    classes : ndarray of int32, shape (n,)
        Class of each row, 0 .. n_classes - 1.
    n_classes : int
    xlogx : ndarray of float64, shape (n + 1,)
        x log2(x) of all counts.

    Returns
    -------
    cut_start : ndarray of int64, shape (F + 1,)
        Of `cuts`.
    cuts : ndarray of float64
        Mid-points of neighbouring values, rising within a feature.
    """
    cdef Columns columns = columns_of(store)
    cdef Mdlp* mdlp = new Mdlp()
    cdef vector[int64_t] rows_of_class, starts
    cdef vector[double] cuts
    cdef int32_t feature, n_values, row
    cdef size_t k
    cdef const double* values
    try:
        with nogil:
            rows_of_class.assign(n_classes, 0)
            mdlp.below.count.assign(n_classes, 0)
            mdlp.above.count.assign(n_classes, 0)
            for row in range(columns.n_rows):
                rows_of_class[classes[row]] += 1
            starts.push_back(0)
            for feature in range(columns.n_features):
                n_values = n_values_of(&columns, feature)
                if n_values > 1:
                    values = columns.values + columns.value_start[feature]
                    order_by_code(&columns, feature, &mdlp.order)
                    count_rest(mdlp, &classes[0], rows_of_class.data(), n_classes)
                    cut_feature(mdlp, &classes[0], n_values, &xlogx[0])
                    for k in range(mdlp.cuts.size()):
                        row = mdlp.cuts[k]
                        cuts.push_back(between(values[row], values[row + 1]))
                starts.push_back(<int64_t>cuts.size())
        return as_long_array(&starts), as_double_array(&cuts)
    finally:
        del mdlp
