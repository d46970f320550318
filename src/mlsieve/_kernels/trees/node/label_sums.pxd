"""B and X of one side of a test: label by label, or where labels are few all of an example's at once, in vectors."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Entry, Labels
from mlsieve._kernels.common.simd cimport LANES
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.gains cimport Totals
from mlsieve._kernels.trees.node.node_rows cimport Example

cdef extern from *:
    """
    enum { MANY_LABELS = 23 };  // more labels are faster counted one by one
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
    const int MANY_LABELS
    void sum_labels(
        int width, long n, const Entry* entries, const float* lanes, const double* w, const double* wC, double* B,
        double* X
    ) noexcept nogil


cdef cppclass RowLanes nogil:
    # An example's weight, written where it has a label: a vector of lanes an example, as long as labels are few.
    int width                     # lanes of an example in the tree at hand; 0: labels are summed one by one
    int most                      # the same if weights are counts; 0: too many labels
    vector[float] of_row          # (n, width) last, the example's weight
    vector[float] of_place        # the same of the node's rows, in their order
    vector[double] label_weight   # (width,) and 0 for the other lanes
    vector[float] short_weight    # the same
    vector[float] mean            # C_j / n of the node


cdef cppclass LabelSums nogil:
    # The labels of the node at hand, and those of one side of a test.
    vector[Example] example       # (n,)
    double mean_labels            # positive labels of an example, in the mean
    vector[int32_t] touched       # labels that occur in the node
    vector[double] wC             # (L,) w_j C_j
    vector[double] doubled        # (L,) 2 w_j
    vector[double] side           # (L,) 2 w_j c_j of one side, zero between scans
    RowLanes lanes


cdef inline int prepare_label_sums(LabelSums* sums, const Data* data) except -1 nogil:
    cdef const Labels* labels = &data.labels
    cdef int32_t i, q, n_rows = data.columns.n_rows, n_labels = labels.n_labels
    # Lanes are copied next to each other where a node's rows are sorted again for each feature.
    cdef bint gathers = data.facts.n_dense > 0 and not data.options.random_tests and not data.facts.tries_all
    cdef RowLanes* lanes = &sums.lanes
    sums.mean_labels = <double>labels.start[n_rows] / n_rows
    sums.example.resize(n_rows)
    for i in range(n_rows):
        sums.example[i].first = <int32_t>labels.start[i]
        sums.example[i].last = <int32_t>labels.start[i + 1]
        sums.example[i].mass = 0.0
        for q in range(sums.example[i].first, sums.example[i].last):
            sums.example[i].mass += labels.weight[labels.index[q]]
    lanes.most = LANES * (n_labels // LANES + 1) if n_labels <= MANY_LABELS else 0
    lanes.of_row.resize(<int64_t>n_rows * lanes.most)
    lanes.of_place.resize(<int64_t>n_rows * lanes.most if gathers else 0)
    lanes.label_weight.assign(lanes.most, 0.0)
    for i in range(min(n_labels, lanes.most)):
        lanes.label_weight[i] = labels.weight[i]
    lanes.short_weight.assign(lanes.label_weight.begin(), lanes.label_weight.end())
    lanes.mean.assign(lanes.most, 0.0)
    sums.wC.assign(max(n_labels, lanes.most), 0.0)
    sums.side.assign(n_labels, 0.0)
    sums.doubled.resize(n_labels)
    for i in range(n_labels):
        sums.doubled[i] = 2.0 * labels.weight[i]


cdef inline void move(
    const Labels* labels, const Totals* totals, const double* doubled, double* side, const Example* example, double* B,
    double* X
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


cdef inline void clear_side(
    LabelSums* sums, const Labels* labels, const Entry* entries, int64_t n_entries
) noexcept nogil:
    """Zero the sums of a side that holds these entries: through their labels, or the node's if those are fewer."""
    cdef int64_t i
    cdef int32_t q
    cdef size_t t
    if n_entries * sums.mean_labels < <double>sums.touched.size():
        for i in range(n_entries):
            for q in range(sums.example[entries[i].row].first, sums.example[entries[i].row].last):
                sums.side[labels.index[q]] = 0.0
    else:
        for t in range(sums.touched.size()):
            sums.side[sums.touched[t]] = 0.0


cdef inline void sum_side(
    LabelSums* sums, const Labels* labels, const Totals* totals, const Entry* entries, int64_t n_entries, double* B,
    double* X
) noexcept nogil:
    """B and X of the side that holds these entries: one by one, or if there are enough of them by counting first."""
    cdef int64_t i
    cdef int32_t q, j
    cdef size_t t
    cdef double c, weight
    cdef const Example* example
    cdef double* side = sums.side.data()
    B[0] = 0.0
    X[0] = 0.0
    if sums.lanes.width > 0:
        sum_labels(
            sums.lanes.width, n_entries, entries, sums.lanes.of_row.data(), sums.lanes.label_weight.data(), totals.wC, B,
            X
        )
    elif n_entries * sums.mean_labels < 2.0 * sums.touched.size():
        for i in range(n_entries):
            move(labels, totals, sums.doubled.data(), side, &sums.example[entries[i].row], B, X)
        clear_side(sums, labels, entries, n_entries)
    else:
        for i in range(n_entries):
            example = &sums.example[entries[i].row]
            weight = example.weight
            for q in range(example.first, example.last):
                side[labels.index[q]] += weight
        for t in range(sums.touched.size()):
            j = sums.touched[t]
            c = side[j]
            B[0] += labels.weight[j] * c * c
            X[0] += totals.wC[j] * c
            side[j] = 0.0
