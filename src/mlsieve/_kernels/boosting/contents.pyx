"""Digests of columns that ignore the order of the rows, and of the columns.

A column's first digest is that of its sorted codes. A row's digest is its key, and a sum over its known cells, of the
column's digest mixed with the code; a column's next digest is such a sum over its rows. A row of weight 2 counts as two
rows do, and it does not matter which of a column's codes is the common one that is not listed. Columns that still have the
same digest are copies, or rows and columns can change places so that the data stay the same (but for rare structures,
which more rounds would tell apart: Weisfeiler and Leman's refinement).
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Lists, item_at
from mlsieve._kernels.boosting.split_scores cimport COMMON_REST, MISSING_REST, Item
from mlsieve._kernels.common.random_numbers cimport chain, mix

cdef int32_t ROUNDS = 2


cdef struct Column:
    uint64_t content                # with its rows' numbers
    int32_t number


cdef bint comes_before(const Column& a, const Column& b) noexcept nogil:
    return a.content < b.content or (a.content == b.content and a.number < b.number)


cdef void find_copies(const Lists* lists, const uint64_t* of_codes, vector[uint8_t]* is_copy) noexcept nogil:
    """Say which columns equal earlier ones: a copy must not change the digests of others."""
    cdef vector[Column] column
    cdef int64_t i
    cdef int32_t c
    cdef Item item
    column.resize(lists.n_columns)
    for c in range(lists.n_columns):
        column[c].number = c
        column[c].content = of_codes[c]
        for i in range(lists.start[c], lists.end[c]):
            item = item_at(lists, i)
            column[c].content += mix((<uint64_t>item.place << 32) + <uint64_t>item.code + 1)
    sort(column.begin(), column.end(), comes_before)
    is_copy.assign(lists.n_columns, False)
    for c in range(1, lists.n_columns):
        is_copy[0][column[c].number] = column[c].content == column[c - 1].content


cdef uint64_t digest_codes(const Lists* lists, const Rows* rows, uint64_t weight, int32_t c) noexcept nogil:
    """Return a digest of a column's codes, each with the weight of its rows; `weight` is that of all rows."""
    cdef uint64_t state = mix(lists.rest_kind[c] == MISSING_REST), n = 0
    cdef int64_t i
    cdef int32_t code = -1, rest = lists.rest_code[c] if lists.rest_kind[c] == COMMON_REST else -1
    cdef Item item
    for i in range(lists.start[c], lists.end[c]):
        item = item_at(lists, i)
        weight -= rows.count[item.place] + rows.fraction[item.place]
    for i in range(lists.start[c], lists.end[c]):
        item = item_at(lists, i)
        if item.code != code:
            state = chain(chain(state, n), <uint64_t>code)
            if code < rest < item.code:
                state = chain(chain(state, weight), <uint64_t>rest)
            code = item.code
            n = 0
        n += rows.count[item.place] + rows.fraction[item.place]
    state = chain(chain(state, n), <uint64_t>code)
    return chain(chain(state, weight), <uint64_t>rest) if rest > code else state


cdef inline uint64_t counted(const Rows* rows, int64_t row, uint64_t digest) noexcept nogil:
    """What a row adds to a sum: a whole weight is so many rows."""
    if rows.fraction[row] == 0:
        return rows.count[row] * digest
    return rows.count[row] * digest + mix(digest + rows.fraction[row])


cdef void digest_rows(
    const Lists* lists, const Rows* rows, const uint64_t* of_column, const uint8_t* is_copy, vector[uint64_t]* of_row
) noexcept nogil:
    """Fill in a digest of each row, from its key and those of the columns."""
    cdef uint64_t of_rest, of_all = 0
    cdef int64_t i
    cdef int32_t c
    cdef Item item
    of_row.assign(rows.key, rows.key + lists.n_rows)
    for c in range(lists.n_columns):
        if is_copy[c]:
            continue
        of_rest = mix(of_column[c] + <uint64_t>lists.rest_code[c]) if lists.rest_kind[c] == COMMON_REST else 0
        of_all += of_rest
        for i in range(lists.start[c], lists.end[c]):
            item = item_at(lists, i)
            of_row[0][item.place] += mix(of_column[c] + <uint64_t>item.code) - of_rest
    for i in range(lists.n_rows):
        of_row[0][i] = mix(of_row[0][i] + of_all)


cdef uint64_t sum_of_rows(const Lists* lists, const Rows* rows, const uint64_t* of_row, uint64_t code) noexcept nogil:
    """Return what a column adds up to whose rows all have one code."""
    cdef uint64_t total = 0
    cdef int64_t i
    for i in range(lists.n_rows):
        total += counted(rows, i, mix(of_row[i] + code))
    return total


cdef void digest_columns(
    const Lists* lists, const Rows* rows, vector[uint64_t]* of_column, vector[uint64_t]* of_row
) noexcept nogil:
    """Fill in a digest of each column, and of each row."""
    cdef vector[uint8_t] is_copy
    cdef vector[uint64_t] of_rest   # by code: `sum_of_rows`, 0 if it is not known yet
    cdef uint64_t total, weight = 0
    cdef int64_t i
    cdef int32_t c, turn, rest, most = 0
    cdef Item item
    for i in range(lists.n_rows):
        weight += rows.count[i] + rows.fraction[i]
    of_column.resize(lists.n_columns)
    for c in range(lists.n_columns):
        of_column[0][c] = digest_codes(lists, rows, weight, c)
        most = max(most, lists.rest_code[c])
    find_copies(lists, of_column.data(), &is_copy)
    digest_rows(lists, rows, of_column.data(), is_copy.data(), of_row)
    for turn in range(ROUNDS):
        of_rest.assign(most + 1, 0)
        for c in range(lists.n_columns):
            rest = lists.rest_code[c] if lists.rest_kind[c] == COMMON_REST else -1
            total = 0
            if rest >= 0:
                if of_rest[rest] == 0:
                    of_rest[rest] = sum_of_rows(lists, rows, of_row.data(), <uint64_t>rest)
                total = of_rest[rest]
            for i in range(lists.start[c], lists.end[c]):
                item = item_at(lists, i)
                total += counted(rows, item.place, mix(of_row[0][item.place] + <uint64_t>item.code))
                if rest >= 0:
                    total -= counted(rows, item.place, mix(of_row[0][item.place] + <uint64_t>rest))
            of_column[0][c] = chain(of_column[0][c], total)
        digest_rows(lists, rows, of_column.data(), is_copy.data(), of_row)
