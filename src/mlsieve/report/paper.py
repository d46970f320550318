"""What the paper of a study found, beside what the study finds, in words made from its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

from mlsieve.questions.family_counts import counts_in_words, family_counts
from mlsieve.questions.wording import listed, number
from mlsieve.report.paper_selection import conclusion_beside, many_labels_beside, selection_beside


@dataclass(frozen=True)
class Beside:
    """One question's finding of the paper, and this study's.

    Attributes
    ----------
    source, finding : str
        The paper, and what it states.
    here : tuple of str
        Sentences about this study; none where its tables hold nothing to set beside.
    """

    source: str
    finding: str
    here: tuple[str, ...]


def paper_findings(study: str) -> dict[str, Any]:
    """Return ``source`` and ``questions`` (id to sentence) of a study's paper; empty for any other study.

    Parameters
    ----------
    study : str
        The study's name, the configuration's key ``study``.
    """
    import yaml

    text = resources.files("mlsieve.report").joinpath("paper_findings.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text).get(study, {})


def beside(
    study: str,
    question: str,
    tests: pd.DataFrame,
    ranks: pd.DataFrame,
    choices: pd.DataFrame,
    significance: float = 0.05,
) -> Beside | None:
    """Return the paper's finding with this study's beside it; None where the paper is not known to say any.

    Parameters
    ----------
    study, question : str
    tests, ranks, choices : DataFrame
        The study's tests.csv, average_ranks.csv and choices.csv.
    significance : float
        The level of the tests.
    """
    known = paper_findings(study)
    finding = known.get("questions", {}).get(question)
    if finding is None:
        return None
    some, average = _plain(tests, question), _plain(ranks, question)
    if question == "saturation":
        here = _sizes(some, choices)
    elif question == "relevance":
        here = _relevance(some)
    elif question == "ensemble":
        here = _ensembles(some, average, choices)
    elif question == "relief":
        here = _rival(some, average)
    elif question == "score":
        here = _best_score(some, average, known["best_score"])
    elif question == "selection":
        here = selection_beside(some, average)
    elif question == "many-labels":
        here = many_labels_beside(some)
    elif question == "conclusion":
        here = conclusion_beside(tests[(tests["question"] == question) & (tests["variant"] == "all")])
    else:
        here = []
    own = tests[(tests["question"] == question) & (tests["family"] == "paper")]
    return Beside(known["source"].strip(), finding.strip(), (*here, *_families_once(own, significance)))


def _families_once(tests: pd.DataFrame, significance: float) -> list[str]:
    """Return what becomes of a question's tests when families of related datasets count once."""
    if "p_least" not in tests:
        return []
    counts = family_counts(tests, significance)
    once = counts_in_words(counts, significance)
    verb = "is" if counts.significant == 1 else "are"
    return [f"{counts.significant} of {counts.tests} tests {verb} significant{once}."] if once else []


def _plain(table: pd.DataFrame, question: str) -> pd.DataFrame:
    """Return the rows of a question over all data sets, of the paper's methods."""
    return table[(table["question"] == question) & (table["variant"] == "all") & (table["family"] == "paper")]


def _chosen(choices: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return paper's and own choice by item, without items whose choice of the paper is not in the study."""
    some = choices[choices["kind"] == kind]
    replaced = some.loc[(some["choice"] == "paper") & (some["note"].astype(str) != ""), "item"]
    some = some[~some["item"].isin(replaced)]
    return some.pivot_table(
        index="item", columns="choice", values="value", aggfunc="first", sort=False
    ).dropna()


def _sets(tests: pd.DataFrame) -> str:
    low, high = int(tests["n_datasets"].min()), int(tests["n_datasets"].max())
    return f"{low} data set{'s' * (low != 1)}" if low == high else f"{low} to {high} data sets"


def _verdict(tests: pd.DataFrame) -> str:
    """Return how often the first test of a question is significant."""
    first = tests[tests["test"].isin(["friedman", "wilcoxon"])]
    rejected = int((first["rejected"].astype(str).str.lower() == "true").sum())
    names = {"friedman": "Friedman's", "wilcoxon": "Wilcoxon's"}
    parts = [names[name] for name in ("friedman", "wilcoxon") if (first["test"] == name).any()]
    subject = f"{parts[0]} test is" if len(parts) == 1 else f"{' and '.join(parts)} tests are"
    return f"{subject} significant in {rejected} of {len(first)} cases"


def _sizes(tests: pd.DataFrame, choices: pd.DataFrame) -> list[str]:
    chosen = _chosen(choices, "size")
    if chosen.empty or tests.empty:
        return []
    own, paper = chosen["own"].astype(int), chosen["paper"].astype(int)
    noun = "pairs" if all("/" in str(name) for name in chosen.index) else "rankings"
    differing = [f"{name} {own[name]} instead of {paper[name]}" for name in chosen.index[own != paper]]
    text = (
        f"With {_sets(tests)}, {_verdict(tests)}. By this project's convention, the smallest size that is "
        "nowhere significantly worse than the best, the size is the paper's for "
        f"{int((own == paper).sum())} of {len(chosen)} {noun}"
    )
    text += f"; it differs for {listed(differing)}." if differing else "."
    if differing:
        text += " Where no test is significant, that is the smallest size of all, which does not say that "
        text += "more trees are of no use."
    return [text]


def _ensembles(tests: pd.DataFrame, ranks: pd.DataFrame, choices: pd.DataFrame) -> list[str]:
    chosen = _chosen(choices, "ensemble")
    ranks = ranks[ranks["rank"].notna()]
    sentences, same = [], 0
    for score in chosen.index:
        part = ranks[ranks["comparison"] == score]
        means = part.groupby("method", sort=False)["rank"].mean().sort_values(kind="stable")
        ensembles = {str(label): str(label).split("/")[-2] for label in means.index if "/" in str(label)}
        paper = next((name for name, kind in ensembles.items() if kind == chosen.loc[score, "paper"]), None)
        if len(means) < 2 or paper is None:
            continue
        rest = means.drop(paper)
        best, difference = str(rest.index[0]), rest.iloc[0] - means[paper]
        same += difference >= 0
        measures = part["measure"].nunique()
        amount = f": a difference of {number(abs(difference))}" if difference else ""
        sentences.append(
            f"{score}: with {_sets(part)}, the mean rank over {measures} measure{'s' * (measures != 1)} of "
            f"{paper} is {number(means[paper])}, {_side(difference)} {best} ({number(rest.iloc[0])}){amount}."
        )
    if not sentences:
        return []
    head = f"No ensemble has a better mean rank than the paper's for {same} of {len(sentences)} scores"
    return [f"{head}; {_verdict(tests)}.", *sentences]


def _is_rejected(tests: pd.DataFrame) -> pd.Series:
    return tests["rejected"].astype(str).str.lower() == "true"


def _relevance(tests: pd.DataFrame) -> list[str]:
    done = tests[(tests["test"] == "wilcoxon") & tests["p_value"].notna()]
    if done.empty:
        return []
    control = str(done["methods"].iloc[0]).split(";")[1]
    rejected = _is_rejected(done)
    better = rejected & (done["rank_sum_better"] > done["rank_sum_worse"])
    worse = rejected & (done["rank_sum_better"] < done["rank_sum_worse"])
    gaining = sorted(set(done.loc[better, "methods"]))
    rankings, measures = done["methods"].nunique(), done["measure"].nunique()
    text = (
        f"With {_sets(done)}, {len(gaining)} of {rankings} rankings are significantly better than {control} "
        f"on at least one of {measures} measure{'s' * (measures != 1)}: in {int(better.sum())} of "
        f"{len(done)} tests; in {int(worse.sum())} a ranking is significantly worse, and in "
        f"{len(done) - int(better.sum()) - int(worse.sum())} the difference is not significant."
    )
    return [text]


def _rival(tests: pd.DataFrame, ranks: pd.DataFrame) -> list[str]:
    """Return on how many measures each score ranks before its rival, and where significantly."""
    pairs = tests[tests["test"].isin(["bonferroni-dunn", "wilcoxon"])]
    controls = [str(name) for name in ranks["control"] if str(name) not in ("", "nan")]
    controls += [str(names).split(";")[1] for names in pairs["methods"]]
    ranks = ranks[ranks["rank"].notna()]
    if not controls or ranks.empty:
        return []
    rival = controls[0]
    rejected = pairs[_is_rejected(pairs)]
    # Average ranks differ by less than 0 where the first is better; Wilcoxon's statistic has no sign.
    signed = (rejected["test"] == "bonferroni-dunn") & (rejected["statistic"] < 0)
    if "rank_sum_better" in rejected:
        signed |= (rejected["test"] == "wilcoxon") & (
            rejected["rank_sum_better"] > rejected["rank_sum_worse"]
        )
    significant = rejected.loc[signed, "methods"].value_counts()
    against = rejected.loc[~signed, "methods"].value_counts()
    keys = ["evaluator", "measure", "comparison"]
    theirs = ranks[ranks["method"] == rival].set_index(keys)["rank"]
    sentences = []
    for score, part in ranks[ranks["method"] != rival].groupby("method", sort=False):
        own = part.set_index(keys)["rank"]
        both = own.index.intersection(theirs.index)
        ahead = int((own[both] < theirs[both]).sum())
        name = f"{score};{rival}"
        sentences.append(
            f"{score}: a better average rank than {rival} on {ahead} of {len(both)} measures, significantly "
            f"better on {int(significant.get(name, 0))} and worse on {int(against.get(name, 0))}."
        )
    return [f"With {_sets(ranks)}, {_verdict(tests)}.", *sentences]


def _best_score(tests: pd.DataFrame, ranks: pd.DataFrame, best: str) -> list[str]:
    means = (
        ranks[ranks["rank"].notna()].groupby("method", sort=False)["rank"].mean().sort_values(kind="stable")
    )
    paper = next((str(name) for name in means.index if str(name).rsplit("/", 1)[-1] == best), None)
    if paper is None or len(means) < 2:
        return []
    rest = means.drop(paper)
    measures = ranks["measure"].nunique()
    return [
        f"With {_sets(ranks)}, {_verdict(tests)}. The mean rank over {measures} "
        f"measure{'s' * (measures != 1)} of {paper} is {number(means[paper])}, "
        f"{_side(rest.iloc[0] - means[paper])} {rest.index[0]} ({number(rest.iloc[0])})."
    ]


def _side(difference: float) -> str:
    """Return how a mean rank stands to one that is larger by `difference`."""
    return "better than" if difference > 0 else "worse than" if difference < 0 else "the same as that of"
