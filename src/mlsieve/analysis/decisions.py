"""The test behind each comparison, decided after correction: Friedman's or Wilcoxon's, in one variant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.stats import domains, effects, friedman, multiple, ranks, wilcoxon
from mlsieve.stats._lazy import pd


@dataclass(frozen=True)
class Comparison:
    """Methods that one test compares.

    Attributes
    ----------
    evaluator, measure : str
    name : str
        What is compared, e.g. ``random-forest/genie3`` for its sizes or ``genie3`` for its ensembles.
    columns : tuple of (label, size)
    methods : tuple of str
        Name of each column in the tables.
    test : {"friedman", "wilcoxon"}
        Wilcoxon takes exactly two columns, first against second.
    reference : str or None
        The reference method, one of `methods`: the Bonferroni-Dunn test follows Friedman's, not Nemenyi's.
    datasets : tuple of str or None
        The datasets to compare on; None: all.
    """

    evaluator: str
    measure: str
    name: str
    columns: tuple[tuple[str, int], ...]
    methods: tuple[str, ...]
    test: Literal["friedman", "wilcoxon"] = "friedman"
    reference: str | None = None
    datasets: tuple[str, ...] | None = None


@dataclass
class Outcome:
    """One comparison tested: its result, the ranks, and the decision after correction."""

    comparison: Comparison
    result: friedman.FriedmanResult | wilcoxon.WilcoxonResult | domains.PermutationResult
    ranks: pd.DataFrame
    values: np.ndarray  # datasets (or domains) by methods, higher is better
    p_value: float
    p_kind: str
    p_least: float  # no ranks of so many datasets give a smaller p-value
    p_adjusted: float = math.nan
    rejected: bool = False
    permutation: Outcome | None = None  # the second test of domains, with the same ranks


def decide(
    comparisons: Sequence[Comparison],
    table: PerformanceTable,
    analysis: Analysis,
    variant: str = "all",
    correct_over: Literal["nothing", "measure", "all"] = "nothing",
) -> list[Outcome]:
    """Run the main test of each comparison and decide it after correction.

    Where domains count once, a permutation test of their mean ranks is decided in the same way.
    """
    outcomes = [_test(comparison, table, analysis, variant) for comparison in comparisons]
    _correct(outcomes, correct_over, analysis.significance)
    second = [outcome.permutation for outcome in outcomes if outcome.permutation is not None]
    _correct(second, correct_over, analysis.significance)
    return outcomes


def _correct(
    outcomes: Sequence[Outcome], correct_over: Literal["nothing", "measure", "all"], significance: float
) -> None:
    """Adjust the p-values of outcomes by Benjamini-Hochberg, and decide them."""
    groups: dict[Any, list[Outcome]] = {}
    for position, outcome in enumerate(outcomes):
        key: Any = position
        if correct_over != "nothing":
            measure = outcome.comparison.measure if correct_over == "measure" else ""
            key = (outcome.comparison.evaluator, measure)
        groups.setdefault(key, []).append(outcome)
    for group in groups.values():
        adjusted = multiple.benjamini_hochberg([outcome.p_value for outcome in group])
        for outcome, p_adjusted in zip(group, adjusted.tolist(), strict=True):
            outcome.p_adjusted = p_adjusted
            outcome.rejected = p_adjusted <= significance


def _test(comparison: Comparison, table: PerformanceTable, analysis: Analysis, variant: str) -> Outcome:
    direction: ranks.Direction = "lower" if table.directions[comparison.measure] == "lower" else "higher"
    values = table.values(comparison.evaluator, comparison.measure, comparison.columns)
    values.columns = pd.Index(comparison.methods)
    if comparison.datasets is not None:
        values = values[values.index.isin(comparison.datasets)]
    if variant == "without-differing":
        values = values[~values.index.isin(analysis.differing)]
    values = ranks.complete_rows(values)
    method_ranks = ranks.rank_methods(values, direction)
    oriented = values if direction == "higher" else -values
    collapse = variant == BY_DOMAIN and len(values) > 0
    if collapse:
        # One value for each domain: the mean of its ranks, and of its values for the effect sizes.
        method_ranks = ranks.one_row_per_domain(method_ranks, analysis.domains)
        oriented = ranks.one_row_per_domain(oriented, analysis.domains)
    cells = oriented.to_numpy()
    if comparison.test == "wilcoxon":
        paired = effects.oriented_differences(values.iloc[:, 0], values.iloc[:, 1], direction)
        means = pd.DataFrame({0: paired}, index=values.index)
        if collapse:
            # Wilcoxon's test uses the ranks of the differences, with their signs.
            signed = pd.DataFrame({0: wilcoxon.signed_ranks(paired, None)}, index=values.index)
            means = ranks.one_row_per_domain(signed, analysis.domains)
        result = wilcoxon.wilcoxon_test(means[0], analysis.zeros, wilcoxon.DECIMALS if collapse else None)
        least = wilcoxon.least_p_value(result.n_datasets)
        outcome = Outcome(comparison, result, method_ranks, cells, result.p_value, result.kind, least)
    else:
        means = method_ranks
        tested = friedman.friedman_test(means, "lower")
        p_value, kind, least = _friedman_p_value(tested, analysis)
        outcome = Outcome(comparison, tested, tested.ranks, cells, p_value, kind, least)
    if collapse:
        outcome.permutation = _permutation(outcome, means)
    return outcome


def _friedman_p_value(tested: friedman.FriedmanResult, analysis: Analysis) -> tuple[float, str, float]:
    """Return the p-value of Friedman's test that the analysis asks for, its kind, and the least possible."""
    n_datasets, n_methods = tested.n_datasets, len(tested.average_ranks)
    if math.isnan(tested.p_value):
        return math.nan, "", math.nan
    if analysis.friedman == "permutation":
        permuted = domains.permutation_test(tested.ranks)
        return permuted.p_value, permuted.kind, domains.least_p_value(n_datasets, n_methods)
    if analysis.friedman == "f":
        return tested.f_p_value, "f", 0.0
    return tested.p_value, "chi-square", friedman.least_p_value(n_datasets, n_methods)


def _permutation(outcome: Outcome, means: pd.DataFrame) -> Outcome:
    """Return the permutation test of domains from their mean ranks, which are not ranked again."""
    tested = domains.permutation_test(means)
    least = domains.least_p_value(tested.n_datasets, len(means.columns)) if tested.kind else math.nan
    return Outcome(
        outcome.comparison, tested, outcome.ranks, outcome.values, tested.p_value, tested.kind, least
    )
