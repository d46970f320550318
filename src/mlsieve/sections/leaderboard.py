"""The first answer of a study's page: its sentences, and the leaderboard as a table."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import MISSING, RANK_DIGITS, CountedTable
from mlsieve.analysis.method_groups import baselines_of
from mlsieve.analysis.performance import PerformanceTable, direction_of
from mlsieve.analysis.ranking_costs import ranking_costs
from mlsieve.analysis.sections import SectionTables
from mlsieve.analysis.sentences.differences import in_brackets, interval_head, intervals_alone
from mlsieve.analysis.tests import TEST_COLUMNS
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.sections.leaderboard_sentences import (
    counted,
    first_place,
    left_out,
    named,
    of_measures,
    sentences_of,
    short,
)
from mlsieve.sections.standings import Standings, standings_of
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL
from mlsieve.stats.ranks import place_of
from mlsieve.tables.labels import at_sizes

COLUMNS = (
    *("place", "method", "mean_rank", "measure", "reference_method"),
    *("difference", "interval_low", "interval_high", "wins", "ties", "losses"),
    *("measures", "better", "worse", "better_by_domain", "worse_by_domain", "cpu_seconds", "features"),
)
TEXT = (
    "Methods are ranked on each dataset by {ranked}, and 1 is best. The difference is given with {interval}; "
    "it is positive where the method is better. {alone}The column after it counts by how many measures the "
    "method is significantly better and significantly worse than {reference}. {after}{left_out} "
    "CPU seconds are those of one dataset on average. leaderboard_tests.csv has every test."
)
_NEMENYI = (
    "A method is significantly better by a measure if Friedman's test{corrected} and Nemenyi's test of the "
    "pair are significant."
)
_WILCOXON = "A method is significantly better by a measure if Wilcoxon's test{corrected} is significant."
_CORRECTED = ", corrected over the measures by Benjamini and Hochberg,"


@dataclass(frozen=True)
class Leaderboard:
    """What the page's first answer needs.

    Attributes
    ----------
    standings : Standings
    key : (evaluator, measure)
        In whose units differences are given: the first of the tested measures.
    higher : bool
        Whether higher values of this measure are better.
    seconds, features : mapping of str to float
        Mean CPU seconds and number of features used, by method.
    baselines : sequence of str
        Methods that only show what the others are worth.
    """

    standings: Standings
    key: tuple[str, str]
    higher: bool
    seconds: Mapping[str, float]
    features: Mapping[str, float]
    baselines: Sequence[str] = ()


def leaderboard_of(performance: pd.DataFrame, tables: SectionTables) -> Leaderboard | None:
    """Return the leaderboard of a study; None where fewer than two methods can be compared.

    Parameters
    ----------
    performance : DataFrame
        performance.csv.
    tables : SectionTables
    """
    table = PerformanceTable(performance, tables.analysis, tables.rankings)
    found = standings_of(table, tables.analysis, tables.sizes)
    if found is None:
        return None
    key = found.keys[0]
    higher = direction_of(key[1], tables.analysis) == "higher"
    seconds, features = _seconds(tables, found.common), _features(performance, tables, found.common)
    return Leaderboard(found, key, higher, seconds, features, baselines_of(table, tables.analysis))


def frame_of(board: Leaderboard | None) -> pd.DataFrame:
    """Return leaderboard.csv: columns `COLUMNS`, one row a method, the best first."""
    if board is None:
        return pd.DataFrame(columns=list(COLUMNS))
    found = board.standings
    rows = []
    for method in map(str, found.mean_ranks.index):
        own = found.difference(method, found.reference, board.key)
        row: dict[str, Any] = {
            "place": place_of(found.mean_ranks, method),
            "method": method,
            "mean_rank": float(found.mean_ranks[method]),
            "measure": board.key[1],
            "reference_method": found.reference,
            "measures": len(found.keys),
            "cpu_seconds": board.seconds.get(method, math.nan),
            "features": board.features.get(method, math.nan),
        }
        if own is not None:
            row |= {"difference": own.estimate, "interval_low": own.low, "interval_high": own.high}
            row |= {"wins": own.wins, "ties": own.ties, "losses": own.losses}
            for variant, suffix in (("all", ""), (BY_DOMAIN, "_by_domain")):
                if variant in found.variants:
                    row["better" + suffix] = found.count(method, found.reference, variant)
                    row["worse" + suffix] = found.count(found.reference, method, variant)
        rows.append(row)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    whole = ("wins", "ties", "losses", "better", "worse", "better_by_domain", "worse_by_domain")
    return frame.astype(dict.fromkeys(whole, "Int64"))


def tests_of(board: Leaderboard | None) -> pd.DataFrame:
    """Return leaderboard_tests.csv: the tests behind the leaderboard, columns as those of tests.csv."""
    return pd.DataFrame(columns=list(TEST_COLUMNS)) if board is None else board.standings.tests


def part_of(board: Leaderboard | None) -> dict[str, Any] | None:
    """Return ``sentences``, ``table`` and ``methods`` of the first answer; None without a leaderboard."""
    if board is None:
        return None
    return {
        "sentences": sentences_of(board),
        "table": _table(board).as_dict(),
        "methods": list(map(str, board.standings.mean_ranks.index)),
    }


def _table(board: Leaderboard) -> CountedTable:
    found = board.standings
    several = len(found.keys) > 1
    by_domain = BY_DOMAIN in found.variants
    heads = [
        "method",
        "place",
        "mean rank" if several else "average rank",
        f"difference from {found.reference} ({named(board.key, found)}) {interval_head(found.datasets()[0])}",
        f"significantly better / worse ({of_measures(found)})",
    ]
    heads += [f"the same, each domain once ({counted(found, BY_DOMAIN, 'domain')})"] * by_domain
    numbers = [1, 2, 3, 4, *([5] * by_domain)]
    if board.seconds:
        numbers.append(len(heads))
        heads.append("CPU seconds")
    if board.features:
        numbers.append(len(heads))
        heads.append("features used")
    rows = []
    for row in frame_of(board).to_dict("records"):
        same = row["method"] == found.reference
        cells = [row["method"], row["place"], f"{row['mean_rank']:.{RANK_DIGITS}f}"]
        own = found.difference(row["method"], found.reference, board.key)
        cells.append("reference" if same else MISSING if own is None else in_brackets(own, signed=True))
        for suffix in ["", *(["_by_domain"] * by_domain)]:
            numbers_of = (row["better" + suffix], row["worse" + suffix])
            cells.append(MISSING if same or pd.isna(numbers_of[0]) else f"{numbers_of[0]} / {numbers_of[1]}")
        cells += [short(row["cpu_seconds"])] * bool(board.seconds)
        cells += [short(row["features"])] * bool(board.features)
        rows.append(tuple(cells))
    first = len(first_place(found))
    few = found.datasets()[0] < FEWEST_FOR_INTERVAL
    interval = "its lowest and highest value" if few else "its 95 % interval"
    alone = "" if few else intervals_alone(len(found.mean_ranks))
    after = _NEMENYI if len(found.mean_ranks) > 2 else _WILCOXON
    return CountedTable(
        name="leaderboard",
        title="All methods by mean rank",
        text=TEXT.format(
            ranked="each measure; the mean rank is the mean over the measures" if several else board.key[1],
            interval=interval,
            alone=f"{alone} " * bool(alone),
            reference=found.reference,
            after=after.format(corrected=_CORRECTED * several),
            left_out=left_out(found),
        ),
        columns=tuple(heads),
        rows=tuple(rows),
        numbers=tuple(numbers),
        marks=tuple((row, 0, "best") for row in range(first)),
        highlighted=tuple(range(first)),
        folded=False,
    )


def _seconds(tables: SectionTables, datasets: Collection[str]) -> dict[str, float]:
    """Return mean CPU seconds of one ranking by its label; of chains, of training and prediction."""
    runs = tables.read("chain_runs.csv")
    if runs is not None and len(runs):
        runs = runs[runs["dataset"].isin(datasets)]
        total = runs["training_seconds"].astype(float) + runs["prediction_seconds"].astype(float)
        frame = runs.assign(total=total).groupby(["method", "dataset"], sort=False)["total"].mean()
        return _over_datasets(frame, "method")
    timings = [row for row in tables.timings if row["dataset"] in datasets]
    costs = ranking_costs(timings, tables.sizes)
    return {label: cost.seconds for label, cost in costs.items()}


def _features(
    performance: pd.DataFrame, tables: SectionTables, datasets: Collection[str]
) -> dict[str, float]:
    """Return the mean number of features with a positive weight, or of those selected, at the size in use."""
    if "features" in performance and (performance["features"] > 0).any():
        frame, column = performance, "features"  # by several evaluators and measures, at points of curves
    elif not tables.rankings.empty:
        frame, column = tables.rankings, "positive"
    else:
        return {}
    frame = at_sizes(frame, tables.sizes)
    frame = frame[frame["dataset"].isin(datasets)]
    each = frame.groupby(["label", "dataset", "split", "repeat"], sort=False)[column].max()
    return _over_datasets(each.groupby(["label", "dataset"], sort=False).mean(), "label")


def _over_datasets(values: pd.Series, method: str) -> dict[str, float]:
    """Return the mean over the datasets of values by method and dataset."""
    means = values.groupby(method, sort=False).mean()
    return {str(name): float(value) for name, value in means.items()}
