"""Scores of a node's possible tests: one pass over a column's entries, the labels side by side in vectors.

A score is the sum of a function of both children's gradients G and hessians H over the labels, or the sum of both
children's maxima over the labels. A label counts in a child only if its hessian there is `least_hessian` or more.

Scores of single precision follow the order of the rows in their last digits. They only choose the tests that are near the
best one; those are scored again in double precision, where scores that differ by less than a `TIE` are equal.
"""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.label_vectors cimport Doubles, Floats

cdef extern from *:
    """
    enum Rest { NO_REST, COMMON_REST, MISSING_REST };  // what the rows are that a column does not list
    enum Side { MISSING_NO, MISSING_YES, PRESENT };    // where missing cells go; PRESENT: all known cells go to "yes"

    struct Item { int32_t place, code; };  // where a row of sums is, its code
    struct alignas(64) Chunk { float at[16]; };  // rows of sums are whole chunks

    struct Judge {
        int32_t score, every_label, n_vectors, n_labels;  // n_labels: those that can count, the first lanes
        float reg_lambda, least_hessian;
        int32_t exact;  // sums in double precision, and ties as the authors' program decides them
        int32_t in_double;  // sums in double precision only: where nothing but these keeps a score finite
        double of_node;  // exact: what is taken from a score, so that it rounds as a gain
        double scale, cover;  // see `size_of`
    };

    // Items of at most `code` say "yes"; `next` is the code above it in the node.
    struct Test {
        double score;
        int32_t code, next, side;
    };

    // The best test of a column, and the score of its second best. A test is near the best one of all columns so far if it
    // reaches `least`.
    struct Near {
        Test test;
        float second, least, share;
    };
    static const double TIE = 1e-10;
    // With `in_double`, the smallest share of a node's hessian with which a label counts in a child: what is less may be
    // rounding.
    static const double FAINT = 1e-6;

    // What the error of a score is in proportion to. A sum of gradients G errs in proportion to the largest sum of its
    // first terms, which is about as large as its sum of hessians H: so G^2 / (H + lambda) errs by G H / (H + lambda),
    // and the sum over all labels by at most the root of all such scores times `cover`, the sum of H + lambda.
    static double size_of(const Judge& rule, double score) {
        const double size = score < 0 ? -score : score;
        return size + rule.scale + __builtin_sqrt(size * rule.cover);
    }

    template <int SCORE, class T>
    MLSIEVE_INLINE typename T::Lanes of_child(typename T::Lanes G, typename T::Lanes H, typename T::Lanes lambda) {
        const typename T::Lanes zero = {0};
        if (SCORE == SUM_GAIN || SCORE == MAX_GAIN) return G * G / (H + lambda);
        if (SCORE == SUM_SIGNED || SCORE == MAX_SIGNED) return -G / (H + lambda);
        return either(above(zero, G), -G, G) / (H + lambda);
    }

    // The score of a division lane by lane: G and H of one child, and the totals of both, G before H. A sum of scores is
    // in `first`; of maxima, one child's are in `first`, the other's in `second`.
    template <int SCORE, int V, class T>
    MLSIEVE_INLINE void judge(const Judge& rule, const typename T::Lanes* own, const typename T::Lanes* total,
                              int n_vectors, typename T::Lanes& first, typename T::Lanes& second) {
        typedef typename T::Lanes Lanes;
        typedef typename T::Mask Mask;
        const int n = V ? V : n_vectors;
        typedef typename T::Number Number;
        const Lanes zero = {0}, lambda = filled<Lanes>((Number)rule.reg_lambda);
        const Lanes least = filled<Lanes>((Number)rule.least_hessian);
        first = second = is_sum(SCORE) || SCORE == MAX_GAIN ? zero : filled<Lanes>((Number)-FLT_MAX);
        for (int v = 0; v < n; ++v) {
            const Lanes G = own[v], H = own[n + v], other_G = total[v] - G;
            const Lanes other_H = larger<Mask>(total[n + v] - H, zero);
            Lanes from = least;
            if (sizeof(Number) == 8 && !T::PROGRAM && rule.in_double) {
                const Lanes faint = total[n + v] * filled<Lanes>((Number)FAINT) + filled<Lanes>((Number)FLT_MIN);
                from = either(above(faint, from), faint, from);
            }
            const Mask counts = at_least(H, from), other_counts = at_least(other_H, from);
            if (SCORE == SUM_GAIN || SCORE == MAX_GAIN) {
                const Lanes D = H + lambda, other_D = other_H + lambda;
                const Lanes up = kept(counts, G * G * other_D);
                const Lanes other_up = kept(other_counts, other_G * other_G * D);
                if (SCORE == SUM_GAIN) {
                    first += (up + other_up) / (D * other_D);
                } else {
                    const Lanes by = filled<Lanes>((Number)1) / (D * other_D);
                    first = v == 0 ? up * by : larger<Mask>(up * by, first);
                    second = v == 0 ? other_up * by : larger<Mask>(other_up * by, second);
                }
            } else if (is_sum(SCORE)) {
                const Lanes a = of_child<SCORE, T>(G, H, lambda), b = of_child<SCORE, T>(other_G, other_H, lambda);
                first += kept(counts, a) + kept(other_counts, b);
            } else {
                Mask lane;
                for (int j = 0; j < T::N; ++j) lane[j] = j;
                const Mask real = above(filled<Mask>(rule.n_labels - v * T::N), lane);
                const Lanes a = of_child<SCORE, T>(G, H, lambda), b = of_child<SCORE, T>(other_G, other_H, lambda);
                first = either(counts & real & above(a, first), a, first);
                second = either(other_counts & real & above(b, second), b, second);
            }
        }
    }

    // Whether every label's hessian reaches the least in both children.
    template <class T>
    MLSIEVE_INLINE bool all_reach(const Judge& rule, const typename T::Lanes* own, const typename T::Lanes* total,
                                  int n) {
        int j = 0;
        if constexpr (sizeof(typename T::Number) == 8) {
            const typename T::Lanes least = filled<typename T::Lanes>((double)rule.least_hessian);
            for (; j + T::N <= rule.n_labels; j += T::N) {
                const typename T::Lanes H = own[n + j / T::N], other = total[n + j / T::N] - H;
                if (any(above(least, H) | above(least, other))) return false;
            }
        }
        for (; j < rule.n_labels; ++j) {
            const double H = own[n + j / T::N][j % T::N];
            if (H < rule.least_hessian || total[n + j / T::N][j % T::N] - H < rule.least_hessian) return false;
        }
        return true;
    }

    template <int SCORE, int V, class T>
    struct Scan {
        typedef typename T::Lanes Lanes;
        const Judge rule;
        const float* sums;    // gradients, then hessians, of each place
        const Lanes* total;
        const int n;
        typename T::Number least;  // scores below it are not looked at
        Test best;                       // in double precision
        Near* near;                      // in single precision
        Waiting<SCORE, T> waiting;

        MLSIEVE_METHOD void add(Lanes* to, int32_t place) const {
            const int n = V ? V : this->n;
            typedef typename Parts<Lanes>::Part Part;
            enum { WIDTH = sizeof(typename T::Load) / sizeof(float) };
            const float* own = sums + (int64_t)place * 2 * n * T::N;
            Part* part = (Part*)to;
            for (int i = 0; i < 2 * n * T::N / WIDTH; ++i)
                part[i] += __builtin_convertvector(*(const typename T::Load*)(own + i * WIDTH), Part);
        }

        // LATER: whether a test takes the place of an earlier one that is as good.
        template <bool LATER>
        MLSIEVE_METHOD void consider(const Lanes* side, int32_t code, int32_t next, int32_t kind) {
            if (rule.every_label && (T::PROGRAM || rule.least_hessian > 0) && !all_reach<T>(rule, side, total, n)) return;
            Lanes first, second;
            judge<SCORE, V, T>(rule, side, total, n, first, second);
            if constexpr (sizeof(typename T::Number) == 4) {
                const int at = waiting.n;
                memcpy(waiting.lanes[at][0], &first, sizeof first);
                if (!is_sum(SCORE)) memcpy(waiting.lanes[at][waiting.PARTS - 1], &second, sizeof second);
                waiting.code[at] = code;
                waiting.next[at] = next;
                waiting.side[at] = kind;
                waiting.n = at + 1;
                if (at + 1 == waiting.MOST) decide();
            } else {
                const double score =
                    is_sum(SCORE) ? of_lanes<true>(first)
                                  : or_zero(of_lanes<false>(first)) + or_zero(of_lanes<false>(second));
                if (T::PROGRAM) {
                    const float gain = (float)(score - rule.of_node);
                    if (LATER ? gain >= best.score : gain > best.score) best = Test{gain, code, next, kind};
                } else if (score > least) {
                    best = Test{score, code, next, kind};
                    least = score + TIE * size_of(rule, score);
                }
            }
        }

        MLSIEVE_METHOD void decide() {
            float scores[waiting.MOST];
            waiting.score(scores);
            for (int i = 0; i < waiting.n; ++i)
                if (scores[i] >= least) note(Test{scores[i], waiting.code[i], waiting.next[i], waiting.side[i]});
            waiting.n = 0;
        }

        MLSIEVE_METHOD void note(const Test& test) {
            const float score = (float)test.score;
            if (!(score > near->test.score)) {
                if (score > near->second) near->second = score;
                return;
            }
            near->second = (float)near->test.score;
            near->test = test;
            const float reach = score - near->share * (float)size_of(rule, score);
            if (reach > least) near->least = least = reach;
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
            constexpr bool EXACT = T::PROGRAM;
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
            constexpr bool EXACT = T::PROGRAM;
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

    template <int SCORE, int V, class T>
    MLSIEVE_INLINE void scan_as(const Judge& rule, const float* sums, const float* total, const Item* item,
                                int64_t n_items, int rest_kind, int32_t rest_code, int64_t n_rest, Floats* memory,
                                Near* near) {
        typedef typename T::Lanes Lanes;
        const int n = V ? V : rule.n_vectors * FLOATS / T::N;
        Lanes own[V ? 4 * V : 1];
        Scan<SCORE, V, T> scan{rule, sums, (const Lanes*)total, n, near->least, Test(), near};
        scan.all(item, n_items, rest_kind, rest_code, n_rest, V ? own : (Lanes*)memory);
        scan.decide();
    }

    template <int SCORE, class T>
    MLSIEVE_INLINE void scan_in_double(const Judge& rule, const float* sums, const double* total, const Item* item,
                                       int64_t n_items, int rest_kind, int32_t rest_code, int64_t n_rest,
                                       Doubles* memory, Test* best) {
        const double before = best->score;
        const double least = before + TIE * size_of(rule, before);
        Scan<SCORE, 0, T> scan{rule, sums, (const Doubles*)total, rule.n_vectors, least, Test{-FLT_MAX, -1, -1, 0}, 0};
        scan.all(item, n_items, rest_kind, rest_code, n_rest, memory);
        if (scan.best.score > before) *best = scan.best;
    }

    #define MLSIEVE_COLUMN \\
        const Judge &rule, const float *sums, const float *total, const Item *item, int64_t n_items, int rest_kind, \\
        int32_t rest_code, int64_t n_rest, Floats *memory, Near *near
    #define MLSIEVE_OF_COLUMN rule, sums, total, item, n_items, rest_kind, rest_code, n_rest, memory, near
    // One function each: within a single one of all loops, none is compiled well.
    #define MLSIEVE_SCAN(NAME, SCORE, V, T) \\
        MLSIEVE_WIDEST static void NAME(MLSIEVE_COLUMN) { scan_as<SCORE, V, T>(MLSIEVE_OF_COLUMN); }
    #define MLSIEVE_SCANS(NAME, SCORE) \\
        MLSIEVE_SCAN(NAME##_of_8, SCORE, 1, Single) \\
        MLSIEVE_SCAN(NAME##_of_16, SCORE, 1, Twice) \\
        MLSIEVE_SCAN(NAME##_of_24, SCORE, 3, Single) \\
        MLSIEVE_SCAN(NAME##_of_more, SCORE, 0, Single) \\
        static void NAME(MLSIEVE_COLUMN) { \\
            switch (rule.n_vectors) { \\
            case 1: return NAME##_of_8(MLSIEVE_OF_COLUMN); \\
            case 2: return NAME##_of_16(MLSIEVE_OF_COLUMN); \\
            case 3: return NAME##_of_24(MLSIEVE_OF_COLUMN); \\
            default: return NAME##_of_more(MLSIEVE_OF_COLUMN); \\
            } \\
        }
    MLSIEVE_SCANS(scan_sum_gain, SUM_GAIN)
    MLSIEVE_SCANS(scan_max_gain, MAX_GAIN)
    MLSIEVE_SCAN(scan_sum_signed, SUM_SIGNED, 0, Single)
    MLSIEVE_SCAN(scan_max_signed, MAX_SIGNED, 0, Single)
    MLSIEVE_SCAN(scan_sum_abs, SUM_ABS, 0, Single)
    MLSIEVE_SCAN(scan_max_abs, MAX_ABS, 0, Single)

    // Score the tests of one column in one node.
    static void scan_column(MLSIEVE_COLUMN) {
        switch (rule.score) {
        case SUM_GAIN: return scan_sum_gain(MLSIEVE_OF_COLUMN);
        case MAX_GAIN: return scan_max_gain(MLSIEVE_OF_COLUMN);
        case SUM_SIGNED: return scan_sum_signed(MLSIEVE_OF_COLUMN);
        case MAX_SIGNED: return scan_max_signed(MLSIEVE_OF_COLUMN);
        case SUM_ABS: return scan_sum_abs(MLSIEVE_OF_COLUMN);
        default: return scan_max_abs(MLSIEVE_OF_COLUMN);
        }
    }

    #define MLSIEVE_COLUMN_IN_DOUBLE \\
        const Judge &rule, const float *sums, const double *total, const Item *item, int64_t n_items, int rest_kind, \\
        int32_t rest_code, int64_t n_rest, Doubles *memory, Test *best
    #define MLSIEVE_OF_COLUMN_IN_DOUBLE rule, sums, total, item, n_items, rest_kind, rest_code, n_rest, memory, best
    // One function each here, too: a single one of all loops takes minutes to compile.
    #define MLSIEVE_SCAN_IN_DOUBLE(NAME, SCORE) \\
        MLSIEVE_WIDEST static void NAME##_in_double(MLSIEVE_COLUMN_IN_DOUBLE) { \\
            scan_in_double<SCORE, Precise>(MLSIEVE_OF_COLUMN_IN_DOUBLE); \\
        } \\
        MLSIEVE_WIDEST static void NAME##_exactly(MLSIEVE_COLUMN_IN_DOUBLE) { \\
            scan_in_double<SCORE, Program>(MLSIEVE_OF_COLUMN_IN_DOUBLE); \\
        }
    MLSIEVE_SCAN_IN_DOUBLE(scan_sum_gain, SUM_GAIN)
    MLSIEVE_SCAN_IN_DOUBLE(scan_max_gain, MAX_GAIN)
    MLSIEVE_SCAN_IN_DOUBLE(scan_sum_signed, SUM_SIGNED)
    MLSIEVE_SCAN_IN_DOUBLE(scan_max_signed, MAX_SIGNED)
    MLSIEVE_SCAN_IN_DOUBLE(scan_sum_abs, SUM_ABS)
    MLSIEVE_SCAN_IN_DOUBLE(scan_max_abs, MAX_ABS)

    // Improve `best` by the tests of one column in one node, with sums in double precision.
    static void scan_column_in_double(MLSIEVE_COLUMN_IN_DOUBLE) {
        #define MLSIEVE_CALL(NAME) (rule.exact ? NAME##_exactly : NAME##_in_double)(MLSIEVE_OF_COLUMN_IN_DOUBLE)
        switch (rule.score) {
        case SUM_GAIN: return MLSIEVE_CALL(scan_sum_gain);
        case MAX_GAIN: return MLSIEVE_CALL(scan_max_gain);
        case SUM_SIGNED: return MLSIEVE_CALL(scan_sum_signed);
        case MAX_SIGNED: return MLSIEVE_CALL(scan_max_signed);
        case SUM_ABS: return MLSIEVE_CALL(scan_sum_abs);
        default: return MLSIEVE_CALL(scan_max_abs);
        }
        #undef MLSIEVE_CALL
    }
    """
    const int NO_REST, COMMON_REST, MISSING_REST
    const double FAINT
    const int MISSING_NO, MISSING_YES, PRESENT
    cdef struct Item:
        int32_t place
        int32_t code
    cdef struct Chunk:
        float at[16]
    cdef struct Judge:
        int32_t score, every_label, n_vectors, n_labels
        float reg_lambda, least_hessian
        int32_t exact, in_double
        double of_node, scale, cover
    cdef struct Test:
        double score
        int32_t code, next, side
    cdef struct Near:
        Test test
        float second, least, share
    void scan_column(
        const Judge& rule, const float* sums, const float* total, const Item* item, int64_t n_items, int rest_kind,
        int32_t rest_code, int64_t n_rest, Floats* memory, Near* near
    ) noexcept nogil
    void scan_column_in_double(
        const Judge& rule, const float* sums, const double* total, const Item* item, int64_t n_items, int rest_kind,
        int32_t rest_code, int64_t n_rest, Doubles* memory, Test* best
    ) noexcept nogil
