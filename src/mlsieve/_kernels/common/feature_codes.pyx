"""Features coded column by column: values become ranks, and the rows of a feature's commonest value are left out."""

from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport as_double_array, as_int_array

cdef extern from *:
    """
    #include <algorithm>
    #include <cstdint>
    #include <cstring>
    #include <vector>
    enum { FEW_CELLS = 128 };  // as many are sorted by comparing them
    enum { DIGIT = 11 };       // bits
    struct Cell {
        double value;
        int32_t place;  // among its column's cells
        bool operator<(const Cell& other) const { return value < other.value; }
    };
    struct Coded {
        std::vector<double> values;
        std::vector<int32_t> rest, n_values, n_missing, n_listed, codes, row, code;
        // The column at hand: its cells that are not 0, by row, their codes (-1: missing), and the known ones by value.
        std::vector<int32_t> cell_row, cell_code;
        std::vector<Cell> known, scratch;
    };

    // The sign, the exponent and 20 bits of the fraction, in the order of the values.
    static inline uint32_t leading_bits(const Cell& cell) {
        uint64_t bits;
        std::memcpy(&bits, &cell.value, sizeof bits);
        return (uint32_t)((bits >> 63 ? ~bits : bits | (uint64_t)1 << 63) >> 32);
    }

    // By rising value: many cells by three digits of their leading bits, and by comparing those that share them all.
    static void sort_cells(std::vector<Cell>& cells, std::vector<Cell>& scratch) {
        const size_t n = cells.size();
        if (n <= FEW_CELLS) return std::sort(cells.begin(), cells.end());
        uint32_t first[3][1 << DIGIT] = {};
        const uint32_t mask = (1 << DIGIT) - 1;
        for (const Cell& cell : cells)
            for (int pass = 0; pass < 3; ++pass) first[pass][leading_bits(cell) >> pass * DIGIT & mask] += 1;
        scratch.resize(n);
        for (int pass = 0; pass < 3; ++pass) {
            uint32_t before = 0;
            for (uint32_t& place : first[pass]) {
                const uint32_t own = place;
                place = before;
                before += own;
            }
            for (const Cell& cell : cells) scratch[first[pass][leading_bits(cell) >> pass * DIGIT & mask]++] = cell;
            cells.swap(scratch);
        }
        for (size_t i = 0, j; i < n; i = j) {
            bool in_order = true;
            for (j = i + 1; j < n && leading_bits(cells[j]) == leading_bits(cells[i]); ++j)
                in_order = in_order && !(cells[j] < cells[j - 1]);
            if (!in_order) std::sort(cells.begin() + i, cells.begin() + j);
        }
    }
    """
    cdef cppclass Cell nogil:
        double value
        int32_t place
        cbool operator<(const Cell&)

    cdef cppclass Coded nogil:
        vector[double] values
        vector[int32_t] rest
        vector[int32_t] n_values
        vector[int32_t] n_missing
        vector[int32_t] n_listed
        vector[int32_t] codes
        vector[int32_t] row
        vector[int32_t] code
        vector[int32_t] cell_row
        vector[int32_t] cell_code
        vector[Cell] known
        vector[Cell] scratch

    void sort_cells(vector[Cell]& cells, vector[Cell]& scratch) noexcept nogil


cdef struct Ranks:
    int32_t n_values
    int32_t zero_code   # code of the rows without a cell; -1 if there are none
    int32_t commonest   # code of the commonest value, the lowest of several
    int64_t frequency   # its rows


cdef void gather_cells(Coded* coded, const double* cells, const int32_t* rows, int64_t n_cells) noexcept nogil:
    """Take the cells of a column that are not 0; without `rows` they are those of rows 0, 1, ..."""
    cdef int64_t i
    cdef int32_t n = 0, n_known = 0
    coded.cell_row.resize(n_cells)
    coded.known.resize(n_cells)
    for i in range(n_cells):
        if cells[i] == 0.0:
            continue
        if cells[i] == cells[i]:
            coded.known[n_known].value = cells[i]
            coded.known[n_known].place = n
            n_known += 1
        coded.cell_row[n] = rows[i] if rows != NULL else <int32_t>i
        n += 1
    coded.cell_row.resize(n)
    coded.known.resize(n_known)
    coded.cell_code.assign(n, -1)


cdef Ranks rank_cells(Coded* coded, int64_t n_zeros) noexcept nogil:
    """Code the known cells by the rank of their values, of which 0 is one if there are rows without a cell."""
    cdef Ranks ranks = Ranks(0, -1, 0, 0)
    cdef int64_t i, n = <int64_t>coded.known.size(), run
    cdef bint zero_is_due = n_zeros > 0
    cdef double value
    for i in range(1, n):
        if coded.known[i] < coded.known[i - 1]:
            sort_cells(coded.known, coded.scratch)
            break
    i = 0
    while i < n or zero_is_due:
        if zero_is_due and (i == n or coded.known[i].value > 0.0):
            zero_is_due = False
            ranks.zero_code = ranks.n_values
            value = 0.0
            run = n_zeros
        else:
            value = coded.known[i].value
            run = -i
            while i < n and coded.known[i].value == value:
                coded.cell_code[coded.known[i].place] = ranks.n_values
                i += 1
            run += i
        coded.values.push_back(value)
        if run > ranks.frequency:
            ranks.frequency = run
            ranks.commonest = ranks.n_values
        ranks.n_values += 1
    return ranks


cdef bint take_categories(Coded* coded, Ranks* ranks, int32_t n_categories) noexcept nogil:
    """Let the codes be the categories; return whether all cells hold one."""
    cdef int64_t i
    cdef int32_t category
    cdef double value
    for i in range(<int64_t>coded.known.size()):
        value = coded.known[i].value
        if value < 0.0 or value >= n_categories or value != floor(value):
            return False
        coded.cell_code[coded.known[i].place] = <int32_t>value
    coded.values.resize(coded.values.size() - ranks.n_values)
    for category in range(n_categories):
        coded.values.push_back(category)
    ranks.n_values = n_categories
    ranks.zero_code = 0
    return True


cdef void list_rows(Coded* coded, const Ranks* ranks, int32_t n_rows) noexcept nogil:
    """List the rows of another value than the commonest one."""
    cdef int64_t i, n = <int64_t>coded.cell_row.size()
    cdef int32_t row, code
    if ranks.zero_code < 0 or ranks.zero_code == ranks.commonest:
        for i in range(n):
            if coded.cell_code[i] != ranks.commonest:
                coded.row.push_back(coded.cell_row[i])
                coded.code.push_back(coded.cell_code[i])
        return
    i = 0
    for row in range(n_rows):
        code = ranks.zero_code
        if i < n and coded.cell_row[i] == row:
            code = coded.cell_code[i]
            i += 1
        if code != ranks.commonest:
            coded.row.push_back(row)
            coded.code.push_back(code)


cdef void fill_rows(Coded* coded, const Ranks* ranks, int32_t n_rows) noexcept nogil:
    """Write down the codes of all rows."""
    cdef int64_t i, first = <int64_t>coded.codes.size()
    coded.codes.resize(first + n_rows, ranks.zero_code)
    for i in range(<int64_t>coded.cell_row.size()):
        coded.codes[first + coded.cell_row[i]] = coded.cell_code[i]


cdef bint code_column(Coded* coded, int32_t n_rows, int32_t n_categories, double sparse_share) noexcept nogil:
    """Code the gathered cells of a column; return whether they are what the column may hold."""
    cdef int64_t n_cells = <int64_t>coded.cell_row.size(), n_listed = <int64_t>coded.row.size()
    cdef int64_t n_missing = n_cells - <int64_t>coded.known.size()
    cdef Ranks ranks = rank_cells(coded, n_rows - n_cells)
    cdef bint sparse = ranks.n_values <= 2 or n_rows - ranks.frequency < sparse_share * n_rows
    if n_categories > 0 and not take_categories(coded, &ranks, n_categories):
        return False
    if sparse and n_missing == 0 and n_categories == 0:
        list_rows(coded, &ranks, n_rows)
        coded.rest.push_back(ranks.commonest)
    else:
        fill_rows(coded, &ranks, n_rows)
        coded.rest.push_back(-1)
    coded.n_values.push_back(ranks.n_values)
    coded.n_missing.push_back(<int32_t>n_missing)
    coded.n_listed.push_back(<int32_t>(<int64_t>coded.row.size() - n_listed))
    return True


def code_cells(
    const int64_t[::1] starts,
    const int32_t[::1] rows,
    const double[::1] cells,
    const int32_t[::1] n_categories,
    int32_t n_rows,
    double sparse_share,
):
    """Code the columns of a CSC array.

    Parameters
    ----------
    starts : ndarray of int64, shape (F + 1,)
        First cell of each column.
    rows : ndarray of int32, one for each cell, or empty
        Rising within a column, none twice. Empty: each column holds the cells of all rows.
    cells : ndarray of float64
        NaN is missing; 0 counts as not stored.
    n_categories : ndarray of int32, shape (F,)
        Number of categories of a feature whose codes are its values, 0 for all others.
    n_rows : int
    sparse_share : float
        A column is sparse, if it has no missing cells and no categories, and two values at most or a smaller share of
        rows than this that differ from its commonest value.

    Returns
    -------
    dict of ndarray
        Of each column: rest (code of the rows that are not listed, -1 for a dense one), n_values, n_missing, n_listed;
        one column after the other: values (distinct, rising), codes (of all rows of the dense ones), row and code (the
        listed ones of the sparse ones, rows rising).

    Raises
    ------
    ValueError
        If a feature holds something else than its categories; its second argument is the column.
    """
    cdef Coded coded
    cdef int32_t column, n_columns = <int32_t>n_categories.shape[0], wrong = -1
    cdef const int32_t* column_rows
    with nogil:
        for column in range(n_columns):
            if starts[column + 1] > starts[column]:
                column_rows = &rows[starts[column]] if rows.shape[0] else NULL
                gather_cells(&coded, &cells[starts[column]], column_rows, starts[column + 1] - starts[column])
            else:
                gather_cells(&coded, NULL, NULL, 0)
            if not code_column(&coded, n_rows, n_categories[column], sparse_share):
                wrong = column
                break
    if wrong >= 0:
        raise ValueError(f"more than its {n_categories[wrong]} categories", wrong)
    return {
        "rest": as_int_array(&coded.rest),
        "n_values": as_int_array(&coded.n_values),
        "n_missing": as_int_array(&coded.n_missing),
        "n_listed": as_int_array(&coded.n_listed),
        "values": as_double_array(&coded.values),
        "codes": as_int_array(&coded.codes),
        "row": as_int_array(&coded.row),
        "code": as_int_array(&coded.code),
    }
