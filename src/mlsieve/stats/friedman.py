"""The Friedman test with the correction of Iman and Davenport."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mlsieve.stats._lazy import pd, stats
from mlsieve.stats.ranks import Direction, complete_rows, rank_methods


@dataclass(frozen=True)
class FriedmanResult:
    """Outcome of a Friedman test of k methods on N datasets.

    Attributes
    ----------
    statistic : float
        Friedman's chi-squared, corrected for ties; NaN where the test cannot be done.
    p_value : float
        From the chi-squared distribution with k - 1 degrees of freedom.
    f_statistic : float
        Iman and Davenport's F; infinite when all sets order the methods alike.
    f_degrees : tuple of two int
        k - 1 and (k - 1)(N - 1).
    f_p_value : float
    average_ranks : Series of float, shape (k,)
        By method, in the order given; 1 is best.
    ranks : DataFrame of float, shape (N, k)
    n_datasets : int
        N, without the sets that lack a value.
    note : str
        Why there is no p-value; empty where there is one.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_degrees: tuple[int, int]
    f_p_value: float
    average_ranks: pd.Series
    ranks: pd.DataFrame
    n_datasets: int
    note: str = ""


def friedman_test(values: pd.DataFrame, direction: Direction = "higher") -> FriedmanResult:
    """Test whether k methods have the same average rank over N datasets.

    Parameters
    ----------
    values : DataFrame of float, shape (N, k)
        Datasets by methods, already rounded as they should be ranked. Rows with a NaN are left out.
    direction : {"higher", "lower"}
        Whether a higher or a lower value is better.

    Returns
    -------
    FriedmanResult
        With NaN p-values and a note for fewer than three methods or fewer than two datasets; with p = 1 and
        a note when every set ties all methods; nothing is raised or warned.

    References
    ----------
    Friedman (1937), JASA 32; Iman and Davenport (1980), Communications in Statistics A9;
    Demsar (2006), JMLR 7, section 3.2.2.
    """
    complete = complete_rows(values)
    ranks = rank_methods(complete, direction)
    n_datasets, n_methods = ranks.shape
    numbers = ranks.to_numpy()
    average = pd.Series(numbers.mean(axis=0) if n_datasets else np.nan, index=ranks.columns, dtype=np.float64)
    degrees = (max(n_methods - 1, 0), max((n_methods - 1) * (n_datasets - 1), 0))
    note = ""
    if n_methods < 3:
        note = f"the Friedman test needs at least 3 methods; there are {n_methods}"
    elif n_datasets < 2:
        note = f"the Friedman test needs at least 2 complete datasets; there are {n_datasets}"
    elif not np.ptp(numbers, axis=1).any():
        # Nothing speaks against the hypothesis: p = 1, and the test counts in a family of tests.
        tie = "all methods tie on every dataset"
        return FriedmanResult(0.0, 1.0, 0.0, degrees, 1.0, average, ranks, n_datasets, tie)
    if note:
        return FriedmanResult(
            math.nan, math.nan, math.nan, degrees, math.nan, average, ranks, n_datasets, note
        )
    outcome = stats.friedmanchisquare(*numbers.T)
    chi2 = float(outcome.statistic)
    f_statistic, f_p = _iman_davenport(chi2, n_methods, n_datasets)
    return FriedmanResult(chi2, float(outcome.pvalue), f_statistic, degrees, f_p, average, ranks, n_datasets)


def _iman_davenport(chi2: float, n_methods: int, n_datasets: int) -> tuple[float, float]:
    largest = n_datasets * (n_methods - 1)
    # Rounding can leave a hair's breadth between chi2 and its maximum when all sets agree.
    if chi2 >= largest * (1 - 1e-12):
        return math.inf, 0.0
    f_statistic = (n_datasets - 1) * chi2 / (largest - chi2)
    return f_statistic, float(stats.f.sf(f_statistic, n_methods - 1, (n_methods - 1) * (n_datasets - 1)))


def f_from_average_ranks(average_ranks, n_datasets: int) -> float:
    """Return Iman and Davenport's F from printed average ranks, without a correction for ties.

    Parameters
    ----------
    average_ranks : array_like of float, shape (k,)
        They sum to k (k + 1) / 2, up to their rounding.
    n_datasets : int
        N, at least 2.

    Returns
    -------
    float
        (N - 1) chi2 / (N (k - 1) - chi2) with chi2 = 12 N / (k (k + 1)) (sum R^2 - k (k + 1)^2 / 4); infinite
        when all sets agree. It equals the F of `friedman_test` where no set has ties.

    References
    ----------
    Demsar (2006), JMLR 7, section 3.2.2.
    """
    ranks = np.asarray(average_ranks, dtype=np.float64)
    k = len(ranks)
    if k < 2 or n_datasets < 2:
        return math.nan
    chi2 = 12 * n_datasets / (k * (k + 1)) * (float(np.sum(ranks**2)) - k * (k + 1) ** 2 / 4)
    return _iman_davenport(chi2, k, n_datasets)[0]


def critical_f(n_methods: int, n_datasets: int, significance: float = 0.05) -> float:
    """Return the value that Iman and Davenport's F must exceed to be significant."""
    return float(stats.f.isf(significance, n_methods - 1, (n_methods - 1) * (n_datasets - 1)))


def least_p_value(n_datasets: int, n_methods: int) -> float:
    """Return the smallest p-value that Friedman's chi-squared of so many datasets and methods can give.

    It is that of N (k - 1), the chi-squared of ranks that agree on all datasets.
    """
    return float(stats.chi2.sf(n_datasets * (n_methods - 1), n_methods - 1))
