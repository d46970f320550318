"""Is a dynamic order of the labels better than a static one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from mlsieve.analysis.chains.constant import constant_sentences
from mlsieve.analysis.chains.pairs import PairCounts, pair_counts, pair_values
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, VALUE_DIGITS, CountedTable
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable, direction_of
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import listed, wilcoxon_findings
from mlsieve.analysis.settings import Analysis, Single
from mlsieve.analysis.tests import Answer, compare
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import CHAIN_RUNS
from mlsieve.registry import register
from mlsieve.schemas import or_null

QUESTION = "static-order"


@dataclass(frozen=True)
class StaticOrderKeys:
    """Keys of ``analysis`` for this question."""

    static_methods: Annotated[
        Mapping[Single, Single],
        or_null,
        "the method with a static order that corresponds to each method with a dynamic one",
    ] = field(
        default_factory=lambda: {
            "rdt-dynamic": "rdt-static",
            "rdt-dynamic-threshold": "rdt-static-threshold",
        }
    )


def section(study: SectionTables) -> Section:
    """The question's tables, and on which datasets a method predicts one label set for nearly all rows."""
    runs, tables = study.read("chain_runs.csv"), list(study.own.values())
    if runs is None:
        return Section(tables=tables)
    pairs = present_pairs(study.analysis, list(dict.fromkeys(runs["method"])))
    measures = (name for name in runs.columns if name not in CHAIN_RUNS)
    directions = {name: direction_of(name, study.analysis) for name in measures}
    return Section(tables=tables, notes=constant_sentences(runs, directions, pairs))


@register.question(
    QUESTION,
    version=3,
    order=14,
    title="Is a dynamic order of the labels better than a static one?",
    short="Static order",
    settings=StaticOrderKeys,
    tables={"sections": ("chain_runs",), "figures": ("chain_curves",)},
    section=section,
)
def static_order(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Wilcoxon's test of each dynamic order against its static one (Table 2 of the dynamic-chains paper).

    A static method with several random orders has the mean over them. The trees of a pair are the same.
    """
    answer = Answer()
    pairs = present_pairs(analysis, table.labels["label"].tolist())
    if not pairs:
        answer.notes.append("The study has no pair of a dynamic and a static order.")
        return answer
    named = {f"{dynamic} against {static}": (dynamic, static) for dynamic, static in pairs.items()}
    part = compare(choices.comparisons(named), table, analysis, question=QUESTION, family="paper")
    answer.extend(part)
    for dynamic, static in pairs.items():
        counts = [pair_counts(table, choices, dynamic, static, measure) for measure in table.measures]
        answer.findings += count_findings(counts)
    answer.findings += wilcoxon_findings(part, "paper", analysis)
    answer.tables += [order_table(table, choices, measure, pairs) for measure in table.measures]
    return answer


def present_pairs(analysis: Analysis, present: Sequence[str]) -> dict[str, str]:
    """Return the pairs of a dynamic and a static method of which a study has both."""
    wanted = analysis.of(StaticOrderKeys).static_methods
    return {one: other for one, other in wanted.items() if one in present and other in present}


def count_findings(counts: Sequence[PairCounts]) -> list[Finding]:
    """Return on how many datasets a dynamic order is better than a static one, and twice as good.

    Parameters
    ----------
    counts : sequence of PairCounts
        Of one pair, by measure.
    """
    counts = [one for one in counts if one.datasets]
    if not counts:
        return []
    first, second = counts[0].first, counts[0].second
    sets = number_of(counts[0].datasets, "dataset")
    better, twice = (
        listed(f"{getattr(one, name)} by {one.measure}" for one in counts) for name in ("better", "twice")
    )
    text = f"Of {sets}, {first} is better than {second} on {better}."
    text += f" Its value is at least twice as high on {twice}."
    return [Finding(text, methods=(first, second))]


def order_table(
    table: PerformanceTable, choices: Choices, measure: str, pairs: Mapping[str, str]
) -> CountedTable:
    """Return one measure's values: a row for each dataset, dynamic, static and their ratio for each pair."""
    methods = tuple(name for pair in pairs.items() for name in pair)
    values = pair_values(table, choices, measure, methods)
    rows: list[tuple[str, ...]] = []
    marks: list[tuple[int, int, str]] = []
    for dataset in values.index[values.notna().any(axis=1)]:
        cells: list[str] = [str(dataset)]
        for dynamic, static in pairs.items():
            one, other = both = [float(values.loc[dataset, name]) for name in (dynamic, static)]
            best = (min if table.directions[measure] == "lower" else max)(both)
            marks += [
                (len(rows), len(cells) + place, "best") for place, value in enumerate(both) if value == best
            ]
            cells += [f"{value:.{VALUE_DIGITS}f}" if value == value else MISSING for value in both]
            cells.append(f"{one / other:.2f}" if other else MISSING)
        rows.append(tuple(cells))
    columns = ["dataset"]
    for dynamic, static in pairs.items():
        columns += [dynamic, static, "ratio"]
    return CountedTable(
        f"orders {measure}",
        f"{measure}: dynamic and static orders",
        "The value of a static method is the mean over its random orders. The ratio divides the dynamic "
        "value by the static one, both as shown. The better value of a pair is bold; bold is not the "
        "result of a test.",
        tuple(columns),
        tuple(rows),
        numbers=tuple(range(1, len(columns))),
        marks=tuple(marks),
        folded=False,
    )
