"""Gradients of the logistic loss, and the blocks of them that a level's nodes search."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Chunk, Level, Targets
from mlsieve._kernels.boosting.split_scores cimport Judge

cdef void differentiate(Targets* targets, int64_t n_rows) noexcept nogil
cdef void pack_root(Level* level, const Targets* targets, const Judge* judge) noexcept nogil
cdef bint choose_lanes(
    vector[double]* totals, int32_t* n_lanes, const Judge* judge, vector[int32_t]* lane
) noexcept nogil
cdef void take_lanes(
    const Chunk* source, const int32_t* slot, int64_t n_rows, int32_t n_before, const vector[int32_t]* lane,
    Chunk* target
) noexcept nogil
