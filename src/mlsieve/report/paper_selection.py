"""What a study finds about selectors, in the words that stand beside the selection paper's findings."""

from __future__ import annotations

import pandas as pd

from mlsieve.questions.verdicts import verdicts_of
from mlsieve.questions.wording import listed, number


def selection_beside(tests: pd.DataFrame, ranks: pd.DataFrame) -> list[str]:
    """Return F of each measure, and how often the control comes first and differs from each rival.

    Parameters
    ----------
    tests, ranks : DataFrame
        The question's rows of tests.csv and average_ranks.csv: the paper family over all data sets.
    """
    friedman = tests[(tests["test"] == "friedman") & tests["f_f"].notna()]
    controls = [str(name) for name in ranks["control"] if str(name) not in ("", "nan")]
    if friedman.empty or not controls:
        return []
    control = controls[0]
    found = list(verdicts_of(tests, ranks, control).values())
    values = listed(f"{row['f_f']:.3f} ({row['measure']})" for row in friedman.to_dict("records"))
    critical = listed(sorted({f"{value:.3f}" for value in friedman["f_critical"]}))
    low, high = (int(friedman["n_datasets"].agg(name)) for name in ("min", "max"))
    sets = f"{low}" if low == high else f"{low} to {high}"
    first = sum(control in verdict.first for verdict in found)
    rivals = dict.fromkeys(
        name for verdict in found for name in (*verdict.beaten, *verdict.undecided, *verdict.ahead)
    )
    told = [
        f"{name} on {sum(name in verdict.beaten for verdict in found)}"
        + (f" (worse on {worse})" if (worse := sum(name in verdict.ahead for verdict in found)) else "")
        for name in rivals
    ]
    return [
        f"With {sets} data sets, F is {values} against a critical value of {critical}.",
        f"{control} has the best average rank on {first} of {len(found)} measures. By Bonferroni-Dunn's test "
        f"it is significantly better than {listed(told)} of them.",
    ]


def many_labels_beside(tests: pd.DataFrame) -> list[str]:
    """Return the p-values of each pair's Wilcoxon tests, with the side that they favour."""
    tests = tests[(tests["test"] == "wilcoxon") & tests["p_value"].notna()]
    sentences = []
    for methods, group in tests.groupby("methods", sort=False):
        first, second = str(methods).split(";")
        parts = [
            f"{row['measure']} R+ = {number(row['rank_sum_better'])}, R- = {number(row['rank_sum_worse'])}, "
            f"p = {number(row['p_value'])}"
            for row in group.to_dict("records")
        ]
        sets = int(group["n_datasets"].max())
        sentences.append(f"{first} (R+) against {second} (R-), {sets} data sets: {'; '.join(parts)}.")
    return sentences


def conclusion_beside(tests: pd.DataFrame) -> list[str]:
    """Return on how many data sets each control is as good as the method that the tests are about.

    Parameters
    ----------
    tests : DataFrame
        The question's rows of tests.csv over all data sets.
    """
    sentences = []
    for comparison, group in tests.groupby("comparison", sort=False):
        label = str(comparison).removeprefix("with ")
        pairs = group[group["methods"].astype(str).str.startswith(f"{label};") & group["wins"].notna()]
        if label == comparison or pairs.empty:
            continue
        against = str(pairs["methods"].iloc[0]).split(";")[1]
        counts = [
            f"{int(row['wins'] + row['ties'])} of {int(row[['wins', 'ties', 'losses']].sum())} data sets by "
            f"{row['measure']}"
            for _, row in pairs.iterrows()
        ]
        sentences.append(f"{label} is as good as {against} or better on {listed(counts)}.")
    return sentences
