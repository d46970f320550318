"""Features as the boosting kernel reads them: each column's known rows by rising value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.boosting.booster import Booster
from mlsieve.chains.boosting.contents import RowContents
from mlsieve.data.coded_columns import coded_parts
from mlsieve.data.column_contents import are_shared, code_digests, mixed, order_of_digests, value_digests

NO_REST, COMMON_REST, MISSING_REST = range(3)  # what the rows are that a column does not list
PRESENT = 2  # side of a test of known cells against missing ones
CATEGORY = 4  # added to a node's kind: the test is of a category


@dataclass(frozen=True)
class BoostingColumns:
    """What the tests of a booster's columns mean; a nominal feature of many categories has a column for each.

    Attributes
    ----------
    feature : ndarray of int32, shape (C,)
        Column of the data.
    category : ndarray of int32, shape (C,)
        The category that code 1 is; -1 for a numeric column.
    value_start : ndarray of int64, shape (C + 1,)
        A column without values has those of `cells`.
    low, high : ndarray of float64
        Smallest and largest value of each code; they differ where values share a bin.
    rest_value : ndarray of float64, shape (C,)
        The value of the rows that a column does not list, if they have one.
    cells : ndarray of float64, shape (n, F), or None
        The data, if they are dense.
    as_program : bool
        Whether thresholds are those of the authors' program: middles in single precision, which say "no"
        themselves. A test of known cells against missing ones also has one, beyond the values it has seen.
    """

    feature: np.ndarray
    category: np.ndarray
    value_start: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rest_value: np.ndarray
    cells: np.ndarray | None = None
    as_program: bool = False

    def _values(
        self, stored: np.ndarray, column: np.ndarray, code: np.ndarray, row: np.ndarray
    ) -> np.ndarray:
        """Return the values of codes; `row` is one that has the code, or -1 for rows that are not listed."""
        place = self.value_start[column] + code
        asked = self.value_start[column + 1] == self.value_start[column]
        if self.cells is None or not asked.any():
            return stored[place]
        values = self.cells[row, np.where(asked, self.feature[column], 0)] + 0.0  # -0.0 is 0.0
        values = np.where(row < 0, self.rest_value[column], values)
        values[~asked] = stored[place[~asked]]
        return values

    def nodes(self, tree: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return a tree's tests by value: ``feature`` of the data, ``threshold`` and ``kind``.

        Parameters
        ----------
        tree : mapping of str to ndarray
            What `Booster.grow` returns.
        """
        inner = np.flatnonzero(tree["feature"] >= 0)
        column, side, code = tree["feature"][inner], tree["side"][inner], tree["code"][inner]
        row, next_row = tree["row"][inner], tree["next_row"][inner]
        numeric = side != PRESENT
        below = self._values(self.high, column, np.where(numeric, code, 0), np.where(numeric, row, next_row))
        above = self._values(self.low, column, np.where(numeric, tree["next"][inner], 0), next_row)
        middle = below + (above / 2 - below / 2)  # above - below may pass the largest numbers
        middle = np.where(middle < above, middle, below)  # of neighbours among the floats
        if self.as_program:
            last = self._values(self.high, column, code, row).astype(np.float32)
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

    def with_nodes(self, trees: Sequence[Mapping[str, np.ndarray]]) -> list[dict[str, np.ndarray]]:
        """Return trees with their `nodes`, which are found for all of them at once."""
        names = ("feature", "side", "code", "row", "next", "next_row")
        found = self.nodes({name: np.concatenate([tree[name] for tree in trees]) for name in names})
        ends = np.cumsum([len(tree["feature"]) for tree in trees])[:-1]
        parts = {name: np.split(values, ends) for name, values in found.items()}
        return [
            {**tree, **{name: parts[name][number] for name in parts}} for number, tree in enumerate(trees)
        ]


def boosting_columns(
    X: Any,
    booster: Booster,
    category_counts: np.ndarray | None = None,
    *,
    max_bins: int | None = None,
    order_seed: int | None = 0,
    rows: RowContents | None = None,
    as_program: bool = False,
) -> BoostingColumns:
    """Give a booster the columns of X, sorted, in an order of the columns by content.

    Some features are coded and sorted at a time; what the booster takes is held nowhere else.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing. Nominal features hold category positions.
    booster : Booster
        Without columns so far.
    category_counts : ndarray of int, shape (F,), optional
        Number of categories of nominal features, 0 for numeric ones.
    max_bins : int, optional
        Most codes of a numeric column; of more distinct values, neighbours share a bin, so that bins hold
        about equally many rows. None: every value has a code of its own.
    order_seed : int, optional
        Of the order of the columns, see `mlsieve.data.column_contents`; None: the data's own order.
    rows : RowContents, optional
        For the order of the columns; all rows alike by default.
    as_program : bool
        See `BoostingColumns`.
    """
    n_rows, n_features = X.shape
    n_categories = np.zeros(n_features, np.int32)
    if category_counts is not None:
        n_categories = np.where(category_counts > 2, category_counts, 0).astype(np.int32)
    holds_values = sp.issparse(X) or max_bins is not None
    booster.reserve(X.nnz if sp.issparse(X) else X.size)
    found: dict[str, list[np.ndarray]] = {name: [] for name in ("feature", "category", "n_values", *_VALUES)}
    first = 0
    for part in coded_parts(X, n_categories, _BLOCK_CELLS, _BLOCK_CELLS):
        own = slice(first, first + len(part["rest"]))
        columns = _columns_of_part(part, n_rows, n_categories[own], max_bins)
        booster.add_columns(*(columns[name] for name in ("start", "row", "code", "rest_kind", "rest_code")))
        columns["feature"] += first
        if not holds_values:
            columns["n_values"][:] = 0
            columns |= dict.fromkeys(("low", "high"), np.empty(0))
        for name, parts in found.items():
            parts.append(columns[name])
        first = own.stop
        del part, columns  # or they would be there beside the next ones
    joined = {name: np.concatenate(parts) for name, parts in found.items()}
    place = joined["feature"]
    if order_seed is not None:
        contents = np.zeros(n_features, np.uint64)
        rows = RowContents.alike(n_rows) if rows is None else rows
        np.add.at(contents, place, mixed(rows.digests(booster)[0]))
        place = np.argsort(_features_in_order(X, n_categories, contents, order_seed))[place]
    order = np.argsort(place, kind="stable")
    booster.order_columns(order)
    values = _segments(joined["n_values"], order)
    low = joined["low"][values]
    return BoostingColumns(
        feature=joined["feature"][order],
        category=joined["category"][order],
        value_start=_starts(joined["n_values"][order]),
        low=low,
        high=low if max_bins is None else joined["high"][values],
        rest_value=joined["rest_value"][order],
        cells=None if holds_values else X,
        as_program=as_program,
    )


_BLOCK_CELLS = 2**13  # that are coded and sorted at once
_VALUES = ("low", "high", "rest_value")
# What `_columns_of` returns of each column, in this order.
_PARTS = {
    **dict.fromkeys(("row", "code", "rest_kind", "rest_code", "feature", "category"), np.int32),
    **dict.fromkeys(("low", "high"), np.float64),
}


def _features_in_order(X: Any, n_categories: np.ndarray, contents: np.ndarray, seed: int) -> np.ndarray:
    """Return the features in an order of their contents, which ignore the order of the rows.

    Features of one content follow each other by their codes, row by row, and then by their values.
    """
    of_rows = np.zeros(len(contents), np.uint64)
    shared = np.flatnonzero(are_shared(contents))
    if len(shared):
        parts = coded_parts(X[:, shared], n_categories[shared], _BLOCK_CELLS, _BLOCK_CELLS)
        first = 0
        for part in parts:
            own = shared[first : first + len(part["rest"])]
            of_rows[own] = mixed(mixed(code_digests(part, n_categories[own])) + value_digests(part))
            first += len(own)
    return order_of_digests(contents, of_rows, seed).feature


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _segments(sizes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return where the items of segments lie that are put into another order."""
    shift = _starts(sizes)[order] - _starts(sizes[order])[:-1]
    return np.repeat(shift, sizes[order]) + np.arange(sizes.sum())


def _columns_of_part(
    part: Mapping[str, np.ndarray], n_rows: int, n_categories: np.ndarray, max_bins: int | None
) -> dict[str, np.ndarray]:
    """Return the columns of some features: what `_PARTS` names, start, n_values and rest_value."""
    rest, n_values = part["rest"], part["n_values"]
    part = {**part, "value_start": _starts(n_values), "listed_start": _starts(part["n_listed"])}
    part["slot"] = np.cumsum(rest < 0) - 1
    # Most features of sparse data have two values, their rows listed already; of one there is no test.
    plain = (rest >= 0) & (n_values == 2)
    others = np.flatnonzero(~plain & ((rest < 0) | (n_values > 2))).tolist()
    columns = [
        column
        for feature in others
        for column in _columns_of(part, feature, n_rows, int(n_categories[feature]), max_bins)
    ]
    is_listed = np.repeat(plain, part["n_listed"])
    values = part["values"][np.repeat(plain, n_values)]
    plain = np.flatnonzero(plain)
    first = {
        "row": part["row"][is_listed],
        "code": part["code"][is_listed],
        "rest_kind": np.full(len(plain), COMMON_REST),
        "rest_code": rest[plain],
        "feature": plain,
        "category": np.full(len(plain), -1),
        "low": values,
        "high": values,
    }
    joined: dict[str, np.ndarray] = {}
    for at, (name, kind) in enumerate(_PARTS.items()):
        whole = np.concatenate([first[name], *(np.atleast_1d(column[at]) for column in columns)])
        joined[name] = whole.astype(kind, copy=False)
    sizes = np.concatenate([part["n_listed"][plain], [len(column[0]) for column in columns]])
    n_own = np.concatenate([n_values[plain], [len(column[6]) for column in columns]]).astype(np.int64)
    rest_value, has_rest = np.zeros(len(n_own)), joined["rest_code"] >= 0
    rest_value[has_rest] = joined["low"][(_starts(n_own)[:-1] + joined["rest_code"])[has_rest]]
    return joined | {"start": _starts(sizes), "n_values": n_own, "rest_value": rest_value}


def _columns_of(
    part: Mapping[str, np.ndarray], feature: int, n_rows: int, n_categories: int, max_bins: int | None
) -> list[tuple[Any, ...]]:
    """Return what `_PARTS` names, for each column of a feature."""
    values = part["values"][part["value_start"][feature] : part["value_start"][feature + 1]]
    rest = part["rest"][feature]
    if rest >= 0:
        listed = slice(part["listed_start"][feature], part["listed_start"][feature + 1])
        rows, codes, kind = part["row"][listed], part["code"][listed], COMMON_REST
    else:
        codes = part["codes"].reshape(-1, n_rows)[part["slot"][feature]]
        rows, kind = np.arange(n_rows, dtype=np.int32), NO_REST
        if part["n_missing"][feature]:
            kind, rows = MISSING_REST, np.flatnonzero(codes >= 0).astype(np.int32)
            codes = codes[rows]
    if n_categories > 0:
        return [
            _category(rows, codes, kind, feature, category)
            for category in range(n_categories)
            if category == rest or (codes == category).any()
        ]
    low = high = values
    if max_bins is not None and len(values) > max_bins:
        counts = np.bincount(codes, minlength=len(values))
        if rest >= 0:
            counts[rest] += n_rows - len(rows)
        bins = _bins(counts, max_bins)
        low = values[np.searchsorted(bins, np.arange(bins[-1] + 1))]
        high = values[np.searchsorted(bins, np.arange(bins[-1] + 1), side="right") - 1]
        codes = bins[codes]
        if rest >= 0:
            rest = bins[rest]
            rows, codes = rows[codes != rest], codes[codes != rest]
    # Narrow integers are sorted in linear time.
    order = np.argsort(codes.astype(np.uint16) if len(values) <= 2**16 else codes, kind="stable")
    if kind == COMMON_REST and len(rows) == n_rows:
        kind, rest = NO_REST, -1
    return [(rows[order], codes[order], kind, rest, feature, -1, low, high)]


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


def label_columns(
    values: np.ndarray, first: int, order: np.ndarray
) -> tuple[tuple[np.ndarray, ...], BoostingColumns]:
    """Return what `Booster.set_columns` takes of label features, and what their tests mean.

    Parameters
    ----------
    values : ndarray of float64, shape (n, L)
        Probabilities; NaN is missing.
    first : int
        Column of the data that the first label feature is.
    order : ndarray of int, shape (L,)
        The labels as they follow each other in the booster.
    """
    n_labels = values.shape[1]
    values = values[:, order]
    label, row = np.nonzero(~np.isnan(values.T))
    value = values[row, label]
    rising = np.lexsort((row, value, label))
    label, row, value = label[rising], row[rising].astype(np.int32), value[rising]
    start = np.searchsorted(label, np.arange(n_labels + 1)).astype(np.int64)
    is_new = np.ones(len(value), bool)
    is_new[1:] = (value[1:] != value[:-1]) | (label[1:] != label[:-1])
    rank = np.cumsum(is_new) - 1
    value_start = np.concatenate([rank, [np.count_nonzero(is_new)]])[start].astype(np.int64)
    code = (rank - value_start[label]).astype(np.int32)
    kinds, none = np.full(n_labels, MISSING_REST, np.int32), np.full(n_labels, -1, np.int32)
    features = (first + order).astype(np.int32)
    distinct = value[is_new]
    columns = BoostingColumns(features, none, value_start, distinct, distinct, np.zeros(n_labels))
    return (start, row, code, kinds, none), columns


def join_columns(first: BoostingColumns, second: BoostingColumns) -> BoostingColumns:
    """Return the columns of both, those of the data first."""
    both: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), getattr(second, name)])
        for name in ("feature", "category", "low", "high", "rest_value")
    }
    value_start = np.concatenate([first.value_start, first.value_start[-1] + second.value_start[1:]])
    return replace(first, **both, value_start=value_start)


def dense_rows(X: Any) -> np.ndarray:
    """Return rows of X as a C-ordered array of float64."""
    return np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
