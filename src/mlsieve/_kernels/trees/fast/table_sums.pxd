"""Sums over the labels of a table, and the search of all its tests for one that gains enough, many tests at once."""

from libc.stdint cimport int32_t

from mlsieve._kernels.trees.node.label_sums cimport LANES  # for its vectors

cdef extern from *:
    """
    enum { AT_ONCE = 32 };  // tests

    // How far each of some tests' gains is above that of `near`, times the weights of both sides; at most 0 where it
    // cannot be taken.
    MLSIEVE_INLINE Lanes advance(const double* weight, const double* B, const double* X, double n, double B_total,
                                 double min_leaf, double near) {
        const Lanes side = *(const LoadLanes*)weight, others = n - side;
        const Lanes own = *(const LoadLanes*)B, rest = B_total - 2.0 * *(const LoadLanes*)X + own;
        const Lanes above = own * others + rest * side - near * side * others, none = {0};
        return (side < others ? side : others) >= min_leaf ? above : none;
    }

    // The first test from `first` on that can be taken and whose gain is above `least`, or -1. Arrays have room for
    // AT_ONCE more. Most tests fail a comparison without divisions; its slack is a thousand times the rounding error,
    // as no sum is below 0 but for that.
    MLSIEVE_WIDEST
    static long next_above(long first, long n_tests, const double* weight, const double* B, const double* X, double n,
                           double B_total, double min_leaf, double least) {
        const double before = B_total / n, near = (before + least) * (1.0 - 1e-12);
        for (; first < n_tests; first += AT_ONCE) {
            Lanes highest = {0};
            for (long t = first; t < first + AT_ONCE; t += LANES) {
                const Lanes own = advance(weight + t, B + t, X + t, n, B_total, min_leaf, near);
                highest = own > highest ? own : highest;
            }
            double most = 0;
            for (int b = 0; b < LANES; ++b) most = highest[b] > most ? highest[b] : most;
            if (most == 0) continue;
            for (long t = first; t < first + AT_ONCE && t < n_tests; ++t) {
                const double others = n - weight[t], rest = B_total - 2.0 * X[t] + B[t];
                if (weight[t] >= min_leaf && others >= min_leaf && B[t] / weight[t] + rest / others - before > least)
                    return t;
            }
        }
        return -1;
    }

    // X less the labels' counts times their factors; counts have room for 2 * LANES more.
    MLSIEVE_WIDEST
    static void subtract_scaled(long n_tests, long n_labels, const int32_t* label, const double* factor,
                                const float* count, double* X) {
        for (long t = 0; t < n_tests; t += 2 * LANES) {
            Lanes low = *(const LoadLanes*)(X + t), high = *(const LoadLanes*)(X + t + LANES);
            for (long i = 0; i < n_labels; ++i) {
                const float* own = count + label[i] * n_tests + t;
                low -= factor[i] * __builtin_convertvector(*(const HalfLanes*)own, Lanes);
                high -= factor[i] * __builtin_convertvector(*(const HalfLanes*)(own + LANES), Lanes);
            }
            *(LoadLanes*)(X + t) = low;
            *(LoadLanes*)(X + t + LANES) = high;
        }
    }

    // B and X of all tests from the labels' counts.
    MLSIEVE_WIDEST
    static void sum_tests(long n_tests, long n_labels, const int32_t* label, const double* w, const double* wC,
                          const float* count, double* B, double* X) {
        for (long t = 0; t < n_tests; t += LANES) {
            Lanes b = {0}, x = {0};
            for (long i = 0; i < n_labels; ++i) {
                const Lanes c = __builtin_convertvector(*(const HalfLanes*)(count + label[i] * n_tests + t), Lanes);
                b += w[label[i]] * c * c;
                x += wC[label[i]] * c;
            }
            *(LoadLanes*)(B + t) = b;
            *(LoadLanes*)(X + t) = x;
        }
    }
    """
    const int AT_ONCE
    long next_above(
        long first, long n_tests, const double* weight, const double* B, const double* X, double n, double B_total,
        double min_leaf, double least
    ) noexcept nogil
    void subtract_scaled(
        long n_tests, long n_labels, const int32_t* label, const double* factor, const float* count, double* X
    ) noexcept nogil
    void sum_tests(
        long n_tests, long n_labels, const int32_t* label, const double* w, const double* wC, const float* count,
        double* B, double* X
    ) noexcept nogil
