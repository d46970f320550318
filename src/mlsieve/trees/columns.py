"""Features coded for the tree kernels: values become ranks; where most rows agree, the others are listed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp

# A feature is stored sparse if a smaller share of the rows than this differs from its commonest value.
SPARSE_SHARE = 1 / 3
_LARGEST_BITS = 2**28  # bytes


@dataclass(frozen=True)
class ColumnStore:
    """Features of n rows, coded.

    The layout depends on the values alone, so dense and sparse input of the same data give the same store.

    Attributes
    ----------
    n_rows, n_features : int
    dense_slot : ndarray of int32, shape (F,)
        Row of `codes` that holds the feature, or -1 for a sparse feature.
    codes, place : ndarray of int32, shape (n_dense, n)
        Rank of each row's value among the feature's distinct values, and its place among the known rows by
        rising code; -1 if missing.
    ordered : ndarray of int32, shape (n_dense, n, 2)
        The row at each place, and its code; missing rows come last.
    n_known : ndarray of int32, shape (n_dense,)
        How many rows are known.
    column_start, column_row, column_code : ndarray
        Rows of the sparse features that differ from its commonest value, by column; `column_start` has F + 1
        entries. All features of two values and no missing ones are sparse.
    row_start, row_feature, row_code : ndarray
        The same by row.
    row_bits, column_bits : ndarray of uint64, shapes (n, n_words) and (F, n_column_words)
        The same as bits, of a row bit f % 64 of word f // 64 for feature f, and of a column likewise for each
        row; without words where lists are much shorter or a sparse feature has more than two values.
    rest_code : ndarray of int32, shape (F,)
        Code of the rows that a sparse feature does not list, -1 for a dense one.
    value_start, values : ndarray
        Distinct values of each feature, rising; `value_start` has F + 1 entries.
    n_categories : ndarray of int32, shape (F,)
        Number of categories of a nominal feature with more than two (its codes are the categories), else 0.
    """

    n_rows: int
    n_features: int
    dense_slot: np.ndarray
    codes: np.ndarray
    place: np.ndarray
    ordered: np.ndarray
    n_known: np.ndarray
    column_start: np.ndarray
    column_row: np.ndarray
    column_code: np.ndarray
    row_start: np.ndarray
    row_feature: np.ndarray
    row_code: np.ndarray
    row_bits: np.ndarray
    column_bits: np.ndarray
    rest_code: np.ndarray
    value_start: np.ndarray
    values: np.ndarray
    n_categories: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(getattr(self, item.name).nbytes for item in fields(self)[2:])


@dataclass
class _Column:
    """One coded feature: distinct values, and the listed rows with their codes.

    If `rest` is -1, codes are those of all rows, and `rows` is their order by code, missing ones last.
    """

    values: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    rest: int


def code_columns(X: Any, category_counts: np.ndarray | None = None) -> ColumnStore:
    """Code features for the tree kernels.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing. Nominal features hold category positions 0, 1, ...
    category_counts : ndarray of int, shape (F,), optional
        Number of categories of nominal features, 0 for numeric ones. A nominal feature with at most two is
        coded like a number: its one test is the same.

    Returns
    -------
    ColumnStore
    """
    n_rows, n_features = X.shape
    counts = (
        np.zeros(n_features, np.int32) if category_counts is None else np.asarray(category_counts, np.int32)
    )
    n_categories = np.where(counts > 2, counts, 0).astype(np.int32)
    nonzeros = sp.csc_array(X)
    nonzeros.sum_duplicates()
    nonzeros.eliminate_zeros()
    columns = [
        _code_column(nonzeros.indices[first:last], nonzeros.data[first:last], n_rows, int(n_categories[i]), i)
        for i, (first, last) in enumerate(zip(nonzeros.indptr, nonzeros.indptr[1:], strict=False))
    ]
    sparse = np.array([column.rest >= 0 for column in columns], bool)
    lengths = np.array([len(column.rows) for column in columns], np.int64)
    dense = [column for column in columns if column.rest < 0]
    codes, place = np.empty((2, len(dense), n_rows), np.int32)
    ordered = np.empty((len(dense), n_rows, 2), np.int32)
    for slot, column in enumerate(dense):
        codes[slot] = column.codes
        place[slot, column.rows] = np.where(column.codes[column.rows] < 0, -1, np.arange(n_rows))
        ordered[slot, :, 0], ordered[slot, :, 1] = column.rows, column.codes[column.rows]
    column_row = _joined([c.rows for c in columns if c.rest >= 0], np.int32)
    column_code = _joined([c.codes for c in columns if c.rest >= 0], np.int32)
    listed = np.where(sparse, lengths, 0)
    features = np.repeat(np.arange(n_features, dtype=np.int32), listed)
    by_row = np.argsort(column_row, kind="stable")
    row_lengths = np.bincount(column_row, minlength=n_rows)
    binary = all(len(column.values) <= 2 for column in columns if column.rest >= 0)
    return ColumnStore(
        n_rows=n_rows,
        n_features=n_features,
        dense_slot=np.where(sparse, -1, np.cumsum(~sparse) - 1).astype(np.int32),
        codes=codes,
        place=place,
        ordered=ordered,
        n_known=np.array([(column.codes >= 0).sum() for column in dense], np.int32),
        column_start=np.concatenate([[0], np.cumsum(listed)]).astype(np.int64),
        column_row=column_row,
        column_code=column_code,
        row_start=np.concatenate([[0], np.cumsum(row_lengths)]).astype(np.int64),
        row_feature=features[by_row],
        row_code=column_code[by_row],
        row_bits=_bits(column_row, features, n_rows, n_features if binary else 0, 2),
        column_bits=_bits(features, column_row, n_features, n_rows if binary else 0, 8),
        rest_code=np.array([column.rest for column in columns], np.int32),
        value_start=np.concatenate([[0], np.cumsum([len(c.values) for c in columns])]).astype(np.int64),
        values=_joined([column.values for column in columns], np.float64),
        n_categories=n_categories,
    )


def _code_column(
    rows: np.ndarray, cells: np.ndarray, n_rows: int, n_categories: int, feature: int
) -> _Column:
    """Code one feature from its rows that are not 0 (rising) and their values."""
    if not n_categories and (len(rows) == 0 or (cells == cells[0]).all()) and 2 * len(rows) <= n_rows:
        values = np.array([0.0, *cells[:1]])
        rest = int(len(rows) > 0 and cells[0] < 0)
        return _Column(np.sort(values), rows, np.full(len(rows), 1 - rest, np.int32), rest)
    column = np.zeros(n_rows)
    column[rows] = cells
    order = np.argsort(column, kind="stable")
    n_known = n_rows - int(np.isnan(cells).sum())
    known = column[order[:n_known]]
    starts = np.ones(n_known, bool)
    np.not_equal(known[1:], known[:-1], out=starts[1:])
    values = known[starts]
    ranks = np.cumsum(starts, dtype=np.int32) - 1
    if n_categories:
        if not np.isin(values, np.arange(n_categories)).all():
            raise ValueError(f"nominal feature {feature} holds more than its {n_categories} categories")
        ranks = values.astype(np.int32)[ranks]
        values = np.arange(n_categories, dtype=np.float64)
    codes = np.full(n_rows, -1, np.int32)
    codes[order[:n_known]] = ranks
    if n_known == n_rows and not n_categories:
        frequencies = np.diff(np.flatnonzero(starts), append=n_rows)
        rest = int(np.argmax(frequencies))
        if n_rows - frequencies[rest] < SPARSE_SHARE * n_rows or len(values) <= 2:
            listed = np.flatnonzero(codes != rest)
            return _Column(values, listed, codes[listed], rest)
    return _Column(values, order, codes, -1)


def _bits(
    first: np.ndarray, second: np.ndarray, n_first: int, n_second: int, words_a_cell: int
) -> np.ndarray:
    """Return the listed cells as bits; without words if there are more than so many for each cell."""
    n_words = -(-n_second // 64)
    if n_words * n_first > words_a_cell * len(first) or n_words * n_first * 8 > _LARGEST_BITS:
        n_words = 0
    bits = np.zeros((n_first, n_words), np.uint64)
    if n_words:
        np.bitwise_or.at(bits, (first, second // 64), np.uint64(1) << (second % 64).astype(np.uint64))
    return bits


def _joined(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)
