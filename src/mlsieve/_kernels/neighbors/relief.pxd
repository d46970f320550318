"""What Relief's kernels share: rows, their exact distances, and single precision or sparse sums that are near them."""

from libcpp.vector cimport vector

cdef extern from *:
    """
    enum { TILE_ROWS = 64, CHUNK = 64 };  // of wider tiles the sums would not stay in the registers
    #define MLSIEVE_TIE 1e-12  // of the number of features: the share within which distances are equal
    """
    const double TIE "MLSIEVE_TIE"
    const int TILE_ROWS
    const int CHUNK


cdef struct Rows:
    # The examples, dense (`cells`) or as CSR without stored zeros, and each feature's scale.
    Py_ssize_t n_features
    const double* cells            # (n, F), or NULL
    const long long* start           # (n + 1,) of feature / value
    const int* feature
    const double* value
    const double* low
    const double* span
    const int* n_values


cdef double compare(
    const Rows* rows, Py_ssize_t a, Py_ssize_t b, vector[int] &differing, vector[double] &parts
) noexcept nogil

cdef void approximate_dense(
    const int[::1] examples, const float[:, :, ::1] plain, const double[::1] offset, const float[:, :, :, ::1] other,
    const int[::1] other_n_values, vector[float] &own, double* approximate
) noexcept nogil

cdef void approximate_sparse(
    const Rows* rows, Py_ssize_t own, Py_ssize_t n, const unsigned char[::1] kind, const long long[::1] list_start,
    const int[::1] list_row, const double[::1] list_value, const double[::1] origin, const double[::1] from_origin,
    double* approximate
) noexcept nogil
