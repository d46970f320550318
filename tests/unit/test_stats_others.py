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
from mlsieve.rankings.files import Ranking
from mlsieve.stats import (
    benjamini_hochberg,
    critical_rank_sum,
    fuzzy_jaccard,
    fuzzy_jaccard_curve,
    hodges_lehmann,
    wilcoxon_test,
    win_tie_loss,
)
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL, oriented_differences
from mlsieve.stats.ranks import paired_differences, round_values
from mlsieve.stats.wilcoxon import least_p_value as wilcoxon_least_p_value

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


def exact_p_value(differences, smaller):
    """Twice the share of all signs of the ranks whose positive sum is at most `smaller`, in whole numbers."""
    ranks = stats.rankdata(np.abs(differences))[np.asarray(differences) != 0]
    ways = {0: 1}
    for rank in (2 * ranks).astype(int).tolist():
        more = dict(ways)
        for total, count in ways.items():
            more[total + rank] = more.get(total + rank, 0) + count
        ways = more
    tail = sum(count for total, count in ways.items() if total <= 2 * smaller)
    return float(min(Fraction(1), Fraction(2 * tail, 2 ** len(ranks))))


@pytest.mark.parametrize("n", [14, 30, 60, 200])
@pytest.mark.parametrize("zeros", ["pratt", "wilcox", "split"])
def test_the_p_value_is_exact_with_ties_and_zeros(n, zeros):
    """scipy approximates from 14 differences on; here every way to give the ranks signs is counted."""
    differences = np.round(np.random.default_rng(n).normal(0.2, 1, n) / 0.5) * 0.5
    differences[:2] = 0.0, 1.0
    many = np.concatenate([differences, np.ones(201)])
    result = wilcoxon_test(differences, zeros)
    ranked = differences[differences != 0] if zeros == "wilcox" else differences
    signed = np.sign(ranked) * stats.rankdata(np.abs(ranked))
    smaller = min(signed[signed > 0].sum(), -signed[signed < 0].sum())
    assert result.kind == "exact"
    assert result.p_value == pytest.approx(exact_p_value(ranked, smaller), rel=1e-12)
    approximated = wilcoxon_test(many, zeros)
    assert approximated.kind == "normal"
    scipys = {"pratt": "pratt", "wilcox": "wilcox", "split": "zsplit"}[zeros]
    expected = stats.wilcoxon(many, zero_method=scipys, method="approx")
    assert approximated.p_value == pytest.approx(expected.pvalue)


def test_pratt_and_split_zeros_have_one_p_value():
    differences = [0.0, 0.0, 0.0, 0.0, 1.0, -2.0, 3.0, 4.0, 4.0, -5.0]
    pratt, split = (wilcoxon_test(differences, zeros) for zeros in ("pratt", "split"))
    assert pratt.p_value == split.p_value != wilcoxon_test(differences, "wilcox").p_value
    assert (split.positive - pratt.positive, split.negative - pratt.negative) == (5.0, 5.0)


@pytest.mark.parametrize("n", range(2, 12))
def test_the_least_p_value_is_that_of_differences_of_one_sign(n):
    assert wilcoxon_test(np.arange(1.0, n + 1)).p_value == wilcoxon_least_p_value(n) == 2.0 ** (1 - n)
    assert wilcoxon_least_p_value(4) == 0.125


@pytest.mark.parametrize("n", [2, 3, 8, 12, 13, 14, 30, 60])
@pytest.mark.parametrize("zeros", ["pratt", "wilcox"])
@pytest.mark.parametrize("grain", [0.0, 0.5])
def test_the_p_value_is_scipys_where_scipy_is_exact(n, zeros, grain):
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    if grain:
        differences = np.round(differences / grain) * grain
        differences[0] = 1.0
    kept = differences[differences != 0] if zeros == "wilcox" else differences
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = "auto" if grain else "exact"
        expected = stats.wilcoxon(np.round(kept, 12), zero_method=zeros, method=method)
    result = wilcoxon_test(differences, zeros=zeros)
    assert result.statistic == pytest.approx(expected.statistic)
    if not grain or len(kept) <= 13:
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


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(-9999, 9999), st.integers(-9999, 9999)), min_size=1, max_size=20),
    st.sampled_from([1, 3, 7, 30, 1000]),
    st.sampled_from([1.0, 100.0, 1e-13, 2.0**-40, 1234567.89, 1e9 / 7, 1e-200, 1e200]),
)
def test_differences_have_the_signs_and_ties_of_whole_numbers_in_any_unit(pairs, divisor, unit):
    whole = np.array(pairs)
    values = whole / divisor * unit
    exact = whole[:, 0] - whole[:, 1]
    for first, second in (values.T, round_values(values, significant=12).T):
        found = paired_differences(first, second)
        assert np.array_equal(np.sign(found), np.sign(exact))
        assert np.array_equal(stats.rankdata(np.abs(found)), stats.rankdata(np.abs(exact)))
        np.testing.assert_allclose(found, exact / divisor * unit, rtol=1e-7)
        assert np.array_equal(paired_differences(second, first), -found + 0.0)
        columns = paired_differences(np.column_stack([first, second]), np.column_stack([second, first]))
        assert np.array_equal(columns, np.column_stack([found, -found + 0.0]))


def test_benjamini_hochberg_by_hand():
    p_values = [0.01, 0.04, np.nan, 0.03, 0.005]
    assert benjamini_hochberg(p_values) == pytest.approx([0.02, 0.04, np.nan, 0.04, 0.02], nan_ok=True)
    assert benjamini_hochberg([]).size == 0
    assert np.isnan(benjamini_hochberg([np.nan])).all()


def test_oriented_differences_and_counts():
    differences = oriented_differences([0.1, 0.2, 0.3, np.nan], [0.2, 0.2, 0.1, 1.0], "lower")
    assert differences[:3].tolist() == [0.1, 0.0, -0.2]
    assert win_tie_loss(differences) == (1, 1, 1)


def test_the_interval_is_wilcoxons_by_hand():
    # Of 6 differences the rank sum 0 alone is significant: the interval reaches from end to end. Of 7, the
    # sums 0, 1 and 2 are: P(W <= 2) = 3/128, and the third mean from either end is the border.
    assert np.array_equal(hodges_lehmann([1, 2, 4, 8, 16, 32]), [8.5, 1.0, 32.0])
    _, low, high = hodges_lehmann([1, 2, 4, 8, 16, 32, 64])
    assert (low, high) == (2.0, 40.0)  # of 1, 1.5, 2, 2.5, ..., 36, 40, 48, 64
    assert critical_rank_sum(6) == 0 and critical_rank_sum(7) == 2 and math.isnan(critical_rank_sum(5))
    assert critical_rank_sum(8, 0.01) == 0 and (critical_rank_sum(25), critical_rank_sum(100)) == (89, 1955)
    assert [critical_rank_sum(n) for n in (200, 201)] == [8444, 8531]  # the exact and the normal distribution


@pytest.mark.parametrize("n", range(1, 31))
def test_the_interval_holds_what_wilcoxons_test_does_not_reject(n):
    """A naive twin: all means of pairs, and the test of the differences from each value near a border."""
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    estimate, low, high = hodges_lehmann(differences)
    means = [(a + b) / 2 for place, a in enumerate(differences) for b in differences[: place + 1]]
    assert estimate == pytest.approx(np.median(means)) and low <= estimate <= high
    if n < FEWEST_FOR_INTERVAL:
        assert (low, high) == (differences.min(), differences.max())
        return
    assert {low, high} <= set(means)
    for inside, outside in ((low + 1e-9, low - 1e-9), (high - 1e-9, high + 1e-9)):
        assert wilcoxon_test(differences - inside, decimals=None).p_value > 0.05
        assert wilcoxon_test(differences - outside, decimals=None).p_value <= 0.05


@pytest.mark.parametrize("n", [5, 6, 7, 8, 10, 15, 30])
def test_the_interval_covers_as_often_as_it_says(n):
    """Coverage of the centre over 3,000 simulated tables, of normal and of heavy-tailed differences."""
    critical = 0 if n < FEWEST_FOR_INTERVAL else int(critical_rank_sum(n))
    ways = np.array(list(itertools.product([0, 1], repeat=min(n, 15))))
    generator = np.random.default_rng(n)
    signs = ways if n <= 15 else generator.integers(0, 2, (200_000, n))
    exact = 1 - 2 * np.mean(signs @ np.arange(1, n + 1) <= critical)
    assert exact >= 0.95 or n < FEWEST_FOR_INTERVAL
    for draw in (generator.standard_normal, lambda size: generator.standard_t(2, size)):
        _, low, high = hodges_lehmann(draw((n, 3000)))
        assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(exact, abs=0.015)


def test_intervals_of_several_comparisons_at_once():
    differences = np.random.default_rng(0).normal(size=(8, 5))
    together = np.array(hodges_lehmann(differences))
    assert np.array_equal(together.T, [hodges_lehmann(column) for column in differences.T])
    assert np.array_equal(together, hodges_lehmann(differences[::-1]))
    assert np.array_equal(together[[0, 2, 1]], -np.array(hodges_lehmann(-differences)))
    assert all(np.isnan(number) for number in hodges_lehmann([]))


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


def exact_positive_curve(first, second):
    """FUJI over positive scores only, one feature at a time, without rounding."""
    pairs = [(max(Fraction(x), 0), max(Fraction(y), 0)) for x, y in zip(first, second, strict=True)]
    tops = [sorted((pair[side] for pair in pairs if pair[side] > 0), reverse=True) for side in (0, 1)]
    values = []
    for j in range(max(map(len, tops))):
        lower = upper = Fraction(0)
        for pair in pairs:
            members, full = [], False
            for score, top in zip(pair, tops, strict=True):
                limit = top[min(j, len(top) - 1)] if top else None
                inside = limit is not None and score >= limit
                full |= inside
                members.append(Fraction(1) if inside else score / limit if limit is not None else Fraction(0))
            if full:
                lower, upper = lower + min(members), upper + max(members)
        values.append(float(lower / upper))
    return values


def test_fuzzy_jaccard_of_positive_scores_by_hand():
    one, two = np.zeros(100), np.zeros(100)
    one[[0, 1, 2]], two[[50, 60, 70]] = (3.0, 2.0, 1.0), (1.0, 2.0, 3.0)
    assert fuzzy_jaccard(one, two) == pytest.approx(0.97), "97 of the 100 top sets are all features"
    assert fuzzy_jaccard(one, two, "positive") == 0.0
    assert fuzzy_jaccard(one, one, "positive") == 1.0
    # j = 1: sets {0}, {1}, memberships (1, 1/2) and (1/2, 1): 1/2. j = 2: {0, 1} twice. j = 3: {0, 1, 2} and
    # {0, 1}, which has no third feature: 2/3. Feature 3 has no positive score and belongs to none.
    assert fuzzy_jaccard_curve([4, 2, 1, 0], [1, 2, 0, -3], "positive").tolist() == pytest.approx(
        [1 / 2, 1, 2 / 3]
    )
    assert (
        math.isnan(fuzzy_jaccard([0, -1], [0, 0], "positive"))
        and fuzzy_jaccard([1, 0], [0, 0], "positive") == 0
    )
    with pytest.raises(ValueError, match="features must be"):
        fuzzy_jaccard([1], [1], "some")


@settings(max_examples=150, deadline=None)
@given(scores)
def test_fuzzy_jaccard_of_positive_scores_properties(pair):
    first, second = pair
    curve = fuzzy_jaccard_curve(first, second, "positive")
    assert curve.tolist() == pytest.approx(exact_positive_curve(first, second), rel=1e-13)
    assert curve.tolist() == fuzzy_jaccard_curve(second, first, "positive").tolist()
    if max(first) > 0:
        assert fuzzy_jaccard(first, first, "positive") == 1.0
        padded = [[*values, 0.0, -1.0] for values in (first, second)]
        assert fuzzy_jaccard_curve(*padded, "positive").tolist() == curve.tolist(), (
            "more features of no score"
        )
    if min(*first, *second) > 0:
        assert curve.tolist() == fuzzy_jaccard_curve(first, second).tolist()


def test_similarity_command(tmp_path, capsys):
    names = ("a", "b")
    Ranking(np.array([2.0, 1.0]), names).to_csv(tmp_path / "one.csv")
    Ranking(np.array([1.0, 2.0]), names).to_csv(tmp_path / "two.csv")
    assert main(["similarity", str(tmp_path / "one.csv"), str(tmp_path / "two.csv")]) == 0
    assert capsys.readouterr().out == "first,second,similarity\none,two,0.75\n"
    Ranking(np.array([0.0, 1.0]), names).to_csv(tmp_path / "two.csv")
    Ranking(np.array([1.0, 0.0]), names).to_csv(tmp_path / "one.csv")
    for words, value in (([], 0.5), (["--features", "all"], 0.5), (["--features", "positive"], 0.0)):
        assert main(["similarity", *words, str(tmp_path / "one.csv"), str(tmp_path / "two.csv")]) == 0
        assert capsys.readouterr().out.endswith(f"one,two,{value}\n")
    assert main(["similarity", str(tmp_path / "one.csv")]) == 2
    assert "at least two rankings are needed, got 1" in capsys.readouterr().err
