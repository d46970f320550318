"""Effects of the order of the columns, over datasets: summaries and tests.

CLUS, and with it published rankings, takes the columns in the file's order under ``ties=first``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import TEST_COLUMNS, Comparison, compare
from mlsieve.errors import UserError
from mlsieve.evaluation.column_order import COLUMNS, FILE, ORDERS, OTHER_SEED, REVERSED, SEEDS
from mlsieve.files.csv_tables import BY_DOMAIN

QUESTION = "column-order"
SUMMARY = (
    "ensemble",
    "score",
    "size",
    "ties",
    "comparison",
    "quantity",
    "n_datasets",
    "median",
    "least",
    "largest",
)
MEANS = ("mean_first", "mean_first_reversed", "mean_random", "order_difference", "seed_difference")
TESTS = (*TEST_COLUMNS[:6], "ensemble", "score", "size", *MEANS, *TEST_COLUMNS[6:])
# Names of the rankings in the tests; none of them is the id of a registered ranker, such as random.
BY_FIRST, BY_FIRST_REVERSED = "ties-first", "ties-first-reversed"
BY_FIRST_OTHER_SEED, BY_RANDOM = "ties-first-other-seed", "ties-random"
_METHODS = {
    ("first", FILE): BY_FIRST,
    ("first", REVERSED): BY_FIRST_REVERSED,
    ("first", OTHER_SEED): BY_FIRST_OTHER_SEED,
    ("random", FILE): BY_RANDOM,
}


def read_effects(paths: Iterable[str | os.PathLike[str]]) -> pd.DataFrame:
    """Read tables of ``mlsieve step column-order`` into one, in the order of the files.

    Returns
    -------
    DataFrame
        Columns `mlsieve.evaluation.column_order.COLUMNS`; ``value`` is float64 (NaN allowed), ``size`` and
        ``repeat`` int, all else text without NaN.

    Raises
    ------
    UserError
        If a file is missing, damaged or not such a table, or two files hold the same observation.
    """
    from mlsieve.files.csv_tables import read_rows

    frames = []
    for path in paths:
        rows = read_rows(path)
        if rows and tuple(rows[0]) != COLUMNS:
            raise UserError(
                "is not a table of effects of the column order",
                file=path,
                line=1,
                hint="make it with 'mlsieve step column-order'",
            )
        frames.append(pd.DataFrame(rows, columns=list(COLUMNS), dtype=object))
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(COLUMNS))
    try:
        table = table.astype({"value": float, "size": int, "repeat": int})
    except ValueError as error:
        raise UserError(
            f"a table contains a value that is not a number ({error})", hint="make them again"
        ) from None
    twice = table.duplicated([name for name in COLUMNS if name != "value"])
    if twice.any():
        row = table[twice].iloc[0]
        raise UserError(
            f"dataset '{row['dataset']}' is in the tables twice",
            hint="give one table of each dataset and split",
        )
    return table


def summary(effects: pd.DataFrame) -> pd.DataFrame:
    """Return the similarity of rankings between orders and between seeds, over datasets.

    Parameters
    ----------
    effects : DataFrame
        As `read_effects` returns it. Several splits of a dataset are averaged.

    Returns
    -------
    DataFrame
        Columns `SUMMARY`: median, least and largest value over the ``n_datasets`` datasets that have one.
    """
    keys = list(SUMMARY[:6])
    similar = effects[effects["comparison"].isin([ORDERS, SEEDS])]
    means = similar.groupby([*keys, "dataset"], sort=False)["value"].mean().dropna()
    groups = means.groupby(level=keys, sort=False)
    found = groups.agg(["count", "median", "min", "max"]).reset_index()
    return found.set_axis(list(SUMMARY), axis=1)


def performance_of(effects: pd.DataFrame) -> pd.DataFrame:
    """Return the measures as a table of performance, whose methods are ties-first, ties-random and so on."""
    measured = effects[effects["evaluator"] != ""]
    keys = list(zip(measured["ties"], measured["comparison"], strict=True))
    methods = pd.Series([_METHODS.get(key, "") for key in keys], index=measured.index, dtype=object)
    named = measured.assign(method=methods).rename(columns={"quantity": "measure"})
    return named[named["method"] != ""].assign(features=0)


def tests(effects: pd.DataFrame, analysis: Analysis) -> pd.DataFrame:
    """Return Wilcoxon tests over datasets of the file's order under ``first`` against ``random``.

    Parameters
    ----------
    effects : DataFrame
        As `read_effects` returns it.
    analysis : Analysis
        Significance, rounding before the tests, domains and differing datasets.

    Returns
    -------
    DataFrame
        Columns `TESTS`: those of tests.csv, and for each test the ensemble, score and size, the mean measure
        over its datasets, not rounded (``mean_first``, ``mean_first_reversed``, ``mean_random``), and the
        mean absolute differences under ``first`` after reversing the columns and with another seed. p-values
        are corrected by Benjamini and Hochberg over the ensembles and scores of each measure and variant.
        ``wins``, ``ties`` and ``losses`` count the datasets on which ``first`` is better, equal and worse.
    """
    performance = performance_of(effects)
    if performance.empty:
        return pd.DataFrame(columns=list(TESTS))
    plain = replace(analysis, measures=None, definition=None, directions={})
    table = PerformanceTable(performance, plain)
    kinds = performance[["ensemble", "score", "size"]].drop_duplicates().to_records(index=False).tolist()
    by_name = {f"{ensemble}/{score}/{size}": (ensemble, score, size) for ensemble, score, size in kinds}
    places = [(evaluator, measure) for evaluator in table.evaluators for measure in table.measures]
    comparisons = [
        Comparison(
            evaluator,
            measure,
            name,
            _columns(kind, (BY_FIRST, BY_RANDOM)),
            (BY_FIRST, BY_RANDOM),
            "wilcoxon",
        )
        for evaluator, measure in places
        for name, kind in by_name.items()
    ]
    answer = compare(comparisons, table, plain, question=QUESTION, family="extended", correct_over="measure")
    rows = []
    for row in answer.tests:
        kind = by_name[row["comparison"]]
        named = dict(zip(("ensemble", "score", "size"), kind, strict=True))
        rows.append(row | named | _means(table, row, kind, plain))
    return pd.DataFrame(rows, columns=list(TESTS))


def _columns(kind: tuple[str, str, int], methods: Sequence[str]) -> tuple[tuple[str, int], ...]:
    ensemble, score, size = kind
    return tuple((f"{method}/{ensemble}/{score}", size) for method in methods)


def _means(
    table: PerformanceTable, row: dict[str, Any], kind: tuple[str, str, int], analysis: Analysis
) -> dict[str, float]:
    """Return the means over a test's datasets, or over its domains where the test counts each domain once."""
    from mlsieve.stats.ranks import complete_rows, one_row_per_domain

    methods = (BY_FIRST, BY_FIRST_REVERSED, BY_RANDOM, BY_FIRST_OTHER_SEED)
    values = table.values(row["evaluator"], row["measure"], _columns(kind, methods), rounded=False)
    if row["variant"] == "without-differing":
        values = values[~values.index.isin(analysis.differing)]
    values = complete_rows(values)
    first, turned, drawn, reseeded = values.to_numpy().T
    found = np.column_stack([first, turned, drawn, np.abs(first - turned), np.abs(first - reseeded)])
    means = pd.DataFrame(found, index=values.index, columns=list(MEANS))
    if row["variant"] == BY_DOMAIN:
        means = one_row_per_domain(means, analysis.domains)
    return means.mean().to_dict()
