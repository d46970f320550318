"""The rows that Relief and ReliefF compare: exact distances, and single precision or sparse sums that are near them."""

from libcpp.vector cimport vector

from mlsieve._kernels.neighbors.nearest_rows cimport feature_distance

cdef extern from *:
    """
    #include <vector>
    enum { TILE_ROWS = 64, CHUNK = 64 };  // of wider tiles the sums would not stay in the registers
    #define MLSIEVE_TIE 1e-12  // of the number of features: the share within which distances are equal
    struct Approximate {
        std::vector<double> distances;     // of examples to all rows
        std::vector<float> own;            // cells of the examples; dense rows only
        double tolerance, relative;        // a distance d is wrong by at most tolerance + relative d
    };
    """
    const double TIE "MLSIEVE_TIE"
    const int TILE_ROWS
    const int CHUNK
    cdef cppclass Approximate nogil:
        vector[double] distances
        vector[float] own
        double tolerance, relative


cdef struct Rows:
    # The examples, dense (`cells`) or as CSR without stored zeros, and each feature's scale.
    Py_ssize_t n
    Py_ssize_t n_features
    const double* cells            # (n, F), or NULL
    const long long* start           # (n + 1,) of feature / value
    const int* feature
    const double* value
    const double* low
    const double* span
    const int* n_values


cdef class Comparison:
    cdef Rows rows
    cdef tuple arrays              # what the pointers borrow
    cdef double* approximate(self, const int[::1] examples, Py_ssize_t e, Approximate &found) noexcept nogil


cdef inline double cell_distance(const Rows* rows, Py_ssize_t i, double a, double b) noexcept nogil:
    return feature_distance(a, b, rows.low[i], rows.span[i], rows.n_values[i])


cdef inline double compare(
    const Rows* rows, Py_ssize_t a, Py_ssize_t b, vector[int] &differing, vector[double] &parts
) noexcept nogil:
    """List the features in which two examples differ and by how much; return the sum, in feature order."""
    cdef double total = 0.0, d, x, y
    cdef Py_ssize_t i
    cdef long long p, q, p_end, q_end
    cdef const double* left
    cdef const double* right
    differing.clear()
    parts.clear()
    if rows.cells != NULL:
        left = rows.cells + a * rows.n_features
        right = rows.cells + b * rows.n_features
        for i in range(rows.n_features):
            if left[i] == right[i]:
                continue
            d = cell_distance(rows, i, left[i], right[i])
            total += d
            differing.push_back(<int> i)
            parts.push_back(d)
        return total
    p = rows.start[a]
    p_end = rows.start[a + 1]
    q = rows.start[b]
    q_end = rows.start[b + 1]
    while p < p_end or q < q_end:
        if q == q_end or (p < p_end and rows.feature[p] < rows.feature[q]):
            i = rows.feature[p]
            x = rows.value[p]
            y = 0.0
            p += 1
        elif p == p_end or rows.feature[q] < rows.feature[p]:
            i = rows.feature[q]
            x = 0.0
            y = rows.value[q]
            q += 1
        else:
            i = rows.feature[p]
            x = rows.value[p]
            y = rows.value[q]
            p += 1
            q += 1
            if x == y:
                continue
        d = cell_distance(rows, i, x, y)
        total += d
        differing.push_back(<int> i)
        parts.push_back(d)
    return total
