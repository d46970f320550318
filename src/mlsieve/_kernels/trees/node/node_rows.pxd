"""The examples, and the nodes that are still to be grown."""

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #include <cstdint>
    struct Example {
        double weight;        // in the current node
        double mass;          // sum of w_j over its labels
        double x;             // sum of w_j C_j over its labels, C_j of the current node
        int32_t first, last;  // its labels in Labels.index
    };
    """
    cdef cppclass Example nogil:
        double weight, mass, x
        int32_t first, last


cdef struct Pending:
    # A node that is still to be grown.
    int64_t start, end                # rows
    int64_t counts_start, counts_end  # its labels in node_label
    int64_t runs_start, runs_end      # its features in runs; -1: not listed
    int64_t ordered_end               # entries of ordered that are in use below it
    double weight
    int32_t depth, parent, table
    bint is_yes
