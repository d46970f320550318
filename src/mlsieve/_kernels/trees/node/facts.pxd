"""What all kernels read of the data and of the tree at hand: which of them may be used, and what they cost."""

from libc.stdint cimport int64_t


cdef struct Facts:
    # Of the data.
    bint complete          # no value is missing: an example is in one child only
    bint all_binary        # every sparse feature has two values
    int64_t n_dense        # features
    double mean_listed     # sparse features that list a row, in the mean
    double largest_weight  # of a label
    # Of the tree at hand.
    bint whole             # complete, and the weight of each example is a count
    bint exact_floats      # and counts fit single precision, and so do their products
    double heaviest        # weight of an example
