"""Sparse features' lists in order, handed from a node to its children where all features are judged.

A node's list of a feature, by falling code, is parted into its children's, each still in order: no child sorts, and
what a node's features cost is one step for each cell that it lists. A feature none of whose tests can be taken any
more is not handed on.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.simd cimport lowest_bit
from mlsieve._kernels.trees.node.sorted_rows cimport part_entries, sort_listed
from mlsieve._kernels.trees.split.numeric_features cimport one_code
from mlsieve._kernels.trees.split.sparse_features cimport list_by_rows


cdef int prepare_inherited_lists(InheritedLists* lists, const Data* data) except -1 nogil:
    lists.may_be_used = data.facts.complete and data.facts.tries_all and data.facts.mean_listed > 0.0


cdef bint is_settled(
    const Example* examples, const Options* options, const Entry* entries, int64_t n_entries, int64_t n_rows
) noexcept nogil:
    """Whether no test on the feature can be taken in a node of that many rows, nor below it."""
    cdef int64_t i
    cdef double weight = 0.0
    if n_entries == 0:
        return True
    if n_entries == n_rows and entries[0].code == entries[n_entries - 1].code:
        return True
    if n_entries >= options.min_leaf:   # the lightest weigh 1, mostly
        return False
    for i in range(n_entries):
        weight += examples[entries[i].row].weight
    return weight < options.min_leaf


cdef void list_in_order(
    InheritedLists* lists, ListedRows* listed, Candidates* candidates, SortedRows* sorted, const Example* examples,
    const Data* data, const int32_t* rows, Pending* item
) noexcept nogil:
    """List the node's rows of all sparse features."""
    cdef int64_t n_entries, n_node = item.end - item.start
    cdef int32_t w, feature
    cdef uint64_t word
    cdef Entry* entries
    cdef Run run
    item.runs_start = <int64_t>lists.runs.size()
    list_by_rows(listed, candidates, data, rows, n_node)
    for w in range(<int32_t>candidates.mask.size()):
        word = candidates.mask[w]
        candidates.mask[w] = 0
        while word != 0:
            feature = w * 64 + lowest_bit(word)
            word &= word - 1
            entries = listed.entries.data() + listed.start[feature]
            n_entries = listed.end[feature] - listed.start[feature]
            listed.end[feature] = -1
            if not one_code(entries, n_entries):
                sort_listed(sorted, entries, n_entries)
            if is_settled(examples, &data.options, entries, n_entries, n_node):
                continue
            run.feature = feature
            run.start = <int64_t>lists.ordered.size()
            run.n = n_entries
            lists.ordered.insert(lists.ordered.end(), entries, entries + n_entries)
            lists.runs.push_back(run)
    item.runs_end = <int64_t>lists.runs.size()
    item.ordered_end = <int64_t>lists.ordered.size()


cdef void hand_on(
    InheritedLists* lists, Entry* scratch, int32_t* stamp, const Example* examples, const int32_t* rows,
    const Options* options, const Pending* item, Pending* no, Pending* yes
) noexcept nogil:
    """Part the node's lists as its rows were parted; children that stay leaves get none. `rows` are all nodes'."""
    cdef int64_t i, n_no
    cdef Run own, run
    cdef bint no_may_part = no.weight >= 2.0 * options.min_leaf, yes_may_part = yes.weight >= 2.0 * options.min_leaf
    no.ordered_end = yes.ordered_end = item.ordered_end
    no.runs_start = <int64_t>lists.runs.size()
    lists.yes_runs.clear()
    if no_may_part or yes_may_part:
        for i in range(yes.start, yes.end):
            stamp[rows[i]] = 1
        for i in range(no.start, no.end):
            stamp[rows[i]] = 0
        for i in range(item.runs_start, item.runs_end):
            own = lists.runs[i]
            n_no = part_entries(lists.ordered.data() + own.start, own.n, stamp, scratch)
            run.feature = own.feature
            run.start = own.start
            run.n = n_no
            if no_may_part and not is_settled(
                examples, options, lists.ordered.data() + run.start, run.n, no.end - no.start
            ):
                lists.runs.push_back(run)
            run.start = own.start + n_no
            run.n = own.n - n_no
            if yes_may_part and not is_settled(
                examples, options, lists.ordered.data() + run.start, run.n, yes.end - yes.start
            ):
                lists.yes_runs.push_back(run)
        for i in range(no.start, yes.end):
            stamp[rows[i]] = -1
    no.runs_end = yes.runs_start = <int64_t>lists.runs.size()
    lists.runs.insert(lists.runs.end(), lists.yes_runs.begin(), lists.yes_runs.end())
    yes.runs_end = <int64_t>lists.runs.size()
