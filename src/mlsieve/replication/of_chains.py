"""Finders about chains of labels: pairs of methods by dataset, lengths, costs, parameters."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from scipy.stats import binomtest

from mlsieve.analysis.chains.lengths import (
    PREDICTION,
    TRAINING,
    cardinalities,
    converged_at,
    curve_of,
    first_rounds,
    length_frame,
    means_of,
    near_the_end,
    ratio_curve,
    ratios,
)
from mlsieve.analysis.chains.pairs import PairCounts, pair_counts, pair_values
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import as_shown
from mlsieve.questions.chains.split_functions import SplitFunctionKeys
from mlsieve.registry import entries
from mlsieve.replication.tables import Absent, Found, StudyTables, finder, most_datasets


def _counts(tables: StudyTables, measure: str, method: str, than: str) -> PairCounts:
    if measure not in tables.values.measures:
        raise Absent(f"the study has no measure {measure}")
    counts = pair_counts(tables.values, Choices(tables.values, tables.analysis), method, than, measure)
    if not counts.datasets:
        raise Absent(f"no dataset has values of both {method} and {than}")
    return counts


@finder()
def better_on(tables: StudyTables, *, measure: str, method: str, than: str) -> Found:
    """On how many datasets a method is better than another, as tables show both."""
    counts = _counts(tables, measure, method, than)
    return Found(counts.better, counts.datasets, n_datasets=counts.datasets)


@finder()
def wins(tables: StudyTables, *, measure: str, method: str, than: str) -> Found:
    """The datasets on which a method is better and those on which another is, with a sign test of both."""
    counts = _counts(tables, measure, method, than)
    decided = counts.better + counts.worse
    p_value = binomtest(counts.better, decided).pvalue if decided else 1.0
    rejected, ahead = p_value <= tables.analysis.significance, counts.better > counts.worse
    return Found(
        f"{counts.better}:{counts.worse}",
        significant=rejected and ahead,
        against=rejected and not ahead,
        n_datasets=counts.datasets,
    )


@finder()
def twice_on(tables: StudyTables, *, measure: str, method: str, than: str) -> Found:
    """On how many datasets a method's value is at least twice that of another."""
    counts = _counts(tables, measure, method, than)
    return Found(counts.twice, counts.datasets, n_datasets=counts.datasets)


def beside_the_others(changes: pd.Series, among: Sequence[str]) -> tuple[int, int]:
    """Return how many of some datasets have a lower value than the median of the others, and how many higher.

    Raises
    ------
    Absent
        If one of both groups has no values.
    """
    some = changes[changes.index.isin(among)]
    others = changes[~changes.index.isin(among)]
    if some.empty or others.empty:
        raise Absent("the study has no values of these datasets, or of no others")
    return int((some < others.median()).sum()), int((some > others.median()).sum())


@finder()
def smaller_gains(
    tables: StudyTables, *, measure: str, method: str, than: str, among: Sequence[str]
) -> Found:
    """On how many of some datasets a method gains less over another than on the median of the others."""
    if not {method, than} <= set(tables.values.labels["label"]) or measure not in tables.values.measures:
        raise Absent(f"the study has no {measure} of both {method} and {than}")
    choices = Choices(tables.values, tables.analysis)
    values = pair_values(tables.values, choices, measure, (method, than)).dropna()
    gains = as_shown(values[method] - values[than])
    smaller, _ = beside_the_others(gains, among)
    return Found(smaller, int(gains.index.isin(among).sum()), n_datasets=len(gains))


@finder()
def maxima_ahead(tables: StudyTables, *, measure: str) -> Found:
    """How many split functions with a maximum are better than their sum on more datasets than worse."""
    pairs = tables.analysis.of(SplitFunctionKeys).split_counterparts
    present = set(tables.values.labels["label"])
    counts = [_counts(tables, measure, *pair) for pair in pairs.items() if set(pair) <= present]
    if not counts:
        raise Absent("the study has no two split functions that correspond")
    ahead = sum(one.better > one.worse for one in counts)
    return Found(ahead, len(counts), n_datasets=max(one.datasets for one in counts))


@finder()
def datasets_compared(tables: StudyTables, *, question: str, comparison: str) -> Found:
    """How many datasets have values of all methods of a comparison."""
    rows = tables.ranks
    rows = rows[
        (rows["question"] == question) & (rows["comparison"] == comparison) & (rows["variant"] == "all")
    ]
    if rows.empty:
        raise Absent(f"the study has no comparison {comparison}")
    return Found(most_datasets(rows), n_datasets=most_datasets(rows))


@finder()
def few_label_sets(tables: StudyTables, *, below: int) -> Found:
    """How many datasets have fewer different label sets than a number."""
    if tables.datasets is None:
        raise Absent("the study has no table of its datasets")
    known = tables.datasets[tables.datasets["dataset"].isin(tables.names)]
    return Found(int((known["distinct"] < below).sum()), n_datasets=len(known))


def _lengths(tables: StudyTables) -> pd.DataFrame:
    if tables.chain_curves is None or tables.chain_runs is None:
        raise Absent("the study has no chains of several lengths")
    return length_frame(tables.chain_curves, tables.chain_runs)


def _ratio(tables: StudyTables, dataset: str, method: str, than: str, measure: str) -> pd.Series:
    found = ratio_curve(means_of(_lengths(tables)), dataset, method, than, measure)
    if found.empty:
        raise Absent(f"{method} and {than} have no values in common on {dataset}")
    return found


@finder()
def cheaper_lengths(tables: StudyTables, *, dataset: str, method: str, than: str) -> Found:
    """How many lengths of a chain train in less time than the static chain does."""
    times = _ratio(tables, dataset, method, than, TRAINING)
    return Found(int((as_shown(times) < 1).sum()), len(times), n_datasets=1)


@finder()
def rounds_until_slower(tables: StudyTables, *, dataset: str, method: str, than: str) -> Found:
    """The longest chain before the first one that takes longer to predict than the static chain does."""
    times = _ratio(tables, dataset, method, than, PREDICTION)
    slower = times.index[as_shown(times) > 1]
    return Found(int(slower[0]) - 1 if len(slower) else int(times.index[-1]), n_datasets=1)


@finder()
def cost_ratio(tables: StudyTables, *, dataset: str, method: str, than: str, length: str, of: str) -> Found:
    """Training time ("cost") or F1 ("quality") over that of the static chain, at the first or last length."""
    found = ratios(_lengths(tables), method, than)
    found = found[found["dataset"] == dataset].sort_values("length")
    if found.empty:
        raise Absent(f"{method} and {than} have no values in common on {dataset}")
    return Found(float(found[of].iloc[0 if length == "first" else -1]), n_datasets=1)


@finder()
def faster_at_first(tables: StudyTables, *, method: str, than: str) -> Found:
    """On how many datasets the first round of a chain trains in less time than the static chain does."""
    found = ratios(_lengths(tables), method, than)
    if found.empty:
        raise Absent(f"no dataset has values of both {method} and {than}")
    first = found.sort_values("length").groupby("dataset")["cost"].first()
    return Found(int((as_shown(first) < 1).sum()), len(first), n_datasets=len(first))


@finder()
def near_the_cardinality(tables: StudyTables, *, method: str, measure: str, within: float) -> Found:
    """On how many datasets a chain as long as the label cardinality is as close to its full length."""
    near = near_the_end(_lengths(tables), method, cardinalities(tables.datasets), measure, within)
    if not near:
        raise Absent(f"{method} has no values at several lengths, or no label cardinality is known")
    return Found(sum(near.values()), len(near), n_datasets=len(near))


@finder()
def first_round_equal(tables: StudyTables, *, method: str, than: str) -> Found:
    """On how many datasets with the same parameters the first round of a chain has a method's values."""
    if tables.chain_runs is None:
        raise Absent("the study has no chains of several lengths")
    found = [
        one for one in first_rounds(_lengths(tables), tables.chain_runs, method, than) if one.same_settings
    ]
    if not found:
        raise Absent(f"{method} and {than} have the same parameters on no dataset")
    return Found(sum(one.equal for one in found), len(found), n_datasets=len(found))


def _curve(tables: StudyTables, dataset: str, method: str, measure: str) -> pd.Series:
    found = curve_of(means_of(_lengths(tables)), dataset, method, measure).dropna()
    if found.empty:
        raise Absent(f"the study has no {measure} of {method} on {dataset}")
    return found


@finder()
def converged_length(tables: StudyTables, *, dataset: str, method: str, measure: str) -> Found:
    """The shortest chain from which on a measure stays within 0.01 of that of the longest."""
    return Found(converged_at(_curve(tables, dataset, method, measure)), n_datasets=1)


@finder()
def converges_before(tables: StudyTables, *, dataset: str, method: str, than: str, measure: str) -> Found:
    """Whether a chain needs fewer steps than another until a measure stays: "earlier" or "not earlier"."""
    first, second = (converged_at(_curve(tables, dataset, name, measure)) for name in (method, than))
    return Found("earlier" if first < second else "not earlier", n_datasets=1)


@finder()
def orders_surpassed(tables: StudyTables, *, dataset: str, method: str, than: str, measure: str) -> Found:
    """How many orders of a static chain have a lower value than the longest chain of another method."""
    frame, reached = _lengths(tables), as_shown(_curve(tables, dataset, method, measure).iloc[-1])
    own = frame[(frame["dataset"] == dataset) & (frame["method"] == than) & (frame["measure"] == measure)]
    if own.empty:
        raise Absent(f"the study has no {measure} of {than} on {dataset}")
    return Found(int((as_shown(own["value"]) < reached).sum()), len(own), n_datasets=1)


@finder()
def methods_surpassed(
    tables: StudyTables, *, dataset: str, method: str, others: Sequence[str], measure: str
) -> Found:
    """How many methods have a lower value on a dataset than another method."""
    reached, *values = (
        as_shown(_curve(tables, dataset, name, measure).iloc[-1]) for name in (method, *others)
    )
    return Found(sum(value < reached for value in values), len(values), n_datasets=1)


@finder()
def dearer_where_worse(tables: StudyTables, *, method: str, than: str) -> Found:
    """On how many datasets a lower F1 than the static chain and a longer training go together, or neither."""
    found = ratios(_lengths(tables), method, than)
    last = found.sort_values("length").groupby("dataset")[["cost", "quality"]].last()
    if last.empty:
        raise Absent(f"{method} and {than} have no values in common")
    last = as_shown(last)
    alike = (last["quality"] < 1) == (last["cost"] > 1)
    return Found(int(alike.sum()), len(last), n_datasets=len(last))


@finder()
def draws(tables: StudyTables, *, method: str) -> Found:
    """How many orders of the labels a method was given."""
    if tables.chain_runs is None:
        raise Absent("the study has no table of its models")
    own = tables.chain_runs[tables.chain_runs["method"] == method]
    if own.empty:
        raise Absent(f"the study has no {method}")
    return Found(int(own["draws"].max()))


@finder()
def parameter(tables: StudyTables, *, method: str, name: str) -> Found:
    """A parameter of a method, by its short name: the given one, else the default."""
    if tables.chain_runs is None:
        raise Absent("the study has no table of its models")
    own = tables.chain_runs[tables.chain_runs["method"] == method]
    if own.empty:
        raise Absent(f"the study has no {method}")
    given = {
        dict(pair.split("=", 1) for pair in str(text).split() if "=" in pair).get(name)
        for text in own["settings"]
    }
    if given == {None}:
        known = entries("chain").get(str(own["id"].iloc[0]))
        schema = None if known is None else known.parameters().get(name)
        if schema is None:
            raise Absent(f"{method} has no parameter {name}")
        return Found(schema["default"])
    if len(given) > 1:
        raise Absent(f"{method} has several values of {name}")
    value = str(given.pop())
    return Found(float(value))
