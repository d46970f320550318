"""The rows of tests.csv and average_ranks.csv: each comparison in every variant, with what follows it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.decisions import Comparison, Outcome, decide
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.files.csv_tables import BY_DOMAIN, EFFECT_SIZE, PERMUTATION
from mlsieve.stats import effects, friedman, posthoc, wilcoxon
from mlsieve.stats.ranks import paired_differences

COMPARISON_COLUMNS = ("question", "family", "variant", "evaluator", "measure", "comparison")
TEST_COLUMNS = (
    *COMPARISON_COLUMNS,
    "test",
    "methods",
    "n_datasets",
    "statistic",
    "p_value",
    "p_adjusted",
    "rejected",
    "f_f",
    "f_p",
    "rank_sum_better",
    "rank_sum_worse",
    "rank_sum_critical",
    "wins",
    "ties",
    "losses",
    "difference",
    "interval_low",
    "interval_high",
    "note",
    "f_critical",
    "p_kind",
    "p_least",
)
RANK_COLUMNS = (
    *COMPARISON_COLUMNS,
    "method",
    "rank",
    "critical_distance",
    "n_datasets",
    "test",
    "reference_method",
)


@dataclass
class Answer:
    """Rows for tests.csv and average_ranks.csv, findings and notes about them, and further tables.

    A question may put its answer into ``short``, in a few sentences. Otherwise
    `mlsieve.analysis.sentences.short_answers.short_answer` makes it from the tests.
    """

    tests: list[dict[str, Any]] = field(default_factory=list)
    ranks: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tables: list[CountedTable] = field(default_factory=list)
    short: list[str] = field(default_factory=list)
    corrected_over: list[str] = field(default_factory=list)  # "measure", "all"

    def extend(self, other: Answer) -> None:
        """Append the rows, notes, findings, tables and corrections of another answer, and its short one."""
        self.tests += other.tests
        self.ranks += other.ranks
        self.notes += other.notes
        self.findings += other.findings
        self.tables += other.tables
        self.short += other.short
        self.corrected_over += [name for name in other.corrected_over if name not in self.corrected_over]


def variants(datasets: Sequence[str], analysis: Analysis) -> list[str]:
    """Return the variants that differ from all datasets as they are."""
    names = ["all"]
    domains = [analysis.domains[name] for name in datasets if name in analysis.domains]
    if len(set(domains)) < len(domains):
        names.append(BY_DOMAIN)
    left = set(datasets) - set(analysis.differing)
    if left and len(left) < len(set(datasets)):
        names.append("without-differing")
    return names


def compare(
    comparisons: Sequence[Comparison],
    table: PerformanceTable,
    analysis: Analysis,
    *,
    question: str,
    family: str,
    correct_over: Literal["nothing", "measure", "all"] = "nothing",
) -> Answer:
    """Test comparisons in every variant of the datasets.

    Parameters
    ----------
    comparisons : sequence of Comparison
    table : PerformanceTable
    analysis : Analysis
    question, family : str
        Written into the rows.
    correct_over : {"nothing", "measure", "all"}
        Benjamini-Hochberg over no comparisons, all of a measure, or all (of one evaluator).
    """
    answer = Answer(corrected_over=[] if correct_over == "nothing" else [correct_over])
    datasets = {name for name in table.exact.index.get_level_values("dataset")}
    if comparisons and all(comparison.datasets is not None for comparison in comparisons):
        datasets &= {name for comparison in comparisons for name in comparison.datasets or ()}
    for variant in variants(sorted(datasets), analysis):
        outcomes = decide(comparisons, table, analysis, variant, correct_over)
        for outcome in outcomes:
            head = {
                "question": question,
                "family": family,
                "variant": variant,
                "evaluator": outcome.comparison.evaluator,
                "measure": outcome.comparison.measure,
                "comparison": outcome.comparison.name,
            }
            tests, average = _rows(outcome, analysis)
            answer.tests += [{**head, **row} for row in tests]
            answer.ranks += [{**head, **row} for row in average]
    return answer


def _rows(outcome: Outcome, analysis: Analysis) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    comparison, result = outcome.comparison, outcome.result
    main = _main_row(outcome, comparison.test)
    after: list[dict[str, Any]] = []
    distance = math.nan
    follow_up = ""
    if isinstance(result, wilcoxon.WilcoxonResult):
        main |= {"rank_sum_better": result.positive, "rank_sum_worse": result.negative}
        if result.n_datasets:
            critical = wilcoxon.critical_rank_sum(result.n_datasets, analysis.significance)
            main["rank_sum_critical"] = critical
    if isinstance(result, friedman.FriedmanResult):
        main |= {"f_f": result.f_statistic, "f_p": result.f_p_value}
        if not math.isnan(result.f_statistic):
            numbers = (len(comparison.methods), result.n_datasets, analysis.significance)
            main["f_critical"] = friedman.critical_f(*numbers)
        follow_up = "bonferroni-dunn" if comparison.reference else "nemenyi"
        if outcome.rejected:
            size = (len(comparison.methods), result.n_datasets, analysis.significance)
            if comparison.reference:
                distance = posthoc.bonferroni_dunn_distance(*size)
                after = _against_reference(outcome, analysis)
            else:
                distance = posthoc.nemenyi_distance(*size)
                after = _between_all(outcome, analysis)
        elif len(outcome.values):
            after = _effects_alone(outcome)
    else:
        main |= _effects(outcome, [(0, 1)])[0]
        follow_up = "wilcoxon"
    average = outcome.ranks.mean(axis=0) if len(outcome.ranks) else outcome.ranks.sum(axis=0) * math.nan
    rank_rows = [
        {
            "method": method,
            "rank": average[method],
            "critical_distance": distance,
            "n_datasets": result.n_datasets,
            "test": follow_up,
            "reference_method": comparison.reference or "",
        }
        for method in comparison.methods
    ]
    second = [] if outcome.permutation is None else [_main_row(outcome.permutation, PERMUTATION)]
    return [main, *second, *after], rank_rows


def _main_row(outcome: Outcome, test: str) -> dict[str, Any]:
    return {
        "test": test,
        "methods": ";".join(outcome.comparison.methods),
        "n_datasets": outcome.result.n_datasets,
        "statistic": outcome.result.statistic,
        "p_value": outcome.p_value,
        "p_adjusted": outcome.p_adjusted,
        "rejected": outcome.rejected,
        "note": outcome.result.note,
        "p_kind": outcome.p_kind,
        "p_least": outcome.p_least,
    }


def _between_all(outcome: Outcome, analysis: Analysis) -> list[dict[str, Any]]:
    methods = outcome.comparison.methods
    pairs = list(itertools.combinations(range(len(methods)), 2))
    p_values = posthoc.nemenyi_p_values(outcome.ranks).to_numpy()
    average = outcome.ranks.to_numpy().mean(axis=0).tolist()
    return [
        {
            "test": "nemenyi",
            "methods": f"{methods[i]};{methods[j]}",
            "n_datasets": outcome.result.n_datasets,
            "statistic": average[i] - average[j],
            "p_value": p_values[i, j],
            "p_adjusted": p_values[i, j],
            "rejected": bool(p_values[i, j] <= analysis.significance),
            "p_kind": "studentized-range",
            **effect,
        }
        for (i, j), effect in zip(pairs, _effects(outcome, pairs), strict=True)
    ]


def _against_reference(outcome: Outcome, analysis: Analysis) -> list[dict[str, Any]]:
    methods, reference = outcome.comparison.methods, outcome.comparison.reference
    assert reference is not None
    p_values = posthoc.bonferroni_dunn_p_values(outcome.ranks, reference)
    average = outcome.ranks.mean(axis=0)
    place = methods.index(reference)
    others = [position for position in range(len(methods)) if position != place]
    effects_of = _effects(outcome, [(position, place) for position in others])
    return [
        {
            "test": "bonferroni-dunn",
            "methods": f"{methods[position]};{reference}",
            "n_datasets": outcome.result.n_datasets,
            "statistic": average[methods[position]] - average[reference],
            "p_value": p_values.loc[methods[position], "p_value"],
            "p_adjusted": p_values.loc[methods[position], "p_adjusted"],
            "rejected": bool(p_values.loc[methods[position], "p_adjusted"] <= analysis.significance),
            "p_kind": "normal",
            **effect,
        }
        for position, effect in zip(others, effects_of, strict=True)
    ]


def _effects_alone(outcome: Outcome) -> list[dict[str, Any]]:
    """Return effect sizes of the pairs that a test would compare if Friedman's were significant."""
    methods, reference = outcome.comparison.methods, outcome.comparison.reference
    if reference is None:
        pairs = list(itertools.combinations(range(len(methods)), 2))
    else:
        place = methods.index(reference)
        pairs = [(position, place) for position in range(len(methods)) if position != place]
    average = outcome.ranks.to_numpy().mean(axis=0).tolist()
    return [
        {
            "test": EFFECT_SIZE,
            "methods": f"{methods[i]};{methods[j]}",
            "n_datasets": outcome.result.n_datasets,
            "statistic": average[i] - average[j],
            "rejected": False,
            "note": outcome.result.note or "no test: Friedman's is not significant",
            **effect,
        }
        for (i, j), effect in zip(pairs, _effects(outcome, pairs), strict=True)
    ]


def _effects(outcome: Outcome, pairs: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return effect sizes of each pair of columns, first against second."""
    first, second = np.array(pairs).T
    differences = paired_differences(outcome.values[:, first], outcome.values[:, second])
    counts = (differences > 0).sum(axis=0), (differences == 0).sum(axis=0), (differences < 0).sum(axis=0)
    estimate, low, high = effects.hodges_lehmann(differences)
    names = ("wins", "ties", "losses", "difference", "interval_low", "interval_high")
    columns = [column.tolist() for column in (*counts, estimate, low, high)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
