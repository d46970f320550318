"""Which ensemble is best for each score?"""

from __future__ import annotations

from mlsieve.analysis.choices import Choices, pairs_of
from mlsieve.analysis.counted_tables import MISSING, RANK_DIGITS, CountedTable
from mlsieve.analysis.findings import plain_findings
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences import choices as choice_wording
from mlsieve.analysis.sentences import wording
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer, compare
from mlsieve.registry import register
from mlsieve.stats._lazy import pd
from mlsieve.tables.labels import Labels


@register.question(
    "ensemble", version=2, order=3, title="Which ensemble is best for each score?", short="Best ensemble"
)
def ensemble(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """Friedman's and Nemenyi's tests of the ensembles of each score; Wilcoxon's if a score has only two.

    The extended group adds every method without an ensemble.
    """
    answer = Answer()
    for family in analysis.families:
        pairs = pairs_of(table, analysis, family).sort_values("label")
        others = table.companions() if family == "extended" else []
        comparisons = []
        for score, group in pairs.groupby("score"):
            labels = [*group["label"], *others]
            if len(group) < 2:
                answer.notes.append(
                    f"{wording.title_of(family, analysis)}: only {', '.join(group['label'])} has the score "
                    f"{score}."
                )
                continue
            comparisons += choices.comparisons({str(score): labels})
        if not comparisons:
            answer.notes.append(f"{wording.title_of(family, analysis)}: no score has two or more ensembles.")
            continue
        part = compare(comparisons, table, analysis, question="ensemble", family=family)
        answer.extend(part)
        answer.findings += wording.friedman_findings(part, family, "methods", analysis)
        answer.findings += wording.wilcoxon_findings(part, family, analysis)
    if answer.tests:
        answer.tables += ensemble_tables(pd.DataFrame(answer.ranks), table.by_label)
        answer.findings += plain_findings(choice_wording.ensemble_sentences(choices, table))
    return answer


def best_ensembles(ranks: pd.DataFrame, labels: Labels) -> pd.DataFrame:
    """Return average ranks as measures by (score, ensemble), of the scores that several ensembles have.

    Parameters
    ----------
    ranks : DataFrame
        The question's rows of average_ranks.csv: those of the paper's methods, or of all if there are none.
        The ranks of several evaluators are averaged.
    labels : Labels
        Of the study's rankings.

    Returns
    -------
    DataFrame of float
        Columns are pairs of str, in the order of the table.
    """
    some = ranks[(ranks["variant"] == "all") & ranks["rank"].notna()]
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
    """Return on how many measures each ensemble has its score's best rank; a tie counts for each."""
    counts = {}
    for pair in ranks.columns:
        lowest = ranks[pair[0]].min(axis=1).round(RANK_DIGITS)
        counts[pair] = int((ranks[pair].round(RANK_DIGITS) == lowest).sum())
    return pd.Series(counts, dtype=int)


def ensemble_tables(ranks: pd.DataFrame, labels: Labels) -> list[CountedTable]:
    """Return the table of `best_ensembles` with the best of each score in bold, then means and counts.

    Parameters
    ----------
    ranks : DataFrame
        The question's rows of average_ranks.csv.
    labels : Labels
        Of the study's rankings.
    """
    wide = best_ensembles(ranks, labels)
    if wide.empty:
        return []
    lines = [(str(measure), values) for measure, values in wide.iterrows()]
    complete = wide.dropna()
    if len(complete) > 1:
        lines.append((f"mean of {len(complete)}", complete.mean()))
    rows = [
        (name, *(MISSING if pd.isna(value) else f"{value:.{RANK_DIGITS}f}" for value in values))
        for name, values in lines
    ]
    marks = [
        (place, 1 + column, "best")
        for place, (_, values) in enumerate(lines)
        for column, ((score, _), value) in enumerate(values.items())
        if round(value, RANK_DIGITS) == round(values[score].min(), RANK_DIGITS)
    ]
    if len(complete) > 1:
        rows.append(("measures where best", *times_best(wide).tolist()))
    return [
        CountedTable(
            "ensembles",
            "Average ranks of each score's ensembles",
            f"1 is best. The best rank of each score, at {RANK_DIGITS} decimals, is bold; bold is not the "
            "result of a test. The tests below show which differences are significant.",
            ("measure", *(f"{score}: {name}" for score, name in wide.columns)),
            tuple(rows),
            numbers=tuple(range(1, 1 + len(wide.columns))),
            marks=tuple(marks),
            folded=False,
        )
    ]
