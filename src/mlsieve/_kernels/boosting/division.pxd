"""From one level of a tree to the next."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Boosted, Level, Lists, Options, Tests
from mlsieve._kernels.boosting.split_scores cimport Item, Judge


cdef struct DivisionMemory:
    vector[int32_t] new_place       # by old place; -1: in a leaf
    vector[int32_t] children        # by node: how many of its children may be divided
    vector[int32_t] lane
    vector[vector[Item]] parted     # by part of the columns


cdef int32_t new_node(Boosted* tree) noexcept nogil
cdef void first_level(
    Level* level, const Lists* lists, const Options* options, Boosted* tree, vector[int32_t]* leaf_of,
    DivisionMemory* memory
) noexcept nogil
cdef void next_level(
    Level* level, Level* below, const Lists* lists, const Judge* judge, const Options* options, Tests* tests,
    Boosted* tree, vector[int32_t]* leaf_of, DivisionMemory* memory
) noexcept nogil
cdef void send_others(
    const Lists* lists, Boosted* tree, const Options* options, vector[int32_t]* leaf_of
) noexcept nogil
