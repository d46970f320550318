"""What all kernels read and none but those of grow/ change: the data, the options, and what follows from them."""

from libc.stdint cimport int64_t

from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.trees.node.gains cimport Options


cdef struct Facts:
    # Of the data and the options.
    bint complete          # no value is missing: an example is in one child only
    bint all_binary        # every sparse feature has two values
    int64_t n_dense        # dense features
    double mean_listed     # sparse features that list a row, in the mean
    double largest_weight  # of a label
    bint tries_all         # each node tries all features
    # Of the tree at hand.
    bint whole             # complete, and the weight of each example is a count
    bint exact_floats      # and counts fit single precision, and so do their products
    double heaviest        # weight of an example


cdef struct Data:
    Columns columns
    Labels labels
    Options options
    Facts facts
