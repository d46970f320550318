"""Finders about chains of labels: pairs of methods by dataset, lengths, costs, parameters."""

from __future__ import annotations

import pandas as pd

from mlsieve.analysis.chains.lengths import (
    PREDICTION,
    TRAINING,
    cardinalities,
    first_rounds,
    length_frame,
    means_of,
    near_the_end,
    ratio_curve,
    ratios,
)
from mlsieve.analysis.chains.pairs import PairCounts, pair_counts
from mlsieve.analysis.choices import Choices
from mlsieve.questions.chains.chain_length import ChainLengthKeys
from mlsieve.questions.chains.split_functions import SplitFunctionKeys
from mlsieve.registry import entries
from mlsieve.replication.tables import Absent, Found, StudyTables, finder


def _counts(tables: StudyTables, measure: str, method: str, than: str) -> PairCounts:
    if measure not in tables.values.measures:
        raise Absent(f"the study has no measure {measure}")
    counts = pair_counts(tables.values, Choices(tables.values, tables.analysis), method, than, measure)
    if not counts.datasets:
        raise Absent(f"no dataset has values of both {method} and {than}")
    return counts


@finder()
def better_on(tables: StudyTables, *, measure: str, method: str, than: str) -> Found:
    """On how many datasets a method is better than another, rounded as for ranks."""
    counts = _counts(tables, measure, method, than)
    return Found(counts.better, counts.datasets, n_datasets=counts.datasets)


@finder()
def twice_on(tables: StudyTables, *, measure: str, method: str, than: str) -> Found:
    """On how many datasets a method's value is at least twice that of another."""
    counts = _counts(tables, measure, method, than)
    return Found(counts.twice, counts.datasets, n_datasets=counts.datasets)


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
    return Found(int(rows["n_datasets"].max()), n_datasets=int(rows["n_datasets"].max()))


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


def _reference(tables: StudyTables) -> str:
    return tables.analysis.of(ChainLengthKeys).cost_reference


def _ratio(tables: StudyTables, dataset: str, method: str, measure: str) -> pd.Series:
    found = ratio_curve(means_of(_lengths(tables)), dataset, method, _reference(tables), measure)
    if found.empty:
        raise Absent(f"{method} and {_reference(tables)} have no values in common on {dataset}")
    return found


@finder()
def cheaper_lengths(tables: StudyTables, *, dataset: str, method: str) -> Found:
    """How many lengths of a chain train in less time than the static chain does."""
    times = _ratio(tables, dataset, method, TRAINING)
    return Found(int((times < 1).sum()), len(times), n_datasets=1)


@finder()
def rounds_until_slower(tables: StudyTables, *, dataset: str, method: str) -> Found:
    """The longest chain before the first one that takes longer to predict than the static chain does."""
    times = _ratio(tables, dataset, method, PREDICTION)
    slower = times.index[times > 1]
    return Found(int(slower[0]) - 1 if len(slower) else int(times.index[-1]), n_datasets=1)


@finder()
def cost_ratio(tables: StudyTables, *, dataset: str, method: str, length: str, of: str) -> Found:
    """Training time ("cost") or F1 ("quality") over that of the static chain, at the first or last length."""
    found = ratios(_lengths(tables), method, _reference(tables))
    found = found[found["dataset"] == dataset].sort_values("length")
    if found.empty:
        raise Absent(f"{method} and {_reference(tables)} have no values in common on {dataset}")
    return Found(float(found[of].iloc[0 if length == "first" else -1]), n_datasets=1)


@finder()
def faster_at_first(tables: StudyTables, *, method: str) -> Found:
    """On how many datasets the first round of a chain trains in less time than the static chain does."""
    found = ratios(_lengths(tables), method, _reference(tables))
    if found.empty:
        raise Absent(f"no dataset has values of both {method} and {_reference(tables)}")
    first = found.sort_values("length").groupby("dataset")["cost"].first()
    return Found(int((first < 1).sum()), len(first), n_datasets=len(first))


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
