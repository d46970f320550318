"""What features add to the log-odds of labels: counts of categories, and normal distributions.

Both kinds learn from the training rows column by column, in sparse form whatever the data's own: dense and
sparse data give the same bytes, and the work is proportional to the cells that are not 0. What a feature adds
for a cell of 0 is the same for all rows; the other cells add their difference to that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

# Category positions lie below this (see `mlsieve.data.validation`), so that feature and position make one
# number.
_POSITIONS = 2**20
# Added to the variances of features whose variance over all training rows is 1.
SMOOTHING = 1e-9
_LARGEST = 1e100  # of a standardised value; its square is still far from the largest number


@dataclass(frozen=True)
class Terms:
    """What some features add to the log-odds of the labels: ``constant`` summed, and ``cells @ table``.

    Attributes
    ----------
    constant : ndarray of float64, shape (B, L)
        For every row.
    cells : csc_array of float64, shape (n, C)
    owner : ndarray of int, shape (C,)
        Position, among the B features, of the one that each column of `cells` belongs to; rising.
    table : ndarray of float64, shape (C, L)
    """

    constant: np.ndarray
    cells: sp.csc_array
    owner: np.ndarray
    table: np.ndarray


class Likelihoods(Protocol):
    """Features' likelihoods under each label and without it."""

    def terms(self, X: sp.csc_array, features: np.ndarray) -> Terms:
        """Return what features add for the rows of X, of shape (n, F); `features` are B indices."""


class LabelCounts:
    """How many training rows have each label, also among the rows where a feature is known."""

    def __init__(self, X: sp.csc_array, labels: sp.csr_array) -> None:
        self.labels = labels.astype(np.float64)
        self.n = float(labels.shape[0])
        self.of_label = np.bincount(labels.indices, minlength=labels.shape[1]).astype(np.float64)
        missing = np.isnan(X.data)
        columns, rows = columns_of(X)[missing], X.indices[missing]
        cells = sp.csr_array((np.ones(len(rows)), (columns, rows)), shape=(X.shape[1], X.shape[0]))
        self._missing = sp.csr_array(cells @ self.labels)
        self._n_missing = np.bincount(columns, minlength=X.shape[1]).astype(np.float64)

    def over(self, X: sp.csc_array, values: np.ndarray) -> sp.csr_array:
        """Return sums over each label's rows of numbers in the places of X's cells; shape (F, L)."""
        of_features = sp.csr_array((values, X.indices, X.indptr), shape=(X.shape[1], X.shape[0]))
        return sp.csr_array(of_features @ self.labels)

    def known(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how many rows with a known feature have each label, and lack it; shapes (B, L)."""
        with_label = self.of_label - self._missing[features].toarray()
        return with_label, self.n - self._n_missing[features][:, None] - with_label


class CategoryLikelihoods:
    """Nominal features: (1 + n_vl) / (V + n_l) for category v of V, among the rows where it is known.

    Parameters
    ----------
    X : csc_array of float64, shape (n, F)
        Category positions; canonical, without stored zeros.
    counts : LabelCounts
        Of the same rows.
    n_categories : ndarray of int, shape (F,)
        V.
    """

    def __init__(self, X: sp.csc_array, counts: LabelCounts, n_categories: np.ndarray) -> None:
        self._counts, self._n_categories = counts, n_categories.astype(np.float64)
        known = ~np.isnan(X.data)
        keys = columns_of(X)[known] * _POSITIONS + X.data[known].astype(np.int64)
        self._keys, place = np.unique(keys, return_inverse=True)
        rows = X.indices[known]
        ones = np.ones(len(rows))
        listed = sp.csr_array((ones, (place, rows)), shape=(len(self._keys), X.shape[0]))
        self._with_label = sp.csr_array(listed @ counts.labels)
        self._rows_with = np.bincount(place, minlength=len(self._keys)).astype(np.float64)
        self._listed = counts.over(X, np.ones(X.nnz))
        self._n_listed = np.diff(X.indptr).astype(np.float64)

    def terms(self, X: sp.csc_array, features: np.ndarray) -> Terms:
        """See `Likelihoods`; a category that no training row has is counted 0 times."""
        part = sp.csc_array(X[:, features])
        columns = columns_of(part)
        known = ~np.isnan(part.data)
        # Keys by position among the features asked for, so that the columns come in their order.
        keys = columns * _POSITIONS
        keys[known] += part.data[known].astype(np.int64)  # 0 stays for missing: no listed cell is 0
        distinct, place = np.unique(keys, return_inverse=True)
        owner, position = distinct // _POSITIONS, distinct % _POSITIONS
        cells = sp.csc_array(
            sp.coo_array((np.ones(len(place)), (part.indices, place)), shape=(X.shape[0], len(distinct)))
        )
        of_zero = self._odds(features, *self._of_zero(features))
        own = self._odds(features[owner], *self._of_category(features[owner] * _POSITIONS + position))
        table = np.where((position == 0)[:, None], 0.0, own) - of_zero[owner]
        return Terms(of_zero, cells, owner, table)

    def _of_zero(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how many rows with and without each label have category 0; shapes (B, L)."""
        with_label = self._counts.of_label - self._listed[features].toarray()
        return with_label, self._counts.n - self._n_listed[features][:, None] - with_label

    def _of_category(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for other categories."""
        if not len(self._keys):
            nothing = np.zeros((len(keys), len(self._counts.of_label)))
            return nothing, nothing
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        seen = self._keys[place] == keys
        with_label = self._with_label[place].toarray() * seen[:, None]
        return with_label, (self._rows_with[place] * seen)[:, None] - with_label

    def _odds(self, features: np.ndarray, with_label: np.ndarray, without: np.ndarray) -> np.ndarray:
        """Return the log of the ratio of two likelihoods: of whole numbers, so that equal ones give 0."""
        n_label, n_others = self._counts.known(features)
        n_categories = self._n_categories[features][:, None]
        upper = (1.0 + with_label) * (n_categories + n_others)
        return np.log(upper) - np.log((1.0 + without) * (n_categories + n_label))


class NormalLikelihoods:
    """Numeric features, normally distributed among the rows with a label and among those without.

    Mean and variance are those of the known values (the variance divided by their number), plus `SMOOTHING`
    times the feature's variance over all rows. Where the feature is known in no row of a side, that side has
    mean and variance of all.

    Parameters
    ----------
    X : csc_array of float64, shape (n, F)
        Canonical, without stored zeros.
    counts : LabelCounts
        Of the same rows.
    """

    def __init__(self, X: sp.csc_array, counts: LabelCounts) -> None:
        self._counts = counts
        n_features, columns = X.shape[1], columns_of(X)
        known = ~np.isnan(X.data)
        n_zero = counts.n - np.diff(X.indptr)
        n_known = n_zero + np.bincount(columns[known], minlength=n_features)
        self._n_known = np.maximum(n_known, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.bincount(columns[known], X.data[known], n_features) / self._n_known
            squares = np.bincount(columns[known], (X.data[known] - mean[columns[known]]) ** 2, n_features)
            spread = np.sqrt((squares + n_zero * mean**2) / self._n_known)
        # About the mean, or the zeros if most cells are: there the squares are small and lose no digits.
        self._centre = np.where((2.0 * n_zero > n_known) | ~np.isfinite(mean), 0.0, mean)
        self._spread = np.where(spread > 0.0, spread, 1.0)
        scaled = self._standardised(X, np.arange(n_features))
        values = np.nan_to_num(scaled.data, nan=0.0)
        self._sums, self._squares = counts.over(scaled, values), counts.over(scaled, values**2)
        columns = columns_of(scaled)
        self._sum, self._square = (
            np.bincount(columns, weights, n_features) for weights in (values, values**2)
        )

    def _standardised(self, X: sp.csc_array, features: np.ndarray) -> sp.csc_array:
        """Return the features less their centre, over their spread; missing values stay."""
        part = sp.csc_array(X[:, features])
        columns, centre, spread = columns_of(part), self._centre[features], self._spread[features]
        moved = centre != 0.0
        with np.errstate(over="ignore"):
            data = np.clip(part.data / spread[columns], -_LARGEST, _LARGEST)
            plain = sp.csc_array((data, part.indices, part.indptr), shape=part.shape)
            if not moved.any():
                return plain
            rows = (part[:, moved].toarray() - centre[moved]) / spread[moved]
        full = sp.csc_array(np.clip(rows, -_LARGEST, _LARGEST))
        order = np.argsort(np.concatenate([np.flatnonzero(~moved), np.flatnonzero(moved)]))
        return sp.csc_array(sp.hstack([plain[:, ~moved], full], format="csc")[:, order])

    def terms(self, X: sp.csc_array, features: np.ndarray) -> Terms:
        """See `Likelihoods`: a quadratic function of each value."""
        part = self._standardised(X, features)
        square, slope, constant = self._coefficients(features)
        missing = np.isnan(part.data)
        values = np.where(missing, 0.0, part.data)
        # Three columns a feature: the square, the value, and whether it is missing, which takes the constant
        # back. A row has either the first two or the last.
        parts = [
            sp.csc_array((cells, part.indices, part.indptr), shape=part.shape)
            for cells in (values**2, values, missing.astype(np.float64))
        ]
        n_features = len(features)
        order = np.arange(3 * n_features).reshape(3, n_features).T.ravel()
        cells = sp.csc_array(sp.hstack(parts, format="csc")[:, order])
        table = np.concatenate([square, slope, -constant])[order]
        return Terms(constant, cells, np.repeat(np.arange(n_features), 3), table)

    def _coefficients(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what the log-odds are: those of y squared, of y, and constant; shapes (B, L)."""
        n_label, n_others = self._counts.known(features)
        sums, squares = self._sums[features].toarray(), self._squares[features].toarray()
        all_sums, all_squares = self._sum[features][:, None], self._square[features][:, None]
        n_all = self._n_known[features][:, None]
        square, slope, constant = 0.0, 0.0, 0.0
        sides = ((1.0, n_label, sums, squares), (-1.0, n_others, all_sums - sums, all_squares - squares))
        for sign, number, side_sums, side_squares in sides:
            some, n_side = number > 0.0, np.maximum(number, 1.0)
            mean = np.where(some, side_sums / n_side, all_sums / n_all)
            variance = np.where(some, side_squares / n_side, all_squares / n_all) - mean**2
            variance = np.maximum(variance, 0.0) + SMOOTHING
            square = square - sign * 0.5 / variance
            slope = slope + sign * mean / variance
            constant = constant - sign * 0.5 * (mean**2 / variance + np.log(variance))
        return np.asarray(square), np.asarray(slope), np.asarray(constant)


def columns_of(X: sp.csc_array) -> np.ndarray:
    """Return the column of each stored cell; ndarray of int64."""
    return np.repeat(np.arange(X.shape[1], dtype=np.int64), np.diff(X.indptr))


def by_columns(X: Any) -> sp.csc_array:
    """Return a dense or sparse X as a canonical csc_array of its cells other than 0 (NaN among them)."""
    columns = sp.csc_array(X, dtype=np.float64, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    return columns
