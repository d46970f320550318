"""Search for the best (or a random) subset of a nominal feature's categories in one node.

While a subset grows, Work.side holds label counts of its examples.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport Entry
from mlsieve._kernels.common.random_numbers cimport uniform
from mlsieve._kernels.trees.node.gains cimport admissible, gain_of, offer
from mlsieve._kernels.trees.node.label_sums cimport clear_side
from mlsieve._kernels.trees.node.node_rows cimport Example


cdef int32_t gather_values(
    Work* work, const Labels* labels, const Entry* entries, int64_t n_entries
) noexcept nogil:
    """Label counts of each category that occurs among `entries` (sorted by code); return how many occur."""
    cdef int64_t i = 0
    cdef size_t first
    cdef int32_t code, j, q, n_values = 0
    cdef const Example* example
    work.value_label.clear()
    work.value_count.clear()
    while i < n_entries:
        code = entries[i].code
        work.value_of[n_values] = code
        work.value_start[n_values] = <int64_t>work.value_label.size()
        work.value_weight[n_values] = 0.0
        first = work.value_label.size()
        while i < n_entries and entries[i].code == code:
            example = &work.sums.example[entries[i].row]
            work.value_weight[n_values] += example.weight
            for q in range(example.first, example.last):
                j = labels.index[q]
                if work.sums.side[j] == 0.0:
                    work.value_label.push_back(j)
                work.sums.side[j] += example.weight
            i += 1
        while first < work.value_label.size():
            j = work.value_label[first]
            work.value_count.push_back(work.sums.side[j])
            work.sums.side[j] = 0.0
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
        B[0] += labels.weight[j] * c * (2.0 * work.sums.side[j] + c)
        X[0] += totals.wC[j] * c
        if keep:
            work.sums.side[j] += c


cdef bint take_subset(Work* work, Split* best, const Totals* totals, double gain, int32_t feature) noexcept nogil:
    if not offer(best, totals, gain, feature, -1, -1):
        return False
    best.nominal = True
    work.best_subset.assign(work.trial_subset.begin(), work.trial_subset.end())
    return True


cdef void judge_nominal(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, const Entry* entries,
    int64_t n_entries, int32_t feature, Split* best
) noexcept nogil:
    """Grow a subset of categories greedily while h strictly improves (CLUS); ties: the category declared first."""
    cdef int32_t n_values, value, chosen
    cdef double B = 0.0, X = 0.0, n_yes = 0.0, trial_B, trial_X, trial_n, gain, best_gain = 0.0, round_gain
    cdef bint any_gain = False
    n_values = gather_values(work, labels, entries, n_entries)
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
                if admissible(options, totals, trial_n):
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
    clear_side(&work.sums, labels, entries, n_entries)
    if any_gain:
        take_subset(work, best, totals, best_gain, feature)


cdef void judge_random_subset(
    Work* work, const Labels* labels, const Options* options, const Totals* totals, const Entry* entries,
    int64_t n_entries, int32_t feature, uint64_t key, int32_t node, Split* best
) noexcept nogil:
    """One random proper subset of the categories that occur in the node (a fair coin each, thrown again until proper)."""
    cdef int32_t n_values, value, throws = 0, n_in
    cdef uint64_t place
    cdef double B = 0.0, X = 0.0, n_yes = 0.0
    n_values = gather_values(work, labels, entries, n_entries)
    while True:
        work.trial_subset.clear()
        n_in = 0
        value = n_values - 1
        while value >= 0:
            # The coin of a category depends on nothing but its own code and the throw.
            place = (<uint64_t>node << 32) | <uint64_t>feature
            if uniform(key, place, (<uint64_t>throws << 32) | <uint64_t>work.value_of[value]) < 0.5:
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
    clear_side(&work.sums, labels, entries, n_entries)
    if admissible(options, totals, n_yes):
        take_subset(work, best, totals, gain_of(totals, n_yes, B, X), feature)
