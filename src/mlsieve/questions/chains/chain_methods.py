"""Which of the methods that predict label sets is best?"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from mlsieve.analysis.chains.lengths import PREDICTION, TRAINING
from mlsieve.analysis.chains.pairs import PairCounts, pair_counts, pair_values
from mlsieve.analysis.chains.remarks import cut_methods, label_counts, own_boosters, tuning_efforts
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, RANK_DIGITS, VALUE_DIGITS, CountedTable
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import friedman_findings, listed, number, wilcoxon_findings
from mlsieve.analysis.settings import Analysis, Single
from mlsieve.analysis.tests import Answer, compare
from mlsieve.errors import number_of
from mlsieve.questions.chains.split_functions import SplitFunctionKeys
from mlsieve.questions.chains.static_order import compared_orders
from mlsieve.registry import register
from mlsieve.schemas import or_null
from mlsieve.stats._lazy import pd

QUESTION = "chain-methods"
EVERY = "methods"  # the comparison of all of them


@dataclass(frozen=True)
class ChainMethodKeys:
    """Keys of ``analysis`` for this question."""

    compared_methods: Annotated[
        Mapping[str, tuple[Single, ...]],
        or_null,
        "the groups of methods that are compared, by their names; only datasets with all methods of a "
        "group count",
    ] = field(
        default_factory=lambda: {
            "boosted trees, true labels": (
                *("xdcc-program-cumulated", "xdcc-program-standard", "ml-xgb", "br-xgb", "cc-true"),
            ),
            "boosted trees, probabilities": (
                *("xdcc-program-cumulated", "xdcc-program-standard", "ml-xgb", "br-xgb", "cc-probabilities"),
            ),
            "all boosted trees": (
                *("xdcc-program-cumulated", "xdcc-program-standard", "xdcc-paper-cumulated", "xdcc"),
                *("ml-xgb", "br-xgb", "cc-true", "cc-probabilities"),
            ),
            "baselines": (
                *("xdcc-program-cumulated", "rdt-dynamic", "br-tree", "cc-tree-true", "lp-tree"),
                *("br-forest", "cc-forest-true", "lp-forest"),
            ),
        }
    )
    fixed_methods: Annotated[
        Mapping[Single, Single],
        or_null,
        "the same method with parameters that are not tuned, by the tuned method",
    ] = field(
        default_factory=lambda: {
            name: f"{name}-fixed"
            for name in (
                *("xdcc-program-cumulated", "xdcc-program-standard", "xdcc-paper-cumulated", "xdcc"),
                *("ml-xgb", "br-xgb", "cc-true", "cc-probabilities"),
            )
        }
    )


def section(study: SectionTables) -> Section:
    """The question's tables, and the ranks of training and prediction times."""
    runs, tables = study.read("chain_runs.csv"), list(study.own.values())
    if runs is None:
        return Section(tables=tables, notes=["chain_runs.csv is missing, so no times are shown."])
    groups = study.analysis.of(ChainMethodKeys).compared_methods
    made = (time_table(runs, name, tuple(methods)) for name, methods in groups.items())
    compared = list(itertools.chain(*groups.values()))
    notes = own_boosters(runs, compared)
    notes += tuning_efforts(runs, study.read("chain_tuning.csv"), compared)
    notes += cut_methods(runs, compared, label_counts(study.read("datasets.csv")))
    return Section(tables=[*tables, *(table for table in made if table is not None)], notes=notes)


@register.question(
    QUESTION,
    version=5,
    order=18,
    title="Which method is best?",
    short="Methods",
    settings=ChainMethodKeys,
    tables={"sections": ("chain_runs", "chain_tuning", "datasets")},
    section=section,
)
def chain_methods(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's and Nemenyi's tests of groups of methods (Tables 5 and 6 of the dynamic-chains paper).

    The extended group has all methods of the study, without those that only the questions on static orders
    and split functions compare, and those with fixed parameters.
    """
    answer = Answer()
    present = table.labels["label"].tolist()
    wanted = analysis.of(ChainMethodKeys).compared_methods
    groups = {name: tuple(one for one in methods if one in present) for name, methods in wanted.items()}
    missing = [one for methods in wanted.values() for one in methods if one not in present]
    groups = {name: methods for name, methods in groups.items() if len(methods) > 1}
    if not groups:
        answer.notes.append("The study has no two methods that this question compares.")
        return answer
    if missing:
        answer.notes.append(f"The study has no {listed(dict.fromkeys(missing))}.")
    families: dict[str, dict[str, tuple[str, ...]]] = {"paper": groups}
    every = all_methods(table, analysis)
    if len(every) > max(map(len, groups.values())):
        families["extended"] = {EVERY: every}
    for family in (name for name in families if name in analysis.families):
        comparisons = choices.comparisons(families[family])
        part = compare(comparisons, table, analysis, question=QUESTION, family=family)
        answer.extend(part)
        answer.findings += friedman_findings(part, family, "methods", analysis)
        answer.findings += wilcoxon_findings(part, family, analysis)
    answer.findings += best_findings(answer, groups)
    fixed = analysis.of(ChainMethodKeys).fixed_methods
    pairs = [(one, other) for one, other in fixed.items() if one in present and other in present]
    for tuned, other in pairs:
        counts = [pair_counts(table, choices, tuned, other, measure) for measure in table.measures]
        answer.findings += tuning_findings(counts)
    answer.tables += [tuning_table(table, choices, measure, pairs) for measure in table.measures if pairs]
    return answer


def tuning_findings(counts: Sequence[PairCounts]) -> list[Finding]:
    """Return on how many datasets a tuned method is better than the same with fixed parameters, and worse.

    Parameters
    ----------
    counts : sequence of PairCounts
        Of one pair, by measure.
    """
    counts = [one for one in counts if one.datasets]
    if not counts:
        return []
    tuned, fixed = counts[0].first, counts[0].second
    parts = (f"better on {one.better} and worse on {one.worse} by {one.measure}" for one in counts)
    text = f"Of {number_of(counts[0].datasets, 'dataset')}, {tuned} is {listed(parts)} than {fixed}."
    return [Finding(text, methods=(tuned, fixed))]


def tuning_table(
    table: PerformanceTable, choices: Choices, measure: str, pairs: Sequence[tuple[str, str]]
) -> CountedTable:
    """Return one measure's values: a row for each dataset, each method tuned and with fixed parameters."""
    methods = tuple(itertools.chain(*pairs))
    values = pair_values(table, choices, measure, methods)
    best_of = min if table.directions[measure] == "lower" else max
    rows: list[tuple[str, ...]] = []
    marks: list[tuple[int, int, str]] = []
    for dataset in values.index[values.notna().any(axis=1)]:
        own = [float(value) for value in values.loc[dataset]]
        marks += [
            (len(rows), 1 + at, "best")
            for first in range(0, len(own), 2)
            for at in (first, first + 1)
            if own[at] == best_of(own[first : first + 2])
        ]
        cells = (f"{value:.{VALUE_DIGITS}f}" if value == value else MISSING for value in own)
        rows.append((str(dataset), *cells))
    return CountedTable(
        f"tuned {measure}",
        f"{measure}: tuned and fixed parameters",
        "Each method is shown with the parameters that are chosen on a part of the training part, and with "
        "fixed ones. The better value of a pair is bold; bold is not the result of a test.",
        ("dataset", *methods),
        tuple(rows),
        numbers=tuple(range(1, 1 + len(methods))),
        marks=tuple(marks),
    )


def all_methods(table: PerformanceTable, analysis: Analysis) -> tuple[str, ...]:
    """Return all methods but those with fixed parameters, and those of static orders and split functions."""
    splits = analysis.of(SplitFunctionKeys).split_functions
    groups = analysis.of(ChainMethodKeys).compared_methods.values()
    others = compared_orders(analysis) | set(itertools.chain(*splits.values()))
    others |= {*analysis.of(ChainMethodKeys).fixed_methods.values()}
    others -= set(itertools.chain(*groups))
    return tuple(name for name in table.labels["label"] if name not in others)


def best_findings(answer: Answer, groups: Mapping[str, Sequence[str]]) -> list[Finding]:
    """Return for each group the methods with the best and second average rank by each measure.

    Parameters
    ----------
    answer : Answer
        With the average ranks of all comparisons.
    groups : mapping of str to sequence of str
    """
    ranks = pd.DataFrame(answer.ranks)
    ranks = ranks[(ranks["variant"] == "all") & (ranks["family"] == "paper") & ranks["rank"].notna()]
    found = []
    for name in groups:
        parts = []
        own = ranks[ranks["comparison"] == name]
        for measure, group in own.groupby("measure", sort=False):
            ordered = group.set_index("method")["rank"].round(9).sort_values(kind="stable")
            first = list(ordered.index[ordered == ordered.iloc[0]])
            rest = ordered[ordered > ordered.iloc[0]]
            second = f", followed by {listed(rest.index[rest == rest.iloc[0]])}" if len(rest) else ""
            has = "has" if len(first) == 1 else "have"
            parts.append(f"by {measure} {listed(first)} {has} the best average rank{second}")
        if parts:
            sets = number_of(int(own["n_datasets"].max()), "dataset")
            found.append(Finding(f"In the group '{name}', over {sets}: {'; '.join(parts)}."))
    return found


def time_table(runs: pd.DataFrame, group: str, methods: tuple[str, ...]) -> CountedTable | None:
    """Return average ranks and mean seconds of training and prediction; None without two methods in common.

    Parameters
    ----------
    runs : DataFrame
        chain_runs.csv. Of a method that is tuned by several measures, the first model counts.
    group : str
    methods : tuple of str
    """
    whole = runs.drop_duplicates(["dataset", "split", "repeat", "method"])
    columns = {TRAINING: "training_seconds", PREDICTION: "prediction_seconds"}
    wide = {
        name: whole.pivot_table(index="dataset", columns="method", values=column, sort=False)
        .reindex(columns=methods)
        .dropna(axis=1, how="all")
        .dropna()
        for name, column in columns.items()
    }
    if any(len(values) == 0 or len(values.columns) < 2 for values in wide.values()):
        return None
    ranks = {name: values.rank(axis=1).mean() for name, values in wide.items()}
    shown, marks = [name for name in methods if name in wide[TRAINING]], []
    for place, name in enumerate(wide):
        best = round(float(ranks[name].min()), RANK_DIGITS)
        marks += [
            (row, 1 + 2 * place, "best")
            for row, method in enumerate(shown)
            if round(float(ranks[name][method]), RANK_DIGITS) == best
        ]
    rows = tuple(
        (
            method,
            *(
                cell
                for name in wide
                for cell in (
                    f"{ranks[name][method]:.{RANK_DIGITS}f}",
                    number(float(wide[name][method].mean())),
                )
            ),
        )
        for method in shown
    )
    sets = number_of(len(wide[TRAINING]), "dataset")
    return CountedTable(
        f"times {group}",
        f"Training and prediction times, {group}",
        f"The table shows average ranks (1 is fastest) and mean CPU seconds over {sets}, with the "
        "parameters that each method is tuned to. The best rank is bold. No test is made, because times "
        "differ between two runs.",
        ("method", "training, rank", "training, seconds", "prediction, rank", "prediction, seconds"),
        rows,
        numbers=(1, 2, 3, 4),
        marks=tuple(marks),
        folded=False,
    )
