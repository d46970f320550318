"""The corrected resampled t-test, by hand."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from mlsieve.stats import corrected_resampled_test


def test_worked_by_hand():
    # d = 1, 2, 3, 4: mean 5/2, variance 5/3. J = 4 folds of one division, so n_test / n_train = 1/3.
    # t = (5/2) / sqrt((1/4 + 1/3) 5/3) = (5/2) / sqrt(35/36) = 15 / sqrt(35), with 3 degrees of freedom.
    found = corrected_resampled_test([1.0, 2.0, 3.0, 4.0], 1 / 3)
    assert found.statistic == pytest.approx(15 / math.sqrt(35), abs=1e-14) and found.n_folds == 4
    # The distribution function of t with 3 degrees of freedom has a closed form.
    t = found.statistic / math.sqrt(3)
    tail = 0.5 - (math.atan(t) + t / (1 + t * t)) / math.pi
    assert found.p_value == pytest.approx(2 * tail, abs=1e-14)


def test_without_the_correction_it_is_the_paired_test():
    differences = [0.3, -0.1, 0.25, 0.4, 0.0, 0.1]
    plain = stats.ttest_1samp(differences, 0)
    found = corrected_resampled_test(differences, 0)
    assert found.statistic == pytest.approx(plain.statistic, abs=1e-13)
    assert found.p_value == pytest.approx(plain.pvalue, abs=1e-13)
    assert corrected_resampled_test(differences, 0.2).p_value > found.p_value
    assert corrected_resampled_test([-d for d in differences], 0.2).statistic < 0


def test_undefined_and_constant_differences():
    assert math.isnan(corrected_resampled_test([0.1], 0.25).p_value)
    assert math.isnan(corrected_resampled_test([], 0.25).p_value)
    assert corrected_resampled_test([0.1, math.nan], 0.25).n_folds == 1
    assert corrected_resampled_test([0.0, 0.0, math.nan], 0.25).p_value == 1
    found = corrected_resampled_test([-0.1, -0.1, -0.1], 0.25)
    assert (found.statistic, found.p_value, found.n_folds) == (-math.inf, 0, 3)
