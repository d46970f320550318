"""Labels that at least two of a node's rows have, and the scan of a dense feature's thresholds by these.

Most labels of a hierarchy are rare: in most nodes, most of a row's labels are its own alone. Such a label is on one side
of a test with its row and never meets another one, so that all it adds to B and X is known beforehand: it is in the
row's mass and x. Only shared labels are counted while rows move. They are numbered anew in each node, so that their
counts lie close together however many labels there are.

Rows whose value is missing take no part in a test. Few are missing mostly: they are taken off the node's counts C_j
instead of counting the others. With g_j the missing rows' weight that has label j and X_g, B_g their sums,

    B_known = B - 2 X_g + B_g,    X_known = sum_j w_j (C_j - g_j) c_j = X - sum_j w_j g_j c_j

A row's shared labels are few: that a processor guesses wrongly where each list ends takes as long as half of the work,
and labels of no weight take less. Lists are filled up by them to a length that most of the node's fit.
"""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.simd cimport LANES  # for its macros
from mlsieve._kernels.trees.node.gains cimport needed_gain, take

cdef extern from *:
    """
    typedef double Sums __attribute__((vector_size(16), aligned(8)));  // 2 w_j c_j of the side; 2 w_j g_j

    // Add a row's labels to one of the sums; return both over its labels before that. They are summed in CHAINS chains.
    template <int FIXED, int CHAINS>
    MLSIEVE_INLINE Sums add_labels(const int32_t* label, const int32_t* end, const Sums* doubled, Sums weight,
                                   Sums* sums) {
        Sums before[CHAINS] = {{0}};
    #define MLSIEVE_ADD(n) \\
        for (int q = 0; q < n; ++q) { \\
            const Sums held = sums[label[q]]; \\
            before[q % CHAINS] += held; \\
            sums[label[q]] = held + doubled[label[q]] * weight; \\
        }
    #pragma GCC unroll 12
        MLSIEVE_ADD(FIXED)
        for (label += FIXED; label < end; label += 4) {
    #pragma GCC unroll 4
            MLSIEVE_ADD(4)
        }
    #undef MLSIEVE_ADD
        for (int chain = 1; chain < CHAINS; ++chain) before[0] += before[chain];
        return before[0];
    }

    struct SharedLists {
        const Example* near;
        const int32_t* label;
        const Sums* doubled;
        Sums* sums;
    };

    // The last entry above the best threshold among the known ones, or -1 if none gains more than needed_gain; the
    // others, up to n_node, are missing.
    template <int FIXED, int CHAINS>
    MLSIEVE_INLINE long scan_lists(long n_known, long n_node, const Entry* entries, SharedLists lists, double n,
                                   double B_all, double min_leaf, double tie, double needed_gain, double* best_gain) {
        double B = 0, X = 0, n_yes = 0;
        if (n_known < n_node) {
            for (long i = n_known; i < n_node; ++i) {
                const Example* own = lists.near + entries[i].row;
                const Sums before = add_labels<FIXED, CHAINS>(lists.label + own->first, lists.label + own->last,
                                                              lists.doubled, Sums{0, own->weight}, lists.sums);
                X += own->weight * own->x;
                B += own->weight * (before[1] + own->weight * own->mass);
                n_yes += own->weight;
            }
            n -= n_yes;
            B_all = B_all - 2.0 * X + B;
            B = X = n_yes = 0;
        }
        const int32_t last = entries[n_known - 1].code;
        const double parent = B_all / n;
        double needed = (parent + needed_gain) * (1.0 - 1e-12);
        long best = -1;
        for (long i = 0; entries[i].code != last; ++i) {
            const Example* own = lists.near + entries[i].row;
            const double weight = own->weight;
            const Sums before = add_labels<FIXED, CHAINS>(lists.label + own->first, lists.label + own->last,
                                                          lists.doubled, Sums{weight, 0}, lists.sums);
            X += weight * (own->x - 0.5 * before[1]);
            B += weight * (before[0] + weight * own->mass);
            n_yes += weight;
            const double others = n - n_yes, B_others = B_all - 2.0 * X + B;
            // Without branches, but for the one that is nearly always taken.
            if ((entries[i + 1].code == entries[i].code) | (n_yes < min_leaf) | (others < min_leaf)
                | (B * others + B_others * n_yes <= needed * n_yes * others)) continue;
            const double gain = B / n_yes + B_others / others - parent;
            if (gain > needed_gain) {
                *best_gain = gain;
                best = i;
                needed_gain = gain + tie;
                needed = (parent + needed_gain) * (1.0 - 1e-12);
            }
        }
        return best;
    }

    // Without missing values sums are added up in one chain: results on complete data keep all their digits.
    template <int FIXED>
    MLSIEVE_INLINE long scan_fixed(long n_known, long n_node, const Entry* entries, SharedLists lists, double n,
                                   double B_all, double min_leaf, double tie, double needed_gain, double* best_gain) {
        return n_known == n_node
            ? scan_lists<FIXED, 1>(n_known, n_node, entries, lists, n, B_all, min_leaf, tie, needed_gain, best_gain)
            : scan_lists<FIXED, 2>(n_known, n_node, entries, lists, n, B_all, min_leaf, tie, needed_gain, best_gain);
    }

    static long scan_shared_labels(int fixed, long n_known, long n_node, const Entry* entries, const Example* near,
                                   const int32_t* label, const double* doubled, double* sums, double n, double B_all,
                                   double min_leaf, double tie, double needed_gain, double* best_gain) {
        const SharedLists lists = {near, label, (const Sums*)doubled, (Sums*)sums};
    #define MLSIEVE_FIXED(N) scan_fixed<N>(n_known, n_node, entries, lists, n, B_all, min_leaf, tie, needed_gain, best_gain)
        switch (fixed) {
            case 0: return MLSIEVE_FIXED(0);
            case 4: return MLSIEVE_FIXED(4);
            case 8: return MLSIEVE_FIXED(8);
            default: return MLSIEVE_FIXED(12);
        }
    #undef MLSIEVE_FIXED
    }
    """
    long scan_shared_labels(
        int fixed, long n_known, long n_node, const Entry* entries, const Example* near, const int32_t* label,
        const double* doubled, double* sums, double n, double B_all, double min_leaf, double tie, double needed_gain,
        double* best_gain
    ) noexcept nogil

cdef int32_t MOST_FIXED = 12
cdef int64_t MOST_FILLED = 15            # MOST_FIXED, or up to three more than a list is long
cdef int32_t N_FILLERS = 16              # labels of no weight; many, as a sum that was just stored is slow to load


cdef int prepare_shared_labels(SharedLabels* shared, const Data* data, const LabelSums* sums) except -1 nogil:
    """Make room for the lists of any node."""
    cdef int64_t n_sums = 2 * (data.labels.n_labels + N_FILLERS)
    shared.may_be_used = data.facts.n_dense > 0 and sums.lanes.most == 0 and not data.options.random_tests
    if not shared.may_be_used:
        return 0
    shared.near.resize(data.columns.n_rows)
    shared.label.resize(data.labels.start[data.columns.n_rows] + MOST_FILLED * data.columns.n_rows + 1)
    shared.number.assign(data.labels.n_labels, 0)
    shared.sums.assign(n_sums, 0.0)
    shared.doubled.assign(n_sums, 0.0)


cdef int32_t length_that_most_fit(const SharedLabels* shared, const int32_t* rows, int64_t n_node) noexcept nogil:
    """The least multiple of 4, up to MOST_FIXED, that four fifths of the node's lists fit."""
    cdef int64_t i, n_fitting = 0
    cdef int64_t n_of_length[4]
    cdef int32_t length
    cdef const Example* own
    for length in range(4):
        n_of_length[length] = 0
    for i in range(n_node):
        own = &shared.near[rows[i]]
        n_of_length[min((own.last - own.first + 3) // 4, 3)] += 1
    for length in range(3):
        n_fitting += n_of_length[length]
        if 5 * n_fitting >= 4 * n_node:
            return 4 * length
    return MOST_FIXED


cdef inline int32_t filled_length(int32_t length, int32_t fixed) noexcept nogil:
    return fixed if length <= fixed else (length + 3) // 4 * 4


cdef void fill_up(SharedLabels* shared, const int32_t* rows, int64_t n_node) noexcept nogil:
    """Fill the lists up with labels of no weight, all in place: the last list moves first."""
    cdef int64_t i, first = 0
    cdef int32_t q, length, filled, fixed = length_that_most_fit(shared, rows, n_node)
    cdef int32_t* label = shared.label.data()
    cdef Example* own
    for i in range(n_node):
        own = &shared.near[rows[i]]
        first += filled_length(own.last - own.first, fixed)
    for i in range(n_node - 1, -1, -1):
        own = &shared.near[rows[i]]
        length = own.last - own.first
        filled = filled_length(length, fixed)
        first -= filled
        for q in range(length - 1, -1, -1):
            label[first + q] = label[own.first + q]
        for q in range(length, filled):
            label[first + q] = shared.n + <int32_t>((i + q) % N_FILLERS)
        own.first = <int32_t>first
        own.last = <int32_t>first + filled
    for q in range(2 * shared.n, 2 * (shared.n + N_FILLERS)):
        shared.doubled[q] = 0.0
    shared.fixed_length = fixed


cdef void list_shared(
    SharedLabels* shared, LabelSums* sums, const Labels* labels, const int32_t* rows, int64_t n_node
) noexcept nogil:
    """List the shared labels of each of the node's rows; take up the rows' x."""
    cdef int64_t i
    cdef size_t t
    cdef int32_t q, j, row, n_shared = 0, n_listed = 0
    cdef double x
    cdef int32_t* number = shared.number.data()
    cdef int32_t* label = shared.label.data()
    cdef Example* example
    cdef Example* own
    for i in range(n_node):
        example = &sums.example[rows[i]]
        x = 0.0
        for q in range(example.first, example.last):
            j = labels.index[q]
            x += sums.wC[j]
            number[j] += 1
        example.x = x
    for t in range(sums.touched.size()):
        j = sums.touched[t]
        if number[j] > 1 and labels.weight[j] != 0.0:
            number[j] = n_shared
            shared.doubled[2 * n_shared] = shared.doubled[2 * n_shared + 1] = sums.doubled[j]
            n_shared += 1
        else:
            number[j] = -1
    for i in range(n_node):
        row = rows[i]
        example = &sums.example[row]
        own = &shared.near[row]
        own.weight = example.weight
        own.mass = example.mass
        own.x = example.x
        own.first = n_listed
        for q in range(example.first, example.last):
            # Written always and counted if it is shared: no branch.
            j = number[labels.index[q]]
            label[n_listed] = j
            n_listed += j >= 0
        own.last = n_listed
    for t in range(sums.touched.size()):
        number[sums.touched[t]] = 0
    shared.n = n_shared
    fill_up(shared, rows, n_node)


cdef void clear(SharedLabels* shared, const Entry* entries, int64_t n_node) noexcept nogil:
    """Zero the sums: through the labels of the node's rows, or all of them if those are fewer."""
    cdef int64_t i
    cdef int32_t q
    cdef const Example* own
    cdef double* side = shared.sums.data()
    if 4 * n_node < shared.n:
        for i in range(n_node):
            own = &shared.near[entries[i].row]
            for q in range(own.first, own.last):
                side[2 * shared.label[q]] = side[2 * shared.label[q] + 1] = 0.0
    else:
        for i in range(2 * shared.n):
            side[i] = 0.0


cdef void scan_shared(
    SharedLabels* shared, const Options* options, const Totals* node, const Entry* entries, int64_t n_known,
    int64_t n_node, int32_t feature, Split* best
) noexcept nogil:
    """Judge every threshold between distinct codes, highest first.

    Codes of the first `n_known` entries fall; those of the others, up to `n_node`, are missing.
    """
    cdef double gain
    cdef long i = scan_shared_labels(
        shared.fixed_length, n_known, n_node, entries, shared.near.data(), shared.label.data(), shared.doubled.data(),
        shared.sums.data(), node.n, node.B, options.min_leaf, node.tie, needed_gain(best, node, feature), &gain
    )
    if i >= 0:
        take(best, gain, feature, entries[i + 1].code, entries[i].code)
    clear(shared, entries, n_node)
