"""Growing predictive clustering trees; the searches for a test are in numeric_features, nominal_features and sparse_features."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport CANDIDATES, SUBSET, THRESHOLD, Entry, is_binary
from mlsieve._kernels.common.random_numbers cimport make_key, uniform
from mlsieve._kernels.common.simd cimport lowest_bit
from mlsieve._kernels.trees.fast.bit_subtrees cimport fits_bits, grow_bits, prepare_bits
from mlsieve._kernels.trees.fast.count_tables cimport (
    build_table, drop_table, judge_tabulated, prepare_count_tables, worth_building
)
from mlsieve._kernels.trees.fast.inherited_lists cimport Run, list_in_order, prepare_inherited_lists
from mlsieve._kernels.trees.fast.inherited_orders cimport prepare_inherited_orders
from mlsieve._kernels.trees.fast.row_pairs cimport prepare_row_pairs, scan_pairs
from mlsieve._kernels.trees.fast.shared_labels cimport prepare_shared_labels, scan_shared
from mlsieve._kernels.trees.fast.word_subtrees cimport Subtree, fits_a_word, grow_small, prepare_words
from mlsieve._kernels.trees.grow.pending_nodes cimport (
    ask, gather_lanes, load_counts, load_examples, prepare_pending_nodes, push_children, push_root
)
from mlsieve._kernels.trees.node.candidate_features cimport draw_candidates, prepare_candidates
from mlsieve._kernels.trees.node.facts cimport Facts
from mlsieve._kernels.trees.node.gains cimport MIN_GAIN, Options, Split, Totals, begin_search
from mlsieve._kernels.trees.node.label_sums cimport LabelSums, prepare_label_sums
from mlsieve._kernels.trees.node.node_records cimport add_leaf_label, close_node, open_node, take_test
from mlsieve._kernels.trees.node.node_rows cimport Pending, PendingNodes
from mlsieve._kernels.trees.node.sorted_rows cimport known_rows, prepare_sorted_rows
from mlsieve._kernels.trees.split.nominal_features cimport (
    enter_subset, judge_nominal, judge_random_subset, prepare_subsets
)
from mlsieve._kernels.trees.split.numeric_features cimport (
    judge_listed, judge_ordered, judge_random, judge_random_complete, known_totals, prepare_known_labels,
    scan_descending
)
from mlsieve._kernels.trees.split.sparse_features cimport judge_binary, list_features, prepare_listed_rows


# ---------------------------------------------------------------------------------------------- the test of a node


cdef void judge_run(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    int64_t n_node, const Run* run, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature by the list that was handed on to the node."""
    cdef const Entry* entries = memory.lists.ordered.data() + run.start
    if is_binary(columns, run.feature):
        judge_binary(
            &memory.sums, columns, labels, options, totals, entries, run.n, run.feature, threshold_key, node, best
        )
    else:
        judge_ordered(
            &memory.sums, columns, labels, options, totals, entries, run.n, n_node, run.feature, threshold_key, node,
            best
        )


cdef void judge_listed_feature(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    int64_t n_node, int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge a sparse feature by the list of its rows in the node, and take the list back."""
    cdef int64_t n_entries = memory.listed.end[feature] - memory.listed.start[feature]
    cdef Entry* entries = memory.listed.entries.data() + memory.listed.start[feature]
    if memory.listed.end[feature] < 0:
        return
    if is_binary(columns, feature):
        judge_binary(
            &memory.sums, columns, labels, options, totals, entries, n_entries, feature, threshold_key, node, best
        )
    else:
        judge_listed(
            &memory.sums, &memory.sorted, columns, labels, options, totals, entries, n_entries, n_node, feature,
            threshold_key, node, best
        )
    memory.listed.end[feature] = -1


cdef void judge_dense_feature(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options,
    const Totals* node_totals, const Pending* item, int32_t feature, uint64_t seed, uint64_t tree, int32_t node,
    Split* best
) noexcept nogil:
    cdef Totals known
    cdef const Totals* totals = node_totals
    cdef Entry* entries = memory.sorted.entries.data()
    cdef const int32_t* rows = memory.nodes.rows.data() + item.start
    cdef int64_t n_node = item.end - item.start, k = n_node
    cdef bint nominal = columns.n_categories[feature] > 2, random = options.random_tests
    cdef bint numbered = memory.sums.lanes.width > 0 and not nominal and memory.orders.stride == 0
    cdef bint shared = memory.shared.may_be_used and node_totals.x_known
    cdef const float* lanes = memory.sums.lanes.of_place.data() if numbered else memory.sums.lanes.of_row.data()
    cdef double u
    if random and not nominal:
        u = uniform(make_key(seed, tree, THRESHOLD), node, feature)
        if columns.n_known[columns.dense_slot[feature]] == columns.n_rows:
            judge_random_complete(
                &memory.sums, &memory.sorted, columns, labels, options, totals, rows, n_node, feature, u, best
            )
            return
    if memory.orders.stride > 0:
        entries = memory.orders.entries.data() + columns.dense_slot[feature] * memory.orders.stride + item.start
        while k > 0 and entries[k - 1].code < 0:
            k -= 1
        if k == 0 or entries[0].code == entries[k - 1].code:
            return
    else:
        k = known_rows(&memory.sorted, columns, feature, rows, n_node, nominal or not random, numbered)
        if k < 0:
            return
    if memory.pairs.at_hand and not nominal and not random:
        scan_pairs(&memory.pairs, options, totals, entries, k, n_node, feature, best)
        return
    if shared and not nominal and not random:
        scan_shared(&memory.shared, options, totals, entries, k, n_node, feature, best)
        return
    if k < n_node:
        known_totals(&memory.known, &memory.sums, labels, node_totals, entries + k, n_node - k, &known)
        totals = &known
    if nominal and random:
        judge_random_subset(
            &memory.subsets, &memory.sums, labels, options, totals, entries, k, feature, make_key(seed, tree, SUBSET),
            node, best
        )
    elif nominal:
        judge_nominal(&memory.subsets, &memory.sums, labels, options, totals, entries, k, feature, best)
    elif random:
        judge_random(
            &memory.sums, memory.sorted.scratch.data(), columns, labels, options, totals, entries, k, feature, -1, u,
            best
        )
    else:
        scan_descending(&memory.sums, labels, options, totals, entries, k, lanes, feature, -1, best)


cdef void find_split(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options, const Totals* totals,
    const Pending* item, uint64_t seed, uint64_t tree, int32_t node, Split* best
) noexcept nogil:
    cdef int32_t w, feature, after_dense = 0, n_words = <int32_t>memory.candidates.mask.size()
    cdef uint64_t word
    cdef uint64_t threshold_key = make_key(seed, tree, THRESHOLD)
    cdef bint sampled = options.n_candidates < columns.n_features
    cdef int64_t run = item.runs_start
    if sampled:
        draw_candidates(
            &memory.candidates, columns.n_features, options.n_candidates, make_key(seed, tree, CANDIDATES), node
        )
    else:
        for w in range(n_words):
            memory.candidates.mask[w] = memory.candidates.dense[w]
    if run >= 0:
        for run in range(item.runs_start, item.runs_end):
            feature = memory.lists.runs[run].feature
            memory.candidates.mask[feature >> 6] |= <uint64_t>1 << (feature & 63)
        run = item.runs_start
    elif item.table < 0 and columns.column_start[columns.n_features] > 0:
        list_features(
            &memory.listed, &memory.candidates, memory.nodes.stamp.data(), &memory.facts, columns,
            memory.nodes.rows.data() + item.start, item.end - item.start, sampled, node
        )
    for w in range(n_words):
        word = memory.candidates.mask[w]
        memory.candidates.mask[w] = 0
        while word != 0:
            feature = w * 64 + lowest_bit(word)
            word &= word - 1
            if item.table >= 0:
                judge_tabulated(
                    &memory.tables, columns, options, totals, item.table, after_dense, feature, threshold_key, node,
                    best
                )
                after_dense = feature + 1
            if columns.dense_slot[feature] >= 0:
                judge_dense_feature(memory, columns, labels, options, totals, item, feature, seed, tree, node, best)
            elif run >= 0:
                judge_run(
                    memory, columns, labels, options, totals, item.end - item.start, &memory.lists.runs[run],
                    threshold_key, node, best
                )
                run += 1
            else:
                judge_listed_feature(
                    memory, columns, labels, options, totals, item.end - item.start, feature, threshold_key, node, best
                )
    if item.table >= 0:
        judge_tabulated(
            &memory.tables, columns, options, totals, item.table, after_dense, columns.n_features, threshold_key, node,
            best
        )


cdef void grow_subtree(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options, const Pending* item,
    uint64_t seed, uint64_t tree, Tree* grown
) noexcept nogil:
    """Grow a node and all below it from bits."""
    cdef Subtree root
    root.rows = memory.nodes.rows.data() + item.start
    root.n_rows = item.end - item.start
    root.label = memory.nodes.label.data() + item.counts_start
    root.n_labels = item.counts_end - item.counts_start
    root.weight = item.weight
    root.parent = item.parent
    root.depth = item.depth
    root.is_yes = item.is_yes
    if fits_a_word(&memory.words, &memory.facts, item.weight):
        grow_small(
            &memory.words, &memory.candidates, memory.sums.example.data(), columns, labels, options, &root, seed, tree,
            grown
        )
    else:
        grow_bits(
            &memory.bits, &memory.words, &memory.candidates, &memory.facts, memory.sums.example.data(), columns, labels,
            options, &root, 0, seed, tree, grown
        )


cdef void grow(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options, const double* weights,
    uint64_t seed, uint64_t tree, Tree* grown
) noexcept nogil:
    """Grow one tree from examples of these weights."""
    cdef Pending item
    cdef Totals totals
    cdef Split best
    cdef int32_t node
    cdef int64_t t
    cdef bint x_known
    cdef const int32_t* rows
    cdef int64_t n_node
    cdef const Facts* facts = &memory.facts
    cdef PendingNodes* nodes = &memory.nodes
    cdef LabelSums* sums = &memory.sums
    push_root(memory, columns, labels, weights)
    x_known = (
        sums.lanes.width == 0 and options.n_candidates * (facts.n_dense + facts.mean_listed) >= columns.n_features
    )
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
        if fits_a_word(&memory.words, facts, item.weight) or fits_bits(&memory.bits, facts, columns, n_node):
            grow_subtree(memory, columns, labels, options, &item, seed, tree, grown)
            drop_table(&memory.tables, item.table)
            continue
        node = open_node(grown, item.parent, item.is_yes, item.depth, item.weight)
        begin_search(&best, &totals, options, seed, tree, node)
        if item.weight >= 2.0 * options.min_leaf and load_counts(
            sums, nodes, labels, &item, x_known, &totals
        ) > MIN_GAIN:
            if item.table < 0 and item.runs_start < 0 and worth_building(
                &memory.tables, facts, sums, columns, labels, n_node
            ):
                item.table = build_table(&memory.tables, sums, columns, labels, options, &totals, rows, n_node)
            if memory.lists.may_be_used and item.table < 0 and item.runs_start < 0:
                list_in_order(
                    &memory.lists, &memory.listed, &memory.candidates, &memory.sorted, sums.example.data(), columns,
                    options, rows, &item
                )
            if sums.lanes.of_place.size() > 0 and sums.lanes.width > 0:
                gather_lanes(&sums.lanes, rows, n_node)
            load_examples(memory, labels, &item, x_known)
            find_split(memory, columns, labels, options, &totals, &item, seed, tree, node, &best)
        if best.feature >= 0:
            take_test(columns, options, &best, node, grown)
            if best.nominal:
                enter_subset(&memory.subsets, columns.n_categories[best.feature], grown)
            ask(nodes, memory.subsets.in_subset.data(), columns, &best, &item)
            grown.yes_share[node] = push_children(memory, columns, labels, options, &item, node)
        else:
            for t in range(item.counts_start, item.counts_end):
                add_leaf_label(grown, nodes.label[t], nodes.count[t])
            drop_table(&memory.tables, item.table)
        close_node(grown)


cdef void gather_facts(Facts* facts, const Columns* columns, const Labels* labels) noexcept nogil:
    cdef int32_t i
    facts.complete = facts.all_binary = True
    facts.n_dense = 0
    facts.mean_listed = <double>columns.column_start[columns.n_features] / columns.n_rows
    facts.largest_weight = 0.0
    for i in range(columns.n_features):
        if columns.dense_slot[i] >= 0:
            facts.n_dense += 1
            facts.complete = facts.complete and columns.n_known[columns.dense_slot[i]] == columns.n_rows
        elif columns.value_start[i + 1] - columns.value_start[i] > 2:
            facts.all_binary = False
    for i in range(labels.n_labels):
        facts.largest_weight = max(facts.largest_weight, labels.weight[i])


cdef int prepare(
    GrowerMemory* memory, const Columns* columns, const Labels* labels, const Options* options
) except -1 nogil:
    """Give the arrays their sizes, and the values that they return to after each tree."""
    cdef const Facts* facts = &memory.facts
    cdef bint draws = options.n_candidates < columns.n_features
    gather_facts(&memory.facts, columns, labels)
    prepare_pending_nodes(&memory.nodes, columns.n_rows, labels.n_labels)
    prepare_label_sums(&memory.sums, columns.n_rows, labels, facts.n_dense > 0 and not options.random_tests and draws)
    prepare_candidates(&memory.candidates, columns)
    prepare_sorted_rows(&memory.sorted, columns.n_rows)
    prepare_known_labels(&memory.known, &memory.sums, labels.n_labels)
    prepare_subsets(&memory.subsets, columns)
    prepare_listed_rows(&memory.listed, columns)
    prepare_inherited_lists(&memory.lists, facts, columns, options)
    prepare_inherited_orders(&memory.orders, facts, columns, options)
    prepare_count_tables(&memory.tables, facts, columns, labels, options)
    prepare_shared_labels(&memory.shared, facts, &memory.sums, labels, options, columns.n_rows)
    # Their sums are added up in another order: results on complete data keep all their digits.
    prepare_row_pairs(&memory.pairs, memory.shared.may_be_used and not facts.complete, columns.n_rows, labels.n_labels)
    prepare_words(&memory.words, facts, labels, options)
    prepare_bits(&memory.bits, &memory.words, columns, labels, options)
