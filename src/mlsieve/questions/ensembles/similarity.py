"""How similar are the rankings of the scores, each with its chosen ensemble, and Relief's?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import MISSING, CountedTable
from mlsieve.analysis.findings import plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sections import Section, SectionTables
from mlsieve.analysis.sentences.wording import listed, number, number_of
from mlsieve.analysis.settings import Analysis, Dataset
from mlsieve.analysis.tests import Answer
from mlsieve.registry import register
from mlsieve.stats._lazy import pd
from mlsieve.tables.labels import Labels


@dataclass(frozen=True)
class SimilarityKeys:
    """Keys of ``analysis`` for this question."""

    similarity_features: Annotated[
        Literal["all", "positive"],
        "FUJI compares all features, as published, or leaves out features without weight in both rankings; "
        "also for the rankings of several seeds",
    ] = "all"
    similarity_dataset: Annotated[
        Dataset | None, "the dataset whose similarity curves are drawn; the first by default"
    ] = None


OF_FEATURES = {
    "all": "averaged over j up to the number of all features, as published. The features without a positive "
    "score tie at 0 and count as shared, so rankings of few features appear similar whatever they weigh "
    "(similarity_features: positive leaves these features out).",
    "positive": "averaged over j up to the larger number of features with a positive score; features that a "
    "ranking does not weigh belong to none of its top sets (similarity_features: positive; the published "
    "definition takes all features).",
}


def section(study: SectionTables) -> Section:
    """The similarities by dataset, which a separate step computes, and the most similar rankings."""
    table = study.read("similarity.csv")
    if table is None:
        return Section(notes=["similarity.csv is missing, so this section is empty."])
    features = study.analysis.of(SimilarityKeys).similarity_features
    return Section(
        findings=plain_findings(similarity_sentences(table, study.labels)),
        tables=similarity_tables(table, features),
    )


@register.question(
    "similarity",
    version=1,
    order=12,
    title="How similar are the rankings?",
    settings=SimilarityKeys,
    tables={"figures": ("similarity", "curves"), "sections": ("similarity",)},
    section=section,
)
def similarity(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """FUJI similarity of the rankings themselves, which ``mlsieve similarity`` computes, without a test.

    The rankings are those of the scores, each with its chosen ensemble and size, and of the rival (Relief).
    """
    labels = choices.labels_of_scores("paper")
    labels += [analysis.rival] if analysis.rival in table.singles() else []
    if len(labels) > 1:
        return Answer()
    return Answer(notes=[f"A comparison needs two rankings; the study has {listed(labels) or 'none'}."])


def by_pair(similarity: pd.DataFrame) -> pd.DataFrame:
    """Return similarities as datasets by pairs of rankings; several splits of a dataset are averaged.

    Parameters
    ----------
    similarity : DataFrame
        similarity.csv.

    Returns
    -------
    DataFrame of float
        Columns are pairs of str, in the order of the table; NaN where a dataset lacks one of the rankings.
    """
    pairs = list(dict.fromkeys(zip(similarity["first"], similarity["second"], strict=True)))
    datasets = list(dict.fromkeys(similarity["dataset"]))
    cells = similarity.groupby(["dataset", "first", "second"])["similarity"].mean()
    values = [[cells.get((dataset, *pair), float("nan")) for pair in pairs] for dataset in datasets]
    columns = pd.MultiIndex.from_tuples(pairs) if pairs else None
    return pd.DataFrame(values, index=datasets, columns=columns, dtype=float)


def similarity_tables(similarity: pd.DataFrame, features: str = "all") -> list[CountedTable]:
    """Return a table with a row for each dataset and the mean, a column for each pair of rankings.

    Parameters
    ----------
    similarity : DataFrame
        similarity.csv.
    features : {"all", "positive"}
        Which features its similarities take into account.
    """
    if similarity.empty:
        return []
    wide = by_pair(similarity)
    lines = [(str(name), values) for name, values in wide.iterrows()]
    if len(wide) > 1:
        counts = sorted({int(count) for count in wide.count()})
        lines.append((f"mean of {' to '.join(map(str, counts))}", wide.mean()))
    return [
        CountedTable(
            "similarity",
            "FUJI similarity",
            f"FUJI, the fuzzy Jaccard index of the first j features, {OF_FEATURES[features]} It is 1 "
            "for two equal rankings. Each score has its ensemble and size in use.",
            ("dataset", *(" and ".join(pair) for pair in wide.columns)),
            tuple(
                (name, *(MISSING if pd.isna(value) else f"{value:.3f}" for value in values))
                for name, values in lines
            ),
            numbers=tuple(range(1, 1 + len(wide.columns))),
            highlighted=(len(wide),) if len(wide) > 1 else (),
            folded=False,
        )
    ]


def similarity_sentences(similarity: pd.DataFrame, labels: Labels) -> list[str]:
    """Return the most and the least similar rankings, and the number of datasets."""
    wide = by_pair(similarity).dropna(axis=1, how="all")
    if wide.empty:
        return []
    means, counts = wide.mean(), wide.count().astype(int).to_dict()

    def described(pair: Any) -> str:
        sets = number_of(counts[pair], "dataset")
        return f"{' and '.join(pair)} ({number(means[pair])} on average over {sets})"

    sizes = _sizes(similarity, labels)
    sentences = [f"The rankings are {listed(sizes)}."] if sizes else []
    if len(means) == 1:
        return [*sentences, f"The only pair is {described(means.index[0])}."]
    text = f"The most similar are {described(means.idxmax())}, the least similar {described(means.idxmin())}."
    most_often = wide.dropna().idxmax(axis=1).value_counts()
    if len(most_often):
        pair, often = most_often.index[0], int(most_often.iloc[0])
        text += (
            f" Of all pairs, {' and '.join(pair)} are the most similar on {often} of {len(wide.dropna())}."
        )
    return [*sentences, text]


def _sizes(similarity: pd.DataFrame, labels: Labels) -> list[str]:
    found: dict[str, int] = {}
    for side in ("first", "second"):
        found |= dict(zip(similarity[side], similarity[f"{side}_size"].astype(int), strict=True))
    return [
        f"{name} with {labels[name].size_in_words(size)}" if size else name for name, size in found.items()
    ]
