"""Sentences made from the numbers. A test that does not reject is never called a finding of equality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import OWN_INSTEAD, Choices, several_sizes
from mlsieve.questions.compare import Answer
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import entries
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


def friedman_sentences(
    answer: Answer, family: str, noun: str, analysis: Analysis, about: str = ""
) -> list[str]:
    """Return what Friedman tests of one family say: verdicts, differences, and variants that differ.

    Parameters
    ----------
    answer : Answer
    family : str
    noun : str
        What is compared: "sizes", "methods".
    analysis : Analysis
    about : str
        Named where it is not clear which of a family's tests are meant.
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
        best, worst = (_named(largest[key], str(comparison)) for key in ("best", "worst"))
        text = (
            f"{_title(family)}, {comparison}: over {_sets(tested)}, Friedman's test of the "
            f"{noun} {_decision(tested, rejected, _corrected(done))} at {number(analysis.significance)}; "
            "the largest difference of average "
            f"ranks is {number(largest['difference'])} ({largest['measure']}: {best} "
            f"{number(largest['best_rank'])} against {worst} "
            f"{number(largest['worst_rank'])})."
        )
        if rejected < len(tested):
            n_methods = len(tested["methods"].iloc[0].split(";"))
            control = str(ranks.loc[ranks["comparison"] == comparison, "control"].iloc[0])
            distance = bonferroni_dunn_distance if control else nemenyi_distance
            limit = distance(n_methods, int(tested["n_datasets"].max()), analysis.significance)
            largest_possible = n_methods - 1
            told = (
                f"only a difference of average ranks of {number(limit)} (of at most {largest_possible}) would"
                if limit <= largest_possible
                else "no difference of average ranks could"
            )
            text += f" {NOT_ALIKE} {noun} perform alike: with {_sets(tested)} {told} be told apart."
        sentences.append(text)
    sentences += _pair_sentences(answer, family, about)
    sentences += _best_sentences(ranks, done, noun, family)
    sentences += variant_sentences(tests, family, about)
    return sentences


def _decision(tested: pd.DataFrame, rejected: int, corrected: bool) -> str:
    """Return how many tests reject; of a single one whether it does, and its p-value."""
    if len(tested) > 1:
        return f"rejects for {rejected} of {_count(len(tested), 'test')}"
    verb = "rejects" if rejected else "does not reject"
    return f"{verb} ({_p_value(tested.iloc[0], corrected)})"


def _corrected(tests: pd.DataFrame) -> bool:
    """Whether p-values were corrected: of the largest of a family the correction changes nothing."""
    done = tests[tests["p_value"].notna()]
    return bool((done["p_adjusted"] != done["p_value"]).any())


def _p_value(test: pd.Series, corrected: bool) -> str:
    return f"{'adjusted ' * corrected}p = {number(float(test['p_adjusted']))}"


def _named(method: object, comparison: str) -> str:
    return size_name(comparison, method) if str(method).isdigit() else str(method)


def size_name(label: str, size: object) -> str:
    """Return a size in words: trees of an ensemble, per cent of what Relief looks at."""
    if "/" in label:
        return f"{size} trees"
    known = entries("ranker")
    is_share = label in known and known[label].facts.get("sizes")
    return f"{size} %" if is_share else f"size {size}"


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


def _pair_sentences(answer: Answer, family: str, about: str) -> list[str]:
    sentences = []
    for test, name in (("nemenyi", "Nemenyi's"), ("bonferroni-dunn", "Bonferroni-Dunn's")):
        tests, _ = _frames(answer, family, test)
        tests = tests[tests["variant"] == "all"] if len(tests) else tests
        if len(tests):
            apart = int(tests["rejected"].sum())
            sentences.append(
                f"{_title(family, about)}: where Friedman's test rejects, {name} test tells {apart} of "
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


def wilcoxon_sentences(answer: Answer, family: str, analysis: Analysis, about: str = "") -> list[str]:
    """Return what the Wilcoxon tests of one family say: how often a pair is told apart, and for whom.

    Parameters
    ----------
    answer, family, analysis, about
        As of `friedman_sentences`.
    """
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
            sentences.append(
                f"{_title(family, about)}: {first} and {second} could not be tested ({reasons})."
            )
            continue
        if len(tested) == 1 and len(group) == 1:
            sentences.append(
                _single_wilcoxon(tested.iloc[0], _title(family, about), _sets(tested), _corrected(plain))
            )
            continue
        better = int((tested["rejected"] & (tested["rank_sum_better"] > tested["rank_sum_worse"])).sum())
        worse = int((tested["rejected"] & (tested["rank_sum_better"] < tested["rank_sum_worse"])).sum())
        undecided = len(tested) - better - worse
        sentences.append(
            f"{_title(family, about)}: over {_sets(tested)}, {first} is significantly better than "
            f"{second} on {better} and worse "
            f"on {worse} of {_count(len(tested), 'measure')}; on {undecided} no difference is shown. "
            f"Over all of them it wins {int(tested['wins'].sum())}, ties "
            f"{int(tested['ties'].sum())} and loses "
            f"{int(tested['losses'].sum())} times."
        )
    smallest = plain["n_datasets"].min()
    if smallest < 6:
        sentences.append(
            f"{_title(family, about)}: with {_count(int(smallest), 'data set')} a two-sided Wilcoxon test "
            f"cannot give a p-value below {number(2.0 ** (1 - smallest))}."
        )
    return sentences + variant_sentences(tests, family, about)


def _single_wilcoxon(test: pd.Series, title: str, sets: str, corrected: bool) -> str:
    """Return what a pair's only test says."""
    first, second = str(test["methods"]).split(";")
    counts = " / ".join(str(int(test[name])) for name in ("wins", "ties", "losses"))
    facts = f"{_p_value(test, corrected)}; win / tie / loss {counts}"
    if not test["rejected"]:
        between = f"{first} and {second} on {test['measure']}"
        return f"{title}: over {sets}, no difference between {between} is shown ({facts})."
    side = "better" if test["rank_sum_better"] > test["rank_sum_worse"] else "worse"
    return (
        f"{title}: over {sets}, {first} is significantly {side} than {second} on {test['measure']} ({facts})."
    )


def variant_sentences(tests: pd.DataFrame, family: str, about: str = "") -> list[str]:
    """Return where a verdict changes when related sets count once, or differing sets are left out.

    Parameters
    ----------
    tests : DataFrame
        Rows of tests.csv of one family and kind of test, in every variant.
    family : str
    about : str
        As of `friedman_sentences`.
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
        head = f"{_title(family, about)}: {what[0].lower()}{what[1:]} ({_sets(part)}), "
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
    labels = [*table.pairs()["label"], *several_sizes(table)["label"]]
    chosen = {label: choices.size(label) for label in labels if choices.size(label)[0]}
    own = {label: choices.size(label, "own")[0] for label in chosen}
    if choices.analysis.choice == "own":
        return [
            f"Later questions use the sizes chosen here: {_sizes(table, chosen)}. The choice and the tests "
            "that follow use the same data sets."
        ]
    known = {label: found for label, found in chosen.items() if found[1] != OWN_INSTEAD}
    instead = {label: (found[0], "") for label, found in chosen.items() if label not in known}
    sentences = []
    if known:
        sentences += [
            f"Later questions use the paper's sizes: {_sizes(table, known)}.",
            "The smallest sizes that Nemenyi's test does not tell from the best on any measure "
            f"here: {_sizes(table, {label: (own[label], '') for label in known})}.",
        ]
    if instead:
        sentences.append(
            "Where the paper's sizes are not known, later questions use the smallest that Nemenyi's test "
            f"does not tell from the best here: {_sizes(table, instead)}. The choice and the tests that "
            "follow use the same data sets."
        )
    return sentences


def _sizes(table: PerformanceTable, chosen: dict[str, tuple[int, str]]) -> str:
    several = set(several_sizes(table)["label"])
    return listed(
        f"{label} {size_name(label, size) if label in several else size}" + (f" ({note})" if note else "")
        for label, (size, note) in chosen.items()
    )


def ensemble_sentences(choices: Choices, table: PerformanceTable) -> list[str]:
    """Return which ensembles later questions use, and which have the best mean rank here."""
    found = {score: choices.ensemble(score) for score in sorted(table.pairs()["score"].unique())}
    found = {score: chosen for score, chosen in found.items() if chosen[0]}
    own = {score: (choices.ensemble(score, "own")[0], "") for score in found}
    if choices.analysis.choice == "own":
        return [f"Later questions use the ensembles of best mean rank: {_ensembles(found)}."]
    known = {score: chosen for score, chosen in found.items() if chosen[1] != OWN_INSTEAD}
    instead = {score: (chosen[0], "") for score, chosen in found.items() if score not in known}
    sentences = []
    if known:
        sentences.append(f"Later questions use the paper's ensembles: {_ensembles(known)}.")
        sentences.append(f"Of best mean rank here: {_ensembles({score: own[score] for score in known})}.")
    if instead:
        sentences.append(
            "Where the paper's ensembles are not known, later questions use those of best mean rank here: "
            f"{_ensembles(instead)}."
        )
    return sentences


def _ensembles(chosen: Mapping[str, tuple[str | None, str]]) -> str:
    return listed(
        f"{score} with {name}" + (f" ({note})" if note else "") for score, (name, note) in chosen.items()
    )


def _title(family: str, about: str = "") -> str:
    return f"{TITLES[family]}, {about}" if about else TITLES[family]


def family_of(sentence: str) -> str:
    """Return the family that a sentence is about; "paper" for one that is about none."""
    return next((family for family, title in TITLES.items() if sentence.startswith(title)), "paper")


def without_remark(sentence: str) -> tuple[str, str]:
    """Return a sentence without what it says of tests that do not reject, and that (or nothing).

    Of all that is said it alone can stand apart: it has no word for what was said before it.
    """
    finding, mark, remark = sentence.partition(f" {NOT_ALIKE}")
    return finding, f"{NOT_ALIKE}{remark}" if mark else ""
