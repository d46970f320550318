"""Finders of the results of tests: verdicts, p-values, numbers of significant tests."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import pandas as pd

from mlsieve.files.csv_tables import EFFECT_SIZE
from mlsieve.questions.ensembles.candidates import of_subset
from mlsieve.replication.tables import (
    DOMAINS,
    Absent,
    Found,
    StudyTables,
    finder,
    most_datasets,
    one_evaluator,
    rows_of,
)

_MAIN = ("friedman", "wilcoxon")
_AFTER_FRIEDMAN = ("nemenyi", "bonferroni-dunn")


def _tests(
    tables: StudyTables,
    variant: str,
    question: str,
    test: str,
    *,
    measure: str = "",
    method: str = "",
    comparison: str = "",
    score: str = "",
    than: str = "",
    subset: str = "",
    groups: str = "",
    opponent: bool = False,
) -> pd.DataFrame:
    """Return the tests that a figure is about.

    Columns are added: ``better`` and ``worse``, of the first method, and ``out_of_reach``, whether the test
    cannot be significant where each domain counts once.

    Parameters
    ----------
    test : str
        "main" for Friedman's or Wilcoxon's, whichever the comparison has. If Friedman's test is not
        significant, its pairs have no test of their own, and their effect sizes are returned.
    method : str
        The first method of the test (with ``opponent`` the second), or what a comparison of sizes is about.
    score, than : str
        The score of the first method, and of the second: a pair in the other order is reversed.
    subset : str
        Last words of the comparison.
    groups : str
        "pairs": comparisons of ensembles with a score only.
    """
    rows = rows_of(tables.tests_by_place, variant, question, measure, comparison)
    wanted = _MAIN if test == "main" else (test, EFFECT_SIZE) if test in _AFTER_FRIEDMAN else (test,)
    rows = one_evaluator(rows[rows["test"].isin(wanted)])
    pairs = rows["methods"].astype(str).str.split(";")
    first, second = pairs.str[0], pairs.str[-1]
    statistic = rows["statistic"].astype(float)
    signed = rows["rank_sum_better"].astype(float) - rows["rank_sum_worse"].astype(float)
    favour = signed.where(rows["test"] == "wilcoxon", -statistic)
    scores, others = (names.map(lambda name: tables.labels[name].short) for names in (first, second))
    if than:
        turned = (scores == than) & (others == score)
        scores, others = scores.mask(turned, others), others.mask(turned, scores)
        first, second = first.mask(turned, second), second.mask(turned, first)
        favour = favour.mask(turned, -favour)
    rows = rows.assign(better=favour > 0, worse=favour < 0, out_of_reach=False)
    if variant == DOMAINS and "p_least" in rows:
        rows["out_of_reach"] = rows["p_least"].astype(float) > tables.analysis.significance
    keep = pd.Series(True, index=rows.index)
    if method:
        keep &= ((second if opponent else first) == method) | (rows["comparison"] == method)
    if score:
        keep &= scores == score
    if than:
        keep &= others == than
    if subset:
        keep &= of_subset(rows, subset)
    if groups == "pairs":
        keep &= tables.labels.of_trees(rows["comparison"])
    rows = rows[keep]
    if rows.empty:
        named = [text for text in (method, score, comparison, subset) if text]
        raise Absent(
            f"the study has no such test of {question}" + (f" ({', '.join(named)})" if named else "")
        )
    return rows


def _one(rows: pd.DataFrame) -> pd.Series:
    if len(rows) > 1:
        raise Absent(f"{len(rows)} tests of the study correspond to it")
    row = rows.iloc[0]
    if math.isnan(float(row["p_value"])) and row["test"] != EFFECT_SIZE:
        raise Absent(str(row["note"]))
    return row


def _sided(rows: pd.DataFrame, favours: str) -> pd.Series:
    """Return which tests are significant in the direction that is asked for, if one is."""
    rejected = rows["rejected"]
    return rejected if not favours else rejected & (rows["better"] if favours == "first" else rows["worse"])


def _within_reach(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the tests that are not out of reach, and a remark on the others."""
    beyond = rows["out_of_reach"]
    if not beyond.any():
        return rows, ""
    count = "" if beyond.all() else f"{int(beyond.sum())} more "
    return rows[~beyond], f"{count}out of reach: p at least {rows['p_least'].astype(float)[beyond].min():.3g}"


def _verdict(row: pd.Series, favours: str) -> dict[str, bool]:
    rejected = bool(row["rejected"])
    right = not favours or bool(row["better"] if favours == "first" else row["worse"])
    return {"significant": rejected and right, "against": rejected and not right}


def _finder_of_tests(function: Callable[..., Found]) -> Callable[..., Found]:
    """Register a finder that takes the parameters of `_tests`, whose rows it gets, and its own keywords."""
    shared = dict(inspect.signature(_tests).parameters)
    own = {name: one for name, one in inspect.signature(function).parameters.items() if name != "rows"}

    @functools.wraps(function)
    def found(tables: StudyTables, variant: str, **given: Any) -> Found:
        rows = _tests(tables, variant, **{name: given[name] for name in given if name in shared})
        return function(rows, **{name: given[name] for name in given if name in own or name not in shared})

    found.__signature__ = inspect.Signature([*(shared | own).values()])  # type: ignore[attr-defined]
    return finder(variants=True)(found)


@_finder_of_tests
def verdict(rows: pd.DataFrame, *, than: str = "", favours: str = "") -> Found:
    """One test's adjusted p-value and verdict; with ``than`` in favour of ``score`` over it."""
    row = _one(rows)
    value = float(row["p_adjusted"])
    shown: float | str = "no test" if math.isnan(value) else value
    sides, beyond = _verdict(row, favours or ("first" if than else "")), _within_reach(rows)[1]
    return Found(shown, n_datasets=int(row["n_datasets"]), out_of_reach=beyond, **sides)


@_finder_of_tests
def p_value(rows: pd.DataFrame, *, favours: str = "") -> Found:
    """One test's p-value before any correction, with its verdict."""
    row = _one(rows)
    sides, beyond = _verdict(row, favours), _within_reach(rows)[1]
    return Found(float(row["p_value"]), n_datasets=int(row["n_datasets"]), out_of_reach=beyond, **sides)


@_finder_of_tests
def p_extreme(rows: pd.DataFrame, *, which: str, rejected: bool | None = None) -> Found:
    """The smallest or largest p-value before correction, of all or of those (not) significant after it."""
    if rejected is not None:
        rows = rows[rows["rejected"] == rejected]
    values = rows["p_value"].astype(float).dropna()
    if values.empty:
        raise Absent(
            "no test of the study is significant" if rejected else "every test of the study is significant"
        )
    beyond = _within_reach(rows)[1].replace(" more ", " of the tests ")
    return Found(float(values.agg(which)), n_datasets=most_datasets(rows), out_of_reach=beyond)


@_finder_of_tests
def rejections(rows: pd.DataFrame, *, favours: str = "", negated: bool = False) -> Found:
    """How many tests are significant (``favours``: in that direction; ``negated``: are not)."""
    n_datasets = most_datasets(rows)
    rows, beyond = _within_reach(rows)
    if rows.empty:
        return Found("", n_datasets=n_datasets, out_of_reach=beyond)
    count = int(_sided(rows, favours).sum())
    value = len(rows) - count if negated else count
    return Found(value, len(rows), n_datasets=n_datasets, out_of_reach=beyond)


@finder(variants=True)
def singled_out(tables: StudyTables, variant: str, *, question: str, comparison: str) -> Found:
    """By how many measures Nemenyi's test finds one method significantly better than all others."""
    rows = _tests(tables, variant, question, "nemenyi", comparison=comparison)
    count = 0
    for _, group in rows.groupby("measure", sort=False):
        pairs = group["methods"].astype(str).str.split(";")
        rejected = group["rejected"]
        winners = pd.concat(
            [pairs.str[0][rejected & group["better"]], pairs.str[-1][rejected & group["worse"]]]
        )
        n_methods = pairs.explode().nunique()
        count += bool((winners.value_counts() == n_methods - 1).any())
    return Found(count, int(rows["measure"].nunique()), n_datasets=most_datasets(rows))


@_finder_of_tests
def rivals_beaten(rows: pd.DataFrame, *, winner: str, rival: str = "") -> Found:
    """How many tests of a method against others (or one ``rival``) find it significantly better."""
    pairs = rows["methods"].astype(str).str.split(";")
    first, second = pairs.str[0] == winner, pairs.str[-1] == winner
    own = (first | second) & pairs.map(lambda pair: not rival or rival in pair)
    if not own.any():
        raise Absent(f"the study has no such test of {winner}")
    won = rows["rejected"] & (rows["better"].where(first, rows["worse"]))
    return Found(int(won[own].sum()), int(own.sum()), n_datasets=most_datasets(rows[own]))


@_finder_of_tests
def favoured(rows: pd.DataFrame, *, favours: str = "first") -> Found:
    """How many tests favour the first method (or the second), significant or not."""
    side = rows["better"] if favours == "first" else rows["worse"]
    return Found(int(side.sum()), len(rows), n_datasets=most_datasets(rows))


@_finder_of_tests
def measures_with(rows: pd.DataFrame, *, at_least: int, favours: str = "") -> Found:
    """By how many measures at least so many tests are significant."""
    n_datasets = most_datasets(rows)
    rows, beyond = _within_reach(rows)
    if rows.empty:
        return Found("", n_datasets=n_datasets, out_of_reach=beyond)
    beyond = beyond.replace(" more ", " of the tests ")
    counts = _sided(rows, favours).groupby(rows["measure"]).sum()
    return Found(int((counts >= at_least).sum()), len(counts), n_datasets=n_datasets, out_of_reach=beyond)


@_finder_of_tests
def test_value(rows: pd.DataFrame, *, column: str) -> Found:
    """A column of one test, or of the first of several; with its verdict."""
    if column not in rows or pd.isna(rows.iloc[0][column]):
        raise Absent(f"tests.csv has no {column} for it")
    row = rows.iloc[0]
    sides = _verdict(row, "")
    return Found(
        float(row[column]), None, sides["significant"], sides["against"], n_datasets=int(row["n_datasets"])
    )


@_finder_of_tests
def rank_sum(rows: pd.DataFrame, *, side: str) -> Found:
    """One of Wilcoxon's rank sums ("better" or "worse", of the first method), of both together."""
    row = _one(rows)
    sums = {name: float(row[f"rank_sum_{name}"]) for name in ("better", "worse")}
    return Found(sums[side], round(sum(sums.values())), n_datasets=int(row["n_datasets"]))
