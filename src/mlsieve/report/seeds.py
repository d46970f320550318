"""How much rankings and their quality depend on the seed, in the report."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.analysis.ranking_costs import sizes_of
from mlsieve.analysis.sentences.wording import number, number_of
from mlsieve.registry import entries
from mlsieve.report.tables import Cell, Column, Row, Table, plain_table
from mlsieve.tables.labels import at_sizes
from mlsieve.tables.stability import seed_summary

ONE_SEED = (
    "Each ranking uses a single seed. To see how much the results depend on it, set 'stability: {seeds: 5}' "
    "in the study's configuration."
)

NO_SEED = "The study asks for several seeds, but none of its rankings depends on a seed."


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
        sentences : list of str; table, measures : Table.
    """
    if stability.empty:
        return None
    frame = at_sizes(stability, sizes_of(used))
    summary = seed_summary(frame)
    columns = [Column("ranking"), Column("trees", True), Column("datasets", True), Column("seeds", True)]
    columns += [Column("FUJI between seeds", True), Column("from the least to the most similar", True)]
    columns += [Column("standard deviation of a measure", True)]
    rows = [
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
    ]
    return {
        "sentences": [_sentence(frame, summary)],
        "table": plain_table(columns, rows),
        "measures": _measure_table(frame, list(summary.index)),
    }


def _measure_table(frame: pd.DataFrame, labels: list[str]) -> Table:
    """Return each measure's standard deviation between seeds by ranking, averaged over the datasets."""
    wide = frame.groupby(["measure", "label"], sort=False)["standard_deviation"].mean().unstack("label")
    rows = []
    for measure, values in wide.loc[list(dict.fromkeys(frame["measure"])), labels].iterrows():
        cells = [Cell(str(measure))]
        cells += [Cell("–", "n none") if pd.isna(value) else Cell(f"{value:.4f}", "n") for value in values]
        rows.append(Row(tuple(cells)))
    return Table((Column("measure"), *(Column(label, True) for label in labels)), tuple(rows))


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
