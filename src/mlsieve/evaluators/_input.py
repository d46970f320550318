"""Checks that the estimator and the command line share."""

from __future__ import annotations

import numpy as np

from mlsieve.errors import InvalidSetting, number_of


def checked_k(k: int, n_train: int | None = None) -> int:
    """Return k if it is a number of neighbours, and one that n_train examples (None: any number) can give."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise InvalidSetting(f"k must be a whole number of at least 1, got {k!r}", hint="give e.g. 15")
    if n_train is not None and k > n_train:
        raise InvalidSetting(
            f"k = {k} is more than n_samples = {n_train} training examples",
            hint=f"set k to {n_train} or less (--set k={n_train})",
        )
    return int(k)


def checked_ranges(ranges: str) -> str:
    """Return `ranges` if it is known."""
    if ranges not in ("train", "all"):
        raise InvalidSetting(f"ranges = {ranges!r} is unknown", hint="give 'train' or 'all'")
    return ranges


def checked_weights(weightings: np.ndarray, n_features: int) -> np.ndarray:
    """Return weightings, shape (S, F), with 0 for what is negative; float64."""
    weightings = np.atleast_2d(np.asarray(weightings, dtype=np.float64))
    if weightings.ndim != 2 or weightings.shape[1] != n_features:
        raise InvalidSetting(
            f"{weightings.shape[-1]} weights do not fit {number_of(n_features, 'feature')}",
            hint="rank the same dataset",
        )
    if not np.isfinite(weightings).all():
        raise InvalidSetting("a weight is not a finite number", hint="make the ranking again")
    return np.maximum(weightings, 0.0)
