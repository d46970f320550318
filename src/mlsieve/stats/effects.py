"""Effect sizes, which are reported with p-values."""

from __future__ import annotations

import math

import numpy as np

from mlsieve.stats.ranks import Direction, paired_differences
from mlsieve.stats.wilcoxon import critical_rank_sum

# The lowest and the highest of 5 values enclose the centre of their distribution with less than 95 %.
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


def hodges_lehmann(differences, *, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the Hodges-Lehmann estimate of paired differences and the interval that Wilcoxon's test gives.

    The estimate is the median of the means of all pairs of differences, each with itself too. The interval
    reaches from the (c + 1)-th lowest to the (c + 1)-th highest of these means, where c is the largest rank
    sum at which Wilcoxon's signed-rank test is significant. Without ties and zeros it has exactly the values
    that this test does not reject.

    Parameters
    ----------
    differences : array_like of float, shape (N,) or (N, P)
        One per dataset, for each of P comparisons; no NaN.
    confidence : float
        In (0, 1).

    Returns
    -------
    estimate, low, high : ndarray of float64, shape () or (P,)
        All NaN without datasets. The interval covers the centre of a symmetric distribution with at least
        this probability, exactly 1 - 2 P(W <= c): 96.9 % of 6 datasets, 95.3 % of 7, 96.1 % of 8. Below
        `FEWEST_FOR_INTERVAL` datasets, a 95 % interval reaches from the lowest to the highest difference,
        which covers it less often: 1 - 2^(1 - N), 93.8 % of 5 datasets and 75 % of 3.

    References
    ----------
    Hodges and Lehmann (1963), Annals of Mathematical Statistics 34; Hollander, Wolfe and Chicken (2014),
    Nonparametric Statistical Methods, section 3.3.
    """
    differences = np.asarray(differences, dtype=np.float64)
    n = len(differences)
    found = np.full((3, *differences.shape[1:]), np.nan)
    if n:
        first, second = np.triu_indices(n)
        critical = critical_rank_sum(n, round(1 - confidence, 12))
        left = 0 if math.isnan(critical) else int(critical)
        for place in np.ndindex(differences.shape[1:]):
            column = differences[(slice(None), *place)]
            means = np.sort((column[first] + column[second]) / 2)
            found[(slice(None), *place)] = np.median(means), means[left], means[-1 - left]
    return found[0], found[1], found[2]
