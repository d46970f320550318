"""Wilcoxon, Benjamini-Hochberg, effect sizes and the similarity of rankings."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mlsieve.cli import main
from mlsieve.rankings import Ranking
from mlsieve.stats import (
    benjamini_hochberg,
    fuzzy_jaccard,
    fuzzy_jaccard_curve,
    median_difference,
    wilcoxon_test,
    win_tie_loss,
)
from mlsieve.stats.effects import oriented_differences

# Demsar (2006), table 2: AUC of C4.5+m minus AUC of C4.5.
DEMSAR = [0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007, 0.000, 0.063, 0.000, 0.022, 0.047, 0.009, 0.021]


def test_demsar_rank_sums():
    result = wilcoxon_test(DEMSAR, zeros="split")
    assert (result.positive, result.negative, result.statistic) == (93.0, 12.0, 12.0)
    assert result.p_value < 0.05


def test_all_against_on_ten_sets_with_split_zeros():
    result = wilcoxon_test(-np.arange(1.0, 11.0), zeros="split")
    assert (result.positive, result.negative) == (0.0, 55.0)
    assert result.p_value == 2 / 1024
    assert f"{result.p_value:.2e}" == "1.95e-03"


def test_split_zeros_by_enumeration():
    differences = np.array([0.0, 0.0, 0.0, 1.0, 1.0, -2.0, 3.0, 4.0])
    ranks = stats.rankdata(np.abs(differences))
    result = wilcoxon_test(differences, zeros="split")
    assert result.positive + result.negative == 36
    assert result.positive == ranks[[3, 4, 6, 7]].sum() + 3
    sums = [
        sum(r for r, sign in zip(ranks[3:], signs, strict=True) if sign)
        for signs in itertools.product([0, 1], repeat=5)
    ]
    assert result.p_value == min(1, 2 * np.mean([s <= result.negative - 3 for s in sums]))


@pytest.mark.parametrize("n", [2, 3, 8, 12, 13, 14, 30, 60])
@pytest.mark.parametrize("zeros", ["pratt", "wilcox"])
@pytest.mark.parametrize("grain", [0.0, 0.5])
def test_the_p_value_is_scipys(n, zeros, grain):
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    if grain:
        differences = np.round(differences / grain) * grain
        differences[0] = 1.0
    kept = differences[differences != 0] if zeros == "wilcox" else differences
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.wilcoxon(np.round(kept, 12), zero_method=zeros)
    result = wilcoxon_test(differences, zeros=zeros)
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("differences", [[], [1.0], [np.nan, 2.0], [0.0, 0.0, 0.0]])
@pytest.mark.parametrize("zeros", ["pratt", "split", "wilcox"])
def test_degenerate_wilcoxon(differences, zeros):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = wilcoxon_test(differences, zeros=zeros)
    done = len(differences) > 1 and not np.isnan(differences).any()  # all zero: nothing to show, p = 1
    assert result.p_value == pytest.approx(1.0 if done else math.nan, nan_ok=True) and result.note


def test_rounding_errors_do_not_break_ties():
    assert wilcoxon_test([0.3 - 0.2, -(0.2 - 0.1)], "split").positive == 1.5


def test_benjamini_hochberg_by_hand():
    p_values = [0.01, 0.04, np.nan, 0.03, 0.005]
    assert benjamini_hochberg(p_values) == pytest.approx([0.02, 0.04, np.nan, 0.04, 0.02], nan_ok=True)
    assert benjamini_hochberg([]).size == 0
    assert np.isnan(benjamini_hochberg([np.nan])).all()


def test_oriented_differences_and_counts():
    differences = oriented_differences([0.1, 0.2, 0.3, np.nan], [0.2, 0.2, 0.1, 1.0], "lower")
    assert differences[:3].tolist() == [0.1, 0.0, -0.2]
    assert win_tie_loss(differences) == (1, 1, 1)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 14, 25])
def test_the_interval_is_that_of_many_resamples(n):
    generator = np.random.default_rng(n)
    differences = generator.normal(size=n)
    median, low, high = median_difference(differences)
    assert median == np.median(differences)
    assert low <= median <= high
    drawn = np.median(differences[generator.integers(0, n, size=(40_000, n))], axis=1)
    for share, bound in ((0.025, low), (0.975, high)):
        # The bound is a quantile of the draws, up to the noise of drawing.
        assert np.mean(drawn < bound - 1e-12) <= share + 0.005
        assert np.mean(drawn <= bound + 1e-12) >= share - 0.005


def test_intervals_of_several_comparisons_at_once():
    differences = np.random.default_rng(0).normal(size=(8, 5))
    together = np.array(median_difference(differences))
    assert np.array_equal(together.T, [median_difference(column) for column in differences.T])
    assert np.array_equal(together, median_difference(differences[::-1]))
    assert all(np.isnan(number) for number in median_difference([]))


def exact_fuzzy_jaccard_curve(first, second):
    """The definition, one feature at a time, without rounding."""
    first, second = [max(Fraction(x), 0) for x in first], [max(Fraction(x), 0) for x in second]
    a, b = sorted(first, reverse=True), sorted(second, reverse=True)
    values = []
    for j in range(len(a)):
        lower = upper = Fraction(0)
        for x, y in zip(first, second, strict=True):
            if x >= a[j] or y >= b[j]:
                mx = 1 if x >= a[j] else x / a[j]
                my = 1 if y >= b[j] else y / b[j]
                lower, upper = lower + min(mx, my), upper + max(mx, my)
        values.append(float(lower / upper))
    return values


def test_fuzzy_jaccard_by_hand():
    # j = 1: sets {0}, {1}; memberships (1, .5), (.5, 1): 1 / 2; j = 2: all in both: 1.
    assert fuzzy_jaccard_curve([2, 1], [1, 2]).tolist() == [0.5, 1.0]
    assert fuzzy_jaccard([2, 1], [1, 2]) == 0.75
    assert fuzzy_jaccard([0, 0, 0], [0, 0, 0]) == 1.0
    assert fuzzy_jaccard([1, -5], [1, 0]) == 1.0
    large = [1.0e308, 1.7e308, 1.6e308, 1.5e308]
    assert fuzzy_jaccard(large, [3, 2, 0, 1]) == pytest.approx(
        fuzzy_jaccard([1.0, 1.7, 1.6, 1.5], [3, 2, 0, 1])
    )
    # j = 1: sets {0}, {2}; feature 0 counts 1 / 5, feature 2 1 / 4. j = 2: {0, 1}, {2, 1}; feature 1 counts
    # 1, features 0 and 2 1 / 2 each. j = 3: all are in both.
    curve = fuzzy_jaccard_curve([4, 2, 1], [1, 2, 5])
    assert curve.tolist() == pytest.approx([(1 / 4 + 1 / 5) / 2, (1 + 1 / 2 + 1 / 2) / 3, 1])
    with pytest.raises(ValueError, match="the same features"):
        fuzzy_jaccard([1, 2], [1])
    with pytest.raises(ValueError, match="finite"):
        fuzzy_jaccard([1, 2], [1, np.nan])


# Ties, zeros, negative scores and scores of any size.
score = st.one_of(
    st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 5.0, 1e-300, 1e290]), st.floats(-1, 1e290, allow_nan=False)
)
scores = st.integers(1, 12).flatmap(lambda n: st.tuples(*[st.lists(score, min_size=n, max_size=n)] * 2))


@settings(max_examples=150, deadline=None)
@given(scores)
def test_fuzzy_jaccard_properties(pair):
    first, second = pair
    value = fuzzy_jaccard(first, second)
    exact = exact_fuzzy_jaccard_curve(first, second)
    assert fuzzy_jaccard_curve(first, second).tolist() == pytest.approx(exact, rel=1e-14)
    assert 0 <= value <= 1 + 1e-15
    assert value == fuzzy_jaccard(second, first)
    assert fuzzy_jaccard(first, first) == 1.0
    order = np.argsort(first, kind="stable")
    assert fuzzy_jaccard(np.array(first)[order], np.array(second)[order]) == pytest.approx(value)


def test_similarity_command(tmp_path, capsys):
    names = ("a", "b")
    Ranking(np.array([2.0, 1.0]), names).to_csv(tmp_path / "one.csv")
    Ranking(np.array([1.0, 2.0]), names).to_csv(tmp_path / "two.csv")
    assert main(["similarity", str(tmp_path / "one.csv"), str(tmp_path / "two.csv")]) == 0
    assert capsys.readouterr().out == "first,second,similarity\none,two,0.75\n"
    assert main(["similarity", str(tmp_path / "one.csv")]) == 2
    assert "two or more" in capsys.readouterr().err
