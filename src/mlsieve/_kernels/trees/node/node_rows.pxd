"""The examples, and the nodes that are still to be grown."""

from libc.stdint cimport int8_t, int32_t, int64_t
from libcpp.vector cimport vector

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
    int64_t counts_start, counts_end  # its labels in PendingNodes.label
    int64_t runs_start, runs_end      # its features in runs; -1: not listed
    int64_t ordered_end               # entries of ordered that are in use below it
    double weight
    int32_t depth, parent, table
    bint is_yes


cdef cppclass PendingNodes nogil:
    # The rows and label counts of each pending node are a segment of these stacks.
    vector[Pending] stack
    vector[int32_t] rows
    vector[double] weights          # of the example at the same place, unless all are counts
    vector[int32_t] label           # that occur in a node, rising
    vector[double] count            # their weights
    # What the division of a node needs.
    vector[int8_t] answer           # of each row of the node: 1 yes, 0 no, -1 missing
    vector[int32_t] stamp           # (n,) what was noted of a row last, mostly the node that it was met in; else -1
    vector[int32_t] scratch_rows
    vector[double] scratch_weights
    vector[double] child_count      # (L,) zero between uses
