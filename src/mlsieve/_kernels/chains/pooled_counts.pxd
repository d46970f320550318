"""Weights of trees by their pooled label counts, and sums of the trees' shares that come out the same in any order.

A tree of weight w whose reached leaves hold N rows, n_j of them with label j, adds w n_j / N to the sum of label j.
Its scale w / N is rounded to a whole number of a small unit. All shares are then whole numbers, and their sums are exact
below 2**53: a leaf's share can be taken off, and a tree's scale be replaced, without an error.
"""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.simd cimport LANES

cdef extern from *:
    """
    #include <cmath>
    #include <cstdint>
    struct PooledTree {
        double weight;         // in units
        double scale;          // the weight over the rows, an even number
        int64_t sum, squares;  // of the counts
        int32_t n_rows;        // in the reached leaves
        int32_t last;          // the end of its leaves among the row's
    };

    // Rounds, halves to even, by adding and taking off 1.5 * 2^52.
    MLSIEVE_INLINE double nearest_whole(double x) { return (x + 6755399441055744.0) - 6755399441055744.0; }

    // Weight of a tree (eq. 10) in units. The scale is an even number, so that half of the weight is whole, too.
    MLSIEVE_INLINE void weigh_tree(PooledTree& tree, double n_labels, double unit) {
        const double part = 1.0 / tree.n_rows;
        const double gini = ((double)tree.sum - (double)tree.squares * part) * part;
        tree.scale = 2.0 * nearest_whole((1.0 - 4.0 / n_labels * gini) * (unit * 0.5 * part));
        tree.weight = tree.scale * tree.n_rows;
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
        for (long j = 0; j < n_padded; ++j) sum[j] += scale * count[j];
    }

    // The open label whose sum is largest (eq. 6), the first of several.
    static long most_probable(const double* sum, const double* open, long n_padded) {
        long best = -1;
        for (long j = 0; j < n_padded; ++j)
            if (open[j] > 0.0 && (best < 0 || sum[j] > sum[best])) best = j;
        return best;
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
    long most_probable(const double* sum, const double* open, long n_padded) noexcept nogil
    long most_certain(const double* sum, const double* open, double weight, long n_padded) noexcept nogil
    double sum_of_sums(const double* sum, long n_padded) noexcept nogil
