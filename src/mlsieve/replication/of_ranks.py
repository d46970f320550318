"""Finders of average ranks and of what the study chooses by them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from scipy.stats import rankdata

from mlsieve.replication.printed import printed_number
from mlsieve.replication.tables import (
    Absent,
    Found,
    StudyTables,
    finder,
    label_of_score,
    most_datasets,
    one_evaluator,
    rows_of,
)
from mlsieve.tables.labels import Label


def _ranks(
    tables: StudyTables, variant: str, question: str, measure: str = "", comparison: str = ""
) -> pd.DataFrame:
    """Return the rows of average_ranks.csv of one measure (all, where it is empty), with a rank."""
    rows = rows_of(tables.ranks_by_place, variant, question, measure, comparison)
    rows = one_evaluator(rows[rows["rank"].notna()])
    if rows.empty:
        raise Absent(f"the study has no average ranks of {question}")
    return rows


def _places(ranks: pd.Series) -> dict[str, int]:
    return dict(zip(ranks.index, rankdata(ranks.round(9), method="min").astype(int).tolist(), strict=True))


def _row(tables: StudyTables, rows: pd.DataFrame, method: str, score: str) -> str:
    labels = list(rows["method"])
    if score:
        return label_of_score(tables, labels, score)
    if method not in labels:
        raise Absent(f"the study has no {method} in this comparison")
    return method


@finder(variants=True)
def average_rank(
    tables: StudyTables,
    variant: str,
    *,
    question: str,
    measure: str,
    method: str = "",
    score: str = "",
    comparison: str = "",
) -> Found:
    """The average rank of a method and its place among all that are compared."""
    rows = _ranks(tables, variant, question, measure, comparison)
    label = _row(tables, rows, method, score)
    ranks = rows.set_index("method")["rank"].astype(float)
    return Found(float(ranks[label]), place=_places(ranks)[label], n_datasets=most_datasets(rows))


@finder(variants=True)
def place_of(
    tables: StudyTables,
    variant: str,
    *,
    question: str,
    measure: str,
    method: str = "",
    score: str = "",
    comparison: str = "",
) -> Found:
    """The place of a method's average rank: 1 for the best, ties share the better place."""
    row = {"measure": measure, "method": method, "score": score, "comparison": comparison}
    found = average_rank(tables, variant, question=question, **row)
    return Found(float(found.place or 0), n_datasets=found.n_datasets)


@finder(variants=True)
def rank_difference(
    tables: StudyTables, variant: str, *, question: str, measure: str, method: str, than: str
) -> Found:
    """The average rank of a method minus that of another: below 0, the first is better."""
    first, second = (
        average_rank(tables, variant, question=question, measure=measure, method=name)
        for name in (method, than)
    )
    return Found(float(first.value) - float(second.value), n_datasets=first.n_datasets)


@finder(variants=True)
def measures_placed(tables: StudyTables, variant: str, *, question: str, method: str, at_least: int) -> Found:
    """By how many measures a method's place is this one or a worse one."""
    rows = _ranks(tables, variant, question)
    places = []
    for _, group in rows.groupby("measure", sort=False):
        label = _row(tables, group, method, "")
        places.append(_places(group.set_index("method")["rank"].astype(float))[label])
    count = sum(place >= at_least for place in places)
    return Found(count, len(places), n_datasets=most_datasets(rows))


@finder(variants=True)
def placed_method(
    tables: StudyTables,
    variant: str,
    *,
    question: str,
    measure: str,
    position: str,
    comparison: str = "",
    part: str = "",
) -> Found:
    """The method of the best ("first") or worst ("last") average rank; of its label the score or ensemble."""
    rows = _ranks(tables, variant, question, measure, comparison)
    ranks = rows.set_index("method")["rank"].astype(float)
    label = ranks.idxmin() if position == "first" else ranks.idxmax()
    return Found(_part(tables.labels[str(label)], part), n_datasets=most_datasets(rows))


def _part(label: Label, part: str) -> str:
    if part == "ensemble":
        return label.ensemble or str(label)
    return label.short if part == "score" else str(label)


@finder(variants=True)
def best_mean_rank(tables: StudyTables, variant: str, *, question: str, part: str = "") -> Found:
    """The method of the best mean of its average ranks by all measures."""
    rows = _ranks(tables, variant, question)
    means = rows.assign(rank=rows["rank"].astype(float)).groupby("method", sort=False)["rank"].mean()
    return Found(_part(tables.labels[str(means.idxmin())], part), n_datasets=most_datasets(rows))


@finder(variants=True)
def rank_spread(tables: StudyTables, variant: str, *, question: str, measure: str, method: str) -> Found:
    """The largest difference of two average ranks of one method's sizes."""
    rows = _ranks(tables, variant, question, measure, method)
    ranks = rows["rank"].astype(float)
    return Found(float(ranks.max() - ranks.min()), n_datasets=most_datasets(rows))


@finder(variants=True)
def critical_distance(
    tables: StudyTables, variant: str, *, question: str, over_standard_error: bool = False
) -> Found:
    """The critical distance of a question's tests; over the ranks' standard error it is the quantile q."""
    rows = _ranks(tables, variant, question)
    rows = rows[rows["critical_distance"].notna()]
    if rows.empty:
        raise Absent("Friedman's test is not significant, so there is no critical distance")
    rows = rows[rows["measure"] == rows["measure"].iloc[0]]
    distance, n = float(rows["critical_distance"].iloc[0]), int(rows["n_datasets"].iloc[0])
    if over_standard_error:
        k = len(rows)
        distance /= math.sqrt(k * (k + 1) / (6 * n))
    return Found(distance, n_datasets=n)


@finder(variants=True)
def smallest_of_best_group(
    tables: StudyTables, variant: str, *, question: str, measure: str, method: str
) -> Found:
    """The smallest size whose average rank is within the critical distance of the best.

    If Friedman's test is not significant, this is the smallest of all.
    """
    rows = _ranks(tables, variant, question, measure, method)
    ranks = {int(row["method"]): float(row["rank"]) for row in rows.to_dict("records")}
    distance = float(rows["critical_distance"].iloc[0])
    limit = math.inf if math.isnan(distance) else min(ranks.values()) + distance
    return Found(min(size for size, rank in ranks.items() if rank < limit), n_datasets=most_datasets(rows))


def _by_measure(tables: StudyTables, variant: str, question: str, comparison: str) -> pd.DataFrame:
    """Return average ranks, methods by measures."""
    rows = _ranks(tables, variant, question, comparison=comparison)
    ranks = rows.assign(rank=rows["rank"].astype(float).round(9))
    return ranks.pivot_table(index="method", columns="measure", values="rank", sort=False)


def _require(ranks: pd.DataFrame, *methods: str) -> None:
    for method in methods:
        if method not in ranks.index:
            raise Absent(f"the study has no {method} in this comparison")


@finder(variants=True)
def ranked_before(
    tables: StudyTables, variant: str, *, question: str, comparison: str, method: str, than: str
) -> Found:
    """By how many measures a method has a better average rank than another."""
    ranks = _by_measure(tables, variant, question, comparison)
    _require(ranks, method, than)
    return Found(int((ranks.loc[method] < ranks.loc[than]).sum()), ranks.shape[1])


@finder(variants=True)
def in_the_last_half(
    tables: StudyTables, variant: str, *, question: str, comparison: str, method: str
) -> Found:
    """By how many measures a method's average rank is worse than the median of all in its comparison."""
    ranks = _by_measure(tables, variant, question, comparison)
    _require(ranks, method)
    return Found(int((ranks.loc[method] > ranks.median()).sum()), ranks.shape[1])


@finder(variants=True)
def methods_behind(
    tables: StudyTables,
    variant: str,
    *,
    question: str,
    comparison: str,
    measure: str,
    method: str,
    without: Sequence[str] = (),
) -> Found:
    """How many of the other methods of a comparison have a worse average rank than a method."""
    ranks = _by_measure(tables, variant, question, comparison)
    _require(ranks, method)
    if measure not in ranks:
        raise Absent(f"the study has no average ranks by {measure}")
    others = ranks[measure].drop([method, *without], errors="ignore").dropna()
    behind = int((others > ranks.loc[method, measure]).sum())
    return Found(behind, len(others))


@finder()
def own_choice(tables: StudyTables, *, kind: str, method: str) -> Found:
    """The size (a number) or ensemble that the study's own tests choose, even if it uses the paper's."""
    rows = tables.choices
    rows = rows[(rows["choice"] == "own") & (rows["kind"] == kind) & (rows["item"] == method)]
    if rows.empty or not str(rows["value"].iloc[0]):
        raise Absent(f"the study chooses no {kind} for {method}")
    value = str(rows["value"].iloc[0])
    number = printed_number(value)
    return Found(value if number is None else number)
