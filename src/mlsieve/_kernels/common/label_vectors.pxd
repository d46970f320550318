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

    typedef float Floats __attribute__((vector_size(32), may_alias));
    typedef float LoadFloats __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t FloatMask __attribute__((vector_size(32)));
    typedef double Doubles __attribute__((vector_size(64)));
    typedef int64_t DoubleMask __attribute__((vector_size(64)));
    typedef double HalfDoubles __attribute__((vector_size(32), may_alias));
    typedef float LoadHalf __attribute__((vector_size(16), aligned(4), may_alias));
    typedef int64_t HalfDoubleMask __attribute__((vector_size(32)));
    typedef float Floats16 __attribute__((vector_size(64)));
    typedef int32_t FloatMask16 __attribute__((vector_size(64)));
    struct Single {
        typedef Floats Lanes; typedef LoadFloats Load; typedef FloatMask Mask; typedef float Number;
        enum { N = 8, PROGRAM = 0 };
    };
    struct Twice {
        typedef Floats16 Lanes; typedef LoadFloats Load; typedef FloatMask16 Mask; typedef float Number;
        enum { N = 16, PROGRAM = 0 };
    };
    struct Precise {
        typedef Doubles Lanes; typedef LoadHalf Load; typedef DoubleMask Mask; typedef double Number;
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

    // Of vectors that are wider than the machine's, GCC compares and fills one lane after the other, but halves at once.
    template <class Lanes> struct Parts;
    template <> struct Parts<Floats> { typedef Floats Part; typedef FloatMask Mask, PartMask; enum { N = 1 }; };
    template <> struct Parts<FloatMask> { typedef FloatMask Part, Mask, PartMask; enum { N = 1 }; };
    template <> struct Parts<Floats16> {
        typedef Floats Part; typedef FloatMask16 Mask; typedef FloatMask PartMask; enum { N = 2 };
    };
    template <> struct Parts<FloatMask16> { typedef FloatMask Part, PartMask; typedef FloatMask16 Mask; enum { N = 2 }; };
    template <> struct Parts<Doubles> {
        typedef HalfDoubles Part; typedef DoubleMask Mask; typedef HalfDoubleMask PartMask; enum { N = 2 };
    };
    template <> struct Parts<DoubleMask> {
        typedef HalfDoubleMask Part, PartMask; typedef DoubleMask Mask; enum { N = 2 };
    };
    template <> struct Parts<HalfDoubles> {
        typedef HalfDoubles Part; typedef HalfDoubleMask Mask, PartMask; enum { N = 1 };
    };
    template <bool OR_EQUAL, class Lanes>
    MLSIEVE_INLINE typename Parts<Lanes>::Mask compared(Lanes a, Lanes b) {
        typedef Parts<Lanes> P;
        union { Lanes all; typename P::Part part[P::N]; } x = {a}, y = {b};
        union { typename P::Mask all; typename P::PartMask part[P::N]; } found;
        for (int i = 0; i < P::N; ++i)
            found.part[i] = OR_EQUAL ? x.part[i] >= y.part[i] : x.part[i] > y.part[i];
        return found.all;
    }
    template <class Lanes>
    MLSIEVE_INLINE typename Parts<Lanes>::Mask above(Lanes a, Lanes b) { return compared<false>(a, b); }
    template <class Lanes>
    MLSIEVE_INLINE typename Parts<Lanes>::Mask at_least(Lanes a, Lanes b) { return compared<true>(a, b); }
    template <class Lanes, class Number>
    MLSIEVE_INLINE Lanes filled(Number number) {
        typedef Parts<Lanes> P;
        union { Lanes all; typename P::Part part[P::N]; } found;
        for (int i = 0; i < P::N; ++i) found.part[i] = typename P::Part{} + number;
        return found.all;
    }
    MLSIEVE_INLINE bool any(DoubleMask mask) {
        union { DoubleMask all; HalfDoubleMask part[2]; } x = {mask};
        const HalfDoubleMask half = x.part[0] | x.part[1];
        return (half[0] | half[1] | half[2] | half[3]) != 0;
    }
    // a where the mask says so, else b; or else 0.
    template <class Lanes>
    MLSIEVE_INLINE Lanes either(typename Parts<Lanes>::Mask mask, Lanes a, Lanes b) {
        typedef typename Parts<Lanes>::Mask Mask;
        return (Lanes)(((Mask)a & mask) | ((Mask)b & ~mask));
    }
    template <class Lanes>
    MLSIEVE_INLINE Lanes kept(typename Parts<Lanes>::Mask mask, Lanes a) {
        return (Lanes)((typename Parts<Lanes>::Mask)a & mask);
    }

    // Sums or maxima, lane by lane.
    template <bool SUM, class Lanes>
    MLSIEVE_INLINE Lanes of_both(Lanes a, Lanes b) {
        if (SUM) return a + b;
        return either(above(a, b), a, b);
    }

    // The sum or the maximum of all lanes.
    template <bool SUM>
    MLSIEVE_INLINE double of_lanes(Doubles a) {
        union { Doubles all; HalfDoubles part[2]; } x = {a};
        HalfDoubles b = of_both<SUM>(x.part[0], x.part[1]);
        b = of_both<SUM>(b, __builtin_shuffle(b, (HalfDoubleMask){2, 3, 0, 1}));
        return SUM ? b[0] + b[1] : b[0] > b[1] ? b[0] : b[1];
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
        return either(above((Mask)a, (Mask)b), a, b);
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
