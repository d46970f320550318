"""The best threshold of one feature where labels are few: all thresholds are judged, eight at once."""

from libc.stdint cimport int32_t

from mlsieve._kernels.common.data_structs cimport Entry
from mlsieve._kernels.trees.node.label_sums cimport LANES

cdef extern from *:
    """
    typedef int32_t Codes __attribute__((vector_size(32)));

    #if defined(__clang__)
    #define MLSIEVE_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
    #else  // of GCC only 12 and later have the other
    #define MLSIEVE_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, Codes{__VA_ARGS__})
    #endif

    // Sum of each of eight vectors.
    MLSIEVE_INLINE HalfLanes sums_of(const HalfLanes* s) {
        HalfLanes pair[4], four[2];
        for (int i = 0; i < 4; ++i)
            pair[i] = MLSIEVE_SHUFFLE(s[2 * i], s[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14)
                      + MLSIEVE_SHUFFLE(s[2 * i], s[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
        for (int i = 0; i < 2; ++i)
            four[i] = MLSIEVE_SHUFFLE(pair[2 * i], pair[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13)
                      + MLSIEVE_SHUFFLE(pair[2 * i], pair[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
        return MLSIEVE_SHUFFLE(four[0], four[1], 0, 1, 2, 3, 8, 9, 10, 11)
               + MLSIEVE_SHUFFLE(four[0], four[1], 4, 5, 6, 7, 12, 13, 14, 15);
    }

    // The codes of eight entries.
    MLSIEVE_INLINE Codes codes_of(const Entry* entries) {
        Codes low, high;
        __builtin_memcpy(&low, entries, sizeof low);
        __builtin_memcpy(&high, entries + 4, sizeof high);
        return MLSIEVE_SHUFFLE(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
    }

    MLSIEVE_INLINE bool any_of(Codes mask) {
        uint64_t words[4];
        __builtin_memcpy(words, &mask, sizeof words);
        return (words[0] | words[1] | words[2] | words[3]) != 0;
    }

    // The exact gain of the side that holds `before` and the entries up to the b-th.
    template <int N>
    MLSIEVE_INLINE double gain_of_side(const HalfLanes* before, const Entry* entries, int b, const float* lanes,
                                       const double* w, const double* wC, double n_total, double B_total) {
        Lanes c[N];
        double B, X;
        for (int v = 0; v < N; ++v) c[v] = __builtin_convertvector(before[v], Lanes);
        for (int i = 0; i <= b; ++i) add_lanes_of<N>(c, lanes, entries[i].row);
        products<N>(c, w, wC, &B, &X);
        const double n_yes = c[N - 1][7];
        return B / n_yes + (B_total - 2.0 * X + B) / (n_total - n_yes) - B_total / n_total;
    }

    // With t_j = c_j - n_yes C_j / n and s = sum_j w_j t_j^2, the gain is s n / (n_yes n_no). In single precision c_j is
    // exact, t_j is off by 2.5 u n_yes C_j / n + u |t_j| at most (u = 2^-24), and s by less than 1.1e-4 s + 2.3e-10 B:
    // thresholds that cannot beat the best by more than that are passed over, the others judged in double precision.
    template <int N>
    MLSIEVE_INLINE long scan_width(long n, const Entry* entries, int32_t last, int32_t code_below, const float* lanes,
                                   const float* weight, const float* mean, const double* w, const double* wC,
                                   double n_total, double B_total, double min_leaf, double tie, double needed_gain,
                                   double* best_gain) {
        HalfLanes c[N], before[N], s[8];
        float sides[8];
        const float least = (float)(min_leaf * (1.0 - 1e-6)), all = (float)n_total, slack = (float)(1e-9 * B_total);
        long best = -1;
        HalfLanes C[N], w1[N];
        for (int v = 0; v < N; ++v) {
            c[v] = (HalfLanes){0};
            C[v] = *(const HalfLanes*)(mean + 8 * v);
            w1[v] = *(const HalfLanes*)(weight + 8 * v);
        }
        for (long first = 0; first < n && entries[first].code != last; first += 8) {
            Entry tail[9];
            const Entry* own = entries + first;
            if (first + 8 >= n) {            // filled up by entries that have no threshold below them
                for (long b = 0; b < 9; ++b) tail[b] = first + b < n ? own[b] : Entry{own[0].row, code_below};
                own = tail;
            }
            for (int v = 0; v < N; ++v) before[v] = c[v];
            for (int b = 0; b < 8; ++b) {
                const float* row = lanes + (long)own[b].row * (8 * N);
                for (int v = 0; v < N; ++v) c[v] += *(const HalfLanes*)(row + 8 * v);
                const float n_side = c[N - 1][7];
                sides[b] = n_side;
                for (int v = 0; v < N; ++v) {
                    const HalfLanes t = c[v] - n_side * C[v], part = w1[v] * t * t;
                    s[b] = v == 0 ? part : s[b] + part;
                }
            }
            const Codes code = codes_of(own), next = codes_of(own + 1);
            const HalfLanes n_yes = *(const HalfLanes*)sides;
            const HalfLanes needed = (float)(needed_gain / n_total) * n_yes * (all - n_yes);
            const Codes take = (code != next) & (code != last) & (n_yes >= least) & (all - n_yes >= least)
                               & (sums_of(s) * 1.0002f + slack > needed);
            if (!any_of(take)) continue;
            for (int b = 0; b < 8; ++b) {
                if (!take[b] || sides[b] < min_leaf || n_total - sides[b] < min_leaf) continue;
                const double gain = gain_of_side<N>(before, own, b, lanes, w, wC, n_total, B_total);
                if (gain > needed_gain) {
                    *best_gain = gain;
                    needed_gain = gain + tie;
                    best = first + b;
                }
            }
        }
        return best;
    }

    // The last row above the best threshold among entries of falling code, or -1 if none gains more than needed_gain.
    MLSIEVE_WIDEST
    static long scan_labels(int width, long n, const Entry* entries, int32_t last, int32_t code_below,
                            const float* lanes, const float* weight, const float* mean, const double* w,
                            const double* wC, double n_total, double B_total, double min_leaf, double tie,
                            double needed_gain, double* best_gain) {
    #define MLSIEVE_SCAN(N) scan_width<N>(n, entries, last, code_below, lanes, weight, mean, w, wC, n_total, B_total, \\
                                          min_leaf, tie, needed_gain, best_gain)
        return width == 8 ? MLSIEVE_SCAN(1) : width == 16 ? MLSIEVE_SCAN(2) : MLSIEVE_SCAN(3);
    #undef MLSIEVE_SCAN
    }
    """
    long scan_labels(
        int width, long n, const Entry* entries, int32_t last, int32_t code_below, const float* lanes,
        const float* weight, const float* mean, const double* w, const double* wC, double n_total, double B_total,
        double min_leaf, double tie, double needed_gain, double* best_gain
    ) noexcept nogil
