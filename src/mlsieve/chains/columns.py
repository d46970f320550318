"""Rows as other libraries' classifiers take them: nominal features as indicators, stored by their content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.validation import FeatureError

# Share of nonzero cells below which a classifier that takes sparse rows gets them, however they are stored.
_FEW = 0.1
_TOO_LARGE = (2 - 2.0**-24) * 2.0**127  # what float32 rounds to infinity


@dataclass(frozen=True)
class ClassifierColumns:
    """The columns that a classifier sees: features, and after them the labels set so far.

    A nominal feature of more than two categories is one indicator a category, 0 for a category that the
    training part does not have; a missing value is missing in all of them. One of two categories stays 0/1.

    Attributes
    ----------
    n_categories : ndarray of int32, shape (F,)
        0 for a numeric feature.
    sparse : bool
        Whether the classifier takes sparse rows. They are stored by their content then, so that the result
        does not depend on how X is stored.
    single : bool
        Whether dense rows are float32, which the trees of other libraries make of them anyway.
    names : sequence of str, shape (F,), or None
        Of the features, where X has any.
    """

    n_categories: np.ndarray
    sparse: bool
    single: bool
    names: Any = None

    @property
    def width(self) -> int:
        """The number of columns that the features become."""
        coded = self.n_categories > 2
        return int((~coded).sum()) + int(self.n_categories[coded].sum())

    def rows(self, X: Any, n_more: int = 0) -> Rows:
        """Return the rows of X, shape (n, F), with room for so many more columns.

        Raises
        ------
        FeatureError
            If the rows are of single precision, and a value is too large for that.
        """
        coded = self.n_categories > 2
        columns = _canonical(X) if sp.issparse(X) else X
        if self.single:
            require_single_precision(columns, "this base", "the base ml-xgb", self.names)
        if self.sparse and not coded.any() and _sparse_by_content(columns):
            columns = columns if sp.issparse(columns) else sp.csc_array(columns)
            return Rows(columns, columns.shape[1])
        plain = np.flatnonzero(~coded)
        width = self.width
        table = np.zeros((X.shape[0], width + n_more), np.float32 if self.single else np.float64, order="F")
        for place, feature in enumerate(plain.tolist()):
            _fill(table, place, columns, feature)
        place = len(plain)
        for feature in np.flatnonzero(coded).tolist():
            values = columns[:, [feature]].toarray()[:, 0] if sp.issparse(X) else columns[:, feature]
            for category in range(self.n_categories[feature]):
                table[:, place] = np.where(np.isnan(values), np.nan, values == category)
                place += 1
        return Rows(table, width)


def require_single_precision(X: Any, reader: str, other: str, names: Any = None) -> None:
    """Raise a FeatureError at the first feature with a value that float32 does not hold.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
    reader, other : str
        What reads single precision, and what to choose in its place.
    names : sequence of str, shape (F,), optional
        Of the features.
    """
    values = X.data if sp.issparse(X) else X
    if not values.size or max(np.nanmax(values, initial=0.0), -np.nanmin(values, initial=0.0)) < _TOO_LARGE:
        return
    if sp.issparse(X):
        columns = sp.csc_array(X)
        values = columns.data
        place = int(np.flatnonzero(abs(values) >= _TOO_LARGE)[0])
        feature, value = int(np.searchsorted(columns.indptr, place, side="right")) - 1, values[place]
    else:
        feature = int(np.flatnonzero((abs(values) >= _TOO_LARGE).any(axis=0))[0])
        value = values[np.flatnonzero(abs(values[:, feature]) >= _TOO_LARGE)[0], feature]
    raise FeatureError(
        feature,
        f"holds {value:g}, and {reader} reads numbers up to 3.4e+38",
        f"scale the feature, or choose {other}",
        names,
    )


def _canonical(X: Any) -> sp.csc_array:
    """Return sparse rows in column order, each cell once and no zero among them.

    Indices are of 32 bits if they fit: scikit-learn's trees take no others.
    """
    columns = sp.csc_array(X, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    kind = sp.get_index_dtype(maxval=max(columns.nnz, *columns.shape))
    places = columns.indices.astype(kind, copy=False), columns.indptr.astype(kind, copy=False)
    return sp.csc_array((columns.data, *places), shape=columns.shape)


def _fill(table: np.ndarray, place: int, columns: Any, feature: int) -> None:
    """Copy a feature's values into a column of zeros."""
    if sp.issparse(columns):
        cells = slice(columns.indptr[feature], columns.indptr[feature + 1])
        table[columns.indices[cells], place] = columns.data[cells]
    else:
        table[:, place] = columns[:, feature]


def _sparse_by_content(X: Any) -> bool:
    """Whether few cells are not 0, and none is missing."""
    values = X.data if sp.issparse(X) else X
    return np.count_nonzero(values) < _FEW * X.shape[0] * X.shape[1] and not np.isnan(values).any()


class Rows:
    """Rows to which labels or their probabilities are added, one column each."""

    def __init__(self, table: Any, width: int) -> None:
        self._table = table
        self._width = width

    @property
    def table(self) -> Any:
        """The features and the labels added so far; ndarray in column order, or CSC."""
        return self._table if sp.issparse(self._table) else self._table[:, : self._width]

    def first(self, width: int) -> Any:
        """Return the first so many columns."""
        return self._table[:, :width]

    def add(self, labels: np.ndarray) -> None:
        """Add a label's values, bool or float64 of shape (n,)."""
        if sp.issparse(self._table):
            column = sp.csc_array(labels.astype(self._table.dtype)[:, None])
            self._table = sp.csc_array(sp.hstack([self._table, column], format="csc"))
        else:
            self._table[:, self._width] = labels
        self._width += 1
