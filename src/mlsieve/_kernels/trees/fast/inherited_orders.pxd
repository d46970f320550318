"""Dense features' rows in order, handed from a node to its children where all features are judged."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.data_structs cimport Columns, Entry
from mlsieve._kernels.trees.node.facts cimport Data
from mlsieve._kernels.trees.node.node_rows cimport Pending, PendingNodes
from mlsieve._kernels.trees.node.sorted_rows cimport SortedRows


cdef cppclass InheritedOrders nogil:
    int64_t stride             # 0: no orders are inherited
    vector[Entry] entries      # (n_dense, stride) by falling code; a node's missing rows end its segment, code -1


cdef int prepare_inherited_orders(InheritedOrders* orders, const Data* data) except -1 nogil

cdef void order_root(
    InheritedOrders* orders, SortedRows* sorted, const Columns* columns, const int32_t* rows, int64_t n_rows
) noexcept nogil

cdef void part_orders(
    InheritedOrders* orders, PendingNodes* nodes, Entry* scratch, const Pending* item, bint complete
) noexcept nogil
