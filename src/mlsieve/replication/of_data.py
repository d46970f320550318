"""Finders of the datasets, of the numbers of weighed features, and of worked.csv."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from mlsieve.questions.ensembles.efficiency import WITHIN_DATASET, efficiency_against_quality, shares_of
from mlsieve.replication.tables import Absent, Found, StudyTables, finder


@finder()
def absent(tables: StudyTables, *, reason: str) -> Found:
    """Report that the study has no such number, with the reason."""
    raise Absent(reason)


@finder()
def dataset_count(tables: StudyTables) -> Found:
    """How many datasets have values."""
    return Found(len(tables.names), n_datasets=len(tables.names))


def _facts(tables: StudyTables) -> pd.DataFrame:
    if tables.datasets is None:
        raise Absent("the study has no table of its datasets")
    facts = tables.datasets.set_index("dataset")
    facts = facts[facts.index.isin(tables.names)]
    return facts.assign(n=facts["n_train"] + facts["n_test"])


@finder()
def dataset_fact(tables: StudyTables, *, dataset: str, column: str) -> Found:
    """A number of one dataset: n, n_train, F, L, distinct, ..."""
    facts = _facts(tables)
    if dataset not in facts.index:
        raise Absent(f"{dataset} is not among the study's datasets")
    if column not in facts or pd.isna(facts.loc[dataset, column]):
        raise Absent(f"datasets.csv has no {column} of {dataset}")
    return Found(facts.loc[dataset, column], n_datasets=1)


@finder()
def dataset_range(tables: StudyTables, *, column: str, which: str, without: Sequence[str] = ()) -> Found:
    """The smallest or largest number of a column over the datasets."""
    facts = _facts(tables)
    facts = facts[~facts.index.isin(without)]
    if facts.empty:
        raise Absent("the study has no such dataset")
    return Found(float(facts[column].agg(which)), n_datasets=len(facts))


@finder()
def nth_largest(tables: StudyTables, *, column: str, n: int) -> Found:
    """The n-th largest of the different numbers in a column over the datasets."""
    facts = _facts(tables)
    numbers = sorted(facts[column].dropna().unique(), reverse=True)
    if len(numbers) < n:
        raise Absent(f"the study's datasets have {len(numbers)} different numbers of {column}")
    return Found(float(numbers[n - 1]), n_datasets=len(facts))


@finder()
def share_of_graphs(tables: StudyTables) -> Found:
    """The share of the hierarchies in which some class has several parents."""
    facts = _facts(tables)
    if "several_parents" not in facts or facts["several_parents"].isna().all():
        raise Absent("no dataset of the study has a hierarchy")
    several = facts["several_parents"].dropna()
    return Found(float((several > 0).mean()), n_datasets=len(several))


def _positive(tables: StudyTables, label: str) -> pd.DataFrame:
    """Return how many features a ranking at its size in use weighs above zero, by dataset."""
    rows = tables.labelled_rankings
    rows = rows[rows["label"] == label]
    if rows.empty:
        raise Absent(f"the study has no ranking {label}")
    if label in tables.sizes:
        rows = rows[rows["size"] == tables.sizes[label]]
    return rows.groupby("dataset")[["positive", "features"]].mean()


@finder()
def positive_share(tables: StudyTables, *, dataset: str, method: str) -> Found:
    """The share of a dataset's features that a ranking weighs above zero."""
    found = _positive(tables, method)
    if dataset not in found.index:
        raise Absent(f"{dataset} is not among the study's datasets")
    return Found(float(found.loc[dataset, "positive"] / found.loc[dataset, "features"]), n_datasets=1)


@finder()
def equal_positive(tables: StudyTables, *, method: str, other: str) -> Found:
    """On how many datasets two rankings weigh equally many features above zero."""
    first, second = (_positive(tables, label)["positive"] for label in (method, other))
    differences = (first - second).dropna()
    return Found(int((differences == 0).sum()), len(differences), n_datasets=len(differences))


@finder()
def fewer_positive(tables: StudyTables, *, method: str, than: Sequence[str]) -> Found:
    """On how many datasets a ranking weighs fewer features above zero than each of some others."""
    own = _positive(tables, method)["positive"]
    others = pd.concat([_positive(tables, label)["positive"] for label in than], axis=1).dropna()
    both = own.index.intersection(others.index)
    fewer = own[both] < others.loc[both].min(axis=1)
    return Found(int(fewer.sum()), len(both), n_datasets=len(both))


@finder()
def efficiency_correlation(tables: StudyTables, *, measure: str) -> Found:
    """Kendall's tau-b of share of positive weights and quality over the rankings, its mean over datasets."""
    rival = tables.analysis.rival
    labels = [*tables.labels_of_scores, *([rival] if rival in tables.values.singles() else [])]
    sizes = {label: tables.column(label)[1] for label in labels}
    shares = shares_of(tables.rankings, sizes) if len(tables.rankings) else pd.DataFrame()
    if len(shares.columns) < 2:
        raise Absent("the study has no numbers of positive weights to compare")
    found = efficiency_against_quality(tables.values, tables.analysis, shares, sizes)
    first = tables.values.evaluators[0]
    name = f"{measure}, {first}" if len(tables.values.evaluators) > 1 else measure
    found = found[(found["measure"] == name) & (found["ranking"] == WITHIN_DATASET)]
    if found.empty:
        raise Absent(f"the study has no correlation of efficiency and quality by {measure}")
    row = found.iloc[0]
    return Found(float(row["correlation"]), n_datasets=int(row["datasets"]))


def _worked(tables: StudyTables, selector: str, iteration: int) -> pd.DataFrame:
    rows = tables.worked
    if rows is None:
        raise Absent("the study has no worked example")
    rows = rows[(rows["selector"] == selector) & (rows["iteration"] == iteration)]
    if rows.empty:
        raise Absent(f"the worked example has no iteration {iteration} of {selector}")
    return rows.set_index("feature")


@finder()
def worked(
    tables: StudyTables,
    *,
    feature: int,
    column: str,
    iteration: int,
    method: str = "",
    selector: str = "",
    twin: int | None = None,
) -> Found:
    """A number of one feature, counted from 1, in one iteration of a selector.

    If the feature was selected before, the number is that of its ``twin``, a feature with the same values.
    """
    rows = _worked(tables, selector or method, iteration)
    for number in (feature, twin):
        if number is not None and number - 1 in rows.index:
            value = float(rows.loc[number - 1, column])
            if not math.isnan(value):
                return Found(value, n_datasets=1)
    raise Absent(f"worked.csv has no {column} of feature {feature} in iteration {iteration}")


@finder()
def worked_choice(tables: StudyTables, *, method: str, iteration: int) -> Found:
    """The feature, counted from 1, that a selector selects in an iteration."""
    rows = _worked(tables, method, iteration)
    selected = [int(feature) + 1 for feature in rows.index[rows["selected"].astype(int) == 1]]
    if not selected:
        raise Absent(f"{method} selects nothing in iteration {iteration}")
    return Found(f"f{selected[0]}", n_datasets=1)


@finder()
def same_information(
    tables: StudyTables, *, feature: int, other: int, selector: str, iteration: int
) -> Found:
    """Whether two features, counted from 1, are "equal": H(f) = H(g) = M(f; g), or are "not equal".

    The iteration is the one after one of them was selected, whose ``redundancy`` is M(f; g).
    """
    rows = _worked(tables, selector, iteration)
    names = [number - 1 for number in (feature, other)]
    if missing := [name + 1 for name in names if name not in rows.index]:
        raise Absent(f"worked.csv has no feature {missing[0]} in iteration {iteration}")
    some = rows.loc[names]
    selected = some[some["criterion"].isna()]
    if len(selected) != 1:
        raise Absent(f"neither or both of the features were selected before iteration {iteration}")
    mutual = float(some.drop(index=selected.index)["redundancy"].iloc[0])
    equal = all(abs(float(value) - mutual) < 1e-9 for value in some["entropy"])
    return Found("equal" if equal else "not equal", n_datasets=1)
