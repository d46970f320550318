"""Walking boosted trees: margins of new rows."""

from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t


def add_margins(
    const double[:, ::1] X,
    const int64_t[::1] root,
    const int32_t[::1] feature,
    const double[::1] threshold,
    const int32_t[::1] kind,
    const int32_t[::1] yes,
    const int32_t[::1] no,
    const int64_t[::1] leaf,
    const float[:, ::1] values,
    int64_t first_tree,
    int64_t last_tree,
    float[:, ::1] margins,
):
    """Add the values of trees first_tree .. last_tree - 1 to the margins, in their order.

    Parameters
    ----------
    X : ndarray of float64, shape (n, F)
        NaN is missing.
    root : ndarray of int64, shape (T + 1,)
        First node of each tree; children count within a tree.
    feature : ndarray of int32, shape (nodes,)
        -1 for a leaf.
    threshold : ndarray of float64, shape (nodes,)
        Values up to it say "yes"; of a test of a category, all values but this one.
    kind : ndarray of int32, shape (nodes,)
        Where missing cells go: 0 to "no", 1 to "yes"; 2: known cells to "yes", missing ones to "no"; 4 more for a test
        of a category.
    leaf : ndarray of int64, shape (nodes,)
        Row of `values`.
    values : ndarray of float32, shape (leaves, L)
    margins : ndarray of float32, shape (n, L)
        Changed in place.
    """
    cdef int64_t i, tree, node
    cdef Py_ssize_t j
    cdef double value
    cdef bint says_yes
    if X.shape[0] == 0 or values.shape[0] == 0:
        return
    with nogil:
        for i in range(X.shape[0]):
            for tree in range(first_tree, last_tree):
                node = root[tree]
                while feature[node] >= 0:
                    value = X[i, feature[node]]
                    if isnan(value):
                        says_yes = kind[node] & 3 == 1
                    elif kind[node] & 3 == 2:
                        says_yes = True
                    elif kind[node] & 4:
                        says_yes = value != threshold[node]
                    else:
                        says_yes = value <= threshold[node]
                    node = root[tree] + (yes[node] if says_yes else no[node])
                for j in range(values.shape[1]):
                    margins[i, j] += values[leaf[node], j]
