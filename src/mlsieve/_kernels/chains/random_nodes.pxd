"""The nodes of random decision trees, as growing writes and predicting reads them."""

from libc.stdint cimport int32_t

cdef enum Draw:
    # What a random number of a tree is for; part of its key.
    TEST = 101
    MISSING_CELL = 102
    ACTIVE_TEST = 103

cdef extern from *:
    """
    #include <cstdint>
    struct RandomNode {
        int32_t test;      // -1: leaf; f: feature f exceeds the threshold; F + f: category of f; -2 - j: label j
        int32_t first;     // first child, the others follow; of a leaf, its number
        double threshold;  // of a category test, its number of children; of a label test, its rank among the tree's
    };
    """
    cdef struct Node "RandomNode":
        int32_t test
        int32_t first
        double threshold
