"""The grower of predictive clustering trees that Python calls, and its random draws; the growing itself is in one_tree."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from mlsieve._kernels.common.array_conversion cimport columns_of
from mlsieve._kernels.common.data_structs cimport BOOTSTRAP, Tree
from mlsieve._kernels.common.random_numbers cimport below, make_key, uniform
from mlsieve._kernels.trees.grow.grower_memory cimport GrowerMemory
from mlsieve._kernels.trees.grow.grown_trees cimport GrownTrees, arrays_of_tree
from mlsieve._kernels.trees.grow.one_tree cimport grow, prepare
from mlsieve._kernels.trees.node.data cimport Data

import numpy as np

cdef double LEAF_SLACK = 1e-9      # fractional weights add up to a whole number only up to rounding


cdef class TreeGrower:
    """Grows trees on the same data, one at a time; several growers may work at once.

    Parameters
    ----------
    store : ColumnStore
        The features, coded once an ensemble.
    label_start, label_index : ndarray of int64, shape (n + 1,), and of int32
        Positive labels of each row (CSR).
    label_weight : ndarray of float64, shape (L,)
        w_j of the impurity: 1 / Var_train(y_j) for MLC, 0 for a label that is constant on the training set.
    n_candidates : int
        Features tried in a node, 1 .. F; drawn without replacement.
    min_leaf : float
        Least weight of a child's examples, >= 1.
    random_tests : bool
        Extra trees: one random test a feature instead of the best one.
    midpoint : bool
        Thresholds half-way between neighbouring values instead of the largest value on the "no" side.
    random_ties : bool
        Between features that gain equally in a node a draw decides, instead of their order in the store.
    seed : int
        Key of all random draws, together with the tree's number.
    """

    cdef GrowerMemory* memory
    cdef bint stopped
    cdef size_t usual_nodes, usual_labels   # of the last tree
    cdef object borrowed  # the arrays that the structs point into

    def __cinit__(self):
        self.memory = new GrowerMemory()

    def __dealloc__(self):
        del self.memory

    def __init__(
        self,
        object store,
        const int64_t[::1] label_start,
        const int32_t[::1] label_index,
        const double[::1] label_weight,
        *,
        int32_t n_candidates,
        double min_leaf,
        bint random_tests,
        bint midpoint,
        bint random_ties=True,
        uint64_t seed,
    ):
        cdef Data* data = &self.memory.data
        data.columns = columns_of(store)
        if label_start.shape[0] != data.columns.n_rows + 1:
            raise ValueError("labels must have one entry a row of the store")
        if label_index.shape[0] > 2147483647:
            raise ValueError("more than 2**31 - 1 positive labels")
        self.borrowed = (store, label_start, label_index, label_weight)
        data.labels.n_labels = <int32_t>label_weight.shape[0]
        data.labels.start = &label_start[0]
        data.labels.index = &label_index[0] if label_index.shape[0] else NULL
        data.labels.weight = &label_weight[0] if label_weight.shape[0] else NULL
        data.options.n_candidates = min(n_candidates, data.columns.n_features)
        data.options.min_leaf = min_leaf * (1.0 - LEAF_SLACK)
        data.options.random_tests = random_tests
        data.options.midpoint = midpoint
        data.options.random_ties = random_ties
        data.options.seed = seed
        with nogil:
            prepare(self.memory)

    def grow(self, const double[::1] example_weight, uint64_t tree):
        """Grow one tree.

        Parameters
        ----------
        example_weight : ndarray of float64, shape (n,)
            Weight of each row (bootstrap multiplicity); rows of weight 0 are not seen.
        tree : int
            Number of the tree.

        Returns
        -------
        dict of ndarray
            One entry a node in preorder, "yes" before "no": feature (-1 at a leaf), yes, no, depth, threshold, gain
            (h), weight, yes_share, code; ragged: subset_start, subset; leaf_start, leaf_label, leaf_count.
        """
        if example_weight.shape[0] != self.memory.data.columns.n_rows:
            raise ValueError("weights must have one entry a row of the store")
        if not np.max(example_weight, initial=0.0) > 0.0:
            raise ValueError("no row has a positive weight")
        cdef Tree grown
        with nogil:
            grow(self.memory, &example_weight[0], tree, &grown)
        return arrays_of_tree(&grown)

    def grow_many(self, uint64_t first, uint64_t last, bint bootstrap):
        """Grow the trees first .. last - 1, one after the other, without giving other threads a cause to wait.

        After `stop` only those that are grown come back.

        Parameters
        ----------
        first, last : int
            Numbers of trees.
        bootstrap : bool
            Whether each sees a bootstrap sample (see `bootstrap_counts`), or all rows.

        Returns
        -------
        GrownTrees
        """
        cdef uint64_t tree
        cdef int32_t i, n = self.memory.data.columns.n_rows
        cdef vector[double] weights
        cdef GrownTrees grown = GrownTrees()
        cdef vector[Tree]* trees = &grown.trees
        with nogil:
            trees.resize(last - first)
            for tree in range(first, last):
                if self.stopped:
                    trees.resize(tree - first)
                    break
                trees[0][tree - first].expect(self.usual_nodes, self.usual_labels)
                weights.assign(n, 0.0 if bootstrap else 1.0)
                for i in range(n if bootstrap else 0):
                    weights[drawn_row(self.memory.data.options.seed, tree, i, n)] += 1.0
                grow(self.memory, weights.data(), tree, &trees[0][tree - first])
                self.usual_nodes = trees[0][tree - first].feature.size()
                self.usual_labels = trees[0][tree - first].leaf_label.size()
        return grown

    def stop(self):
        """Let `grow_many`, which another thread is in, end with the tree at hand."""
        self.stopped = True


cdef inline int32_t drawn_row(uint64_t seed, uint64_t tree, int32_t draw, int32_t n) noexcept nogil:
    return <int32_t>below(make_key(seed, tree, BOOTSTRAP), draw, 0, n)


def bootstrap_counts(uint64_t seed, uint64_t tree, int32_t n):
    """How often each of n rows is drawn for a tree.

    Parameters
    ----------
    seed, tree : int
        Key of the draws.
    n : int
        Number of rows and of draws.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    counts = np.zeros(n, dtype=np.int32)
    cdef int32_t[::1] view = counts
    cdef int32_t i
    for i in range(n):
        view[drawn_row(seed, tree, i, n)] += 1
    return counts


def random_number(uint64_t seed, uint64_t tree, uint64_t stream, uint64_t first, uint64_t second):
    """The kernels' uniform random number in [0, 1) for these counters (for tests and twins)."""
    return uniform(make_key(seed, tree, stream), first, second)
