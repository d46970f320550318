"""Sparse features' lists in order, handed from a node to its children where all features are judged."""

from mlsieve._kernels.common.data_structs cimport Columns
from mlsieve._kernels.trees.node.gains cimport Options
from mlsieve._kernels.trees.node.node_rows cimport Pending
from mlsieve._kernels.trees.node.work cimport Work

cdef void list_in_order(Work* work, const Columns* columns, const Options* options, Pending* item) noexcept nogil

cdef void hand_on(Work* work, const Options* options, const Pending* item, Pending* no, Pending* yes) noexcept nogil
