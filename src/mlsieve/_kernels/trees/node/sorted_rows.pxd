"""The rows of a node in the order of one feature."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Entry
from mlsieve._kernels.trees.node.data cimport Data
from mlsieve._kernels.trees.node.node_rows cimport Pending, PendingNodes


cdef cppclass SortedRows nogil:
    vector[Entry] entries          # the feature's known rows in the node, by falling code; then the missing ones
    vector[Entry] scratch
    vector[int32_t] codes, known   # of the known rows
    vector[uint64_t] long_keys


cdef cppclass InheritedOrders nogil:
    # The rows of all dense features, sorted once for the root, and handed from each node to its children.
    int64_t stride             # 0: no orders are inherited
    vector[Entry] entries      # (n_dense, stride) by falling code; a node's missing rows end its segment, code -1


cdef int prepare_sorted_rows(SortedRows* sorted, const Columns* columns) except -1 nogil

cdef int64_t known_rows(
    SortedRows* sorted, const Columns* columns, int32_t feature, const int32_t* rows, int64_t n_node, bint in_order,
    bint numbered
) noexcept nogil

cdef void sort_listed(SortedRows* sorted, Entry* entries, int64_t n_entries) noexcept nogil

cdef int prepare_inherited_orders(InheritedOrders* orders, const Data* data) except -1 nogil

cdef void order_root(
    InheritedOrders* orders, SortedRows* sorted, const Columns* columns, const int32_t* rows, int64_t n_rows
) noexcept nogil

cdef void part_orders(
    InheritedOrders* orders, PendingNodes* nodes, Entry* scratch, const Pending* item, bint complete
) noexcept nogil


cdef inline int64_t part_both(
    Entry* entries, int64_t n_entries, const int32_t* goes, Entry* scratch, int64_t* n_yes_entries
) noexcept nogil:
    """The same where goes is 1 for the first part, 2 for the second, 3 for both; the parts may be longer together."""
    cdef int64_t i, n_no = 0, n_yes = 0
    cdef Entry entry
    for i in range(n_entries):
        entry = entries[i]
        scratch[n_yes] = entry
        entries[n_no] = entry
        n_yes += goes[entry.row] >> 1
        n_no += goes[entry.row] & 1
    for i in range(n_yes):
        entries[n_no + i] = scratch[i]
    n_yes_entries[0] = n_yes
    return n_no


cdef inline int64_t part_entries(Entry* entries, int64_t n_entries, const int32_t* goes, Entry* scratch) noexcept nogil:
    """Part entries by what goes says of their rows, 0 before 1, both in the order they had; return how many are 0."""
    cdef int64_t i, n_no = 0, n_yes = 0
    cdef Entry entry
    for i in range(n_entries):
        # Written on both sides and counted on one: no branch.
        entry = entries[i]
        scratch[n_yes] = entry
        entries[n_no] = entry
        n_yes += goes[entry.row]
        n_no += 1 - goes[entry.row]
    for i in range(n_yes):
        entries[n_no + i] = scratch[i]
    return n_no
