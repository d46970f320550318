"""How long must a dynamic chain be?"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from mlsieve.analysis.chains.lengths import (
    CLOSE,
    QUALITY,
    TIMES,
    TRAINING,
    Convergence,
    FirstRound,
    LengthCost,
    bands_of,
    cardinalities,
    convergences,
    first_rounds,
    length_frame,
    lengths_beside,
    lower_is_better,
    means_of,
    near_the_end,
    rounded_up,
)
from mlsieve.analysis.chains.remarks import cut_methods, label_counts, own_boosters
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, VALUE_DIGITS, CountedTable, as_shown
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import listed, number
from mlsieve.analysis.settings import Analysis, Single
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.registry import register
from mlsieve.schemas import or_null
from mlsieve.stats._lazy import pd

QUESTION = "chain-length"
# What the questions about lengths of chains read, and say without it.
TABLES = {
    "sections": ("chain_curves", "chain_runs", "datasets"),
    "figures": ("chain_curves", "chain_runs", "datasets"),
}
NOT_THERE = "chain_curves.csv or chain_runs.csv is missing, so this section is empty."


@dataclass(frozen=True)
class ChainLengthKeys:
    """Keys of ``analysis`` for this question."""

    chain_curves: Annotated[tuple[Single, ...], "the methods whose chains are cut after each length"] = (
        "xdcc-program-standard-fixed",
        "xdcc-program-cumulated-fixed",
        "xdcc-paper-cumulated-fixed",
        "xdcc-fixed",
    )
    chain_levels: Annotated[
        Mapping[str, tuple[Single, ...]],
        or_null,
        "the static chains with which these are compared, in groups by what a chain passes on; each group "
        "has a figure",
    ] = field(
        default_factory=lambda: {
            "true labels": ("cc-true-frequent", "cc-true-rare", "cc-true-xdcc", "cc-true-orders"),
            "probabilities": (
                *("cc-probabilities-frequent", "cc-probabilities-rare", "cc-probabilities-xdcc"),
                "cc-probabilities-orders",
            ),
            "probabilities, as in the program": ("cc-program-orders",),
        }
    )
    first_round: Annotated[
        Mapping[Single, Single],
        or_null,
        "the method that equals the first round of each chain if both have the same parameters",
    ] = field(default_factory=lambda: {"xdcc-fixed": "ml-xgb-fixed"})
    cost_references: Annotated[
        Mapping[Single, tuple[Single, ...]],
        or_null,
        "the static chains over whose times and F1 those of each dynamic chain are divided",
    ] = field(
        default_factory=lambda: {
            **dict.fromkeys(("xdcc-program-cumulated", "xdcc"), ("cc-true", "cc-probabilities")),
            **dict.fromkeys(
                ("xdcc-program-standard-fixed", "xdcc-program-cumulated-fixed", "xdcc-fixed"),
                ("cc-true-fixed", "cc-probabilities-fixed"),
            ),
        }
    )

    @property
    def levels(self) -> tuple[str, ...]:
        """The static chains of all groups."""
        return tuple(itertools.chain(*self.chain_levels.values()))


def lengths_read(study: SectionTables) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, float]] | None:
    """Return values by length, chain_runs.csv and label cardinalities; None if a table is missing."""
    curves, runs = study.read("chain_curves.csv"), study.read("chain_runs.csv")
    if curves is None or runs is None:
        return None
    return length_frame(curves, runs), runs, cardinalities(study.read("datasets.csv"))


def section(study: SectionTables) -> Section:
    """When each chain converges, and what it then costs."""
    read = lengths_read(study)
    if read is None:
        return Section(notes=[NOT_THERE])
    frame, runs, labels = read
    settings = study.analysis.of(ChainLengthKeys)
    present = [name for name in settings.chain_curves if name in set(frame["method"])]
    findings, tables = [], []
    for method in present:
        found = convergences(frame, method)
        if not found:
            continue
        findings += convergence_findings(method, found, labels)
        findings += near_findings(method, near_the_end(frame, method, labels))
        tables.append(convergence_table(method, found, labels))
        for other in settings.cost_references.get(method, ()):
            costs = lengths_beside(frame, method, other)
            findings += cost_findings(method, other, costs)
            tables += [cost_table(method, other, costs)] if costs else []
    findings += order_findings(frame, present, settings.levels)
    for method, other in settings.first_round.items():
        findings += first_round_findings(first_rounds(frame, runs, method, other), method, other)
    notes = [] if tables else ["No method of `chain_curves` has values at several lengths."]
    if tables:
        references = itertools.chain(*(settings.cost_references.get(name, ()) for name in present))
        notes = own_boosters(runs, [*references, *settings.levels])
        notes += cut_methods(runs, present, label_counts(study.read("datasets.csv")))
    return Section(findings=findings, tables=tables, notes=notes)


@register.question(
    QUESTION,
    version=3,
    order=15,
    title="How long must a dynamic chain be?",
    short="Chain length",
    settings=ChainLengthKeys,
    tables=TABLES,
    section=section,
)
def chain_length(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Measures and times by the length of the chain, without a test (Fig. 7 of the dynamic-chains paper)."""
    return Answer()


def convergence_findings(
    method: str, found: Sequence[Convergence], labels: Mapping[str, float]
) -> list[Finding]:
    """Return at which lengths a chain converges, against the label cardinality.

    Parameters
    ----------
    method : str
    found : sequence of Convergence
    labels : mapping of str to float
        Average number of labels by dataset.
    """
    findings = []
    counted = [one for one in found if one.dataset in labels]
    if counted:
        near = sum(one.length <= rounded_up(labels[one.dataset]) for one in counted)
        share = sum(2 * one.length <= one.full for one in counted)
        text = (
            f"F1 of {method} converges (to within {number(CLOSE)} of the longest chain) at a length of at "
            f"most the label cardinality, rounded up, on {near} of {number_of(len(counted), 'dataset')}, "
            f"and of at most half the greatest length on {share}."
        )
        findings.append(Finding(text, measure=QUALITY, methods=(method,)))
    higher = sum(as_shown(one.last) > as_shown(one.first) for one in found)
    text = (
        f"The longest chain of {method} has a higher F1 than its first round on {higher} of "
        f"{number_of(len(found), 'dataset')}."
    )
    return [*findings, Finding(text, measure=QUALITY, methods=(method,))]


def cost_findings(method: str, other: str, costs: Sequence[LengthCost]) -> list[Finding]:
    """Return on how many datasets a chain trains in less time than another method, at three lengths."""
    if not costs:
        return []
    first, then, whole = (
        sum(condition)
        for condition in zip(
            *((one.cheaper > 0, as_shown(one.cost) < 1, as_shown(one.full_cost) < 1) for one in costs),
            strict=True,
        )
    )
    text = (
        f"{method} trains in less time than {other} at length 1 on {first} of "
        f"{number_of(len(costs), 'dataset')}, at the length at which F1 converges on {then}, "
        f"and at the greatest length on {whole}."
    )
    return [Finding(text, measure=TRAINING, methods=(method, other))]


def near_findings(method: str, near: Mapping[str, bool]) -> list[Finding]:
    """Return on how many datasets a chain as long as the label cardinality is as good as the longest one."""
    if not near:
        return []
    text = (
        f"Cut at the label cardinality, rounded up, {method} has at least the F1 of its longest chain, or "
        f"up to {number(CLOSE)} less, on {sum(near.values())} of {number_of(len(near), 'dataset')}."
    )
    return [Finding(text, measure=QUALITY, methods=(method,))]


def convergence_table(method: str, found: Sequence[Convergence], labels: Mapping[str, float]) -> CountedTable:
    """Return a row for each dataset: where the chain converges, and F1 there."""
    rows = tuple(
        (
            one.dataset,
            f"{labels[one.dataset]:.2f}" if one.dataset in labels else MISSING,
            *(one.full, one.best, one.length),
            *(_shown(value) for value in (one.first, one.converged, one.last)),
        )
        for one in found
    )
    return CountedTable(
        f"convergence {method}",
        f"Convergence of {method}",
        "The column 'best' shows the shortest length with the highest F1. The column 'converged' shows "
        f"the shortest length from which on F1 stays within {number(CLOSE)} of its value at the greatest "
        "length; values are compared as they are shown. The last columns show F1 at length 1, at that length "
        "and at the greatest length. No test is made.",
        (
            *("dataset", "label cardinality", "greatest length", "best", "converged"),
            *("F1 first", "F1 converged", "F1 full"),
        ),
        rows,
        numbers=tuple(range(1, 8)),
        folded=False,
    )


def cost_table(method: str, other: str, costs: Sequence[LengthCost]) -> CountedTable:
    """Return a row for each dataset: the times of a chain over those of another method."""
    rows = tuple(
        (one.dataset, one.length, _shown(one.cost), _shown(one.full_cost), one.dearer_prediction or MISSING)
        for one in costs
    )
    return CountedTable(
        f"times {method} {other}",
        f"Times of {method} over those of {other}",
        "The table shows the length at which F1 converges, training seconds at that length and at the "
        f"greatest one, divided by those of {other}, and the shortest length that takes longer to predict "
        f"than {other}. Times differ between two runs.",
        ("dataset", "converged", "training, converged", "training, full", "slower prediction from"),
        rows,
        numbers=(1, 2, 3, 4),
    )


def _shown(value: float) -> str:
    return f"{value:.{VALUE_DIGITS}f}" if value == value else MISSING


def first_round_findings(found: Sequence[FirstRound], method: str, other: str) -> list[Finding]:
    """Return on how many datasets the first round of a chain equals a method with the same parameters."""
    if not found:
        return []
    alike = [one for one in found if one.same_settings]
    sets = number_of(len(found), "dataset")
    text = f"{method} and {other} have the same parameters on {len(alike)} of {sets}"
    if alike:
        equal = sum(one.equal for one in alike)
        text += f"; the first round of {method} has the values of {other} on {equal} of these"
    return [Finding(f"{text}.", methods=(method, other))]


def order_findings(frame: pd.DataFrame, methods: Sequence[str], levels: Sequence[str]) -> list[Finding]:
    """Return than how many orders of a static chain the longest dynamic chain is better, as tables show both.

    Parameters
    ----------
    frame : DataFrame
        See `mlsieve.analysis.chains.lengths.length_frame`.
    methods, levels : sequence of str
    """
    means, bands = means_of(frame), bands_of(frame)
    bands = bands[bands["method"].isin(levels) & ~bands["measure"].isin(TIMES)]
    found = []
    for (dataset, level), own in bands.groupby(["dataset", "method"], sort=False):
        for method in methods:
            parts = []
            for measure in dict.fromkeys(own["measure"]):
                curve = means[
                    (means["dataset"] == dataset)
                    & (means["method"] == method)
                    & (means["measure"] == measure)
                ].sort_values("length")
                orders = frame[
                    (frame["dataset"] == dataset) & (frame["method"] == level) & (frame["measure"] == measure)
                ]["value"]
                if len(curve) and len(orders):
                    reached, orders = as_shown(curve["value"].iloc[-1]), as_shown(orders)
                    lower = lower_is_better(str(measure))
                    better = int((reached < orders if lower else reached > orders).sum())
                    parts.append(f"{better} of {len(orders)} by {measure}")
            if parts:
                text = (
                    f"On {dataset}, the longest chain of {method} is better than this many orders of "
                    f"{level}: {listed(parts)}."
                )
                found.append(Finding(text, methods=(method, str(level))))
    return found
