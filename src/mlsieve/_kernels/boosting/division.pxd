"""From a node of a tree to its children."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Boosted, Chunk, Growth, Lists, Node, Options, Tests
from mlsieve._kernels.boosting.split_scores cimport Item, Judge


cdef struct DivisionMemory:
    vector[int32_t] new_place       # by old place
    vector[int32_t] row             # those that say "no"
    vector[int32_t] slot
    vector[int32_t] lane[2]         # those that can count in the smaller child and in the larger one
    vector[Chunk] gradients         # of the smaller child
    vector[vector[Item]] parted     # by part of the columns


cdef void plant(
    Growth* growth, Node* root, const Lists* lists, const Options* options, Boosted* tree, vector[int32_t]* leaf_of,
    DivisionMemory* memory
) noexcept nogil
cdef void divide_node(
    Growth* growth, Node* node, const Lists* lists, const Judge* judge, const Options* options, Tests* tests,
    Boosted* tree, vector[int32_t]* leaf_of, DivisionMemory* memory
) noexcept nogil
cdef void take_next(Growth* growth, Node* node) noexcept nogil
cdef void number_by_depth(Boosted* tree, vector[int32_t]* leaf_of) noexcept nogil
cdef void send_others(
    const Lists* lists, Boosted* tree, const Options* options, vector[int32_t]* leaf_of
) noexcept nogil
