"""Cuts of numeric features, and the categories between them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.discrete.laim import laim_cuts
from mlsieve._kernels.discrete.mdlp import mdlp_cuts
from mlsieve.data.coded_columns import ColumnStore, code_columns
from mlsieve.data.exchange.examples import formerly
from mlsieve.data.validation import label_set_classes

Discretization = Literal["laim", "laim-boundaries", "mdlp", "equal-width", "equal-frequency", "none"]
# Added to the number of intervals in the criterion's divisor, see `mlsieve._kernels.discrete.laim.laim_cuts`.
_LAIM_DIVISORS = {"laim": 0, "laim-boundaries": 1}


@dataclass(frozen=True)
class Cuts:
    """Where the numeric features of a dataset are cut.

    A value x lies in the interval after all cuts below x: intervals are open below and closed above.

    Attributes
    ----------
    start : ndarray of int64, shape (F + 1,)
        First cut of each feature.
    cuts : ndarray of float64
        Rising within a feature.
    numeric : ndarray of bool, shape (F,)
        False for features that stay as they are.
    """

    start: np.ndarray
    cuts: np.ndarray
    numeric: np.ndarray

    def of(self, feature: int | np.integer) -> np.ndarray:
        """Return one feature's cuts; ndarray of float64."""
        return self.cuts[self.start[feature] : self.start[feature + 1]]

    def intervals(self, X: np.ndarray) -> np.ndarray:
        """Return X with the number of the interval in place of each value of a numeric feature, 0 the lowest.

        Parameters
        ----------
        X : ndarray of float64, shape (n, F)
            Missing values stay missing.

        Returns
        -------
        ndarray of float64, shape (n, F)
        """
        out = np.array(X, dtype=np.float64)
        for feature in np.flatnonzero(self.numeric):
            values = out[:, feature]
            out[:, feature] = np.where(np.isnan(values), np.nan, np.searchsorted(self.of(feature), values))
        return out

    def transform(self, X: Any) -> Any:
        """Return X with category positions in place of the numeric features' values.

        Position 0 is the interval that holds the value 0, so that sparse data stay sparse; the other
        intervals follow from the lowest to the highest. Missing values stay missing.

        Parameters
        ----------
        X : ndarray of float64 or scipy.sparse array, shape (n, F)

        Returns
        -------
        ndarray of float64 or csr_array, shape (n, F)
        """
        if sp.issparse(X):
            columns = sp.csc_array(X, copy=True)
            columns.sum_duplicates()
            for feature in np.flatnonzero(self.numeric):
                cells = columns.data[columns.indptr[feature] : columns.indptr[feature + 1]]
                cells[:] = self._positions(feature, cells)
            columns.eliminate_zeros()
            return sp.csr_array(columns)
        out = np.array(X, dtype=np.float64)
        for feature in np.flatnonzero(self.numeric):
            out[:, feature] = self._positions(feature, out[:, feature])
        return out

    def _positions(self, feature: int | np.integer, values: np.ndarray) -> np.ndarray:
        cuts = self.of(feature)
        interval = np.searchsorted(cuts, values)  # how many cuts lie below
        of_zero = np.searchsorted(cuts, 0.0)
        position = np.where(interval < of_zero, interval + 1, np.where(interval > of_zero, interval, 0))
        return np.where(np.isnan(values), np.nan, position)

    def categories(self, feature: int) -> tuple[str, ...]:
        """Return the names of a numeric feature's categories by position, such as ``(0.5, inf)``."""
        bounds = ["-inf", *(f"{cut:.6g}" for cut in self.of(feature)), "inf"]
        names = [f"({low}, {high}]" for low, high in itertools.pairwise(bounds)]
        names[-1] = f"{names[-1][:-1]})"
        return (names.pop(int(np.searchsorted(self.of(feature), 0.0))), *names)


@formerly(Y="y")
def learn_cuts(
    X: Any,
    y: sp.csr_array,
    *,
    method: Discretization = "laim",
    numeric: np.ndarray | None = None,
    bins: int = 5,
) -> Cuts:
    """Learn where to cut the numeric features.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing.
    y : csr_array, shape (n, L)
        0/1 labels; LAIM and MDLP look at all of them at once.
    method : {"laim", "laim-boundaries", "mdlp", "equal-width", "equal-frequency", "none"}
        LAIM (Cano, Luna, Gibaja, Ventura: LAIM discretization for multi-label data, Information Sciences 330,
        2016) divides its criterion by the number of intervals as printed, or, as the authors' program does,
        by the number of boundaries and one more; "mdlp" cuts where least class entropy is left, and cuts the
        parts again, as long as the minimum description length principle accepts it (Fayyad and Irani:
        Multi-interval discretization of continuous-valued attributes for classification learning, IJCAI
        1993), each distinct label set being a class: with very many of these hardly a cut is accepted, and
        a feature that is not cut has one category, and no entropy; "none" cuts between all distinct values.
    numeric : ndarray of bool, shape (F,), optional
        Which features to cut; default all.
    bins : int
        Intervals of the equal ones, at least 2; fewer where values coincide.
    """
    n_features = X.shape[1]
    numeric = np.ones(n_features, bool) if numeric is None else np.asarray(numeric, bool)
    store = code_columns(X, with_tests=False)
    if method in _LAIM_DIVISORS or method == "mdlp":
        if method == "mdlp":
            counts = np.arange(y.shape[0] + 1, dtype=np.float64)
            classes, n_classes = label_set_classes(y)
            start, cuts = mdlp_cuts(store, classes, n_classes, counts * np.log2(np.maximum(counts, 1.0)))
        else:
            labels = np.ascontiguousarray(y.indptr, np.int64), np.ascontiguousarray(y.indices, np.int32)
            start, cuts = laim_cuts(store, *labels, int(y.shape[1]), _LAIM_DIVISORS[method])
        own = np.repeat(numeric, np.diff(start))
        kept = np.where(numeric, np.diff(start), 0)
        return Cuts(np.concatenate([[0], np.cumsum(kept)]), cuts[own], numeric)
    cut: Callable[[np.ndarray, np.ndarray], np.ndarray] = {
        "equal-width": lambda values, counts: _equal_width(values, bins),
        "equal-frequency": lambda values, counts: _equal_frequency(values, counts, bins),
        "none": lambda values, counts: _between(values),
    }[method]
    parts = []
    for feature in range(n_features):
        values = store.values[store.value_start[feature] : store.value_start[feature + 1]]
        parts.append(cut(values, _value_counts(store, feature)) if numeric[feature] else values[:0])
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return Cuts(starts.astype(np.int64), np.concatenate([np.empty(0), *parts]), numeric)


def _value_counts(store: ColumnStore, feature: int) -> np.ndarray:
    """Return how many rows have each distinct value of a feature."""
    n_values = int(store.value_start[feature + 1] - store.value_start[feature])
    slot = store.dense_slot[feature]
    if slot >= 0:
        codes = store.codes[slot]
        return np.bincount(codes[codes >= 0], minlength=n_values)
    listed = store.column_code[store.column_start[feature] : store.column_start[feature + 1]]
    counts = np.bincount(listed, minlength=n_values)
    counts[store.rest_code[feature]] = store.n_rows - len(listed)
    return counts


def _between(values: np.ndarray) -> np.ndarray:
    """Return the mid-points of neighbouring values."""
    low, high = values[:-1], values[1:]
    with np.errstate(over="ignore"):
        middle = low + (high - low) / 2.0
    middle = np.where(np.isfinite(middle), middle, low / 2.0 + high / 2.0)
    # Between neighbouring numbers there is none: the lower one then parts them.
    return np.where(middle < high, middle, low)


def _equal_width(values: np.ndarray, bins: int) -> np.ndarray:
    if len(values) < 2:
        return values[:0]
    cuts = values[0] + (values[-1] - values[0]) * np.arange(1, bins) / bins
    # A cut below which nothing more lies than below the one before it parts nothing.
    return cuts[np.diff(np.searchsorted(values, cuts, side="right"), prepend=0) > 0]


def _equal_frequency(values: np.ndarray, counts: np.ndarray, bins: int) -> np.ndarray:
    """Cut after the values below which the share of the rows is nearest to 1 / bins, 2 / bins, ..."""
    if len(values) < 2:
        return values[:0]
    below = np.cumsum(counts)[:-1]
    wanted = counts.sum() * np.arange(1, bins) / bins
    after = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    lower = np.maximum(after - 1, 0)
    nearest = np.where(wanted - below[lower] <= np.abs(below[after] - wanted), lower, after)
    return _between(values)[np.unique(nearest)]
