"""Walking grown trees: prediction, and the permutation statistics of one tree's out-of-bag examples."""

from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels._convert cimport columns_of
from mlsieve._kernels._rng cimport below, make_key
from mlsieve._kernels._typedefs cimport PERMUTATION, Columns, Labels, code_at

import numpy as np


cdef struct Nodes:
    # One tree; see _typedefs.Tree.
    const int32_t* feature
    const int32_t* yes
    const int32_t* no
    const int32_t* code
    const double* threshold
    const double* weight
    const double* yes_share
    const int64_t* subset_start
    const int32_t* subset
    const int64_t* leaf_start
    const int32_t* leaf_label
    const double* leaf_count


cdef inline bint is_nominal(const Nodes* nodes, int32_t node) noexcept nogil:
    return nodes.subset_start[node + 1] > nodes.subset_start[node]


cdef inline bint in_subset(const Nodes* nodes, int32_t node, int32_t category) noexcept nogil:
    """Whether a category answers "yes" (the subset is sorted)."""
    cdef int64_t low = nodes.subset_start[node], high = nodes.subset_start[node + 1], middle
    while low < high:
        middle = (low + high) // 2
        if nodes.subset[middle] < category:
            low = middle + 1
        else:
            high = middle
    return low < nodes.subset_start[node + 1] and nodes.subset[low] == category


# ---------------------------------------------------------------------------------------------- prediction


cdef void add_votes(const Nodes* nodes, const double* x, double* votes, vector[int32_t]* pending, vector[double]* share) noexcept nogil:
    """Add one tree's label means for one example; a missing value splits it over both branches."""
    cdef int32_t node
    cdef double part, value
    cdef int64_t q
    pending.clear()
    share.clear()
    pending.push_back(0)
    share.push_back(1.0)
    while pending.size() > 0:
        node = pending.back()
        part = share.back()
        pending.pop_back()
        share.pop_back()
        while nodes.feature[node] >= 0:
            value = x[nodes.feature[node]]
            if isnan(value):
                pending.push_back(nodes.no[node])
                share.push_back(part * (1.0 - nodes.yes_share[node]))
                part = part * nodes.yes_share[node]
                node = nodes.yes[node]
            elif is_nominal(nodes, node):
                node = nodes.yes[node] if in_subset(nodes, node, <int32_t>value) else nodes.no[node]
            else:
                node = nodes.yes[node] if value > nodes.threshold[node] else nodes.no[node]
        for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
            votes[nodes.leaf_label[q]] += part * (nodes.leaf_count[q] / nodes.weight[node])


def add_predictions(
    const double[:, ::1] X,
    const int64_t[::1] tree_start,
    const int64_t[::1] subset_start,
    const int64_t[::1] leaf_start,
    const int32_t[::1] feature,
    const int32_t[::1] yes,
    const int32_t[::1] no,
    const double[::1] threshold,
    const double[::1] weight,
    const double[::1] yes_share,
    const int32_t[::1] subset,
    const int32_t[::1] leaf_label,
    const double[::1] leaf_count,
    int64_t first_tree,
    int64_t last_tree,
    double[:, ::1] votes,
):
    """Add the label means of trees first_tree .. last_tree - 1 to `votes`.

    Parameters
    ----------
    X : ndarray of float64, shape (n, F)
        NaN is missing; nominal features hold category positions.
    tree_start : ndarray of int64, shape (T + 1,)
        First node of each tree; the node arrays are those of all trees, joined, children counted within a tree.
    subset_start, leaf_start : ndarray of int64, shape (nodes + 1,)
        Bounds of each node's entries in `subset`, and in `leaf_label` and `leaf_count`.
    votes : ndarray of float64, shape (n, L)
        Changed in place.
    """
    cdef Nodes nodes
    cdef int64_t i, tree, base
    cdef vector[int32_t] pending
    cdef vector[double] share
    if X.shape[0] == 0 or votes.shape[1] == 0:
        return
    with nogil:
        for i in range(X.shape[0]):
            for tree in range(first_tree, last_tree):
                base = tree_start[tree]
                nodes.feature = &feature[base]
                nodes.yes = &yes[base]
                nodes.no = &no[base]
                nodes.threshold = &threshold[base]
                nodes.weight = &weight[base]
                nodes.yes_share = &yes_share[base]
                nodes.subset_start = &subset_start[base]
                nodes.leaf_start = &leaf_start[base]
                nodes.subset = &subset[0] if subset.shape[0] else NULL
                nodes.leaf_label = &leaf_label[0] if leaf_label.shape[0] else NULL
                nodes.leaf_count = &leaf_count[0] if leaf_count.shape[0] else NULL
                add_votes(&nodes, &X[i, 0], &votes[i, 0], &pending, &share)


# ---------------------------------------------------------------------------------------------- permutation


cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Oob {
        std::vector<int32_t> row_codes;      // (F,) codes of the current row's sparse features
        std::vector<int32_t> last_seen;      // (F,) example on whose path the feature was met last
        std::vector<int64_t> shuffle_start;  // (F,) start of the feature's permutation, or -1
        std::vector<int32_t> shuffle;        // permutations of the features met so far
        std::vector<int64_t> change;         // (F,) change of wrong cells
        std::vector<int32_t> met;            // features met
        std::vector<int32_t> path_feature, path_node;
        std::vector<uint8_t> positive;       // (L,) labels of the current row
        std::vector<int64_t> predicted_start; // (nodes + 1) labels predicted by a leaf
        std::vector<int32_t> predicted;
        std::vector<double> mean;            // (L,) of a prediction from several leaves
        std::vector<int32_t> mean_label, pending;
        std::vector<double> share;
    };
    """
    cdef cppclass Oob nogil:
        vector[int32_t] row_codes, last_seen
        vector[int64_t] shuffle_start
        vector[int32_t] shuffle
        vector[int64_t] change
        vector[int32_t] met, path_feature, path_node
        vector[uint8_t] positive
        vector[int64_t] predicted_start
        vector[int32_t] predicted
        vector[double] mean
        vector[int32_t] mean_label, pending
        vector[double] share


cdef inline int32_t own_code(const Oob* oob, const Columns* columns, int32_t row, int32_t feature) noexcept nogil:
    """Code of the current row."""
    if columns.dense_slot[feature] >= 0:
        return columns.codes[<int64_t>columns.dense_slot[feature] * columns.n_rows + row]
    return oob.row_codes[feature]


cdef inline int32_t child(const Nodes* nodes, int32_t node, int32_t code) noexcept nogil:
    if is_nominal(nodes, node):
        return nodes.yes[node] if in_subset(nodes, node, code) else nodes.no[node]
    return nodes.yes[node] if code > nodes.code[node] else nodes.no[node]


cdef int64_t leaf_error(const Oob* oob, int32_t leaf, int64_t n_positive) noexcept nogil:
    """Wrong cells if the current row falls into this leaf."""
    cdef int64_t q, wrong = n_positive
    for q in range(oob.predicted_start[leaf], oob.predicted_start[leaf + 1]):
        wrong += -1 if oob.positive[oob.predicted[q]] else 1
    return wrong


cdef int64_t spread_error(
    Oob* oob, const Columns* columns, const Nodes* nodes, int32_t row, int64_t n_positive, int32_t changed, int32_t code,
    bint first_walk
) noexcept nogil:
    """Wrong cells of the current row when missing values spread it over several leaves.

    Feature `changed` (-1: none) has the code `code` instead of its own. The first walk notes the features met.
    """
    cdef int32_t node, feature, value, j
    cdef double part
    cdef int64_t q, wrong = n_positive
    cdef size_t i
    oob.pending.clear()
    oob.share.clear()
    oob.mean_label.clear()
    oob.pending.push_back(0)
    oob.share.push_back(1.0)
    while oob.pending.size() > 0:
        node = oob.pending.back()
        part = oob.share.back()
        oob.pending.pop_back()
        oob.share.pop_back()
        while nodes.feature[node] >= 0:
            feature = nodes.feature[node]
            value = code if feature == changed else own_code(oob, columns, row, feature)
            if first_walk and oob.last_seen[feature] != row:
                oob.last_seen[feature] = row
                oob.path_feature.push_back(feature)
                oob.path_node.push_back(0)
            if value < 0:
                oob.pending.push_back(nodes.no[node])
                oob.share.push_back(part * (1.0 - nodes.yes_share[node]))
                part = part * nodes.yes_share[node]
                node = nodes.yes[node]
            else:
                node = child(nodes, node, value)
        for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
            j = nodes.leaf_label[q]
            if oob.mean[j] == 0.0:
                oob.mean_label.push_back(j)
            oob.mean[j] += part * (nodes.leaf_count[q] / nodes.weight[node])
    for i in range(oob.mean_label.size()):
        j = oob.mean_label[i]
        if oob.mean[j] >= 0.5:
            wrong += -1 if oob.positive[j] else 1
        oob.mean[j] = 0.0
    return wrong


cdef int64_t walk_error(
    Oob* oob, const Columns* columns, const Nodes* nodes, int32_t row, int64_t n_positive, int32_t start,
    int32_t changed, int32_t code
) noexcept nogil:
    """Wrong cells after feature `changed` took another value; `start` is the first node that tests it."""
    cdef int32_t node = start, feature, value
    while nodes.feature[node] >= 0:
        feature = nodes.feature[node]
        value = code if feature == changed else own_code(oob, columns, row, feature)
        if value < 0:
            return spread_error(oob, columns, nodes, row, n_positive, changed, code, False)
        node = child(nodes, node, value)
    return leaf_error(oob, node, n_positive)


cdef int64_t first_error(
    Oob* oob, const Columns* columns, const Nodes* nodes, int32_t row, int64_t n_positive, bint* spread
) noexcept nogil:
    """Wrong cells of the current row as it is; notes the features on its path and where each is met first."""
    cdef int32_t node = 0, feature, value
    spread[0] = False
    oob.path_feature.clear()
    oob.path_node.clear()
    while nodes.feature[node] >= 0:
        feature = nodes.feature[node]
        value = own_code(oob, columns, row, feature)
        if value < 0:
            spread[0] = True
            break
        if oob.last_seen[feature] != row:
            oob.last_seen[feature] = row
            oob.path_feature.push_back(feature)
            oob.path_node.push_back(node)
        node = child(nodes, node, value)
    if not spread[0]:
        return leaf_error(oob, node, n_positive)
    return spread_error(oob, columns, nodes, row, n_positive, -1, -1, True)


cdef int64_t shuffled(Oob* oob, int32_t feature, int64_t n_oob, uint64_t key) noexcept nogil:
    """Start of the feature's own permutation of the out-of-bag examples (Fisher-Yates), drawn when first asked for."""
    cdef int64_t start = oob.shuffle_start[feature], i, other
    cdef int32_t held
    if start >= 0:
        return start
    start = <int64_t>oob.shuffle.size()
    oob.shuffle_start[feature] = start
    oob.met.push_back(feature)
    oob.shuffle.resize(start + n_oob)
    for i in range(n_oob):
        oob.shuffle[start + i] = <int32_t>i
    i = n_oob - 1
    while i > 0:
        other = <int64_t>below(key, feature, i, i + 1)
        held = oob.shuffle[start + i]
        oob.shuffle[start + i] = oob.shuffle[start + other]
        oob.shuffle[start + other] = held
        i -= 1
    return start


cdef void load_row(Oob* oob, const Columns* columns, const Labels* labels, int32_t row, bint load) noexcept nogil:
    """Write (or take back) a row's sparse codes and positive labels."""
    cdef int64_t q
    for q in range(columns.row_start[row], columns.row_start[row + 1]):
        oob.row_codes[columns.row_feature[q]] = (
            columns.row_code[q] if load else columns.rest_code[columns.row_feature[q]]
        )
    for q in range(labels.start[row], labels.start[row + 1]):
        oob.positive[labels.index[q]] = load


cdef int64_t permute_all(
    Oob* oob, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob,
    uint64_t key
) noexcept nogil:
    """Return the wrong cells of the out-of-bag examples; oob.change gets what each feature's permutation adds."""
    cdef int64_t i, wrong = 0, own, start, n_positive
    cdef size_t s
    cdef int32_t row, feature, code
    cdef bint spread
    for i in range(n_oob):
        row = rows[i]
        load_row(oob, columns, labels, row, True)
        n_positive = labels.start[row + 1] - labels.start[row]
        own = first_error(oob, columns, nodes, row, n_positive, &spread)
        wrong += own
        for s in range(oob.path_feature.size()):
            feature = oob.path_feature[s]
            start = shuffled(oob, feature, n_oob, key)
            code = code_at(columns, rows[oob.shuffle[start + i]], feature)
            if code == own_code(oob, columns, row, feature):
                continue
            if spread:
                oob.change[feature] += spread_error(oob, columns, nodes, row, n_positive, feature, code, False) - own
            else:
                oob.change[feature] += (
                    walk_error(oob, columns, nodes, row, n_positive, oob.path_node[s], feature, code) - own
                )
        load_row(oob, columns, labels, row, False)
    return wrong


cdef void note_predictions(Oob* oob, const Nodes* nodes, int64_t n_nodes) noexcept nogil:
    """The labels that each leaf predicts: those of at least half its weight."""
    cdef int64_t node, q
    oob.predicted_start.push_back(0)
    for node in range(n_nodes):
        if nodes.feature[node] < 0:
            for q in range(nodes.leaf_start[node], nodes.leaf_start[node + 1]):
                if nodes.leaf_count[q] / nodes.weight[node] >= 0.5:
                    oob.predicted.push_back(nodes.leaf_label[q])
        oob.predicted_start.push_back(<int64_t>oob.predicted.size())


def permutation_errors(
    object store,
    dict tree_arrays,
    const int64_t[::1] label_start,
    const int32_t[::1] label_index,
    int32_t n_labels,
    const int32_t[::1] rows,
    uint64_t seed,
    uint64_t tree,
):
    """Wrong label cells of one tree on its out-of-bag examples, as they are and with one feature permuted at a time.

    Only examples whose path meets a feature are walked again for it.

    Parameters
    ----------
    store : ColumnStore
        The coded training features.
    tree_arrays : dict
        What `grow_tree` returned.
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
    wrong : int
        Wrong cells out of L x len(rows).
    features : ndarray of int32
        Features met by an out-of-bag example, rising; all others change nothing.
    permuted : ndarray of int64
        Wrong cells after permuting each of them.
    """
    cdef Columns columns = columns_of(store)
    cdef Labels labels
    cdef Nodes nodes
    cdef const int32_t[::1] feature = tree_arrays["feature"], yes = tree_arrays["yes"], no = tree_arrays["no"]
    cdef const int32_t[::1] code = tree_arrays["code"], subset = tree_arrays["subset"]
    cdef const int32_t[::1] leaf_label = tree_arrays["leaf_label"]
    cdef const double[::1] threshold = tree_arrays["threshold"], weight = tree_arrays["weight"]
    cdef const double[::1] yes_share = tree_arrays["yes_share"], leaf_count = tree_arrays["leaf_count"]
    cdef const int64_t[::1] subset_start = tree_arrays["subset_start"], leaf_start = tree_arrays["leaf_start"]
    cdef int64_t n_oob = rows.shape[0], wrong = 0
    cdef int32_t i
    labels.n_labels = n_labels
    labels.start = &label_start[0]
    labels.index = &label_index[0] if label_index.shape[0] else NULL
    labels.weight = NULL
    nodes.feature = &feature[0]
    nodes.yes = &yes[0]
    nodes.no = &no[0]
    nodes.code = &code[0]
    nodes.threshold = &threshold[0]
    nodes.weight = &weight[0]
    nodes.yes_share = &yes_share[0]
    nodes.subset_start = &subset_start[0]
    nodes.subset = &subset[0] if subset.shape[0] else NULL
    nodes.leaf_start = &leaf_start[0]
    nodes.leaf_label = &leaf_label[0] if leaf_label.shape[0] else NULL
    nodes.leaf_count = &leaf_count[0] if leaf_count.shape[0] else NULL
    cdef Oob* oob = new Oob()
    try:
        with nogil:
            oob.row_codes.resize(columns.n_features)
            for i in range(columns.n_features):
                oob.row_codes[i] = columns.rest_code[i]
            oob.last_seen.assign(columns.n_features, -1)
            oob.shuffle_start.assign(columns.n_features, -1)
            oob.change.assign(columns.n_features, 0)
            oob.positive.assign(n_labels, 0)
            oob.mean.assign(n_labels, 0.0)
            note_predictions(oob, &nodes, feature.shape[0])
            if n_oob > 0:
                wrong = permute_all(
                    oob, &columns, &labels, &nodes, &rows[0], n_oob, make_key(seed, tree, PERMUTATION)
                )
        features = np.sort(np.array([oob.met.at(s) for s in range(oob.met.size())], dtype=np.int32))
        permuted = np.array([wrong + oob.change.at(f) for f in features], dtype=np.int64)
        return wrong, features, permuted
    finally:
        del oob
