"""Scores of a node's possible tests: one pass over a column's entries, the labels side by side in vectors.

A score is the sum of a function of both children's gradients G and hessians H over the labels, or the sum of both
children's maxima over the labels. A label counts in a child only if its hessian there is `least_hessian` or more.
"""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.simd cimport LANES  # for how it asks for vectors

cdef extern from *:
    """
    #include <cfloat>
    #include <cstdint>
    #include <cstring>

    typedef float Floats __attribute__((vector_size(32)));
    typedef float LoadFloats __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t FloatMask __attribute__((vector_size(32)));
    #if defined(__GNUC__)
    #define MLSIEVE_METHOD inline __attribute__((always_inline))
    #else
    #define MLSIEVE_METHOD inline
    #endif
    enum { FLOATS = 8 };
    enum SplitScore { SUM_GAIN, MAX_GAIN, SUM_SIGNED, MAX_SIGNED, SUM_ABS, MAX_ABS };
    enum Rest { NO_REST, COMMON_REST, MISSING_REST };  // what the rows are that a column does not list
    enum Side { MISSING_NO, MISSING_YES, PRESENT };    // where missing cells go; PRESENT: all known cells go to "yes"

    struct Item { int32_t place, code; };  // where a row of sums is, its code
    struct alignas(64) Chunk { float at[16]; };  // rows of sums are whole chunks

    struct Judge {
        int32_t score, every_label, n_vectors, n_labels;  // n_labels: those that can count, the first lanes
        float reg_lambda, least_hessian;
    };

    // The best test of a column: items of at most `code` say "yes"; `next` is the code above it in the node.
    struct Test {
        float score;
        int32_t code, next, side;
    };

    MLSIEVE_INLINE float sum_of(Floats a) {
        a += __builtin_shuffle(a, (FloatMask){4, 5, 6, 7, 0, 1, 2, 3});
        a += __builtin_shuffle(a, (FloatMask){2, 3, 0, 1, 6, 7, 4, 5});
        return a[0] + a[1];
    }

    MLSIEVE_INLINE float max_of(Floats a) {
        Floats b = __builtin_shuffle(a, (FloatMask){4, 5, 6, 7, 0, 1, 2, 3});
        a = a > b ? a : b;
        b = __builtin_shuffle(a, (FloatMask){2, 3, 0, 1, 6, 7, 4, 5});
        a = a > b ? a : b;
        return a[0] > a[1] ? a[0] : a[1];
    }

    template <int SCORE>
    MLSIEVE_INLINE Floats of_child(Floats G, Floats H, float reg_lambda) {
        const Floats zero = {0};
        if (SCORE == SUM_GAIN || SCORE == MAX_GAIN) return G * G / (H + reg_lambda);
        if (SCORE == SUM_SIGNED || SCORE == MAX_SIGNED) return -G / (H + reg_lambda);
        return (G < zero ? -G : G) / (H + reg_lambda);
    }

    // The score of a division: G and H of one child, and the totals of both, G before H.
    template <int SCORE, int V>
    MLSIEVE_INLINE float judge(const Judge& rule, const Floats* own, const Floats* total, int n_vectors) {
        const int n = V ? V : n_vectors;
        const float lambda = rule.reg_lambda, least = rule.least_hessian;
        const Floats zero = {0}, lowest = zero - FLT_MAX;
        Floats sum = zero, first = lowest, second = lowest;
        for (int v = 0; v < n; ++v) {
            const Floats G = own[v], H = own[n + v], other_G = total[v] - G;
            Floats other_H = total[n + v] - H;
            other_H = other_H > zero ? other_H : zero;
            const FloatMask counts = H >= least, other_counts = other_H >= least;
            if (SCORE == SUM_GAIN) {
                const Floats D = H + lambda, other_D = other_H + lambda;
                const Floats up = counts ? G * G * other_D : zero;
                const Floats other_up = other_counts ? other_G * other_G * D : zero;
                sum += (up + other_up) / (D * other_D);
            } else if (SCORE == SUM_SIGNED || SCORE == SUM_ABS) {
                const Floats a = of_child<SCORE>(G, H, lambda), b = of_child<SCORE>(other_G, other_H, lambda);
                sum += (counts ? a : zero) + (other_counts ? b : zero);
            } else {
                const FloatMask lane = {0, 1, 2, 3, 4, 5, 6, 7};
                const FloatMask real = lane < rule.n_labels - v * FLOATS;
                const Floats a = of_child<SCORE>(G, H, lambda), b = of_child<SCORE>(other_G, other_H, lambda);
                first = (counts & real & (a > first)) ? a : first;
                second = (other_counts & real & (b > second)) ? b : second;
            }
        }
        if (SCORE == SUM_GAIN || SCORE == SUM_SIGNED || SCORE == SUM_ABS) return sum_of(sum);
        const float a = max_of(first), b = max_of(second);
        return (a > -FLT_MAX ? a : 0.0f) + (b > -FLT_MAX ? b : 0.0f);
    }

    // Whether every label's hessian reaches the least in both children.
    MLSIEVE_INLINE bool all_reach(const Judge& rule, const Floats* own, const Floats* total, int n) {
        for (int j = 0; j < rule.n_labels; ++j) {
            const float H = own[n + j / FLOATS][j % FLOATS];
            if (H < rule.least_hessian || total[n + j / FLOATS][j % FLOATS] - H < rule.least_hessian) return false;
        }
        return true;
    }

    template <int SCORE, int V>
    struct Scan {
        const Judge& rule;
        const float* sums;    // gradients, then hessians, of each place
        const Floats* total;
        Test* best;
        const int n;

        MLSIEVE_METHOD void add(Floats* to, int32_t place) const {
            const float* own = sums + (int64_t)place * 2 * n * FLOATS;
            for (int v = 0; v < 2 * n; ++v) to[v] += *(const LoadFloats*)(own + v * FLOATS);
        }

        MLSIEVE_METHOD void consider(const Floats* side, int32_t code, int32_t next, int32_t kind) const {
            if (rule.every_label && !all_reach(rule, side, total, n)) return;
            const float score = judge<SCORE, V>(rule, side, total, n);
            if (score > best->score) *best = Test{score, code, next, kind};
        }

        // Items from the lowest code up; `before` is what goes to "yes" with them.
        MLSIEVE_METHOD void upwards(const Item* item, int64_t n_items, Floats* yes, int32_t kind) const {
            for (int64_t i = 0; i + 1 < n_items; ++i) {
                add(yes, item[i].place);
                if (item[i].code != item[i + 1].code) consider(yes, item[i].code, item[i + 1].code, kind);
            }
        }

        MLSIEVE_METHOD void all(const Item* item, int64_t n_items, int rest_kind, int32_t rest_code,
                                int64_t n_rest, Floats* memory) const {
            Floats* side = memory;
            for (int v = 0; v < 2 * n; ++v) side[v] = Floats{0};
            if (rest_kind == MISSING_REST && n_rest > 0) {
                Floats* known = memory + 2 * n;
                for (int v = 0; v < 2 * n; ++v) known[v] = Floats{0};
                for (int64_t i = 0; i < n_items; ++i) add(known, item[i].place);
                consider(known, item[n_items - 1].code, -1, PRESENT);
                upwards(item, n_items, side, MISSING_NO);
                for (int v = 0; v < 2 * n; ++v) side[v] = total[v] - known[v];
                upwards(item, n_items, side, MISSING_YES);
                return;
            }
            int64_t lower = n_items;  // items below the rest
            if (rest_kind == COMMON_REST && n_rest > 0)
                for (lower = 0; lower < n_items && item[lower].code < rest_code;) ++lower;
            if (lower > 0) upwards(item, lower, side, MISSING_NO);
            if (rest_kind != COMMON_REST || n_rest == 0) return;
            if (lower > 0) {
                add(side, item[lower - 1].place);
                consider(side, item[lower - 1].code, rest_code, MISSING_NO);
                for (int v = 0; v < 2 * n; ++v) side[v] = Floats{0};
            }
            for (int64_t i = n_items - 1; i >= lower; --i) {  // from the highest code down: what goes to "no"
                add(side, item[i].place);
                const int32_t below = i > lower ? item[i - 1].code : rest_code;
                if (item[i].code != below) consider(side, below, item[i].code, MISSING_NO);
            }
        }
    };

    template <int SCORE, int V>
    MLSIEVE_INLINE void scan_as(const Judge& rule, const float* sums, const float* total, const Item* item,
                                int64_t n_items, int rest_kind, int32_t rest_code, int64_t n_rest, Floats* memory,
                                Test* best) {
        const int n = V ? V : rule.n_vectors;
        Floats own[V ? 4 * V : 1];
        Scan<SCORE, V> scan{rule, sums, (const Floats*)total, best, n};
        scan.all(item, n_items, rest_kind, rest_code, n_rest, V ? own : memory);
    }

    #define MLSIEVE_SCAN_AS(SCORE, V) \\
        scan_as<SCORE, V>(rule, sums, total, item, n_items, rest_kind, rest_code, n_rest, memory, best)
    #define MLSIEVE_SCAN(SCORE) \\
        switch (rule.n_vectors) { \\
        case 1: return MLSIEVE_SCAN_AS(SCORE, 1); \\
        case 2: return MLSIEVE_SCAN_AS(SCORE, 2); \\
        default: return MLSIEVE_SCAN_AS(SCORE, 0); \\
        }

    // Improve `best` by the tests of one column in one node.
    MLSIEVE_WIDEST
    static void scan_column(const Judge& rule, const float* sums, const float* total, const Item* item, int64_t n_items,
                            int rest_kind, int32_t rest_code, int64_t n_rest, Floats* memory, Test* best) {
        switch (rule.score) {
        case SUM_GAIN: MLSIEVE_SCAN(SUM_GAIN)
        case MAX_GAIN: MLSIEVE_SCAN(MAX_GAIN)
        case SUM_SIGNED: return MLSIEVE_SCAN_AS(SUM_SIGNED, 0);
        case MAX_SIGNED: return MLSIEVE_SCAN_AS(MAX_SIGNED, 0);
        case SUM_ABS: return MLSIEVE_SCAN_AS(SUM_ABS, 0);
        default: return MLSIEVE_SCAN_AS(MAX_ABS, 0);
        }
    }
    """
    ctypedef struct Floats:
        pass
    const int FLOATS
    const int SUM_GAIN, MAX_GAIN, SUM_SIGNED, MAX_SIGNED, SUM_ABS, MAX_ABS
    const int NO_REST, COMMON_REST, MISSING_REST
    const int MISSING_NO, MISSING_YES, PRESENT
    cdef struct Item:
        int32_t place
        int32_t code
    cdef struct Chunk:
        float at[16]
    cdef struct Judge:
        int32_t score, every_label, n_vectors, n_labels
        float reg_lambda, least_hessian
    cdef struct Test:
        float score
        int32_t code, next, side
    void scan_column(
        const Judge& rule, const float* sums, const float* total, const Item* item, int64_t n_items, int rest_kind,
        int32_t rest_code, int64_t n_rest, Floats* memory, Test* best
    ) noexcept nogil
