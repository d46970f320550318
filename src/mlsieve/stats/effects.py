"""Effect sizes that stand beside p-values."""

from __future__ import annotations

import functools

import numpy as np

from mlsieve.stats.ranks import Direction


def oriented_differences(first, second, direction: Direction = "higher") -> np.ndarray:
    """Return first - second, with the sign turned for measures where lower is better: positive favours the first.

    Parameters
    ----------
    first, second : array_like of float, same shape
    direction : {"higher", "lower"}
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    return np.round(-differences if direction == "lower" else differences, 12) + 0.0


def win_tie_loss(differences) -> tuple[int, int, int]:
    """Return how many oriented differences are above, equal to and below zero (NaN count nowhere)."""
    differences = np.asarray(differences, dtype=np.float64)
    return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())


@functools.lru_cache(maxsize=64)
def _resamples(n_datasets: int, n_resamples: int, seed: int) -> np.ndarray:
    generator = np.random.Generator(np.random.PCG64([seed, n_datasets]))
    return generator.integers(0, n_datasets, size=(n_resamples, n_datasets))


def median_difference(
    differences, *, confidence: float = 0.95, n_resamples: int = 1000, seed: int = 0
) -> tuple[float, float, float]:
    """Return the median of paired differences and a percentile bootstrap interval over the data sets.

    Parameters
    ----------
    differences : array_like of float, shape (N,)
        One a data set; NaN are left out.
    confidence : float
        In (0, 1).
    n_resamples : int
    seed : int
        Same seed, same interval; two comparisons over as many sets share their resamples.

    Returns
    -------
    median, low, high : float
        All NaN without data sets.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    differences = np.asarray(differences, dtype=np.float64)
    differences = differences[~np.isnan(differences)]
    if len(differences) == 0:
        return np.nan, np.nan, np.nan
    # Sorting first makes the interval independent of the order of the data sets.
    differences = np.sort(differences)
    medians = np.median(differences[_resamples(len(differences), n_resamples, seed)], axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(medians, [tail, 1 - tail])
    return float(np.median(differences)), float(low), float(high)
