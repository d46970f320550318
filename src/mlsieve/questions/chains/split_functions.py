"""Which split function of boosted trees with label vectors is best?"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from mlsieve.analysis.chains.pairs import PairCounts, pair_counts
from mlsieve.analysis.chains.remarks import cut_methods, label_counts
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import friedman_findings
from mlsieve.analysis.settings import Analysis, Single
from mlsieve.analysis.tests import Answer, compare
from mlsieve.errors import number_of
from mlsieve.registry import register
from mlsieve.schemas import or_null

QUESTION = "split-functions"
ALL = "both versions"
_SPLITS = ("max-gain", "sum-gain", "max-signed", "sum-signed", "max-abs", "sum-abs")


def _methods(version: str) -> list[str]:
    return [f"{split}-{version}" for split in _SPLITS]


@dataclass(frozen=True)
class SplitFunctionKeys:
    """Keys of ``analysis`` for this question."""

    split_functions: Annotated[
        Mapping[str, tuple[Single, ...]],
        or_null,
        "the methods that differ in their split function alone, by the version of the chain; the "
        "versions list them in the same order",
    ] = field(default_factory=lambda: {name: tuple(_methods(name)) for name in ("standard", "cumulated")})
    split_counterparts: Annotated[
        Mapping[Single, Single],
        or_null,
        "the method whose split function sums over the labels what that of the other takes the maximum of",
    ] = field(
        default_factory=lambda: {
            f"max-{kind}-{version}": f"sum-{kind}-{version}"
            for version in ("standard", "cumulated")
            for kind in ("gain", "signed", "abs")
        }
    )


def section(study: SectionTables) -> Section:
    """The question's tables, and where the compared chains end early."""
    tables, runs = list(study.own.values()), study.read("chain_runs.csv")
    if runs is None:
        return Section(tables=tables)
    methods = itertools.chain(*study.analysis.of(SplitFunctionKeys).split_functions.values())
    notes = cut_methods(runs, methods, label_counts(study.read("datasets.csv")))
    return Section(tables=tables, notes=notes)


@register.question(
    QUESTION,
    version=3,
    order=17,
    title="Which split function is best?",
    short="Split functions",
    settings=SplitFunctionKeys,
    tables={"sections": ("chain_runs", "datasets")},
    section=section,
)
def split_functions(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's and Nemenyi's tests of split functions (Table 4 of the dynamic-chains paper).

    Those of each version of the chain are compared, and all of them together. In a study that tunes them by
    each measure, the value of a measure is that of the model tuned by it.
    """
    answer = Answer()
    present, wanted = set(table.labels["label"]), analysis.of(SplitFunctionKeys)
    groups = {
        version: [name for name in methods if name in present]
        for version, methods in wanted.split_functions.items()
    }
    groups = {version: methods for version, methods in groups.items() if len(methods) > 1}
    if not groups:
        answer.notes.append("The study has no two methods that differ in their split function alone.")
        return answer
    if len(groups) > 1:
        groups[ALL] = [name for methods in groups.values() for name in methods]
    part = compare(choices.comparisons(groups), table, analysis, question=QUESTION, family="paper")
    answer.extend(part)
    answer.findings += friedman_findings(part, "paper", "split functions", analysis)
    counts = [
        pair_counts(table, choices, first, second, measure)
        for first, second in wanted.split_counterparts.items()
        if {first, second} <= present
        for measure in table.measures
    ]
    answer.findings += counterpart_findings(counts)
    if counts:
        answer.tables.append(counterpart_table(counts))
    return answer


def counterpart_findings(counts: Sequence[PairCounts]) -> list[Finding]:
    """Return how often the maximum over the labels is better than their sum.

    Parameters
    ----------
    counts : sequence of PairCounts
        Each maximum against its sum, by measure.
    """
    found = []
    for measure in dict.fromkeys(one.measure for one in counts):
        own = [one for one in counts if one.measure == measure]
        more = sum(one.better > one.worse for one in own)
        text = (
            f"By {measure}, the maximum over the labels is better than the sum on more datasets than "
            f"worse for {more} of {number_of(len(own), 'pair')} of split functions."
        )
        found.append(Finding(text, measure=measure))
    return found


def counterpart_table(counts: Sequence[PairCounts]) -> CountedTable:
    """Return on how many datasets each maximum is better than its sum, the same, or worse."""
    rows = tuple(
        (one.first, one.second, one.measure, one.datasets, one.better, one.same, one.worse) for one in counts
    )
    return CountedTable(
        "counterparts",
        "Maximum and sum over the labels",
        "The table counts the datasets on which the split function with a maximum is better than the one "
        "with the sum, the same, or worse, after values are rounded. It does not test these counts.",
        ("maximum", "sum", "measure", "datasets", "better", "the same", "worse"),
        rows,
    )
