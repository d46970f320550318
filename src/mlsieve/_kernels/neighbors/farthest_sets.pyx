"""The two sets that differ most, among sets of classes that hold each class above theirs.

The sets hang on a tree: each holds that of its parent. For one set after another, by falling weight, the tree is
searched from the top; a subtree is left out as soon as none of its sets can differ by more than the best pair found.
docs/hierarchical_relief.md proves it.

Functions here check nothing: `mlsieve.distances.largest` owns and validates the arrays.
"""

from libcpp.vector cimport vector


cdef struct Level:
    # Children that are still to be looked at, and the weight that their parent has in common with the own set.
    long long next
    long long end
    double common


cdef double visit(
    Py_ssize_t own, double own_total, double best, double slack, const double* mark, const long long[::1] child_start,
    const int[::1] child, const long long[::1] extra_start, const int[::1] extra, const double[::1] total,
    const double[::1] heaviest, const unsigned char[::1] candidate, vector[Level] &levels, Py_ssize_t* partner,
    long long* n_visited
) noexcept nogil:
    """Return by how much the set differs from the one farthest from it, or `best` if none exceeds that."""
    cdef Py_ssize_t top = child_start.shape[0] - 2, v
    cdef long long p
    cdef double common, most, difference
    cdef Level* level
    levels.clear()
    levels.push_back(Level(child_start[top], child_start[top + 1], 0.0))
    while not levels.empty():
        level = &levels.back()
        common = level.common
        if level.next == level.end:
            levels.pop_back()
            continue
        v = child[level.next]
        # A heavier set has had its turn, with this one as its partner.
        most = own_total + min(heaviest[v], own_total)
        if most - 2.0 * common <= best + slack:
            levels.pop_back()  # the other children are lighter
            continue
        level.next += 1
        n_visited[0] += 1
        for p in range(extra_start[v], extra_start[v + 1]):
            common += mark[extra[p]]
        if candidate[v] and v != own:
            difference = own_total + total[v] - 2.0 * common
            if difference > best:
                best = difference
                partner[0] = v
        if most - 2.0 * common > best + slack:
            levels.push_back(Level(child_start[v], child_start[v + 1], common))
    return best


def farthest_pair(
    const long long[::1] child_start,
    const int[::1] child,
    const long long[::1] extra_start,
    const int[::1] extra,
    const long long[::1] member_start,
    const int[::1] member,
    const double[::1] weights,
    const double[::1] total,
    const double[::1] heaviest,
    const unsigned char[::1] candidate,
    const int[::1] order,
    double precision,
):
    """Find two candidates whose sets' symmetric difference has the largest weight.

    Parameters
    ----------
    child_start, child : children of each of N sets in the tree, by falling `heaviest`; those of the top come last
    extra_start, extra : what each set holds beyond its parent's
    member_start, member : what each set holds
    weights : (C,) weight of each class, at least 0
    total : (N,) weight of each set
    heaviest : (N,) largest weight of a candidate within the set's subtree, -infinity without one
    candidate : (N,) whether the set may be one of the pair
    order : the candidates, by falling weight
    precision : differences of up to this share of a set's weight count as none

    Returns
    -------
    (int, int, int)
        The pair, -1 and -1 if all candidates are equal, and the number of sets that the search looked at.
    """
    cdef Py_ssize_t n_candidates = order.shape[0], e, own, partner = -1, first = -1, second = -1
    cdef long long p, n_visited = 0
    cdef double best = 0.0, found
    cdef vector[Level] levels
    cdef vector[double] mark
    with nogil:
        mark.assign(weights.shape[0] + 1, 0.0)
        for e in range(n_candidates):
            own = order[e]
            if 2.0 * total[own] <= best + precision * total[own]:
                break
            for p in range(member_start[own], member_start[own + 1]):
                mark[member[p]] = weights[member[p]]
            found = visit(
                own, total[own], best, precision * total[own], mark.data(), child_start, child, extra_start, extra,
                total, heaviest, candidate, levels, &partner, &n_visited
            )
            if found > best:
                best = found
                first = own
                second = partner
            for p in range(member_start[own], member_start[own + 1]):
                mark[member[p]] = 0.0
    return first, second, n_visited
