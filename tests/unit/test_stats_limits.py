"""Where a decision changes: at the significance level itself, at the exact test's limit, at ties."""

import functools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from synthetic_study import DIRECTIONS, performance_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.analysis.domain_counts import domain_counts
from mlsieve.stats import (
    critical_rank_sum,
    friedman_test,
    groups_within,
    one_row_per_domain,
    rank_methods,
    wilcoxon_test,
)
from mlsieve.stats.wilcoxon import signed_ranks

KEYS = ["question", "family", "variant", "measure", "comparison", "test", "methods"]
SCIPYS = {"pratt": "pratt", "wilcox": "wilcox", "split": "zsplit"}


RELATED = {"set-1": "a", "set-2": "a", "set-3": "b", "set-4": "b"}
ASKED = {
    "friedman": "score",
    "nemenyi": "score",
    "domain-permutation": "score",
    "bonferroni-dunn": "relief",
    "wilcoxon": "relevance",
}


@functools.cache
def decided(question, significance=0.4):
    """Return the tests of a question, decided at a level."""
    performance = performance_table(8, ("f1",), (10, 50), ("uniform", "relief"), effect=0.5)
    analysis = Analysis(
        questions=(question,), directions=DIRECTIONS, domains=RELATED, significance=significance
    )
    return run_questions(performance, analysis).tests.set_index(KEYS)


@pytest.mark.parametrize("test", ASKED)
def test_a_p_value_of_exactly_the_significance_level_is_significant(test):
    rows = decided(ASKED[test])
    rows = rows[(rows.index.get_level_values("test") == test) & rows["p_adjusted"].between(1e-3, 0.4)]
    key, level = rows.index[-1], rows["p_adjusted"].iloc[-1]
    assert decided(ASKED[test], level).loc[key, "rejected"]
    below = decided(ASKED[test], np.nextafter(level, 0))
    assert key not in below.index or not below.loc[key, "rejected"]


def test_families_whose_least_p_value_is_the_level_are_within_reach():
    own = decided("relevance").reset_index()
    least = own.loc[(own["variant"] != "all") & (own["test"] == "wilcoxon"), "p_least"].min()
    assert domain_counts(own, least).out_of_reach == 0
    assert domain_counts(own, np.nextafter(least, 0)).out_of_reach > 0


@pytest.mark.parametrize("zeros", sorted(SCIPYS))
@pytest.mark.parametrize("n", [20, 51, 60, 200, 201, 300])
def test_zeros_count_as_they_should_for_any_number_of_datasets(n, zeros):
    differences = np.round(np.random.default_rng(n).normal(0.15, 1, n) * 2) / 2
    differences[:3] = 0.0, 0.5, -0.5
    ranked = differences[differences != 0] if zeros == "wilcox" else differences
    ranks, n_zeros = stats.rankdata(np.abs(ranked)), int((ranked == 0).sum())
    half = n_zeros * (n_zeros + 1) / 4 if zeros == "split" else 0.0
    found = wilcoxon_test(differences, zeros)
    assert found.positive == ranks[ranked > 0].sum() + half
    assert found.negative == ranks[ranked < 0].sum() + half
    assert found.statistic == min(found.positive, found.negative) and found.n_datasets == n
    assert found.kind == ("exact" if len(ranked) <= 200 else "normal")
    approximated = stats.wilcoxon(differences, zero_method=SCIPYS[zeros], method="approx").pvalue
    if found.kind == "normal":
        assert 1e-4 < found.p_value == pytest.approx(approximated, rel=1e-12)
    else:
        assert found.p_value == pytest.approx(approximated, abs=0.06) and found.p_value != approximated


def test_the_ways_to_count_zeros_differ_beyond_the_exact_test():
    differences = np.round(np.random.default_rng(1).normal(0.2, 1, 250))
    p_values = [wilcoxon_test(differences, zeros).p_value for zeros in SCIPYS]
    assert len(set(p_values)) == 3


def test_the_critical_rank_sum_is_the_last_significant_one():
    for n, critical in ((6, 0), (8, 3), (10, 8), (25, 89)):  # Wilcoxon's table, two-sided 0.05
        assert critical_rank_sum(n) == critical
    assert np.isnan(critical_rank_sum(5)) and critical_rank_sum(5, 0.0625) == 0


def test_ties_share_the_mean_of_their_ranks():
    assert signed_ranks([0.0, -0.2, 0.2, 0.0, 0.3]).tolist() == [0.0, -3.5, 3.5, 0.0, 5.0]
    values = pd.DataFrame([[0.5, 0.5, 0.5, 0.1], [0.1, 0.4, 0.4, 0.9]], list("xy"), list("abcd"))
    assert rank_methods(values).to_numpy().tolist() == [[2, 2, 2, 4], [4, 2.5, 2.5, 1]]
    assert rank_methods(values, "lower").to_numpy().tolist() == [[3, 3, 3, 1], [1, 2.5, 2.5, 4]]
    assert one_row_per_domain(rank_methods(values), {"x": "f", "y": "f"}).to_numpy().tolist() == [
        [3.0, 2.25, 2.25, 2.5]
    ]


def test_a_difference_of_exactly_the_critical_distance_is_significant():
    ranks = pd.Series({"a": 1.0, "b": 2.5, "c": 4.0})
    assert groups_within(ranks, 1.5) == [] and groups_within(ranks, 1.51) == [("a", "b"), ("b", "c")]
    tied = pd.Series({"a": 2.0, "b": 2.0, "c": 2.0})
    assert groups_within(tied, 0.1) == [("a", "b", "c")]


def test_f_is_finite_until_all_datasets_agree():
    values = np.tile([0.1, 0.2, 0.3], (2000, 1))
    assert np.isinf(friedman_test(pd.DataFrame(values)).f_statistic)
    values[0] = 0.2, 0.1, 0.3  # chi-squared is within 0.1 % of its maximum
    assert 1000 < friedman_test(pd.DataFrame(values)).f_statistic < np.inf


def test_small_differences_are_not_ties():
    differences = np.array([3e-6, -1e-6, 2e-6, 5e-6, -4e-6])
    assert signed_ranks(differences).tolist() == [3, -1, 2, 5, -4]
    assert signed_ranks(np.array([0.3 - 0.2, 0.2 - 0.1])).tolist() == [1.5, 1.5]
