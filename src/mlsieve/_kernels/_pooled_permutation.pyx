"""The permutation statistics of one tree's out-of-bag examples by 1 - the area under their pooled precision-recall curve.

All (example, label) pairs are on one curve. Nearly all of their scores are 0 and only counted. The others are numbered by
falling score ("levels"): those of the leaves' labels, and those that the examples as they are get from several leaves.
Permuting a feature moves some examples' pairs from level to level; scores that only a permuted example gets are sorted
by themselves and merged in.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels._convert cimport as_double_array, as_int_array, columns_of
from mlsieve._kernels._out_of_bag cimport (
    Meeting, OutOfBag, answers_otherwise, child, load_column, nodes_of, set_up, shuffle, sort_meetings
)
from mlsieve._kernels._pooled_curve cimport PooledCurve, begin, error_of
from mlsieve._kernels._rng cimport make_key
from mlsieve._kernels._score_keys cimport KeyedPlace, score_key, sort_keys
from mlsieve._kernels._tree_nodes cimport Nodes
from mlsieve._kernels._typedefs cimport PERMUTATION, Columns, Labels, code_at


cdef extern from *:
    """
    struct Pool {
        OutOfBag bag;
        std::vector<double> leaf_mean;       // of each entry of leaf_label
        std::vector<int32_t> level;          // of each entry of leaf_label, then of each mixed pair; -1: score 0
        std::vector<uint64_t> mixed_key;     // of the mixed pairs: an example's scores from several leaves
        std::vector<int32_t> mixed_label;
        std::vector<int64_t> mixed_start;    // (out-of-bag examples + 1)
        std::vector<int32_t> leaf;           // (out-of-bag examples,) or -1 for a mixture
        std::vector<uint64_t> level_key;     // falling
        std::vector<int32_t> positives, negatives;  // (levels,)
        int64_t n_positives, n_negatives;    // of score 0
        std::vector<KeyedPlace> fresh, sorted;  // scores from permuting; place 1: positive
        std::vector<int32_t> stamp;          // (L,) last out-of-bag example that has the label
        std::vector<double> mean;            // (L,) of a prediction from several leaves
        std::vector<int32_t> mean_label, pending;
        std::vector<double> share;
        std::vector<double> permuted;        // error of each feature met
        int64_t n_leaf_labels;
    };
    """
    cdef cppclass Pool nogil:
        OutOfBag bag
        vector[double] leaf_mean
        vector[int32_t] level
        vector[uint64_t] mixed_key
        vector[int32_t] mixed_label
        vector[int64_t] mixed_start
        vector[int32_t] leaf
        vector[uint64_t] level_key
        vector[int32_t] positives, negatives
        int64_t n_positives, n_negatives
        vector[KeyedPlace] fresh, sorted
        vector[int32_t] stamp
        vector[double] mean
        vector[int32_t] mean_label, pending
        vector[double] share, permuted
        int64_t n_leaf_labels


# ------------------------------------------------------------------------------------------------------ walking a tree


cdef inline void meet(Pool* pool, int32_t example, int32_t feature, int32_t node) noexcept nogil:
    cdef Meeting meeting
    meeting.example = example
    meeting.feature = feature
    meeting.node = node
    meeting.code = -1
    pool.bag.meetings.push_back(meeting)


cdef int32_t find_leaf(
    const Columns* columns, const Nodes* nodes, int32_t row, int32_t start, int32_t changed, int32_t code
) noexcept nogil:
    """The leaf that a row reaches from a node if feature `changed` has this code; -1 if a value is missing on the way."""
    cdef int32_t node = start, feature, value
    while nodes.feature[node] >= 0:
        feature = nodes.feature[node]
        value = code if feature == changed else code_at(columns, row, feature)
        if value < 0:
            return -1
        node = child(nodes, node, value)
    return node


cdef void mix_leaves(
    Pool* pool, const Columns* columns, const Nodes* nodes, int32_t row, int32_t changed, int32_t code, int32_t example
) noexcept nogil:
    """Add up the leaves over which missing values spread a row: pool.mean of the labels in pool.mean_label.

    Nodes on the way are noted as met by `example`, unless that is -1.
    """
    cdef int32_t node, feature, value, j
    cdef double part
    cdef int64_t q
    pool.pending.clear()
    pool.share.clear()
    pool.mean_label.clear()
    pool.pending.push_back(0)
    pool.share.push_back(1.0)
    while pool.pending.size() > 0:
        node = pool.pending.back()
        part = pool.share.back()
        pool.pending.pop_back()
        pool.share.pop_back()
        while nodes.feature[node] >= 0:
            feature = nodes.feature[node]
            value = code if feature == changed else code_at(columns, row, feature)
            if example >= 0:
                meet(pool, example, feature, node)
            if value < 0:
                pool.pending.push_back(nodes.no[node])
                pool.share.push_back(part * (1.0 - nodes.yes_share[node]))
                part = part * nodes.yes_share[node]
                node = nodes.yes[node]
            else:
                node = child(nodes, node, value)
        for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
            j = nodes.leaf_label[q]
            if pool.mean[j] == 0.0:
                pool.mean_label.push_back(j)
            pool.mean[j] += part * pool.leaf_mean[q]


cdef void walk_all(
    Pool* pool, const Columns* columns, const Nodes* nodes, const int32_t* rows, int64_t n_oob
) noexcept nogil:
    """Walk the out-of-bag examples as they are; note their leaves or mixtures, and the nodes they meet."""
    cdef int64_t i
    cdef int32_t node, j
    cdef size_t s
    pool.mixed_start.push_back(0)
    for i in range(n_oob):
        pool.leaf[i] = find_leaf(columns, nodes, rows[i], 0, -1, -1)
        if pool.leaf[i] >= 0:
            node = 0
            while nodes.feature[node] >= 0:
                meet(pool, <int32_t>i, nodes.feature[node], node)
                node = child(nodes, node, code_at(columns, rows[i], nodes.feature[node]))
        else:
            mix_leaves(pool, columns, nodes, rows[i], -1, -1, <int32_t>i)
            for s in range(pool.mean_label.size()):
                j = pool.mean_label[s]
                pool.mixed_key.push_back(score_key(pool.mean[j]))
                pool.mixed_label.push_back(j)
                pool.mean[j] = 0.0
        pool.mixed_start.push_back(<int64_t>pool.mixed_key.size())


# ------------------------------------------------------------------------------------------------------ levels


cdef void number_levels(Pool* pool) noexcept nogil:
    """Number the scores of the leaves' labels and of the mixtures by falling score."""
    cdef KeyedPlace item
    cdef int64_t q, n = pool.n_leaf_labels + <int64_t>pool.mixed_key.size()
    cdef size_t t
    pool.fresh.clear()
    pool.fresh.reserve(n)
    pool.level.assign(n, -1)
    for q in range(n):
        item.key = score_key(pool.leaf_mean[q]) if q < pool.n_leaf_labels else pool.mixed_key[q - pool.n_leaf_labels]
        item.place = <int32_t>q
        if item.key > 0:
            pool.fresh.push_back(item)
    sort_keys(pool.fresh, pool.sorted)
    for t in range(pool.fresh.size()):
        if t == 0 or pool.fresh[t].key != pool.fresh[t - 1].key:
            pool.level_key.push_back(pool.fresh[t].key)
        pool.level[pool.fresh[t].place] = <int32_t>pool.level_key.size() - 1
    pool.positives.assign(pool.level_key.size(), 0)
    pool.negatives.assign(pool.level_key.size(), 0)


cdef inline void count_pair(Pool* pool, int32_t level, bint positive, int32_t by) noexcept nogil:
    """Count a pair whose score is not 0, and so does not count as one of score 0; or the reverse, if `by` is -1."""
    if level < 0:
        return
    if positive:
        pool.positives[level] += by
        pool.n_positives -= by
    else:
        pool.negatives[level] += by
        pool.n_negatives -= by


cdef void count_leaf(Pool* pool, const Nodes* nodes, int32_t leaf, int32_t example, int32_t by) noexcept nogil:
    cdef int64_t q
    for q in range(nodes.leaf_start[leaf], nodes.leaf_start[leaf + 1]):
        count_pair(pool, pool.level[q], pool.stamp[nodes.leaf_label[q]] == example, by)


cdef void count_example(Pool* pool, const Nodes* nodes, int32_t example, int32_t by) noexcept nogil:
    """Count the pairs of an example as it is (by 1), or take them out (by -1)."""
    cdef int64_t q
    if pool.leaf[example] >= 0:
        count_leaf(pool, nodes, pool.leaf[example], example, by)
        return
    for q in range(pool.mixed_start[example], pool.mixed_start[example + 1]):
        count_pair(
            pool, pool.level[pool.n_leaf_labels + q], pool.stamp[pool.mixed_label[q]] == example, by
        )


cdef inline void load_labels(Pool* pool, const Labels* labels, int32_t row, int32_t example) noexcept nogil:
    cdef int64_t q
    for q in range(labels.start[row], labels.start[row + 1]):
        pool.stamp[labels.index[q]] = example


cdef inline size_t add_fresh(
    const Pool* pool, size_t first, int64_t positives, int64_t negatives, PooledCurve* curve
) noexcept nogil:
    """Add the fresh pairs of one score and so many others of the same to the curve; return where the next score begins."""
    cdef size_t t = first
    cdef uint64_t key = pool.fresh[first].key
    while t < pool.fresh.size() and pool.fresh[t].key == key:
        if pool.fresh[t].place:
            positives += 1
        else:
            negatives += 1
        t += 1
    curve.add(positives, negatives)
    return t


cdef double pooled_error(Pool* pool) noexcept nogil:
    """1 - the area under the curve of the counts in the levels, the fresh scores, and the pairs of score 0."""
    cdef PooledCurve curve
    cdef size_t level, t = 0, n = pool.fresh.size()
    cdef uint64_t key
    cdef int64_t positives, negatives
    begin(&curve)
    for level in range(pool.level_key.size()):
        key = pool.level_key[level]
        while t < n and pool.fresh[t].key > key:
            t = add_fresh(pool, t, 0, 0, &curve)
        if t < n and pool.fresh[t].key == key:
            t = add_fresh(pool, t, pool.positives[level], pool.negatives[level], &curve)
        else:
            curve.add(pool.positives[level], pool.negatives[level])
    while t < n:
        t = add_fresh(pool, t, 0, 0, &curve)
    curve.add(pool.n_positives, pool.n_negatives)
    return error_of(&curve)


# ------------------------------------------------------------------------------------------------------ permuting


cdef void move_example(
    Pool* pool, const Columns* columns, const Labels* labels, const Nodes* nodes, int32_t row, const Meeting* meeting
) noexcept nogil:
    """Take an example's pairs out and put in those it has with another code of the feature."""
    cdef int32_t leaf = -1, j, example = meeting.example
    cdef size_t s
    cdef bint positive
    cdef KeyedPlace item
    load_labels(pool, labels, row, example)
    count_example(pool, nodes, example, -1)
    if meeting.code >= 0:
        leaf = find_leaf(
            columns, nodes, row, meeting.node if pool.leaf[example] >= 0 else 0, meeting.feature, meeting.code
        )
    if leaf >= 0:
        count_leaf(pool, nodes, leaf, example, 1)
        return
    mix_leaves(pool, columns, nodes, row, meeting.feature, meeting.code, -1)
    for s in range(pool.mean_label.size()):
        j = pool.mean_label[s]
        item.key = score_key(pool.mean[j])
        pool.mean[j] = 0.0
        if item.key == 0:
            continue
        positive = pool.stamp[j] == example
        item.place = positive
        pool.fresh.push_back(item)
        if positive:
            pool.n_positives -= 1
        else:
            pool.n_negatives -= 1


cdef void permute_feature(
    Pool* pool, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob,
    int32_t feature, uint64_t key
) noexcept nogil:
    """Move the examples whose prediction may change when the feature is permuted; keep them in bag.meetings."""
    cdef int32_t left = -1                 # the last example that left its path
    cdef int32_t own
    cdef int64_t m
    cdef Meeting meeting
    shuffle(&pool.bag, feature, n_oob, key)
    load_column(&pool.bag, columns, feature, rows, n_oob)
    pool.bag.meetings.clear()
    pool.fresh.clear()
    for m in range(pool.bag.start[feature], pool.bag.start[feature + 1]):
        meeting = pool.bag.sorted[m]
        meeting.code = pool.bag.column[pool.bag.shuffle[meeting.example]]
        own = pool.bag.column[meeting.example]
        if meeting.example == left or meeting.code == own:
            continue
        if answers_otherwise(nodes, meeting.node, own, meeting.code):
            move_example(pool, columns, labels, nodes, rows[meeting.example], &meeting)
            pool.bag.meetings.push_back(meeting)
            left = meeting.example
    sort_keys(pool.fresh, pool.sorted)


cdef double permute_all(
    Pool* pool, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob,
    uint64_t key
) noexcept nogil:
    """Return the error of the out-of-bag examples; pool.permuted gets that after permuting each feature met."""
    cdef int64_t i, n_positives, n_negatives
    cdef int32_t feature
    cdef double error
    cdef size_t m
    cdef vector[int32_t] positives, negatives
    walk_all(pool, columns, nodes, rows, n_oob)
    number_levels(pool)
    pool.n_positives = 0
    for i in range(n_oob):
        pool.n_positives += labels.start[rows[i] + 1] - labels.start[rows[i]]
    pool.n_negatives = n_oob * labels.n_labels - pool.n_positives
    for i in range(n_oob):
        load_labels(pool, labels, rows[i], <int32_t>i)
        count_example(pool, nodes, <int32_t>i, 1)
    pool.fresh.clear()
    error = pooled_error(pool)
    n_positives = pool.n_positives
    n_negatives = pool.n_negatives
    positives = pool.positives
    negatives = pool.negatives
    sort_meetings(&pool.bag, columns.n_features, True)
    for feature in range(columns.n_features):
        if pool.bag.start[feature] == pool.bag.start[feature + 1]:
            continue
        pool.bag.met.push_back(feature)
        permute_feature(pool, columns, labels, nodes, rows, n_oob, feature, key)
        if pool.bag.meetings.size() == 0:
            pool.permuted.push_back(error)
            continue
        pool.permuted.push_back(pooled_error(pool))
        pool.positives = positives
        pool.negatives = negatives
        pool.n_positives = n_positives
        pool.n_negatives = n_negatives
    return error


def pooled_permutation_errors(
    object store,
    dict tree_arrays,
    const int64_t[::1] label_start,
    const int32_t[::1] label_index,
    int32_t n_labels,
    const int32_t[::1] rows,
    uint64_t seed,
    uint64_t tree,
):
    """1 - pooled AUPRC of one tree on its out-of-bag examples, as they are and with one feature permuted at a time.

    Permutations are those of `permutation_errors`. Scores count as equal where they are the same multiple of 2^-40.

    Parameters
    ----------
    store : ColumnStore
        The coded training features.
    tree_arrays : dict
        What `TreeGrower.grow` returned.
    label_start, label_index : ndarray of int64, shape (n + 1,), and of int32
        Positive labels of each row (CSR).
    n_labels : int
        L.
    rows : ndarray of int32
        Out-of-bag rows.
    seed, tree : int
        Key of the permutations.

    Returns
    -------
    error : float
        In [0, 1]; 1 without any positive label.
    features : ndarray of int32
        Features met by an out-of-bag example, rising; all others change nothing.
    permuted : ndarray of float64
        Error after permuting each of them.
    """
    cdef Columns columns = columns_of(store)
    cdef Labels labels
    cdef Nodes nodes = nodes_of(tree_arrays)
    cdef int64_t n_nodes = len(tree_arrays["feature"]), n_oob = rows.shape[0], node, q
    cdef double error = 1.0
    labels.n_labels = n_labels
    labels.start = &label_start[0]
    labels.index = &label_index[0] if label_index.shape[0] else NULL
    labels.weight = NULL
    cdef Pool* pool = new Pool()
    try:
        with nogil:
            set_up(&pool.bag, &columns, &rows[0] if n_oob > 0 else NULL, n_oob)
            pool.leaf.resize(n_oob)
            pool.stamp.assign(n_labels, -1)
            pool.mean.assign(n_labels, 0.0)
            pool.n_leaf_labels = nodes.leaf_start[n_nodes]
            pool.leaf_mean.resize(pool.n_leaf_labels)
            for node in range(n_nodes):
                for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
                    pool.leaf_mean[q] = nodes.leaf_count[q] / nodes.weight[node]
            if n_oob > 0:
                error = permute_all(
                    pool, &columns, &labels, &nodes, &rows[0], n_oob, make_key(seed, tree, PERMUTATION)
                )
        return error, as_int_array(&pool.bag.met), as_double_array(&pool.permuted)
    finally:
        del pool
