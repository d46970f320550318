"""Labels that at least two of a node's rows have, and the scan of a dense feature's thresholds by these.

Most labels of a hierarchy are rare: in most nodes, most of a row's labels are its own alone. Such a label is on one side
of a test with its row and never meets another one, so that all it adds to B and X is known beforehand: it is in the
row's mass and x. Only shared labels are counted while rows move. They are numbered anew in each node, so that their
counts lie close together however many labels there are.

Rows whose value is missing take no part in a test. Few are missing mostly: they are taken off the node's counts C_j
instead of counting the others. With g_j the missing rows' weight that has label j and X_g, B_g their sums,

    B_known = B - 2 X_g + B_g,    X_known = sum_j w_j (C_j - g_j) c_j = X - sum_j w_j g_j c_j
"""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels._typedefs cimport Entry
from mlsieve._kernels._work cimport Example, admissible, gain_of, may_gain, near_gain, offer


cdef void list_shared(Work* work, const Labels* labels, const Pending* item) noexcept nogil:
    """List the shared labels of each of the node's rows; take up the rows' x."""
    cdef int64_t i
    cdef size_t t
    cdef int32_t q, j, row, n_shared = 0, n_listed = 0
    cdef double x
    cdef int32_t* place = work.shared_place.data()
    cdef int32_t* shared = work.shared_label.data()
    cdef Example* example
    cdef Example* own
    for i in range(item.start, item.end):
        example = &work.example[work.rows[i]]
        x = 0.0
        for q in range(example.first, example.last):
            j = labels.index[q]
            x += work.wC[j]
            place[j] += 1
        example.x = x
    for t in range(work.touched.size()):
        j = work.touched[t]
        if place[j] > 1 and labels.weight[j] != 0.0:
            place[j] = n_shared
            work.shared_doubled[n_shared] = work.doubled[j]
            n_shared += 1
        else:
            place[j] = -1
    for i in range(item.start, item.end):
        row = work.rows[i]
        example = &work.example[row]
        own = &work.near[row]
        own.weight = example.weight
        own.mass = example.mass
        own.x = example.x
        own.first = n_listed
        for q in range(example.first, example.last):
            # Written always and counted if it is shared: no branch.
            j = place[labels.index[q]]
            shared[n_listed] = j
            n_listed += j >= 0
        own.last = n_listed
    for t in range(work.touched.size()):
        place[work.touched[t]] = 0
    work.n_shared = n_shared


cdef inline void clear(Work* work, double* sums, int64_t width, const Entry* entries, int64_t n_entries) noexcept nogil:
    """Zero the sums of some entries: through their labels, or all of them if those are fewer."""
    cdef int64_t i
    cdef int32_t q
    cdef const Example* own
    if 4 * n_entries < work.n_shared:
        for i in range(n_entries):
            own = &work.near[entries[i].row]
            for q in range(own.first, own.last):
                sums[width * work.shared_label[q]] = 0.0
    else:
        for i in range(work.n_shared):
            sums[width * i] = 0.0


cdef void scan_complete(
    Work* work, const Options* options, const Totals* totals, const Entry* entries, int64_t n_entries, int32_t feature,
    Split* best
) noexcept nogil:
    """Judge every threshold where no value is missing."""
    cdef double B = 0.0, X = 0.0, n_yes = 0.0, near = near_gain(totals, best.gain + totals.tie), before, weight, held
    cdef int64_t i = 0
    cdef int32_t q, j, code, next_code, last = entries[n_entries - 1].code
    cdef double* side = work.shared_side.data()
    cdef const double* doubled = work.shared_doubled.data()
    cdef const int32_t* shared = work.shared_label.data()
    cdef const Example* own
    while entries[i].code != last:
        own = &work.near[entries[i].row]
        weight = own.weight
        before = 0.0
        for q in range(own.first, own.last):
            j = shared[q]
            held = side[j]
            before += held
            side[j] = held + doubled[j] * weight
        X += weight * own.x
        B += weight * (before + weight * own.mass)
        n_yes += weight
        code = entries[i].code
        i += 1
        next_code = entries[i].code
        if next_code != code and admissible(options, totals, n_yes) and may_gain(totals, near, n_yes, B, X):
            if offer(best, totals, gain_of(totals, n_yes, B, X), feature, next_code, code):
                near = near_gain(totals, best.gain + totals.tie)
    clear(work, side, 1, entries, i)


cdef void take_off(
    Work* work, const Totals* node, const Entry* entries, int64_t n_entries, Totals* known
) noexcept nogil:
    """Totals without some entries; their 2 w_j g_j stay in work.shared_gone."""
    cdef double B = 0.0, X = 0.0, n = 0.0, before, weight, held
    cdef int64_t i
    cdef int32_t q, j
    cdef double* gone = work.shared_gone.data()
    cdef const double* doubled = work.shared_doubled.data()
    cdef const Example* own
    for i in range(n_entries):
        own = &work.near[entries[i].row]
        weight = own.weight
        before = 0.0
        for q in range(own.first, own.last):
            j = work.shared_label[q]
            held = gone[2 * j + 1]
            before += held
            gone[2 * j + 1] = held + doubled[j] * weight
        X += weight * own.x
        B += weight * (before + weight * own.mass)
        n += weight
    known.n = node.n - n
    known.B = node.B - 2.0 * X + B
    known.tie = node.tie
    known.wC = NULL
    known.x_known = False


cdef void scan_shared(
    Work* work, const Options* options, const Totals* node, const Entry* entries, int64_t n_known, int64_t n_node,
    int32_t feature, Split* best
) noexcept nogil:
    """Judge every threshold between distinct codes, highest first.

    Codes of the first `n_known` entries fall; those of the others, up to `n_node`, are missing.
    """
    cdef double B = 0.0, X = 0.0, n_yes = 0.0, near, before, common, weight, held
    cdef int64_t i = 0
    cdef int32_t q, j, code, next_code, last = entries[n_known - 1].code
    cdef Totals known
    cdef double* sums = work.shared_gone.data()    # 2 w_j times: c_j of the side, then g_j
    cdef const double* doubled = work.shared_doubled.data()
    cdef const int32_t* shared = work.shared_label.data()
    cdef const Example* own
    if n_known == n_node:
        scan_complete(work, options, node, entries, n_node, feature, best)
        return
    take_off(work, node, entries + n_known, n_node - n_known, &known)
    near = near_gain(&known, best.gain + known.tie)
    while entries[i].code != last:
        own = &work.near[entries[i].row]
        weight = own.weight
        before = common = 0.0
        for q in range(own.first, own.last):
            j = shared[q]
            held = sums[2 * j]
            before += held
            common += sums[2 * j + 1]
            sums[2 * j] = held + doubled[j] * weight
        X += weight * (own.x - 0.5 * common)
        B += weight * (before + weight * own.mass)
        n_yes += weight
        code = entries[i].code
        i += 1
        next_code = entries[i].code
        if next_code != code and admissible(options, &known, n_yes) and may_gain(&known, near, n_yes, B, X):
            if offer(best, &known, gain_of(&known, n_yes, B, X), feature, next_code, code):
                near = near_gain(&known, best.gain + known.tie)
    clear(work, sums, 2, entries, i)
    clear(work, sums + 1, 2, entries + n_known, n_node - n_known)
