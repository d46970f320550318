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
    typedef double Doubles __attribute__((vector_size(64)));
    typedef int64_t DoubleMask __attribute__((vector_size(64)));
    struct Single { typedef Floats Lanes; typedef FloatMask Mask; typedef float Number; };
    struct Exact { typedef Doubles Lanes; typedef DoubleMask Mask; typedef double Number; };
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
        int32_t exact;  // sums in double precision, and ties as the authors' program decides them
        double of_node;  // exact: what is taken from a score, so that it rounds as a gain
    };

    // The best test of a column: items of at most `code` say "yes"; `next` is the code above it in the node.
    struct Test {
        float score;
        int32_t code, next, side;
    };

    template <class T>
    MLSIEVE_INLINE typename T::Number sum_of(typename T::Lanes a) {
        typedef typename T::Mask M;
        a += __builtin_shuffle(a, (M){4, 5, 6, 7, 0, 1, 2, 3});
        a += __builtin_shuffle(a, (M){2, 3, 0, 1, 6, 7, 4, 5});
        return a[0] + a[1];
    }

    template <class T>
    MLSIEVE_INLINE typename T::Number max_of(typename T::Lanes a) {
        typedef typename T::Mask M;
        typename T::Lanes b = __builtin_shuffle(a, (M){4, 5, 6, 7, 0, 1, 2, 3});
        a = a > b ? a : b;
        b = __builtin_shuffle(a, (M){2, 3, 0, 1, 6, 7, 4, 5});
        a = a > b ? a : b;
        return a[0] > a[1] ? a[0] : a[1];
    }

    template <int SCORE, class T>
    MLSIEVE_INLINE typename T::Lanes of_child(typename T::Lanes G, typename T::Lanes H, float reg_lambda) {
        const typename T::Lanes zero = {0};
        if (SCORE == SUM_GAIN || SCORE == MAX_GAIN) return G * G / (H + reg_lambda);
        if (SCORE == SUM_SIGNED || SCORE == MAX_SIGNED) return -G / (H + reg_lambda);
        return (G < zero ? -G : G) / (H + reg_lambda);
    }

    // The score of a division: G and H of one child, and the totals of both, G before H.
    template <int SCORE, int V, class T>
    MLSIEVE_INLINE float judge(const Judge& rule, const typename T::Lanes* own, const typename T::Lanes* total,
                               int n_vectors) {
        typedef typename T::Lanes Lanes;
        typedef typename T::Mask Mask;
        const int n = V ? V : n_vectors;
        const typename T::Number lambda = rule.reg_lambda, least = rule.least_hessian;
        const Lanes zero = {0}, lowest = zero - FLT_MAX;
        Lanes sum = zero, first = lowest, second = lowest;
        for (int v = 0; v < n; ++v) {
            const Lanes G = own[v], H = own[n + v], other_G = total[v] - G;
            Lanes other_H = total[n + v] - H;
            other_H = other_H > zero ? other_H : zero;
            const Mask counts = H >= least, other_counts = other_H >= least;
            if (SCORE == SUM_GAIN) {
                const Lanes D = H + lambda, other_D = other_H + lambda;
                const Lanes up = counts ? G * G * other_D : zero;
                const Lanes other_up = other_counts ? other_G * other_G * D : zero;
                sum += (up + other_up) / (D * other_D);
            } else if (SCORE == SUM_SIGNED || SCORE == SUM_ABS) {
                const Lanes a = of_child<SCORE, T>(G, H, lambda), b = of_child<SCORE, T>(other_G, other_H, lambda);
                sum += (counts ? a : zero) + (other_counts ? b : zero);
            } else {
                const Mask lane = {0, 1, 2, 3, 4, 5, 6, 7};
                const Mask real = lane < rule.n_labels - v * FLOATS;
                const Lanes a = of_child<SCORE, T>(G, H, lambda), b = of_child<SCORE, T>(other_G, other_H, lambda);
                first = (counts & real & (a > first)) ? a : first;
                second = (other_counts & real & (b > second)) ? b : second;
            }
        }
        const double less = rule.exact ? rule.of_node : 0.0;
        if (SCORE == SUM_GAIN || SCORE == SUM_SIGNED || SCORE == SUM_ABS) return (float)(sum_of<T>(sum) - less);
        const typename T::Number a = max_of<T>(first), b = max_of<T>(second);
        return (float)((a > -FLT_MAX ? a : 0) + (b > -FLT_MAX ? b : 0) - less);
    }

    // Whether every label's hessian reaches the least in both children.
    template <class Lanes>
    MLSIEVE_INLINE bool all_reach(const Judge& rule, const Lanes* own, const Lanes* total, int n) {
        for (int j = 0; j < rule.n_labels; ++j) {
            const double H = own[n + j / FLOATS][j % FLOATS];
            if (H < rule.least_hessian || total[n + j / FLOATS][j % FLOATS] - H < rule.least_hessian) return false;
        }
        return true;
    }

    template <int SCORE, int V, class T>
    struct Scan {
        typedef typename T::Lanes Lanes;
        const Judge& rule;
        const float* sums;    // gradients, then hessians, of each place
        const Lanes* total;
        const int n;
        Test best;

        MLSIEVE_METHOD void add(Lanes* to, int32_t place) const {
            const float* own = sums + (int64_t)place * 2 * n * FLOATS;
            for (int v = 0; v < 2 * n; ++v)
                to[v] += __builtin_convertvector(*(const LoadFloats*)(own + v * FLOATS), Lanes);
        }

        // LATER: whether a test takes the place of an earlier one that is as good.
        template <bool LATER>
        MLSIEVE_METHOD void consider(const Lanes* side, int32_t code, int32_t next, int32_t kind) {
            if (rule.every_label && !all_reach(rule, side, total, n)) return;
            const float score = judge<SCORE, V, T>(rule, side, total, n);
            if (LATER ? score >= best.score : score > best.score) best = Test{score, code, next, kind};
        }

        // Items from the lowest code up; `yes` is what goes to "yes" with them.
        template <bool LATER>
        MLSIEVE_METHOD void upwards(const Item* item, int64_t n_items, Lanes* yes, int32_t kind) {
            for (int64_t i = 0; i + 1 < n_items; ++i) {
                add(yes, item[i].place);
                if (item[i].code != item[i + 1].code) consider<LATER>(yes, item[i].code, item[i + 1].code, kind);
            }
        }

        // Of equally good tests the program takes the first one of missing cells to "no" from the lowest code up, or of
        // missing cells to "yes" from the highest one down; we do from the lowest one up, and present ones before all.
        MLSIEVE_METHOD void missing(const Item* item, int64_t n_items, Lanes* side) {
            constexpr bool EXACT = sizeof(typename T::Number) == 8;
            Lanes* known = side + 2 * n;
            for (int v = 0; v < 2 * n; ++v) known[v] = Lanes{0};
            for (int64_t i = 0; i < n_items; ++i) add(known, item[i].place);
            if (!EXACT) consider<false>(known, item[n_items - 1].code, -1, PRESENT);
            upwards<false>(item, n_items, side, MISSING_NO);
            if (EXACT) consider<false>(known, item[n_items - 1].code, -1, PRESENT);
            const Test before = best;
            for (int v = 0; v < 2 * n; ++v) side[v] = total[v] - known[v];
            if (EXACT) best.score = -FLT_MAX;
            upwards<EXACT>(item, n_items, side, MISSING_YES);
            if (EXACT && !(best.score > before.score)) best = before;
        }

        MLSIEVE_METHOD void all(const Item* item, int64_t n_items, int rest_kind, int32_t rest_code, int64_t n_rest,
                                Lanes* side) {
            constexpr bool EXACT = sizeof(typename T::Number) == 8;
            for (int v = 0; v < 2 * n; ++v) side[v] = Lanes{0};
            if (rest_kind == MISSING_REST && n_rest > 0) {
                missing(item, n_items, side);
                return;
            }
            int64_t lower = n_items;  // items below the rest
            if (rest_kind == COMMON_REST && n_rest > 0)
                for (lower = 0; lower < n_items && item[lower].code < rest_code;) ++lower;
            if (lower > 0) upwards<EXACT>(item, lower, side, EXACT ? MISSING_YES : MISSING_NO);
            if (rest_kind != COMMON_REST || n_rest == 0) return;
            if (lower > 0) {
                add(side, item[lower - 1].place);
                consider<EXACT>(side, item[lower - 1].code, rest_code, EXACT ? MISSING_YES : MISSING_NO);
                for (int v = 0; v < 2 * n; ++v) side[v] = Lanes{0};
            }
            const Test before = best;
            if (EXACT) best.score = -FLT_MAX;
            for (int64_t i = n_items - 1; i >= lower; --i) {  // from the highest code down: what goes to "no"
                add(side, item[i].place);
                const int32_t below = i > lower ? item[i - 1].code : rest_code;
                if (item[i].code != below) consider<false>(side, below, item[i].code, EXACT ? MISSING_YES : MISSING_NO);
            }
            if (EXACT && before.score > best.score) best = before;
        }
    };

    template <int SCORE, int V>
    MLSIEVE_INLINE void scan_as(const Judge& rule, const float* sums, const float* total, const Item* item,
                                int64_t n_items, int rest_kind, int32_t rest_code, int64_t n_rest, Floats* memory,
                                Test* best) {
        const int n = V ? V : rule.n_vectors;
        Floats own[V ? 4 * V : 1];
        Scan<SCORE, V, Single> scan{rule, sums, (const Floats*)total, n, *best};
        scan.all(item, n_items, rest_kind, rest_code, n_rest, V ? own : memory);
        if (scan.best.score > best->score) *best = scan.best;
    }

    template <int SCORE>
    MLSIEVE_INLINE void scan_exactly(const Judge& rule, const float* sums, const double* total, const Item* item,
                                     int64_t n_items, int rest_kind, int32_t rest_code, int64_t n_rest,
                                     Doubles* memory, Test* best) {
        Scan<SCORE, 0, Exact> scan{rule, sums, (const Doubles*)total, rule.n_vectors, Test{-FLT_MAX, -1, -1, 0}};
        scan.all(item, n_items, rest_kind, rest_code, n_rest, memory);
        if (scan.best.score > best->score) *best = scan.best;
    }

    #define MLSIEVE_SCAN_AS(SCORE, V) \\
        scan_as<SCORE, V>(rule, sums, total, item, n_items, rest_kind, rest_code, n_rest, memory, best)
    #define MLSIEVE_SCAN(SCORE) \\
        switch (rule.n_vectors) { \\
        case 1: return MLSIEVE_SCAN_AS(SCORE, 1); \\
        case 2: return MLSIEVE_SCAN_AS(SCORE, 2); \\
        default: return MLSIEVE_SCAN_AS(SCORE, 0); \\
        }
    #define MLSIEVE_SCAN_EXACTLY(SCORE) \\
        scan_exactly<SCORE>(rule, sums, total, item, n_items, rest_kind, rest_code, n_rest, memory, best)

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

    // The same with sums in double precision, and ties as the authors' program decides them.
    MLSIEVE_WIDEST
    static void scan_column_exactly(const Judge& rule, const float* sums, const double* total, const Item* item,
                                    int64_t n_items, int rest_kind, int32_t rest_code, int64_t n_rest, Doubles* memory,
                                    Test* best) {
        switch (rule.score) {
        case SUM_GAIN: return MLSIEVE_SCAN_EXACTLY(SUM_GAIN);
        case MAX_GAIN: return MLSIEVE_SCAN_EXACTLY(MAX_GAIN);
        case SUM_SIGNED: return MLSIEVE_SCAN_EXACTLY(SUM_SIGNED);
        case MAX_SIGNED: return MLSIEVE_SCAN_EXACTLY(MAX_SIGNED);
        case SUM_ABS: return MLSIEVE_SCAN_EXACTLY(SUM_ABS);
        default: return MLSIEVE_SCAN_EXACTLY(MAX_ABS);
        }
    }
    """
    ctypedef struct Floats:
        pass
    ctypedef struct Doubles:
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
        int32_t exact
        double of_node
    cdef struct Test:
        float score
        int32_t code, next, side
    void scan_column(
        const Judge& rule, const float* sums, const float* total, const Item* item, int64_t n_items, int rest_kind,
        int32_t rest_code, int64_t n_rest, Floats* memory, Test* best
    ) noexcept nogil
    void scan_column_exactly(
        const Judge& rule, const float* sums, const double* total, const Item* item, int64_t n_items, int rest_kind,
        int32_t rest_code, int64_t n_rest, Doubles* memory, Test* best
    ) noexcept nogil
