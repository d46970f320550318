"""Wilcoxon's signed-rank test of two methods over several datasets."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mlsieve.stats._lazy import stats

Zeros = Literal["pratt", "split", "wilcox"]
DECIMALS = 12  # to which differences of unknown precision are rounded
LARGEST_EXACT = 200  # differences whose rank sum has its exact distribution; beyond, the normal one
_METHODS = {"pratt": "pratt", "split": "zsplit", "wilcox": "wilcox"}  # what scipy calls them


@dataclass(frozen=True)
class WilcoxonResult:
    """Outcome of a two-sided Wilcoxon signed-rank test.

    Attributes
    ----------
    statistic : float
        The smaller of the two rank sums.
    p_value : float
        Two-sided; NaN where the test cannot be done.
    positive, negative : float
        Rank sums of the positive and of the negative differences.
    n_datasets : int
        Number of differences, zeros included.
    note : str
        Why there is no p-value; empty where there is one.
    kind : {"exact", "normal", ""}
        Whether the p-value is exact or comes from the normal approximation; empty without a p-value.
    """

    statistic: float
    p_value: float
    positive: float
    negative: float
    n_datasets: int
    note: str = ""
    kind: Literal["exact", "normal", ""] = ""


def signed_ranks(differences, decimals: int | None = DECIMALS) -> np.ndarray:
    """Return the ranks of the absolute differences (ties averaged, zeros ranked) with the signs put back.

    Parameters
    ----------
    differences : array_like of float, shape (N,)
    decimals : int or None
        See `wilcoxon_test`.

    Returns
    -------
    ndarray of float64, shape (N,)
        0 for a difference of 0.
    """
    differences = _rounded(differences, decimals)
    return np.sign(differences) * stats.rankdata(np.abs(differences))


def _rounded(differences, decimals: int | None) -> np.ndarray:
    found = np.asarray(differences, dtype=np.float64)
    return (found if decimals is None else np.round(found, decimals)) + 0.0


def wilcoxon_test(differences, zeros: Zeros = "pratt", decimals: int | None = DECIMALS) -> WilcoxonResult:
    """Test whether paired differences are symmetric about zero, two-sided.

    Parameters
    ----------
    differences : array_like of float, shape (N,)
        One per dataset; NaN are left out.
    zeros : {"pratt", "split", "wilcox"}
        How differences of zero count. "pratt": they take part in the ranking, and their ranks count for
        neither sum. "split": likewise, but half of their ranks is added to each sum (Demsar). "wilcox": they
        are left out before the ranking.
    decimals : int or None
        Differences that agree to these decimals tie. None: those that are equal, as of differences without
        rounding errors (`mlsieve.stats.ranks.paired_differences`).

    Returns
    -------
    WilcoxonResult
        With a NaN p-value and a note for fewer than two datasets; with p = 1 and a note when every
        difference is zero.

    Raises
    ------
    ValueError
        For any other `zeros`.

    Notes
    -----
    Up to `LARGEST_EXACT` differences the p-value is exact given the ranks: with or without ties and zeros it
    is the share of all ways to give signs to the ranks of the differences other than zero whose smaller sum
    is at most the observed one. "pratt" and "split" therefore have the same p-value. Beyond, it is that of
    ``scipy.stats.wilcoxon`` with ``method="approx"`` (the normal approximation with a correction for ties).
    scipy itself approximates from 14 differences on as soon as there are ties or zeros.

    References
    ----------
    Wilcoxon (1945), Biometrics Bulletin 1; Pratt (1959), JASA 54; Demsar (2006), JMLR 7, section 3.1.3.
    """
    if zeros not in _METHODS:
        raise ValueError(f"zeros must be 'pratt', 'split' or 'wilcox', not {zeros!r}")
    differences = _rounded(differences, decimals)
    differences = differences[~np.isnan(differences)]
    n_datasets = len(differences)
    if n_datasets < 2:
        note = f"the Wilcoxon test needs at least 2 complete datasets; there are {n_datasets}"
        return WilcoxonResult(math.nan, math.nan, math.nan, math.nan, n_datasets, note)
    if not differences.any():
        # Nothing speaks against the hypothesis: p = 1, and the test counts in a family of tests.
        tie = "the two methods tie on every dataset"
        return WilcoxonResult(0.0, 1.0, 0.0, 0.0, n_datasets, tie, "exact")
    if zeros == "wilcox":
        differences = differences[differences != 0]
    ranks = signed_ranks(differences, None)
    shared = 0.0
    if zeros == "split":
        total = len(differences) * (len(differences) + 1) / 2
        shared = (total - float(np.abs(ranks).sum())) / 2
    positive, negative = float(ranks[ranks > 0].sum()) + shared, float(-ranks[ranks < 0].sum()) + shared
    smaller = min(positive, negative)
    if len(differences) <= LARGEST_EXACT:
        p_value = _exact_p_value(np.abs(ranks[ranks != 0]), smaller - shared)
        return WilcoxonResult(smaller, p_value, positive, negative, n_datasets, kind="exact")
    p_value = float(stats.wilcoxon(differences, zero_method=_METHODS[zeros], method="approx").pvalue)
    return WilcoxonResult(smaller, p_value, positive, negative, n_datasets, kind="normal")


def least_p_value(n_datasets: int) -> float:
    """Return the smallest p-value of the exact test of N differences: 2^(1 - N), at most 1."""
    return min(1.0, 2.0 ** (1 - n_datasets))


@functools.cache
def critical_rank_sum(n: int, significance: float = 0.05) -> float:
    """Return the largest value of the smaller rank sum at which Wilcoxon's test is significant.

    Parameters
    ----------
    n : int
        Number of differences, at least 1.
    significance : float
        In (0, 1); the test is two-sided.

    Returns
    -------
    float
        Whole, from the distribution without ties and zeros: the exact one up to `LARGEST_EXACT` differences,
        then the normal one. NaN where no rank sum is significant.

    References
    ----------
    Wilcoxon (1945), Biometrics Bulletin 1; 8 for 10 differences in Lee and Kim (2017), section 4.1.
    """
    if n > LARGEST_EXACT:
        mean, deviation = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return float(math.floor(mean - 0.5 + deviation * stats.norm.ppf(significance / 2)))
    tails = 2 * np.cumsum(_shares_of_sums(np.arange(1, n + 1)))
    significant = int(np.searchsorted(tails, significance, side="right"))
    return significant - 1.0 if significant else math.nan


def _exact_p_value(ranks: np.ndarray, smaller: float) -> float:
    """Return twice the probability that the ranks of random signs sum to at most `smaller`, at most 1."""
    doubled = np.rint(2 * ranks).astype(np.int64)  # averaged ranks are multiples of a half
    return min(1.0, 2 * float(_shares_of_sums(doubled)[: math.floor(2 * smaller + 1e-9) + 1].sum()))


def _shares_of_sums(ranks: np.ndarray) -> np.ndarray:
    """Return the probability of each sum of the ranks that a fair coin gives a positive sign, from 0 on."""
    shares = np.zeros(int(ranks.sum()) + 1)
    shares[0] = 1.0
    for rank in ranks.tolist():
        moved = np.zeros_like(shares)
        moved[rank:] = shares[: len(shares) - rank]
        shares = (shares + moved) / 2
    return shares
