"""The selection paper's statistics.

Its printed average ranks and cells are not among our documents; only the F that they give are: 62.406, 63.719
and 54.370 by the printed ranks, 53.379, 61.886 and 52.142 by ranks recomputed from the printed cells. Each F
belongs to one sum of squared rank sums. Ranks of 25 sets sum to whole numbers, with ties to halves: so does
the sum that the formula inverted gives, to the printed digits, which says that the formula is the paper's.
Tables of ranks with exactly these sums are made here, and the public functions give the printed F back.
"""

import numpy as np
import pandas as pd
import pytest

from mlsieve.stats import (
    bonferroni_dunn_distance,
    critical_f,
    f_from_average_ranks,
    friedman_test,
    wilcoxon_test,
)

N, K = 25, 5
PRINTED = {62.406: 32639.0, 63.719: 32665.0, 54.370: 32461.0}
RECOMPUTED = {53.379: 32436.5, 61.886: 32628.5, 52.142: 32405.0}


def sum_of_squares(f):
    """Return the sum of squared rank sums that gives an F: Iman-Davenport and Friedman inverted."""
    chi2 = f * N * (K - 1) / (N - 1 + f)
    return (chi2 * K * (K + 1) / (12 * N) + K * (K + 1) ** 2 / 4) * N**2


def ranks_with(total, *, tied_rows):
    """Return 25 rows of ranks of 5 methods whose rank sums have this sum of squares."""
    generator = np.random.default_rng(0)
    ranks = np.array([generator.permutation(K) + 1.0 for _ in range(N)])
    ranks[:tied_rows] = np.tile([1.0, 2.5, 2.5, 4.0, 5.0], (tied_rows, 1))

    def distance():
        return abs((ranks.sum(axis=0) ** 2).sum() - total)

    for _ in range(200_000):
        before = distance()
        if before == 0:
            return ranks
        row, (a, b) = generator.integers(N), generator.choice(K, 2, replace=False)
        ranks[row, [a, b]] = ranks[row, [b, a]]
        if distance() > before and generator.random() > 0.002:
            ranks[row, [a, b]] = ranks[row, [b, a]]
    raise AssertionError("no such ranks were found")


def test_critical_values():
    assert round(critical_f(K, N), 3) == 2.466
    assert round(bonferroni_dunn_distance(K, N), 3) == 1.117
    assert bonferroni_dunn_distance(K, N) / np.sqrt(K * (K + 1) / (6 * N)) == pytest.approx(2.498, abs=5e-4)


@pytest.mark.parametrize(("f", "total"), [*PRINTED.items(), *RECOMPUTED.items()])
def test_each_printed_f_belongs_to_ranks_of_25_sets(f, total):
    """The printed digits leave less than 0.03 of room, and a whole or half number lies inside each time."""
    assert sum_of_squares(f - 5e-4) < total < sum_of_squares(f + 5e-4)
    assert sum_of_squares(f + 5e-4) - sum_of_squares(f - 5e-4) < 0.03


@pytest.mark.parametrize(("f", "total"), PRINTED.items())
def test_ranks_without_ties_give_the_printed_f(f, total):
    ranks = ranks_with(total, tied_rows=0)
    result = friedman_test(pd.DataFrame(ranks, columns=["scls", "ami", "mdmr", "mlcfs", "ppt-rf"]), "lower")
    assert round(result.f_statistic, 3) == f
    assert result.f_statistic > critical_f(K, N) and result.f_degrees == (4, 96)
    assert round(f_from_average_ranks(result.average_ranks, N), 3) == f


@pytest.mark.parametrize(("f", "total"), RECOMPUTED.items())
def test_ranks_with_ties_give_the_recomputed_f(f, total):
    """Without a correction for ties, which `friedman_test` has."""
    ranks = ranks_with(total, tied_rows=4)
    assert round(f_from_average_ranks(ranks.mean(axis=0), N), 3) == f
    corrected = friedman_test(pd.DataFrame(ranks), "lower").f_statistic
    assert corrected > f_from_average_ranks(ranks.mean(axis=0), N)


def test_wilcoxon_on_ten_sets():
    """R+ = 0 of 55: twice the one sign pattern of 2 ** 10."""
    result = wilcoxon_test(-np.arange(1.0, 11.0), "split")
    assert (result.positive, result.negative, result.n_datasets) == (0.0, 55.0, 10)
    assert f"{result.p_value:.2e}" == "1.95e-03" and result.p_value == 2 / 1024


def test_zeros_are_split_half_and_half():
    """Two zeros have the ranks 1.5 each: 3 in all, half of it on either side."""
    result = wilcoxon_test([0.0, 0.0, *np.arange(1.0, 9.0)], "split")
    assert (result.positive, result.negative) == (53.5, 1.5)
    assert result.p_value == 2 / 2**8
