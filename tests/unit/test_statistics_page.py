"""docs/statistics.md: the simulated table, its numbers, and the test that was chosen by them."""

import importlib.util
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlsieve.stats import critical_rank_sum, hodges_lehmann
from mlsieve.stats.domains import least_p_value as permutation_least
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL
from mlsieve.stats.friedman import least_p_value as friedman_least
from mlsieve.stats.wilcoxon import least_p_value as wilcoxon_least

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "statistics.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def power():
    spec = importlib.util.spec_from_file_location("statistics_power", DOCS / "statistics_power.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def cells(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().split("\n")]


def test_the_page_holds_a_table_of_the_script(power):
    shown = cells(power.TABLE.search(PAGE)[0])
    made = cells(power.table(1))
    assert shown[:2] == made[:2] and [row[:3] for row in shown] == [row[:3] for row in made]


def test_the_permutation_test_keeps_its_level_and_the_mixed_model_does_not(power):
    head, _, *rows = cells(power.TABLE.search(PAGE)[0])
    levels = pd.DataFrame(rows, columns=head)[list(power.TESTS)]
    levels = levels.map(lambda cell: float(cell.split("/")[0]))
    beyond = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
    assert (levels["permutation of mean ranks"] <= beyond).all()
    for name in ("mixed model, F", "mixed model, Wald", "each dataset by itself"):
        assert levels[name].max() > beyond


def test_the_mixed_model_is_that_of_statsmodels(power):
    import statsmodels.formula.api as formulas

    for seed in range(4):
        generator = np.random.default_rng(seed)
        domain = np.repeat(np.arange(6), [4, 3, 3, 2, 5, 4])
        values = 0.7 + generator.normal(size=21) + generator.normal(size=6)[domain]
        table = pd.DataFrame({"value": values, "domain": domain})
        fitted = formulas.mixedlm("value ~ 1", table, groups="domain").fit(reml=True)
        _, wald = power.mixed_model(values[:, None], domain)
        assert wald == pytest.approx(fitted.pvalues["Intercept"], rel=0.08)


def test_the_table_of_the_least_p_values():
    text = PAGE[PAGE.index("| domains | Wilcoxon") :]
    for domains, two, friedman, permuted in cells(re.search(r"(^\| \d.*\n)+", text, re.MULTILINE)[0]):
        n = int(domains)
        assert float(two) == pytest.approx(wilcoxon_least(n), rel=5e-3) == permutation_least(n, 2)
        assert float(friedman) == pytest.approx(friedman_least(n, 3), rel=5e-3)
        assert float(permuted) == pytest.approx(permutation_least(n, 3), rel=5e-3)


def test_the_coverage_of_the_intervals():
    """Exact over all signs: the share of them by which the interval of such differences holds 0."""
    text = PAGE[PAGE.index("| datasets | 3 |") :]
    (_, *counts), _, (_, *coverage) = cells("\n".join(text.split("\n")[:3]))
    for n, stated in zip(map(int, counts), map(float, coverage), strict=True):
        ways = np.ones(1)  # to each rank sum
        for rank in range(1, n + 1):
            ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
        critical = critical_rank_sum(n)
        exact = 1 - 2 * ways[: 1 if math.isnan(critical) else int(critical) + 1].sum() / 2**n
        assert f"{100 * exact:.3g}" == f"{stated:g}", n
        assert n < FEWEST_FOR_INTERVAL or exact >= 0.95
        if n <= 10:
            signs = np.array(list(itertools.product([-1, 1], repeat=n))).T
            _, low, high = hodges_lehmann(signs * np.arange(1.0, n + 1)[:, None])
            assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(exact)
