"""Search for the best (or a random) subset of a nominal feature's categories in one node.

While a subset grows, LabelSums.side holds label counts of its examples.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort

from mlsieve._kernels.common.data_structs cimport Labels
from mlsieve._kernels.common.random_numbers cimport uniform
from mlsieve._kernels.trees.node.gains cimport admissible, gain_of, offer
from mlsieve._kernels.trees.node.label_sums cimport clear_side
from mlsieve._kernels.trees.node.node_rows cimport Example


cdef int prepare_subsets(Subsets* subsets, const Columns* columns) except -1 nogil:
    cdef int32_t feature, widest = 2
    for feature in range(columns.n_features):
        widest = max(widest, columns.n_categories[feature])
    subsets.in_subset.assign(widest, 0)
    subsets.value_of.resize(widest)
    subsets.value_start.resize(widest + 1)
    subsets.value_weight.resize(widest)


cdef void enter_subset(Subsets* subsets, int32_t n_categories, Tree* grown) noexcept nogil:
    """Enter the best subset into the tree; `in_subset` is then of each category."""
    cdef int32_t i
    cdef size_t t
    for i in range(n_categories):
        subsets.in_subset[i] = 0
    sort(subsets.best_subset.begin(), subsets.best_subset.end())
    for t in range(subsets.best_subset.size()):
        subsets.in_subset[subsets.best_subset[t]] = 1
        grown.subset.push_back(subsets.best_subset[t])


cdef int32_t gather_values(
    Subsets* subsets, LabelSums* sums, const Labels* labels, const Entry* entries, int64_t n_entries
) noexcept nogil:
    """Label counts of each category that occurs among `entries` (sorted by code); return how many occur."""
    cdef int64_t i = 0
    cdef size_t first
    cdef int32_t code, j, q, n_values = 0
    cdef const Example* example
    subsets.value_label.clear()
    subsets.value_count.clear()
    while i < n_entries:
        code = entries[i].code
        subsets.value_of[n_values] = code
        subsets.value_start[n_values] = <int64_t>subsets.value_label.size()
        subsets.value_weight[n_values] = 0.0
        first = subsets.value_label.size()
        while i < n_entries and entries[i].code == code:
            example = &sums.example[entries[i].row]
            subsets.value_weight[n_values] += example.weight
            for q in range(example.first, example.last):
                j = labels.index[q]
                if sums.side[j] == 0.0:
                    subsets.value_label.push_back(j)
                sums.side[j] += example.weight
            i += 1
        while first < subsets.value_label.size():
            j = subsets.value_label[first]
            subsets.value_count.push_back(sums.side[j])
            sums.side[j] = 0.0
            first += 1
        n_values += 1
    subsets.value_start[n_values] = <int64_t>subsets.value_label.size()
    return n_values


cdef void add_value(
    const Subsets* subsets, LabelSums* sums, const Labels* labels, const Totals* totals, int32_t value, bint keep,
    double* B, double* X
) noexcept nogil:
    """Sums after one more category joins the "yes" side; with `keep` it stays there."""
    cdef int64_t q
    cdef int32_t j
    cdef double c
    for q in range(subsets.value_start[value], subsets.value_start[value + 1]):
        j = subsets.value_label[q]
        c = subsets.value_count[q]
        B[0] += labels.weight[j] * c * (2.0 * sums.side[j] + c)
        X[0] += totals.wC[j] * c
        if keep:
            sums.side[j] += c


cdef bint take_subset(Subsets* subsets, Split* best, const Totals* totals, double gain, int32_t feature) noexcept nogil:
    if not offer(best, totals, gain, feature, -1, -1):
        return False
    best.nominal = True
    subsets.best_subset.assign(subsets.trial_subset.begin(), subsets.trial_subset.end())
    return True


cdef void judge_nominal(
    Subsets* subsets, LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries,
    int32_t feature, Split* best
) noexcept nogil:
    """Grow a subset of categories greedily while h strictly improves (CLUS); ties: the category declared first."""
    cdef int32_t n_values, value, chosen
    cdef double B = 0.0, X = 0.0, n_yes = 0.0, trial_B, trial_X, trial_n, gain, best_gain = 0.0, round_gain
    cdef bint any_gain = False
    n_values = gather_values(subsets, sums, &data.labels, entries, n_entries)
    subsets.trial_subset.clear()
    for value in range(n_values):
        subsets.in_subset[value] = 0
    while True:
        chosen = -1
        round_gain = 0.0
        value = n_values - 1              # categories are listed by falling code
        while value >= 0:
            if not subsets.in_subset[value]:
                trial_B = B
                trial_X = X
                add_value(subsets, sums, &data.labels, totals, value, False, &trial_B, &trial_X)
                trial_n = n_yes + subsets.value_weight[value]
                if admissible(&data.options, totals, trial_n):
                    gain = gain_of(totals, trial_n, trial_B, trial_X)
                    if chosen < 0 or gain > round_gain + totals.tie:
                        chosen = value
                        round_gain = gain
            value -= 1
        if chosen < 0 or (any_gain and round_gain <= best_gain + totals.tie):
            break
        any_gain = True
        best_gain = round_gain
        subsets.in_subset[chosen] = 1
        subsets.trial_subset.push_back(subsets.value_of[chosen])
        add_value(subsets, sums, &data.labels, totals, chosen, True, &B, &X)
        n_yes += subsets.value_weight[chosen]
    clear_side(sums, &data.labels, entries, n_entries)
    if any_gain:
        take_subset(subsets, best, totals, best_gain, feature)


cdef void judge_random_subset(
    Subsets* subsets, LabelSums* sums, const Data* data, const Totals* totals, const Entry* entries, int64_t n_entries,
    int32_t feature, uint64_t key, int32_t node, Split* best
) noexcept nogil:
    """One random proper subset of the categories that occur in the node: a fair coin each, thrown again until proper."""
    cdef int32_t n_values, value, throws = 0, n_in
    cdef uint64_t place
    cdef double B = 0.0, X = 0.0, n_yes = 0.0
    n_values = gather_values(subsets, sums, &data.labels, entries, n_entries)
    while True:
        subsets.trial_subset.clear()
        n_in = 0
        value = n_values - 1
        while value >= 0:
            # The coin of a category depends on nothing but its own code and the throw.
            place = (<uint64_t>node << 32) | <uint64_t>feature
            if uniform(key, place, (<uint64_t>throws << 32) | <uint64_t>subsets.value_of[value]) < 0.5:
                subsets.trial_subset.push_back(subsets.value_of[value])
                n_in += 1
            value -= 1
        if 0 < n_in < n_values:
            break
        throws += 1
    for value in range(n_values):
        subsets.in_subset[value] = 0
    value = n_values - 1
    n_in = 0
    while value >= 0:
        if n_in < <int32_t>subsets.trial_subset.size() and subsets.trial_subset[n_in] == subsets.value_of[value]:
            add_value(subsets, sums, &data.labels, totals, value, True, &B, &X)
            n_yes += subsets.value_weight[value]
            n_in += 1
        value -= 1
    clear_side(sums, &data.labels, entries, n_entries)
    if admissible(&data.options, totals, n_yes):
        take_subset(subsets, best, totals, gain_of(totals, n_yes, B, X), feature)
