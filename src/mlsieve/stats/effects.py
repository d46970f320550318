"""Effect sizes, which are reported with p-values."""

from __future__ import annotations

import functools
import math

import numpy as np

from mlsieve.stats._lazy import stats
from mlsieve.stats.ranks import Direction, paired_differences

# The lowest and the highest of 5 values enclose the median of their distribution with less than 95 %.
FEWEST_FOR_INTERVAL = 6


def oriented_differences(first, second, direction: Direction = "higher") -> np.ndarray:
    """Return first - second, the sign turned where lower is better: positive favours the first.

    Parameters
    ----------
    first, second : array_like of float, same shape
    direction : {"higher", "lower"}
    """
    return paired_differences(second, first) if direction == "lower" else paired_differences(first, second)


def win_tie_loss(differences) -> tuple[int, int, int]:
    """Return how many oriented differences are above, equal to and below zero (NaN count nowhere)."""
    differences = np.asarray(differences, dtype=np.float64)
    return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())


@functools.lru_cache(maxsize=256)
def _median_weights(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the order statistics i, j whose mean a resampled median can be, and their probabilities."""
    half = (n + 1) // 2
    positions = np.arange(n + 1) / n
    if n % 2:
        # The median is at most the i-th value iff at least half of the draws are.
        at_most = stats.binom.sf(half - 1, n, positions)
        return np.arange(n), np.arange(n), np.diff(at_most)
    below = np.diff(positions**half)  # half of the draws lie at or below i, and one of them at i
    above = below[::-1]
    first, second = np.triu_indices(n, 1)
    apart = math.comb(n, half) * below[first] * above[second]
    lower = np.diff(
        stats.binom.sf(half - 1, n, positions)
    )  # the lower of the two middle draws is the i-th value
    same = lower - np.bincount(first, weights=apart, minlength=n)
    every = np.arange(n)
    return (
        np.concatenate([first, every]),
        np.concatenate([second, every]),
        np.concatenate([apart, np.maximum(same, 0.0)]),
    )


def median_difference(differences, *, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the median of paired differences and its percentile bootstrap interval over the datasets.

    The interval is that of infinitely many resamples: a resampled median is the mean of two order statistics
    (of one for an odd number), whose probabilities are known, so nothing is drawn and no seed is needed.

    Parameters
    ----------
    differences : array_like of float, shape (N,) or (N, P)
        One per dataset, for each of P comparisons; no NaN.
    confidence : float
        In (0, 1).

    Returns
    -------
    median, low, high : ndarray of float64, shape () or (P,)
        All NaN without datasets. Below `FEWEST_FOR_INTERVAL` datasets, a 95 % interval reaches from the
        lowest to the highest difference, and covers the median less often.

    References
    ----------
    Efron (1979), Annals of Statistics 7, section 3 (the bootstrap distribution of the median); Efron and
    Tibshirani (1993), An Introduction to the Bootstrap, chapter 13 (percentile intervals).
    """
    differences = np.asarray(differences, dtype=np.float64)
    if len(differences) == 0:
        nothing = np.full(differences.shape[1:], np.nan)
        return nothing, nothing.copy(), nothing.copy()
    ordered = np.sort(differences, axis=0)
    first, second, weights = _median_weights(len(ordered))
    medians = (ordered[first] + ordered[second]) / 2
    order = np.argsort(medians, axis=0, kind="stable")
    medians = np.take_along_axis(medians, order, axis=0)
    cumulative = np.cumsum(weights[order], axis=0)
    tail = (1 - confidence) / 2

    def quantile(share: float) -> np.ndarray:
        # The smallest value that is reached with at least this probability.
        place = np.minimum((cumulative < share - 1e-12).sum(axis=0), len(medians) - 1)
        return np.take_along_axis(medians, np.expand_dims(place, 0), axis=0)[0]

    return np.median(ordered, axis=0), quantile(tail), quantile(1 - tail)
