"""Facts of each feature that a distance requires, and the distances of sparse rows to a row of zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError


@dataclass(frozen=True)
class FeatureDistance:
    """Scale of each feature's distance d_i, which is Relief's.

    For known cells a and b, d_i is ``|a - b| / span`` for a numeric feature and 0 or 1 for a nominal one.
    With one missing cell a numeric feature counts ``max(t, 1 - t)``, t being the known value's ``(x - low) /
    span``, with two it counts 1; a nominal feature with any missing cell counts ``1 - 1 / n_values``.

    Attributes
    ----------
    low, span : ndarray of float64, shape (F,)
        Minimum, and maximum less minimum, of the known values of a numeric feature; a constant one has span
        1, one without any known value low 0 and span 1. 0 and 1 for a nominal feature.
    n_values : ndarray of int32, shape (F,)
        Number of categories; 0 for a numeric feature.
    missing : ndarray of bool, shape (F,)
        Whether any row of those compared lacks the feature.
    """

    low: np.ndarray
    span: np.ndarray
    n_values: np.ndarray
    missing: np.ndarray

    def with_missing_in(self, rows: Any) -> FeatureDistance:
        """Return the same scale, knowing that `rows` will be compared as well."""
        return replace(self, missing=self.missing | _has_missing(rows))


def feature_distance(
    scaling: Any, nominal: np.ndarray, n_values: np.ndarray, names: Sequence[str] | None = None
) -> FeatureDistance:
    """Measure the features' ranges.

    Parameters
    ----------
    scaling : ndarray or csr_array of float64, shape (n, F)
        Rows whose known values give each numeric feature's minimum and range.
    nominal : ndarray of bool, shape (F,)
    n_values : ndarray of int, shape (F,)
        Number of categories of each nominal feature.
    names : sequence of str, optional
        Features' names, for the error.

    Raises
    ------
    UserError
        If a feature's range is not a finite number.
    """
    low, high = _extremes(scaling) if not nominal.all() else (np.zeros(len(nominal)), np.ones(len(nominal)))
    unknown = np.isnan(low)
    low[unknown | nominal] = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        span = high - low
    span[unknown | nominal | (span == 0.0)] = 1.0
    if not np.isfinite(span).all():
        feature = int(np.flatnonzero(~np.isfinite(span))[0])
        name = feature if names is None else f"'{names[feature]}'"
        raise UserError(f"feature {name} has no finite range", hint="remove infinite values, or rescale it")
    counts = np.where(nominal, np.maximum(n_values, 1), 0).astype(np.int32)
    return FeatureDistance(low, span, counts, _has_missing(scaling))


def _extremes(rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return minimum and maximum of the known values of each column; NaN where there are none."""
    n, n_features = rows.shape
    if not sp.issparse(rows):
        return np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    low, high = np.full(n_features, np.nan), np.full(n_features, np.nan)
    np.fmin.at(low, rows.indices, rows.data)
    np.fmax.at(high, rows.indices, rows.data)
    has_zero = np.bincount(rows.indices, minlength=n_features) < n
    low[has_zero] = np.fmin(low[has_zero], 0.0)
    high[has_zero] = np.fmax(high[has_zero], 0.0)
    return low, high


def _has_missing(rows: Any) -> np.ndarray:
    if not sp.issparse(rows):
        return np.isnan(rows).any(axis=0)
    return np.bincount(rows.indices[np.isnan(rows.data)], minlength=rows.shape[1]) > 0


def distances_from_zero(
    rows: sp.csr_array, distance: FeatureDistance, origin: np.ndarray | None = None
) -> sp.csr_array:
    """Return each stored cell's distance d_i from 0, or from another origin, in the places of the cells.

    Parameters
    ----------
    rows : csr_array of float64, shape (n, F)
        Without stored zeros.
    distance : FeatureDistance
    origin : ndarray of float64, shape (F,), optional
        Value of each feature to measure from; 0 for a nominal one.
    """
    i = rows.indices
    start = np.zeros(len(i)) if origin is None else origin[i]
    missing, nominal = np.isnan(rows.data), distance.n_values[i] > 0
    scaled = (start - distance.low[i]) / distance.span[i]
    unknown = 1.0 - 1.0 / np.maximum(distance.n_values[i], 1)
    numeric = np.where(
        missing, np.maximum(scaled, 1.0 - scaled), np.abs(rows.data - start) / distance.span[i]
    )
    d = np.where(nominal, np.where(missing, unknown, 1.0), numeric)
    return sp.csr_array((d, rows.indices, rows.indptr), shape=rows.shape)
