"""Finders of curves: the measures of one dataset against the number of selected features."""

from __future__ import annotations

import pandas as pd

from mlsieve.errors import number_of
from mlsieve.replication.tables import Absent, Found, StudyTables, finder
from mlsieve.tables.labels import labels_of


def _curve(tables: StudyTables, dataset: str, measure: str, method: str) -> pd.Series:
    """Return a method's mean values over the splits by number of selected features, in ascending order."""
    frame = tables.performance
    frame = frame[(frame["dataset"] == dataset) & (frame["measure"] == measure)]
    frame = frame.assign(label=labels_of(frame)) if len(frame) else frame.assign(label="")
    frame = frame[frame["label"] == method]
    if frame.empty:
        raise Absent(f"the study has no values of {method} on {dataset}")
    return frame.groupby("features")["value"].mean().sort_index().dropna()


@finder()
def better_along_curve(tables: StudyTables, *, dataset: str, measure: str, method: str, than: str) -> Found:
    """At how many numbers of selected features a method is better than another on one dataset."""
    own, other = (_curve(tables, dataset, measure, name) for name in (method, than))
    differences = (own - other).dropna()
    if tables.values.directions[measure] == "lower":
        differences = -differences
    if differences.empty:
        raise Absent(f"{method} and {than} are evaluated at different numbers of features")
    return Found(int((differences > 0).sum()), len(differences), n_datasets=1)


@finder()
def change_along_curve(
    tables: StudyTables, *, dataset: str, measure: str, method: str, start: int, end: int
) -> Found:
    """By how much a measure changes from one number of selected features to another on one dataset."""
    curve = _curve(tables, dataset, measure, method)
    if missing := [number for number in (start, end) if number not in curve.index]:
        raise Absent(f"{method} is not evaluated with {number_of(missing[0], 'feature')} on {dataset}")
    return Found(float(curve[end] - curve[start]), n_datasets=1)


@finder()
def improvements_along_curve(tables: StudyTables, *, dataset: str, measure: str, method: str) -> Found:
    """At how many numbers of features a method is better than at the number before, on one dataset."""
    steps = _curve(tables, dataset, measure, method).diff().dropna()
    if steps.empty:
        raise Absent(f"{method} is evaluated with one number of features on {dataset}")
    if tables.values.directions[measure] == "lower":
        steps = -steps
    return Found(int((steps > 0).sum()), len(steps), n_datasets=1)
