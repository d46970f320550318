"""Features coded for the tree kernels: values become ranks; where most rows agree, the others are listed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp

# A feature is stored sparse if a smaller share of the rows than this differs from its commonest value.
SPARSE_SHARE = 1 / 3
_TESTS_A_CELL = 4  # more are not written down
_NO_TESTS = np.zeros(1, np.int64), np.empty(0, np.int32)
_BLOCK_CELLS = 2**18  # of a dense matrix are coded at once: coding takes several times their memory


@dataclass(frozen=True)
class ColumnStore:
    """Features of n rows, coded.

    The layout depends on the values alone, so dense and sparse input of the same data give the same store.

    Attributes
    ----------
    n_rows, n_features : int
    dense_slot : ndarray of int32, shape (F,)
        Row of `codes` that holds the feature, or -1 for a sparse feature.
    codes : ndarray of int32, shape (n_dense, n)
        Rank of each row's value among the feature's distinct values; -1 if missing.
    n_known : ndarray of int32, shape (n_dense,)
        How many rows are known.
    column_start, column_row, column_code : ndarray
        Rows of the sparse features that differ from its commonest value, by column; `column_start` has F + 1
        entries. All features of two values and no missing ones are sparse.
    row_start, row_feature, row_code : ndarray
        The same by row.
    rest_code : ndarray of int32, shape (F,)
        Code of the rows that a sparse feature does not list, -1 for a dense one.
    test_start, test_row_start, row_test : ndarray of int64, int64, int32
        Test t of a sparse feature, number test_start[feature + 1] - 1 - t, parts the codes up to t from those
        above; the rows of the side without unlisted rows have it in `row_test`. Empty where values are
        many, or it was not asked for.
    value_start, values : ndarray
        Distinct values of each feature, rising; `value_start` has F + 1 entries.
    n_categories : ndarray of int32, shape (F,)
        Number of categories of a nominal feature with more than two (its codes are the categories), else 0.
    """

    n_rows: int
    n_features: int
    dense_slot: np.ndarray
    codes: np.ndarray
    n_known: np.ndarray
    column_start: np.ndarray
    column_row: np.ndarray
    column_code: np.ndarray
    row_start: np.ndarray
    row_feature: np.ndarray
    row_code: np.ndarray
    rest_code: np.ndarray
    test_start: np.ndarray
    test_row_start: np.ndarray
    row_test: np.ndarray
    value_start: np.ndarray
    values: np.ndarray
    n_categories: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(getattr(self, item.name).nbytes for item in fields(self)[2:])


def code_columns(
    X: Any, category_counts: np.ndarray | None = None, *, with_tests: bool = True
) -> ColumnStore:
    """Code features for the tree kernels.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing. Nominal features hold category positions 0, 1, ...
    category_counts : ndarray of int, shape (F,), optional
        Number of categories of nominal features, 0 for numeric ones. A nominal feature with at most two is
        coded like a number: its one test is the same.
    with_tests : bool
        Whether to write down each row's tests, which kernels use where a node tries all features.

    Returns
    -------
    ColumnStore
    """
    n_rows, n_features = X.shape
    counts = (
        np.zeros(n_features, np.int32) if category_counts is None else np.asarray(category_counts, np.int32)
    )
    n_categories = np.where(counts > 2, counts, 0).astype(np.int32)
    width = n_features if sp.issparse(X) else max(1, _BLOCK_CELLS // max(n_rows, 1))
    blocks = [
        _code_block(X[:, first : first + width], n_categories[first : first + width], first)
        for first in range(0, n_features, width)
    ]
    rest = np.concatenate([block.rest for block in blocks])
    n_values = np.concatenate([block.n_values for block in blocks])
    dense_slot = np.full(n_features, -1, np.int32)
    dense_slot[rest < 0] = np.arange((rest < 0).sum())
    column_row, column_code = (
        np.concatenate([getattr(block, name) for block in blocks]) for name in ("row", "code")
    )
    column_start = _starts(np.concatenate([block.n_listed for block in blocks]))
    by_row = sp.csc_array((column_code, column_row, column_start), shape=X.shape).tocsr()
    test_start = _starts(np.where(rest >= 0, n_values - 1, 0))
    test_row_start, row_test = _tests_by_row(by_row, rest, test_start) if with_tests else _NO_TESTS
    return ColumnStore(
        n_rows=n_rows,
        n_features=n_features,
        dense_slot=dense_slot,
        codes=np.concatenate([block.codes for block in blocks]),
        n_known=np.concatenate([block.n_known for block in blocks]),
        column_start=column_start,
        column_row=column_row,
        column_code=column_code,
        row_start=by_row.indptr.astype(np.int64),
        row_feature=by_row.indices.astype(np.int32),
        row_code=by_row.data,
        rest_code=rest,
        test_start=test_start,
        test_row_start=test_row_start,
        row_test=row_test,
        value_start=_starts(n_values),
        values=np.concatenate([block.values for block in blocks]),
        n_categories=n_categories,
    )


@dataclass(frozen=True)
class _Block:
    """Some features, coded; named as in `ColumnStore`, but for the listed cells, column by column."""

    rest: np.ndarray
    n_values: np.ndarray
    values: np.ndarray
    codes: np.ndarray
    n_known: np.ndarray
    n_listed: np.ndarray
    row: np.ndarray
    code: np.ndarray


def _code_block(X: Any, n_categories: np.ndarray, first_feature: int) -> _Block:
    nonzeros = _nonzeros(X)
    coded = _Coded(nonzeros, n_categories, first_feature)
    n_rows, n_features = nonzeros.shape
    dense = np.flatnonzero(coded.rest < 0)
    slot = np.full(n_features, -1)
    slot[dense] = np.arange(len(dense))
    codes = np.tile(coded.zero_code[dense][:, None], (1, n_rows)).astype(np.int32)
    in_dense = coded.rest[coded.feature] < 0
    codes[slot[coded.feature[in_dense]], nonzeros.indices[in_dense]] = coded.code[in_dense]
    features, row, code = _listed(nonzeros, coded)
    return _Block(
        rest=coded.rest,
        n_values=coded.n_values,
        values=coded.values,
        codes=codes,
        n_known=n_rows - coded.n_missing[dense],
        n_listed=np.bincount(features, minlength=n_features),
        row=row,
        code=code,
    )


def _nonzeros(X: Any) -> sp.csc_array:
    """Return the cells that are not 0, column by column, rows rising."""
    if sp.issparse(X):
        nonzeros = sp.csc_array(X)
        nonzeros.sum_duplicates()
        nonzeros.eliminate_zeros()
        return nonzeros
    columns = np.ascontiguousarray(X.T)  # several times as fast as going through coordinates
    kept = columns != 0
    rows = np.broadcast_to(np.arange(len(X), dtype=np.int32), columns.shape)[kept]
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int32)
    return sp.csc_array((columns[kept], rows, starts), shape=X.shape)


class _Coded:
    """Codes of the cells that are not 0, and what each feature's other rows are.

    Attributes
    ----------
    feature, code : ndarray of int32, one for each cell in the order of the columns
    zero_code, n_values, n_missing : ndarray of int32, shape (F,)
    values : ndarray of float64
        Distinct values of all features, one after the other.
    rest : ndarray of int32, shape (F,)
        Code of the rows that need not be listed; -1 for a dense feature.
    """

    def __init__(self, nonzeros: sp.csc_array, n_categories: np.ndarray, first_feature: int) -> None:
        n_rows, n_features = nonzeros.shape
        starts, cells = nonzeros.indptr, nonzeros.data
        lengths = np.diff(starts)
        self.feature = np.repeat(np.arange(n_features, dtype=np.int32), lengths)
        missing = np.isnan(cells)
        self.n_missing = np.bincount(self.feature[missing], minlength=n_features).astype(np.int32)
        known = _order_in_columns(starts, cells)
        if missing.any():
            places = np.arange(len(cells))[known]
            known = places[~missing[places]]
        feature, value = self.feature[known], cells[known]
        first = np.ones(len(value), bool)  # of its value in its column
        first[1:] = (value[1:] != value[:-1]) | (feature[1:] != feature[:-1])
        has_zero = lengths < n_rows
        n_negative = np.bincount(feature[first & (value < 0)], minlength=n_features)
        n_nonzero = np.bincount(feature[first], minlength=n_features)
        self.n_values = (n_nonzero + has_zero).astype(np.int32)
        self.zero_code = n_negative.astype(np.int32)
        rank = np.cumsum(first) - 1 - _starts(n_nonzero)[feature] + (has_zero[feature] & (value > 0))
        self.code = np.full(len(cells), -1, np.int32)
        self.code[known] = rank
        zeros = (_starts(n_nonzero)[:-1] + n_negative)[has_zero]
        self.values = np.insert(value[first], zeros, 0.0)
        runs = np.diff(np.flatnonzero(first), append=len(value))
        self.rest = self._rests(feature[first], rank[first], runs, has_zero, n_rows - lengths)
        n_listed = n_rows - self._frequency
        sparse = (n_listed < SPARSE_SHARE * n_rows) | (self.n_values <= 2)
        self.rest[~sparse | (self.n_missing > 0) | (n_categories > 0)] = -1
        self._take_categories(cells, missing, n_categories, first_feature)

    def _rests(
        self, feature: np.ndarray, rank: np.ndarray, runs: np.ndarray, has_zero: np.ndarray, zeros: np.ndarray
    ) -> np.ndarray:
        """Return the code of each feature's commonest value, the lowest of several; note its frequency."""
        self._frequency = np.where(has_zero, zeros, 0)
        rest = np.where(has_zero, self.zero_code, 0).astype(np.int32)
        begins = np.flatnonzero(np.diff(feature, prepend=-1))  # of the features that have other values than 0
        highest = np.maximum.reduceat(runs, begins) if len(begins) else runs
        equal = np.flatnonzero(runs == np.repeat(highest, np.diff(begins, append=len(runs))))
        first = equal[np.flatnonzero(np.diff(feature[equal], prepend=-1))]
        most, code, at = runs[first], rank[first], feature[first]
        wins = (most > self._frequency[at]) | ((most == self._frequency[at]) & (code < rest[at]))
        self._frequency[at[wins]], rest[at[wins]] = most[wins], code[wins]
        return rest

    def _take_categories(
        self, cells: np.ndarray, missing: np.ndarray, n_categories: np.ndarray, first_feature: int
    ) -> None:
        """Let the codes of features with more than two categories be the categories."""
        nominal = (n_categories[self.feature] > 0) & ~missing
        category = cells[nominal]
        wrong = (
            (category != np.floor(category))
            | (category < 0)
            | (category >= n_categories[self.feature[nominal]])
        )
        if wrong.any():
            feature = int(self.feature[nominal][wrong][0])
            raise ValueError(
                f"nominal feature {first_feature + feature} holds more than its"
                f" {n_categories[feature]} categories"
            )
        self.code[nominal] = category
        self.zero_code[n_categories > 0] = 0
        if n_categories.any():
            parts = np.split(self.values, np.cumsum(self.n_values)[:-1])
            for nominal_feature in np.flatnonzero(n_categories):
                parts[nominal_feature] = np.arange(n_categories[nominal_feature], dtype=np.float64)
            self.values = np.concatenate(parts)
            self.n_values = np.where(n_categories > 0, n_categories, self.n_values).astype(np.int32)


def _order_in_columns(starts: np.ndarray, cells: np.ndarray) -> np.ndarray | slice:
    """Return the places of the cells, column by column, by rising value; missing ones last."""
    falls = np.zeros(len(cells) + 1, bool)
    falls[1:-1] = ~(cells[:-1] <= cells[1:])  # missing cells are in no order
    falls[starts] = False  # from one column to the next
    n_falls = np.concatenate([[0], np.cumsum(falls)])
    disordered = np.flatnonzero(n_falls[starts[1:]] > n_falls[starts[:-1]])
    if not len(disordered):
        return slice(None)  # as they are
    order = np.arange(len(cells))
    for column in disordered.tolist():
        first, last = starts[column], starts[column + 1]
        order[first:last] = np.argsort(cells[first:last])
        order[first:last] += first
    return order


def _listed(nonzeros: sp.csc_array, coded: _Coded) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (feature, row, code) of all rows that sparse features list, column by column, rows rising."""
    rest = coded.rest[coded.feature]
    kept = (rest >= 0) & (coded.code != rest)
    parts = [(coded.feature[kept], nonzeros.indices[kept], coded.code[kept])]
    has_zero = np.diff(nonzeros.indptr) < nonzeros.shape[0]
    for feature in np.flatnonzero((coded.rest >= 0) & (coded.rest != coded.zero_code) & has_zero):
        is_zero = np.ones(nonzeros.shape[0], bool)
        is_zero[nonzeros.indices[nonzeros.indptr[feature] : nonzeros.indptr[feature + 1]]] = False
        rows = np.flatnonzero(is_zero)
        parts.append((np.full(len(rows), feature), rows, np.full(len(rows), coded.zero_code[feature])))
    joined = [np.concatenate(part).astype(np.int32) for part in zip(*parts, strict=True)]
    place = joined[0].astype(np.int64) * nonzeros.shape[0] + joined[1]
    order: Any = np.argsort(place, kind="stable") if len(parts) > 1 else slice(None)  # it joins sorted runs
    return joined[0][order], joined[1][order], joined[2][order]


def _tests_by_row(
    by_row: sp.csr_array, rest_code: np.ndarray, test_start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the tests of each row whose side without unlisted rows has it; none if they are too many."""
    rest = rest_code[by_row.indices]
    counts = np.abs(by_row.data - rest).astype(np.int64)
    if counts.sum() > _TESTS_A_CELL * by_row.nnz:
        return _NO_TESTS
    ends = _starts(counts)
    first = test_start[by_row.indices + 1] - np.maximum(by_row.data, rest) - ends[:-1]
    return ends[by_row.indptr], (np.repeat(first, counts) + np.arange(ends[-1])).astype(np.int32)


def _starts(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
