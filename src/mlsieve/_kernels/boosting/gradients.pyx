"""Gradients of the logistic loss, and the blocks of them that a level's nodes search."""

from libc.math cimport expf
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Level, Targets, padded
from mlsieve._kernels.boosting.split_scores cimport Judge

cdef float LEAST_HESSIAN = 1e-16


cdef void differentiate(Targets* targets, int64_t n_rows) noexcept nogil:
    """Take the gradient p - y and the hessian p (1 - p) of each row and label, times its weight."""
    cdef int64_t i, cell
    cdef int32_t j
    cdef float p, h, w = 1.0
    cdef float* own
    targets.gradients.resize(n_rows * 2 * targets.stride)
    for i in range(n_rows):
        own = targets.gradients.data() + i * 2 * targets.stride
        for j in range(targets.n_labels):
            cell = i * targets.n_labels + j
            p = 1.0 / (1.0 + expf(-targets.margin[cell]))
            h = p * (1.0 - p)
            if targets.weight != NULL:
                w = targets.weight[cell]
            own[j] = w * (p - targets.truth[cell])
            own[targets.stride + j] = w * (h if h > LEAST_HESSIAN else LEAST_HESSIAN)
        for j in range(targets.n_labels, targets.stride):
            own[j] = 0.0
            own[targets.stride + j] = 0.0


cdef void choose_labels(Level* level, const Targets* targets, const Judge* judge) noexcept nogil:
    """List the labels that can count in each node: a child never has more of a label's hessian."""
    cdef vector[double] sums
    cdef int32_t k, j
    cdef int64_t place, i, size = 0
    cdef const float* own
    cdef const uint8_t* hidden
    level.label.clear()
    level.label_start.assign(1, 0)
    level.sums_start.assign(1, 0)
    for k in range(level.n_nodes):
        sums.assign(targets.stride, 0.0)
        for place in range(level.first[k], level.first[k + 1]):
            i = level.row[place]
            own = targets.gradients.data() + i * 2 * targets.stride + targets.stride
            if targets.hidden == NULL:
                for j in range(targets.stride):
                    sums[j] += own[j]
            else:
                hidden = targets.hidden + i * targets.n_labels
                for j in range(targets.n_labels):
                    sums[j] += 0.0 if hidden[j] else own[j]
        for j in range(targets.n_labels):
            if judge.every_label or sums[j] >= judge.least_hessian:
                level.label.push_back(j)
        level.label_start.push_back(<int64_t>level.label.size())
        i = level.label_start[k + 1] - level.label_start[k]
        size += (level.first[k + 1] - level.first[k]) * 2 * padded(i)
        level.sums_start.push_back(size)


cdef void pack_blocks(Level* level, const Targets* targets, const Judge* judge) noexcept nogil:
    """Write each node's block, in which only the labels that can count have a lane."""
    cdef int32_t k, j, width
    cdef int64_t place, i, n, row
    cdef const int32_t* label
    cdef const float* own
    cdef const uint8_t* hidden
    cdef float* to
    choose_labels(level, targets, judge)
    level.sums.assign(level.sums_start[level.n_nodes], 0.0)
    for k in range(level.n_nodes):
        n = level.label_start[k + 1] - level.label_start[k]
        width = padded(n)
        label = level.label.data() + level.label_start[k]
        to = level.sums.data() + level.sums_start[k]
        for place in range(level.first[k], level.first[k + 1]):
            row = level.row[place]
            own = targets.gradients.data() + row * 2 * targets.stride
            if targets.hidden == NULL and n == targets.n_labels:
                memcpy(to, own, n * sizeof(float))
                memcpy(to + width, own + targets.stride, n * sizeof(float))
            elif targets.hidden == NULL:
                for i in range(n):
                    to[i] = own[label[i]]
                    to[width + i] = own[targets.stride + label[i]]
            else:
                hidden = targets.hidden + row * targets.n_labels
                for i in range(n):
                    j = label[i]
                    to[i] = 0.0 if hidden[j] else own[j]
                    to[width + i] = 0.0 if hidden[j] else own[targets.stride + j]
            to += 2 * width
