"""A test of two methods on the folds of one dataset, which share most of their training rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlsieve.stats._lazy import stats


@dataclass(frozen=True)
class ResampledResult:
    """Result of the corrected resampled t-test.

    Attributes
    ----------
    statistic : float
        Student's t; NaN if the test is undefined, infinite if all differences are the same and not 0.
    p_value : float
        Two-sided; NaN with the statistic, except that it is 1 where all differences are 0.
    n_folds : int
        Differences that are not NaN.
    mean, low, high : float
        The mean difference and its 95 % interval, which holds the values that the test does not reject at
        5 %; NaN for fewer than two differences.
    """

    statistic: float
    p_value: float
    n_folds: int
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan


def corrected_resampled_test(differences: Sequence[float], test_per_train: float) -> ResampledResult:
    """Test whether the mean difference of two methods over folds of one dataset is 0.

    The training parts of folds overlap, so that the differences are not independent and their variance
    underestimates that of the mean. Nadeau and Bengio (Machine Learning 52, 2003) add the ratio of test to
    training rows to 1 / J:

        t = mean(d) / sqrt((1 / J + n_test / n_train) var(d)),  with J - 1 degrees of freedom

    Parameters
    ----------
    differences : sequence of float, length J
        Of a measure's values of both methods on the same fold; NaN where one of them is undefined.
    test_per_train : float
        Test rows of a fold divided by its training rows.

    Returns
    -------
    ResampledResult
    """
    known = np.array([value for value in differences if not math.isnan(value)])
    n = len(known)
    if n < 2:
        return ResampledResult(math.nan, math.nan, n)
    mean, variance = float(known.mean()), float(known.var(ddof=1))
    if (known == known[0]).all():
        mean = float(known[0])
        if mean == 0:
            return ResampledResult(math.nan, 1.0, n, mean, mean, mean)
        return ResampledResult(math.copysign(math.inf, mean), 0.0, n, mean, mean, mean)
    error = math.sqrt((1 / n + test_per_train) * variance)
    statistic, width = mean / error, error * float(stats.t.ppf(0.975, n - 1))
    p_value = float(2 * stats.t.sf(abs(statistic), n - 1))
    return ResampledResult(statistic, p_value, n, mean, mean - width, mean + width)
