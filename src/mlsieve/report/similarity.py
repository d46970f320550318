"""How alike the rankings are, from similarity.csv: a table of the data sets, and the means in words."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.questions.labels import Labels
from mlsieve.questions.wording import number
from mlsieve.report.tables import Cell, Column, Row, Table


def by_pair(similarity: pd.DataFrame) -> pd.DataFrame:
    """Return similarities as data sets by pairs of rankings; several splits of a data set are averaged.

    Parameters
    ----------
    similarity : DataFrame
        similarity.csv.

    Returns
    -------
    DataFrame of float
        Columns are pairs of str, in the order of the table; NaN where a data set lacks one of the rankings.
    """
    pairs = list(dict.fromkeys(zip(similarity["first"], similarity["second"], strict=True)))
    datasets = list(dict.fromkeys(similarity["dataset"]))
    cells = similarity.groupby(["dataset", "first", "second"])["similarity"].mean()
    values = [[cells.get((dataset, *pair), float("nan")) for pair in pairs] for dataset in datasets]
    columns = pd.MultiIndex.from_tuples(pairs) if pairs else None
    return pd.DataFrame(values, index=datasets, columns=columns, dtype=float)


OF_FEATURES = {
    "all": "averaged over j up to the number of all features, as published. Beyond the features of positive "
    "score all others tie at 0 and count as shared, so that rankings of few features come out alike whatever "
    "they weigh (similarity_features: positive leaves that out).",
    "positive": "averaged over j up to the number of features of positive score of the ranking that has more "
    "of them; features that a ranking does not weigh belong to none of its top sets (similarity_features: "
    "positive; the published definition takes all features).",
}


def similarity_parts(similarity: pd.DataFrame, features: str = "all") -> list[dict[str, Any]]:
    """Return the table of the question ``similarity`` with what stands above it; nothing without rows.

    Parameters
    ----------
    similarity : DataFrame
        similarity.csv.
    features : {"all", "positive"}
        Which features its similarities take into account.
    """
    if similarity.empty:
        return []
    text = (
        f"FUJI, the fuzzy Jaccard index of the first j features, {OF_FEATURES[features]} 1 says that two "
        "rankings are the same. Each score has its ensemble and size in use."
    )
    return [{"title": "FUJI similarity", "text": text, "table": similarity_table(similarity)}]


def similarity_table(similarity: pd.DataFrame) -> Table:
    """Return a row for each data set and the mean, a column for each pair of rankings."""
    wide = by_pair(similarity)
    columns = [Column("data set"), *(Column(" and ".join(pair), True) for pair in wide.columns)]
    rows = [_row(str(name), values) for name, values in wide.iterrows()]
    if len(wide) > 1:
        counts = sorted({int(count) for count in wide.count()})
        rows.append(_row(f"mean of {' to '.join(map(str, counts))}", wide.mean(), marked=True))
    return Table(tuple(columns), tuple(rows))


def _row(name: str, values: pd.Series, *, marked: bool = False) -> Row:
    cells = [
        Cell("–", "n none") if pd.isna(value) else Cell(f"{value:.3f}", "n") for value in values.tolist()
    ]
    return Row((Cell(name), *cells), marked)


def similarity_sentences(similarity: pd.DataFrame, labels: Labels) -> list[str]:
    """Return which rankings are the most and the least alike, over how many data sets."""
    wide = by_pair(similarity).dropna(axis=1, how="all")
    if wide.empty:
        return []
    means, counts = wide.mean(), wide.count().astype(int).to_dict()

    def told(pair: Any) -> str:
        sets = f"{counts[pair]} data set{'s' * (counts[pair] != 1)}"
        return f"{' and '.join(pair)} ({number(means[pair])} on average over {sets})"

    sizes = _sizes(similarity, labels)
    sentences = [f"Compared are {', '.join(sizes)}."] if sizes else []
    if len(means) == 1:
        return [*sentences, f"The similarity of {told(means.index[0])}."]
    text = f"The most alike are {told(means.idxmax())}, the least alike {told(means.idxmin())}."
    most_often = wide.dropna().idxmax(axis=1).value_counts()
    if len(most_often):
        pair, often = most_often.index[0], int(most_often.iloc[0])
        text += f" Of all pairs, {' and '.join(pair)} are the most alike on {often} of {len(wide.dropna())}."
    return [*sentences, text]


def _sizes(similarity: pd.DataFrame, labels: Labels) -> list[str]:
    found: dict[str, int] = {}
    for side in ("first", "second"):
        found |= dict(zip(similarity[side], similarity[f"{side}_size"].astype(int), strict=True))
    return [
        f"{name} with {labels[name].size_in_words(size)}" if size else name for name, size in found.items()
    ]
