"""Features coded for the tree kernels: values replaced by their ranks, mostly-zero features stored sparse."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp

SPARSE_SHARE = 1 / 3  # a feature with fewer non-zeros than this share of the rows is stored sparse


@dataclass(frozen=True)
class ColumnStore:
    """Features of n rows, coded.

    The layout depends on the values alone, so dense and sparse input of the same data give the same store.

    Attributes
    ----------
    n_rows, n_features : int
    dense_slot : ndarray of int32, shape (F,)
        Row of `codes` that holds the feature, or -1 for a sparse feature.
    codes, order : ndarray of int32, shape (n_dense, n)
        Rank of each value among the feature's distinct values (-1: missing); known rows by rising code.
    n_known : ndarray of int32, shape (n_dense,)
        How many rows are known.
    column_start, column_row, column_code : ndarray
        Non-zeros of the sparse features by column; `column_start` has F + 1 entries.
    row_start, row_feature, row_code : ndarray
        The same by row.
    zero_code : ndarray of int32, shape (F,)
        Code of 0 in a sparse feature, -1 for a dense one.
    value_start, values : ndarray
        Distinct values of each feature, rising; `value_start` has F + 1 entries.
    n_categories : ndarray of int32, shape (F,)
        Number of categories of a nominal feature with more than two (its codes are the categories), else 0.
    """

    n_rows: int
    n_features: int
    dense_slot: np.ndarray
    codes: np.ndarray
    order: np.ndarray
    n_known: np.ndarray
    column_start: np.ndarray
    column_row: np.ndarray
    column_code: np.ndarray
    row_start: np.ndarray
    row_feature: np.ndarray
    row_code: np.ndarray
    zero_code: np.ndarray
    value_start: np.ndarray
    values: np.ndarray
    n_categories: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(getattr(self, item.name).nbytes for item in fields(self)[2:])


def _column_values(X: Any, n_features: int):
    """Yield (non-zero rows, their values) of each column, rows rising."""
    if sp.issparse(X):
        columns = sp.csc_array(X)
        columns.sum_duplicates()
        for feature in range(n_features):
            part = slice(columns.indptr[feature], columns.indptr[feature + 1])
            rows, values = columns.indices[part], columns.data[part]
            if not values.all():
                rows, values = rows[values != 0], values[values != 0]
            yield rows, values
    else:
        columns = np.asfortranarray(X)
        for feature in range(n_features):
            rows = np.flatnonzero(columns[:, feature])
            yield rows, columns[rows, feature]


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
    dense_slot = np.full(n_features, -1, np.int32)
    zero_code = np.full(n_features, -1, np.int32)
    codes: list[np.ndarray] = []
    orders: list[np.ndarray] = []
    known: list[int] = []
    values_of: list[np.ndarray] = []
    column_rows: list[np.ndarray] = []
    column_codes: list[np.ndarray] = []
    lengths = np.zeros(n_features, np.int64)
    for feature, (rows, values) in enumerate(_column_values(X, n_features)):
        if n_categories[feature]:
            distinct = np.arange(n_categories[feature], dtype=np.float64)
        else:
            distinct = np.unique(values[~np.isnan(values)])
            if len(rows) < n_rows:
                distinct = np.union1d(distinct, [0.0])
        values_of.append(distinct)
        if n_categories[feature] and not np.isin(values[~np.isnan(values)], distinct).all():
            raise ValueError(
                f"nominal feature {feature} holds more than its {n_categories[feature]} categories"
            )
        ranks = np.searchsorted(distinct, values).astype(np.int32)
        missing = np.isnan(values)
        ranks[missing] = -1
        if len(rows) < SPARSE_SHARE * n_rows and not missing.any() and not n_categories[feature]:
            zero_code[feature] = np.searchsorted(distinct, 0.0)
            lengths[feature] = len(rows)
            column_rows.append(rows.astype(np.int32))
            column_codes.append(ranks)
            continue
        dense_slot[feature] = len(codes)
        column = np.full(n_rows, np.searchsorted(distinct, 0.0), np.int32)
        column[rows] = ranks
        order = np.argsort(column, kind="stable").astype(np.int32)
        n_missing = int(missing.sum())
        codes.append(column)
        orders.append(np.concatenate([order[n_missing:], order[:n_missing]]))
        known.append(n_rows - n_missing)
    column_start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    column_row = _joined(column_rows, np.int32)
    column_code = _joined(column_codes, np.int32)
    features = np.repeat(np.arange(n_features, dtype=np.int32), lengths)
    by_row = np.argsort(column_row, kind="stable")
    row_start = np.concatenate([[0], np.cumsum(np.bincount(column_row, minlength=n_rows))]).astype(np.int64)
    return ColumnStore(
        n_rows=n_rows,
        n_features=n_features,
        dense_slot=dense_slot,
        codes=np.array(codes, np.int32).reshape(len(codes), n_rows),
        order=np.array(orders, np.int32).reshape(len(codes), n_rows),
        n_known=np.array(known, np.int32),
        column_start=column_start,
        column_row=column_row,
        column_code=column_code,
        row_start=row_start,
        row_feature=features[by_row],
        row_code=column_code[by_row],
        zero_code=zero_code,
        value_start=np.concatenate([[0], np.cumsum([len(v) for v in values_of])]).astype(np.int64),
        values=_joined(values_of, np.float64),
        n_categories=n_categories,
    )


def _joined(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)
