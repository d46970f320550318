"""Dense features' rows in order, handed from a node to its children where all features are judged.

The root's rows are sorted by each feature once. A node's segment of each order is parted into its children's, each
still in order: no child sorts. An example that goes down both branches takes a place in each.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.trees.node.sorted_rows cimport known_rows, part_both, part_entries


cdef int prepare_inherited_orders(InheritedOrders* orders, const Data* data) except -1 nogil:
    cdef bint may_be_used = data.facts.n_dense > 0 and data.facts.tries_all and not data.options.random_tests
    orders.stride = data.columns.n_rows if may_be_used else 0
    orders.entries.resize(data.facts.n_dense * orders.stride)


cdef void order_root(
    InheritedOrders* orders, SortedRows* sorted, const Columns* columns, const int32_t* rows, int64_t n_rows
) noexcept nogil:
    """Put the root's rows of all dense features into order, for its descendants to inherit."""
    cdef int64_t i
    cdef int32_t feature
    cdef Entry* entries
    for feature in range(columns.n_features):
        if columns.dense_slot[feature] < 0:
            continue
        entries = orders.entries.data() + <int64_t>columns.dense_slot[feature] * orders.stride
        if known_rows(sorted, columns, feature, rows, n_rows, True, False) < 0:
            for i in range(n_rows):      # they agree: any order will do
                entries[i].row = rows[i]
                entries[i].code = 0
        else:
            for i in range(n_rows):
                entries[i] = sorted.entries[i]


cdef void widen_orders(InheritedOrders* orders, int64_t used, int64_t needed) noexcept nogil:
    """Make room for longer segments; `used` entries of each order are kept."""
    cdef vector[Entry] wider
    cdef int64_t slot, i, stride = orders.stride, n_slots = <int64_t>orders.entries.size() // stride
    wider.resize(n_slots * 2 * needed)
    for slot in range(n_slots):
        for i in range(used):
            wider[slot * 2 * needed + i] = orders.entries[slot * stride + i]
    orders.entries.swap(wider)
    orders.stride = 2 * needed


cdef void part_orders(
    InheritedOrders* orders, PendingNodes* nodes, Entry* scratch, const Pending* item, bint complete
) noexcept nogil:
    """Part every dense feature's order as the node's rows will be: "no" then "yes", each still in order."""
    cdef int64_t slot, i, n_yes, n_both = 0, n_node = item.end - item.start
    cdef Entry* entries
    for i in range(0 if complete else n_node):
        n_both += nodes.answer[i] < 0
    if item.end + n_both > orders.stride:
        widen_orders(orders, item.end, item.end + n_both)
    for i in range(n_node):
        nodes.stamp[nodes.rows[item.start + i]] = nodes.answer[i] if n_both == 0 else (
            3 if nodes.answer[i] < 0 else 1 + nodes.answer[i]
        )
    for slot in range(<int64_t>orders.entries.size() // orders.stride):
        entries = orders.entries.data() + slot * orders.stride + item.start
        if n_both == 0:
            part_entries(entries, n_node, nodes.stamp.data(), scratch)
        else:
            part_both(entries, n_node, nodes.stamp.data(), scratch, &n_yes)
    for i in range(n_node):
        nodes.stamp[nodes.rows[item.start + i]] = -1
