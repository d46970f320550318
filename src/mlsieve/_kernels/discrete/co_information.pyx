"""Co-information of every feature with every pair of labels, in bits.

M(f; l; l') = M(l; l') - M(l; l' | f): what is needed is the mutual information of each pair of labels, among all rows
and among those of each of the feature's values. It is 0 among rows of which one of the labels is constant, so that
only the labels that occur among them are looked at. The rows of a feature's commonest value are not counted: their
counts follow by subtraction.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport columns_of
from mlsieve._kernels.common.data_structs cimport Columns
from mlsieve._kernels.discrete.rows_by_code cimport CodeOrder, LabelRows, n_values_of, order_by_code

import numpy as np

cdef extern from *:
    """
    #include <vector>
    struct LabelPairs {
        std::vector<int32_t> rest, own;       // rows with both labels, at [lower * L + higher]
        std::vector<int64_t> rest_count, own_count;   // rows with each label
        // of the labels that occur in some rows but not in all of them:
        std::vector<int32_t> active;          // rising
        std::vector<int64_t> count;
        std::vector<double> without, alone;   // x log2(x) of the rows without the label; of both counts
    };
    """
    cdef cppclass LabelPairs nogil:
        vector[int32_t] rest
        vector[int32_t] own
        vector[int64_t] rest_count
        vector[int64_t] own_count
        vector[int32_t] active
        vector[int64_t] count
        vector[double] without
        vector[double] alone


cdef inline void add_pairs(const LabelRows* labels, int32_t row, int32_t change, int32_t* together) noexcept nogil:
    """Add to the number of rows that have two labels both, for all pairs of a row's labels."""
    cdef int64_t p, q
    cdef int32_t one, other
    for p in range(labels.start[row], labels.start[row + 1]):
        one = labels.index[p]
        for q in range(p + 1, labels.start[row + 1]):
            other = labels.index[q]
            if one < other:
                together[<int64_t>one * labels.n_labels + other] += change
            else:
                together[<int64_t>other * labels.n_labels + one] += change


cdef double pair_information(
    LabelPairs* pairs, const int32_t* together, const int64_t* counts, int64_t n_labels, int64_t n_rows,
    const double* xlogx
) noexcept nogil:
    """Rows times the mutual information of two labels among them, summed over all pairs of active labels."""
    cdef size_t i, j, n_active = 0
    cdef int32_t label
    cdef int64_t own, other, both
    cdef double total = 0.0, of_label, whole = xlogx[n_rows]
    cdef const int32_t* row
    # Labels that all rows have are dropped: their information is 0, too.
    for i in range(pairs.active.size()):
        label = pairs.active[i]
        if 0 < counts[label] < n_rows:
            pairs.active[n_active] = label
            n_active += 1
    pairs.active.resize(n_active)
    pairs.count.resize(n_active)
    pairs.without.resize(n_active)
    pairs.alone.resize(n_active)
    for i in range(n_active):
        own = counts[pairs.active[i]]
        pairs.count[i] = own
        pairs.without[i] = xlogx[n_rows - own]
        pairs.alone[i] = xlogx[own] + xlogx[n_rows - own]
    for i in range(n_active):
        row = together + pairs.active[i] * n_labels
        own = pairs.count[i]
        of_label = 0.0
        for j in range(i + 1, n_active):
            both = row[pairs.active[j]]
            other = pairs.count[j]
            if both == 0:
                of_label += xlogx[n_rows - own - other] + whole - pairs.without[i] - pairs.without[j]
            else:
                of_label += (
                    xlogx[both] + xlogx[own - both] + xlogx[other - both] + xlogx[n_rows - own - other + both]
                    + whole - pairs.alone[i] - pairs.alone[j]
                )
        total += of_label
    return total


cdef double of_listed_rows(
    LabelPairs* pairs, const LabelRows* labels, const CodeOrder* order, int32_t code, bint has_rest,
    const double* xlogx
) noexcept nogil:
    """`pair_information` of the rows of one code, which are taken from the rest."""
    cdef int64_t i, q, n_labels = labels.n_labels
    cdef int32_t row, label
    cdef size_t a, b
    cdef double found
    pairs.active.clear()
    for i in range(order.start[code], order.start[code + 1]):
        row = order.row[i]
        add_pairs(labels, row, 1, pairs.own.data())
        if has_rest:
            add_pairs(labels, row, -1, pairs.rest.data())
        for q in range(labels.start[row], labels.start[row + 1]):
            label = labels.index[q]
            if pairs.own_count[label] == 0:
                pairs.active.push_back(label)
            pairs.own_count[label] += 1
            if has_rest:
                pairs.rest_count[label] -= 1
    sort(pairs.active.begin(), pairs.active.end())
    found = pair_information(
        pairs, pairs.own.data(), pairs.own_count.data(), n_labels, order.start[code + 1] - order.start[code], xlogx
    )
    for i in range(order.start[code], order.start[code + 1]):
        row = order.row[i]
        for q in range(labels.start[row], labels.start[row + 1]):
            pairs.own_count[labels.index[q]] = 0
        add_pairs(labels, row, -1, pairs.own.data())
    return found


cdef double of_rest(
    LabelPairs* pairs, const LabelRows* labels, int64_t n_rows, const double* xlogx
) noexcept nogil:
    """`pair_information` of the rows that are counted in `rest`."""
    cdef int32_t label
    pairs.active.clear()
    for label in range(labels.n_labels):
        pairs.active.push_back(label)
    return pair_information(
        pairs, pairs.rest.data(), pairs.rest_count.data(), labels.n_labels, n_rows, xlogx
    )


cdef void put_back(LabelPairs* pairs, const LabelRows* labels, const CodeOrder* order) noexcept nogil:
    """Count the listed rows in `rest` again."""
    cdef int64_t i, q
    cdef int32_t row
    for i in range(<int64_t>order.row.size()):
        row = order.row[i]
        add_pairs(labels, row, 1, pairs.rest.data())
        for q in range(labels.start[row], labels.start[row + 1]):
            pairs.rest_count[labels.index[q]] += 1


def label_pair_information(
    object store, const int64_t[::1] label_start, const int32_t[::1] label_index, int32_t n_labels,
    const double[::1] xlogx
):
    """Co-information of every feature with two labels, summed over the pairs of labels.

    Parameters
    ----------
    store : ColumnStore
        Of n rows, without missing values.
    label_start, label_index : ndarray of int64, shape (n + 1,), and of int32
        Positive labels of each row (CSR).
    n_labels : int
        L; two tables of L * L counts are kept.
    xlogx : ndarray of float64, shape (n + 1,)
        x log2(x) of all counts.

    Returns
    -------
    ndarray of float64, shape (F,)
        sum over l < l' of M(f; l; l'); exactly 0 for a feature of one value. Features that differ in nothing but
        which of two values is which have the same bytes.
    """
    cdef Columns columns = columns_of(store)
    cdef LabelRows labels
    cdef LabelPairs* pairs = new LabelPairs()
    cdef CodeOrder* order = new CodeOrder()
    out = np.zeros(columns.n_features)
    cdef double[::1] view = out
    cdef int32_t feature, code, row, n_values
    cdef int64_t q, n = columns.n_rows
    cdef double among_all, given_feature
    labels.n_labels = n_labels
    labels.start = &label_start[0]
    labels.index = &label_index[0] if label_index.shape[0] else NULL
    try:
        with nogil:
            pairs.rest.assign(<size_t>n_labels * n_labels, 0)
            pairs.own.assign(<size_t>n_labels * n_labels, 0)
            pairs.rest_count.assign(n_labels, 0)
            pairs.own_count.assign(n_labels, 0)
            for row in range(<int32_t>n):
                add_pairs(&labels, row, 1, pairs.rest.data())
                for q in range(labels.start[row], labels.start[row + 1]):
                    pairs.rest_count[labels.index[q]] += 1
            among_all = of_rest(pairs, &labels, n, &xlogx[0])
            for feature in range(columns.n_features):
                n_values = n_values_of(&columns, feature)
                if n_values < 2:
                    continue
                order_by_code(&columns, feature, order)
                given_feature = 0.0
                for code in range(n_values):
                    if code != order.rest_code:
                        given_feature += of_listed_rows(
                            pairs, &labels, order, code, order.rest_code >= 0, &xlogx[0]
                        )
                if order.rest_code >= 0:
                    given_feature += of_rest(pairs, &labels, n - <int64_t>order.row.size(), &xlogx[0])
                    put_back(pairs, &labels, order)
                view[feature] = (among_all - given_feature) / n
        return out
    finally:
        del order
        del pairs
