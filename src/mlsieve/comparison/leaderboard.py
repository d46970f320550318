"""Methods of one measure in the order of their average ranks, as rows that people read."""

from __future__ import annotations

import math

from mlsieve.comparison.run import Tables
from mlsieve.paper.verdicts import decision_of
from mlsieve.stats._lazy import pd
from mlsieve.stats.ranks import place_of

COLUMNS = ("place", "method", "average_rank", "mean", "best_on", "n_datasets", "against_best")
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
        the reference method, or with the first method of the best rank without one; empty for that method.
        With a reference method the last column is ``against_reference``.
    """
    own = decision_of(tables.tests, tables.average_ranks, measure)
    means = tables.means[tables.means["measure"] == measure].set_index("method")
    centre = own.reference or (own.winner[0] if own.winner else "")
    tested = _pairs_tested(own.after, own.main)
    rows = []
    for name in own.ranks.index:
        rank = float(own.ranks[name])
        verdict = "" if name == centre else UNTESTED
        if frozenset((str(name), centre)) in tested:
            verdict = SAME
            if (centre, str(name)) in own.differing:
                verdict = WORSE
            elif (str(name), centre) in own.differing:
                verdict = BETTER
        rows.append(
            {
                "place": place_of(own.ranks, str(name)),
                "method": str(name),
                "average_rank": rank,
                "mean": float(means["mean"].get(name, math.nan)),
                "best_on": int(means["best"].get(name, 0)),
                "n_datasets": int(means["n_datasets"].get(name, 0)),
                "against_best": verdict,
            }
        )
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.rename(columns={"against_best": "against_reference"}) if own.reference else frame


def _pairs_tested(after: list, main: dict | None) -> set[frozenset[str]]:
    found = {frozenset(str(row["methods"]).split(";")) for row in after}
    if main is not None and main["test"] == "wilcoxon" and not math.isnan(float(main["p_value"])):
        found.add(frozenset(str(main["methods"]).split(";")))
    return found


def as_text(table: pd.DataFrame) -> str:
    """Return a leaderboard as lines for a terminal."""
    last = table.columns[-1]
    head = ["", "method", "avg. rank", "mean", "best on", last.replace("_", " ")]
    rows = [head]
    for row in table.to_dict("records"):
        rank = "" if math.isnan(row["average_rank"]) else f"{row['average_rank']:.2f}"
        mean = "" if math.isnan(row["mean"]) else f"{row['mean']:.4g}"
        best = f"{row['best_on']} of {row['n_datasets']}"
        rows.append([str(row["place"] or ""), row["method"], rank, mean, best, row[last]])
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place in (1, 5) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
