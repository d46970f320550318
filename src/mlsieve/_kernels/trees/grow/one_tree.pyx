"""Growing predictive clustering trees; the searches for a test are in numeric_features, nominal_features and sparse_features."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport SUBSET, THRESHOLD, Columns, Entry, Labels, is_binary
from mlsieve._kernels.common.random_numbers cimport make_key, uniform
from mlsieve._kernels.common.simd cimport lowest_bit
from mlsieve._kernels.trees.fast.bit_subtrees cimport fits_bits, grow_bits, prepare_bits
from mlsieve._kernels.trees.fast.count_tables cimport (
    build_table, drop_table, judge_tabulated, prepare_count_tables, worth_building
)
from mlsieve._kernels.trees.fast.inherited_lists cimport Run, list_in_order, prepare_inherited_lists
from mlsieve._kernels.trees.fast.row_pairs cimport prepare_row_pairs, scan_pairs
from mlsieve._kernels.trees.fast.shared_labels cimport prepare_shared_labels, scan_shared
from mlsieve._kernels.trees.fast.word_subtrees cimport Subtree, fits_a_word, grow_small, prepare_words
from mlsieve._kernels.trees.grow.pending_nodes cimport (
    ask, gather_lanes, load_counts, load_examples, prepare_pending_nodes, push_children, push_root
)
from mlsieve._kernels.trees.node.candidate_features cimport Candidates, draw_candidates, prepare_candidates
from mlsieve._kernels.trees.node.data cimport Data, Facts
from mlsieve._kernels.trees.node.gains cimport MIN_GAIN, Options, Split, Totals, begin_search
from mlsieve._kernels.trees.node.label_sums cimport LabelSums, prepare_label_sums
from mlsieve._kernels.trees.node.node_records cimport add_leaf_label, close_node, open_node, take_test
from mlsieve._kernels.trees.node.node_rows cimport Pending, PendingNodes
from mlsieve._kernels.trees.node.sorted_rows cimport known_rows, prepare_inherited_orders, prepare_sorted_rows
from mlsieve._kernels.trees.split.nominal_features cimport (
    enter_subset, judge_nominal, judge_random_subset, prepare_subsets
)
from mlsieve._kernels.trees.split.numeric_features cimport (
    judge_listed, judge_ordered, judge_random, judge_random_complete, known_totals, prepare_known_labels,
    scan_descending
)
from mlsieve._kernels.trees.split.sparse_features cimport ListedRows, judge_binary, list_features, prepare_listed_rows


# ---------------------------------------------------------------------------------------------- the test of a node


cdef void judge_sparse_feature(
    GrowerMemory* memory, const Totals* totals, Entry* entries, int64_t n_entries, bint in_order, int64_t n_node,
    int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature by the list of its rows in the node; `in_order` their codes fall."""
    cdef const Data* data = &memory.data
    if is_binary(&data.columns, feature):
        judge_binary(&memory.sums, data, totals, entries, n_entries, feature, threshold_key, node, best)
    elif in_order:
        judge_ordered(&memory.sums, data, totals, entries, n_entries, n_node, feature, threshold_key, node, best)
    else:
        judge_listed(
            &memory.sums, &memory.sorted, data, totals, entries, n_entries, n_node, feature, threshold_key, node, best
        )


cdef void judge_dense_feature(
    GrowerMemory* memory, const Totals* node_totals, const Pending* item, int32_t feature, uint64_t tree, int32_t node,
    Split* best
) noexcept nogil:
    cdef const Data* data = &memory.data
    cdef Totals known
    cdef const Totals* totals = node_totals
    cdef Entry* entries = memory.sorted.entries.data()
    cdef const int32_t* rows = memory.nodes.rows.data() + item.start
    cdef int64_t n_node = item.end - item.start, k = n_node
    cdef bint nominal = data.columns.n_categories[feature] > 2, random = data.options.random_tests
    cdef bint numbered = memory.sums.lanes.width > 0 and not nominal and memory.orders.stride == 0
    cdef bint shared = memory.shared.may_be_used and node_totals.x_known
    cdef const float* lanes = memory.sums.lanes.of_place.data() if numbered else memory.sums.lanes.of_row.data()
    cdef double u
    if random and not nominal:
        u = uniform(make_key(data.options.seed, tree, THRESHOLD), node, feature)
        if data.columns.n_known[data.columns.dense_slot[feature]] == data.columns.n_rows:
            judge_random_complete(&memory.sums, &memory.sorted, data, totals, rows, n_node, feature, u, best)
            return
    if memory.orders.stride > 0:
        entries = memory.orders.entries.data() + data.columns.dense_slot[feature] * memory.orders.stride + item.start
        while k > 0 and entries[k - 1].code < 0:
            k -= 1
        if k == 0 or entries[0].code == entries[k - 1].code:
            return
    else:
        k = known_rows(&memory.sorted, &data.columns, feature, rows, n_node, nominal or not random, numbered)
        if k < 0:
            return
    if memory.pairs.at_hand and not nominal and not random:
        scan_pairs(&memory.pairs, &data.options, totals, entries, k, n_node, feature, best)
        return
    if shared and not nominal and not random:
        scan_shared(&memory.shared, &data.options, totals, entries, k, n_node, feature, best)
        return
    if k < n_node:
        known_totals(&memory.known, &memory.sums, &data.labels, node_totals, entries + k, n_node - k, &known)
        totals = &known
    if nominal and random:
        judge_random_subset(
            &memory.subsets, &memory.sums, data, totals, entries, k, feature, make_key(data.options.seed, tree, SUBSET),
            node, best
        )
    elif nominal:
        judge_nominal(&memory.subsets, &memory.sums, data, totals, entries, k, feature, best)
    elif random:
        judge_random(&memory.sums, memory.sorted.scratch.data(), data, totals, entries, k, feature, -1, u, best)
    else:
        scan_descending(&memory.sums, data, totals, entries, k, lanes, feature, -1, best)


cdef void find_split(
    GrowerMemory* memory, const Totals* totals, const Pending* item, uint64_t tree, int32_t node, Split* best
) noexcept nogil:
    cdef const Data* data = &memory.data
    cdef Candidates* candidates = &memory.candidates
    cdef ListedRows* listed = &memory.listed
    cdef int32_t w, feature, after_dense = 0
    cdef uint64_t word, threshold_key = make_key(data.options.seed, tree, THRESHOLD)
    cdef int64_t run, n_node = item.end - item.start
    cdef const Run* own
    if data.facts.tries_all:
        candidates.mask.assign(candidates.dense.begin(), candidates.dense.end())
    else:
        draw_candidates(candidates, data, tree, node)
    if item.runs_start >= 0:
        for run in range(item.runs_start, item.runs_end):
            feature = memory.lists.runs[run].feature
            candidates.mask[feature >> 6] |= <uint64_t>1 << (feature & 63)
    elif item.table < 0 and data.columns.column_start[data.columns.n_features] > 0:
        list_features(
            listed, candidates, memory.nodes.stamp.data(), data, memory.nodes.rows.data() + item.start, n_node, node
        )
    run = item.runs_start
    for w in range(<int32_t>candidates.mask.size()):
        word = candidates.mask[w]
        candidates.mask[w] = 0
        while word != 0:
            feature = w * 64 + lowest_bit(word)
            word &= word - 1
            if item.table >= 0:
                judge_tabulated(&memory.tables, data, totals, item.table, after_dense, feature, threshold_key, node, best)
                after_dense = feature + 1
            if data.columns.dense_slot[feature] >= 0:
                judge_dense_feature(memory, totals, item, feature, tree, node, best)
            elif run >= 0:
                own = &memory.lists.runs[run]
                judge_sparse_feature(
                    memory, totals, memory.lists.ordered.data() + own.start, own.n, True, n_node, feature,
                    threshold_key, node, best
                )
                run += 1
            elif listed.end[feature] >= 0:
                judge_sparse_feature(
                    memory, totals, listed.entries.data() + listed.start[feature],
                    listed.end[feature] - listed.start[feature], False, n_node, feature, threshold_key, node, best
                )
                listed.end[feature] = -1
    if item.table >= 0:
        judge_tabulated(
            &memory.tables, data, totals, item.table, after_dense, data.columns.n_features, threshold_key, node, best
        )


cdef void grow_subtree(GrowerMemory* memory, const Pending* item, uint64_t tree, Tree* grown) noexcept nogil:
    """Grow a node and all below it from bits."""
    cdef const Data* data = &memory.data
    cdef Subtree root
    root.rows = memory.nodes.rows.data() + item.start
    root.n_rows = item.end - item.start
    root.label = memory.nodes.label.data() + item.counts_start
    root.n_labels = item.counts_end - item.counts_start
    root.weight = item.weight
    root.parent = item.parent
    root.depth = item.depth
    root.is_yes = item.is_yes
    if fits_a_word(&memory.words, &data.facts, item.weight):
        grow_small(&memory.words, &memory.candidates, memory.sums.example.data(), data, &root, tree, grown)
    else:
        grow_bits(
            &memory.bits, &memory.words, &memory.candidates, data, memory.sums.example.data(), &root, 0, tree, grown
        )


cdef void grow(GrowerMemory* memory, const double* weights, uint64_t tree, Tree* grown) noexcept nogil:
    """Grow one tree from examples of these weights."""
    cdef const Data* data = &memory.data
    cdef PendingNodes* nodes = &memory.nodes
    cdef LabelSums* sums = &memory.sums
    cdef double judged_a_row = data.options.n_candidates * (data.facts.n_dense + data.facts.mean_listed)
    cdef Pending item
    cdef Totals totals
    cdef Split best
    cdef const int32_t* rows
    cdef int32_t node
    cdef int64_t t, n_node
    cdef bint x_known
    push_root(memory, weights)
    x_known = sums.lanes.width == 0 and judged_a_row >= data.columns.n_features
    grown.leaf_start.push_back(0)
    grown.subset_start.push_back(0)
    while nodes.stack.size() > 0:
        item = nodes.stack.back()
        nodes.stack.pop_back()
        nodes.label.resize(item.counts_end)
        nodes.count.resize(item.counts_end)
        memory.lists.runs.resize(item.runs_end)
        memory.lists.ordered.resize(item.ordered_end)
        rows = nodes.rows.data() + item.start
        n_node = item.end - item.start
        if fits_a_word(&memory.words, &data.facts, item.weight) or fits_bits(&memory.bits, data, n_node):
            grow_subtree(memory, &item, tree, grown)
            drop_table(&memory.tables, item.table)
            continue
        node = open_node(grown, item.parent, item.is_yes, item.depth, item.weight)
        begin_search(&best, &totals, &data.options, tree, node)
        if item.weight >= 2.0 * data.options.min_leaf and load_counts(
            sums, nodes, &data.labels, &item, x_known, &totals
        ) > MIN_GAIN:
            if item.table < 0 and item.runs_start < 0 and worth_building(&memory.tables, data, sums, n_node):
                item.table = build_table(&memory.tables, sums, data, &totals, rows, n_node)
            if memory.lists.may_be_used and item.table < 0 and item.runs_start < 0:
                list_in_order(
                    &memory.lists, &memory.listed, &memory.candidates, &memory.sorted, sums.example.data(), data, rows,
                    &item
                )
            if sums.lanes.of_place.size() > 0 and sums.lanes.width > 0:
                gather_lanes(&sums.lanes, rows, n_node)
            load_examples(memory, &item, x_known)
            find_split(memory, &totals, &item, tree, node, &best)
        if best.feature >= 0:
            take_test(data, &best, node, grown)
            if best.nominal:
                enter_subset(&memory.subsets, data.columns.n_categories[best.feature], grown)
            ask(nodes, memory.subsets.in_subset.data(), &data.columns, &best, &item)
            grown.yes_share[node] = push_children(memory, &item, node)
        else:
            for t in range(item.counts_start, item.counts_end):
                add_leaf_label(grown, nodes.label[t], nodes.count[t])
            drop_table(&memory.tables, item.table)
        close_node(grown)


cdef void gather_facts(const Columns* columns, const Labels* labels, const Options* options, Facts* facts) noexcept nogil:
    cdef int32_t i
    facts.complete = facts.all_binary = True
    facts.n_dense = 0
    facts.mean_listed = <double>columns.column_start[columns.n_features] / columns.n_rows
    facts.largest_weight = 0.0
    facts.tries_all = options.n_candidates == columns.n_features
    for i in range(columns.n_features):
        if columns.dense_slot[i] >= 0:
            facts.n_dense += 1
            facts.complete = facts.complete and columns.n_known[columns.dense_slot[i]] == columns.n_rows
        elif columns.value_start[i + 1] - columns.value_start[i] > 2:
            facts.all_binary = False
    for i in range(labels.n_labels):
        facts.largest_weight = max(facts.largest_weight, labels.weight[i])


cdef int prepare(GrowerMemory* memory) except -1 nogil:
    """Give the arrays their sizes, and the values that they return to after each tree."""
    cdef const Data* data = &memory.data
    gather_facts(&data.columns, &data.labels, &data.options, &memory.data.facts)
    prepare_pending_nodes(&memory.nodes, data)
    prepare_label_sums(&memory.sums, data)
    prepare_candidates(&memory.candidates, &data.columns)
    prepare_sorted_rows(&memory.sorted, &data.columns)
    prepare_known_labels(&memory.known, &memory.sums, &data.labels)
    prepare_subsets(&memory.subsets, &data.columns)
    prepare_listed_rows(&memory.listed, &data.columns)
    prepare_inherited_lists(&memory.lists, data)
    prepare_inherited_orders(&memory.orders, data)
    prepare_count_tables(&memory.tables, data)
    prepare_shared_labels(&memory.shared, data, &memory.sums)
    prepare_row_pairs(&memory.pairs, data, &memory.shared)
    prepare_words(&memory.words, data)
    prepare_bits(&memory.bits, data, &memory.words)
