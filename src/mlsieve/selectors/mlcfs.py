"""MLCFS: correlation-based feature selection for several labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.data.validation import category_counts
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import select_greedily


@register.ranker(
    "mlcfs",
    version=2,
    tasks=("mlc",),
    doi="10.1109/SMC.2013.151",
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:MLCFS",
)
def mlcfs_selection(
    X: Any, y: Any, *, k: SelectionSize = None, nominal: Any = None, random_state: int = 0
) -> Selection:
    """MLCFS: features that are correlated with the labels and not with each other.

    ``merit(S) = |S| r_FL / sqrt(|S| + |S| (|S| - 1) r_FF)`` (Jungjit, Michaelis, Freitas, Cinatl, SMC 2013):
    r_FL is the mean absolute correlation of the features with the labels, r_FF that of pairs of features;
    forward hill climbing, carried on to k features. A nominal feature of more than two categories has the
    correlations of its categories' indicators, weighted by how frequent they are (Hall 1999).

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
        Numeric features are taken as they are; NaN, missing, counts as the mean.
    y : csr_array, shape (n, L)
        0/1 labels.
    k : int or float, optional
        How many features to select, or their share; default ceil(sqrt(n)).
    nominal : array-like, optional
        Nominal features (mask, indices, or names).
    random_state : int
        Seed of the order in which equally good features are taken, which is one of their contents.

    Returns
    -------
    Selection
        Its scores are the merits of the set with that feature.
    """
    columns = _Columns(X, category_counts(X, nominal, X.shape[1]))
    relevance = columns.label_correlation(y)
    relevance_of_chosen, pairs, charged_now = 0.0, 0.0, np.zeros(X.shape[1])

    def criterion(charged: np.ndarray, n_chosen: int) -> np.ndarray:
        nonlocal charged_now
        charged_now = charged
        return (relevance_of_chosen + relevance) / np.sqrt(n_chosen + 1 + 2.0 * (pairs + charged))

    def penalty(chosen: int) -> np.ndarray:
        nonlocal relevance_of_chosen, pairs
        relevance_of_chosen += relevance[chosen]
        pairs += charged_now[chosen]
        return columns.feature_correlation(chosen)

    size, places = wanted_size(k, *X.shape), canonical_places(column_digests(X), random_state)
    return select_greedily(size, relevance, columns.varies, criterion, penalty, places)


class _Columns:
    """Numeric features and indicators of categories; correlations without a table of all pairs."""

    def __init__(self, X: Any, counts: np.ndarray | None) -> None:
        n, n_features = X.shape
        counts = np.zeros(n_features, np.int64) if counts is None else counts
        cells = sp.csc_array(X, dtype=np.float64)
        multiple = np.flatnonzero(counts > 2)
        plain = np.flatnonzero(counts <= 2)
        parts, owners = [_filled(cells[:, plain])], [plain]
        for feature in multiple:
            codes = cells[:, [feature]].toarray().ravel()
            parts.append(sp.csc_array((codes[:, None] == np.arange(counts[feature])).astype(np.float64)))
            owners.append(np.full(counts[feature], feature))
        self._cells, varies = _scaled(sp.csc_array(sp.hstack(parts)))
        self._owner = np.concatenate(owners)
        self._mean = np.asarray(self._cells.mean(axis=0)).ravel()
        square = np.asarray(self._cells.multiply(self._cells).mean(axis=0)).ravel()
        variance = np.maximum(square - self._mean**2, 0.0)
        self._deviation = np.where(varies, np.sqrt(variance), 0.0)
        self._weight = np.where(counts[self._owner] > 2, self._mean, 1.0)
        self._n_rows, self._n_features = n, n_features

    @property
    def varies(self) -> np.ndarray:
        """Which features are not constant; ndarray of bool, shape (F,)."""
        return np.bincount(self._owner, self._deviation > 0, self._n_features) > 0

    def label_correlation(self, y: sp.csr_array) -> np.ndarray:
        """Return each feature's mean absolute correlation with the labels; shape (F,)."""
        labels = sp.csr_array(y, dtype=np.float64)
        n, count = y.shape[0], np.bincount(y.indices, minlength=y.shape[1]).astype(np.float64)
        # From whole numbers: a label that all examples have, or none, has no deviation to the last bit.
        deviation = np.sqrt(count * (n - count)) / n
        found = self._correlation((self._cells.T @ labels).toarray(), count / n, deviation)
        return self._by_feature(np.abs(found).mean(axis=1))

    def feature_correlation(self, chosen: int) -> np.ndarray:
        """Return each feature's absolute correlation with one of them; shape (F,)."""
        own = np.flatnonzero(self._owner == chosen)
        products = (self._cells.T @ self._cells[:, own]).toarray()
        found = np.abs(self._correlation(products, self._mean[own], self._deviation[own]))
        return self._by_feature(found @ self._weight[own])

    def _correlation(self, products: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
        covariance = products / self._n_rows - np.outer(self._mean, mean)
        scale = np.outer(self._deviation, deviation)
        return np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 0)

    def _by_feature(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self._owner, self._weight * values, self._n_features)


def _scaled(cells: sp.csc_array) -> tuple[sp.csc_array, np.ndarray]:
    """Return columns within [-1, 1], and which of them vary.

    A column without zeros is shifted to begin at 0: what is far from 0 would lose its digits in the squares.
    Correlations do not change.
    """
    n, n_columns = cells.shape
    cells = cells.copy()
    column, whole = np.repeat(np.arange(n_columns), np.diff(cells.indptr)), np.diff(cells.indptr) == n
    cells.data *= 0.5  # so that no difference leaves the range of numbers
    low, high = np.zeros(n_columns), np.zeros(n_columns)
    low[whole], high[whole] = np.inf, -np.inf
    np.minimum.at(low, column, cells.data)
    np.maximum.at(high, column, cells.data)
    cells.data -= np.where(whole, low, 0.0)[column]
    largest = np.where(whole, high - low, np.maximum(np.abs(low), np.abs(high)))
    cells.data /= np.where(largest > 0, largest, 1.0)[column]
    return cells, high > low


def _filled(cells: sp.csc_array) -> sp.csc_array:
    """Return columns with the mean of the known cells in place of NaN."""
    missing = np.isnan(cells.data)
    if not missing.any():
        return cells
    column = np.repeat(np.arange(cells.shape[1]), np.diff(cells.indptr))
    total = np.bincount(column, np.where(missing, 0.0, cells.data), cells.shape[1])
    known = cells.shape[0] - np.bincount(column, missing, cells.shape[1])
    filled = cells.copy()
    filled.data[missing] = (total / np.maximum(known, 1))[column[missing]]
    return filled
