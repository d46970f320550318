"""Vectors with a label in each lane, and the step from lanes to scores.

A score is the sum of a vector's lanes, or the sum of two vectors' maxima.
"""

from libc.stdint cimport int32_t

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
    typedef float Floats16 __attribute__((vector_size(64)));
    typedef float LoadFloats16 __attribute__((vector_size(64), aligned(4), may_alias));
    typedef int32_t FloatMask16 __attribute__((vector_size(64)));
    struct Single {
        typedef Floats Lanes; typedef LoadFloats Load; typedef FloatMask Mask; typedef float Number;
        enum { N = 8, PROGRAM = 0 };
    };
    struct Twice {
        typedef Floats16 Lanes; typedef LoadFloats16 Load; typedef FloatMask16 Mask; typedef float Number;
        enum { N = 16, PROGRAM = 0 };
    };
    struct Precise {
        typedef Doubles Lanes; typedef LoadFloats Load; typedef DoubleMask Mask; typedef double Number;
        enum { N = 8, PROGRAM = 0 };
    };
    struct Program : Precise { enum { PROGRAM = 1 }; };  // ties as the authors' program decides them
    #if defined(__GNUC__)
    #define MLSIEVE_METHOD inline __attribute__((always_inline))
    #else
    #define MLSIEVE_METHOD inline
    #endif
    enum { FLOATS = 8 };
    enum SplitScore { SUM_GAIN, MAX_GAIN, SUM_SIGNED, MAX_SIGNED, SUM_ABS, MAX_ABS };

    constexpr bool is_sum(int score) { return score == SUM_GAIN || score == SUM_SIGNED || score == SUM_ABS; }

    // Sums or maxima, lane by lane.
    template <bool SUM, class Lanes>
    MLSIEVE_INLINE Lanes of_both(Lanes a, Lanes b) {
        if (SUM) return a + b;
        return a > b ? a : b;
    }

    // The sum or the maximum of all lanes.
    template <bool SUM>
    MLSIEVE_INLINE double of_lanes(Doubles a) {
        a = of_both<SUM>(a, __builtin_shuffle(a, (DoubleMask){4, 5, 6, 7, 0, 1, 2, 3}));
        a = of_both<SUM>(a, __builtin_shuffle(a, (DoubleMask){2, 3, 0, 1, 6, 7, 4, 5}));
        return SUM ? a[0] + a[1] : a[0] > a[1] ? a[0] : a[1];
    }

    // A step towards those of several vectors at once: of every two lanes one remains, and a's are beside b's.
    template <bool SUM>  // four lanes of a, four of b
    MLSIEVE_INLINE Floats by_halves(Floats a, Floats b) {
        return of_both<SUM>(__builtin_shuffle(a, b, (FloatMask){0, 1, 2, 3, 8, 9, 10, 11}),
                            __builtin_shuffle(a, b, (FloatMask){4, 5, 6, 7, 12, 13, 14, 15}));
    }
    template <bool SUM>  // two of a, two of b in each half
    MLSIEVE_INLINE Floats by_pairs(Floats a, Floats b) {
        return of_both<SUM>(__builtin_shuffle(a, b, (FloatMask){0, 1, 8, 9, 4, 5, 12, 13}),
                            __builtin_shuffle(a, b, (FloatMask){2, 3, 10, 11, 6, 7, 14, 15}));
    }
    template <bool SUM>  // the same
    MLSIEVE_INLINE Floats by_neighbours(Floats a, Floats b) {
        return of_both<SUM>(__builtin_shuffle(a, b, (FloatMask){0, 2, 8, 10, 4, 6, 12, 14}),
                            __builtin_shuffle(a, b, (FloatMask){1, 3, 9, 11, 5, 7, 13, 15}));
    }

    // The larger one of two numbers. The bits of numbers that are not negative have the same order, read as integers, and
    // where one is negative the other one is larger in both.
    template <class Mask, class Lanes>
    MLSIEVE_INLINE Lanes larger(Lanes a, Lanes b) {
        return (Lanes)((Mask)a > (Mask)b ? (Mask)a : (Mask)b);
    }

    // A maximum; 0 if no label counts.
    template <class Number>
    MLSIEVE_INLINE Number or_zero(Number maximum) { return maximum > -FLT_MAX ? maximum : 0; }

    // Up to four tests that wait for their scores: the steps from lanes to a score cost little more for four vectors than
    // for one. Tests are filled in from the first one on; lanes of the others hold anything.
    template <int SCORE, class T>
    struct Waiting {
        enum { MOST = 4, PARTS = is_sum(SCORE) ? 1 : 2 };
        alignas(64) float lanes[MOST][PARTS][T::N];
        int32_t code[MOST], next[MOST], side[MOST];
        int n;

        // Eight lanes of a test.
        MLSIEVE_METHOD Floats of(int i, int part) const {
            const float* at = lanes[i][part];
            const Floats a = *(const LoadFloats*)at;
            return T::N == 8 ? a : of_both<is_sum(SCORE)>(a, *(const LoadFloats*)(at + T::N - 8));
        }

        MLSIEVE_METHOD void score(float* to) const {  // (MOST,)
            if (is_sum(SCORE)) {
                const Floats a = by_pairs<true>(by_halves<true>(of(0, 0), of(2, 0)), by_halves<true>(of(1, 0), of(3, 0)));
                for (int i = 0; i < MOST; ++i) to[i] = a[2 * i] + a[2 * i + 1];
            } else {
                Floats a[MOST];
                for (int i = 0; i < MOST; ++i) a[i] = by_halves<false>(of(i, 0), of(i, PARTS - 1));
                Floats maxima = by_neighbours<false>(by_pairs<false>(a[0], a[1]), by_pairs<false>(a[2], a[3]));
                if (SCORE != MAX_GAIN) maxima = maxima > -FLT_MAX ? maxima : maxima * 0;
                maxima += __builtin_shuffle(maxima, (FloatMask){4, 5, 6, 7, 0, 1, 2, 3});
                for (int i = 0; i < MOST; ++i) to[i] = maxima[i];
            }
        }
    };
    """
    ctypedef struct Floats:
        pass
    ctypedef struct Doubles:
        pass
    const int FLOATS
    const int SUM_GAIN, MAX_GAIN, SUM_SIGNED, MAX_SIGNED, SUM_ABS, MAX_ABS
