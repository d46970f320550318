"""Features coded for the tree kernels: values become ranks; where most rows agree, the others are listed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.common.feature_codes import code_cells
from mlsieve.data.column_contents import order_of_coded

# A feature is stored sparse if a smaller share of the rows than this differs from its commonest value.
SPARSE_SHARE = 1 / 3
_TESTS_A_CELL = 4  # more are not written down
_NO_TESTS = np.zeros(1, np.int64), np.empty(0, np.int32)
# So many are coded at once: coding takes several times their memory.
_BLOCK_CELLS = 2**18  # of a dense matrix
_LISTED_CELLS, _SPARSE_BLOCKS = 2**16, 6  # of a sparse one, which is cut into so many blocks at most


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
    data_column : ndarray of int64, shape (F,)
        Column of the data that each feature of the store is.
    copy_of : ndarray of int32, shape (F,)
        By column of the data: the first column that equals it; the column itself in the data's own order.
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
    data_column: np.ndarray
    copy_of: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(getattr(self, item.name).nbytes for item in fields(self)[2:])


def code_columns(
    X: Any,
    category_counts: np.ndarray | None = None,
    *,
    with_tests: bool = True,
    order_seed: int | None = None,
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
    order_seed : int, optional
        Seed of an order of the features by content (`mlsieve.data.column_contents`), from 0 to 2**63 - 1;
        without one they stay in the order of the columns.

    Returns
    -------
    ColumnStore
    """
    n_rows, n_features = X.shape
    counts = (
        np.zeros(n_features, np.int32) if category_counts is None else np.asarray(category_counts, np.int32)
    )
    n_categories = np.where(counts > 2, counts, 0).astype(np.int32)
    joined = _join(coded_parts(X, n_categories), X.nnz if sp.issparse(X) else 0)
    is_dense = joined["rest"] < 0
    dense_slot = np.where(is_dense, np.cumsum(is_dense) - 1, -1).astype(np.int32)
    n_known = n_rows - joined["n_missing"][is_dense]
    data_column, copy_of = np.arange(n_features), np.arange(n_features, dtype=np.int32)
    if order_seed is not None:
        data_column, copy_of = order_of_coded(joined, n_categories, order_seed)
        _reorder(joined, data_column, n_rows)
        dense_slot, n_categories = dense_slot[data_column], n_categories[data_column]
    rest, n_values = joined["rest"], joined["n_values"]
    column_start = _starts(joined["n_listed"])
    # With indices wider than those of the rows the conversion would take twice the memory, and the time.
    narrow = column_start.astype(sp.get_index_dtype(maxval=int(column_start[-1])), copy=False)
    by_row = sp.csc_array((joined["code"], joined["row"], narrow), shape=X.shape).tocsr()
    test_start = _starts(np.where(rest < 0, 0, n_values - 1))
    test_row_start, row_test = _tests_by_row(by_row, rest, test_start) if with_tests else _NO_TESTS
    return ColumnStore(
        n_rows=n_rows,
        n_features=n_features,
        dense_slot=dense_slot,
        codes=joined["codes"].reshape(-1, n_rows),
        n_known=n_known,
        column_start=column_start,
        column_row=joined["row"],
        column_code=joined["code"],
        row_start=by_row.indptr.astype(np.int64),
        row_feature=by_row.indices.astype(np.int32, copy=False),
        row_code=by_row.data,
        rest_code=rest,
        test_start=test_start,
        test_row_start=test_row_start,
        row_test=row_test,
        value_start=_starts(n_values),
        values=joined["values"],
        n_categories=n_categories,
        data_column=data_column,
        copy_of=copy_of,
    )


@dataclass(frozen=True)
class _Block:
    """Some features' cells, column by column; without `rows` each column has those of all rows."""

    first: int
    starts: np.ndarray
    rows: np.ndarray
    cells: np.ndarray
    n_rows: int


def coded_parts(
    X: Any, n_categories: np.ndarray, block_cells: int = _BLOCK_CELLS, listed_cells: int = _LISTED_CELLS
) -> Iterator[dict[str, np.ndarray]]:
    """Yield what `code_cells` finds of some features at a time, in the order of the columns.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
    n_categories : ndarray of int32, shape (F,)
        Categories of nominal features with more than two, else 0.
    block_cells : int
        Cells of a dense matrix that are coded at once.
    listed_cells : int
        The same of a sparse one, but there are few blocks.
    """
    return (_code(block, n_categories) for block in _blocks(X, block_cells, listed_cells))


def _blocks(X: Any, block_cells: int, listed_cells: int) -> Iterator[_Block]:
    """Cut the features into blocks of about as many cells."""
    n_rows, n_features = X.shape
    if sp.issparse(X):
        X = X if X.format in ("csr", "csc") else sp.csr_array(X)
        # Every block costs a pass over the cells of all.
        bounds = np.linspace(0, n_features, min(_SPARSE_BLOCKS, 1 + X.nnz // listed_cells) + 1).astype(int)
        for first, last in itertools.pairwise(bounds.tolist()):
            by_column = sp.csc_array(X[:, first:last])
            by_column.sum_duplicates()
            starts, rows = by_column.indptr.astype(np.int64), by_column.indices.astype(np.int32, copy=False)
            yield _Block(first, starts, rows, by_column.data.astype(np.float64, copy=False), n_rows)
        return
    width = max(1, block_cells // max(n_rows, 1))
    for first in range(0, n_features, width):
        columns = np.ascontiguousarray(X[:, first : first + width].T, dtype=np.float64)
        starts = np.arange(len(columns) + 1, dtype=np.int64) * n_rows
        yield _Block(first, starts, np.empty(0, np.int32), columns.ravel(), n_rows)


def _code(block: _Block, n_categories: np.ndarray) -> dict[str, np.ndarray]:
    counts = n_categories[block.first : block.first + len(block.starts) - 1]
    try:
        return code_cells(block.starts, block.rows, block.cells, counts, block.n_rows, SPARSE_SHARE)
    except ValueError as error:
        what, column = error.args
        raise ValueError(f"nominal feature {block.first + column} holds {what}") from None


def _join(parts: Iterator[dict[str, np.ndarray]], n_cells: int) -> dict[str, np.ndarray]:
    """Join what the blocks have, of a sparse matrix with at most `n_cells` listed cells.

    Their arrays are made before the first block: after the last one they would lie beyond the holes that the
    blocks leave in the memory.
    """
    listed = {name: np.empty(n_cells, np.int32) for name in ("row", "code")}
    others, end = [], 0
    for part in parts:
        start, end = end, end + len(part["row"])
        for name, array in listed.items():
            if end > len(array):
                array.resize(end, refcheck=False)
            array[start:end] = part.pop(name)
        others.append(part)
    for array in listed.values():
        array.resize(end, refcheck=False)
    return listed | {name: np.concatenate([part.pop(name) for part in others]) for name in list(others[0])}


def _reorder(joined: dict[str, np.ndarray], feature: np.ndarray, n_rows: int) -> None:
    """Put what is joined into another order of the features; the codes of dense ones stay where they are."""
    starts = _starts(joined["n_listed"])
    narrow = starts.astype(sp.get_index_dtype(maxval=int(starts[-1])), copy=False)
    cells = sp.csc_array((joined["code"], joined["row"], narrow), shape=(n_rows, len(feature)))[:, feature]
    joined["code"], joined["row"] = cells.data, cells.indices.astype(np.int32, copy=False)
    joined["values"] = _values_of(joined["values"], joined["n_values"], feature)
    for name in ("rest", "n_values", "n_listed"):
        joined[name] = joined[name][feature]


def _values_of(values: np.ndarray, n_values: np.ndarray, feature: np.ndarray) -> np.ndarray:
    """Return the values in another order of the features, of which there may be millions with one each."""
    first, end = _starts(n_values), 0
    found = np.empty_like(values)
    for block in np.array_split(feature, 1 + len(values) // _BLOCK_CELLS):
        own = n_values[block].astype(np.int64)
        places = np.repeat(first[block] - np.cumsum(own) + own, own) + np.arange(own.sum())
        found[end : end + len(places)] = values[places]
        end += len(places)
    return found


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
