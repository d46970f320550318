"""The labels that two rows of a small node share, and the scan of a dense feature's thresholds by these.

With K_pq the weight w_j of all labels that the rows p and q share, and v_p the rows' weights in the node, a side's

    B = sum_j w_j c_j^2 = sum_pq v_p v_q K_pq,    X = sum_j w_j C_j c_j = sum_p v_p x_p,    x_p = sum_q v_q K_pq

need no labels at all. K does not depend on the weights: it is summed once for a node of at most 64 rows, and all nodes
below it pick out their own rows. One row more costs a side as many sums as the node has rows, eight at once, however
many labels it has.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.simd cimport lowest_bit
from mlsieve._kernels.trees.node.gains cimport needed_gain, take
from mlsieve._kernels.trees.node.label_sums cimport LANES  # for its vectors

cdef extern from *:
    """
    // The last entry above the best threshold among the known ones, or -1 if none gains more than needed_gain. `place` numbers the
    // node's rows; `pairs` are rows of 8 N; the entries from n_known on are missing.
    template <int N>
    MLSIEVE_INLINE long scan_rows(long n_known, long n_node, const Entry* entries, const int32_t* place,
                                  const double* pairs, const double* weight, const double* own_mass, const double* x,
                                  double n_total, double B_total, double min_leaf, double tie, double needed_gain,
                                  double* best_gain) {
        double x_known[8 * N], shared[8 * N];
        Lanes sum[N];
        double n = n_total, B_all = B_total, B = 0, X = 0, n_yes = 0;
        long best = -1;
        __builtin_memcpy(x_known, x, sizeof x_known);
        if (n_known < n_node) {      // B_known = B - 2 X_gone + B_gone, x_known = x - sum_gone v K
            double X_gone = 0, B_gone = 0;
            for (int v = 0; v < N; ++v) sum[v] = (Lanes){0};
            for (long i = n_known; i < n_node; ++i) {
                const int32_t p = place[entries[i].row];
                for (int v = 0; v < N; ++v) sum[v] += *(const LoadLanes*)(pairs + p * (8 * N) + 8 * v) * weight[p];
                n -= weight[p];
                X_gone += weight[p] * x[p];
            }
            for (int v = 0; v < N; ++v) __builtin_memcpy(shared + 8 * v, &sum[v], sizeof(Lanes));
            for (long i = n_known; i < n_node; ++i) {
                const int32_t p = place[entries[i].row];
                B_gone += weight[p] * shared[p];
            }
            for (int p = 0; p < 8 * N; ++p) x_known[p] -= shared[p];
            B_all += B_gone - 2.0 * X_gone;
        }
        for (int v = 0; v < N; ++v) sum[v] = (Lanes){0};
        for (int p = 0; p < 8 * N; ++p) shared[p] = 0;
        const double parent = B_all / n;
        double near = (parent + needed_gain) * (1.0 - 1e-12);
        const int32_t last = entries[n_known - 1].code;
        for (long i = 0; entries[i].code != last; ++i) {
            const int32_t p = place[entries[i].row];
            const double v_p = weight[p];
            B += v_p * (2.0 * shared[p] + v_p * own_mass[p]);
            X += v_p * x_known[p];
            n_yes += v_p;
            for (int v = 0; v < N; ++v) {
                sum[v] += *(const LoadLanes*)(pairs + p * (8 * N) + 8 * v) * v_p;
                __builtin_memcpy(shared + 8 * v, &sum[v], sizeof(Lanes));
            }
            const double others = n - n_yes, B_others = B_all - 2.0 * X + B;
            if (entries[i + 1].code == entries[i].code || n_yes < min_leaf || others < min_leaf) continue;
            if (B * others + B_others * n_yes <= near * n_yes * others) continue;
            const double gain = B / n_yes + B_others / others - parent;
            if (gain > needed_gain) {
                *best_gain = gain;
                best = i;
                needed_gain = gain + tie;
                near = (parent + needed_gain) * (1.0 - 1e-12);
            }
        }
        return best;
    }

    MLSIEVE_WIDEST
    static long scan_row_pairs(int width, long n_known, long n_node, const Entry* entries, const int32_t* place,
                               const double* pairs, const double* weight, const double* own_mass, const double* x,
                               double n_total, double B_total, double min_leaf, double tie, double needed_gain,
                               double* best_gain) {
    #define MLSIEVE_ROWS(N) scan_rows<N>(n_known, n_node, entries, place, pairs, weight, own_mass, x, n_total, B_total, \\
                                         min_leaf, tie, needed_gain, best_gain)
        switch (width) {
            case 8: return MLSIEVE_ROWS(1);
            case 16: return MLSIEVE_ROWS(2);
            case 24: return MLSIEVE_ROWS(3);
            case 32: return MLSIEVE_ROWS(4);
            case 48: return MLSIEVE_ROWS(6);
            default: return MLSIEVE_ROWS(8);
        }
    #undef MLSIEVE_ROWS
    }
    """
    long scan_row_pairs(
        int width, long n_known, long n_node, const Entry* entries, const int32_t* place, const double* pairs,
        const double* weight, const double* own_mass, const double* x, double n_total, double B_total, double min_leaf,
        double tie, double needed_gain, double* best_gain
    ) noexcept nogil

cdef int64_t MOST_ROWS = 64


cdef int prepare_row_pairs(RowPairs* pairs, const Data* data, const SharedLabels* shared) except -1 nogil:
    # Their sums are added up in another order: results on complete data keep all their digits.
    pairs.may_be_used = shared.may_be_used and not data.facts.complete
    pairs.at_hand = False
    if not pairs.may_be_used:
        return 0
    pairs.root_place.resize(data.columns.n_rows)
    pairs.place.resize(data.columns.n_rows)
    pairs.rows_of_label.assign(data.labels.n_labels, 0)
    pairs.root_pairs.resize(MOST_ROWS * MOST_ROWS)
    pairs.node_pairs.resize(MOST_ROWS * MOST_ROWS)
    pairs.weight.resize(MOST_ROWS)
    pairs.mass.resize(MOST_ROWS)
    pairs.x.resize(MOST_ROWS)


cdef void forget_pairs(RowPairs* pairs) noexcept nogil:
    """Let the next small node sum K anew."""
    pairs.depth = 2147483647


cdef bint fits_pairs(const RowPairs* pairs, int64_t n_node) noexcept nogil:
    """Whether a node's tests are judged by pairs of rows."""
    return pairs.may_be_used and n_node <= MOST_ROWS


cdef void sum_pairs(
    RowPairs* pairs, const Example* examples, const Labels* labels, const int32_t* rows, int64_t n_node
) noexcept nogil:
    """Sum K of the node's rows into root_pairs, for all nodes below it."""
    cdef int64_t i
    cdef int32_t p, q, j
    cdef uint64_t others
    cdef double weight
    cdef const Example* example
    cdef double* own_pairs
    for i in range(n_node):
        pairs.root_place[rows[i]] = <int32_t>i
        example = &examples[rows[i]]
        for q in range(example.first, example.last):
            pairs.rows_of_label[labels.index[q]] |= <uint64_t>1 << i
    for i in range(n_node):
        example = &examples[rows[i]]
        own_pairs = pairs.root_pairs.data() + i * MOST_ROWS
        for p in range(n_node):
            own_pairs[p] = 0.0
        for q in range(example.first, example.last):
            j = labels.index[q]
            others = pairs.rows_of_label[j]
            weight = labels.weight[j]
            while others != 0:
                own_pairs[lowest_bit(others)] += weight
                others &= others - 1
    for i in range(n_node):
        example = &examples[rows[i]]
        for q in range(example.first, example.last):
            pairs.rows_of_label[labels.index[q]] = 0


cdef int32_t width_of(int64_t n_node) noexcept nogil:
    """Length of a row of pairs: a whole number of lanes, one that there is a scan for."""
    cdef int32_t n_vectors = <int32_t>((n_node + LANES - 1) // LANES)
    if n_vectors > 4:
        n_vectors += n_vectors & 1
    return n_vectors * LANES


cdef void pair_rows(
    RowPairs* pairs, Example* examples, const Labels* labels, const int32_t* rows, int64_t n_node, int32_t depth
) noexcept nogil:
    """Take up K of the node's rows, their weights and x."""
    cdef int64_t i
    cdef int32_t p, width = width_of(n_node)
    cdef int32_t own[64]
    cdef double x
    cdef const double* from_pairs
    cdef double* own_pairs
    if depth <= pairs.depth:             # it is not below the node that K was summed for
        sum_pairs(pairs, examples, labels, rows, n_node)
        pairs.depth = depth
    for i in range(n_node):
        own[i] = pairs.root_place[rows[i]]
        pairs.place[rows[i]] = <int32_t>i
        pairs.weight[i] = examples[rows[i]].weight
    for i in range(n_node, width):
        pairs.weight[i] = pairs.mass[i] = pairs.x[i] = 0.0
    for i in range(n_node):
        from_pairs = pairs.root_pairs.data() + own[i] * MOST_ROWS
        own_pairs = pairs.node_pairs.data() + i * width
        x = 0.0
        for p in range(n_node):
            own_pairs[p] = from_pairs[own[p]]
            x += pairs.weight[p] * own_pairs[p]
        for p in range(n_node, width):
            own_pairs[p] = 0.0
        pairs.mass[i] = own_pairs[i]
        pairs.x[i] = x
        examples[rows[i]].x = x


cdef void scan_pairs(
    const RowPairs* pairs, const Options* options, const Totals* totals, const Entry* entries, int64_t n_known,
    int64_t n_node, int32_t feature, Split* best
) noexcept nogil:
    """Judge every threshold between distinct codes, highest first; see `shared_labels.scan_shared`."""
    cdef double gain
    cdef long i = scan_row_pairs(
        width_of(n_node), n_known, n_node, entries, pairs.place.data(), pairs.node_pairs.data(), pairs.weight.data(),
        pairs.mass.data(), pairs.x.data(), totals.n, totals.B, options.min_leaf, totals.tie,
        needed_gain(best, totals, feature), &gain
    )
    if i >= 0:
        take(best, gain, feature, entries[i + 1].code, entries[i].code)
