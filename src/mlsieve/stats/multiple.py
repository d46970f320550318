"""Correction for many tests."""

from __future__ import annotations

import numpy as np

from mlsieve.stats._lazy import stats


def benjamini_hochberg(p_values) -> np.ndarray:
    """Return p-values adjusted to control the false discovery rate.

    Parameters
    ----------
    p_values : array_like of float, shape (m,)
        In [0, 1]; NaN means that a test could not be done: it stays NaN and does not count in m.

    Returns
    -------
    ndarray of float64, shape (m,)
        Reject where it is at most the wanted rate.

    References
    ----------
    Benjamini and Hochberg (1995), JRSS B 57.
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p_values.shape, np.nan)
    done = ~np.isnan(p_values)
    if done.any():
        adjusted[done] = stats.false_discovery_control(p_values[done], method="bh")
    return adjusted
