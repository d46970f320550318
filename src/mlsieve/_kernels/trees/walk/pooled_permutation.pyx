"""The permutation statistics of one tree's out-of-bag examples by 1 - the area under their pooled precision-recall curve.

All (example, label) pairs are on one curve, see `pair_scores`. Permuting a feature moves pairs from some scores to
others. To find them, the examples that it sends to other nodes pass through the tree again.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport as_double_array, as_int_array
from mlsieve._kernels.common.data_structs cimport Columns, Labels, code_at
from mlsieve._kernels.trees.walk.out_of_bag cimport (
    Meeting, OutOfBag, OutOfBagTree, answers_otherwise, child, load_column, set_up, shuffle, sort_meetings, stamp_labels
)
from mlsieve._kernels.trees.walk.pair_scores cimport PUT, PairScores, change, pooled_error, take_levels
from mlsieve._kernels.trees.walk.score_keys cimport score_key, sort_keys
from mlsieve._kernels.trees.walk.tree_nodes cimport Nodes


cdef extern from *:
    """
    struct Pool {
        OutOfBag bag;
        std::vector<double> leaf_mean;       // of each entry of leaf_label
        std::vector<uint64_t> leaf_key;      // its score
        std::vector<int32_t> subtree_end;    // (nodes,) the next node that is not below this one
        std::vector<int32_t> leaf;           // (out-of-bag examples,) or -1 if missing values spread it
        std::vector<int64_t> mixed_start;    // (out-of-bag examples + 1) of what spread examples get
        std::vector<int32_t> mixed_label;
        std::vector<double> mixed_mean;
        std::vector<double> met_share;       // of spread examples at nodes: Meeting.code is a place here
        PairScores scores;                   // of all (example, label) pairs
        std::vector<int32_t> stamp;          // (L,) last out-of-bag example that has the label
        std::vector<double> mean;            // (L,) sums over several leaves
        std::vector<int32_t> mean_label, pending;
        std::vector<double> share;
        std::vector<double> permuted;        // error of each feature met
    };
    """
    cdef cppclass Pool nogil:
        OutOfBag bag
        vector[double] leaf_mean
        vector[uint64_t] leaf_key
        vector[int32_t] subtree_end, leaf
        vector[int64_t] mixed_start
        vector[int32_t] mixed_label
        vector[double] mixed_mean, met_share
        PairScores scores
        vector[int32_t] stamp
        vector[double] mean
        vector[int32_t] mean_label, pending
        vector[double] share, permuted


# ------------------------------------------------------------------------------------------------------ walking a tree


cdef inline void meet(Pool* pool, int32_t example, int32_t feature, int32_t node, int32_t share_at) noexcept nogil:
    cdef Meeting meeting
    meeting.example = example
    meeting.feature = feature
    meeting.node = node
    meeting.code = share_at
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


cdef void add_leaves(
    Pool* pool, const Columns* columns, const Nodes* nodes, int32_t row, int32_t start, double share, int32_t changed,
    int32_t code, int32_t example
) noexcept nogil:
    """Add to pool.mean the leaves over which missing values spread a row below a node that it reaches with a share.

    Labels get into pool.mean_label when their sum is 0 before, so that one may be there twice; not if the share is
    negative, for then they are the example's own. Nodes on the way are noted as met by `example`, unless that is -1.
    """
    cdef int32_t node, feature, value, j
    cdef double part, held
    cdef double* mean = pool.mean.data()
    cdef const double* leaf_mean = pool.leaf_mean.data()
    cdef int64_t q
    pool.pending.clear()
    pool.share.clear()
    pool.pending.push_back(start)
    pool.share.push_back(share)
    while pool.pending.size() > 0:
        node = pool.pending.back()
        part = pool.share.back()
        pool.pending.pop_back()
        pool.share.pop_back()
        while nodes.feature[node] >= 0:
            feature = nodes.feature[node]
            value = code if feature == changed else code_at(columns, row, feature)
            if example >= 0:
                meet(pool, example, feature, node, <int32_t>pool.met_share.size())
                pool.met_share.push_back(part)
            if value < 0:
                pool.pending.push_back(nodes.no[node])
                pool.share.push_back(part * (1.0 - nodes.yes_share[node]))
                part = part * nodes.yes_share[node]
                node = nodes.yes[node]
            else:
                node = child(nodes, node, value)
        if part < 0.0:
            for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
                mean[nodes.leaf_label[q]] += part * leaf_mean[q]
            continue
        for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
            j = nodes.leaf_label[q]
            held = mean[j]
            mean[j] = held + part * leaf_mean[q]
            if held == 0.0:
                pool.mean_label.push_back(j)


cdef void walk_all(
    Pool* pool, const Columns* columns, const Nodes* nodes, const int32_t* rows, int64_t n_oob
) noexcept nogil:
    """Send the out-of-bag examples through the tree unchanged; note their leaves or mixtures, and the nodes met."""
    cdef int64_t i
    cdef int32_t node, j
    cdef size_t s
    pool.mixed_start.push_back(0)
    for i in range(n_oob):
        pool.leaf[i] = find_leaf(columns, nodes, rows[i], 0, -1, -1)
        if pool.leaf[i] >= 0:
            node = 0
            while nodes.feature[node] >= 0:
                meet(pool, <int32_t>i, nodes.feature[node], node, -1)
                node = child(nodes, node, code_at(columns, rows[i], nodes.feature[node]))
        else:
            pool.mean_label.clear()
            add_leaves(pool, columns, nodes, rows[i], 0, 1.0, -1, -1, <int32_t>i)
            for s in range(pool.mean_label.size()):
                j = pool.mean_label[s]
                pool.mixed_label.push_back(j)
                pool.mixed_mean.push_back(pool.mean[j])
                pool.mean[j] = 0.0
        pool.mixed_start.push_back(<int64_t>pool.mixed_label.size())


# ------------------------------------------------------------------------------------------------------ scores


cdef void change_leaf(Pool* pool, const Nodes* nodes, int32_t leaf, int32_t example, uint64_t put) noexcept nogil:
    """Put the pairs of an example in a leaf, or take them away."""
    cdef int64_t q
    for q in range(nodes.leaf_start[leaf], nodes.leaf_start[leaf + 1]):
        change(&pool.scores, pool.leaf_key[q], pool.stamp[nodes.leaf_label[q]] == example, put)


cdef void find_levels(
    Pool* pool, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob
) noexcept nogil:
    """Sort the pairs of the examples as they are."""
    cdef int64_t i, q
    pool.scores.changes.clear()
    pool.scores.n_positives = 0
    for i in range(n_oob):
        stamp_labels(pool.stamp.data(), labels, rows[i], <int32_t>i)
        pool.scores.n_positives += labels.start[rows[i] + 1] - labels.start[rows[i]]
        if pool.leaf[i] >= 0:
            change_leaf(pool, nodes, pool.leaf[i], <int32_t>i, PUT)
        for q in range(pool.mixed_start[i], pool.mixed_start[i + 1]):
            change(&pool.scores, score_key(pool.mixed_mean[q]), pool.stamp[pool.mixed_label[q]] == i, PUT)
    pool.scores.n_negatives = n_oob * labels.n_labels - pool.scores.n_positives
    take_levels(&pool.scores)


# ------------------------------------------------------------------------------------------------------ permuting


cdef void change_scores(Pool* pool, const Nodes* nodes, int32_t example) noexcept nogil:
    """Change the scores of an example by pool.mean, which returns to 0."""
    cdef int64_t q
    cdef size_t s
    cdef int32_t j, leaf = pool.leaf[example]
    if leaf >= 0:
        for q in range(nodes.leaf_start[leaf], nodes.leaf_start[leaf + 1]):
            change_score(pool, example, nodes.leaf_label[q], pool.leaf_mean[q])
    for q in range(pool.mixed_start[example], pool.mixed_start[example + 1]):
        change_score(pool, example, pool.mixed_label[q], pool.mixed_mean[q])
    for s in range(pool.mean_label.size()):
        change_score(pool, example, pool.mean_label[s], 0.0)


cdef inline void change_score(Pool* pool, int32_t example, int32_t label, double own) noexcept nogil:
    cdef uint64_t key, other
    cdef bint positive
    if pool.mean[label] == 0.0:
        return
    key = score_key(own)
    other = score_key(own + pool.mean[label])
    pool.mean[label] = 0.0
    if key != other:
        positive = pool.stamp[label] == example
        change(&pool.scores, key, positive, 0)
        change(&pool.scores, other, positive, PUT)


cdef void branch(
    Pool* pool, const Columns* columns, const Nodes* nodes, int32_t row, int32_t node, double share, int32_t feature,
    int32_t code
) noexcept nogil:
    """Add to pool.mean what a row gets below a node that tests the feature, when it has this code."""
    if code < 0:
        add_leaves(pool, columns, nodes, row, nodes.yes[node], share * nodes.yes_share[node], feature, code, -1)
        add_leaves(pool, columns, nodes, row, nodes.no[node], share * (1.0 - nodes.yes_share[node]), feature, code, -1)
    else:
        add_leaves(pool, columns, nodes, row, child(nodes, node, code), share, feature, code, -1)


cdef void move_example(
    Pool* pool, const Columns* columns, const Labels* labels, const Nodes* nodes, int32_t row, int64_t first,
    int64_t last, int32_t own, int32_t code
) noexcept nogil:
    """Note what changes for an example if a feature has another code than its own; it meets that from first to last."""
    cdef int64_t m
    cdef int32_t leaf, node, covered = 0
    cdef double share
    cdef bint moved = False
    cdef const Meeting* meeting = &pool.bag.sorted[first]
    cdef int32_t example = meeting.example, feature = meeting.feature
    for m in range(first, last):
        meeting = &pool.bag.sorted[m]
        node = meeting.node
        if node < covered or not answers_otherwise(nodes, node, own, code):
            continue
        if not moved:
            moved = True
            stamp_labels(pool.stamp.data(), labels, row, example)
            pool.mean_label.clear()
        leaf = find_leaf(columns, nodes, row, node, feature, code) if pool.leaf[example] >= 0 else -1
        if leaf >= 0:
            change_leaf(pool, nodes, pool.leaf[example], example, 0)
            change_leaf(pool, nodes, leaf, example, PUT)
            return
        share = pool.met_share[meeting.code] if meeting.code >= 0 else 1.0
        branch(pool, columns, nodes, row, node, -share, feature, own)
        branch(pool, columns, nodes, row, node, share, feature, code)
        covered = pool.subtree_end[node]
    if moved:
        change_scores(pool, nodes, example)


cdef void permute_feature(
    Pool* pool, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob,
    int32_t feature, uint64_t key
) noexcept nogil:
    """Note what changes when the feature is permuted."""
    cdef int32_t own, code, example
    cdef int64_t first = pool.bag.start[feature], last, end = pool.bag.start[feature + 1]
    shuffle(&pool.bag, feature, n_oob, key)
    load_column(&pool.bag, columns, feature, rows, n_oob)
    pool.scores.changes.clear()
    while first < end:
        example = pool.bag.sorted[first].example
        last = first + 1
        while last < end and pool.bag.sorted[last].example == example:
            last += 1
        own = pool.bag.column[example]
        code = pool.bag.column[pool.bag.shuffle[example]]
        if code != own:
            move_example(pool, columns, labels, nodes, rows[example], first, last, own, code)
        first = last
    sort_keys(pool.scores.changes, pool.scores.sorted)


cdef double permute_all(
    Pool* pool, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob,
    uint64_t key
) noexcept nogil:
    """Return the error of the out-of-bag examples; pool.permuted gets that after permuting each feature met."""
    cdef int32_t feature
    cdef double error
    walk_all(pool, columns, nodes, rows, n_oob)
    find_levels(pool, labels, nodes, rows, n_oob)
    pool.scores.changes.clear()
    error = pooled_error(&pool.scores)
    sort_meetings(&pool.bag, columns.n_features, True)
    for feature in range(columns.n_features):
        if pool.bag.start[feature] == pool.bag.start[feature + 1]:
            continue
        pool.bag.met.push_back(feature)
        permute_feature(pool, columns, labels, nodes, rows, n_oob, feature, key)
        pool.permuted.push_back(pooled_error(&pool.scores) if pool.scores.changes.size() > 0 else error)
    return error


cdef int load_nodes(Pool* pool, const Nodes* nodes, int64_t n_nodes) except -1 nogil:
    """Take up the scores of the leaves' labels, and where the nodes below each end."""
    cdef int64_t node, q
    pool.leaf_mean.resize(nodes.leaf_start[n_nodes])
    pool.leaf_key.resize(nodes.leaf_start[n_nodes])
    pool.subtree_end.resize(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        pool.subtree_end[node] = <int32_t>node + 1 if nodes.feature[node] < 0 else pool.subtree_end[nodes.no[node]]
        for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
            pool.leaf_mean[q] = nodes.leaf_count[q] / nodes.weight[node]
            pool.leaf_key[q] = score_key(pool.leaf_mean[q])


def pooled_permutation_errors(OutOfBagTree tree):
    """1 - pooled AUPRC of one tree on its out-of-bag examples, as they are and with one feature permuted at a time.

    Permutations are those of `permutation_errors`. Scores count as equal where they are the same multiple of 2^-40.

    Returns
    -------
    error : float
        In [0, 1]; 1 without any positive label.
    features : ndarray of int32
        Features met by an out-of-bag example, rising; all others change nothing.
    permuted : ndarray of float64
        Error after permuting each of them.
    """
    cdef double error = 1.0
    cdef Pool* pool = new Pool()
    try:
        with nogil:
            set_up(&pool.bag, &tree.columns, tree.rows, tree.n_oob)
            pool.leaf.resize(tree.n_oob)
            pool.stamp.assign(tree.labels.n_labels, -1)
            pool.mean.assign(tree.labels.n_labels, 0.0)
            load_nodes(pool, &tree.nodes, tree.n_nodes)
            if tree.n_oob > 0:
                error = permute_all(pool, &tree.columns, &tree.labels, &tree.nodes, tree.rows, tree.n_oob, tree.key)
        return error, as_int_array(&pool.bag.met), as_double_array(&pool.permuted)
    finally:
        del pool
