"""Sparse features in one node: the lists of their rows, and the judges of those with two values.

A feature of two values has one test, which needs its listed rows' label counts only. They are counted anew in each
node or, where all features are judged in all nodes, kept in a table: when a node is divided, the rows of the smaller
child are taken out, and the table is the larger child's. Each row is thus counted once for every time that it falls on
the smaller side, of which there are log2(n) at most, and not once for each node on its path.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels._sides cimport sum_side
from mlsieve._kernels._typedefs cimport Entry
from mlsieve._kernels._work cimport Example, Table, admissible, lowest_bit

cdef double LARGEST_TABLE = 16777216.0   # cells


# ---------------------------------------------------------------------------------------------- lists


cdef inline void append(
    Work* work, const Columns* columns, int32_t feature, int64_t n_node, int32_t row, int32_t code, int64_t* total
) noexcept nogil:
    """Add a row to a feature's list, which is opened when it is met first."""
    cdef int64_t n_listed
    if work.list_end[feature] < 0:
        work.list_start[feature] = total[0]
        work.list_end[feature] = total[0]
        n_listed = columns.column_start[feature + 1] - columns.column_start[feature]
        total[0] += min(n_node, n_listed)
    work.listed[work.list_end[feature]].row = row
    work.listed[work.list_end[feature]].code = code
    work.list_end[feature] += 1


cdef void list_by_rows(Work* work, const Columns* columns, int64_t start, int64_t n_node, bint sampled) noexcept nogil:
    """Walk the rows; unless features were sampled, those met are entered into the mask."""
    cdef int64_t i, q, total = 0
    cdef int32_t row, feature
    for i in range(n_node):
        row = work.rows[start + i]
        for q in range(columns.row_start[row], columns.row_start[row + 1]):
            feature = columns.row_feature[q]
            if not sampled:
                work.mask[feature >> 6] |= <uint64_t>1 << (feature & 63)
            elif (work.mask[feature >> 6] >> (feature & 63)) & 1 == 0:
                continue
            append(work, columns, feature, n_node, row, columns.row_code[q], &total)


cdef void list_by_columns(
    Work* work, const Columns* columns, int64_t start, int64_t n_node, int32_t node
) noexcept nogil:
    """Walk the columns of the features in the mask."""
    cdef int64_t i, q, total = 0
    cdef int32_t w, feature
    cdef uint64_t word
    for i in range(n_node):
        work.stamp[work.rows[start + i]] = node
    for w in range(<int32_t>work.mask.size()):
        word = work.mask[w]
        while word != 0:
            feature = w * 64 + lowest_bit(word)
            word &= word - 1
            for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
                if work.stamp[columns.column_row[q]] == node:
                    append(work, columns, feature, n_node, columns.column_row[q], columns.column_code[q], &total)


cdef void list_features(
    Work* work, const Columns* columns, const Pending* item, bint sampled, int32_t node
) noexcept nogil:
    """List the node's rows of each sparse feature in the mask, or of all, by whichever walk is the shortest."""
    cdef double by_row, by_column = 0.0
    cdef int32_t w, feature
    cdef int64_t n_node = item.end - item.start
    cdef uint64_t word
    if not sampled:
        list_by_rows(work, columns, item.start, n_node, False)
        return
    for w in range(<int32_t>work.mask.size()):
        word = work.mask[w]
        while word != 0:
            feature = w * 64 + lowest_bit(word)
            word &= word - 1
            by_column += columns.column_start[feature + 1] - columns.column_start[feature]
    # In units of one step through a list.
    by_row = n_node * work.mean_listed
    by_column += n_node
    if by_column < by_row:
        list_by_columns(work, columns, item.start, n_node, node)
    else:
        list_by_rows(work, columns, item.start, n_node, True)


# ---------------------------------------------------------------------------------------------- tests of two values


cdef void judge_binary(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature of two values by the list of its rows in the node."""
    cdef const Entry* entries = work.listed.data() + work.list_start[feature]
    cdef int64_t i, n_entries = work.list_end[feature] - work.list_start[feature]
    cdef double n_side = 0.0, B = 0.0, X = 0.0
    for i in range(n_entries):
        n_side += work.example[entries[i].row].weight
    if not admissible(options, totals, n_side):
        return
    sum_side(work, labels, totals, entries, n_entries, &B, &X)
    offer_binary(columns, options, totals, n_side, B, X, feature, threshold_key, node, best)


# ---------------------------------------------------------------------------------------------- tables


cdef bint worth_building(const Work* work, const Columns* columns, int64_t n_node) noexcept nogil:
    """Whether counting the node's rows once more costs less than it is likely to save below."""
    return work.may_tabulate and n_node * work.mean_listed * work.mean_labels > 64.0 * columns.n_features


cdef void add_rows(
    Work* work, const Columns* columns, const Labels* labels, Table* table, const int32_t* rows, int64_t n_rows,
    double sign
) noexcept nogil:
    """Add rows to the table, or with sign -1 take them out."""
    cdef int64_t i, p
    cdef int32_t q, j, feature
    cdef double before, weight
    cdef float step, held
    cdef float* count
    cdef const Example* example
    for i in range(n_rows):
        example = &work.example[rows[i]]
        weight = sign * example.weight
        step = <float>weight
        for p in range(columns.row_start[rows[i]], columns.row_start[rows[i] + 1]):
            feature = columns.row_feature[p]
            count = table.count.data() + <int64_t>feature * labels.n_labels
            before = 0.0
            for q in range(example.first, example.last):
                j = labels.index[q]
                held = count[j]
                before += work.doubled[j] * held
                count[j] = held + step
            table.B[feature] += weight * (before + weight * example.mass)
            table.weight[feature] += weight


cdef int32_t build_table(
    Work* work, const Columns* columns, const Labels* labels, const int32_t* rows, int64_t n_rows
) noexcept nogil:
    """Count rows in a table that is not in use; return its number."""
    cdef int32_t i, free = -1
    cdef Table* table
    for i in range(<int32_t>work.tables.size()):
        if not work.tables[i].in_use:
            free = i
            break
    if free < 0:
        free = <int32_t>work.tables.size()
        work.tables.resize(free + 1)
    table = &work.tables[free]
    table.count.assign(<int64_t>columns.n_features * labels.n_labels, 0.0)
    table.weight.assign(columns.n_features, 0.0)
    table.B.assign(columns.n_features, 0.0)
    table.in_use = True
    add_rows(work, columns, labels, table, rows, n_rows, 1.0)
    return free


cdef int32_t pass_table(
    Work* work, const Columns* columns, const Labels* labels, int32_t table, const int32_t* leaving,
    int64_t n_leaving, int64_t n_staying
) noexcept nogil:
    """Take the smaller child's rows out and return the table for the larger one, or -1 if counting anew is cheaper."""
    cdef double cells_a_row = work.mean_listed * work.mean_labels
    if 2 * n_leaving > n_staying or n_staying * cells_a_row < 8.0 * columns.n_features:
        work.tables[table].in_use = False
        return -1
    add_rows(work, columns, labels, &work.tables[table], leaving, n_leaving, -1.0)
    return table


cdef void sum_products(Work* work, const Columns* columns, int64_t start, int64_t n_node) noexcept nogil:
    """X of each feature: the sum of weight times x over its listed rows."""
    cdef int64_t i, p
    cdef int32_t row
    cdef double part
    for i in range(n_node):
        row = work.rows[start + i]
        part = work.example[row].weight * work.example[row].x
        for p in range(columns.row_start[row], columns.row_start[row + 1]):
            work.X[columns.row_feature[p]] += part


cdef void judge_tabulated(
    Work* work, const Columns* columns, const Options* options, const Totals* totals, int32_t table,
    int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature of two values by the node's table."""
    cdef double X = work.X[feature], n_side = work.tables[table].weight[feature]
    work.X[feature] = 0.0
    if admissible(options, totals, n_side):
        offer_binary(
            columns, options, totals, n_side, work.tables[table].B[feature], X, feature, threshold_key, node, best
        )
