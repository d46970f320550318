"""Is a dynamic order of the labels better than a static one?"""

from __future__ import annotations

import itertools
import math
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
_RATIO_DIGITS = 2


@dataclass(frozen=True)
class StaticOrderKeys:
    """Keys of ``analysis`` for this question."""

    static_methods: Annotated[
        Mapping[Single, tuple[Single, ...]],
        or_null,
        "the methods with a static order with which each method with a dynamic one is compared",
    ] = field(
        default_factory=lambda: dict.fromkeys(
            ("rdt-dynamic", "rdt-dynamic-threshold"), ("rdt-static", "rdt-static-threshold")
        )
    )
    dynamic_methods: Annotated[
        Mapping[Single, tuple[Single, ...]],
        or_null,
        "the methods with another dynamic order with which each method with a dynamic one is compared",
    ] = field(default_factory=lambda: {"rdt-dynamic": ("rdt-likeliest",)})


@dataclass(frozen=True)
class OrderPairs:
    """The pairs of methods of which a study has both; the first of each has a dynamic order.

    Attributes
    ----------
    static : tuple of (str, str)
        Pairs with a static order.
    dynamic : tuple of (str, str)
        Pairs with another dynamic order.
    """

    static: tuple[tuple[str, str], ...]
    dynamic: tuple[tuple[str, str], ...]

    @property
    def all(self) -> tuple[tuple[str, str], ...]:
        """All pairs, those with a static order first."""
        return self.static + self.dynamic


def section(study: SectionTables) -> Section:
    """The question's tables, and on which datasets a method predicts one label set for nearly all rows."""
    runs, tables = study.read("chain_runs.csv"), list(study.own.values())
    if runs is None:
        return Section(tables=tables)
    pairs = present_pairs(study.analysis, list(dict.fromkeys(runs["method"]))).all
    measures = (name for name in runs.columns if name not in CHAIN_RUNS)
    directions = {name: direction_of(name, study.analysis) for name in measures}
    return Section(tables=tables, notes=constant_sentences(runs, directions, pairs))


@register.question(
    QUESTION,
    version=4,
    order=14,
    title="Is a dynamic order of the labels better than a static one?",
    short="Static order",
    settings=StaticOrderKeys,
    tables={"sections": ("chain_runs",), "figures": ("chain_curves",)},
    section=section,
)
def static_order(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Wilcoxon's test of each dynamic order against static ones and other dynamic ones.

    Table 2 of the dynamic-chains paper compares with static orders, and its section 4.5 eq. 15 with eq. 6. A
    static method with several random orders has the mean over them. The trees of a pair are the same.
    """
    answer = Answer()
    pairs = present_pairs(analysis, table.labels["label"].tolist())
    if not pairs.all:
        answer.notes.append("The study has no pair of a dynamic and a static order.")
        return answer
    named = {f"{first} against {second}": (first, second) for first, second in pairs.all}
    part = compare(choices.comparisons(named), table, analysis, question=QUESTION, family="paper")
    answer.extend(part)
    for first, second in pairs.all:
        counts = [pair_counts(table, choices, first, second, measure) for measure in table.measures]
        answer.findings += count_findings(counts)
    answer.findings += wilcoxon_findings(part, "paper", analysis)
    if pairs.static:
        answer.tables += [order_table(table, choices, measure, pairs.static) for measure in table.measures]
    answer.tables += [dynamic_table(table, choices, *pair) for pair in pairs.dynamic]
    return answer


def present_pairs(analysis: Analysis, present: Sequence[str]) -> OrderPairs:
    """Return the pairs of a method with a dynamic order and another one of which a study has both."""
    wanted = analysis.of(StaticOrderKeys)
    static, dynamic = (
        tuple(
            (one, other)
            for one, others in of_each.items()
            for other in others
            if one in present and other in present
        )
        for of_each in (wanted.static_methods, wanted.dynamic_methods)
    )
    return OrderPairs(static, dynamic)


def compared_orders(analysis: Analysis) -> set[str]:
    """Return all methods that this question compares, whether a study has them or not."""
    wanted = analysis.of(StaticOrderKeys)
    sides = (wanted.static_methods, wanted.dynamic_methods)
    return {name for of_each in sides for name in (*of_each, *itertools.chain(*of_each.values()))}


def count_findings(counts: Sequence[PairCounts]) -> list[Finding]:
    """Return on how many datasets one order is better than another, worse, and twice as good.

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
    better, worse, twice = (
        listed(f"{getattr(one, name)} by {one.measure}" for one in counts)
        for name in ("better", "worse", "twice")
    )
    text = f"Of {sets}, {first} is better than {second} on {better}, and worse on {worse}."
    text += f" Its value is at least twice as high on {twice}."
    return [Finding(text, methods=(first, second))]


def order_table(
    table: PerformanceTable, choices: Choices, measure: str, pairs: Sequence[tuple[str, str]]
) -> CountedTable:
    """Return one measure's values: a row for each dataset, all methods, and the ratio of each pair."""
    dynamic, static = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
    methods = (*dynamic, *static)
    values = pair_values(table, choices, measure, methods)
    best_of = max if table.directions[measure] == "higher" else min
    rows: list[tuple[str, ...]] = []
    marks: list[tuple[int, int, str]] = []
    for dataset in values.index[values.notna().any(axis=1)]:
        own = {name: float(values.loc[dataset, name]) for name in methods}
        best = best_of(value for value in own.values() if value == value)
        marks += [(len(rows), 1 + place, "best") for place, name in enumerate(methods) if own[name] == best]
        ratios = (own[one] / own[other] if own[other] else math.nan for one, other in pairs)
        cells = [_cell(value, VALUE_DIGITS) for value in own.values()]
        rows.append((str(dataset), *cells, *(_cell(ratio, _RATIO_DIGITS) for ratio in ratios)))
    columns = ("dataset", *methods, *(f"{one} / {other}" for one, other in pairs))
    return CountedTable(
        f"orders {measure}",
        f"{measure}: dynamic and static orders",
        "The value of a static method is the mean over its random orders. A ratio divides a dynamic "
        "value by a static one, both as shown; there is none to 0, but any higher value counts as at least "
        "twice 0. The best value of a dataset is bold; bold is not the result of a test.",
        columns,
        tuple(rows),
        numbers=tuple(range(1, len(columns))),
        marks=tuple(marks),
        folded=False,
    )


def dynamic_table(table: PerformanceTable, choices: Choices, first: str, second: str) -> CountedTable:
    """Return the values of two dynamic orders: a row for each dataset, both orders for each measure."""
    wide = {measure: pair_values(table, choices, measure, (first, second)) for measure in table.measures}
    datasets = dict.fromkeys(itertools.chain(*(values.dropna(how="all").index for values in wide.values())))
    rows: list[tuple[str, ...]] = []
    marks: list[tuple[int, int, str]] = []
    for dataset in datasets:
        cells = [str(dataset)]
        for measure, values in wide.items():
            both = [float(value) for value in values.reindex([dataset]).to_numpy(float)[0]]
            best = (max if table.directions[measure] == "higher" else min)(both)
            marks += [(len(rows), len(cells) + place, "best") for place in (0, 1) if both[place] == best]
            cells += [_cell(value, VALUE_DIGITS) for value in both]
        rows.append(tuple(cells))
    columns = ("dataset", *(f"{measure}, {name}" for measure in wide for name in (first, second)))
    return CountedTable(
        f"orders {first} {second}",
        f"Two dynamic orders: {first} and {second}",
        "The better value of a measure is bold; bold is not the result of a test.",
        columns,
        tuple(rows),
        numbers=tuple(range(1, len(columns))),
        marks=tuple(marks),
        folded=False,
    )


def _cell(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if value == value else MISSING
