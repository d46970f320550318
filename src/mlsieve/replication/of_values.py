"""Finders about single datasets, the best of several values, and similarities."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mlsieve.analysis.choices import paper_pairs
from mlsieve.replication.tables import Absent, Found, StudyTables, finder


def _values_of(
    tables: StudyTables, measure: str, columns: Sequence[tuple[str, int]], *, rounded: bool = False
) -> pd.DataFrame:
    """Return datasets by columns, rounded as for ranks or not, the sign turned so that higher is better."""
    table = tables.values
    if measure not in table.measures:
        raise Absent(f"the study has no measure {measure}")
    values = table.values(table.evaluators[0], measure, columns, rounded=rounded)
    return -values if table.directions[measure] == "lower" else values


def _of_dataset(values: pd.DataFrame, dataset: str) -> pd.Series:
    if dataset not in values.index:
        raise Absent(f"{dataset} is not among the study's datasets")
    row = values.loc[dataset]
    if row.isna().any():
        raise Absent(f"not all of the compared methods have a value on {dataset}")
    return row


@finder()
def sizes_placed(
    tables: StudyTables, *, dataset: str, measure: str, ensemble: str, score: str, position: str
) -> Found:
    """At how many sizes of an ensemble a score is the best, or the worst, on one dataset."""
    pairs = paper_pairs(tables.values, tables.analysis)
    pairs = pairs[pairs["ensemble"] == ensemble]
    if score not in set(pairs["score"]):
        raise Absent(f"the study has no score {score} of {ensemble}")
    sizes = sorted(set.intersection(*(set(sizes) for sizes in pairs["sizes"])))
    count = 0
    for size in sizes:
        columns = [(label, size) for label in pairs["label"]]
        row = _of_dataset(_values_of(tables, measure, columns), dataset).to_numpy()
        own = row[pairs["score"].tolist().index(score)]
        count += bool(own == (row.max() if position == "best" else row.min()))
    return Found(count, len(sizes), n_datasets=1)


@finder()
def better_on_dataset(
    tables: StudyTables, *, dataset: str, measure: str, than: str, chosen: bool = False
) -> Found:
    """How many rankings are better than a method on one dataset.

    All pairs of ensemble and score, or each score with its ensemble in use (``chosen``).
    """
    pairs = paper_pairs(tables.values, tables.analysis)["label"].tolist()
    labels = tables.labels_of_scores if chosen else pairs
    if than not in tables.values.singles() or not labels:
        raise Absent(f"the study does not compare its rankings with {than}")
    columns = [tables.column(label) for label in (*labels, than)]
    row = _of_dataset(_values_of(tables, measure, columns), dataset).to_numpy()
    return Found(int((row[:-1] > row[-1]).sum()), len(labels), n_datasets=1)


@finder()
def percentage_best(tables: StudyTables, *, method: str, measure: str) -> Found:
    """On what percentage of the datasets no method of the paper's is better, rounded as for ranks."""
    methods = list(tables.analysis.paper_methods or ())
    if method not in methods:
        raise Absent(f"the study has no {method} among the paper's methods")
    values = _values_of(tables, measure, [tables.column(name) for name in methods], rounded=True).dropna()
    if values.empty:
        raise Absent("no dataset has values of all of the paper's methods")
    numbers = values.to_numpy()
    best = numbers[:, methods.index(method)] == numbers.max(axis=1)
    return Found(100 * float(best.mean()), 100, n_datasets=len(values))


@finder()
def between(tables: StudyTables, *, measure: str, ensemble: str, score: str, others: Sequence[str]) -> Found:
    """On how many datasets a score's value lies between those of two others of the same ensemble."""
    pairs = paper_pairs(tables.values, tables.analysis)
    pairs = pairs[pairs["ensemble"] == ensemble]
    by_score = dict(zip(pairs["score"], pairs["label"], strict=True))
    if missing := [name for name in (score, *others) if name not in by_score]:
        raise Absent(f"the study has no score {missing[0]} of {ensemble}")
    columns = [tables.column(by_score[name]) for name in (score, *others)]
    values = _values_of(tables, measure, columns).dropna().to_numpy()
    if not len(values):
        raise Absent("no dataset has values of all three scores")
    inside = (values[:, 0] >= values[:, 1:].min(axis=1)) & (values[:, 0] <= values[:, 1:].max(axis=1))
    return Found(int(inside.sum()), len(values), n_datasets=len(values))


@finder()
def gain_on_dataset(tables: StudyTables, *, dataset: str, measure: str, method: str, than: str) -> Found:
    """How much better a ranking at its size in use is than another on one dataset (below 0: worse)."""
    known = set(tables.values.labels["label"])
    if missing := [name for name in (method, than) if name not in known]:
        raise Absent(f"the study has no {missing[0]}")
    values = _values_of(tables, measure, [tables.column(method), tables.column(than)])
    row = _of_dataset(values, dataset).to_numpy()
    return Found(float(row[0] - row[1]), n_datasets=1)


@finder()
def measure_count(tables: StudyTables) -> Found:
    """How many measures are tested."""
    return Found(len(tables.values.measures))


@finder()
def most_similar_pair(tables: StudyTables) -> Found:
    """The two scores whose rankings have the highest mean similarity."""
    means = _similarities(tables)
    first, second = means.idxmax()
    return Found(
        ", ".join(sorted((tables.labels[first].short, tables.labels[second].short))),
        n_datasets=_n_similar(tables),
    )


@finder()
def least_similar(tables: StudyTables) -> Found:
    """The score whose mean similarity to the others is the lowest."""
    means = _similarities(tables)
    names = sorted({name for pair in means.index for name in pair})
    of_each = {name: means[[pair for pair in means.index if name in pair]].mean() for name in names}
    return Found(
        tables.labels[min(of_each, key=lambda name: of_each[name])].short, n_datasets=_n_similar(tables)
    )


@finder()
def most_similar_to(tables: StudyTables, *, others: Sequence[str]) -> Found:
    """The score whose rankings have the highest mean similarity to those of some others."""
    means = _similarities(tables)
    near: dict[str, list[float]] = {}
    for (first, second), value in means.items():
        names = tables.labels[first].short, tables.labels[second].short
        for own, other in (names, names[::-1]):
            if own not in others and other in others:
                near.setdefault(own, []).append(float(value))
    near = {name: values for name, values in near.items() if len(values) == len(others)}
    if not near:
        raise Absent("the study does not compare these rankings with each other")
    return Found(max(near, key=lambda name: sum(near[name])), n_datasets=_n_similar(tables))


def _similarities(tables: StudyTables) -> pd.Series:
    if tables.similarity is None or tables.similarity.empty:
        raise Absent("the study does not compare rankings with each other")
    frame = tables.similarity.assign(similarity=tables.similarity["similarity"].astype(float))
    by_dataset = frame.groupby(["first", "second", "dataset"], sort=False)["similarity"].mean()
    return by_dataset.groupby(["first", "second"], sort=False).mean()


def _n_similar(tables: StudyTables) -> int:
    return 0 if tables.similarity is None else int(tables.similarity["dataset"].nunique())
