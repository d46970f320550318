"""The Bayesian signed-rank test, beside its formulas in plain loops and what baycomp gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mlsieve.stats import bayesian_signed_rank_test
from mlsieve.stats.bayes import _shares, posterior_sample

FIRST = np.array([0.086, 0.237, 0.801, 0.582, 0.094, 0.433, 0.479, 0.16, 0.735, 0.114])
SECOND = np.array([0.097, 0.236, 0.801, 0.575, 0.079, 0.431, 0.495, 0.161, 0.76, 0.116])

# baycomp 1.0.3: SignedRankTest(FIRST, SECOND, rope, nsamples=20000, random_state=5).probs(), left to right.
BAYCOMP = {0.0: (0.2654, 0.0, 0.7346), 0.01: (0.0, 0.97125, 0.02875), 0.03: (0.0, 1.0, 0.0)}


def baycomps_weights() -> np.ndarray:
    return np.random.RandomState(5).dirichlet([0.5] + [1.0] * len(FIRST), 20_000)


@pytest.mark.parametrize("rope", BAYCOMP)
def test_the_draws_of_baycomp_give_its_probabilities(rope):
    found = _shares(posterior_sample(SECOND - FIRST, rope, baycomps_weights()), len(FIRST))
    assert (found.worse, found.rope, found.better) == pytest.approx(BAYCOMP[rope], abs=1e-12)


@pytest.mark.parametrize("rope", BAYCOMP)
def test_other_draws_give_nearly_the_same(rope):
    found = bayesian_signed_rank_test(SECOND - FIRST, rope)
    # Four standard errors of a share of 20,000 and one of 50,000 draws.
    assert (found.worse, found.rope, found.better) == pytest.approx(BAYCOMP[rope], abs=4 * 0.0042)


def test_the_sums_are_those_of_the_formulas():
    generator = np.random.default_rng(0)
    differences, rope = np.round(generator.normal(0.01, 0.02, 6), 2), 0.01
    weights = generator.dirichlet([0.5] + [1.0] * 6, 50)
    values = [0.0, *differences]
    for draw, row in zip(weights, posterior_sample(differences, rope, weights), strict=True):
        sums = [0.0, 0.0, 0.0]
        for i, one in enumerate(values):
            for j, other in enumerate(values):
                mean = round((one + other) / 2, 9)
                shares = (
                    (mean < -rope) + 0.5 * (mean == -rope),
                    (-rope < mean < rope) + 0.5 * (abs(mean) == rope),
                    (mean > rope) + 0.5 * (mean == rope),
                )
                sums = [total + draw[i] * draw[j] * share for total, share in zip(sums, shares, strict=True)]
        assert row == pytest.approx(sums, abs=1e-12) and sum(row) == pytest.approx(1)


def test_turned_differences_turn_the_answer():
    one, other = (bayesian_signed_rank_test(sign * (SECOND - FIRST), 0.002) for sign in (1, -1))
    assert (one.better, one.rope, one.worse) == (other.worse, other.rope, other.better)


def test_the_same_seed_gives_the_same_and_another_nearly():
    differences = SECOND - FIRST
    assert bayesian_signed_rank_test(differences) == bayesian_signed_rank_test(differences)
    other = bayesian_signed_rank_test(differences, seed=1)
    assert other.better == pytest.approx(bayesian_signed_rank_test(differences).better, abs=0.02)


def test_edges():
    assert bayesian_signed_rank_test([0.0] * 5).better == 0.5
    assert bayesian_signed_rank_test([0.0] * 5, 0.01).rope == 1.0
    assert math.isnan(bayesian_signed_rank_test([math.nan]).better)
    assert bayesian_signed_rank_test([0.1, math.nan, 0.2]).n_datasets == 2
    assert bayesian_signed_rank_test(np.full(20, 0.3), 0.01).better == pytest.approx(1, abs=1e-3)
    for wrong in ({"rope": -0.1}, {"rope": math.inf}, {"prior": 0}, {"draws": 0}):
        with pytest.raises(ValueError):
            bayesian_signed_rank_test([0.1, 0.2], **wrong)
