"""Rows divided into parts by iterative stratification.

A stratum is a set of rows: those with a label, or those with a pair of labels. Wanted is, for each stratum and part,
W times the number of rows that the part should still get: a part j of weight w_j, of W together, should have the
share w_j / W of the stratum's rows. Whole numbers, so that equal needs compare equal.

Functions here check nothing: `mlsieve.data.splits` owns and validates the arrays.
"""

from libcpp.algorithm cimport partial_sort
from libcpp.utility cimport pair
from libcpp.vector cimport vector

ctypedef long long longlong


cdef Py_ssize_t rarest(const vector[long long]& remaining) noexcept nogil:
    """Return the first of the strata with the fewest rows left, of those that have any; -1 if none has."""
    cdef Py_ssize_t found = -1, s
    for s in range(<Py_ssize_t> remaining.size()):
        if remaining[s] > 0 and (found < 0 or remaining[s] < remaining[found]):
            found = s
    return found


cdef int neediest(
    const long long* wanted, const long long* further, const long long* lacking, int n_parts, double draw
) noexcept nogil:
    """Return the part that wants most; of equal ones by `further`, then by the rows that it lacks, then drawn."""
    cdef int best = 0, n_equal = 1, part
    cdef long long more
    for part in range(1, n_parts):
        more = wanted[part] - wanted[best]
        if more == 0:
            more = further[part] - further[best]
        if more == 0:
            more = lacking[part] - lacking[best]
        if more > 0:
            best = part
            n_equal = 1
        elif more == 0:
            n_equal += 1
    cdef int skipped = <int> (draw * n_equal)
    for part in range(best, n_parts):
        if wanted[part] == wanted[best] and further[part] == further[best] and lacking[part] == lacking[best]:
            if skipped == 0:
                return part
            skipped -= 1
    return best


cdef void level(
    const long long[::1] stratum_start, const int[::1] stratum, vector[long long]& wanted, long long whole, int n_parts,
    long long[::1] lacking, int[::1] parts
) noexcept nogil:
    """Move rows from parts with too many to parts with too few, until all sizes fit.

    Those rows go first whose moves add least to the sum of the squares of what strata want. Costs change with each
    move; they are computed again when an eighth of the rows that one part has too many has moved.
    """
    cdef int full, short_of, part
    cdef long long cost, n_moved, i, p, a
    cdef int row
    cdef vector[pair[longlong, int]] costs  # with the row
    while True:
        full = 0
        short_of = 0
        for part in range(1, n_parts):
            full = part if lacking[part] < lacking[full] else full
            short_of = part if lacking[part] > lacking[short_of] else short_of
        if lacking[full] == lacking[short_of]:
            return
        costs.clear()
        for row in range(<int> parts.shape[0]):
            if parts[row] == full:
                cost = 0
                for p in range(stratum_start[row], stratum_start[row + 1]):
                    a = <long long> stratum[p] * n_parts
                    cost += whole + wanted[a + full] - wanted[a + short_of]
                costs.push_back(pair[longlong, int](cost, row))
        n_moved = 1 + (min(-lacking[full], lacking[short_of]) - 1) // 8
        partial_sort(costs.begin(), costs.begin() + n_moved, costs.end())
        for i in range(n_moved):
            row = costs[i].second
            parts[row] = short_of
            for p in range(stratum_start[row], stratum_start[row + 1]):
                a = <long long> stratum[p] * n_parts
                wanted[a + full] += whole
                wanted[a + short_of] -= whole
        lacking[full] += n_moved
        lacking[short_of] -= n_moved


def stratify(
    const long long[::1] stratum_start,
    const int[::1] stratum,
    const long long[::1] row_start,
    const int[::1] rows,
    const unsigned char[::1] is_label,
    const long long[::1] weights,
    long long[::1] lacking,
    const double[::1] draws,
    int[::1] parts,
):
    """Give each row its part.

    Parameters
    ----------
    stratum_start, stratum : strata of each of n rows
    row_start, rows : rows of each of S strata, rising
    is_label : (S,) whether the stratum is that of a label, not that of a pair
    weights : (K,) weight of each part
    lacking : (K,) rows that each part is to have; 0 at the end
    draws : (n,) numbers in [0, 1), which decide between parts that are equal otherwise
    parts : (n,) -1 each; the result
    """
    cdef int n_parts = weights.shape[0], part, j
    cdef Py_ssize_t n = parts.shape[0], n_strata = is_label.shape[0], s
    cdef long long whole = 0, p, q
    cdef int row
    cdef vector[long long] wanted, remaining, further, nothing
    with nogil:
        for j in range(n_parts):
            whole += weights[j]
        wanted.resize(n_strata * n_parts)
        remaining.resize(n_strata)
        nothing.assign(n_parts, 0)
        for s in range(n_strata):
            remaining[s] = row_start[s + 1] - row_start[s]
            for j in range(n_parts):
                wanted[s * n_parts + j] = remaining[s] * weights[j]
        while True:
            s = rarest(remaining)
            if s < 0:
                break
            for p in range(row_start[s], row_start[s + 1]):
                row = rows[p]
                if parts[row] >= 0:
                    continue
                further.assign(n_parts, 0)
                for q in range(stratum_start[row], stratum_start[row + 1]):
                    if is_label[stratum[q]]:
                        for j in range(n_parts):
                            further[j] += wanted[<long long> stratum[q] * n_parts + j]
                part = neediest(&wanted[s * n_parts], further.data(), &lacking[0], n_parts, draws[row])
                parts[row] = part
                lacking[part] -= 1
                for q in range(stratum_start[row], stratum_start[row + 1]):
                    wanted[<long long> stratum[q] * n_parts + part] -= whole
                    remaining[stratum[q]] -= 1
        for row in range(<int> n):
            if parts[row] < 0:
                part = neediest(nothing.data(), nothing.data(), &lacking[0], n_parts, draws[row])
                parts[row] = part
                lacking[part] -= 1
        level(stratum_start, stratum, wanted, whole, n_parts, lacking, parts)
