"""Average rank of each score's ensembles, measure by measure: the ranking paper's Table 3."""

from __future__ import annotations

import pandas as pd

from mlsieve.questions.labels import Labels
from mlsieve.report.tables import RANK_DIGITS, Cell, Column, Row, Table


def best_ensembles(ranks: pd.DataFrame, labels: Labels) -> pd.DataFrame:
    """Return average ranks as measures by (score, ensemble), of the scores that several ensembles have.

    Parameters
    ----------
    ranks : DataFrame
        average_ranks.csv. Of the question ``ensemble`` the paper family is taken, or all methods where there
        is no such family; with several evaluators their ranks are averaged.
    labels : Labels
        Of the study's rankings.

    Returns
    -------
    DataFrame of float
        Columns are pairs of str, in the order of the table.
    """
    some = ranks[(ranks["question"] == "ensemble") & (ranks["variant"] == "all") & ranks["rank"].notna()]
    family = "paper" if (some["family"] == "paper").any() else "extended"
    some = some[(some["family"] == family) & labels.of_trees(some["method"])]
    some = some.assign(ensemble=some["method"].map(lambda name: labels[str(name)].kind))
    measures = list(dict.fromkeys(some["measure"]))
    pairs = list(dict.fromkeys(zip(some["comparison"], some["ensemble"], strict=True)))
    cells = some.groupby(["measure", "comparison", "ensemble"])["rank"].mean()
    return pd.DataFrame(
        [[cells.get((measure, *pair), float("nan")) for pair in pairs] for measure in measures],
        index=measures,
        columns=pd.MultiIndex.from_tuples(pairs, names=["score", "ensemble"]) if pairs else None,
        dtype=float,
    )


def times_best(ranks: pd.DataFrame) -> pd.Series:
    """Return on how many measures each ensemble has its score's best rank; a tie counts for all of them."""
    counts = {}
    for pair in ranks.columns:
        lowest = ranks[pair[0]].min(axis=1).round(RANK_DIGITS)
        counts[pair] = int((ranks[pair].round(RANK_DIGITS) == lowest).sum())
    return pd.Series(counts, dtype=int)


def ensemble_table(ranks: pd.DataFrame, labels: Labels) -> Table | None:
    """Return the table of the report: the best of each score in bold, then means and counts.

    Parameters
    ----------
    ranks : DataFrame
        average_ranks.csv.
    labels : Labels
        Of the study's rankings.
    """
    wide = best_ensembles(ranks, labels)
    if wide.empty:
        return None
    columns = (Column("measure"), *(Column(f"{score}: {name}", True) for score, name in wide.columns))
    rows = [_row(str(measure), values) for measure, values in wide.iterrows()]
    complete = wide.dropna()
    if len(complete) > 1:
        rows.append(_row(f"mean of {len(complete)}", complete.mean()))
        counts = times_best(wide)
        cells = (Cell("measures where best"), *(Cell(str(counts[pair]), "n") for pair in wide.columns))
        rows.append(Row(cells))
    return Table(columns, tuple(rows))


def _row(name: str, values: pd.Series) -> Row:
    cells = [Cell(name)]
    for (score, _), value in values.items():
        best = round(value, RANK_DIGITS) == round(values[score].min(), RANK_DIGITS)
        text = "–" if pd.isna(value) else f"{value:.{RANK_DIGITS}f}"
        cells.append(Cell(text, "n none" if pd.isna(value) else "n best" if best else "n"))
    return Row(tuple(cells))
