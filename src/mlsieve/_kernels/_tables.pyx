"""Tables of the label counts of all tests on sparse features, where all features are judged in all nodes.

A test on a sparse feature needs the label counts of the side without unlisted rows only. When a node is divided, the
rows of the smaller child are taken out, and the table is the larger child's. Each row is thus counted once for every
time that it falls on the smaller side, of which there are log2(n) at most, and not once for each node on its path.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels._rng cimport uniform
from mlsieve._kernels._sides cimport LANES  # for its vectors
from mlsieve._kernels._splits cimport last_below
from mlsieve._kernels._work cimport Example, Table, admissible, gain_of, offer

cdef extern from *:
    """
    typedef int64_t Answers __attribute__((vector_size(64)));

    MLSIEVE_INLINE bool any_answer(const Answers& answers) {
        int64_t word[8];
        __builtin_memcpy(word, &answers, sizeof word);
        return ((word[0] | word[1] | word[2] | word[3]) | (word[4] | word[5] | word[6] | word[7])) != 0;
    }

    // The test with the best gain, if that beats best_gain, or -1; of equal ones the first.
    MLSIEVE_WIDEST
    static long scan_tests(long n_tests, const double* weight, const double* B, const double* X, double n, double B_total,
                           double min_leaf, double tie, double* best_gain) {
        const double before = B_total / n;
        double highest = *best_gain;
        long best = -1;
        for (long first = 0; first < n_tests; first += 8) {
            Lanes side = {0}, own_B = {0}, own_X = {0};
            if (first + 8 <= n_tests) {
                side = *(const LoadLanes*)(weight + first);
                own_B = *(const LoadLanes*)(B + first);
                own_X = *(const LoadLanes*)(X + first);
            } else {
                for (long b = 0; first + b < n_tests; ++b) {
                    side[b] = weight[first + b];
                    own_B[b] = B[first + b];
                    own_X[b] = X[first + b];
                }
            }
            const Lanes others = n - side;
            const Answers allowed = (side >= min_leaf) & (others >= min_leaf);
            if (!any_answer(allowed)) continue;
            const Lanes gain = own_B / side + (B_total - 2.0 * own_X + own_B) / others - before;
            const Answers take = allowed & (gain > highest + tie);
            if (!any_answer(take)) continue;
            for (int b = 0; b < 8; ++b) {
                if (take[b] && gain[b] > highest + tie) {
                    highest = gain[b];
                    best = first + b;
                }
            }
        }
        *best_gain = highest;
        return best;
    }
    """
    long scan_tests(
        long n_tests, const double* weight, const double* B, const double* X, double n, double B_total, double min_leaf,
        double tie, double* best_gain
    ) noexcept nogil

cdef double NODES_A_TABLE = 6.0        # that it passes through before it is worth building another one


cdef double saved_in_a_node(const Work* work, const Columns* columns, int64_t n_node) noexcept nogil:
    """What a table saves in one node: walking lists, and sorting those of more than two values; in nanoseconds."""
    cdef double a_cell = 8.0 * work.mean_labels if work.all_binary else 28.0
    return a_cell * n_node * work.mean_listed - 2.0 * columns.test_start[columns.n_features]


cdef bint worth_building(const Work* work, const Columns* columns, const Labels* labels, int64_t n_node) noexcept nogil:
    """Whether counting the node's rows once more costs less than it is likely to save below."""
    cdef double cost = (
        0.15 * columns.test_start[columns.n_features] * labels.n_labels
        + 4.0 * n_node * work.mean_listed * work.mean_labels
    )
    return work.may_tabulate and work.whole and NODES_A_TABLE * saved_in_a_node(work, columns, n_node) > cost


cdef void add_rows(
    Work* work, const Columns* columns, const Labels* labels, Table* table, const int32_t* rows, int64_t n_rows,
    double sign
) noexcept nogil:
    """Add rows to the table, or with sign -1 take them out."""
    cdef int64_t i, p
    cdef int32_t q, j, test
    cdef double before, weight
    cdef float step, held
    cdef float* count
    cdef const Example* example
    for i in range(n_rows):
        example = &work.example[rows[i]]
        weight = sign * example.weight
        step = <float>weight
        for p in range(columns.test_row_start[rows[i]], columns.test_row_start[rows[i] + 1]):
            test = columns.row_test[p]
            count = table.count.data() + <int64_t>test * labels.n_labels
            before = 0.0
            for q in range(example.first, example.last):
                j = labels.index[q]
                held = count[j]
                before += work.doubled[j] * held
                count[j] = held + step
            table.B[test] += weight * (before + weight * example.mass)
            table.weight[test] += weight


cdef int32_t build_table(
    Work* work, const Columns* columns, const Labels* labels, const int32_t* rows, int64_t n_rows
) noexcept nogil:
    """Count rows in a table that is not in use; return its number."""
    cdef int32_t i, free = -1
    cdef int64_t n_tests = columns.test_start[columns.n_features]
    cdef Table* table
    for i in range(<int32_t>work.tables.size()):
        if not work.tables[i].in_use:
            free = i
            break
    if free < 0:
        free = <int32_t>work.tables.size()
        work.tables.resize(free + 1)
    table = &work.tables[free]
    table.count.assign(n_tests * labels.n_labels, 0.0)
    table.weight.assign(n_tests, 0.0)
    table.B.assign(n_tests, 0.0)
    table.in_use = True
    add_rows(work, columns, labels, table, rows, n_rows, 1.0)
    return free


cdef int32_t pass_table(
    Work* work, const Columns* columns, const Labels* labels, int32_t table, const int32_t* leaving,
    int64_t n_leaving, int64_t n_staying
) noexcept nogil:
    """Take the smaller child's rows out and return the table for the larger one, or -1 if counting anew is cheaper."""
    if 2 * n_leaving > n_staying or saved_in_a_node(work, columns, n_staying) < 0.0:
        work.tables[table].in_use = False
        return -1
    add_rows(work, columns, labels, &work.tables[table], leaving, n_leaving, -1.0)
    return table


cdef void sum_products(Work* work, const Columns* columns, int64_t start, int64_t n_node) noexcept nogil:
    """X of each test: the sum of weight times x over its listed side."""
    cdef int64_t i, p
    cdef int32_t row
    cdef double part
    work.X.assign(columns.test_start[columns.n_features], 0.0)
    for i in range(n_node):
        row = work.rows[start + i]
        part = work.example[row].weight * work.example[row].x
        for p in range(columns.test_row_start[row], columns.test_row_start[row + 1]):
            work.X[columns.row_test[p]] += part


cdef inline int64_t number_of(const Columns* columns, int32_t feature, int32_t t) noexcept nogil:
    """Number of the test that parts the codes up to t from those above: the highest threshold first, as in _splits."""
    return columns.test_start[feature + 1] - 1 - t


cdef double weight_of_code(
    const Columns* columns, const Table* table, double n, int32_t feature, int32_t code
) noexcept nogil:
    """Weight of the node's rows of that code."""
    cdef int32_t rest = columns.rest_code[feature]
    cdef int32_t n_tests = <int32_t>(columns.test_start[feature + 1] - columns.test_start[feature])
    cdef double above = table.weight[number_of(columns, feature, code)] if code < n_tests else 0.0
    cdef double below = table.weight[number_of(columns, feature, code - 1)] if code > 0 else 0.0
    if code > rest:
        return below - above    # both count the rows above
    if code < rest:
        return above - below    # both count the rows below
    return n - above - below


cdef bint can_be_taken(
    const Columns* columns, const Options* options, const Table* table, int32_t feature
) noexcept nogil:
    """Whether some test of the feature leaves enough rows on the side that is counted."""
    cdef int32_t rest = columns.rest_code[feature]
    if rest > 0 and table.weight[number_of(columns, feature, rest - 1)] >= options.min_leaf:
        return True
    return (
        columns.test_start[feature + 1] - columns.test_start[feature] > rest
        and table.weight[number_of(columns, feature, rest)] >= options.min_leaf
    )


cdef void judge_random_tabulated(
    Work* work, const Columns* columns, const Options* options, const Totals* totals, const Table* table,
    int32_t feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge one random test of a sparse feature by the node's table."""
    cdef int32_t low, lowest = 0
    cdef int32_t highest = <int32_t>(columns.test_start[feature + 1] - columns.test_start[feature])
    cdef int64_t test
    cdef double threshold
    if not can_be_taken(columns, options, table, feature):
        return
    while lowest < highest and weight_of_code(columns, table, totals.n, feature, lowest) == 0.0:
        lowest += 1
    while lowest < highest and weight_of_code(columns, table, totals.n, feature, highest) == 0.0:
        highest -= 1
    if lowest == highest:
        return
    low = last_below(
        columns.values + columns.value_start[feature], lowest, highest, uniform(threshold_key, node, feature), &threshold
    )
    test = number_of(columns, feature, low)
    if not admissible(options, totals, table.weight[test]):
        return
    if offer(best, totals, gain_of(totals, table.weight[test], table.B[test], work.X[test]), feature, low, low + 1):
        best.threshold = threshold


cdef int32_t feature_of(const Columns* columns, int64_t test) noexcept nogil:
    """The feature that a test is of."""
    cdef int32_t low = 0, high = columns.n_features, middle
    while high - low > 1:
        middle = (low + high) // 2
        if columns.test_start[middle] <= test:
            low = middle
        else:
            high = middle
    return low


cdef void take_tabulated(
    const Columns* columns, const Table* table, double n, int64_t test, Split* best
) noexcept nogil:
    """Let the best test be this one, between the codes that occur in the node."""
    cdef int32_t feature = feature_of(columns, test)
    best.feature = feature
    best.code = <int32_t>(columns.test_start[feature + 1] - 1 - test)
    best.upper_code = best.code + 1
    best.nominal = False
    while weight_of_code(columns, table, n, feature, best.code) == 0.0:
        best.code -= 1
    while weight_of_code(columns, table, n, feature, best.upper_code) == 0.0:
        best.upper_code += 1


cdef void judge_tabulated(
    Work* work, const Columns* columns, const Options* options, const Totals* totals, int32_t table,
    int32_t first_feature, int32_t end_feature, uint64_t threshold_key, int32_t node, Split* best
) noexcept nogil:
    """Judge the sparse features of a range by the node's table."""
    cdef const Table* own = &work.tables[table]
    cdef int32_t feature
    cdef int64_t test, first = columns.test_start[first_feature], end = columns.test_start[end_feature]
    if options.random_tests:
        for feature in range(first_feature, end_feature):
            judge_random_tabulated(work, columns, options, totals, own, feature, threshold_key, node, best)
        return
    test = scan_tests(
        end - first, own.weight.data() + first, own.B.data() + first, work.X.data() + first, totals.n, totals.B,
        options.min_leaf, totals.tie, &best.gain
    )
    if test >= 0:
        take_tabulated(columns, own, totals.n, first + test, best)
