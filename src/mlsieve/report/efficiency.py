"""Each ranking's share of positive weights beside its cost, and whether scores of the same trees agree."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.questions.costs import agreement, ranking_costs, shares_by_dataset, sizes_of
from mlsieve.questions.labels import Label, Labels
from mlsieve.questions.wording import listed, number
from mlsieve.report.tables import Column, Table, plain_table

MOST_NAMED = 5
TOGETHER = " Of a method without trees the seconds are those of all its sizes together."


def size_shown(label: Label, sizes: dict[str, int]) -> str:
    """Return the size in use as a table shows it: a number of trees, or a share; nothing without sizes."""
    size = sizes.get(str(label), 0)
    return "" if not size else str(size) if label.of_trees else label.size_in_words(size)


def together(sizes: dict[str, int], labels: Labels) -> str:
    """Return what seconds of a method without trees are, where one has several sizes; else nothing."""
    return "" if all(labels[name].of_trees for name in sizes) else TOGETHER


def efficiency_parts(
    used: pd.DataFrame, timings: list[dict[str, str]], rankings: pd.DataFrame, labels: Labels
) -> list[dict[str, Any]]:
    """Return the table of the question ``efficiency`` with what stands above it; nothing without rankings.

    Parameters
    ----------
    used : DataFrame
        The choices in use.
    timings : list of dict
        Rows of timings.csv.
    rankings : DataFrame
        rankings.csv.
    labels : Labels
        Of the study's rankings.
    """
    table = efficiency_table(used, timings, rankings, labels)
    if table is None:
        return []
    text = (
        "Positive weights: the share of the features that the ranking at the size in use weights above zero; "
        "fewer make the distances cheaper. CPU seconds are means over the data sets, of growing and ranking "
        "at the size in use."
    )
    text += together(sizes_of(used), labels)
    return [{"title": "Positive weights and ranking time", "text": text, "table": table}]


def efficiency_table(
    used: pd.DataFrame, timings: list[dict[str, str]], rankings: pd.DataFrame, labels: Labels
) -> Table | None:
    """Return a row for each ranking, that with the fewest positive weights first; arguments as above."""
    sizes = sizes_of(used)
    shares = shares_by_dataset(rankings, sizes)
    if shares.empty:
        return None
    costs = ranking_costs(timings, sizes)
    columns = (
        Column("ranking"),
        Column("size", True),
        Column("data sets", True),
        Column("positive weights", True),
        Column("from the least to the most", True),
        Column("CPU seconds a data set", True),
    )
    rows = []
    for label in sorted(shares.index, key=lambda label: (float(shares.loc[label].mean()), label)):
        share = shares.loc[label].dropna()
        rows.append(
            (
                label,
                size_shown(labels[label], sizes),
                len(share),
                f"{share.mean():.1%}",
                f"{share.min():.1%} to {share.max():.1%}",
                number(costs[label].seconds) if label in costs else "",
            )
        )
    return plain_table(columns, rows)


def efficiency_sentences(rankings: pd.DataFrame) -> list[str]:
    """Return whether genie3 and symbolic scores of one ensemble weigh as many features, and where not.

    Both weigh the features that some node of the trees tests, so that they have to agree.
    """
    found = agreement(rankings)
    if not found.checked:
        return []
    head = (
        "Genie3 and symbolic scores of one ensemble both weigh the features that its nodes test, so that "
        "they must give as many a positive weight"
    )
    over = f"{found.checked:,} pairs of rankings (data set, ensemble and size)"
    if not found.differing:
        return [f"{head}: they do in all of {over}."]
    shown = listed(found.differing[:MOST_NAMED])
    more = len(found.differing) - MOST_NAMED
    rest = f", and {more:,} more" if more > 0 else ""
    return [f"{head}: they do not in {len(found.differing):,} of {over}: {shown}{rest}."]
