"""Gradients of the logistic loss, and the blocks of them that the nodes of a tree search."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Chunk, Growth, Node, Targets
from mlsieve._kernels.boosting.split_scores cimport Judge

cdef void differentiate(const Targets* targets, int64_t row, Chunk* to) noexcept nogil
cdef void pack_root(Growth* growth, Node* root, const Targets* targets, const Judge* judge) noexcept nogil
cdef bint choose_lanes(
    vector[double]* totals, int32_t* n_lanes, const Judge* judge, vector[int32_t]* lane
) noexcept nogil
cdef void take_lanes(
    const Chunk* source, const int32_t* slot, int64_t n_rows, int32_t n_before, const vector[int32_t]* lane,
    Chunk* target
) noexcept nogil
cdef void divide_block(
    Growth* growth, const Node* node, Node** children, const bint* fewer, const vector[int32_t]* lane,
    vector[Chunk]* scratch
) noexcept nogil
cdef void add_blocks(
    Growth* growth, const Node* node, Node** children, const bint* fewer, const vector[int32_t]* lane
) noexcept nogil
