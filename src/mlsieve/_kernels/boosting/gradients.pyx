"""Gradients of the logistic loss, and the blocks of them that a level's nodes search."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Chunk, Level, Targets, chunks, padded
from mlsieve._kernels.boosting.rows_of_sums cimport differentiate_row, project_row, sum_rows
from mlsieve._kernels.boosting.split_scores cimport Judge


cdef void differentiate(Targets* targets, int64_t n_rows) noexcept nogil:
    """Take the gradient p - y and the hessian p (1 - p) of each row and label, times its weight."""
    cdef int64_t i, L = targets.n_labels, size = chunks(L)
    cdef const float* weight = NULL
    targets.gradients.resize(n_rows * size)
    for i in range(n_rows):
        if targets.weight != NULL:
            weight = targets.weight + i * L
        differentiate_row(
            targets.margin + i * L, targets.truth + i * L, weight, <int32_t>L, targets.stride,
            <float*>(targets.gradients.data() + i * size)
        )


cdef bint choose_lanes(
    vector[double]* totals, int32_t* n_lanes, const Judge* judge, vector[int32_t]* lane
) noexcept nogil:
    """List the lanes that can count in a node, and keep only these if that saves a vector; else False.

    A child never has more of a label's hessian.
    """
    cdef int32_t j, before = padded(n_lanes[0]), after
    cdef int64_t i
    lane.clear()
    for j in range(n_lanes[0]):
        if judge.every_label or totals[0][before + j] >= judge.least_hessian:
            lane.push_back(j)
    if lane.size() == 0:
        n_lanes[0] = 0
        return False
    after = padded(<int64_t>lane.size())
    if after == before:
        return False
    n_lanes[0] = <int32_t>lane.size()
    for i in range(n_lanes[0]):
        totals[0][i] = totals[0][lane[0][i]]
    for i in range(n_lanes[0], after):
        totals[0][i] = 0.0
    for i in range(n_lanes[0]):
        totals[0][after + i] = totals[0][before + lane[0][i]]
    for i in range(after + n_lanes[0], 2 * after):
        totals[0][i] = 0.0
    totals.resize(2 * after)
    return True


cdef void take_lanes(
    const Chunk* source, const int32_t* slot, int64_t n_rows, int32_t n_before, const vector[int32_t]* lane,
    Chunk* target
) noexcept nogil:
    """Write rows with some of their lanes only; `target` may be `source` where the rows keep their slots."""
    cdef int64_t r, n = <int64_t>lane.size()
    cdef int32_t i, before = padded(n_before), after = padded(n)
    cdef const float* own
    cdef float* to
    for r in range(n_rows):
        own = <const float*>(source + <int64_t>(slot[r] if slot != NULL else <int32_t>r) * (before // 8))
        to = <float*>(target + r * (after // 8))
        for i in range(n):
            to[i] = own[lane[0][i]]
        for i in range(n):
            to[after + i] = own[before + lane[0][i]]
        for i in range(n, after):
            to[i] = 0.0
            to[after + i] = 0.0


cdef void largest_lanes(
    const Chunk* block, int64_t n_rows, int32_t n_lanes, int32_t n, vector[int32_t]* lane
) noexcept nogil:
    """List the lanes with the largest sums of squared gradients, rising; of equal ones the first."""
    cdef vector[double] squares
    cdef int64_t r
    cdef int32_t j, i, size = chunks(n_lanes), best
    cdef const float* own
    squares.assign(n_lanes, 0.0)
    for r in range(n_rows):
        own = <const float*>(block + r * size)
        for j in range(n_lanes):
            squares[j] += <double>own[j] * own[j]
    lane.clear()
    for i in range(min(n, n_lanes)):
        best = 0
        for j in range(1, n_lanes):
            if squares[j] > squares[best]:
                best = j
        lane.push_back(best)
        squares[best] = -1.0
    sort(lane.begin(), lane.end())


cdef void project(Level* level, const Targets* targets, int64_t n_rows) noexcept nogil:
    """Put projections in place of the root's labels: gradients g R, and means of hessians weighted by R^2."""
    cdef int32_t n = targets.n_sketch, width = padded(n), L = targets.n_labels, j, k
    cdef vector[float] R, squares
    cdef vector[Chunk] projected
    cdef int64_t r
    cdef double total
    R.assign(<int64_t>L * width, 0.0)
    squares.assign(<int64_t>L * width, 0.0)
    for k in range(n):
        total = 0.0
        for j in range(L):
            total += <double>targets.projection[j * n + k] * targets.projection[j * n + k]
        for j in range(L):
            R[j * width + k] = targets.projection[j * n + k]
            squares[j * width + k] = R[j * width + k] * R[j * width + k] / <float>total
    projected.resize(n_rows * chunks(n))
    for r in range(n_rows):
        project_row(
            <const float*>(level.blocks[0].data() + r * chunks(L)), L, targets.stride, R.data(), squares.data(),
            width, <float*>(projected.data() + r * chunks(n))
        )
    level.blocks[0].swap(projected)


cdef void pack_root(Level* level, const Targets* targets, const Judge* judge) noexcept nogil:
    """Write the block of the root, whose rows are those of the level; hidden labels are 0."""
    cdef vector[int32_t] lane
    cdef int64_t place, row, n_rows = <int64_t>level.row.size()
    cdef int32_t j, n_lanes = targets.n_labels, size = chunks(n_lanes)
    cdef const uint8_t* hidden
    cdef float* to
    level.blocks.clear()
    level.blocks.resize(1)
    level.block.assign(1, 0)
    level.totals.resize(1)
    level.slot.resize(n_rows)
    level.blocks[0].resize(n_rows * size)
    for place in range(n_rows):
        row = level.row[place]
        level.slot[place] = <int32_t>place
        to = <float*>(level.blocks[0].data() + place * size)
        memcpy(to, targets.gradients.data() + row * size, size * sizeof(Chunk))
        if targets.hidden != NULL:
            hidden = targets.hidden + row * targets.n_labels
            for j in range(targets.n_labels):
                if hidden[j]:
                    to[j] = 0.0
                    to[targets.stride + j] = 0.0
    if 0 < targets.n_sketch < n_lanes:
        if targets.projection != NULL:
            project(level, targets, n_rows)
        else:
            largest_lanes(level.blocks[0].data(), n_rows, n_lanes, targets.n_sketch, &lane)
            take_lanes(level.blocks[0].data(), NULL, n_rows, n_lanes, &lane, level.blocks[0].data())
        n_lanes = targets.n_sketch
        size = chunks(n_lanes)
        level.blocks[0].resize(n_rows * size)
    level.totals[0].resize(16 * size)
    sum_rows(level.blocks[0].data(), level.slot.data(), n_rows, size, level.totals[0].data())
    j = n_lanes
    if choose_lanes(&level.totals[0], &n_lanes, judge, &lane):
        take_lanes(level.blocks[0].data(), NULL, n_rows, j, &lane, level.blocks[0].data())
        level.blocks[0].resize(n_rows * chunks(n_lanes))
    level.n_lanes.assign(1, n_lanes)
