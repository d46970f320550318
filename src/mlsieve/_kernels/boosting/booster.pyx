"""Boosted trees with a vector of label values in each leaf, grown node by node on sorted columns.

Each column lists its known rows by rising code; what remains is the rows of a sparse column's commonest value, or
missing cells. The rows of a node are neighbours, and each column's items are divided as the rows are, so that one pass
over a node's items scores all tests of a column. A test is scored in single precision; the gain of the one that a node
takes comes from exact sums.

Functions here check nothing: the facade in `mlsieve.chains` owns and validates the arrays.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from mlsieve._kernels.boosting.boosted_data cimport (
    Boosted, Chunk, Growth, Lists, Node, Options, Targets, Tests, chunks, item_at, n_items, padded
)
from mlsieve._kernels.boosting.contents cimport Rows, digest_columns
from mlsieve._kernels.boosting.division cimport (
    DivisionMemory, divide_node, number_by_depth, plant, send_others, take_next
)
from mlsieve._kernels.boosting.gradients cimport differentiate, pack_root
from mlsieve._kernels.boosting.histograms cimport bin_columns, choose_bins, make_histogram
from mlsieve._kernels.boosting.node_tests cimport search_tests
from mlsieve._kernels.boosting.rows_of_sums cimport add_row
from mlsieve._kernels.boosting.split_scores cimport Item, Judge
from mlsieve._kernels.common.array_conversion cimport array_of, as_double_array, as_int_array

SCORES = ("sum_gain", "max_gain", "sum_signed", "max_signed", "sum_abs", "max_abs")


cdef int32_t row_of_code(const Lists* lists, int32_t c, int32_t code) noexcept nogil:
    """Return the first row of a column that lists a code, -1 if no row does; of code -1 the first of all."""
    cdef int64_t low = lists.start[c], high = lists.end[c], middle
    if code >= 0 and code == lists.rest_code[c]:
        return -1
    while low < high:
        middle = (low + high) // 2
        if item_at(lists, middle).code < code:
            low = middle + 1
        else:
            high = middle
    return item_at(lists, low).place if low < lists.end[c] else -1


cdef class Booster:
    """Grows one tree after another on the gradients of the logistic loss.

    Parameters
    ----------
    n_rows, n_labels : int
    score : int
        Position of the split score in `SCORES`.
    max_depth : int
    learning_rate, reg_lambda, gamma, min_child_weight : float
        As in XGBoost; see `mlsieve.chains.MultiLabelXGB`.
    every_label : bool
        Whether every label needs `min_child_weight` in both children, not only the labels that count in the score.
    hide_in_leaves : bool
        Whether the leaves ignore hidden labels, too.
    n_sketch : int
        How many columns of gradients the search sees, if they are fewer than the labels; 0: all labels.
    n_threads : int
        Does not change the trees.
    exact : bool
        Whether sums are of double precision, and ties are decided as in the authors' program: the highest threshold
        of the first column is taken, and missing cells go to "yes".
    in_double : bool
        Whether sums are of double precision only, as lambda and the least hessian are next to nothing. A label then counts
        in a child from a small share of the node's hessian on.
    """

    cdef Lists lists
    cdef Growth growth
    cdef Node node
    cdef Tests tests
    cdef Boosted tree
    cdef Targets targets
    cdef Options options
    cdef Judge judge
    cdef DivisionMemory division
    cdef vector[int32_t] leaf_of
    cdef vector[double] sums

    def __init__(
        self, int64_t n_rows, int32_t n_labels, *, int32_t score, int32_t max_depth, double learning_rate,
        double reg_lambda, double gamma, double min_child_weight, bint every_label, bint hide_in_leaves,
        int32_t n_sketch=0, int32_t n_threads=1, bint exact=False, bint in_double=False,
    ):
        self.lists.n_rows = n_rows
        self.lists.n_columns = 0
        self.lists.is_narrow = n_rows <= 1 << 16
        self.targets.n_labels = n_labels
        self.targets.stride = padded(n_labels)
        self.options.max_depth = max_depth
        self.options.learning_rate = learning_rate
        self.options.gamma = gamma
        self.options.hide_in_leaves = hide_in_leaves
        self.options.n_threads = n_threads
        self.targets.n_sketch = n_sketch
        self.judge.score = score
        self.judge.every_label = every_label
        self.judge.exact = exact
        self.judge.in_double = in_double
        self.judge.reg_lambda = <float>reg_lambda if reg_lambda > 1e-16 else <float>1e-16  # lanes without a label
        self.judge.least_hessian = <float>min_child_weight

    def reserve(self, int64_t n):
        """Say how many items the columns will hold, about: memory that is not used is not taken either."""
        if self.lists.is_narrow:
            self.lists.narrow.reserve(n)
        else:
            self.lists.wide.reserve(n)

    def add_columns(
        self, const int64_t[::1] start, const int32_t[::1] row, const int32_t[::1] code,
        const int32_t[::1] rest_kind, const int32_t[::1] rest_code,
    ):
        """Append columns; `order_columns` follows the last ones.

        Parameters
        ----------
        start : ndarray of int64, shape (columns + 1,)
            First item of each column.
        row, code : ndarray of int32
            Items of the columns, by rising code, then row.
        rest_kind, rest_code : ndarray of int32, shape (columns,)
            What the rows are that a column does not list: 0 none, 1 rows of a common value, 2 missing; its code.
        """
        cdef int64_t i, at = n_items(&self.lists), n = at + row.shape[0]
        for i in range(rest_kind.shape[0]):
            self.lists.start.push_back(at + start[i])
            self.lists.end.push_back(at + start[i + 1])
            self.lists.rest_kind.push_back(rest_kind[i])
            self.lists.rest_code.push_back(rest_code[i])
        self.lists.n_columns = <int32_t>self.lists.start.size()
        if n > <int64_t>(self.lists.narrow.capacity() if self.lists.is_narrow else self.lists.wide.capacity()):
            self.reserve(n + at // 4)  # twice as many would be a lot
        self.resize(n)
        for i in range(row.shape[0]):
            if self.lists.is_narrow:
                self.lists.narrow[at + i] = <uint32_t>row[i] << 16 | <uint32_t>code[i]
            else:
                self.lists.wide[at + i].place = row[i]
                self.lists.wide[at + i].code = code[i]

    cdef void resize(self, int64_t n) noexcept nogil:
        if self.lists.is_narrow:
            self.lists.narrow.resize(n)
        else:
            self.lists.wide.resize(n)

    def digests(self, const uint64_t[::1] keys, const uint64_t[::1] counts, const uint64_t[::1] fractions):
        """Return digests of the columns and of the rows that ignore the order of either.

        Parameters
        ----------
        keys : ndarray of uint64, shape (n,)
            Digests of what else is known of the rows.
        counts, fractions : ndarray of uint64, shape (n,)
            Whole part of the rows' weights, and a digest of the rest, 0 without one.

        Returns
        -------
        of_columns, of_rows : ndarray of uint64, shapes (columns,) and (n,)
        """
        cdef vector[uint64_t] of_column, of_row
        cdef Rows rows
        rows.key, rows.count, rows.fraction = &keys[0], &counts[0], &fractions[0]
        digest_columns(&self.lists, &rows, &of_column, &of_row)
        return (
            array_of(of_column.data(), of_column.size(), np.uint64), array_of(of_row.data(), of_row.size(), np.uint64)
        )

    def order_columns(self, const int64_t[::1] order):
        """Put the columns into another order: `order` holds their present places."""
        cdef vector[int64_t] start = self.lists.start, end = self.lists.end
        cdef vector[int32_t] kind = self.lists.rest_kind, code = self.lists.rest_code
        cdef int64_t i
        for i in range(order.shape[0]):
            self.lists.start[i] = start[order[i]]
            self.lists.end[i] = end[order[i]]
            self.lists.rest_kind[i] = kind[order[i]]
            self.lists.rest_code[i] = code[order[i]]
        bin_columns(&self.lists, 0, self.judge.exact or self.judge.in_double)

    def set_columns(
        self, int32_t first, const int64_t[::1] start, const int32_t[::1] row, const int32_t[::1] code,
        const int32_t[::1] rest_kind, const int32_t[::1] rest_code,
    ):
        """Replace the columns from the first one given on; parameters as of `add_columns`."""
        if first < self.lists.n_columns:
            self.resize(self.lists.start[first])
        self.lists.start.resize(first)
        self.lists.end.resize(first)
        self.lists.rest_kind.resize(first)
        self.lists.rest_code.resize(first)
        self.add_columns(start, row, code, rest_kind, rest_code)
        bin_columns(&self.lists, first, self.judge.exact or self.judge.in_double)

    def grow(
        self, float[:, ::1] margins, const uint8_t[:, ::1] truth, const float[:, ::1] weights=None,
        const uint8_t[:, ::1] hidden=None, const uint8_t[::1] columns=None, const int32_t[::1] rows=None,
        const float[:, ::1] projection=None,
    ):
        """Grow one tree, and add its values to the margins.

        Parameters
        ----------
        margins : ndarray of float32, shape (n, L)
            Changed in place.
        truth : ndarray of uint8, shape (n, L)
        weights : ndarray of float32, shape (n, L), optional
            Of gradients and hessians.
        hidden : ndarray of uint8, shape (n, L), optional
            Labels of a row that no split score sees.
        columns : ndarray of uint8, shape (columns,), optional
            Which columns may be tested.
        rows : ndarray of int32, optional
            The rows that the tree sees, rising; the values of its leaves go to the margins of all rows.
        projection : ndarray of float32, shape (L, n_sketch), optional
            Of the gradients that the search sees; without it, these are the labels with the largest ones.

        Returns
        -------
        dict of ndarray
            One entry a node: feature (-1: leaf), code, next (the codes up to `code` say "yes", those from `next` on
            "no"), row, next_row (one that has such a code, the first one for a `next` of -1, or -1 if the column does not
            list it), side (of missing cells: 0 "no", 1 "yes"; 2: known cells say "yes", missing ones "no"), yes, no
            (children), leaf (row of `values`), gain, cover; values, float32 of shape (leaves, L).
        """
        self.targets.margin = &margins[0, 0]
        self.targets.truth = &truth[0, 0]
        self.targets.weight = &weights[0, 0] if weights is not None else NULL
        self.targets.hidden = &hidden[0, 0] if hidden is not None else NULL
        self.options.column = &columns[0] if columns is not None else NULL
        self.options.rows = &rows[0] if rows is not None else NULL
        self.options.n_rows = rows.shape[0] if rows is not None else self.lists.n_rows
        self.targets.projection = &projection[0, 0] if projection is not None else NULL
        with nogil:
            self.grow_tree()
            self.fill_leaves(&margins[0, 0])
        return {
            "feature": as_int_array(&self.tree.feature),
            "code": as_int_array(&self.tree.code),
            "next": as_int_array(&self.tree.next_code),
            "row": self.rows_of(&self.tree.code),
            "next_row": self.rows_of(&self.tree.next_code),
            "side": as_int_array(&self.tree.side),
            "yes": as_int_array(&self.tree.yes),
            "no": as_int_array(&self.tree.no),
            "leaf": as_int_array(&self.tree.leaf),
            "gain": as_double_array(&self.tree.gain),
            "cover": as_double_array(&self.tree.cover),
            "values": array_of(self.tree.values.data(), self.tree.values.size(), np.float32).reshape(
                -1, self.targets.n_labels
            ),
        }

    cdef object rows_of(self, const vector[int32_t]* codes):
        """Return a row for the code of each node's test."""
        cdef vector[int32_t] row
        cdef int64_t node
        cdef int32_t c
        for node in range(<int64_t>codes.size()):
            c = self.tree.feature[node]
            row.push_back(-1 if c < 0 else row_of_code(&self.lists, c, codes[0][node]))
        return as_int_array(&row)

    cdef void grow_tree(self) noexcept nogil:
        self.tree.feature.clear()
        self.tree.code.clear()
        self.tree.next_code.clear()
        self.tree.side.clear()
        self.tree.yes.clear()
        self.tree.no.clear()
        self.tree.leaf.clear()
        self.tree.gain.clear()
        self.tree.cover.clear()
        choose_bins(&self.lists, self.options.column)
        plant(
            &self.growth, &self.node, &self.lists, &self.options, &self.tree, &self.leaf_of, &self.division
        )
        pack_root(&self.growth, &self.node, &self.targets, &self.judge)
        if self.node.n_lanes > 0 and self.options.n_rows > 1:
            self.divide()
            while self.growth.waiting.size() > 0:
                take_next(&self.growth, &self.node)
                self.divide()
            number_by_depth(&self.tree, &self.leaf_of)
        if self.options.rows != NULL:
            send_others(&self.lists, &self.tree, &self.options, &self.leaf_of)

    cdef void divide(self) noexcept nogil:
        """Divide the node at hand."""
        if self.lists.bin_code.size() > 0 and self.node.histogram.size() == 0:
            make_histogram(&self.growth, &self.node, &self.lists, self.options.n_threads)
        search_tests(&self.growth, &self.node, &self.lists, &self.judge, &self.options, &self.tests)
        divide_node(
            &self.growth, &self.node, &self.lists, &self.judge, &self.options, &self.tests, &self.tree, &self.leaf_of,
            &self.division
        )

    cdef void fill_leaves(self, float* margins) noexcept nogil:
        """Give each leaf its values -eta G / (H + lambda), and add them to the margins of its rows."""
        cdef int64_t i, place, n_leaves = 0, n_nodes = <int64_t>self.tree.feature.size()
        cdef int32_t j, L = self.targets.n_labels, stride = self.targets.stride
        cdef double* to
        cdef vector[Chunk] row          # gradients anew: those of all rows would take much memory
        cdef const float* own
        cdef const float* value
        cdef const uint8_t* hidden = NULL
        for i in range(n_nodes):
            if self.tree.feature[i] < 0:
                self.tree.leaf[i] = <int32_t>n_leaves
                n_leaves += 1
        row.resize(chunks(L))
        own = <const float*>row.data()
        self.sums.assign(n_leaves * 2 * stride, 0.0)
        for place in range(self.options.n_rows):
            i = self.options.rows[place] if self.options.rows != NULL else place
            to = self.sums.data() + <int64_t>self.tree.leaf[self.leaf_of[i]] * 2 * stride
            differentiate(&self.targets, i, row.data())
            if self.options.hide_in_leaves and self.targets.hidden != NULL:
                hidden = self.targets.hidden + i * L
                for j in range(L):
                    if not hidden[j]:
                        to[j] += own[j]
                        to[stride + j] += own[stride + j]
            else:
                add_row(own, 2 * stride, to)
        self.tree.values.resize(n_leaves * L)
        for i in range(n_leaves):
            to = self.sums.data() + i * 2 * stride
            for j in range(L):
                self.tree.values[i * L + j] = <float>(
                    -self.options.learning_rate * to[j] / (to[stride + j] + self.judge.reg_lambda)
                )
        for i in range(self.lists.n_rows):
            value = self.tree.values.data() + <int64_t>self.tree.leaf[self.leaf_of[i]] * L
            for j in range(L):
                margins[i * L + j] += value[j]
