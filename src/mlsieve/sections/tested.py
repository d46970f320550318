"""How many tests each method group of a question has, and the tables of its average ranks."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import MISSING, RANK_DIGITS, CountedTable
from mlsieve.analysis.sentences.wording import methods_of
from mlsieve.analysis.settings import Analysis
from mlsieve.files.csv_tables import EFFECT_SIZE
from mlsieve.tables.labels import Labels

RANKS_TEXT = (
    f"1 is best. The best rank at {RANK_DIGITS} decimals is bold; bold is not the result of a test. The "
    "table shows the critical distance where Friedman's test is significant, without correction for the "
    "number of measures."
)


def groups_of(
    tests: pd.DataFrame, ranks: pd.DataFrame, analysis: Analysis, labels: Labels
) -> list[dict[str, Any]]:
    """Return the method groups of one question.

    Parameters
    ----------
    tests, ranks : DataFrame
        The question's rows of tests.csv and average_ranks.csv.
    analysis : Analysis
    labels : Labels
        Of the study's rankings.

    Returns
    -------
    list of dict
        family : str
            The method group.
        title : str
            Its name within a sentence.
        tests : int
            Number of its tests; effect sizes are none.
        ranks : list of dict
            Tables of its average ranks over all datasets, as `CountedTable.as_dict` returns them.
    """
    found = []
    for family in dict.fromkeys([*ranks["family"], *tests["family"]]):
        own = ranks[(ranks["family"] == family) & (ranks["variant"] == "all")]
        title = methods_of(str(family), analysis)
        found.append(
            {
                "family": str(family),
                "title": title,
                "tests": int((tests.loc[tests["family"] == family, "test"] != EFFECT_SIZE).sum()),
                "ranks": [
                    rank_table(some, f"Average ranks{kind}, {title}").as_dict()
                    for kind, some in _by_unit(own, labels)
                    if len(some)
                ],
            }
        )
    return found


def _by_unit(ranks: pd.DataFrame, labels: Labels) -> list[tuple[str, pd.DataFrame]]:
    """Return average ranks by the unit of their sizes: numbers of trees and percentages of the examples."""
    trees = labels.of_trees(ranks["comparison"])
    if trees.all() or not trees.any():
        return [("", ranks)]
    return [(" of numbers of trees", ranks[trees]), (" of percentages of the examples", ranks[~trees])]


def rank_table(ranks: pd.DataFrame, title: str) -> CountedTable:
    """Return average ranks by measure and method, the best of a row in bold, with the critical distance."""
    methods = list(dict.fromkeys(ranks["method"]))
    head = ("comparison", "measure", "datasets", "critical distance")
    rows, marks = [], []
    for place, ((comparison, measure), group) in enumerate(
        ranks.groupby(["comparison", "measure"], sort=False)
    ):
        rank_of = group.set_index("method")["rank"].dropna().to_dict()
        best = _printed(min(rank_of.values())) if rank_of else None
        distance = float(group["critical_distance"].iloc[0])
        cells = [comparison, measure, int(group["n_datasets"].iloc[0])]
        cells.append(MISSING if math.isnan(distance) else f"{distance:.2f}")
        cells += [_printed(rank_of[name]) if name in rank_of else "" for name in methods]
        rows.append(tuple(cells))
        marks += [(place, column, "best") for column in range(len(head), len(cells)) if cells[column] == best]
    return CountedTable(
        name="average ranks",
        title=title,
        text=RANKS_TEXT,
        columns=(*head, *map(str, methods)),
        rows=tuple(rows),
        numbers=tuple(range(2, len(head) + len(methods))),
        marks=tuple(marks),
    )


def _printed(rank: float) -> str:
    return f"{rank:.{RANK_DIGITS}f}"
