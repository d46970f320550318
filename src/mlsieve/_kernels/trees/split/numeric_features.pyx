"""Label-sparse search for the best (or a random) test of one numeric feature in one node.

With binary labels the impurity of a set E follows from counts: n * imp(E) = A - B / n with A = sum_j w_j c_j and
B = sum_j w_j c_j^2 (c_j positives of label j, n the weight of E). The A of both children add up to the parent's, so

    h = B_yes / n_yes + B_no / n_no - B / n,      B_no = B - 2 X + B_yes,   X = sum_j w_j C_j c_j

and moving an example to the "yes" side costs one update of B_yes and X for each of its positive labels.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.random_numbers cimport uniform
from mlsieve._kernels.trees.node.gains cimport (
    admissible, gain_of, may_gain, near_gain, needed_gain, offer, take, wins_tie
)
from mlsieve._kernels.trees.node.label_sums cimport clear_side, move, sum_side
from mlsieve._kernels.trees.node.node_rows cimport Example
from mlsieve._kernels.trees.node.sorted_rows cimport sort_listed
from mlsieve._kernels.trees.split.few_label_thresholds cimport scan_labels


cdef int prepare_known_labels(KnownLabels* known_labels, const LabelSums* sums, const Labels* labels) except -1 nogil:
    known_labels.count.assign(labels.n_labels, 0.0)
    known_labels.wC.assign(sums.wC.size(), 0.0)


cdef void known_totals(
    KnownLabels* known_labels, const LabelSums* sums, const Labels* labels, const Totals* node, const Entry* missing,
    int64_t n_missing, Totals* known
) noexcept nogil:
    """Totals without the rows whose value is missing, which are few mostly."""
    cdef int64_t i
    cdef size_t t
    cdef int32_t q, j
    cdef double gone
    cdef const Example* example
    known.n = node.n
    known.B = node.B
    known.tie = node.tie
    known.random_ties = node.random_ties
    known.tie_key = node.tie_key
    known.x_known = False
    for i in range(n_missing):
        example = &sums.example[missing[i].row]
        known.n -= example.weight
        for q in range(example.first, example.last):
            known_labels.count[labels.index[q]] += example.weight
    for t in range(sums.touched.size()):
        j = sums.touched[t]
        gone = known_labels.count[j]
        known_labels.wC[j] = node.wC[j] - labels.weight[j] * gone
        known.B -= (node.wC[j] + known_labels.wC[j]) * gone
        known_labels.count[j] = 0.0
    known.wC = known_labels.wC.data()


# ---------------------------------------------------------------------------------------------- the best test


cdef void scan_descending(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries, const float* lanes,
    int32_t feature, int32_t code_below, Split* best
) noexcept nogil:
    """Judge every threshold between distinct codes of `entries`, highest first.

    `lanes` are those of the entries' rows, if there are any; `code_below` is the code of the unlisted rest, or -1 if
    the entries are all.
    """
    cdef double B = 0.0, X = 0.0, n_yes = 0.0, gain, needed = needed_gain(best, totals, feature)
    cdef double near = near_gain(totals, needed)
    cdef int64_t i = 0
    cdef int32_t code, next_code, last = entries[n_entries - 1].code if code_below < 0 else -1
    cdef double* side = sums.side.data()
    cdef const double* doubled = sums.doubled.data()
    cdef const Example* example
    if sums.lanes.width > 0:
        i = scan_labels(
            sums.lanes.width, n_entries, entries, last, code_below, lanes, sums.lanes.short_weight.data(),
            sums.lanes.mean.data(), sums.lanes.label_weight.data(), totals.wC, totals.n, totals.B, data.options.min_leaf,
            totals.tie, needed, &gain
        )
        if i >= 0:
            take(best, gain, feature, entries[i + 1].code if i + 1 < n_entries else code_below, entries[i].code)
        return
    while i < n_entries and entries[i].code != last:
        example = &sums.example[entries[i].row]
        move(&data.labels, totals, doubled, side, example, &B, &X)
        n_yes += example.weight
        code = entries[i].code
        i += 1
        next_code = entries[i].code if i < n_entries else code_below
        if next_code != code and admissible(&data.options, totals, n_yes) and may_gain(totals, near, n_yes, B, X):
            gain = gain_of(totals, n_yes, B, X)
            if gain > needed:
                take(best, gain, feature, next_code, code)
                needed = gain + totals.tie
                near = near_gain(totals, needed)
    clear_side(sums, &data.labels, entries, i)


cdef void scan_ascending(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t first, int64_t n_entries,
    int32_t feature, int32_t code_above, Split* best
) noexcept nogil:
    """Judge the thresholds below the rest: entries [first, n_entries) of `entries`, lowest first.

    The "no" side grows, so that the rest is never moved; among equal gains the highest threshold is kept.
    """
    cdef double B = 0.0, X = 0.0, n_no = 0.0, gain, best_gain = 0.0
    cdef double other = best.gain - totals.tie if wins_tie(best, totals, feature) else best.gain
    cdef double near = near_gain(totals, other)
    cdef int64_t i = n_entries - 1
    cdef int32_t code, next_code, best_code = -1, best_upper = -1
    cdef const Example* example
    while i >= first:
        example = &sums.example[entries[i].row]
        move(&data.labels, totals, sums.doubled.data(), sums.side.data(), example, &B, &X)
        n_no += example.weight
        code = entries[i].code
        next_code = entries[i - 1].code if i > first else code_above
        i -= 1
        if next_code == code or not admissible(&data.options, totals, n_no) or not may_gain(totals, near, n_no, B, X):
            continue
        gain = gain_of(totals, n_no, B, X)
        if best_code < 0 or gain > best_gain - totals.tie:
            best_gain = gain
            best_code = code
            best_upper = next_code
            near = near_gain(totals, max(other, gain - totals.tie))
    if best_code >= 0:
        offer(best, totals, best_gain, feature, best_code, best_upper)
    clear_side(sums, &data.labels, entries + first, n_entries - first)


# ---------------------------------------------------------------------------------------------- a random test


cdef int32_t last_below(
    const double* values, int32_t lowest, int32_t highest, double u, double* threshold
) noexcept nogil:
    """Largest code with a value of at most the threshold min + u (max - min); never the highest."""
    cdef int32_t low = lowest, high = highest, middle
    threshold[0] = values[lowest] + u * (values[highest] - values[lowest])
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= threshold[0]:
            low = middle
        else:
            high = middle
    if threshold[0] >= values[highest]:
        threshold[0] = values[low]
    return low


cdef bint judge_parted(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* side, int64_t n_side_rows, int32_t feature,
    int32_t low, int32_t upper, double threshold, Split* best
) noexcept nogil:
    """Judge the test between the codes low and upper by the rows of one side; return whether it is the best so far."""
    cdef int64_t i
    cdef double B = 0.0, X = 0.0, n_side = 0.0
    for i in range(n_side_rows):
        n_side += sums.example[side[i].row].weight
    if not admissible(&data.options, totals, n_side):
        return False
    sum_side(sums, &data.labels, totals, side, n_side_rows, &B, &X)
    if not offer(best, totals, gain_of(totals, n_side, B, X), feature, low, upper):
        return False
    best.threshold = threshold
    return True


cdef void judge_random(
    LabelSums* sums, Entry* scratch, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries,
    int32_t feature, int32_t rest_code, double u, Split* best
) noexcept nogil:
    """One random threshold over the entries and the rest (code rest_code, or -1), which is never moved."""
    cdef int64_t i, n_above = 0, n_moved = 0
    cdef int32_t lowest, highest, code, low, upper
    cdef double threshold
    cdef bint above
    lowest = highest = entries[0].code if rest_code < 0 else rest_code
    for i in range(n_entries):
        code = entries[i].code
        lowest = min(lowest, code)
        highest = max(highest, code)
    if lowest == highest:
        return
    low = last_below(data.columns.values + data.columns.value_start[feature], lowest, highest, u, &threshold)
    upper = highest
    for i in range(n_entries):
        if entries[i].code > low:
            n_above += 1
            upper = min(upper, entries[i].code)
    # Move the side that does not hold the unlisted rest; without a rest, the smaller one.
    above = rest_code <= low if rest_code >= 0 else 2 * n_above <= n_entries
    for i in range(n_entries):
        if (entries[i].code > low) == above:
            scratch[n_moved].row = entries[i].row
            n_moved += 1
    judge_parted(sums, data, totals, scratch, n_moved, feature, low, upper, threshold, best)


cdef void judge_random_ordered(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries, int32_t feature,
    int32_t rest_code, double u, Split* best
) noexcept nogil:
    """The same where codes fall."""
    cdef const double* values = data.columns.values + data.columns.value_start[feature]
    cdef int64_t n_above = 0, n_more = n_entries, middle
    cdef int32_t lowest = entries[n_entries - 1].code, highest = entries[0].code
    cdef double threshold
    cdef bint above
    if rest_code >= 0:
        lowest = min(lowest, rest_code)
        highest = max(highest, rest_code)
    if lowest == highest:
        return
    threshold = values[lowest] + u * (values[highest] - values[lowest])
    while n_above < n_more:
        middle = (n_above + n_more) // 2
        if values[entries[middle].code] > threshold or entries[middle].code == highest:
            n_above = middle + 1
        else:
            n_more = middle
    if rest_code >= 0:
        above = values[rest_code] <= threshold and rest_code < highest
    else:
        above = 2 * n_above <= n_entries
    if above:
        n_above = 0
    else:
        n_more = n_entries - n_above
    if judge_parted(sums, data, totals, entries + n_above, n_more, feature, -1, -1, threshold, best):
        best.code = last_below(values, lowest, highest, u, &best.threshold)
        best.upper_code = best.code + 1


cdef void judge_random_complete(
    LabelSums* sums, SortedRows* sorted, const Data* data, const Totals* totals, const int32_t* rows, int64_t n_node,
    int32_t feature, double u, Split* best
) noexcept nogil:
    """The same for a dense feature without missing values, straight from its codes."""
    cdef const int32_t* codes = data.columns.codes + <int64_t>data.columns.dense_slot[feature] * data.columns.n_rows
    cdef Entry* above = sorted.entries.data()
    cdef Entry* below = sorted.scratch.data()
    cdef int64_t i, n_above = 0, n_below = 0
    cdef int32_t lowest = 2147483647, highest = -1, code, low, upper
    cdef double threshold
    for i in range(n_node):
        code = codes[rows[i]]
        lowest = min(lowest, code)
        highest = max(highest, code)
    if lowest == highest:
        return
    low = last_below(data.columns.values + data.columns.value_start[feature], lowest, highest, u, &threshold)
    upper = highest
    for i in range(n_node):
        # Written on both sides and counted on one: no branch.
        code = codes[rows[i]]
        above[n_above].row = rows[i]
        below[n_below].row = rows[i]
        n_above += code > low
        n_below += code <= low
        upper = min(upper, code if code > low else highest)
    if n_above <= n_below:
        judge_parted(sums, data, totals, above, n_above, feature, low, upper, threshold, best)
    else:
        judge_parted(sums, data, totals, below, n_below, feature, low, upper, threshold, best)


# ---------------------------------------------------------------------------------------------- one feature in one node


cdef bint one_code(const Entry* entries, int64_t n_entries) noexcept nogil:
    cdef int64_t i
    for i in range(1, n_entries):
        if entries[i].code != entries[0].code:
            return False
    return True


cdef void judge_listed(
    LabelSums* sums, SortedRows* sorted, const Data* data, const Totals* totals, Entry* entries, int64_t n_entries,
    int64_t n_node, int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature of more than two values by the list of its rows in the node."""
    if n_entries == 0:
        return
    if data.options.random_tests:
        judge_random(
            sums, sorted.scratch.data(), data, totals, entries, n_entries, feature,
            data.columns.rest_code[feature] if n_entries < n_node else -1, uniform(threshold_key, node, feature), best
        )
        return
    if not one_code(entries, n_entries):
        sort_listed(sorted, entries, n_entries)
    judge_ordered(sums, data, totals, entries, n_entries, n_node, feature, threshold_key, node, best)


cdef void judge_ordered(
    LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries, int64_t n_node,
    int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """The same where codes fall."""
    cdef int32_t rest = data.columns.rest_code[feature] if n_entries < n_node else -1
    cdef int64_t n_above = n_entries
    if data.options.random_tests:
        judge_random_ordered(
            sums, data, totals, entries, n_entries, feature, rest, uniform(threshold_key, node, feature), best
        )
        return
    if rest < 0:
        if entries[0].code != entries[n_entries - 1].code:
            scan_descending(sums, data, totals, entries, n_entries, sums.lanes.of_row.data(), feature, -1, best)
        return
    while n_above > 0 and entries[n_above - 1].code < rest:
        n_above -= 1
    if n_above > 0:
        scan_descending(sums, data, totals, entries, n_above, sums.lanes.of_row.data(), feature, rest, best)
    if n_above < n_entries:
        scan_ascending(sums, data, totals, entries, n_above, n_entries, feature, rest, best)
