"""A tree and its out-of-bag examples, as the permutation statistics take them."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from mlsieve._kernels.common.array_conversion cimport columns_of, labels_of
from mlsieve._kernels.common.data_structs cimport PERMUTATION
from mlsieve._kernels.common.random_numbers cimport make_key
from mlsieve._kernels.trees.walk.tree_nodes cimport Nodes


cdef class OutOfBagTree:
    """One tree with its out-of-bag examples.

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
        Key of the permutations, which are the same for all statistics.
    """

    def __init__(
        self,
        object store,
        dict tree_arrays,
        const int64_t[::1] label_start,
        const int32_t[::1] label_index,
        int32_t n_labels,
        const int32_t[::1] rows,
        uint64_t seed,
        uint64_t tree,
    ):
        self.columns = columns_of(store)
        self.labels = labels_of(label_start, label_index, n_labels)
        self.nodes = nodes_of(tree_arrays)
        self.n_nodes = len(tree_arrays["feature"])
        self.n_oob = rows.shape[0]
        self.rows = &rows[0] if self.n_oob > 0 else NULL
        self.key = make_key(seed, tree, PERMUTATION)
        self.arrays = store, tree_arrays, label_start, label_index, rows


cdef Nodes nodes_of(dict tree_arrays) except *:
    """Borrow the arrays of a tree (which must outlive the struct)."""
    cdef Nodes nodes
    cdef const int32_t[::1] feature = tree_arrays["feature"], yes = tree_arrays["yes"], no = tree_arrays["no"]
    cdef const int32_t[::1] code = tree_arrays["code"], subset = tree_arrays["subset"]
    cdef const int32_t[::1] leaf_label = tree_arrays["leaf_label"]
    cdef const double[::1] threshold = tree_arrays["threshold"], weight = tree_arrays["weight"]
    cdef const double[::1] yes_share = tree_arrays["yes_share"], leaf_count = tree_arrays["leaf_count"]
    cdef const int64_t[::1] subset_start = tree_arrays["subset_start"], leaf_start = tree_arrays["leaf_start"]
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
    return nodes
