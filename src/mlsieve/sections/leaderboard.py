"""The first answer of a study's page: its sentences, and the leaderboard as a table."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import MISSING, RANK_DIGITS, CountedTable
from mlsieve.analysis.performance import PerformanceTable, direction_of
from mlsieve.analysis.ranking_costs import ranking_costs
from mlsieve.analysis.sections import SectionTables
from mlsieve.analysis.sentences.differences import difference_in_words, in_brackets
from mlsieve.analysis.sentences.wording import listed
from mlsieve.analysis.tests import TEST_COLUMNS
from mlsieve.errors import number_of
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.sections.standings import Standings, standings_of
from mlsieve.stats.ranks import place_of
from mlsieve.tables.labels import at_sizes, labels_of

COLUMNS = (
    *("place", "method", "mean_rank", "measure", "reference_method"),
    *("median_difference", "interval_low", "interval_high", "wins", "ties", "losses"),
    *("measures", "better", "worse", "better_by_domain", "worse_by_domain", "cpu_seconds", "features"),
)
TEXT = (
    "Methods are ranked on each dataset by each measure; the mean rank is the mean over the measures, and 1 "
    "is best. The difference is the median over the datasets with a 95 % bootstrap interval; it is positive "
    "where the method is better. {after}{left_out} "
    "CPU seconds are those of one dataset on average. leaderboard_tests.csv has every test."
)
_NEMENYI = (
    "A method is significantly better by a measure if Friedman's test is significant, corrected over the "
    "measures by Benjamini and Hochberg, and Nemenyi's test of the pair is."
)
_WILCOXON = (
    "A method is significantly better by a measure if Wilcoxon's test is significant, corrected over the "
    "measures by Benjamini and Hochberg."
)


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
    """

    standings: Standings
    key: tuple[str, str]
    higher: bool
    seconds: Mapping[str, float]
    features: Mapping[str, float]


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
    return Leaderboard(found, key, higher, seconds, features)


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
            row |= {"median_difference": own.median, "interval_low": own.low, "interval_high": own.high}
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
    against = f"than {found.reference}"
    heads = [
        "method",
        "place",
        "mean rank" if several else "average rank",
        f"difference from {found.reference} ({_named(board.key, found)}) [95 % interval]",
        f"on how many of {_of_measures(found)} significantly better / worse {against}",
    ]
    heads += [f"the same, each domain once ({_counted(found, BY_DOMAIN, 'domain')})"] * by_domain
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
        cells += [_short(row["cpu_seconds"])] * bool(board.seconds)
        cells += [_short(row["features"])] * bool(board.features)
        rows.append(tuple(cells))
    first = len(_first_place(found))
    after = _NEMENYI if len(found.mean_ranks) > 2 else _WILCOXON
    return CountedTable(
        name="leaderboard",
        title="All methods by mean rank",
        text=TEXT.format(after=after, left_out=_left_out(found)),
        columns=tuple(heads),
        rows=tuple(rows),
        numbers=tuple(numbers),
        marks=tuple((row, 0, "best") for row in range(first)),
        highlighted=tuple(range(first)),
        folded=False,
    )


def _left_out(found: Standings) -> str:
    if not found.left_out:
        return ""
    are, them = ("is", "it") if len(found.left_out) == 1 else ("are", "them")
    return f" {listed(found.left_out)} {are} left out, because too few datasets have values of {them}."


def sentences_of(board: Leaderboard) -> list[str]:
    """Return which method ranks first, by how much, whether that is significant, and what is cheapest."""
    found = board.standings
    said = [_first(found), _by_how_much(board), _significant(found)]
    return [text for text in (*said, _cheapest(board), _left_out(found).strip()) if text]


def _first_place(found: Standings) -> list[str]:
    ranks = found.mean_ranks
    return [str(name) for name in ranks.index if place_of(ranks, str(name)) == 1]


def _first(found: Standings) -> str:
    ranks, equal = found.mean_ranks, _first_place(found)
    over = _counted(found, "all", "dataset")
    if len(found.keys) > 1:
        over = f"{_of_measures(found)} and {over}"
    best = f"{ranks.iloc[0]:.{RANK_DIGITS}f}"
    if len(equal) > 1:
        return f"{listed(equal)} rank first together, with a mean rank of {best} over {over}."
    return (
        f"{found.winner} ranks first, with a mean rank of {best} over {over}; "
        f"{ranks.index[1]} follows with {ranks.iloc[1]:.{RANK_DIGITS}f}{_from_next(found)}."
    )


def _from_next(found: Standings) -> str:
    """Return by how many measures the first two methods differ; empty where another sentence says it."""
    second = str(found.mean_ranks.index[1])
    if second == found.rival or not found.tested():
        return ""
    count = found.count(found.winner, second) + found.count(second, found.winner)
    if len(found.keys) == 1:
        return f", and the two {'' if count else 'do not '}differ significantly"
    return f", and the two differ significantly by {count or 'none'} of {_of_measures(found)}"


def _by_how_much(board: Leaderboard) -> str:
    found = board.standings
    own = found.difference(found.winner, found.rival, board.key)
    if own is None or math.isnan(own.median):
        return ""
    measure = _named(board.key, found)
    whose = f"Its {measure}" if len(_first_place(found)) == 1 else f"The {measure} of {found.winner}"
    return difference_in_words(own, whose, found.rival, higher=board.higher)


def _significant(found: Standings) -> str:
    """Return by how many measures the winner is significantly better, and whether that could be seen."""
    winner, rival = found.winner, found.rival
    if not found.reachable("all"):
        count = _counted(found, "all", "dataset")
        return f"With {len(found.mean_ranks)} methods on {count}, no difference can be significant."
    if found.tested():
        said = _of_winner(found)
    else:
        said = f"{_untested(found)}, so no pair of methods was tested"
    if BY_DOMAIN not in found.variants:
        return f"{said}; no two datasets are related."
    once = f"{said}; if related datasets count as one ({_counted(found, BY_DOMAIN, 'domain')})"
    if not found.reachable(BY_DOMAIN):
        return f"{once}, no result can be significant."
    if found.tested(BY_DOMAIN):
        whose = "" if found.tested() else f"{winner} is significantly better than {rival} "
        return f"{once}, {whose}{_by(found, winner, rival, BY_DOMAIN)}."
    untested = _untested(found)
    return f"{once}, {untested if found.tested() else 'the same holds'}."


def _of_winner(found: Standings) -> str:
    """Return by how many measures the winner is significantly better than its rival, and how many worse."""
    winner, rival = found.winner, found.rival
    it = "it" if len(_first_place(found)) == 1 else winner
    by = _by(found, winner, rival, "all")
    said = f"{_by_which_test(found)}, {it} is significantly better than {rival} {by}"
    if (worse := found.count(rival, winner)) and len(found.keys) > 1:
        said += f" and significantly worse by {worse}"
    return said


def _untested(found: Standings) -> str:
    """Return that no test of all methods is significant."""
    if len(found.keys) == 1:
        return "Friedman's test is not significant"
    return (
        f"Friedman's test is significant by none of {_of_measures(found)} after correction over the measures"
    )


def _by_which_test(found: Standings) -> str:
    several = len(found.keys) > 1
    if len(found.mean_ranks) == 2:
        return "By Wilcoxon's test" + (", corrected over the measures" if several else "")
    if several:
        return "By Nemenyi's test, made where Friedman's is significant after correction over the measures"
    return "By Nemenyi's test"


def _by(found: Standings, better: str, worse: str, variant: str) -> str:
    """Return by how many of the measures one method is significantly better than another."""
    count = found.count(better, worse, variant)
    if len(found.keys) == 1:
        return "by this measure" if count else "by no measure"
    return f"by {count or 'none'} of {_of_measures(found)}"


def _of_measures(found: Standings) -> str:
    """Return the number of measures; of several evaluators, of the comparisons."""
    several = len({evaluator for evaluator, _ in found.keys}) > 1
    return number_of(len(found.keys), "comparison" if several else "measure")


def _cheapest(board: Leaderboard) -> str:
    """Return the cheapest method that the winner does not beat significantly by any measure."""
    found, seconds = board.standings, board.seconds
    winner = found.winner
    if winner not in seconds or not found.reachable("all"):
        return ""
    alike = [
        str(name)
        for name in found.mean_ranks.index
        if name != winner and name in seconds and not found.count(winner, str(name))
    ]
    takes = f"{winner} takes {_duration(seconds[winner])} a dataset"
    if not found.tested():
        return _cheapest_of_all(found, seconds, takes)
    if all(seconds[name] >= seconds[winner] for name in map(str, found.mean_ranks.index) if name in seconds):
        return f"No other method is cheaper: {takes}."
    cheaper = [name for name in alike if seconds[name] < seconds[winner]]
    if not cheaper:
        return f"Every cheaper method is significantly worse by some measure; {takes}."
    best = min(cheaper, key=lambda name: seconds[name])
    return (
        f"The cheapest method that is not significantly worse by any measure is {best}: it takes "
        f"{_duration(seconds[best])} a dataset, and {winner} takes {_duration(seconds[winner])}."
    )


def _cheapest_of_all(found: Standings, seconds: Mapping[str, float], takes: str) -> str:
    """Return the cheapest method where no test says which of the others is as good as the winner."""
    names = [str(name) for name in found.mean_ranks.index if name in seconds]
    best = min(names, key=lambda name: seconds[name])
    if best == found.winner:
        return f"No other method is cheaper: {takes}."
    return f"The cheapest method is {best}, which takes {_duration(seconds[best])} a dataset; {takes}."


def _named(key: tuple[str, str], found: Standings) -> str:
    """Return the measure of a key; with its evaluator where the study has several."""
    several = len({evaluator for evaluator, _ in found.keys}) > 1
    return f"{key[1]} by {key[0]}" if several else key[1]


def _counted(found: Standings, variant: str, what: str) -> str:
    """Return the number of datasets or domains, such as ``12 to 15 datasets``."""
    low, high = found.datasets(variant)
    return number_of(low if low == high else f"{low} to {high}", what)


def _duration(seconds: float) -> str:
    return f"{_short(seconds).replace('<', 'less than')} CPU seconds"


def _short(value: float) -> str:
    """Return a number of seconds or features with about 3 digits."""
    if math.isnan(value):
        return MISSING
    if 0 < value < 0.001:
        return "< 0.001"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


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
    """Return the mean number of features with a positive weight, or of those that were selected."""
    performance = performance[performance["dataset"].isin(datasets)]
    if "features" in performance and (performance["features"] > 0).any():
        most = performance.assign(label=labels_of(performance))
        keys = ["label", "dataset", "split", "repeat"]
        each = most.groupby(keys, sort=False)["features"].max()
        return _over_datasets(each.groupby(["label", "dataset"], sort=False).mean(), "label")
    if tables.rankings.empty:
        return {}
    frame = at_sizes(tables.rankings[tables.rankings["dataset"].isin(datasets)], tables.sizes)
    return _over_datasets(frame.groupby(["label", "dataset"], sort=False)["positive"].mean(), "label")


def _over_datasets(values: pd.Series, method: str) -> dict[str, float]:
    """Return the mean over the datasets of values by method and dataset."""
    means = values.groupby(method, sort=False).mean()
    return {str(name): float(value) for name, value in means.items()}
