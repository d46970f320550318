"""The permutation test of one mean rank of each domain: by hand, by enumeration, and how often it errs."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlsieve.stats import one_row_per_domain, permutation_test, rank_methods
from mlsieve.stats.domains import DRAWS, least_p_value
from mlsieve.stats.wilcoxon import signed_ranks, wilcoxon_test


def every_p_value(numbers):
    """The share of all permutations with a statistic at least as large, each computed by itself."""
    n_domains, n_methods = numbers.shape

    def statistic(table):
        if n_methods == 1:
            return abs(sum(table[:, 0])) / n_domains
        return sum((sum(column) / n_domains - (n_methods + 1) / 2) ** 2 for column in table.T)

    if n_methods == 1:
        ways = [numbers * np.array(signs)[:, None] for signs in itertools.product([1, -1], repeat=n_domains)]
    else:
        rows = [list(itertools.permutations(row)) for row in numbers.tolist()]
        ways = [np.array(way) for way in itertools.product(*rows)]
    observed = statistic(numbers)
    return observed, np.mean([statistic(way) >= observed - 1e-9 for way in ways])


def test_signs_by_hand():
    # 1.5, 2 and -0.5: of the eight signs only +++ and --- (sum 4) and those of the data (3) and their
    # opposites reach a sum of 3.
    result = permutation_test(pd.DataFrame([1.5, 2.0, -0.5]))
    assert (result.statistic, result.p_value, result.kind, result.n_datasets) == (1.0, 0.5, "exact", 3)
    one_side = permutation_test(pd.DataFrame([0.1, 2.0, 0.5, 7.0]))
    assert one_side.p_value == 0.125 == least_p_value(4, 2), "four domains cannot be significant at 0.05"


def test_ranks_by_hand():
    # Three domains that order three methods alike: 6 of the 216 permutations keep them alike.
    result = permutation_test(pd.DataFrame([[1.0, 2.0, 3.0]] * 3))
    assert (result.statistic, result.kind) == (2.0, "exact")
    assert result.p_value == pytest.approx(6 / 216) and least_p_value(3, 3) == pytest.approx(1 / 36)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda n: st.sampled_from([1, 3]).flatmap(
            lambda k: arrays(np.float64, (n, k), elements=st.integers(-6, 6).map(lambda x: x / 2))
        )
    )
)
def test_the_p_value_is_that_of_all_permutations(numbers):
    if numbers.shape[1] > 1:
        numbers = rank_methods(pd.DataFrame(numbers), "lower").to_numpy()
    statistic, p_value = every_p_value(numbers)
    result = permutation_test(pd.DataFrame(numbers))
    assert result.statistic == pytest.approx(statistic) and result.kind == "exact"
    assert result.p_value == pytest.approx(p_value)
    assert least_p_value(*numbers.shape) <= result.p_value + 1e-12 <= 1 + 1e-12
    # Neither the order of domains and methods nor the side that wins changes anything.
    for changed in (numbers[::-1], numbers[:, ::-1], -numbers if numbers.shape[1] == 1 else numbers):
        assert permutation_test(pd.DataFrame(changed)).p_value == pytest.approx(p_value)


def test_without_related_sets_it_is_wilcoxons_test():
    differences = np.array([0.3, -0.1, 0.5, 0.7, 0.0, 0.9, 0.2, 0.2, -0.4])
    signed = pd.DataFrame(signed_ranks(differences))
    assert permutation_test(signed).p_value == pytest.approx(wilcoxon_test(differences).p_value)


def test_many_permutations_are_drawn_from_a_fixed_seed():
    generator = np.random.default_rng(0)
    ranks = rank_methods(pd.DataFrame(generator.normal(size=(12, 5)) + np.array([0.8, 0, 0, 0, 0])))
    first, again = permutation_test(ranks), permutation_test(ranks)
    assert first == again and first.kind == "monte-carlo"
    assert first.p_value * (DRAWS + 1) == pytest.approx(round(first.p_value * (DRAWS + 1)))
    drawn = generator.random((40_000, 12, 5)).argsort(axis=2)
    means = np.take_along_axis(ranks.to_numpy()[None], drawn, axis=2).mean(axis=1)
    share = (((means - 3) ** 2).sum(axis=1) >= first.statistic - 1e-9).mean()
    assert first.p_value == pytest.approx(share, abs=4 * math.sqrt(share / DRAWS) + 1e-3)
    alike = permutation_test(pd.DataFrame([[1.0, 2.0, 3.0, 4.0, 5.0]] * 12))
    assert alike.p_value == least_p_value(12, 5) == 1 / (DRAWS + 1)
    signs = permutation_test(pd.DataFrame(np.arange(1.0, 31.0)))
    assert (signs.kind, signs.p_value) == ("monte-carlo", 1 / (DRAWS + 1))


def test_one_family_is_too_few():
    result = permutation_test(pd.DataFrame([[1.0, 2.0, 3.0]]))
    assert math.isnan(result.p_value) and result.kind == "" and "at least 2 domains" in result.note


@pytest.mark.parametrize("n_methods", [2, 3])
def test_it_keeps_its_level_where_sets_of_a_family_agree(n_methods):
    """Ten sets that are copies of each other count as one: with no difference at all, p <= 0.05 is rare."""
    generator = np.random.default_rng(5)
    related = {f"s{i}": "family" for i in range(10)}
    names, rejected = [f"s{i}" for i in range(16)], 0
    for _ in range(400):
        values = generator.normal(size=(16, n_methods))
        values[:10] = values[0] + generator.normal(scale=0.05, size=(10, n_methods))
        table = pd.DataFrame(values, index=names)
        if n_methods == 2:
            ranks = pd.DataFrame(signed_ranks(values[:, 0] - values[:, 1]), index=names)
        else:
            ranks = rank_methods(table)
        rejected += permutation_test(one_row_per_domain(ranks, related)).p_value <= 0.05
    assert rejected / 400 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
