"""The permutation statistics of one tree's out-of-bag examples by wrong label cells."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport as_int_array, as_long_array
from mlsieve._kernels.common.data_structs cimport Columns, Labels
from mlsieve._kernels.trees.walk.out_of_bag cimport (
    Meeting, OutOfBag, OutOfBagTree, answers_otherwise, child, load_column, set_up, shuffle, sort_meetings
)
from mlsieve._kernels.trees.walk.tree_nodes cimport Nodes

import numpy as np


cdef extern from *:
    """
    #include <cstdint>
    #include <vector>
    struct Oob {
        std::vector<int32_t> row_codes;      // (F,) codes of the current row's sparse features
        std::vector<int32_t> last_seen;      // (F,) row on whose paths the feature was met last
        OutOfBag bag;
        std::vector<int64_t> own;            // (out-of-bag examples,) wrong cells as they are
        std::vector<uint8_t> spread;         // (out-of-bag examples,) whether missing values spread it
        std::vector<int64_t> change;         // (F,) change of wrong cells
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
        OutOfBag bag
        vector[int64_t] own
        vector[uint8_t] spread
        vector[int64_t] change
        vector[int32_t] path_feature, path_node
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

    Feature `changed` (-1: none) has the code `code` instead of its own. The first pass notes the features met.
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
    """Wrong cells after feature `changed` took another value; `start` is the first node that answers otherwise."""
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
    """Wrong cells of the current row as it is; notes its path, or all features met if missing values spread it."""
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
        oob.path_feature.push_back(feature)
        oob.path_node.push_back(node)
        node = child(nodes, node, value)
    if not spread[0]:
        return leaf_error(oob, node, n_positive)
    oob.path_feature.clear()
    oob.path_node.clear()
    return spread_error(oob, columns, nodes, row, n_positive, -1, -1, True)


cdef void load_row(Oob* oob, const Columns* columns, const Labels* labels, int32_t row, bint load) noexcept nogil:
    """Write (or take back) a row's sparse codes and positive labels."""
    cdef int64_t q
    for q in range(columns.row_start[row], columns.row_start[row + 1]):
        oob.row_codes[columns.row_feature[q]] = (
            columns.row_code[q] if load else columns.rest_code[columns.row_feature[q]]
        )
    for q in range(labels.start[row], labels.start[row + 1]):
        oob.positive[labels.index[q]] = load


cdef int64_t meet_features(
    Oob* oob, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob
) noexcept nogil:
    """Send all out-of-bag examples through the tree unchanged; return their wrong cells."""
    cdef int64_t i, wrong = 0
    cdef size_t s
    cdef Meeting meeting
    cdef bint spread
    for i in range(n_oob):
        load_row(oob, columns, labels, rows[i], True)
        oob.own[i] = first_error(
            oob, columns, nodes, rows[i], labels.start[rows[i] + 1] - labels.start[rows[i]], &spread
        )
        oob.spread[i] = spread
        wrong += oob.own[i]
        meeting.example = <int32_t>i
        meeting.code = -1
        for s in range(oob.path_feature.size()):
            meeting.feature = oob.path_feature[s]
            meeting.node = oob.path_node[s]
            oob.bag.meetings.push_back(meeting)
        load_row(oob, columns, labels, rows[i], False)
    return wrong


cdef void permute_features(
    Oob* oob, const Columns* columns, const Nodes* nodes, const int32_t* rows, int64_t n_oob, uint64_t key
) noexcept nogil:
    """Permute one feature after the other, and keep the meetings at which an example leaves its path."""
    cdef int32_t feature, code, own, left
    cdef int64_t m
    cdef Meeting meeting
    sort_meetings(&oob.bag, columns.n_features, True)
    oob.bag.meetings.clear()
    for feature in range(columns.n_features):
        if oob.bag.start[feature] == oob.bag.start[feature + 1]:
            continue
        oob.bag.met.push_back(feature)
        shuffle(&oob.bag, feature, n_oob, key)
        load_column(&oob.bag, columns, feature, rows, n_oob)
        left = -1                          # the last example that left its path
        for m in range(oob.bag.start[feature], oob.bag.start[feature + 1]):
            meeting = oob.bag.sorted[m]
            code = oob.bag.column[oob.bag.shuffle[meeting.example]]
            own = oob.bag.column[meeting.example]
            if meeting.example == left or code == own:
                continue
            if oob.spread[meeting.example] or answers_otherwise(nodes, meeting.node, own, code):
                meeting.code = code
                oob.bag.meetings.push_back(meeting)
                left = meeting.example


cdef int64_t permute_all(
    Oob* oob, const Columns* columns, const Labels* labels, const Nodes* nodes, const int32_t* rows, int64_t n_oob,
    uint64_t key
) noexcept nogil:
    """Return the wrong cells of the out-of-bag examples; oob.change gets what each feature's permutation adds.

    Examples pass through the tree one by one, and features are permuted one by one: each's codes are at hand then.
    """
    cdef int64_t i, m, n_positive, wrong = meet_features(oob, columns, labels, nodes, rows, n_oob)
    cdef int32_t row
    cdef const Meeting* meeting
    permute_features(oob, columns, nodes, rows, n_oob, key)
    sort_meetings(&oob.bag, n_oob, False)
    for i in range(n_oob):
        if oob.bag.start[i] == oob.bag.start[i + 1]:
            continue
        row = rows[i]
        load_row(oob, columns, labels, row, True)
        n_positive = labels.start[row + 1] - labels.start[row]
        for m in range(oob.bag.start[i], oob.bag.start[i + 1]):
            meeting = &oob.bag.sorted[m]
            if oob.spread[i]:
                oob.change[meeting.feature] += spread_error(
                    oob, columns, nodes, row, n_positive, meeting.feature, meeting.code, False
                ) - oob.own[i]
            else:
                oob.change[meeting.feature] += walk_error(
                    oob, columns, nodes, row, n_positive, meeting.node, meeting.feature, meeting.code
                ) - oob.own[i]
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


def permutation_errors(OutOfBagTree tree):
    """Wrong label cells of one tree on its out-of-bag examples, as they are and with one feature permuted at a time.

    Only examples whose path meets a feature pass through the tree again for it.

    Returns
    -------
    wrong : int
        Wrong cells out of L x len(rows).
    features : ndarray of int32
        Features met by an out-of-bag example, rising; all others change nothing.
    permuted : ndarray of int64
        Wrong cells after permuting each of them.
    """
    cdef const Columns* columns = &tree.columns
    cdef int64_t wrong = 0
    cdef int32_t i
    cdef Oob* oob = new Oob()
    try:
        with nogil:
            oob.row_codes.resize(columns.n_features)
            for i in range(columns.n_features):
                oob.row_codes[i] = columns.rest_code[i]
            oob.last_seen.assign(columns.n_features, -1)
            set_up(&oob.bag, columns, tree.rows, tree.n_oob)
            oob.own.resize(tree.n_oob)
            oob.spread.resize(tree.n_oob)
            oob.change.assign(columns.n_features, 0)
            oob.positive.assign(tree.labels.n_labels, 0)
            oob.mean.assign(tree.labels.n_labels, 0.0)
            note_predictions(oob, &tree.nodes, tree.n_nodes)
            if tree.n_oob > 0:
                wrong = permute_all(oob, columns, &tree.labels, &tree.nodes, tree.rows, tree.n_oob, tree.key)
        features = as_int_array(&oob.bag.met)
        return wrong, features, wrong + np.asarray(as_long_array(&oob.change))[features]
    finally:
        del oob
