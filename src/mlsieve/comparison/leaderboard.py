"""Methods of one measure in the order of their average ranks, as rows that people read."""

from __future__ import annotations

import math

from mlsieve.analysis.sentences.differences import Difference, in_brackets, interval_head, intervals_alone
from mlsieve.comparison.run import Tables
from mlsieve.errors import printable
from mlsieve.files.csv_tables import BY_DOMAIN
from mlsieve.paper.markup import cell, head
from mlsieve.paper.verdicts import Decision, decision_of, has_families
from mlsieve.stats._lazy import pd
from mlsieve.stats.effects import FEWEST_FOR_INTERVAL
from mlsieve.stats.ranks import place_of

COLUMNS = (
    *("place", "method", "average_rank", "mean", "best_on", "n_datasets"),
    *("compared_with", "difference", "interval_low", "interval_high"),
    *("wins", "ties", "losses", "verdict", "verdict_by_family"),
)
_COUNTS = ("wins", "ties", "losses")
_DIFFERENCE = ("difference", "interval_low", "interval_high")
BY_FAMILY = "with each family counted once"
SAME, BETTER, WORSE, UNTESTED = "not significant", "significantly better", "significantly worse", "not tested"


def leaderboard(tables: Tables, measure: str) -> pd.DataFrame:
    """Return the methods, the best first.

    Parameters
    ----------
    tables : Tables
    measure : str

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row a method: its place (equal ranks share the best of their places), average
        rank, mean value, the number of datasets on which it is best (ties included), and how it compares with
        the method ``compared_with``, which is the reference method, or the first method of the best rank
        without one: the difference with the 95 % interval of the pair (docs/statistics.md, "Effect sizes"),
        positive where it is better, on how many datasets (or repeats of the only one) it is better, equal and
        worse, and whether the difference is significant: with each dataset by itself, and with each family of
        datasets counted once (empty without families). These are NaN and empty for that method itself.
    """
    own = decision_of(tables.tests, tables.average_ranks, measure)
    means = tables.means[tables.means["measure"] == measure].set_index("method")
    centre = own.reference or (own.winner[0] if own.winner else "")
    once = None
    if has_families(tables.tests, measure):
        once = decision_of(tables.tests, tables.average_ranks, measure, BY_DOMAIN)
    rows = []
    for name in own.ranks.index:
        rank = float(own.ranks[name])
        own_difference = tables.differences.get((measure, str(name), centre))
        rows.append(
            {
                "place": place_of(own.ranks, str(name)),
                "method": str(name),
                "average_rank": rank,
                "mean": float(means["mean"].get(name, math.nan)),
                "best_on": int(means["best"].get(name, 0)),
                "n_datasets": int(means["n_datasets"].get(name, 0)),
                "compared_with": centre,
                "difference": own_difference.estimate if own_difference else math.nan,
                "interval_low": own_difference.low if own_difference else math.nan,
                "interval_high": own_difference.high if own_difference else math.nan,
                "wins": own_difference.wins if own_difference else math.nan,
                "ties": own_difference.ties if own_difference else math.nan,
                "losses": own_difference.losses if own_difference else math.nan,
                "verdict": _verdict(own, str(name), centre),
                "verdict_by_family": "" if once is None else _verdict(once, str(name), centre),
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(dict.fromkeys(_COUNTS, "Int64"))


def _verdict(own: Decision, name: str, centre: str) -> str:
    """Return whether a method differs significantly from the one that it is compared with."""
    if name == centre:
        return ""
    if (centre, name) in own.differing:
        return WORSE
    if (name, centre) in own.differing:
        return BETTER
    return SAME if frozenset((name, centre)) in _pairs_tested(own.after, own.main) else UNTESTED


def _pairs_tested(after: list, main: dict | None) -> set[frozenset[str]]:
    found = {frozenset(str(row["methods"]).split(";")) for row in after if not math.isnan(row["p_value"])}
    if main is not None and main["test"] == "wilcoxon" and not math.isnan(float(main["p_value"])):
        found.add(frozenset(str(main["methods"]).split(";")))
    return found


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Return a leaderboard for readers: the difference and its interval are one column of text.

    Columns are named in words, and a difference that is not known is empty.
    """
    differences = []
    for estimate, low, high in table[list(_DIFFERENCE)].itertuples(index=False):
        known = not math.isnan(estimate)
        differences.append(
            in_brackets(Difference(estimate, low, high, 0, 0, 0), signed=True) if known else ""
        )
    centre = next(iter(table["compared_with"]), "") or "the best"
    verdicts = ["verdict", "verdict_by_family"]
    found = table.drop(columns=["compared_with", *_DIFFERENCE, *_COUNTS, *verdicts]).rename(columns=head)
    found[f"difference from {centre} {_interval_head(table)}".rstrip()] = differences
    found[f"compared with {centre}"] = table["verdict"]
    if (table["verdict_by_family"] != "").any():
        found[BY_FAMILY] = table["verdict_by_family"]
    return found


def _interval_head(table: pd.DataFrame) -> str:
    """Return what the brackets of a leaderboard's differences hold; empty where there are none."""
    if not table["interval_low"].notna().any():
        return ""
    alone = (table["n_datasets"] == 1).all()  # the interval of the resampled test has no least number
    return interval_head(FEWEST_FOR_INTERVAL if alone else int(table[list(_COUNTS)].sum(axis=1).max()))


def about_intervals(table: pd.DataFrame) -> str:
    """Return what the intervals of a leaderboard do not allow for; empty where there is nothing to say."""
    return intervals_alone(len(table)) if "95 %" in _interval_head(table) else ""


def as_text(table: pd.DataFrame) -> str:
    """Return a leaderboard as lines for a terminal."""
    table = with_intervals(table)
    shown = list(table.columns[table.columns.get_loc("datasets") + 1 :])  # the difference and the verdicts
    rows = [["", "method", "avg. rank", "mean", "best on", *shown]]
    for row in table.to_dict("records"):
        rank, mean = cell(row["average rank"], "average_rank"), cell(row["mean"])
        best = f"{row['best on']} of {row['datasets']}"
        rows.append(
            [str(row["place"] or ""), row["method"], rank, mean, best, *(row[name] for name in shown)]
        )
    rows = [list(map(printable, row)) for row in rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            text.ljust(width) if place == 1 or place > 5 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
