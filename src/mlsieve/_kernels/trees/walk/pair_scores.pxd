"""The scores of all (example, label) pairs on one precision-recall curve, and the curve after changes of some of them.

Nearly all scores are 0 and only counted. The other pairs get sorted once ("levels": scores that a positive pair has, and
the negatives' scores between them). Later changes, which take pairs away from some scores and put them to others, are
sorted and merged in.
"""

from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.trees.walk.pooled_curve cimport PooledCurve, begin, error_of
from mlsieve._kernels.trees.walk.score_keys cimport sort_keys

cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    enum { POSITIVE = 2, PUT = 1 };          // flags behind a change's score
    struct PairScores {
        std::vector<uint64_t> level_key;     // falling
        std::vector<int64_t> positives, negatives, above;  // (levels,) positives and negatives of it, negatives above
        std::vector<uint64_t> negative_key;  // falling, of all negative pairs but those of score 0
        std::vector<uint64_t> changes, sorted;
        int64_t n_positives, n_negatives;    // pairs
    };
    """
    enum: POSITIVE
    enum: PUT
    cdef cppclass PairScores nogil:
        vector[uint64_t] level_key
        vector[int64_t] positives, negatives, above
        vector[uint64_t] negative_key, changes, sorted
        int64_t n_positives, n_negatives


cdef inline void change(PairScores* scores, uint64_t key, bint positive, uint64_t put) noexcept nogil:
    """Put a pair to a score, or take it away; those of score 0 are what is left."""
    if key > 0:
        scores.changes.push_back(key << 2 | (POSITIVE if positive else 0) | put)


cdef inline int64_t first_at_most(const PairScores* scores, uint64_t key, int64_t start, int64_t end) noexcept nogil:
    """The first place in negative_key[start:end] whose score is not above `key`."""
    cdef int64_t middle
    while start < end:
        middle = (start + end) >> 1
        if scores.negative_key[middle] > key:
            start = middle + 1
        else:
            end = middle
    return start


cdef inline void take_levels(PairScores* scores) noexcept nogil:
    """Sort the pairs that were put, all that there are: later changes are to these."""
    cdef size_t t
    cdef uint64_t key
    sort_keys(scores.changes, scores.sorted)
    for t in range(scores.changes.size()):
        key = scores.changes[t] >> 2
        if not scores.changes[t] & POSITIVE:
            scores.negative_key.push_back(key)
        elif scores.level_key.size() == 0 or scores.level_key.back() != key:
            scores.level_key.push_back(key)
            scores.positives.push_back(1)
        else:
            scores.positives[scores.positives.size() - 1] += 1
    count_negatives(scores)


cdef inline void count_negatives(PairScores* scores) noexcept nogil:
    """Count the negatives of each level, and those above it."""
    cdef int64_t i = 0, q
    cdef size_t t
    scores.above.clear()
    scores.negatives.clear()
    for t in range(scores.level_key.size()):
        i = first_at_most(scores, scores.level_key[t], i, <int64_t>scores.negative_key.size())
        q = first_at_most(scores, scores.level_key[t] - 1, i, <int64_t>scores.negative_key.size())
        scores.above.push_back(i)
        scores.negatives.push_back(q - i)
        i = q


cdef inline void settle_changes(PairScores* scores) noexcept nogil:
    """Take the sorted changes up into the levels: later changes are to what they leave."""
    cdef size_t c = 0, level = 0, n = 0
    cdef uint64_t key
    cdef int64_t by, positives, negatives
    cdef vector[uint64_t] level_key, negative_key
    cdef vector[int64_t] level_positives
    while c < scores.changes.size():
        key = scores.changes[c] >> 2
        while level < scores.level_key.size() and scores.level_key[level] > key:
            level_key.push_back(scores.level_key[level])
            level_positives.push_back(scores.positives[level])
            level += 1
        while n < scores.negative_key.size() and scores.negative_key[n] > key:
            negative_key.push_back(scores.negative_key[n])
            n += 1
        positives = negatives = 0
        while c < scores.changes.size() and scores.changes[c] >> 2 == key:
            by = 2 * <int64_t>(scores.changes[c] & PUT) - 1
            if scores.changes[c] & POSITIVE:
                positives += by
            else:
                negatives += by
            c += 1
        if level < scores.level_key.size() and scores.level_key[level] == key:
            positives += scores.positives[level]
            level += 1
        while n < scores.negative_key.size() and scores.negative_key[n] == key:
            negatives += 1
            n += 1
        if positives > 0:
            level_key.push_back(key)
            level_positives.push_back(positives)
        while negatives > 0:
            negative_key.push_back(key)
            negatives -= 1
    level_key.insert(level_key.end(), scores.level_key.begin() + level, scores.level_key.end())
    level_positives.insert(level_positives.end(), scores.positives.begin() + level, scores.positives.end())
    negative_key.insert(negative_key.end(), scores.negative_key.begin() + n, scores.negative_key.end())
    scores.level_key.swap(level_key)
    scores.positives.swap(level_positives)
    scores.negative_key.swap(negative_key)
    scores.changes.clear()
    count_negatives(scores)


cdef inline double pooled_error(const PairScores* scores) noexcept nogil:
    """1 - the area under the curve after the changes, which are sorted."""
    cdef PooledCurve curve
    cdef const uint64_t* changes = scores.changes.data()
    cdef const uint64_t* level_key = scores.level_key.data()
    cdef const int64_t* level_positives = scores.positives.data()
    cdef const int64_t* level_negatives = scores.negatives.data()
    cdef const int64_t* level_above = scores.above.data()
    cdef size_t level = 0, n_levels = scores.level_key.size(), c = 0, n_changes = scores.changes.size()
    cdef uint64_t key, changed
    cdef int64_t by, positive, positives, more_negatives, above, below, shift = 0    # shift: negatives put above
    cdef int64_t n_negatives = <int64_t>scores.negative_key.size()
    begin(&curve)
    while level < n_levels or c < n_changes:
        changed = changes[c] >> 2 if c < n_changes else 0
        key = level_key[level] if level < n_levels else 0
        if key > changed:
            curve.add(<double>(level_above[level] + shift), level_positives[level], level_negatives[level])
            level += 1
            continue
        positives = more_negatives = 0
        while c < n_changes and changes[c] >> 2 == changed:
            by = 2 * <int64_t>(changes[c] & PUT) - 1        # without branches: no telling which flag comes next
            positive = <int64_t>(changes[c] & POSITIVE) >> 1
            positives += by * positive
            more_negatives += by * (1 - positive)
            c += 1
        if key == changed:
            positives += level_positives[level]
            curve.add(<double>(level_above[level] + shift), positives, level_negatives[level] + more_negatives)
            level += 1
        elif positives > 0:
            above = level_above[level - 1] + level_negatives[level - 1] if level > 0 else 0
            below = level_above[level] if level < n_levels else n_negatives
            above = first_at_most(scores, changed, above, below)
            below = first_at_most(scores, changed - 1, above, below)
            curve.add(<double>(above + shift), positives, below - above + more_negatives)
        shift += more_negatives
    n_negatives += shift
    curve.add(<double>n_negatives, scores.n_positives - <int64_t>curve.tp, scores.n_negatives - n_negatives)
    return error_of(&curve)
