"""How much rankings and their quality depend on the seed, in the report."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import MISSING, CountedTable
from mlsieve.analysis.ranking_costs import sizes_of
from mlsieve.analysis.sentences.wording import number, number_of
from mlsieve.registry import entries
from mlsieve.tables.labels import at_sizes
from mlsieve.tables.stability import seed_summary


def stability_part(stability: pd.DataFrame, used: pd.DataFrame) -> dict[str, Any] | None:
    """Return the section on several seeds; None if the table is empty.

    Parameters
    ----------
    stability : DataFrame
        stability.csv.
    used : DataFrame
        The choices in use; a ranking without a chosen size has its largest.

    Returns
    -------
    dict or None
        ``sentences`` and ``tables``: one of the rankings, and one of their spread by measure.
    """
    if stability.empty:
        return None
    frame = at_sizes(stability, sizes_of(used))
    summary = seed_summary(frame)
    columns = (
        *("ranking", "trees", "datasets", "seeds", "FUJI between seeds"),
        *("from the least to the most similar", "standard deviation of a measure"),
    )
    rows = tuple(
        (
            label,
            row["size"] if row["size"] else "",
            row["sets"],
            row["seeds"],
            f"{row['similarity']:.3f}",
            f"{row['least']:.3f} to {row['most']:.3f}",
            "" if pd.isna(row["deviation"]) else f"{row['deviation']:.4f}",
        )
        for label, row in zip(summary.index, summary.to_dict("records"), strict=True)
    )
    of_rankings = CountedTable("seeds", "", "", columns, rows, numbers=tuple(range(1, len(columns))))
    tables = (of_rankings, _measure_table(frame, list(summary.index)))
    return {"sentences": [_sentence(frame, summary)], "tables": [table.as_dict() for table in tables]}


def _measure_table(frame: pd.DataFrame, labels: list[str]) -> CountedTable:
    """Return each measure's standard deviation between seeds by ranking, averaged over the datasets."""
    wide = frame.groupby(["measure", "label"], sort=False)["standard_deviation"].mean().unstack("label")
    rows = tuple(
        (str(measure), *(MISSING if pd.isna(value) else f"{value:.4f}" for value in values))
        for measure, values in wide.loc[list(dict.fromkeys(frame["measure"])), labels].iterrows()
    )
    title = "Standard deviation between seeds, by measure"
    numbers = tuple(range(1, len(labels) + 1))
    return CountedTable("measures", title, "", ("measure", *labels), rows, numbers=numbers)


def _sentence(frame: pd.DataFrame, summary: pd.DataFrame) -> str:
    """Return which rankings depend least and most on the seed, and then the baselines."""
    methods = frame.groupby("label")["method"].first()
    # A study may give a method a name of its own, which is no registered id.
    baselines = {name for name, entry in entries("ranker").items() if entry.facts.baseline}
    ranked = summary[[methods[label] not in baselines for label in summary.index]]
    ranked = summary if ranked.empty else ranked
    seeds, sets = int(summary["seeds"].min()), frame["dataset"].nunique()
    text = f"Over {seeds} seeds and {number_of(sets, 'dataset')}, "
    likeness = ranked["similarity"].sort_values(kind="stable")
    if len(ranked) == 1:
        text += f"the rankings of {likeness.index[0]} have a FUJI similarity of {number(likeness.iloc[0])}"
    else:
        text += (
            f"the rankings of {likeness.index[-1]} are the most similar between seeds (FUJI "
            f"{number(likeness.iloc[-1])}) and those of {likeness.index[0]} the least similar "
            f"({number(likeness.iloc[0])})"
        )
    spread = ranked["deviation"].dropna().sort_values(kind="stable")
    if len(spread) == 1:
        text += f"; the standard deviation of a measure is {number(spread.iloc[0])}"
    elif len(spread):
        low, high = (f"{number(spread.iloc[at])} ({spread.index[at]})" for at in (0, -1))
        text += f"; the standard deviation of a measure ranges from {low} to {high}"
    others = [
        f"{label} {number(row['similarity'])} and {number(row['deviation'])}"
        for label, row in summary.drop(ranked.index).iterrows()
        if not pd.isna(row["deviation"])
    ]
    return f"{text}." + (
        f" For comparison, the same numbers of baselines: {'; '.join(others)}." if others else ""
    )
