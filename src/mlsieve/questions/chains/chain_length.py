"""How long must a dynamic chain be?"""

from __future__ import annotations

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
    bands_of,
    cardinalities,
    convergences,
    first_rounds,
    length_frame,
    lower_is_better,
    means_of,
    near_the_end,
    rounded_up,
    with_times_of,
)
from mlsieve.analysis.chains.remarks import cut_chains, label_counts, longest_chains, own_boosters
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

    chain_curves: Annotated[
        tuple[Single, ...], "the methods whose chains are cut after each length, with parameters of their own"
    ] = ("xdcc-standard", "xdcc-cumulated")
    chain_times: Annotated[
        Mapping[Single, Single],
        or_null,
        "the method whose times stand for those of one of `chain_curves`: the same with the parameters of "
        "`cost_reference`",
    ] = field(
        default_factory=lambda: {
            "xdcc-standard": "xdcc-cc-standard",
            "xdcc-cumulated": "xdcc-cc-cumulated",
        }
    )
    chain_levels: Annotated[tuple[Single, ...], "the static chains with which these are compared"] = (
        "cc-xgb-frequent",
        "cc-xgb-rare",
        "cc-xgb-xdcc",
        "cc-orders",
    )
    first_round: Annotated[
        Mapping[Single, Single],
        or_null,
        "the method that equals the first round of each chain if both have the same parameters",
    ] = field(default_factory=lambda: {"xdcc-cumulated": "ml-xgb"})
    cost_reference: Annotated[
        Single, "the static chain over whose training time and F1 those of `cost_methods` are divided"
    ] = "cc-xgb"


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
    timed = times_in_words(frame, settings)
    frame = with_times_of(frame, settings.chain_times)
    present = [name for name in settings.chain_curves if name in set(frame["method"])]
    findings, tables = [], []
    for method in present:
        found = convergences(frame, method, settings.cost_reference)
        if found:
            findings += convergence_findings(method, settings.cost_reference, found, labels)
            findings += near_findings(method, near_the_end(frame, method, labels))
            tables.append(convergence_table(method, settings.cost_reference, found, labels))
    findings += order_findings(frame, present, settings.chain_levels)
    for method, other in settings.first_round.items():
        findings += first_round_findings(first_rounds(frame, runs, method, other), method, other)
    notes = [] if tables else ["No method of `chain_curves` has values at several lengths."]
    if tables:
        cut = cut_chains(longest_chains(frame, present), label_counts(study.read("datasets.csv")))
        static = own_boosters(runs, [settings.cost_reference, *settings.chain_levels])
        notes = [*static, *filter(None, [timed, cut])]
    return Section(findings=findings, tables=tables, notes=notes)


@register.question(
    QUESTION,
    version=2,
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


def times_in_words(frame: pd.DataFrame, settings: ChainLengthKeys) -> str:
    """Return a sentence on whose times are shown; empty if each method's own are.

    Parameters
    ----------
    frame : DataFrame
        See `mlsieve.analysis.chains.lengths.length_frame`.
    settings : ChainLengthKeys
    """
    known = set(frame["method"])
    pairs = [
        f"{other} for {method}"
        for method, other in settings.chain_times.items()
        if {method, other} <= known and method in settings.chain_curves
    ]
    if not pairs:
        return ""
    return (
        f"Times are those of chains with the parameters of {settings.cost_reference}: {listed(pairs)}. "
        "Measures are those of chains with parameters of their own."
    )


def convergence_findings(
    method: str, other: str, found: Sequence[Convergence], labels: Mapping[str, float]
) -> list[Finding]:
    """Return at which lengths a chain converges, against the label cardinality and the cost of another.

    Parameters
    ----------
    method, other : str
    found : sequence of Convergence
    labels : mapping of str to float
        Average number of labels by dataset.
    """
    sets = number_of(len(found), "dataset")
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
    timed = [one for one in found if one.cost == one.cost]
    if timed:
        first, then, whole = (
            sum(condition)
            for condition in zip(
                *((one.cheaper > 0, as_shown(one.cost) < 1, as_shown(one.full_cost) < 1) for one in timed),
                strict=True,
            )
        )
        text = (
            f"{method} trains in less time than {other} at length 1 on {first} of "
            f"{number_of(len(timed), 'dataset')}, at the length at which F1 converges on {then}, "
            f"and at the greatest length on {whole}."
        )
        findings.append(Finding(text, measure=TRAINING, methods=(method, other)))
    higher = sum(as_shown(one.last) > as_shown(one.first) for one in found)
    findings.append(
        Finding(
            f"The longest chain of {method} has a higher F1 than its first round on {higher} of {sets}.",
            measure=QUALITY,
            methods=(method,),
        )
    )
    return findings


def near_findings(method: str, near: Mapping[str, bool]) -> list[Finding]:
    """Return on how many datasets a chain as long as the label cardinality is as good as the longest one."""
    if not near:
        return []
    text = (
        f"Cut at the label cardinality, rounded up, {method} has at least the F1 of its longest chain, or "
        f"up to {number(CLOSE)} less, on {sum(near.values())} of {number_of(len(near), 'dataset')}."
    )
    return [Finding(text, measure=QUALITY, methods=(method,))]


def convergence_table(
    method: str, other: str, found: Sequence[Convergence], labels: Mapping[str, float]
) -> CountedTable:
    """Return a row for each dataset: where the chain converges, F1 there, and the cost over another's."""
    rows = tuple(
        (
            one.dataset,
            f"{labels[one.dataset]:.2f}" if one.dataset in labels else MISSING,
            one.full,
            one.best,
            one.length,
            *(
                f"{value:.{VALUE_DIGITS}f}" if value == value else MISSING
                for value in (one.first, one.converged, one.last, one.cost, one.full_cost)
            ),
            one.dearer_prediction or MISSING,
        )
        for one in found
    )
    return CountedTable(
        f"convergence {method}",
        f"Convergence of {method}",
        "The column 'best' shows the shortest length with the highest F1. The column 'converged' shows "
        f"the shortest length from which on F1 stays within {number(CLOSE)} of its value at the greatest "
        "length; values are compared as they are shown. The next columns show F1 at length 1, at that "
        "length and at the greatest length, and training seconds at that length and at the greatest length, "
        f"divided by those of {other}. The "
        f"last one shows the shortest length that takes longer to predict than {other}. No test is made.",
        (
            *("dataset", "label cardinality", "greatest length", "best", "converged", "F1 first"),
            *("F1 converged", "F1 full", "cost converged", "cost full", "slower prediction from"),
        ),
        rows,
        numbers=tuple(range(1, 11)),
        folded=False,
    )


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
