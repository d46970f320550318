"""What does a dynamic chain cost, and how good is it, beside a static one?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from mlsieve.analysis.chains.lengths import QUALITY, ratios, rounded_up
from mlsieve.analysis.chains.remarks import cut_methods, label_counts, own_boosters
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, VALUE_DIGITS, CountedTable, as_shown
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.settings import Analysis, Single
from mlsieve.analysis.tests import Answer
from mlsieve.errors import number_of
from mlsieve.questions.chains.chain_length import NOT_THERE, TABLES, ChainLengthKeys, lengths_read
from mlsieve.registry import register
from mlsieve.stats._lazy import pd

QUESTION = "chain-cost"


@dataclass(frozen=True)
class ChainCostKeys:
    """Keys of ``analysis`` for this question."""

    cost_methods: Annotated[
        tuple[Single, ...],
        "the dynamic chains whose training time and F1 are compared at each length with those of their "
        "`cost_references`",
    ] = ("xdcc-program-cumulated", "xdcc", "xdcc-program-cumulated-fixed", "xdcc-fixed")


def section(study: SectionTables) -> Section:
    """Ratios of training time and F1 at length 1, at the label cardinality and at the greatest length."""
    read = lengths_read(study)
    if read is None:
        return Section(notes=[NOT_THERE])
    frame, runs, labels = read
    findings, tables = [], []
    pairs = cost_pairs(study.analysis)
    for method, other in pairs:
        found = ratios(frame, method, other)
        if len(found):
            findings += ratio_findings(found, method, other, labels)
            tables.append(ratio_table(found, method, other, labels))
    notes = [] if tables else ["No dataset has values of a method of `cost_methods` and of its references."]
    if tables:
        methods = [method for method, _ in pairs]
        notes = own_boosters(runs, [other for _, other in pairs])
        notes += cut_methods(runs, methods, label_counts(study.read("datasets.csv")))
    return Section(findings=findings, tables=tables, notes=notes)


@register.question(
    QUESTION,
    version=3,
    order=16,
    title="What does a dynamic chain cost beside a static one?",
    short="Cost",
    settings=ChainCostKeys,
    tables=TABLES,
    section=section,
)
def chain_cost(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Ratios of training time and F1, without a test (Figs. 8 and 9 of the dynamic-chains paper)."""
    return Answer()


def cost_pairs(analysis: Analysis) -> list[tuple[str, str]]:
    """Return each dynamic chain with each static chain over which its time and F1 are divided."""
    references = analysis.of(ChainLengthKeys).cost_references
    methods = analysis.of(ChainCostKeys).cost_methods
    return [(method, other) for method in methods for other in references.get(method, ())]


def stages_of(own: pd.DataFrame, cardinality: float | None) -> dict[str, pd.Series]:
    """Return the rows of the first length, of the label cardinality (rounded up) and of the greatest length.

    Parameters
    ----------
    own : DataFrame
        Of one dataset, as `mlsieve.analysis.chains.lengths.ratios` returns it.
    cardinality : float or None
        None: the second of them is left out.
    """
    own = own.sort_values("length")
    found = {"first": own.iloc[0]}
    if cardinality is not None:
        reached = own[own["length"] >= rounded_up(cardinality)]
        found["cardinality"] = reached.iloc[0] if len(reached) else own.iloc[-1]
    return found | {"full": own.iloc[-1]}


_STAGES = {
    "first": "at length 1",
    "cardinality": "at the label cardinality, rounded up",
    "full": "at the greatest length",
}


def ratio_findings(
    found: pd.DataFrame, method: str, other: str, labels: Mapping[str, float]
) -> list[Finding]:
    """Return on how many datasets a method is faster than another, and at least as good, at three lengths."""
    counts: dict[str, list[tuple[bool, bool]]] = {name: [] for name in _STAGES}
    for dataset, own in found.groupby("dataset", sort=False):
        for name, row in stages_of(own, labels.get(str(dataset))).items():
            counts[name].append((as_shown(row["cost"]) < 1, as_shown(row["quality"]) >= 1))
    made = []
    for name, words in _STAGES.items():
        if counts[name]:
            faster, good = (sum(values) for values in zip(*counts[name], strict=True))
            text = (
                f"Cut {words}, {method} trains in less time than {other} on {faster} of "
                f"{number_of(len(counts[name]), 'dataset')}, and its F1 is at least that of {other} on "
                f"{good}."
            )
            measure = "" if name == "cardinality" else QUALITY
            made.append(
                Finding(
                    text.replace("Cut at the greatest length", "At the greatest length"),
                    measure=measure,
                    methods=(method, other),
                )
            )
    return made


def ratio_table(found: pd.DataFrame, method: str, other: str, labels: Mapping[str, float]) -> CountedTable:
    """Return a row for each dataset with both ratios at three lengths."""
    rows = []
    for dataset, own in found.groupby("dataset", sort=False):
        stages = stages_of(own, labels.get(str(dataset)))
        cells = [str(dataset), int(stages["full"]["length"])]
        for name in _STAGES:
            row = stages.get(name)
            both = [] if row is None else [row["cost"], row["quality"]]
            cells += [f"{value:.{VALUE_DIGITS}f}" for value in both] or [MISSING] * 2
        rows.append(tuple(cells))
    columns = ("time", "F1")
    return CountedTable(
        f"cost {method} {other}",
        f"{method} over {other}",
        f"The table shows training seconds and F1 of {method}, divided by those of {other}, at length 1, "
        "at the label cardinality (rounded up) and at the greatest length. No test is made; times differ "
        "between two runs.",
        (
            *("dataset", "greatest length"),
            *(f"{column}, {name}" for name in ("first", "cardinality", "full") for column in columns),
        ),
        tuple(rows),
        numbers=tuple(range(1, 8)),
        folded=False,
    )
