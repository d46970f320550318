"""Weights of trees by their pooled label counts, and sums of the trees' shares that come out the same in any order.

A tree of weight w whose reached leaves hold N rows, n_j of them with label j, adds w n_j / N to the sum of label j.
Weights and shares are rounded to whole numbers of a small unit: sums of whole numbers below 2**53 are exact, so that a
tree's share can be taken off and added again.
"""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.simd cimport LANES

cdef extern from *:
    """
    #include <cmath>
    #include <cstdint>
    struct PooledTree {
        double weight;         // in units
        double scale;          // the weight over the rows
        int64_t sum, squares;  // of the counts
        int32_t n_rows;        // in the reached leaves
        int32_t last;          // the end of its leaves among the row's
    };

    // What a count adds to its label's sum: a whole number (half to even), by adding and taking off 1.5 * 2^52.
    MLSIEVE_INLINE double share_of(double scale, int32_t count) {
        return (scale * count + 6755399441055744.0) - 6755399441055744.0;
    }

    // Weight of a tree (eq. 10) in units, rounded to an even number: half of it is a whole number, too.
    MLSIEVE_INLINE void weigh_tree(PooledTree& tree, double n_labels, double unit) {
        const double part = 1.0 / tree.n_rows, mean = (double)tree.sum * part;
        const double gini = mean - (double)tree.squares * part * part;
        tree.weight = 2.0 * std::floor((1.0 - 4.0 * gini / n_labels) * unit * 0.5 + 0.5);
        tree.scale = tree.weight * part;
    }

    MLSIEVE_WIDEST
    static void sum_counts(const int32_t* count, long n_padded, int64_t* sum, int64_t* squares) {
        int64_t all = 0, of_squares = 0;
        for (long j = 0; j < n_padded; ++j) {
            all += count[j];
            of_squares += (int64_t)count[j] * count[j];
        }
        *sum = all;
        *squares = of_squares;
    }

    MLSIEVE_WIDEST
    static void add_shares(double* sum, const int32_t* count, double scale, long n_padded) {
        for (long j = 0; j < n_padded; ++j) sum[j] += share_of(scale, count[j]);
    }

    MLSIEVE_WIDEST
    static void take_shares(double* sum, const int32_t* count, double scale, long n_padded) {
        for (long j = 0; j < n_padded; ++j) sum[j] -= share_of(scale, count[j]);
    }

    // The open label whose sum is farthest from half of the trees' weight (eq. 15), the first of several.
    MLSIEVE_WIDEST
    static long most_certain(const double* sum, const double* open, double weight, long n_padded) {
        double best[LANES];
        for (int b = 0; b < LANES; ++b) best[b] = -1.0;
        for (long j = 0; j < n_padded; j += LANES)
            for (int b = 0; b < LANES; ++b) {
                const double far = open[j + b] * (std::fabs(2.0 * sum[j + b] - weight) + 1.0) - 1.0;
                best[b] = far > best[b] ? far : best[b];
            }
        double most = best[0];
        for (int b = 1; b < LANES; ++b) most = best[b] > most ? best[b] : most;
        for (long j = 0; j < n_padded; ++j)
            if (open[j] * (std::fabs(2.0 * sum[j] - weight) + 1.0) - 1.0 == most) return j;
        return 0;
    }

    MLSIEVE_WIDEST
    static double sum_of_sums(const double* sum, long n_padded) {
        double lane[LANES] = {0};
        for (long j = 0; j < n_padded; j += LANES)
            for (int b = 0; b < LANES; ++b) lane[b] += sum[j + b];
        double all = 0;
        for (int b = 0; b < LANES; ++b) all += lane[b];
        return all;
    }
    """
    cdef struct PooledTree:
        double weight
        double scale
        int64_t sum
        int64_t squares
        int32_t n_rows
        int32_t last
    void weigh_tree(PooledTree& tree, double n_labels, double unit) noexcept nogil
    void sum_counts(const int32_t* count, long n_padded, int64_t* sum, int64_t* squares) noexcept nogil
    void add_shares(double* sum, const int32_t* count, double scale, long n_padded) noexcept nogil
    void take_shares(double* sum, const int32_t* count, double scale, long n_padded) noexcept nogil
    long most_certain(const double* sum, const double* open, double weight, long n_padded) noexcept nogil
    double sum_of_sums(const double* sum, long n_padded) noexcept nogil
