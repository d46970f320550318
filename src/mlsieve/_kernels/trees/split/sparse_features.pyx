"""Sparse features in one node: the lists of their rows, and the judge of those with two values."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.simd cimport lowest_bit
from mlsieve._kernels.trees.node.gains cimport admissible
from mlsieve._kernels.trees.node.label_sums cimport sum_side


cdef int prepare_listed_rows(ListedRows* listed, const Columns* columns) except -1 nogil:
    listed.start.resize(columns.n_features)
    listed.end.assign(columns.n_features, -1)
    listed.entries.resize(columns.column_start[columns.n_features])


# ---------------------------------------------------------------------------------------------- lists


cdef inline void append(
    ListedRows* listed, const Columns* columns, int32_t feature, int64_t n_node, int32_t row, int32_t code, int64_t* total
) noexcept nogil:
    """Add a row to a feature's list, which is opened when it is met first."""
    cdef int64_t n_listed
    if listed.end[feature] < 0:
        listed.start[feature] = total[0]
        listed.end[feature] = total[0]
        n_listed = columns.column_start[feature + 1] - columns.column_start[feature]
        total[0] += min(n_node, n_listed)
    listed.entries[listed.end[feature]].row = row
    listed.entries[listed.end[feature]].code = code
    listed.end[feature] += 1


cdef void list_by_rows(
    ListedRows* listed, Candidates* candidates, const Data* data, const int32_t* rows, int64_t n_node
) noexcept nogil:
    """Go through the rows; where nodes try all features, those met are entered into the mask."""
    cdef int64_t i, q, total = 0
    cdef int32_t row, feature
    for i in range(n_node):
        row = rows[i]
        for q in range(data.columns.row_start[row], data.columns.row_start[row + 1]):
            feature = data.columns.row_feature[q]
            if data.facts.tries_all:
                candidates.mask[feature >> 6] |= <uint64_t>1 << (feature & 63)
            elif (candidates.mask[feature >> 6] >> (feature & 63)) & 1 == 0:
                continue
            append(listed, &data.columns, feature, n_node, row, data.columns.row_code[q], &total)


cdef void list_by_columns(
    ListedRows* listed, const Candidates* candidates, int32_t* stamp, const Columns* columns, const int32_t* rows,
    int64_t n_node, int32_t node
) noexcept nogil:
    """Go through the columns of the features in the mask."""
    cdef int64_t i, q, total = 0
    cdef int32_t w, feature
    cdef uint64_t word
    for i in range(n_node):
        stamp[rows[i]] = node
    for w in range(<int32_t>candidates.mask.size()):
        word = candidates.mask[w]
        while word != 0:
            feature = w * 64 + lowest_bit(word)
            word &= word - 1
            for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
                if stamp[columns.column_row[q]] == node:
                    append(listed, columns, feature, n_node, columns.column_row[q], columns.column_code[q], &total)


cdef void list_features(
    ListedRows* listed, Candidates* candidates, int32_t* stamp, const Data* data, const int32_t* rows, int64_t n_node,
    int32_t node
) noexcept nogil:
    """List the node's rows of each sparse feature in the mask, or of all, in whichever way is the shortest."""
    cdef double by_row, by_column = 0.0
    cdef int32_t w, feature
    cdef uint64_t word
    if data.facts.tries_all:
        list_by_rows(listed, candidates, data, rows, n_node)
        return
    for w in range(<int32_t>candidates.mask.size()):
        word = candidates.mask[w]
        while word != 0:
            feature = w * 64 + lowest_bit(word)
            word &= word - 1
            by_column += data.columns.column_start[feature + 1] - data.columns.column_start[feature]
    # In units of one step through a list.
    by_row = n_node * data.facts.mean_listed
    by_column += n_node
    if by_column < by_row:
        list_by_columns(listed, candidates, stamp, &data.columns, rows, n_node, node)
    else:
        list_by_rows(listed, candidates, data, rows, n_node)


# ---------------------------------------------------------------------------------------------- tests of two values


cdef void judge_binary(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries, int32_t feature,
    uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature of two values by the list of its rows in the node."""
    cdef int64_t i
    cdef double n_side = 0.0, B = 0.0, X = 0.0
    for i in range(n_entries):
        n_side += sums.example[entries[i].row].weight
    if not admissible(&data.options, totals, n_side):
        return
    sum_side(sums, &data.labels, totals, entries, n_entries, &B, &X)
    offer_binary(data, totals, n_side, B, X, feature, threshold_key, node, best)
