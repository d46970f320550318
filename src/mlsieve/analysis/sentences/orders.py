"""Sentences about the tables of the column order, for the report."""

from __future__ import annotations

from mlsieve.analysis.domain_counts import counts_in_words, domain_counts
from mlsieve.analysis.sentences.wording import MOST_NAMED, listed, number_of
from mlsieve.evaluation.column_order import FUJI, ORDERS, SEEDS, SPEARMAN
from mlsieve.stats._lazy import pd
from mlsieve.tables.labels import labels_of

SAME = 1e-9  # a correlation or similarity this close to 1 is that of equal rankings
OF_CLUS = (
    "CLUS, the program that computed the published rankings, takes the first of several equally good "
    "features. The published rankings therefore correspond to ties=first and depend on the column order."
)


def order_sentences(summary: pd.DataFrame, tests: pd.DataFrame, significance: float = 0.05) -> list[str]:
    """Return what reversing the columns changes in rankings and measures, under both rules of ties.

    Parameters
    ----------
    summary, tests : DataFrame
        As `mlsieve.analysis.column_order` makes them.
    significance : float
        The level at which the tests were decided.
    """
    if summary.empty:
        return []
    sentences = [*_first(summary), *_random(summary), *_measures(tests), *_rules(tests, significance)]
    return [*sentences, OF_CLUS]


def medians(summary: pd.DataFrame, ties: str, quantity: str) -> pd.DataFrame:
    """Return the median of a quantity as rankings by comparison.

    Parameters
    ----------
    summary : DataFrame
        Of `mlsieve.analysis.column_order.summary`.
    ties, quantity : str

    Returns
    -------
    DataFrame of float
        The index is ``ensemble/score``, with the number of trees where the summary has several.
    """
    some = summary[(summary["ties"] == ties) & (summary["quantity"] == quantity)]
    names = labels_of(some.assign(method=""))
    if summary["size"].nunique() > 1:
        names += "/" + some["size"].astype(str)
    return some.assign(name=names).pivot_table(
        index="name", columns="comparison", values="median", sort=False, dropna=False
    )


def _first(summary: pd.DataFrame) -> list[str]:
    found = medians(summary, "first", SPEARMAN).dropna()
    if found.empty:
        return []
    rows = summary[(summary["ties"] == "first") & (summary["quantity"] == SPEARMAN)]
    text = (
        "With ties=first, the rankings of the original and of the reversed columns have a median Spearman "
        f"correlation {_range(found[ORDERS])} over {_counts(rows['n_datasets'])}. Rankings of two seeds have "
        f"a median correlation {_range(found[SEEDS])}."
    )
    lower = found.index[found[ORDERS] < found[SEEDS]].tolist()
    which = (
        "every ranking" if len(lower) == len(found) else f"{len(lower)} of {number_of(len(found), 'ranking')}"
    )
    text += f" By these medians, reversing the columns changes {which} more than a change of the seed does"
    named = 0 < len(lower) < len(found) and len(lower) <= MOST_NAMED
    return [text + (f": {listed(lower)}." if named else ".")]


def _random(summary: pd.DataFrame) -> list[str]:
    rows = summary[(summary["ties"] == "random") & (summary["comparison"] == ORDERS)]
    if rows.empty:
        return []
    if (rows["least"] >= 1 - SAME).all():
        return ["With ties=random, reversing the columns changes no ranking on any dataset."]
    least = {name: rows.loc[rows["quantity"] == name, "least"].min() for name in (SPEARMAN, FUJI)}
    return [
        "With ties=random, reversing the columns changes rankings: the least Spearman correlation is "
        f"{least[SPEARMAN]:.3f} and the least FUJI similarity {least[FUJI]:.3f}."
    ]


def _measures(tests: pd.DataFrame) -> list[str]:
    rows = tests[tests["variant"] == "all"].dropna(subset=["order_difference", "seed_difference"])
    if rows.empty:
        return []
    more = int((rows["order_difference"] > rows["seed_difference"]).sum())
    return [
        "With ties=first, reversing the columns changes a measure by a larger mean absolute difference than "
        f"a change of the seed does in {more} of {len(rows)} combinations of ranking and measure."
    ]


def _rules(tests: pd.DataFrame, significance: float) -> list[str]:
    """Return how often the two rules of ties differ significantly, and how often with each domain once."""
    alone = tests[(tests["variant"] == "all") & tests["p_value"].notna()]
    if alone.empty:
        return []
    counts, least = domain_counts(tests, significance), float(alone["p_least"].min())
    text = "Wilcoxon tests compare the measures under ties=first and ties=random over "
    text += f"{_counts(alone['n_datasets'])}"
    if least > significance:
        return [
            f"{text}; these are too few for any significant difference (the smallest possible p-value is "
            f"{least:.3g})."
        ]
    text += f": {counts.significant} of {counts.tests} differences are significant"
    significant = alone[alone["rejected"].astype(bool)]
    if len(significant):
        better = significant["rank_sum_better"] > significant["rank_sum_worse"]
        rules = {"first": significant[better], "random": significant[~better]}
        text += f" ({'; '.join(_favoured(rule, rows) for rule, rows in rules.items() if len(rows))})"
    return [
        f"{text}{counts_in_words(counts, significance)}. Each ranking and measure "
        "has one test, and these tests are correlated. The p-values are corrected over the rankings of each "
        "measure by the method of Benjamini and Hochberg."
    ]


def _favoured(rule: str, tests: pd.DataFrame) -> str:
    """Return in how many tests a rule is better, and of which rankings."""
    counts = labels_of(tests.assign(method="")).value_counts(sort=False)
    of_rankings = listed(f"{name} {count}" for name, count in counts.items())
    return f"{rule} is better in {len(tests)}: {of_rankings}"


def _range(values: pd.Series) -> str:
    low, high = values.idxmin(), values.idxmax()
    if low == high:
        return f"of {values[low]:.2f} ({low})"
    return f"between {values[low]:.2f} ({low}) and {values[high]:.2f} ({high})"


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"


def _counts(counts: pd.Series) -> str:
    text = _span(counts)
    return number_of(text, "dataset")
