"""The tests of a table of results: those of a study, and the Bayesian signed-rank test of every pair."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlsieve.analysis import tests as study_tests
from mlsieve.analysis.decisions import Comparison
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.differences import Difference
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import RANK_COLUMNS, TEST_COLUMNS
from mlsieve.comparison.directions import directions_of
from mlsieve.comparison.one_dataset import repeats_compared
from mlsieve.comparison.options import Options
from mlsieve.comparison.table.layout import Results, complete_counts
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.paper.verdicts import RESAMPLED
from mlsieve.stats import bayes, effects, ranks
from mlsieve.stats._lazy import pd
from mlsieve.stats.multiple import benjamini_hochberg
from mlsieve.stats.wilcoxon import signed_ranks, wilcoxon_test

QUESTION, FAMILY, COMPARISON = "comparison", "extended", "methods"
_KEYS = ("question", "family", "variant", "evaluator", "measure", "comparison")
EFFECT_COLUMNS = (
    *_KEYS,
    *("first", "second", "n_datasets", "wins", "ties", "losses"),
    *("mean_difference", "difference", "interval_low", "interval_high", "rank_biserial"),
    *("wilcoxon_p", "wilcoxon_p_adjusted"),
)
BAYES_COLUMNS = (*_KEYS, "first", "second", "n_datasets", "rope", "p_better", "p_rope", "p_worse")
MEAN_COLUMNS = ("measure", "method", "mean", "best", "n_datasets")


@dataclass(frozen=True)
class Tables:
    """What a comparison computes.

    Attributes
    ----------
    tests, average_ranks : DataFrame
        As those of a study: columns `TEST_COLUMNS` and `RANK_COLUMNS`.
    effects : DataFrame
        Columns `EFFECT_COLUMNS`: effect sizes of each pair of methods, which favour the first where positive,
        and Wilcoxon's test of it, also adjusted over the pairs by Benjamini and Hochberg.
    means : DataFrame
        Columns `MEAN_COLUMNS`: the mean of each method, and on how many datasets it is best, ties included.
    directions : dict of str to {"higher", "lower"}
        By measure.
    left_out : dict of str to list of str
        By measure: datasets that lack a value of a method.
    notes : list of str
    values : list of (dict, DataFrame)
        Keys of the tables, and datasets (or families) by methods, higher is better: what the Bayesian tests
        compare.
    options : Options
    """

    tests: pd.DataFrame
    average_ranks: pd.DataFrame
    effects: pd.DataFrame
    means: pd.DataFrame
    directions: dict[str, str]
    left_out: dict[str, list[str]]
    notes: list[str]
    values: list[tuple[dict[str, str], pd.DataFrame]]
    options: Options

    @functools.cached_property
    def differences(self) -> dict[tuple[str, str, str], Difference]:
        """How much better the first of two methods is, by (measure, first, second)."""
        frame = self.tests[self.tests["test"] == RESAMPLED]
        if len(frame):
            names = frame["methods"].str.split(";")
            frame = frame.assign(first=names.str[0], second=names.str[1])
        else:
            frame = self.effects[self.effects["variant"] == "all"]
        found = {}
        for row in frame[frame["difference"].notna()].to_dict("records"):
            own = Difference(
                float(row["difference"]),
                float(row["interval_low"]),
                float(row["interval_high"]),
                int(row["wins"]),
                int(row["ties"]),
                int(row["losses"]),
            )
            found[row["measure"], row["first"], row["second"]] = own
            found[row["measure"], row["second"], row["first"]] = own.turned()
        return found

    @functools.cached_property
    def bayes(self) -> pd.DataFrame:
        """Columns `BAYES_COLUMNS`: posterior probabilities of each pair, computed when they are asked for."""
        rows = [
            head | self.posterior(values, first, second)
            for head, values in self.values
            for first, second in _pairs(list(values.columns), self.options.reference)
        ]
        return pd.DataFrame(rows, columns=list(BAYES_COLUMNS))

    def posterior_of(self, measure: str, first: str, second: str) -> dict[str, Any] | None:
        """Return what `bayes` says of two methods over all datasets, the first one first; None without it."""
        for head, values in self.values:
            if head["measure"] == measure and head["variant"] == "all":
                methods = list(values.columns)
                one, other = sorted(methods.index(name) for name in (first, second))
                for pair in _pairs(methods, self.options.reference):
                    if {one, other} == set(pair):
                        row = self.posterior(values, *pair)
                        swapped = {"p_better": row["p_worse"], "p_worse": row["p_better"]}
                        return row if row["first"] == first else row | swapped
        return None

    def posterior(self, values: pd.DataFrame, first: int, second: int) -> dict[str, Any]:
        """Return the columns of `bayes` about two columns of values."""
        options, numbers = self.options, values.to_numpy()
        found = bayes.bayesian_signed_rank_test(
            ranks.paired_differences(numbers[:, first], numbers[:, second]),
            options.rope,
            prior=options.prior,
            draws=options.draws,
            seed=options.seed,
            decimals=None,
        )
        return {
            "first": values.columns[first],
            "second": values.columns[second],
            "n_datasets": found.n_datasets,
            "rope": options.rope,
            "p_better": found.better,
            "p_rope": found.rope,
            "p_worse": found.worse,
        }


def tables_of(results: Results, options: Options) -> Tables:
    """Compare the methods of a table of results by each of its measures.

    Parameters
    ----------
    results : Results
        That `mlsieve.comparison.enough.require_comparable` accepts; those of a single dataset in whole
        repeats.
    options : Options
    """
    directions, notes = directions_of(results.measures, options, results.path)
    notes += _without_effect(results, options)
    analysis = options.analysis(directions, results.families)
    frame = results.frame.rename(columns={"repeat": "split"})
    table = PerformanceTable(frame.assign(repeat=0), analysis)
    methods = _in_order(results.methods, options.reference)
    comparisons = [_comparison(measure, methods, options.reference) for measure in results.measures]
    left_out = {measure: complete_counts(results, measure)[1] for measure in results.measures}
    if len(results.datasets) == 1:
        answer = repeats_compared(results, options, directions, methods)
        notes += answer.notes
    else:
        answer = study_tests.compare(comparisons, table, analysis, question=QUESTION, family=FAMILY)
    effect_rows: list[dict[str, Any]] = []
    compared: list[tuple[dict[str, str], pd.DataFrame]] = []
    mean_rows: list[dict[str, Any]] = []
    for comparison in comparisons:
        for variant, values in _values(comparison, table, analysis):
            head = dict(
                zip(_KEYS, (QUESTION, FAMILY, variant, "", comparison.measure, COMPARISON), strict=True)
            )
            pairs = _pairs(methods, options.reference)
            if len(results.datasets) == 1:
                continue  # the tests have the differences over the repeats
            effect_rows += [head | row for row in _effects(values, pairs, options)]
            if len(values) > 1:
                compared.append((head, values))
        mean_rows += _means(comparison, table, directions[comparison.measure])
    average_ranks = pd.DataFrame(answer.ranks, columns=list(RANK_COLUMNS))
    if options.reference is not None:
        average_ranks["reference_method"] = options.reference  # also of two methods
    return Tables(
        pd.DataFrame(answer.tests, columns=list(TEST_COLUMNS)),
        average_ranks,
        pd.DataFrame(effect_rows, columns=list(EFFECT_COLUMNS)),
        pd.DataFrame(mean_rows, columns=list(MEAN_COLUMNS)),
        directions,
        left_out,
        notes,
        compared,
        options,
    )


def _without_effect(results: Results, options: Options) -> list[str]:
    """Return which options say something of tests that are not made, as clauses."""
    alone = len(results.datasets) == 1
    if alone and options.rope:
        return ["--rope has no effect, because a single dataset has no Bayesian signed-rank tests"]
    if not alone and options.test_per_train is not None:
        return ["--test-per-train has no effect, because it is about the repeats of a single dataset"]
    return []


def _in_order(methods: Sequence[str], reference: str | None) -> tuple[str, ...]:
    """Return the methods; of two, the reference comes first, as in a study."""
    if reference is not None and len(methods) == 2:
        return (reference, next(name for name in methods if name != reference))
    return tuple(methods)


def _comparison(measure: str, methods: tuple[str, ...], reference: str | None) -> Comparison:
    two = len(methods) == 2
    columns = tuple((name, 0) for name in methods)
    test: Any = "wilcoxon" if two else "friedman"
    return Comparison("", measure, COMPARISON, columns, methods, test, None if two else reference)


def _pairs(methods: Sequence[str], reference: str | None) -> list[tuple[int, int]]:
    if reference is None or len(methods) == 2:
        return list(itertools.combinations(range(len(methods)), 2))
    place = list(methods).index(reference)
    return [(other, place) for other in range(len(methods)) if other != place]


def _values(
    comparison: Comparison, table: PerformanceTable, analysis: Analysis
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the values that each variant compares, turned so that higher is better."""
    values = table.values("", comparison.measure, comparison.columns)
    values.columns = pd.Index(comparison.methods)
    values = ranks.complete_rows(values)
    oriented = values if table.directions[comparison.measure] == "higher" else -values
    yield "all", oriented
    if BY_DOMAIN in study_tests.variants(list(map(str, values.index)), analysis):
        yield BY_DOMAIN, ranks.one_row_per_domain(oriented, analysis.domains)


def _effects(
    values: pd.DataFrame, pairs: Sequence[tuple[int, int]], options: Options
) -> list[dict[str, Any]]:
    names, numbers = list(values.columns), values.to_numpy()
    rows = []
    for first, second in pairs:
        differences = ranks.paired_differences(numbers[:, first], numbers[:, second])
        wins, ties, losses = effects.win_tie_loss(differences)
        estimate, low, high = effects.hodges_lehmann(differences)
        rows.append(
            {
                "first": names[first],
                "second": names[second],
                "n_datasets": len(differences),
                "wins": wins,
                "ties": ties,
                "losses": losses,
                "mean_difference": float(differences.mean()) if len(differences) else math.nan,
                "difference": float(estimate),
                "interval_low": float(low),
                "interval_high": float(high),
                "rank_biserial": rank_biserial(differences),
                "wilcoxon_p": wilcoxon_test(differences, options.zeros, None).p_value,
            }
        )
    adjusted = benjamini_hochberg([row["wilcoxon_p"] for row in rows])
    return [row | {"wilcoxon_p_adjusted": float(value)} for row, value in zip(rows, adjusted, strict=True)]


def rank_biserial(differences: np.ndarray) -> float:
    """Return the matched-pairs rank-biserial correlation.

    It is the difference of the rank sums of positive and negative differences, divided by their sum.

    Parameters
    ----------
    differences : ndarray of float, shape (N,)

    Returns
    -------
    float
        In [-1, 1]; 1 where all differences other than zero are positive, 0 without such differences.

    References
    ----------
    Kerby (2014), Comprehensive Psychology 3.
    """
    signed = signed_ranks(differences, None)
    total = float(np.abs(signed).sum())
    return float(signed.sum()) / total if total else 0.0


def _means(comparison: Comparison, table: PerformanceTable, direction: str) -> Iterator[dict[str, Any]]:
    """Yield the mean of each method over the compared datasets, before rounding, and where it is best."""
    exact = table.values("", comparison.measure, comparison.columns, rounded=False)
    rounded = table.values("", comparison.measure, comparison.columns).to_numpy()
    whole = ~np.isnan(rounded).any(axis=1)
    rounded = rounded[whole] if direction == "higher" else -rounded[whole]
    best = rounded == rounded.max(axis=1, keepdims=True) if len(rounded) else rounded
    for place, name in enumerate(comparison.methods):
        column = exact.to_numpy()[whole, place]
        yield {
            "measure": comparison.measure,
            "method": name,
            "mean": float(column.mean()) if len(column) else math.nan,
            "best": int(best[:, place].sum()) if len(column) else 0,
            "n_datasets": len(column),
        }
