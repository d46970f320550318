# cython: language_level=3
# distutils: language = c++
"""Label-sparse search for the best (or a random) test of one feature in one node.

With binary labels the impurity of a set E follows from counts: n * imp(E) = A - B / n with A = sum_j w_j c_j and
B = sum_j w_j c_j^2 (c_j positives of label j, n the weight of E). The A of both children add up to the parent's, so

    h = B_yes / n_yes + B_no / n_no - B / n,      B_no = B - 2 X + B_yes,   X = sum_j w_j C_j c_j

and moving an example to the "yes" side costs one update of B_yes and X for each of its positive labels.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort

from mlsieve._kernels._rng cimport uniform


# ---------------------------------------------------------------------------------------------- judging one test


cdef inline double gain_of(const Totals* totals, double n_side, double B_side, double X_side) noexcept nogil:
    """h of the test whose one side has weight n_side and the sums B_side, X_side; symmetric in the sides."""
    return (
        B_side / n_side
        + (totals.B - 2.0 * X_side + B_side) / (totals.n - n_side)
        - totals.B / totals.n
    )


cdef inline void move(
    const Labels* labels, const double* wC, double* count, int32_t row, double weight, double* B, double* X
) noexcept nogil:
    """Add one example to a side."""
    cdef int64_t q
    cdef int32_t j
    cdef double c
    for q in range(labels.start[row], labels.start[row + 1]):
        j = labels.index[q]
        c = count[j]
        B[0] += labels.weight[j] * weight * (2.0 * c + weight)
        X[0] += wC[j] * weight
        count[j] = c + weight


cdef void clear(Work* work, double* count) noexcept nogil:
    cdef size_t i
    for i in range(work.touched.size()):
        count[work.touched[i]] = 0.0


cdef inline bint offer(
    Split* best, const Totals* totals, double gain, int32_t feature, int32_t code, int32_t upper_code
) noexcept nogil:
    """Take the test if it beats the best so far by more than a rounding error."""
    if gain <= best.gain + totals.tie:
        return False
    best.gain = gain
    best.feature = feature
    best.code = code
    best.upper_code = upper_code
    best.nominal = False
    return True


# ---------------------------------------------------------------------------------------------- numeric, best test


cdef void scan_descending(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, int64_t start, int64_t n_entries,
    int32_t feature, int32_t code_below, Split* best
) noexcept nogil:
    """Judge every threshold between distinct codes of work.sorted_*, highest first.

    `code_below` is the code of the unlisted rest (the zeros of a sparse feature), or -1 if the entries are all.
    """
    cdef double B = 0.0, X = 0.0, n_yes = 0.0, n_no
    cdef int64_t i
    cdef int32_t p, code, next_code
    cdef double* count = work.yes_count.data()
    for i in range(n_entries):
        p = work.sorted_position[i]
        move(labels, totals.wC, count, work.rows[start + p], work.weights[start + p], &B, &X)
        n_yes += work.weights[start + p]
        code = work.sorted_code[i]
        next_code = work.sorted_code[i + 1] if i + 1 < n_entries else code_below
        if next_code == code or next_code < 0:
            continue
        n_no = totals.n - n_yes
        if n_yes < options.min_leaf or n_no < options.min_leaf:
            continue
        offer(best, totals, gain_of(totals, n_yes, B, X), feature, next_code, code)
    clear(work, count)


cdef void scan_ascending(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, int64_t start, int64_t first,
    int64_t n_entries, int32_t feature, int32_t code_above, Split* best
) noexcept nogil:
    """Judge the thresholds below the zeros: entries [first, n_entries) of work.sorted_*, lowest first.

    The "no" side grows, so that the zeros are never moved; among equal gains the highest threshold is kept.
    """
    cdef double B = 0.0, X = 0.0, n_no = 0.0, gain
    cdef int64_t i = n_entries - 1
    cdef int32_t p, code, next_code
    cdef double* count = work.yes_count.data()
    cdef double best_gain = 0.0
    cdef int32_t best_code = -1, best_upper = -1
    while i >= first:
        p = work.sorted_position[i]
        move(labels, totals.wC, count, work.rows[start + p], work.weights[start + p], &B, &X)
        n_no += work.weights[start + p]
        code = work.sorted_code[i]
        next_code = work.sorted_code[i - 1] if i > first else code_above
        i -= 1
        if next_code == code:
            continue
        if n_no < options.min_leaf or totals.n - n_no < options.min_leaf:
            continue
        gain = gain_of(totals, n_no, B, X)
        if best_code < 0 or gain > best_gain - totals.tie:
            best_gain = gain
            best_code = code
            best_upper = next_code
    if best_code >= 0:
        offer(best, totals, best_gain, feature, best_code, best_upper)
    clear(work, count)


cdef void sort_entries(Work* work, int64_t n_entries) noexcept nogil:
    """Sort work.sorted_* by falling code (equal codes: any fixed order)."""
    cdef int64_t i
    for i in range(n_entries):
        work.keys[i] = (<uint64_t>(<uint64_t>0xFFFFFFFF - <uint64_t>work.sorted_code[i]) << 32) | <uint64_t>work.sorted_position[i]
    sort(work.keys.begin(), work.keys.begin() + n_entries)
    for i in range(n_entries):
        work.sorted_position[i] = <int32_t>(work.keys[i] & <uint64_t>0xFFFFFFFF)
        work.sorted_code[i] = <int32_t>(<uint64_t>0xFFFFFFFF - (work.keys[i] >> 32))


cdef int64_t gather_dense(
    Work* work, const Columns* columns, int32_t feature, int64_t start, int64_t n_node, bint sorted_by_code
) noexcept nogil:
    """Put the known (place, code) pairs of a dense feature into work.sorted_*; return their number, or -1 if constant.

    Large nodes follow the column's precomputed order instead of sorting.
    """
    cdef int32_t slot = columns.dense_slot[feature]
    cdef const int32_t* codes = columns.codes + <int64_t>slot * columns.n_rows
    cdef const int32_t* order = columns.order + <int64_t>slot * columns.n_rows
    cdef int64_t i, k = 0
    cdef int32_t code, p, lowest = 2147483647, highest = -1
    if sorted_by_code and n_node * 12 > columns.n_known[slot]:
        i = columns.n_known[slot] - 1
        while i >= 0:
            p = work.position[order[i]]
            if p >= 0:
                work.sorted_position[k] = p
                work.sorted_code[k] = codes[order[i]]
                k += 1
            i -= 1
        if k == 0 or work.sorted_code[0] == work.sorted_code[k - 1]:
            return -1
        return k
    for i in range(n_node):
        code = codes[work.rows[start + i]]
        if code < 0:
            continue
        work.sorted_position[k] = <int32_t>i
        work.sorted_code[k] = code
        lowest = min(lowest, code)
        highest = max(highest, code)
        k += 1
    if lowest >= highest:
        return -1
    if sorted_by_code:
        sort_entries(work, k)
    return k


cdef void known_totals(
    Work* work, const Labels* labels, const Totals* node, int64_t start, int64_t n_entries, Totals* known
) noexcept nogil:
    """Totals over the listed entries only (a feature with missing values in the node)."""
    cdef int64_t i, q
    cdef int32_t p, j
    cdef double w
    known.n = 0.0
    known.B = 0.0
    known.tie = node.tie
    for i in range(n_entries):
        p = work.sorted_position[i]
        w = work.weights[start + p]
        known.n += w
        for q in range(labels.start[work.rows[start + p]], labels.start[work.rows[start + p] + 1]):
            work.known_count[labels.index[q]] += w
    for i in range(<int64_t>work.touched.size()):
        j = work.touched[i]
        work.known_wC[j] = labels.weight[j] * work.known_count[j]
        known.B += work.known_wC[j] * work.known_count[j]
        work.known_count[j] = 0.0
    known.wC = work.known_wC.data()


# ---------------------------------------------------------------------------------------------- random tests


cdef void judge_random(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    int64_t start, int64_t n_entries, int32_t feature, int32_t rest_code, double u, Split* best
) noexcept nogil:
    """One random threshold min + u (max - min) over the entries of work.sorted_* and the rest (code rest_code, or -1)."""
    cdef const double* values = columns.values + columns.value_start[feature]
    cdef int64_t i, n_above = 0
    cdef int32_t lowest, highest, code, low, high, middle, p, upper
    cdef double threshold, B = 0.0, X = 0.0, n_side = 0.0
    cdef bint above
    cdef double* count = work.yes_count.data()
    lowest = highest = work.sorted_code[0] if rest_code < 0 else rest_code
    for i in range(n_entries):
        code = work.sorted_code[i]
        lowest = min(lowest, code)
        highest = max(highest, code)
    if lowest == highest:
        return
    threshold = values[lowest] + u * (values[highest] - values[lowest])
    low = lowest          # largest code with value <= threshold, by bisection; highest never answers "no"
    high = highest
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= threshold:
            low = middle
        else:
            high = middle
    if threshold >= values[highest]:
        threshold = values[low]
    upper = highest
    for i in range(n_entries):
        if work.sorted_code[i] > low:
            n_above += 1
            upper = min(upper, work.sorted_code[i])
    # Move the side that does not hold the unlisted rest; without a rest, the smaller one.
    above = rest_code <= low if rest_code >= 0 else 2 * n_above <= n_entries
    for i in range(n_entries):
        if (work.sorted_code[i] > low) == above:
            p = work.sorted_position[i]
            move(labels, totals.wC, count, work.rows[start + p], work.weights[start + p], &B, &X)
            n_side += work.weights[start + p]
    clear(work, count)
    if n_side < options.min_leaf or totals.n - n_side < options.min_leaf:
        return
    if offer(best, totals, gain_of(totals, n_side, B, X), feature, low, upper):
        best.threshold = threshold


# ---------------------------------------------------------------------------------------------- nominal features


cdef int32_t gather_values(
    Work* work, const Labels* labels, int64_t start, int64_t n_entries
) noexcept nogil:
    """Label counts of each category that occurs among work.sorted_* (sorted by code); return how many occur."""
    cdef int64_t i = 0, q
    cdef size_t first
    cdef int32_t code, p, j, n_values = 0
    cdef double w
    work.value_label.clear()
    work.value_count.clear()
    while i < n_entries:
        code = work.sorted_code[i]
        work.value_of[n_values] = code
        work.value_start[n_values] = <int64_t>work.value_label.size()
        work.value_weight[n_values] = 0.0
        first = work.value_label.size()
        while i < n_entries and work.sorted_code[i] == code:
            p = work.sorted_position[i]
            w = work.weights[start + p]
            work.value_weight[n_values] += w
            for q in range(labels.start[work.rows[start + p]], labels.start[work.rows[start + p] + 1]):
                j = labels.index[q]
                if work.yes_count[j] == 0.0:
                    work.value_label.push_back(j)
                work.yes_count[j] += w
            i += 1
        while first < work.value_label.size():
            j = work.value_label[first]
            work.value_count.push_back(work.yes_count[j])
            work.yes_count[j] = 0.0
            first += 1
        n_values += 1
    work.value_start[n_values] = <int64_t>work.value_label.size()
    return n_values


cdef void add_value(
    Work* work, const Labels* labels, const Totals* totals, int32_t value, bint keep, double* B, double* X
) noexcept nogil:
    """Sums after one more category joins the "yes" side; with `keep` it stays there."""
    cdef int64_t q
    cdef int32_t j
    cdef double c
    for q in range(work.value_start[value], work.value_start[value + 1]):
        j = work.value_label[q]
        c = work.value_count[q]
        B[0] += labels.weight[j] * c * (2.0 * work.yes_count[j] + c)
        X[0] += totals.wC[j] * c
        if keep:
            work.yes_count[j] += c


cdef bint take_subset(Work* work, Split* best, const Totals* totals, double gain, int32_t feature) noexcept nogil:
    if not offer(best, totals, gain, feature, -1, -1):
        return False
    best.nominal = True
    work.best_subset.assign(work.trial_subset.begin(), work.trial_subset.end())
    return True


cdef void judge_nominal(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, int64_t start, int64_t n_entries,
    int32_t feature, Split* best
) noexcept nogil:
    """Grow a subset of categories greedily while h strictly improves (CLUS); ties: the category declared first."""
    cdef int32_t n_values, value, chosen
    cdef double B = 0.0, X = 0.0, n_yes = 0.0, trial_B, trial_X, trial_n, gain, best_gain = 0.0, round_gain
    cdef bint any_gain = False
    n_values = gather_values(work, labels, start, n_entries)
    work.trial_subset.clear()
    for value in range(n_values):
        work.in_subset[value] = 0
    while True:
        chosen = -1
        round_gain = 0.0
        value = n_values - 1              # categories are listed by falling code
        while value >= 0:
            if not work.in_subset[value]:
                trial_B = B
                trial_X = X
                add_value(work, labels, totals, value, False, &trial_B, &trial_X)
                trial_n = n_yes + work.value_weight[value]
                if trial_n >= options.min_leaf and totals.n - trial_n >= options.min_leaf:
                    gain = gain_of(totals, trial_n, trial_B, trial_X)
                    if chosen < 0 or gain > round_gain + totals.tie:
                        chosen = value
                        round_gain = gain
            value -= 1
        if chosen < 0 or (any_gain and round_gain <= best_gain + totals.tie):
            break
        any_gain = True
        best_gain = round_gain
        work.in_subset[chosen] = 1
        work.trial_subset.push_back(work.value_of[chosen])
        add_value(work, labels, totals, chosen, True, &B, &X)
        n_yes += work.value_weight[chosen]
    clear(work, work.yes_count.data())
    if any_gain:
        take_subset(work, best, totals, best_gain, feature)


cdef void judge_random_subset(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, int64_t start, int64_t n_entries,
    int32_t feature, uint64_t key, int32_t node, Split* best
) noexcept nogil:
    """One random proper subset of the categories that occur in the node (a fair coin each, thrown again until proper)."""
    cdef int32_t n_values, value, throws = 0, n_in
    cdef double B = 0.0, X = 0.0, n_yes = 0.0
    n_values = gather_values(work, labels, start, n_entries)
    while True:
        work.trial_subset.clear()
        n_in = 0
        value = n_values - 1
        while value >= 0:
            # The coin of a category depends on nothing but its own code and the throw.
            if uniform(key, (<uint64_t>node << 32) | <uint64_t>feature, (<uint64_t>throws << 32) | <uint64_t>work.value_of[value]) < 0.5:
                work.trial_subset.push_back(work.value_of[value])
                n_in += 1
            value -= 1
        if 0 < n_in < n_values:
            break
        throws += 1
    for value in range(n_values):
        work.in_subset[value] = 0
    value = n_values - 1
    n_in = 0
    while value >= 0:
        if n_in < <int32_t>work.trial_subset.size() and work.trial_subset[n_in] == work.value_of[value]:
            add_value(work, labels, totals, value, True, &B, &X)
            n_yes += work.value_weight[value]
            n_in += 1
        value -= 1
    clear(work, work.yes_count.data())
    if n_yes >= options.min_leaf and totals.n - n_yes >= options.min_leaf:
        take_subset(work, best, totals, gain_of(totals, n_yes, B, X), feature)


# ---------------------------------------------------------------------------------------------- one feature in one node


cdef void judge_dense(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* node_totals,
    int64_t start, int64_t n_node, int32_t feature, uint64_t threshold_key, uint64_t subset_key, int32_t node,
    Split* best
) noexcept nogil:
    cdef Totals known
    cdef const Totals* totals = node_totals
    cdef bint nominal = columns.n_categories[feature] > 2
    cdef int64_t k = gather_dense(work, columns, feature, start, n_node, nominal or not options.random_tests)
    if k < 0:
        return
    if k < n_node:
        known_totals(work, labels, node_totals, start, k, &known)
        totals = &known
    if nominal:
        if options.random_tests:
            judge_random_subset(work, labels, options, totals, start, k, feature, subset_key, node, best)
        else:
            judge_nominal(work, labels, options, totals, start, k, feature, best)
    elif options.random_tests:
        judge_random(
            work, columns, labels, options, totals, start, k, feature, -1, uniform(threshold_key, node, feature), best
        )
    else:
        scan_descending(work, labels, options, totals, start, k, feature, -1, best)


cdef void judge_sparse(
    Work* work, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    int64_t start, int64_t n_node, int64_t k, int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature whose k non-zeros in the node are in work.sorted_*; the other n_node - k are zero."""
    cdef int32_t zero = columns.zero_code[feature], rest = zero if k < n_node else -1
    cdef int64_t i, n_positive
    cdef bint one_value = True
    if k == 0:
        return
    if options.random_tests:
        judge_random(
            work, columns, labels, options, totals, start, k, feature, rest, uniform(threshold_key, node, feature), best
        )
        return
    for i in range(1, k):
        if work.sorted_code[i] != work.sorted_code[0]:
            one_value = False
            break
    if one_value and rest < 0:
        return
    if not one_value:
        sort_entries(work, k)
    if rest < 0:
        scan_descending(work, labels, options, totals, start, k, feature, -1, best)
        return
    n_positive = k
    while n_positive > 0 and work.sorted_code[n_positive - 1] < zero:
        n_positive -= 1
    if n_positive > 0:
        scan_descending(work, labels, options, totals, start, n_positive, feature, zero, best)
    if n_positive < k:
        scan_ascending(work, labels, options, totals, start, n_positive, k, feature, zero, best)


cdef int64_t gather_column(Work* work, const Columns* columns, int32_t feature) noexcept nogil:
    """Put the non-zeros of a sparse feature that lie in the node into work.sorted_*, walking the column."""
    cdef int64_t q, k = 0
    cdef int32_t p
    for q in range(columns.column_start[feature], columns.column_start[feature + 1]):
        p = work.position[columns.column_row[q]]
        if p >= 0:
            work.sorted_position[k] = p
            work.sorted_code[k] = columns.column_code[q]
            k += 1
    return k


cdef void list_sparse(Work* work, const Columns* columns, int64_t start, int64_t n_node, int32_t n_lists) noexcept nogil:
    """Walk the node's rows once: each non-zero of a sampled sparse feature joins that feature's list."""
    cdef int64_t i, q, total = 0
    cdef int32_t row, slot
    for i in range(n_lists + 1):
        work.list_start[i] = 0
    for i in range(n_node):
        row = work.rows[start + i]
        for q in range(columns.row_start[row], columns.row_start[row + 1]):
            slot = work.list_of[columns.row_feature[q]]
            if slot >= 0:
                work.list_start[slot + 1] += 1
    for i in range(n_lists):
        work.list_start[i + 1] += work.list_start[i]
        work.list_fill[i] = work.list_start[i]
    total = work.list_start[n_lists]
    if <int64_t>work.list_position.size() < total:
        work.list_position.resize(2 * total)
        work.list_code.resize(2 * total)
    for i in range(n_node):
        row = work.rows[start + i]
        for q in range(columns.row_start[row], columns.row_start[row + 1]):
            slot = work.list_of[columns.row_feature[q]]
            if slot >= 0:
                work.list_position[work.list_fill[slot]] = <int32_t>i
                work.list_code[work.list_fill[slot]] = columns.row_code[q]
                work.list_fill[slot] += 1
