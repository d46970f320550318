"""Gradients of the logistic loss, and the blocks of them that the nodes of a tree search."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memmove
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from mlsieve._kernels.boosting.boosted_data cimport Chunk, Growth, Node, Targets, chunks, padded
from mlsieve._kernels.boosting.rows_of_sums cimport differentiate_row, project_row, sum_rows
from mlsieve._kernels.boosting.split_scores cimport Judge


cdef void differentiate(const Targets* targets, int64_t row, Chunk* to) noexcept nogil:
    """Take the gradient p - y and the hessian p (1 - p) of each label of a row, times its weight."""
    cdef int64_t L = targets.n_labels
    differentiate_row(
        targets.margin + row * L, targets.truth + row * L, targets.weight + row * L if targets.weight != NULL else NULL,
        <int32_t>L, targets.stride, <float*>to
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


cdef void project(Growth* growth, const Targets* targets, int64_t n_rows) noexcept nogil:
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
            <const float*>(growth.gradients.data() + r * chunks(L)), L, targets.stride, R.data(), squares.data(),
            width, <float*>(projected.data() + r * chunks(n))
        )
    growth.gradients.swap(projected)


cdef void pack_root(Growth* growth, Node* root, const Targets* targets, const Judge* judge) noexcept nogil:
    """Write the block of the root, whose rows have all places; hidden labels are 0."""
    cdef vector[int32_t] lane
    cdef int64_t place, row, n_rows = <int64_t>growth.row.size()
    cdef int32_t j, n_lanes = targets.n_labels, size = chunks(n_lanes)
    cdef const uint8_t* hidden
    cdef float* to
    growth.slot.resize(n_rows)
    if <int64_t>growth.gradients.size() < n_rows * size:
        growth.gradients.reserve(3 * n_rows * size)  # with room for blocks of nodes below: unused, it is not taken
        growth.gradients.resize(n_rows * size)
    for place in range(n_rows):
        row = growth.row[place]
        growth.slot[place] = <int32_t>place
        to = <float*>(growth.gradients.data() + place * size)
        differentiate(targets, row, <Chunk*>to)
        if targets.hidden != NULL:
            hidden = targets.hidden + row * targets.n_labels
            for j in range(targets.n_labels):
                if hidden[j]:
                    to[j] = 0.0
                    to[targets.stride + j] = 0.0
    if 0 < targets.n_sketch < n_lanes:
        if targets.projection != NULL:
            project(growth, targets, n_rows)
        else:
            largest_lanes(growth.gradients.data(), n_rows, n_lanes, targets.n_sketch, &lane)
            take_lanes(growth.gradients.data(), NULL, n_rows, n_lanes, &lane, growth.gradients.data())
        n_lanes = targets.n_sketch
        size = chunks(n_lanes)
    root.totals.resize(16 * size)
    sum_rows(growth.gradients.data(), growth.slot.data(), n_rows, size, root.totals.data())
    j = n_lanes
    if choose_lanes(&root.totals, &n_lanes, judge, &lane):
        take_lanes(growth.gradients.data(), NULL, n_rows, j, &lane, growth.gradients.data())
    root.n_lanes = n_lanes
    root.block = 0
    root.is_alone = True
    root.top = n_rows * chunks(n_lanes)


cdef void copy_rows(
    Growth* growth, const Node* node, const Node* child, const vector[int32_t]* lane, bint fewer, Chunk* to
) noexcept nogil:
    """Write the rows of a child's block, which may take the place of the node's."""
    cdef int64_t i, size = chunks(node.n_lanes), n = child.last - child.first
    cdef const Chunk* block = growth.gradients.data() + node.block
    cdef int32_t* slot = growth.slot.data() + child.first
    if fewer:
        take_lanes(block, slot, n, node.n_lanes, lane, to)
    else:
        for i in range(n):
            if to + i * size != block + slot[i] * size:
                memcpy(to + i * size, block + slot[i] * size, size * sizeof(Chunk))
    for i in range(n):
        slot[i] = <int32_t>i


cdef void make_room(vector[Chunk]* gradients, int64_t n) noexcept nogil:
    if <int64_t>gradients.size() < n:
        if <int64_t>gradients.capacity() < n:
            gradients.reserve(n + n // 4)
        gradients.resize(n)


cdef void divide_block(
    Growth* growth, const Node* node, Node** children, const bint* fewer, const vector[int32_t]* lane,
    vector[Chunk]* scratch
) noexcept nogil:
    """Give each child its own block, in the place of the node's: the smaller one's before the larger one's."""
    cdef int64_t n = 0, n_larger
    cdef Node* smaller = children[0]
    cdef Node* larger = children[1]
    cdef Chunk* own
    if smaller != NULL:
        n = (smaller.last - smaller.first) * chunks(smaller.n_lanes)
        make_room(scratch, n)
        copy_rows(growth, node, smaller, &lane[0], fewer[0], scratch.data())
        smaller.block = node.block
        smaller.top = node.top  # what is left of the node's block stays unused
        smaller.is_alone = True
    own = growth.gradients.data() + node.block
    if larger != NULL:
        n_larger = (larger.last - larger.first) * chunks(larger.n_lanes)
        copy_rows(growth, node, larger, &lane[1], fewer[1], own)
        memmove(own + n, own, n_larger * sizeof(Chunk))
        larger.block = node.block + n
        larger.top = node.top
        larger.is_alone = True
    if smaller != NULL:
        memcpy(own, scratch.data(), n * sizeof(Chunk))


cdef void add_blocks(
    Growth* growth, const Node* node, Node** children, const bint* fewer, const vector[int32_t]* lane
) noexcept nogil:
    """Let the children share the node's block, those of fewer lanes aside."""
    cdef int64_t top = node.top
    cdef int32_t i
    cdef Node* child
    for i in range(2):
        child = children[i]
        if child == NULL:
            continue
        child.block = node.block
        # The smaller child comes when the larger one is done.
        child.is_alone = node.is_alone and (i == 0 or children[0] == NULL or fewer[0])
        if fewer[i]:
            child.block = top
            child.is_alone = True
            top += (child.last - child.first) * chunks(child.n_lanes)
            make_room(&growth.gradients, top)
            copy_rows(growth, node, child, &lane[i], True, growth.gradients.data() + child.block)
        child.top = top
