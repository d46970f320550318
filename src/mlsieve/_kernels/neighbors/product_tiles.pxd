"""Single precision sums of products of training rows with TILE_LANES test rows at once, and the search for small ones.

A tile holds a row of TILE_LANES sums for each training row. Sums are approximations: what is decided from them allows
for their error, so that neither the order of the sums nor the width of the machine's vectors matters.
"""

# For MLSIEVE_WIDEST and MLSIEVE_INLINE.
from mlsieve._kernels.common.simd cimport LANES

cdef extern from *:
    """
    #include <cstdint>
    enum { TILE_LANES = 16 };
    typedef float TileLanes __attribute__((vector_size(64)));

    #define MLSIEVE_TILE(at) (*(TileLanes*)(at))

    // The first place in a vector of TILE_LANES cells too many where a tile may begin.
    static inline float* aligned_tile(float* at) {
        const std::uintptr_t size = sizeof(TileLanes);
        return (float*)(((std::uintptr_t)at + size - 1) / size * size);
    }

    // Sums of n sparse training rows with the test rows whose cells of one column are adjacent; without values all
    // are 1. Two chains of sums hide the latency of one.
    template <bool ONES>
    MLSIEVE_INLINE void multiply_rows_of(float* cells, long n, const long long* start, const int* column,
                                         const float* value, float* tile) {
    #define MLSIEVE_ADD(sum, p) sum += MLSIEVE_TILE(cells + (long)TILE_LANES * column[p]) * (ONES ? 1.0f : value[p])
        for (long r = 0; r < n; ++r) {
            TileLanes even = {0}, odd = {0};
            long long p = start[r];
            const long long end = start[r + 1];
            for (; p + 1 < end; p += 2) {
                MLSIEVE_ADD(even, p);
                MLSIEVE_ADD(odd, p + 1);
            }
            if (p < end) MLSIEVE_ADD(even, p);
            MLSIEVE_TILE(tile + TILE_LANES * r) = even + odd;
        }
    #undef MLSIEVE_ADD
    }

    MLSIEVE_WIDEST
    static void multiply_rows(float* cells, long n, const long long* start, const int* column, const float* value,
                              float* tile) {
        if (value) multiply_rows_of<false>(cells, n, start, column, value, tile);
        else multiply_rows_of<true>(cells, n, start, column, value, tile);
    }

    // Add what one column, listed by its training rows, gives to the sums; without values all are 1.
    MLSIEVE_WIDEST
    static void multiply_list(float* cells, long n, const int* row, const float* value, float* tile) {
        const TileLanes own = MLSIEVE_TILE(cells);
        if (value) for (long q = 0; q < n; ++q) MLSIEVE_TILE(tile + (long)TILE_LANES * row[q]) += own * value[q];
        else for (long q = 0; q < n; ++q) MLSIEVE_TILE(tile + (long)TILE_LANES * row[q]) += own;
    }

    // Bounds of a training row for one lane: its sum and the row's own bound, and as much less or more as the rounding
    // of their products may be.
    MLSIEVE_INLINE float lower_bound(float sum, float base, float slope, float lane_slope) {
        return sum + (base - slope * lane_slope);
    }
    MLSIEVE_INLINE float upper_bound(float sum, float top, float slope, float lane_slope) {
        return sum + (top + slope * lane_slope);
    }

    // Lane by lane the least upper bound of every n_groups-th row, as many times.
    MLSIEVE_WIDEST
    static void least_uppers(const float* tile, long stride, const float* top, const float* slope,
                             const float* lane_slope, long n, long n_groups, float* least) {
        for (long r = 0, g = 0; r < n; ++r, g = g + 1 < n_groups ? g + 1 : 0) {
            float* own = least + TILE_LANES * g;
            for (int l = 0; l < TILE_LANES; ++l) {
                const float upper = upper_bound(tile[r * stride + l], top[r], slope[r], lane_slope[l]);
                own[l] = r < n_groups || upper < own[l] ? upper : own[l];
            }
        }
    }

    // Whether any of GROUP rows has a lower bound up to the bar in any lane.
    template <int GROUP>
    MLSIEVE_INLINE bool any_within(const float* tile, long stride, const float* base, const float* slope,
                                   const float* lane_slope, const float* bar) {
        int any = 0;
        for (int l = 0; l < TILE_LANES; ++l) {
            float least = lower_bound(tile[l], base[0], slope[0], lane_slope[l]);
            for (int g = 1; g < GROUP; ++g) {
                const float other = lower_bound(tile[g * stride + l], base[g], slope[g], lane_slope[l]);
                least = other < least ? other : least;
            }
            any |= least <= bar[l];
        }
        return any;
    }

    // The first of the rows r .. n - 1, `stride` apart, with a lower bound up to the bar in any lane; n without one.
    MLSIEVE_WIDEST
    static long next_within(const float* tile, long stride, const float* base, const float* slope,
                            const float* lane_slope, const float* bar, long r, long n) {
        enum { GROUP = 4 };  // rows looked at together, as nearly all of them are far
        while (r + GROUP <= n &&
               !any_within<GROUP>(tile + r * stride, stride, base + r, slope + r, lane_slope, bar)) r += GROUP;
        while (r < n && !any_within<1>(tile + r * stride, stride, base + r, slope + r, lane_slope, bar)) ++r;
        return r;
    }
    """
    const int TILE_LANES
    void multiply_rows(
        float* cells, long n, const long long* start, const int* column, const float* value, float* tile
    ) noexcept nogil
    void multiply_list(
        float* cells, long n, const int* row, const float* value, float* tile
    ) noexcept nogil
    float* aligned_tile(float* at) noexcept nogil
    float lower_bound(float sum, float base, float slope, float lane_slope) noexcept nogil
    float upper_bound(float sum, float top, float slope, float lane_slope) noexcept nogil
    void least_uppers(
        const float* tile, long stride, const float* top, const float* slope, const float* lane_slope, long n,
        long n_groups, float* least
    ) noexcept nogil
    long next_within(
        const float* tile, long stride, const float* base, const float* slope, const float* lane_slope,
        const float* bar, long r, long n
    ) noexcept nogil
