"""Friedman, Iman-Davenport, Nemenyi and Bonferroni-Dunn against published and hand-worked examples."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from mlsieve.stats import (
    bonferroni_dunn_distance,
    bonferroni_dunn_p_values,
    complete_rows,
    critical_f,
    f_from_average_ranks,
    friedman_test,
    groups_within,
    nemenyi_distance,
    nemenyi_p_values,
    one_row_per_domain,
    rank_methods,
    round_values,
)

# Demsar (2006), table 6: AUC of four variants of C4.5 on 14 UCI datasets.
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def test_demsar_average_ranks():
    result = friedman_test(DEMSAR)
    assert result.average_ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    assert result.n_datasets == 14


def test_demsar_f_and_chi_squared():
    ranks = friedman_test(DEMSAR).average_ranks
    f = f_from_average_ranks(ranks, 14)
    chi2 = 14 * 3 * f / (13 + f)
    assert round(chi2, 2) == 9.28
    assert round(f, 2) == 3.69
    assert round(critical_f(4, 14), 2) == 2.85


def test_the_tie_correction_raises_the_statistic():
    result = friedman_test(DEMSAR)
    expected = stats.friedmanchisquare(*DEMSAR.to_numpy().T)
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.p_value == pytest.approx(expected.pvalue)
    assert result.f_statistic > f_from_average_ranks(result.average_ranks, 14)
    assert result.f_p_value == pytest.approx(stats.f.sf(result.f_statistic, 3, 39))
    assert result.f_degrees == (3, 39)


def test_demsar_critical_distances():
    assert round(nemenyi_distance(4, 14), 2) == 1.25
    assert round(nemenyi_distance(4, 14, 0.10), 2) == 1.12
    assert round(bonferroni_dunn_distance(4, 14), 2) == 1.17  # the paper prints 1.16 from q = 2.394
    assert bonferroni_dunn_distance(4, 14) / math.sqrt(20 / 84) == pytest.approx(2.394, abs=5e-4)


def test_selection_study_fixtures():
    assert round(critical_f(5, 25), 3) == 2.466
    assert round(bonferroni_dunn_distance(5, 25), 3) == 1.117
    assert bonferroni_dunn_distance(5, 25) / math.sqrt(30 / 150) == pytest.approx(2.498, abs=5e-4)


@pytest.mark.parametrize("k, q", [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (8, 3.031), (10, 3.164)])
def test_nemenyi_quantiles_are_demsars_table(k, q):
    assert nemenyi_distance(k, 10) / math.sqrt(k * (k + 1) / 60) == pytest.approx(q, abs=1e-3)


def test_hand_worked_ties():
    values = pd.DataFrame([[3, 1, 1], [2, 2, 1], [5, 5, 5], [1, 2, 3]], columns=list("abc"), dtype=float)
    ranks = rank_methods(values)
    assert ranks.to_numpy().tolist() == [[1, 2.5, 2.5], [1.5, 1.5, 3], [2, 2, 2], [3, 2, 1]]
    assert rank_methods(values, "lower").to_numpy().tolist() == [
        [3, 1.5, 1.5],
        [2.5, 2.5, 1],
        [2, 2, 2],
        [1, 2, 3],
    ]
    # Rank sums 7.5, 8, 8.5: chi2 = 12 / (4 * 3 * 4) * 192.5 - 3 * 4 * 4 = 0.125, over 1 - (6 + 6 + 24) / (4
    # * 24).
    result = friedman_test(values)
    assert result.statistic == pytest.approx(0.125 / 0.625)


def test_rounding_comes_before_ranking():
    values = [[0.12349, 0.12251, 0.1226]]
    assert round_values(values, decimals=3).tolist() == [[0.123, 0.123, 0.123]]
    assert round_values([123.49, 0.0012345, np.nan], significant=3).tolist()[:2] == [123.0, 0.00123]
    assert round_values([-0.0001], decimals=3).tolist() == [0.0] and not np.signbit(
        round_values([-0.0001], decimals=3)
    )
    with pytest.raises(ValueError, match="not both"):
        round_values(values, decimals=3, significant=3)


def test_a_set_with_a_nan_leaves():
    values = DEMSAR.copy()
    values.iloc[0, 2] = np.nan
    assert len(complete_rows(values)) == 13
    assert friedman_test(values).n_datasets == 13
    assert friedman_test(values).statistic == friedman_test(DEMSAR.iloc[1:]).statistic


@pytest.mark.parametrize(
    "values, reason",
    [
        (np.ones((5, 3)), "tie"),
        (np.arange(3.0).reshape(1, 3), "at least 2 complete datasets"),
        (np.empty((0, 3)), "at least 2 complete datasets"),
        (np.full((4, 3), np.nan), "at least 2 complete datasets"),
        (np.arange(8.0).reshape(4, 2), "at least 3 methods"),
        (np.arange(4.0).reshape(4, 1), "at least 3 methods"),
        (np.empty((4, 0)), "at least 3 methods"),
    ],
)
def test_degenerate_cases_give_a_reason_without_a_warning(values, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = friedman_test(pd.DataFrame(values))
    # A tie everywhere is a test with nothing to show; the others could not be done.
    expected = 1.0 if reason == "tie" else math.nan
    assert (result.p_value, result.f_p_value) == pytest.approx((expected, expected), nan_ok=True)
    assert reason in result.note


def test_perfect_agreement_has_an_infinite_f():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = friedman_test(pd.DataFrame(np.tile(np.arange(4.0), (6, 1))))
    assert result.f_statistic == math.inf and result.f_p_value == 0.0
    assert result.statistic == pytest.approx(18)
    assert f_from_average_ranks([4, 3, 2, 1], 6) == math.inf


def test_nemenyi_p_values_follow_the_formula():
    ranks = rank_methods(DEMSAR)
    p_values = nemenyi_p_values(ranks)
    means = ranks.mean()
    for a in means.index:
        for b in means.index:
            q = abs(means[a] - means[b]) / math.sqrt(4 * 5 / (6 * 14)) * math.sqrt(2)
            assert p_values.loc[a, b] == pytest.approx(
                stats.studentized_range.sf(q, 4, np.inf) if a != b else 1
            )
            assert (p_values.loc[a, b] <= 0.05) == (abs(means[a] - means[b]) >= nemenyi_distance(4, 14))


def test_bonferroni_dunn_p_values_follow_the_formula():
    ranks = rank_methods(DEMSAR)
    p_values = bonferroni_dunn_p_values(ranks, "C4.5")
    means = ranks.mean()
    for method in means.index[1:]:
        z = (means[method] - means["C4.5"]) / math.sqrt(4 * 5 / (6 * 14))
        assert p_values.p_value[method] == pytest.approx(2 * stats.norm.sf(abs(z)))
        assert p_values.p_adjusted[method] == pytest.approx(min(1, 3 * p_values.p_value[method]))
        told_apart = abs(means[method] - means["C4.5"]) >= bonferroni_dunn_distance(4, 14)
        assert (p_values.p_adjusted[method] <= 0.05) == told_apart


def test_groups_within():
    ranks = pd.Series({"d": 4.0, "a": 1.0, "b": 2.0, "c": 3.0})
    assert groups_within(ranks, 1.5) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert groups_within(ranks, 2.5) == [("a", "b", "c"), ("b", "c", "d")]
    assert groups_within(ranks, 0.5) == []
    assert groups_within(ranks, 1.0) == []  # a difference of exactly the distance is significant
    assert groups_within(ranks, 9) == [("a", "b", "c", "d")]


def test_related_sets_count_once():
    ranks = pd.DataFrame([[1, 2], [2, 1], [1, 2], [1.5, 1.5]], index=["y1", "y2", "y3", "z"], dtype=float)
    collapsed = one_row_per_domain(ranks, {"y1": "yahoo", "y2": "yahoo", "y3": "yahoo"})
    assert collapsed.index.tolist() == ["yahoo", "z"]
    assert collapsed.loc["yahoo"].tolist() == pytest.approx([4 / 3, 5 / 3])


tables = st.tuples(st.integers(2, 9), st.integers(3, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 6).map(float))
)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_ranks_sum_to_a_constant(values):
    ranks = rank_methods(pd.DataFrame(values))
    k = values.shape[1]
    assert np.allclose(ranks.sum(axis=1), k * (k + 1) / 2)


@settings(max_examples=60, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_sets_and_monotone_transforms_do_not_matter(values, random):
    frame = pd.DataFrame(values)
    order = list(range(len(frame)))
    random.shuffle(order)
    one, other, turned = (
        friedman_test(frame),
        friedman_test(np.exp(frame.iloc[order])),
        friedman_test(-frame, "lower"),
    )
    for result in (other, turned):
        assert result.statistic == pytest.approx(one.statistic, nan_ok=True)
        assert result.f_p_value == pytest.approx(one.f_p_value, nan_ok=True, abs=1e-12)
        assert np.allclose(result.average_ranks, one.average_ranks)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(3, 7), st.integers(0, 10**6))
def test_f_from_average_ranks_is_the_full_computation_without_ties(n, k, seed):
    values = np.random.default_rng(seed).random((n, k))
    result = friedman_test(pd.DataFrame(values))
    assert f_from_average_ranks(result.average_ranks, n) == pytest.approx(result.f_statistic)
