"""Sentences made from the numbers. A test that does not reject is never called a finding of equality."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices
from mlsieve.questions.compare import Answer
from mlsieve.questions.table import PerformanceTable
from mlsieve.stats.posthoc import bonferroni_dunn_distance, nemenyi_distance

TITLES = {"paper": "Paper's methods", "extended": "All methods"}
NOT_ALIKE = "Not rejected does not mean that the"  # sizes or methods perform alike


def number(value: float) -> str:
    """Return a number with three significant digits, as a sentence shows it."""
    return f"{value:.3g}"


def listed(words: Iterable[str]) -> str:
    """Return words joined with commas and a final "and"."""
    words = list(words)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _sets(tests: pd.DataFrame) -> str:
    low, high = int(tests["n_datasets"].min()), int(tests["n_datasets"].max())
    return _count(low, "data set") if low == high else f"{low} to {high} data sets"


def _frames(answer: Answer, family: str, test: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    tests = pd.DataFrame(answer.tests)
    ranks = pd.DataFrame(answer.ranks)
    if tests.empty:
        return tests, ranks
    return tests[(tests["family"] == family) & (tests["test"] == test)], ranks[ranks["family"] == family]


def friedman_sentences(answer: Answer, family: str, noun: str, analysis: Analysis) -> list[str]:
    """Return what Friedman tests of one family say: verdicts, differences, and variants that differ.

    Parameters
    ----------
    answer : Answer
    family : str
    noun : str
        What is compared: "sizes", "methods".
    analysis : Analysis
    """
    tests, ranks = _frames(answer, family, "friedman")
    if tests.empty:
        return []
    plain = tests[tests["variant"] == "all"]
    done = plain[plain["p_value"].notna()]
    sentences = []
    for comparison, group in plain.groupby("comparison", sort=False):
        tested = group[group["p_value"].notna()]
        if tested.empty:
            reasons = listed(sorted(set(group["note"])))
            sentences.append(f"{_title(family)}, {comparison}: no test could be done ({reasons}).")
            continue
        rejected = int(tested["rejected"].sum())
        largest = _largest_difference(ranks, str(comparison))
        text = (
            f"{_title(family)}, {comparison}: over {_sets(tested)}, Friedman's test of the {noun} "
            f"rejects for {rejected} "
            f"of {_count(len(tested), 'test')} at {number(analysis.significance)}; the largest "
            "difference of average "
            f"ranks is {number(largest['difference'])} ({largest['measure']}: {_named(largest['best'])} "
            f"{number(largest['best_rank'])} against {_named(largest['worst'])} "
            f"{number(largest['worst_rank'])})."
        )
        if rejected < len(tested):
            n_methods = len(tested["methods"].iloc[0].split(";"))
            control = str(ranks.loc[ranks["comparison"] == comparison, "control"].iloc[0])
            distance = bonferroni_dunn_distance if control else nemenyi_distance
            limit = distance(n_methods, int(tested["n_datasets"].max()), analysis.significance)
            largest_possible = n_methods - 1
            text += (
                f" {NOT_ALIKE} {noun} perform alike: with {_sets(tested)} only a difference of average ranks "
                f"of {number(limit)} (of at most {largest_possible}) would be told apart."
            )
        sentences.append(text)
    sentences += _pair_sentences(answer, family, analysis)
    sentences += _best_sentences(ranks, done, noun, family)
    sentences += variant_sentences(tests, family)
    return sentences


def _named(method: object) -> str:
    return f"{method} trees" if str(method).isdigit() else str(method)


def _largest_difference(ranks: pd.DataFrame, comparison: str) -> dict[str, Any]:
    part = ranks[(ranks["variant"] == "all") & (ranks["comparison"] == comparison) & ranks["rank"].notna()]
    best: dict[str, Any] = {"difference": -1.0}
    for measure, group in part.groupby("measure", sort=False):
        low, high = group.loc[group["rank"].idxmin()], group.loc[group["rank"].idxmax()]
        if high["rank"] - low["rank"] > best["difference"]:
            best = {
                "difference": high["rank"] - low["rank"],
                "measure": measure,
                "best": low["method"],
                "best_rank": low["rank"],
                "worst": high["method"],
                "worst_rank": high["rank"],
            }
    return best


def _pair_sentences(answer: Answer, family: str, analysis: Analysis) -> list[str]:
    sentences = []
    for test, name in (("nemenyi", "Nemenyi's"), ("bonferroni-dunn", "Bonferroni-Dunn's")):
        tests, _ = _frames(answer, family, test)
        tests = tests[tests["variant"] == "all"] if len(tests) else tests
        if len(tests):
            apart = int(tests["rejected"].sum())
            sentences.append(
                f"{_title(family)}: where Friedman's test rejects, {name} test tells {apart} of "
                f"{_count(len(tests), 'pair')} apart."
            )
    return sentences


def _best_sentences(ranks: pd.DataFrame, done: pd.DataFrame, noun: str, family: str) -> list[str]:
    if noun == "sizes" or done.empty:
        return []
    sentences = []
    plain = ranks[(ranks["variant"] == "all") & ranks["rank"].notna()]
    for comparison, group in plain.groupby("comparison", sort=False):
        means = group.groupby("method", sort=False)["rank"].mean().sort_values(kind="stable")
        order = listed(f"{method} {number(rank)}" for method, rank in means.items())
        n_measures = group["measure"].nunique()
        over = "" if n_measures == 1 else f", averaged over {_count(n_measures, 'measure')},"
        text = f"{_title(family)}, {comparison}: with {_sets(group)} the average ranks{over} are {order}"
        # Between the two at the top, for that is what the question asks.
        gap = means.iloc[1] - means.iloc[0]
        sentences.append(f"{text} (1 is best); the first two are {number(gap)} apart.")
    return sentences


def wilcoxon_sentences(answer: Answer, family: str, analysis: Analysis) -> list[str]:
    """Return what the Wilcoxon tests of one family say: how often a pair is told apart, and for whom."""
    tests, _ = _frames(answer, family, "wilcoxon")
    if tests.empty:
        return []
    sentences = []
    plain = tests[tests["variant"] == "all"]
    for methods, group in plain.groupby("methods", sort=False):
        first, second = str(methods).split(";")
        tested = group[group["p_value"].notna()]
        if tested.empty:
            reasons = listed(sorted(set(group["note"])))
            sentences.append(f"{_title(family)}: {first} and {second} could not be tested ({reasons}).")
            continue
        better = int((tested["rejected"] & (tested["rank_sum_better"] > tested["rank_sum_worse"])).sum())
        worse = int((tested["rejected"] & (tested["rank_sum_better"] < tested["rank_sum_worse"])).sum())
        undecided = len(tested) - better - worse
        sentences.append(
            f"{_title(family)}: over {_sets(tested)}, {first} is significantly better than "
            f"{second} on {better} and worse "
            f"on {worse} of {_count(len(tested), 'measure')}; on {undecided} no difference is shown. "
            f"Over all of them it wins {int(tested['wins'].sum())}, ties "
            f"{int(tested['ties'].sum())} and loses "
            f"{int(tested['losses'].sum())} times."
        )
    smallest = plain["n_datasets"].min()
    if smallest < 6:
        sentences.append(
            f"{_title(family)}: with {_count(int(smallest), 'data set')} a two-sided Wilcoxon test "
            f"cannot give a p-value below {number(2.0 ** (1 - smallest))}."
        )
    return sentences + variant_sentences(tests, family)


def variant_sentences(tests: pd.DataFrame, family: str) -> list[str]:
    """Return where a verdict changes when related sets count once, or differing sets are left out.

    Parameters
    ----------
    tests : DataFrame
        Rows of tests.csv of one family and kind of test, in every variant.
    family : str
    """
    sentences = []
    keys = ["evaluator", "measure", "comparison"]
    plain = tests[tests["variant"] == "all"].set_index(keys)["rejected"]
    for variant, what in (
        ("related-collapsed", "With one value a family of related sets"),
        ("without-differing", "Without the sets that differ from the paper's"),
    ):
        part = tests[tests["variant"] == variant]
        if part.empty:
            continue
        verdict = part[part["p_value"].notna()].set_index(keys)["rejected"]
        changed = [key for key in verdict.index if bool(verdict[key]) != bool(plain[key])]
        head = f"{_title(family)}: {what[0].lower()}{what[1:]} ({_sets(part)}), "
        if verdict.empty:
            sentences.append(f"{head}no test can be done.")
        elif changed:
            names = listed(f"{comparison} on {measure}" for _, measure, comparison in changed[:6])
            more = f" and {len(changed) - 6} more" if len(changed) > 6 else ""
            sentences.append(
                f"{head}the verdict changes in {len(changed)} of {len(verdict)} tests: {names}{more}."
            )
        else:
            sentences.append(f"{head}no verdict of the {_count(len(verdict), 'test')} changes.")
    return sentences


def size_sentences(choices: Choices, table: PerformanceTable) -> list[str]:
    """Return which sizes later questions use, and which the study itself would choose."""
    used, own = [], []
    for label in table.pairs()["label"]:
        size, note = choices.size(label)
        if size:
            used.append(f"{label} {size}" + (f" ({note})" if note else ""))
            own.append(f"{label} {choices.size(label, 'own')[0]}")
    if choices.analysis.choice == "own":
        return [
            f"Later questions use the sizes chosen here: {listed(used)}. The choice and the tests "
            "that follow use "
            "the same data sets."
        ]
    return [
        f"Later questions use the paper's sizes: {listed(used)}.",
        "The smallest sizes that Nemenyi's test does not tell from the best on any measure "
        f"here: {listed(own)}.",
    ]


def ensemble_sentences(choices: Choices, table: PerformanceTable) -> list[str]:
    """Return which ensembles later questions use, and which have the best mean rank here."""
    scores = sorted(table.pairs()["score"].unique())
    used, own = [], []
    for score in scores:
        name, note = choices.ensemble(score)
        if name:
            used.append(f"{score} with {name}" + (f" ({note})" if note else ""))
            own.append(f"{score} with {choices.ensemble(score, 'own')[0]}")
    if choices.analysis.choice == "own":
        return [f"Later questions use the ensembles of best mean rank: {listed(used)}."]
    return [
        f"Later questions use the paper's ensembles: {listed(used)}.",
        f"Of best mean rank here: {listed(own)}.",
    ]


def _title(family: str) -> str:
    return TITLES[family]


def family_of(sentence: str) -> str:
    """Return the family that a sentence is about; "paper" for one that is about none."""
    return next((family for family, title in TITLES.items() if sentence.startswith(title)), "paper")


def without_remark(sentence: str) -> tuple[str, str]:
    """Return a sentence without what it says of tests that do not reject, and that (or nothing).

    Of all that is said it alone can stand apart: it has no word for what was said before it.
    """
    finding, mark, remark = sentence.partition(f" {NOT_ALIKE}")
    return finding, f"{NOT_ALIKE}{remark}" if mark else ""
