"""B and X of one side of a test: label by label, or where labels are few all of an example's at once, in vectors."""

from libc.stdint cimport int32_t, int64_t

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.common.simd cimport LANES
from mlsieve._kernels.trees.node.gains cimport Totals
from mlsieve._kernels.trees.node.node_rows cimport Example
from mlsieve._kernels.trees.node.work cimport Work

cdef extern from *:
    """
    typedef double Lanes __attribute__((vector_size(64)));
    typedef float HalfLanes __attribute__((vector_size(32), aligned(4)));
    typedef double LoadLanes __attribute__((vector_size(64), aligned(8)));

    MLSIEVE_INLINE double add_lanes(const Lanes& s) {
        return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    }

    template <int N>
    MLSIEVE_INLINE void add_lanes_of(Lanes* c, const float* lanes, int32_t row) {
        const float* own = lanes + (long)row * (8 * N);
        for (int v = 0; v < N; ++v) c[v] += __builtin_convertvector(*(const HalfLanes*)(own + 8 * v), Lanes);
    }

    template <int N>
    MLSIEVE_INLINE void products(const Lanes* c, const double* w, const double* wC, double* B, double* X) {
        Lanes b = {0}, x = {0};
        for (int v = 0; v < N; ++v) {
            b += *(const LoadLanes*)(w + 8 * v) * c[v] * c[v];
            x += *(const LoadLanes*)(wC + 8 * v) * c[v];
        }
        *B = add_lanes(b);
        *X = add_lanes(x);
    }

    template <int N>
    MLSIEVE_INLINE void sum_width(long n, const Entry* entries, const float* lanes, const double* w, const double* wC,
                                  double* B, double* X) {
        Lanes c[N] = {{0}};
        for (long i = 0; i < n; ++i) {
            MLSIEVE_PREFETCH(lanes + (long)entries[i + 8 < n ? i + 8 : n - 1].row * (8 * N));
            add_lanes_of<N>(c, lanes, entries[i].row);
        }
        products<N>(c, w, wC, B, X);
    }

    // B and X of the entries.
    MLSIEVE_WIDEST
    static void sum_labels(int width, long n, const Entry* entries, const float* lanes, const double* w,
                           const double* wC, double* B, double* X) {
        if (width == 8) sum_width<1>(n, entries, lanes, w, wC, B, X);
        else if (width == 16) sum_width<2>(n, entries, lanes, w, wC, B, X);
        else sum_width<3>(n, entries, lanes, w, wC, B, X);
    }
    """
    void sum_labels(
        int width, long n, const Entry* entries, const float* lanes, const double* w, const double* wC, double* B,
        double* X
    ) noexcept nogil


cdef inline void move(
    const Labels* labels, const Totals* totals, const double* doubled, double* side, const Example* example,
    double* B, double* X
) noexcept nogil:
    """Add one example to a side: sum_j w_j ((c_j + w)^2 - c_j^2) = w (sum_j 2 w_j c_j + w sum_j w_j)."""
    cdef int32_t q, j
    cdef double before = 0.0, weight = example.weight, x = 0.0, held
    if totals.x_known:
        for q in range(example.first, example.last):
            j = labels.index[q]
            held = side[j]
            before += held
            side[j] = held + doubled[j] * weight
        X[0] += weight * example.x
    else:
        for q in range(example.first, example.last):
            j = labels.index[q]
            held = side[j]
            before += held
            x += totals.wC[j]
            side[j] = held + doubled[j] * weight
        X[0] += weight * x
    B[0] += weight * (before + weight * example.mass)


cdef inline void clear_side(Work* work, const Labels* labels, const Entry* entries, int64_t n_entries) noexcept nogil:
    """Zero the sums of a side that holds these entries: through their labels, or the node's if those are fewer."""
    cdef int64_t i
    cdef int32_t q
    cdef size_t t
    if n_entries * work.mean_labels < <double>work.touched.size():
        for i in range(n_entries):
            for q in range(work.example[entries[i].row].first, work.example[entries[i].row].last):
                work.side[labels.index[q]] = 0.0
    else:
        for t in range(work.touched.size()):
            work.side[work.touched[t]] = 0.0


cdef inline void sum_side(
    Work* work, const Labels* labels, const Totals* totals, const Entry* entries, int64_t n_entries, double* B, double* X
) noexcept nogil:
    """B and X of the side that holds these entries: one by one, or if there are enough of them by counting first."""
    cdef int64_t i
    cdef int32_t q, j
    cdef size_t t
    cdef double c, weight
    cdef const Example* example
    cdef double* side = work.side.data()
    B[0] = 0.0
    X[0] = 0.0
    if work.width > 0:
        sum_labels(
            work.width, n_entries, entries, work.lanes.data(), work.label_weight.data(), totals.wC, B, X
        )
    elif n_entries * work.mean_labels < 2.0 * work.touched.size():
        for i in range(n_entries):
            move(labels, totals, work.doubled.data(), side, &work.example[entries[i].row], B, X)
        clear_side(work, labels, entries, n_entries)
    else:
        for i in range(n_entries):
            example = &work.example[entries[i].row]
            weight = example.weight
            for q in range(example.first, example.last):
                side[labels.index[q]] += weight
        for t in range(work.touched.size()):
            j = work.touched[t]
            c = side[j]
            B[0] += labels.weight[j] * c * c
            X[0] += totals.wC[j] * c
            side[j] = 0.0
