"""Tables of the label counts of all tests on sparse features, where all features are judged in all nodes.

A test on a sparse feature needs the label counts c_j of the side without unlisted rows only. When a node is divided,
the rows of the smaller child are taken out, and the table is the larger child's. Each row is thus counted once for
every time that it falls on the smaller side, of which there are log2(n) at most, and not once for each node on its
path. X = sum_j w_j C_j c_j follows: as C_j falls by D_j and c_j by d_j,

    X' = X - sum_j w_j D_j c_j - sum_j w_j C'_j d_j,

where few D_j and few d_j are not 0. Features none of whose tests can be taken are left out, as they never can again.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.common.random_numbers cimport uniform
from mlsieve._kernels.common.simd cimport LANES
from mlsieve._kernels.trees.fast.table_sums cimport AT_ONCE, next_above, subtract_scaled, sum_tests
from mlsieve._kernels.trees.node.gains cimport admissible, gain_of, least_needed_gain, needed_gain, take
from mlsieve._kernels.trees.node.node_rows cimport Example
from mlsieve._kernels.trees.split.numeric_features cimport last_below

cdef double LARGEST_TABLE = 1.6e7      # cells
cdef double NODES_A_TABLE = 6.0        # that it passes through before it is worth building another one
cdef int32_t MOST_PASSES = 16          # before B and X are summed anew, against rounding, and features are left out


cdef int prepare_count_tables(CountTables* tables, const Data* data) except -1 nogil:
    cdef int32_t i
    cdef int64_t widest_row = 0
    tables.may_be_used = (
        data.facts.complete and data.facts.tries_all and data.columns.test_row_start != NULL
        and <double>data.columns.test_start[data.columns.n_features] * data.labels.n_labels <= LARGEST_TABLE
    )
    if not tables.may_be_used:
        return 0
    for i in range(data.columns.n_rows):
        widest_row = max(widest_row, data.columns.test_row_start[i + 1] - data.columns.test_row_start[i])
    tables.wC.resize(data.labels.n_labels)
    tables.own_tests.resize(widest_row + 1)
    tables.before.resize(widest_row + 1)


# ---------------------------------------------------------------------------------------------- when


cdef double saved_in_a_node(const Data* data, const LabelSums* sums, int64_t n_node) noexcept nogil:
    """What a table saves in one node: walking lists, and sorting those of more than two values; in nanoseconds."""
    cdef double a_cell = 8.0 * sums.mean_labels if data.facts.all_binary else 28.0
    return a_cell * n_node * data.facts.mean_listed - data.columns.test_start[data.columns.n_features]


cdef bint worth_building(
    const CountTables* tables, const Data* data, const LabelSums* sums, int64_t n_node
) noexcept nogil:
    """Whether counting the node's rows once more costs less than it is likely to save below."""
    cdef double cost = (
        0.1 * data.columns.test_start[data.columns.n_features] * data.labels.n_labels
        + 5.0 * n_node * data.facts.mean_listed * sums.mean_labels
    )
    if not (tables.may_be_used and data.facts.exact_floats):
        return False
    return NODES_A_TABLE * saved_in_a_node(data, sums, n_node) > cost


# ---------------------------------------------------------------------------------------------- counts


cdef void add_rows(
    CountTables* tables, const LabelSums* sums, const Data* data, Table* table, const int32_t* rows, int64_t n_rows,
    double sign
) noexcept nogil:
    """Add rows to the table, or with sign -1 take them out; X gets the sum of their weights times x."""
    cdef int64_t i, p
    cdef int32_t q, k, n_own, t
    cdef double weight, doubled, x, part
    cdef float step, held
    cdef float* count
    cdef const Example* example
    cdef int32_t* own = tables.own_tests.data()
    cdef double* before = tables.before.data()
    for i in range(n_rows):
        example = &sums.example[rows[i]]
        weight = sign * example.weight
        step = <float>weight
        n_own = 0
        for p in range(data.columns.test_row_start[rows[i]], data.columns.test_row_start[rows[i] + 1]):
            own[n_own] = table.place[data.columns.row_test[p]]
            before[n_own] = 0.0
            n_own += own[n_own] >= 0
        x = 0.0
        for q in range(example.first, example.last):
            doubled = sums.doubled[data.labels.index[q]]
            x += tables.wC[data.labels.index[q]]
            count = table.count.data() + <int64_t>data.labels.index[q] * table.n_tests
            for k in range(n_own):
                held = count[own[k]]
                before[k] += doubled * held
                count[own[k]] = held + step
        part = weight * x
        for k in range(n_own):
            t = own[k]
            table.B[t] += weight * (before[k] + weight * example.mass)
            table.weight[t] += weight
            table.X[t] += part


cdef void follow_labels(
    CountTables* tables, const PendingNodes* nodes, const Labels* labels, Table* table, const Pending* parent,
    const Pending* node
) noexcept nogil:
    """Let X follow from the parent's w_j C_j to the node's."""
    cdef int64_t t
    cdef int32_t j
    cdef double before
    for t in range(parent.counts_start, parent.counts_end):
        tables.wC[nodes.label[t]] = 0.0
    for t in range(node.counts_start, node.counts_end):
        tables.wC[nodes.label[t]] = labels.weight[nodes.label[t]] * nodes.count[t]
    tables.lost_label.clear()
    tables.lost.clear()
    for t in range(parent.counts_start, parent.counts_end):
        j = nodes.label[t]
        before = labels.weight[j] * nodes.count[t]
        if before != tables.wC[j]:
            tables.lost_label.push_back(j)
            tables.lost.push_back(before - tables.wC[j])
    subtract_scaled(
        table.n_tests, <long>tables.lost.size(), tables.lost_label.data(), tables.lost.data(), table.count.data(),
        table.X.data()
    )


cdef void sum_anew(
    const CountTables* tables, const Labels* labels, Table* table, const int32_t* label, int64_t n_labels, double n
) noexcept nogil:
    """Sum B and X of a node with these labels from the counts, which are whole numbers and keep no rounding error."""
    sum_tests(
        table.n_tests, <long>n_labels, label, labels.weight, tables.wC.data(), table.count.data(), table.B.data(),
        table.X.data()
    )
    table.passes = 0
    table.summed_at = n


cdef int64_t choose_features(
    const Data* data, const double* weight, const int32_t* places, double n, vector[int32_t]* chosen
) noexcept nogil:
    """Choose the features some test of which can be taken; return the number of their tests.

    `weight` is by test, or by its place where `places` are given.
    """
    cdef int32_t feature
    cdef int64_t test, at, n_tests = 0
    chosen.clear()
    for feature in range(data.columns.n_features):
        for test in range(data.columns.test_start[feature], data.columns.test_start[feature + 1]):
            at = test if places == NULL else places[test]
            if at >= 0 and weight[at] >= data.options.min_leaf and n - weight[at] >= data.options.min_leaf:
                chosen.push_back(feature)
                n_tests += data.columns.test_start[feature + 1] - data.columns.test_start[feature]
                break
    return n_tests


cdef void number_tests(const Columns* columns, Table* table) noexcept nogil:
    """Give the tests of the table's features their places."""
    cdef size_t i
    cdef int64_t test
    cdef int32_t place = 0
    table.place.assign(columns.test_start[columns.n_features], -1)
    table.first.clear()
    for i in range(table.feature.size()):
        table.first.push_back(place)
        for test in range(columns.test_start[table.feature[i]], columns.test_start[table.feature[i] + 1]):
            table.place[test] = place
            place += 1
    table.first.push_back(place)


cdef int32_t build_table(
    CountTables* tables, const LabelSums* sums, const Data* data, const Totals* totals, const int32_t* rows,
    int64_t n_rows
) noexcept nogil:
    """Count rows in a table that is not in use; return its number."""
    cdef int32_t i, j, free = -1
    cdef int64_t k, p
    cdef Table* table
    for i in range(<int32_t>tables.tables.size()):
        if not tables.tables[i].in_use:
            free = i
            break
    if free < 0:
        free = <int32_t>tables.tables.size()
        tables.tables.resize(free + 1)
    table = &tables.tables[free]
    tables.test_weight.assign(data.columns.test_start[data.columns.n_features], 0.0)
    for k in range(n_rows):
        for p in range(data.columns.test_row_start[rows[k]], data.columns.test_row_start[rows[k] + 1]):
            tables.test_weight[data.columns.row_test[p]] += sums.example[rows[k]].weight
    table.n_tests = choose_features(data, tables.test_weight.data(), NULL, totals.n, &table.feature)
    number_tests(&data.columns, table)
    table.count.assign(table.n_tests * data.labels.n_labels + 2 * LANES, 0.0)
    table.weight.assign(table.n_tests + AT_ONCE, 0.0)
    table.B.assign(table.n_tests + AT_ONCE, 0.0)
    table.X.assign(table.n_tests + AT_ONCE, 0.0)
    table.in_use = True
    for j in range(data.labels.n_labels):
        tables.wC[j] = 0.0
    for k in range(<int64_t>sums.touched.size()):
        tables.wC[sums.touched[k]] = totals.wC[sums.touched[k]]
    add_rows(tables, sums, data, table, rows, n_rows, 1.0)
    sum_anew(tables, &data.labels, table, sums.touched.data(), <int64_t>sums.touched.size(), totals.n)
    return free


cdef void leave_features_out(CountTables* tables, const Data* data, Table* table, double n) noexcept nogil:
    """Keep the features only some test of which can still be taken, if they are much fewer."""
    cdef int64_t n_kept, test
    cdef int32_t j, at
    cdef size_t i
    cdef int64_t k = 0
    n_kept = choose_features(data, table.weight.data(), table.place.data(), n, &tables.kept)
    if 4 * n_kept > 3 * table.n_tests:
        return
    tables.kept_places.clear()
    for i in range(tables.kept.size()):
        for test in range(data.columns.test_start[tables.kept[i]], data.columns.test_start[tables.kept[i] + 1]):
            tables.kept_places.push_back(table.place[test])
    for k in range(n_kept):                       # places rise, so nothing is overwritten too early
        at = tables.kept_places[k]
        table.weight[k] = table.weight[at]
        table.B[k] = table.B[at]
        table.X[k] = table.X[at]
    for j in range(data.labels.n_labels):
        for k in range(n_kept):
            table.count[j * n_kept + k] = table.count[j * table.n_tests + tables.kept_places[k]]
    table.n_tests = n_kept
    table.feature.assign(tables.kept.begin(), tables.kept.end())
    table.weight.resize(n_kept + AT_ONCE)
    table.B.resize(n_kept + AT_ONCE)
    table.X.resize(n_kept + AT_ONCE)
    number_tests(&data.columns, table)


cdef void drop_table(CountTables* tables, int32_t table) noexcept nogil:
    """Let another node use the table of that number; a negative one is none."""
    if table >= 0:
        tables.tables[table].in_use = False


cdef int32_t pass_table(
    CountTables* tables, const Data* data, const LabelSums* sums, const PendingNodes* nodes, const Pending* parent,
    const Pending* leaving, const Pending* staying
) noexcept nogil:
    """Take the smaller child's rows out and return the table for the larger one, or -1 if counting anew is cheaper."""
    cdef Table* table = &tables.tables[parent.table]
    cdef int64_t n_leaving = leaving.end - leaving.start, n_staying = staying.end - staying.start
    if 2 * n_leaving > n_staying or saved_in_a_node(data, sums, n_staying) < 0.0:
        table.in_use = False
        return -1
    follow_labels(tables, nodes, &data.labels, table, parent, staying)
    add_rows(tables, sums, data, table, nodes.rows.data() + leaving.start, n_leaving, -1.0)
    table.passes += 1
    if table.passes == MOST_PASSES or 2.0 * staying.weight < table.summed_at:
        leave_features_out(tables, data, table, staying.weight)
        sum_anew(
            tables, &data.labels, table, nodes.label.data() + staying.counts_start,
            staying.counts_end - staying.counts_start, staying.weight
        )
    return parent.table


# ---------------------------------------------------------------------------------------------- judges


cdef double weight_of_code(
    const Columns* columns, const Table* table, double n, int64_t place, int32_t code
) noexcept nogil:
    """Weight of the node's rows of that code of the feature at that place of the table.

    Test t of a feature, counted from its end, parts the codes up to t from those above.
    """
    cdef int32_t rest = columns.rest_code[table.feature[place]]
    cdef int64_t last = table.first[place + 1] - 1
    cdef double above = table.weight[last - code] if last - code >= table.first[place] else 0.0
    cdef double below = table.weight[last - code + 1] if code > 0 else 0.0
    if code > rest:
        return below - above    # both count the rows above
    if code < rest:
        return above - below    # both count the rows below
    return n - above - below


cdef void judge_random_tabulated(
    const Data* data, const Totals* totals, const Table* table, int64_t place, uint64_t threshold_key, int32_t node,
    Split* best
) noexcept nogil:
    """Judge one random test of the feature at that place of the table."""
    cdef int32_t feature = table.feature[place], rest = data.columns.rest_code[feature]
    cdef int32_t low, lowest = 0, highest = table.first[place + 1] - table.first[place]
    cdef int64_t last = table.first[place + 1] - 1, test
    cdef double threshold, gain
    cdef const double* values = data.columns.values + data.columns.value_start[feature]
    if (
        (rest == highest or table.weight[last - rest] < data.options.min_leaf)
        and (rest == 0 or table.weight[last - rest + 1] < data.options.min_leaf)
    ):
        return                  # the widest sides are too light
    while lowest < highest and weight_of_code(&data.columns, table, totals.n, place, lowest) == 0.0:
        lowest += 1
    while lowest < highest and weight_of_code(&data.columns, table, totals.n, place, highest) == 0.0:
        highest -= 1
    if lowest == highest:
        return
    low = lowest
    if highest > lowest + 1:
        low = last_below(values, lowest, highest, uniform(threshold_key, node, feature), &threshold)
    test = last - low
    if not admissible(&data.options, totals, table.weight[test]):
        return
    gain = gain_of(totals, table.weight[test], table.B[test], table.X[test])
    if gain > needed_gain(best, totals, feature):
        if highest == lowest + 1:          # there is one test only, and its threshold is drawn where it is taken
            last_below(values, lowest, highest, uniform(threshold_key, node, feature), &threshold)
        take(best, gain, feature, low, low + 1)
        best.threshold = threshold


cdef int64_t place_of(const vector[int32_t]* rising, int64_t value) noexcept nogil:
    """How many are smaller."""
    cdef int64_t low = 0, high = <int64_t>rising.size(), middle
    while low < high:
        middle = (low + high) // 2
        if rising.at(middle) < value:
            low = middle + 1
        else:
            high = middle
    return low


cdef void narrow_to_node(const Columns* columns, const Table* table, double n, int64_t place, Split* best) noexcept nogil:
    """Let the best test, on the feature at that place, be between codes that occur in the node."""
    while weight_of_code(columns, table, n, place, best.code) == 0.0:
        best.code -= 1
    while weight_of_code(columns, table, n, place, best.upper_code) == 0.0:
        best.upper_code += 1


cdef void judge_tabulated(
    const CountTables* tables, const Data* data, const Totals* totals, int32_t table, int32_t first_feature,
    int32_t end_feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge the sparse features of a range by the node's table."""
    cdef const Table* own = &tables.tables[table]
    cdef int64_t place, taken_place = -1, test = own.first[place_of(&own.feature, first_feature)]
    cdef int64_t end = own.first[place_of(&own.feature, end_feature)]
    cdef int32_t code
    cdef double gain
    while True:
        # A feature none of whose tests would be taken needs no random one.
        test = next_above(
            test, end, own.weight.data(), own.B.data(), own.X.data(), totals.n, totals.B, data.options.min_leaf,
            least_needed_gain(best, totals)
        )
        if test < 0:
            break
        place = place_of(&own.first, test + 1) - 1
        if data.options.random_tests:
            judge_random_tabulated(data, totals, own, place, threshold_key, node, best)
            test = own.first[place + 1]
        else:
            gain = gain_of(totals, own.weight[test], own.B[test], own.X[test])
            if gain > needed_gain(best, totals, own.feature[place]):
                code = <int32_t>(own.first[place + 1] - 1 - test)
                take(best, gain, own.feature[place], code, code + 1)
                taken_place = place
            test += 1
    if taken_place >= 0:
        narrow_to_node(&data.columns, own, totals.n, taken_place, best)
