"""What the paper of a study found, beside what the study finds, in words made from its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

from mlsieve.questions.wording import listed, number


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
    study: str, question: str, tests: pd.DataFrame, ranks: pd.DataFrame, choices: pd.DataFrame
) -> Beside | None:
    """Return the paper's finding with this study's beside it; None where the paper is not known to say any.

    Parameters
    ----------
    study, question : str
    tests, ranks, choices : DataFrame
        The study's tests.csv, average_ranks.csv and choices.csv.
    """
    known = paper_findings(study)
    finding = known.get("questions", {}).get(question)
    if finding is None:
        return None
    worded = {"saturation": _sizes, "ensemble": _ensembles}.get(question)
    here = worded(_plain(tests, question), _plain(ranks, question), choices) if worded else []
    return Beside(known["source"].strip(), finding.strip(), tuple(here))


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
    """Return how often the first test of a question rejects."""
    first = tests[tests["test"].isin(["friedman", "wilcoxon"])]
    rejected = int((first["rejected"].astype(str).str.lower() == "true").sum())
    names = {"friedman": "Friedman's", "wilcoxon": "Wilcoxon's"}
    parts = [names[name] for name in ("friedman", "wilcoxon") if (first["test"] == name).any()]
    subject = f"{parts[0]} test rejects" if len(parts) == 1 else f"{' and '.join(parts)} tests reject"
    return f"{subject} in {rejected} of {len(first)} cases"


def _sizes(tests: pd.DataFrame, ranks: pd.DataFrame, choices: pd.DataFrame) -> list[str]:
    chosen = _chosen(choices, "size")
    if chosen.empty or tests.empty:
        return []
    own, paper = chosen["own"].astype(int), chosen["paper"].astype(int)
    differing = [f"{name} {own[name]} instead of {paper[name]}" for name in chosen.index[own != paper]]
    text = (
        f"With {_sets(tests)}, {_verdict(tests)}. The smallest size that is not told from the best is the "
        f"paper's for {int((own == paper).sum())} of {len(chosen)} pairs"
    )
    text += f"; it differs for {listed(differing)}." if differing else "."
    if differing:
        text += " Where no test rejects, that is the smallest size of all, which does not say that more "
        text += "trees are of no use."
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
        side = "better than" if difference > 0 else "worse than" if difference < 0 else "the same as that of"
        amount = f": a difference of {number(abs(difference))}" if difference else ""
        sentences.append(
            f"{score}: with {_sets(part)}, the mean rank over {measures} measure{'s' * (measures != 1)} of "
            f"{paper} is {number(means[paper])}, {side} {best} ({number(rest.iloc[0])}){amount}."
        )
    if not sentences:
        return []
    head = f"No ensemble has a better mean rank than the paper's for {same} of {len(sentences)} scores"
    return [f"{head}; {_verdict(tests)}.", *sentences]
