"""Loops over rows of gradients and hessians, in vectors: the same results whatever their width."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from mlsieve._kernels.boosting.split_scores cimport Chunk

cdef extern from *:
    """
    typedef float Wide __attribute__((vector_size(64), may_alias));

    // exp(x) to two units in the last place, by sums and products alone.
    MLSIEVE_INLINE float exp_of(float x) {
        x = x < -87.0f ? -87.0f : x;
        x = x > 87.0f ? 87.0f : x;
        const float whole = x * 1.44269504f;
        const int32_t n = (int32_t)(whole + (whole < 0.0f ? -0.5f : 0.5f));
        const float f = (float)n;
        const float r = x - f * 0.693359375f - f * -2.12194440e-4f;
        float y = 1.9875691500e-4f;
        y = y * r + 1.3981999507e-3f;
        y = y * r + 8.3334519073e-3f;
        y = y * r + 4.1665795894e-2f;
        y = y * r + 1.6666665459e-1f;
        y = y * r + 5.0000001201e-1f;
        y = y * (r * r) + r + 1.0f;
        const int32_t bits = (n + 127) << 23;
        float power;
        memcpy(&power, &bits, 4);
        return y * power;
    }

    MLSIEVE_WIDEST
    static void differentiate_row(const float* margin, const uint8_t* truth, const float* weight, int32_t n, int32_t stride,
                                  float* to) {
        for (int32_t j = 0; j < n; ++j) {
            const float p = 1.0f / (1.0f + exp_of(-margin[j])), h = p * (1.0f - p);
            to[j] = p - (float)truth[j];
            to[stride + j] = h > 1e-16f ? h : 1e-16f;
        }
        if (weight)
            for (int32_t j = 0; j < n; ++j) {
                to[j] *= weight[j];
                to[stride + j] *= weight[j];
            }
        for (int32_t j = n; j < stride; ++j) to[j] = to[stride + j] = 0.0f;
    }

    template <int SIGN, int N>
    MLSIEVE_INLINE void add_parts(const Chunk* block, const int32_t* slot, const int32_t* row, int64_t n,
                                  const int64_t* row_start, const int32_t* row_bin, int32_t size, int32_t part,
                                  Chunk* sums) {
        for (int64_t i = 0; i < n; ++i) {
            if (i + 4 < n) MLSIEVE_PREFETCH(block + (int64_t)slot[i + 4] * size + part);
            const Wide* from = (const Wide*)(block + (int64_t)slot[i] * size + part);
            Wide own[N];
            for (int k = 0; k < N; ++k) own[k] = from[k];
            const int64_t last = row_start[row[i] + 1];
            for (int64_t e = row_start[row[i]]; e < last; ++e) {
                Wide* to = (Wide*)(sums + (int64_t)row_bin[e] * size + part);
                for (int k = 0; k < N; ++k) to[k] = SIGN > 0 ? to[k] + own[k] : to[k] - own[k];
            }
        }
    }

    // Add rows to the sums of their bins (sign 1), or take them away (-1): chunks `part` to `last` of the `size` of a row.
    MLSIEVE_WIDEST
    static void add_to_bins(const Chunk* block, const int32_t* slot, const int32_t* row, int64_t n,
                            const int64_t* row_start, const int32_t* row_bin, int32_t size, int32_t part, int32_t last,
                            int32_t sign, Chunk* sums) {
        for (; part + 4 <= last; part += 4)
            if (sign > 0) add_parts<1, 4>(block, slot, row, n, row_start, row_bin, size, part, sums);
            else add_parts<-1, 4>(block, slot, row, n, row_start, row_bin, size, part, sums);
        for (; part + 2 <= last; part += 2)
            if (sign > 0) add_parts<1, 2>(block, slot, row, n, row_start, row_bin, size, part, sums);
            else add_parts<-1, 2>(block, slot, row, n, row_start, row_bin, size, part, sums);
        for (; part < last; ++part)
            if (sign > 0) add_parts<1, 1>(block, slot, row, n, row_start, row_bin, size, part, sums);
            else add_parts<-1, 1>(block, slot, row, n, row_start, row_bin, size, part, sums);
    }

    // Gradients g R and hessians h R^2 of a row, R of shape (n, width); its squares have sums of 1.
    MLSIEVE_WIDEST
    static void project_row(const float* own, int32_t n, int32_t stride, const float* R, const float* squares,
                            int32_t width, float* to) {
        for (int32_t k = 0; k < 2 * width; ++k) to[k] = 0.0f;
        for (int32_t j = 0; j < n; ++j) {
            const float g = own[j], h = own[stride + j];
            for (int32_t k = 0; k < width; ++k) to[k] += g * R[j * width + k];
            for (int32_t k = 0; k < width; ++k) to[width + k] += h * squares[j * width + k];
        }
    }

    MLSIEVE_WIDEST
    static void add_row(const float* own, int32_t n, double* to) {
        for (int32_t j = 0; j < n; ++j) to[j] += own[j];
    }

    // Sums of rows in double precision.
    MLSIEVE_WIDEST
    static void sum_rows(const Chunk* block, const int32_t* slot, int64_t n, int32_t size, double* to) {
        for (int32_t j = 0; j < 16 * size; ++j) to[j] = 0.0;
        for (int64_t i = 0; i < n; ++i) {
            if (i + 8 < n) MLSIEVE_PREFETCH(block + (int64_t)slot[i + 8] * size);
            const float* own = (const float*)(block + (int64_t)slot[i] * size);
            for (int32_t j = 0; j < 16 * size; ++j) to[j] += own[j];
        }
    }
    """
    void differentiate_row(
        const float* margin, const uint8_t* truth, const float* weight, int32_t n, int32_t stride, float* to
    ) noexcept nogil
    void add_to_bins(
        const Chunk* block, const int32_t* slot, const int32_t* row, int64_t n, const int64_t* row_start,
        const int32_t* row_bin, int32_t size, int32_t part, int32_t last, int32_t sign, Chunk* sums
    ) noexcept nogil
    void project_row(
        const float* own, int32_t n, int32_t stride, const float* R, const float* squares, int32_t width, float* to
    ) noexcept nogil
    void add_row(const float* own, int32_t n, double* to) noexcept nogil
    void sum_rows(const Chunk* block, const int32_t* slot, int64_t n, int32_t size, double* to) noexcept nogil
