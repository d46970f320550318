"""Gradients of the logistic loss, and the blocks of them that a level's nodes search."""

from libc.stdint cimport int64_t

from mlsieve._kernels.boosting.boosted_data cimport Level, Targets
from mlsieve._kernels.boosting.split_scores cimport Judge

cdef void differentiate(Targets* targets, int64_t n_rows) noexcept nogil
cdef void pack_blocks(Level* level, const Targets* targets, const Judge* judge) noexcept nogil
