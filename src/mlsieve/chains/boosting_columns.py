"""Features as the boosting kernel reads them: each column's known rows by rising value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.coded_columns import ColumnStore, code_columns

NO_REST, COMMON_REST, MISSING_REST = range(3)  # what the rows are that a column does not list
PRESENT = 2  # side of a test of known cells against missing ones
CATEGORY = 4  # added to a node's kind: the test is of a category


@dataclass(frozen=True)
class BoostingColumns:
    """Columns of n rows; a nominal feature of more than two categories has a column for each of them.

    Attributes
    ----------
    start : ndarray of int64, shape (C + 1,)
        First item of each column.
    row, code : ndarray of int32
        Items: a row and the rank of its value, by column, rising code and row.
    rest_kind, rest_code : ndarray of int32, shape (C,)
        What the rows are that a column does not list, and the code of a common value, else -1.
    feature : ndarray of int32, shape (C,)
        Column of the data.
    category : ndarray of int32, shape (C,)
        The category that code 1 is; -1 for a numeric column.
    value_start : ndarray of int64, shape (C + 1,)
    low, high : ndarray of float64
        Smallest and largest value of each code; they differ where values share a bin.
    as_program : bool
        Whether thresholds are those of the authors' program: middles in single precision, which say "no"
        themselves. A test of known cells against missing ones also has one, beyond the values it has seen.
    """

    start: np.ndarray
    row: np.ndarray
    code: np.ndarray
    rest_kind: np.ndarray
    rest_code: np.ndarray
    feature: np.ndarray
    category: np.ndarray
    value_start: np.ndarray
    low: np.ndarray
    high: np.ndarray
    as_program: bool = False

    @property
    def lists(self) -> tuple[np.ndarray, ...]:
        """The arrays that `Booster.set_columns` takes."""
        return self.start, self.row, self.code, self.rest_kind, self.rest_code

    def without_items(self) -> BoostingColumns:
        """Return the columns for `nodes` only: a booster has copied the items."""
        nothing = np.empty(0, np.int32)
        return replace(self, row=nothing, code=nothing)

    def nodes(self, tree: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return a tree's tests by value: ``feature`` of the data, ``threshold`` and ``kind``.

        Parameters
        ----------
        tree : mapping of str to ndarray
            What `Booster.grow` returns.
        """
        inner = np.flatnonzero(tree["feature"] >= 0)
        column, side = tree["feature"][inner], tree["side"][inner]
        first, numeric = self.value_start[column], side != PRESENT
        below = self.high[first + np.where(numeric, tree["code"][inner], 0)]
        above = self.low[first + np.where(numeric, tree["next"][inner], 0)]
        middle = below + (above - below) / 2
        middle = np.where(middle < above, middle, below)  # of neighbours among the floats
        if self.as_program:
            last = self.high[first + tree["code"][inner]].astype(np.float32)
            single = (below.astype(np.float32) + above.astype(np.float32)) * np.float32(0.5)
            single = np.where(numeric, single, last + abs(last) + np.float32(1e-6))
            middle = np.where(
                numeric & (single <= below), middle, np.nextafter(single.astype(float), -np.inf)
            )
            side = np.where(numeric, side, 0)
        nominal = self.category[column] >= 0
        feature = np.full(len(tree["feature"]), -1, np.int32)
        threshold, kind = np.zeros(len(feature)), np.zeros(len(feature), np.int32)
        feature[inner] = self.feature[column]
        threshold[inner] = np.where(nominal, self.category[column], middle)
        kind[inner] = side + CATEGORY * nominal
        return {"feature": feature, "threshold": threshold, "kind": kind}


def boosting_columns(
    X: Any,
    category_counts: np.ndarray | None = None,
    *,
    max_bins: int | None = None,
    order_seed: int | None = 0,
    as_program: bool = False,
) -> BoostingColumns:
    """Sort the columns of X, in an order of the columns by content.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing. Nominal features hold category positions.
    category_counts : ndarray of int, shape (F,), optional
        Number of categories of nominal features, 0 for numeric ones.
    max_bins : int, optional
        Most codes of a numeric column; of more distinct values, neighbours share a bin, so that bins hold
        about equally many rows. None: every value has a code of its own.
    order_seed : int, optional
        Of the order of the columns, see `mlsieve.data.column_contents`; None: the data's own order.
    as_program : bool
        See `BoostingColumns`.
    """
    store = code_columns(X, category_counts, with_tests=False, order_seed=order_seed)
    n_values, is_sparse = np.diff(store.value_start), store.dense_slot < 0
    # Most features of sparse data have two values, their rows listed already; of one there is no test.
    plain = is_sparse & (n_values == 2) & (store.n_categories == 0)
    others = np.flatnonzero(~plain & ~(is_sparse & (n_values < 2))).tolist()
    columns = [(feature, column) for feature in others for column in _columns_of(store, feature, max_bins)]
    is_listed = np.repeat(plain, np.diff(store.column_start))
    values = store.values[np.repeat(plain, n_values)]
    plain = np.flatnonzero(plain)
    order = np.argsort(np.concatenate([plain, [feature for feature, _ in columns]]), kind="stable")
    first = {
        "row": store.column_row[is_listed],
        "code": store.column_code[is_listed],
        "rest_kind": np.full(len(plain), COMMON_REST),
        "rest_code": store.rest_code[plain],
        "feature": store.data_column[plain],
        "category": np.full(len(plain), -1),
        "low": values,
        "high": values,
    }
    n_listed = np.diff(store.column_start)[plain]
    sizes = np.concatenate([n_listed, [len(column[0]) for _, column in columns]]).astype(np.int64)
    n_values = np.concatenate([n_values[plain], [len(column[6]) for _, column in columns]]).astype(np.int64)
    in_order = bool((np.diff(order) > 0).all())
    places: dict[str, np.ndarray] = {}
    if not in_order:
        places = dict.fromkeys(("row", "code"), _segments(sizes, order))
        places |= dict.fromkeys(("low", "high"), _segments(n_values, order))
    joined: dict[str, Any] = {}
    for part, (name, kind) in enumerate(_PARTS.items()):
        if name == "high" and max_bins is None:
            joined[name] = joined["low"]
            continue
        whole = np.concatenate([first[name], *(np.atleast_1d(column[part]) for _, column in columns)])
        whole = whole.astype(kind, copy=False)
        joined[name] = whole if in_order else whole[places.get(name, order)]
    joined |= {"start": _starts(sizes[order]), "value_start": _starts(n_values[order])}
    return BoostingColumns(**joined, as_program=as_program)


# What `_columns_of` returns of each column, in this order.
_PARTS = {
    **dict.fromkeys(("row", "code", "rest_kind", "rest_code", "feature", "category"), np.int32),
    **dict.fromkeys(("low", "high"), np.float64),
}


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _segments(sizes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return where the items of segments lie that are put into another order."""
    shift = _starts(sizes)[order] - _starts(sizes[order])[:-1]
    return np.repeat(shift, sizes[order]) + np.arange(sizes.sum())


def _columns_of(store: ColumnStore, feature: int, max_bins: int | None) -> list[tuple[Any, ...]]:
    """Return what `_PARTS` names, for each column of a feature."""
    data_column, slot = store.data_column[feature], store.dense_slot[feature]
    values = store.values[store.value_start[feature] : store.value_start[feature + 1]]
    if slot < 0:
        listed = slice(store.column_start[feature], store.column_start[feature + 1])
        rows, codes, rest = store.column_row[listed], store.column_code[listed], store.rest_code[feature]
        kind = COMMON_REST
    else:
        codes, rest = store.codes[slot], -1
        rows = np.arange(store.n_rows, dtype=np.int32)
        kind = NO_REST if store.n_known[slot] == store.n_rows else MISSING_REST
        if kind == MISSING_REST:
            rows = np.flatnonzero(codes >= 0).astype(np.int32)
            codes = codes[rows]
    if store.n_categories[feature] > 0:
        return [
            _category(rows, codes, kind, data_column, category)
            for category in range(store.n_categories[feature])
            if category == rest or (codes == category).any()
        ]
    low = high = values
    if max_bins is not None and len(values) > max_bins:
        counts = np.bincount(codes, minlength=len(values))
        if rest >= 0:
            counts[rest] += store.n_rows - len(rows)
        bins = _bins(counts, max_bins)
        low = values[np.searchsorted(bins, np.arange(bins[-1] + 1))]
        high = values[np.searchsorted(bins, np.arange(bins[-1] + 1), side="right") - 1]
        codes = bins[codes]
        if rest >= 0:
            rest = bins[rest]
            rows, codes = rows[codes != rest], codes[codes != rest]
    # Narrow integers are sorted in linear time.
    order = np.argsort(codes.astype(np.uint16) if len(values) <= 2**16 else codes, kind="stable")
    if kind == COMMON_REST and len(rows) == store.n_rows:
        kind, rest = NO_REST, -1
    return [(rows[order], codes[order], kind, rest, data_column, -1, low, high)]


def _category(rows: np.ndarray, codes: np.ndarray, kind: int, column: int, category: int) -> tuple[Any, ...]:
    """Return the column of one category: code 1 for its rows, 0 for others."""
    values = np.array([0.0, 1.0])
    if kind == NO_REST:
        own = rows[codes == category]
        return own, np.ones(len(own), np.int32), COMMON_REST, 0, column, category, values, values
    order = np.argsort(codes == category, kind="stable")
    return rows[order], (codes == category)[order], kind, -1, column, category, values, values


def _bins(counts: np.ndarray, max_bins: int) -> np.ndarray:
    """Return the bin of each value: values whose middle rows fall into the same share of all rows."""
    middle = np.cumsum(counts) - counts / 2
    share = np.minimum((middle * max_bins / counts.sum()).astype(np.int64), max_bins - 1)
    return np.unique(share, return_inverse=True)[1]


def label_columns(values: np.ndarray, first: int) -> BoostingColumns:
    """Return label features, whose cells are probabilities or missing, as columns.

    Parameters
    ----------
    values : ndarray of float64, shape (n, L)
        NaN is missing.
    first : int
        Column of the data that the first label feature is.
    """
    n_labels = values.shape[1]
    label, row = np.nonzero(~np.isnan(values.T))
    value = values[row, label]
    order = np.lexsort((row, value, label))
    label, row, value = label[order], row[order].astype(np.int32), value[order]
    start = np.searchsorted(label, np.arange(n_labels + 1)).astype(np.int64)
    is_new = np.ones(len(value), bool)
    is_new[1:] = (value[1:] != value[:-1]) | (label[1:] != label[:-1])
    rank = np.cumsum(is_new) - 1
    value_start = np.concatenate([rank, [np.count_nonzero(is_new)]])[start].astype(np.int64)
    code = (rank - value_start[label]).astype(np.int32)
    kinds, none = np.full(n_labels, MISSING_REST, np.int32), np.full(n_labels, -1, np.int32)
    features = np.arange(first, first + n_labels, dtype=np.int32)
    distinct = value[is_new]
    return BoostingColumns(start, row, code, kinds, none, features, none, value_start, distinct, distinct)


def join_columns(first: BoostingColumns, second: BoostingColumns) -> BoostingColumns:
    """Return the columns of both, to look up tests: without items."""
    names = ("rest_kind", "rest_code", "feature", "category", "low", "high")
    both: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in names
    }
    value_start = np.concatenate([first.value_start, first.value_start[-1] + second.value_start[1:]])
    return replace(first, **both, value_start=value_start)


def dense_rows(X: Any) -> np.ndarray:
    """Return rows of X as a C-ordered array of float64."""
    return np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
