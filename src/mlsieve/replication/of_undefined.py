"""Finders of the datasets on which macro-averaged measures are undefined."""

from __future__ import annotations

import pandas as pd

from mlsieve.registry import entries
from mlsieve.replication.tables import Absent, Found, StudyTables, finder, one_evaluator
from mlsieve.tables.labels import labels_of


def _most_undefined(tables: StudyTables, measure: str) -> pd.Series:
    """Return by dataset for how many labels a measure is undefined, of the ranking with the most of them."""
    counts = [name for name, entry in entries("measure").items() if entry.facts.accompanies == measure]
    frame = one_evaluator(tables.performance[tables.performance["measure"].isin(counts)])
    if frame.empty:
        raise Absent(f"the study does not count the labels for which {measure} is undefined")
    frame = frame.assign(label=labels_of(frame))
    sizes = {label: tables.column(label)[1] for label in frame["label"].unique()}
    frame = frame[frame["size"] == frame["label"].map(sizes)]
    return frame.groupby(["dataset", "label"])["value"].mean().groupby("dataset").max()


@finder()
def undefined_datasets(tables: StudyTables, *, measure: str) -> Found:
    """On how many datasets a measure is undefined for some label, by some ranking at its size in use."""
    found = _most_undefined(tables, measure)
    return Found(int((found > 0).sum()), len(found), n_datasets=len(found))


@finder()
def undefined_on(tables: StudyTables, *, measure: str, dataset: str) -> Found:
    """Whether a measure is "undefined" for some label of a dataset, or "defined" for all."""
    found = _most_undefined(tables, measure)
    if dataset not in found.index:
        raise Absent(f"{dataset} is not among the study's datasets")
    return Found("undefined" if found[dataset] > 0 else "defined", n_datasets=1)
