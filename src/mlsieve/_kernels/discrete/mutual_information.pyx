"""Mutual information of discrete features with labels and with each other, in bits.

All quantities are sums of x log2(x) over counts of rows. These are whole numbers of a small unit: so a sum does not
depend on its order, and what is equal by its counts is equal to the last bit. A feature's rows are counted where it
lists them; those of its commonest value follow by subtraction, so that a sparse feature costs what it lists and a
look-up a count. Of two features with two values only the rows that both list are counted.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport columns_of
from mlsieve._kernels.common.data_structs cimport Columns, is_binary
from mlsieve._kernels.discrete.rows_by_code cimport LabelRows, n_values_of

import numpy as np


cdef void spread_codes(const Columns* columns, int32_t feature, vector[int32_t]* codes) noexcept nogil:
    """Write down the code of every row."""
    cdef int32_t slot = columns.dense_slot[feature]
    cdef const int32_t* dense
    cdef int64_t i
    if slot >= 0:
        dense = columns.codes + <int64_t>slot * columns.n_rows
        codes.assign(dense, dense + columns.n_rows)
        return
    codes.assign(columns.n_rows, columns.rest_code[feature])
    for i in range(columns.column_start[feature], columns.column_start[feature + 1]):
        codes[0][columns.column_row[i]] = columns.column_code[i]


cdef void count_rows(
    const Columns* columns, int32_t feature, const int32_t* group, int32_t n_groups, const int64_t* in_group,
    int64_t* counts
) noexcept nogil:
    """Count the rows by a feature's code and by their group: counts[code * n_groups + group]."""
    cdef int32_t slot = columns.dense_slot[feature], rest = columns.rest_code[feature], code, g
    cdef int32_t n_values = n_values_of(columns, feature)
    cdef int64_t i
    cdef const int32_t* codes
    for i in range(<int64_t>n_values * n_groups):
        counts[i] = 0
    if slot >= 0:
        codes = columns.codes + <int64_t>slot * columns.n_rows
        for i in range(columns.n_rows):
            counts[<int64_t>codes[i] * n_groups + group[i]] += 1
        return
    for g in range(n_groups):
        counts[<int64_t>rest * n_groups + g] = in_group[g]
    for i in range(columns.column_start[feature], columns.column_start[feature + 1]):
        g = group[columns.column_row[i]]
        counts[<int64_t>columns.column_code[i] * n_groups + g] += 1
        counts[<int64_t>rest * n_groups + g] -= 1


cdef void count_shared(const Columns* columns, int32_t feature, int64_t* shared) noexcept nogil:
    """Count the rows that a sparse feature lists together with each other one."""
    cdef int64_t i, q
    cdef int32_t row
    for i in range(columns.n_features):
        shared[i] = 0
    for i in range(columns.column_start[feature], columns.column_start[feature + 1]):
        row = columns.column_row[i]
        for q in range(columns.row_start[row], columns.row_start[row + 1]):
            shared[columns.row_feature[q]] += 1


cdef void count_shared_labels(
    const Columns* columns, const LabelRows* labels, int32_t feature, int32_t* counts
) noexcept nogil:
    """Count the positives of the rows that a sparse feature lists with another one: counts[label * F + other]."""
    cdef int64_t i, q, p
    cdef int32_t row
    cdef int32_t* own
    for i in range(columns.column_start[feature], columns.column_start[feature + 1]):
        row = columns.column_row[i]
        for p in range(labels.start[row], labels.start[row + 1]):
            own = counts + <int64_t>labels.index[p] * columns.n_features
            for q in range(columns.row_start[row], columns.row_start[row + 1]):
                own[columns.row_feature[q]] += 1


cdef void part_rows(
    const Columns* columns, int32_t feature, int32_t chosen, int64_t shared, int64_t* counts
) noexcept nogil:
    """Count as `count_rows` does, both features having two values, from the rows that both list."""
    cdef int64_t of_feature = columns.column_start[feature + 1] - columns.column_start[feature]
    cdef int64_t of_chosen = columns.column_start[chosen + 1] - columns.column_start[chosen]
    cdef int32_t rest = 2 * columns.rest_code[feature], group_rest = columns.rest_code[chosen]
    cdef int32_t listed = 2 - rest, group_listed = 1 - group_rest
    counts[listed + group_listed] = shared
    counts[listed + group_rest] = of_feature - shared
    counts[rest + group_listed] = of_chosen - shared
    counts[rest + group_rest] = columns.n_rows - of_feature - of_chosen + shared


cdef void count_labels(
    const Columns* columns, const LabelRows* labels, int32_t feature, const int32_t* group, int32_t n_groups,
    const int64_t* positives, int64_t* counts
) noexcept nogil:
    """Count the positive rows of each label by code and group: counts[(code * n_groups + group) * L + label]."""
    cdef int32_t slot = columns.dense_slot[feature], rest = columns.rest_code[feature], row
    cdef int32_t n_values = n_values_of(columns, feature)
    cdef int64_t i, q, n_labels = labels.n_labels, cells = n_groups * n_labels
    cdef int64_t* listed
    cdef int64_t* unlisted
    cdef const int32_t* codes
    cdef int32_t code
    for i in range(n_values * cells):
        counts[i] = 0
    if slot >= 0:
        codes = columns.codes + <int64_t>slot * columns.n_rows
        for row in range(columns.n_rows):
            listed = counts + codes[row] * cells + group[row] * n_labels
            for q in range(labels.start[row], labels.start[row + 1]):
                listed[labels.index[q]] += 1
        return
    for i in range(columns.column_start[feature], columns.column_start[feature + 1]):
        row = columns.column_row[i]
        listed = counts + columns.column_code[i] * cells + group[row] * n_labels
        for q in range(labels.start[row], labels.start[row + 1]):
            listed[labels.index[q]] += 1
    unlisted = counts + rest * cells
    for i in range(cells):
        unlisted[i] = positives[i]
    for code in range(n_values):
        if code != rest:
            listed = counts + code * cells
            for i in range(cells):
                unlisted[i] -= listed[i]


cdef void part_labels(
    const Columns* columns, const LabelRows* labels, int32_t feature, int32_t chosen, const int32_t* shared,
    const int64_t* positives, const int32_t* listed, int64_t* counts
) noexcept nogil:
    """Count as `count_labels` does, both features having two values, from `count_shared_labels`.

    `listed` has the positives of each label among the rows that the feature lists.
    """
    cdef int64_t i, n_labels = labels.n_labels
    cdef int32_t rest = columns.rest_code[feature], group_rest = columns.rest_code[chosen]
    cdef int64_t* both = counts + (2 * (1 - rest) + 1 - group_rest) * n_labels
    cdef int64_t* alone = counts + (2 * (1 - rest) + group_rest) * n_labels
    cdef int64_t* other = counts + (2 * rest + 1 - group_rest) * n_labels
    cdef int64_t* neither = counts + (2 * rest + group_rest) * n_labels
    cdef const int64_t* of_group = positives + (1 - group_rest) * n_labels
    cdef const int64_t* of_rest = positives + group_rest * n_labels
    for i in range(n_labels):
        both[i] = shared[i * columns.n_features + feature]
        alone[i] = listed[i] - both[i]
        other[i] = of_group[i] - both[i]
        neither[i] = of_rest[i] - alone[i]


cdef int64_t label_entropies(
    const int64_t* positives, const int64_t* rows, int64_t n_cells, int64_t n_labels, const int64_t* xlogx
) noexcept nogil:
    """Sum of x log2(x) over all labels, cells and both values; `positives` has L counts a cell, `rows` one."""
    cdef int64_t cell, label, paired = n_labels - n_labels % 4
    cdef int64_t a = 0, b = 0, c = 0, d = 0  # sums that do not wait for each other
    cdef const int64_t* own
    cdef const int64_t* others  # of the rows without the label
    for cell in range(n_cells):
        if rows[cell] == 0:
            continue
        own = positives + cell * n_labels
        others = xlogx + rows[cell]
        for label in range(0, paired, 4):
            a += xlogx[own[label]] + others[-own[label]]
            b += xlogx[own[label + 1]] + others[-own[label + 1]]
            c += xlogx[own[label + 2]] + others[-own[label + 2]]
            d += xlogx[own[label + 3]] + others[-own[label + 3]]
        for label in range(paired, n_labels):
            a += xlogx[own[label]] + others[-own[label]]
    return (a + b) + (c + d)


cdef int64_t entropy_sum(const int64_t* rows, int64_t n_cells, const int64_t* xlogx) noexcept nogil:
    cdef int64_t cell, total = 0
    for cell in range(n_cells):
        total += xlogx[rows[cell]]
    return total


def entropies(object store, const int64_t[::1] xlogx, double unit):
    """Entropy of each feature.

    Parameters
    ----------
    store : ColumnStore
        Of n rows, without missing values.
    xlogx : ndarray of int64, shape (n + 1,)
        x log2(x) of all counts, in units.
    unit : float
        How many units are one bit.

    Returns
    -------
    ndarray of float64, shape (F,)
        In bits; exactly 0 for a feature of one value.
    """
    cdef Columns columns = columns_of(store)
    out = np.zeros(columns.n_features)
    cdef double[::1] view = out
    cdef vector[int32_t] group
    cdef vector[int64_t] counts
    cdef int64_t n = columns.n_rows
    cdef int32_t feature
    with nogil:
        group.assign(n, 0)
        for feature in range(columns.n_features):
            if n_values_of(&columns, feature) > 1:
                counts.resize(n_values_of(&columns, feature))
                count_rows(&columns, feature, group.data(), 1, &n, counts.data())
                view[feature] = (
                    xlogx[n] - entropy_sum(counts.data(), <int64_t>counts.size(), &xlogx[0])
                ) / (unit * n)
    return out


def feature_information(object store, int32_t chosen, const int64_t[::1] xlogx, double unit):
    """Mutual information of every feature with one of them.

    Parameters
    ----------
    store, xlogx, unit
        As for `entropies`.
    chosen : int
        0 .. F - 1.

    Returns
    -------
    ndarray of float64, shape (F,)
    """
    cdef Columns columns = columns_of(store)
    out = np.zeros(columns.n_features)
    cdef double[::1] view = out
    cdef vector[int32_t] group
    cdef vector[int64_t] in_group, counts, shared
    cdef int64_t n = columns.n_rows, i, own
    cdef int32_t feature, code, g, n_groups = n_values_of(&columns, chosen), n_values
    cdef bint binary = is_binary(&columns, chosen)
    cdef int64_t of_chosen, joint, alone
    with nogil:
        if binary:
            shared.resize(columns.n_features)
            count_shared(&columns, chosen, shared.data())
        spread_codes(&columns, chosen, &group)
        in_group.assign(n_groups, 0)
        for i in range(n):
            in_group[group[i]] += 1
        of_chosen = entropy_sum(in_group.data(), n_groups, &xlogx[0])
        for feature in range(columns.n_features):
            n_values = n_values_of(&columns, feature)
            if n_values < 2 or n_groups < 2:
                continue
            counts.resize(<int64_t>n_values * n_groups)
            if binary and n_values == 2:
                part_rows(&columns, feature, chosen, shared[feature], counts.data())
            else:
                count_rows(&columns, feature, group.data(), n_groups, in_group.data(), counts.data())
            joint = entropy_sum(counts.data(), <int64_t>counts.size(), &xlogx[0])
            alone = 0
            for code in range(n_values):
                own = 0
                for g in range(n_groups):
                    own += counts[<int64_t>code * n_groups + g]
                alone += xlogx[own]
            view[feature] = (joint - alone - of_chosen + xlogx[n]) / (unit * n)
    return out


def label_counts(
    object store, const int64_t[::1] label_start, const int32_t[::1] label_index, int32_t n_labels
):
    """Positives of each label among the rows that each feature lists.

    Parameters
    ----------
    store, label_start, label_index, n_labels
        As for `label_information`.

    Returns
    -------
    ndarray of int32, shape (F, L)
        0 for features that are not sparse.
    """
    cdef Columns columns = columns_of(store)
    out = np.zeros((columns.n_features, n_labels), np.int32)
    cdef int32_t[:, ::1] view = out
    cdef int64_t i, q
    cdef int32_t feature, row
    with nogil:
        for feature in range(columns.n_features):
            for i in range(columns.column_start[feature], columns.column_start[feature + 1]):
                row = columns.column_row[i]
                for q in range(label_start[row], label_start[row + 1]):
                    view[feature, label_index[q]] += 1
    return out


def label_information(
    object store,
    const int64_t[::1] label_start,
    const int32_t[::1] label_index,
    int32_t n_labels,
    const int64_t[::1] xlogx,
    double unit,
    int32_t given=-1,
    const int32_t[:, ::1] listed=None,
):
    """Mutual information of every feature with the labels, summed over these; given a feature, if there is one.

    Parameters
    ----------
    store, xlogx, unit
        As for `entropies`.
    label_start, label_index : ndarray of int64, shape (n + 1,), and of int32
        Positive labels of each row (CSR).
    n_labels : int
        L.
    given : int
        A feature, 0 .. F - 1, or -1.
    listed : ndarray of int32, shape (F, L), optional
        See `label_counts`; with them, features of two values given another one cost less.

    Returns
    -------
    ndarray of float64, shape (F,)
        sum over l of M(f; l), or of M(f; l | given).
    """
    cdef Columns columns = columns_of(store)
    cdef LabelRows labels
    out = np.zeros(columns.n_features)
    cdef double[::1] view = out
    cdef vector[int32_t] group
    cdef vector[int64_t] in_group, positives, rows, counts, shared
    cdef vector[int32_t] shared_labels
    cdef int64_t n = columns.n_rows, i, q, n_cells
    cdef int32_t feature, n_groups = 1 if given < 0 else n_values_of(&columns, given)
    cdef bint binary = listed is not None and n_labels > 0 and given >= 0 and is_binary(&columns, given)
    cdef int64_t of_labels, of_groups
    labels.n_labels = n_labels
    labels.start = &label_start[0]
    labels.index = &label_index[0] if label_index.shape[0] else NULL
    with nogil:
        if given < 0:
            group.assign(n, 0)
        else:
            spread_codes(&columns, given, &group)
        if binary:
            shared.resize(columns.n_features)
            count_shared(&columns, given, shared.data())
            shared_labels.assign(<int64_t>columns.n_features * n_labels, 0)
            count_shared_labels(&columns, &labels, given, shared_labels.data())
        in_group.assign(n_groups, 0)
        positives.assign(<int64_t>n_groups * n_labels, 0)
        for i in range(n):
            in_group[group[i]] += 1
            for q in range(labels.start[i], labels.start[i + 1]):
                positives[<int64_t>group[i] * n_labels + labels.index[q]] += 1
        of_groups = entropy_sum(in_group.data(), n_groups, &xlogx[0])
        of_labels = label_entropies(positives.data(), in_group.data(), n_groups, n_labels, &xlogx[0])
        for feature in range(columns.n_features):
            if n_values_of(&columns, feature) < 2:
                continue
            n_cells = <int64_t>n_values_of(&columns, feature) * n_groups
            rows.resize(n_cells)
            counts.resize(n_cells * n_labels)
            if binary and is_binary(&columns, feature):
                part_rows(&columns, feature, given, shared[feature], rows.data())
                part_labels(
                    &columns, &labels, feature, given, shared_labels.data(), positives.data(), &listed[feature, 0],
                    counts.data()
                )
            else:
                count_rows(&columns, feature, group.data(), n_groups, in_group.data(), rows.data())
                count_labels(&columns, &labels, feature, group.data(), n_groups, positives.data(), counts.data())
            view[feature] = (
                label_entropies(counts.data(), rows.data(), n_cells, n_labels, &xlogx[0]) - of_labels
                - n_labels * (entropy_sum(rows.data(), n_cells, &xlogx[0]) - of_groups)
            ) / (unit * n)
    return out
