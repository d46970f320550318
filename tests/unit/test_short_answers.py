"""The short answers to questions: each number in them follows from tests.csv and average_ranks.csv."""

from __future__ import annotations

import re
from collections import Counter

import pandas as pd
import pytest
from synthetic_selection import PAPER, selection_table
from synthetic_study import LOWER, hierarchical_table, performance_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.analysis.run import records

ONCE = "with each domain of related datasets counted once"


def asked(table, question, **settings):
    """Return the short answer, and the rows of both tables over all datasets as they are."""
    settings = {"choice": "own", **settings}
    answers = run_questions(table, Analysis.from_mapping({"questions": [question], **settings}))
    (record,) = records(answers)
    return " ".join(record["answer"]), answers.tests, answers.average_ranks


def of(frame, family="paper", variant="all", **values):
    for name, value in {"family": family, "variant": variant, **values}.items():
        frame = frame[frame[name] == value]
    return frame


def counted(n, total):
    return {0: f"none of {total}", total: f"all {total}"}.get(n, f"{n} of {total}")


def means_of(ranks):
    return ranks.groupby("method")["rank"].mean().sort_values()


@pytest.mark.parametrize("effect", (0.0, 0.15, 1.0))
def test_the_first_method_and_the_counts_of_several(effect):
    table = performance_table(30, sizes=(50,), effect=effect)
    text, tests, ranks = asked(table, "score")
    tests, means = of(tests), means_of(of(ranks))
    assert text.startswith(
        f"{means.index[0]} has the best average rank, {means.iloc[0]:.2f} over 15 measures, followed by "
        f"{means.index[1]} with {means.iloc[1]:.2f}."
    )
    n_significant = int(tests[tests["test"] == "friedman"]["rejected"].sum())
    assert f"Friedman's test is significant by {counted(n_significant, 15)} measures." in text
    pairs = tests[(tests["test"] == "nemenyi") & tests["rejected"]]
    ahead = {}
    for row in pairs.to_dict("records"):
        first, second = row["methods"].split(";")
        winner, loser = (first, second) if row["statistic"] < 0 else (second, first)
        if winner == means.index[0]:
            ahead[loser] = ahead.get(loser, 0) + 1
    assert ("Nemenyi's test" in text) == (n_significant > 0)
    for name, count in ahead.items():
        assert f"{name} by {count} measure" in text.partition("significantly better than")[2]
    assert effect < 1.0 or ahead


def test_a_reference_method_is_in_the_middle():
    table = selection_table(25, 2)
    text, tests, ranks = asked(
        table, "selection", reference_method="mdmr", paper_methods=list(PAPER), measures=["hamming-loss"]
    )
    tests, means = of(tests), means_of(of(ranks))
    p_value = tests[tests["test"] == "friedman"].iloc[0]["p_adjusted"]
    assert f"{means.index[0]} has the best average rank, {means.iloc[0]:.2f}, followed by" in text
    assert p_value < 1e-16 and "Friedman's test is significant (p < 1e-16)." in text
    better, worse = (
        re.search(f"significantly {word} than (.*?)(?: and significantly|\\.)", text)
        for word in ("better", "worse")
    )
    dunn = tests[(tests["test"] == "bonferroni-dunn") & tests["rejected"]]
    for row in dunn.to_dict("records"):
        part = better if row["statistic"] > 0 else worse
        assert row["methods"].split(";")[0] in re.split(", | and ", part[1])
    assert len(dunn) == sum(len(re.split(", | and ", part[1])) for part in (better, worse) if part) > 1
    assert "By the Bonferroni-Dunn test, mdmr is significantly" in text


def test_methods_against_a_baseline():
    table = performance_table(12, sizes=(50,), effect=0.35)
    text, tests, _ = asked(table, "relevance")
    tests = of(tests)
    assert len(tests) == 8 * 15
    positive = tests["rank_sum_better"] > tests["rank_sum_worse"]
    better = tests[tests["rejected"] & positive].groupby("methods").size()
    worse = tests[tests["rejected"] & ~positive].groupby("methods").size()
    assert 3 <= len(better) and worse.empty
    named = "All 8" if len(better) == 8 else f"{len(better)} of 8"
    assert text.startswith(f"{named} methods are significantly better than uniform by at least one of 15 ")
    assert "; none is significantly worse." in text
    low, high = re.search(r"from \S+ by (\d+) to \S+ by (\d+)", text).groups()
    assert (int(low), int(high)) == (better.min(), better.max())


def test_no_difference_from_a_baseline():
    text, tests, _ = asked(performance_table(12, sizes=(50,), effect=0.0), "relevance")
    assert not of(tests)["rejected"].any()
    assert text == "None of 8 methods differs significantly from uniform by any of 15 measures."


def test_few_datasets_cannot_be_significant():
    text, _, _ = asked(performance_table(3, sizes=(50,)), "relevance")
    assert text == "With 3 datasets, no result of Wilcoxon's test can be significant."


@pytest.mark.parametrize("n_datasets", (2, 12))
def test_the_tests_with_the_baselines_follow_where_none_of_the_others_is_significant(n_datasets):
    table = performance_table(n_datasets, sizes=(50,), effect=0.0, seed=1)
    harmed = table["method"].eq("random") & ~table["measure"].isin(LOWER)
    text, tests, _ = asked(table.assign(value=table["value"].where(~harmed, table["value"] - 0.3)), "score")
    main = tests[(tests["test"] == "friedman") & (tests["variant"] == "all")]
    counts = main.groupby("family")["rejected"].sum()
    said = "With all methods, including the baselines, Friedman's test is significant in "
    said += f"{counts['extended']} of 15"
    assert counts["paper"] == 0 and (said in text) == (counts["extended"] > 0) == (n_datasets == 12)
    assert ("no result of Friedman's test can be significant" in text) == (main["p_least"].min() > 0.05)


def test_sizes_and_the_smallest_that_is_not_worse():
    text, tests, _ = asked(performance_table(30, effect=1.5), "saturation")
    tests = of(tests, test="friedman")
    n_significant = int(tests["rejected"].sum())
    assert n_significant > 0
    count = "all" if n_significant == 120 else f"{n_significant} of"
    assert f"significant in {count} 120 tests (8 rankings, 15 measures)" in text
    answers = run_questions(
        performance_table(30, effect=1.5),
        Analysis.from_mapping({"questions": ["saturation"], "choice": "own"}),
    )
    chosen = answers.choices[(answers.choices["choice"] == "own") & (answers.choices["kind"] == "size")]
    sizes = chosen.drop_duplicates("item")["value"].astype(int).value_counts()
    for size, number in sizes.items():
        assert f"{size} trees for {number} ranking{'s' * (number != 1)}" in text


def test_sizes_without_a_difference():
    table = performance_table(8, sizes=(10, 25, 50), effect=0.0)
    text, tests, _ = asked(table, "saturation")
    assert not of(tests)["rejected"].any()
    assert "significant in none of 120 tests" in text and text.endswith("better than another.")


def test_several_comparisons_have_a_sentence_each():
    text, tests, ranks = asked(performance_table(30, sizes=(50,)), "ensemble")
    for score in ("genie3", "symbolic"):
        own, means = of(tests, comparison=score), means_of(of(ranks, comparison=score))
        count = counted(int(own[own["test"] == "friedman"]["rejected"].sum()), 15)
        assert (
            f"For {score}, {means.index[0]} has the best average rank ({means.iloc[0]:.2f} over 15 measures; "
            f"{means.index[1]} {means.iloc[1]:.2f}); Friedman's test is significant by {count} measures."
        ) in text
    pair = of(tests, comparison="permutation")
    positive = pair["rank_sum_better"] > pair["rank_sum_worse"]
    first, second = pair["methods"].iloc[0].split(";")
    better, worse = int((pair["rejected"] & positive).sum()), int((pair["rejected"] & ~positive).sum())
    assert better + worse > 0
    if not better:
        first, second, better, worse = second, first, worse, better
    assert f"For permutation, {first} is significantly better than {second} by {counted(better, 15)} " in text


@pytest.mark.parametrize("question", ("score", "relevance", "ensemble", "saturation"))
def test_related_datasets_are_counted_once(question):
    table = performance_table(16, sizes=(10, 50), effect=0.5)
    domains = {f"set-{place}": f"domain-{(place + 1) // 2}" for place in range(1, 17)}
    text, tests, _ = asked(table, question, domains=domains)
    once = of(tests, variant="one-per-domain")
    main = once["test"].isin(["friedman", "wilcoxon"])
    now, plain = int(once[main]["rejected"].sum()), of(tests)
    before = int(plain[plain["test"].isin(["friedman", "wilcoxon"])]["rejected"].sum())
    found = re.search(f"{ONCE}, (?:by |in )?(\\d+|none|no verdict changes)", text)
    assert found, text
    if found[1] == "no verdict changes":
        assert now == before
    else:
        assert found[1] == (str(now) if now else "none")


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_counted_by_domain_too(seed):
    """Where the pairs that differ are others with each domain counted once, the answer says which."""
    table = performance_table(16, sizes=(50,), effect=0.3 + 0.1 * seed)
    domains = {f"set-{place}": f"domain-{(place + 1) // 2}" for place in range(1, 17)}
    text, tests, _ = asked(table, "score", domains=domains)
    winner = text.partition(" has the best")[0]
    said, _, once = text.partition("Nemenyi's test")[2].partition("; with each domain counted once, ")
    found = {}
    for variant in ("all", "one-per-domain"):
        pairs = of(tests, variant=variant)
        pairs = pairs[(pairs["test"] == "nemenyi") & pairs["rejected"]]
        ahead = (
            row["methods"].split(";")[row["statistic"] < 0]
            for row in pairs.to_dict("records")
            if row["methods"].split(";")[row["statistic"] >= 0] == winner
        )
        found[variant] = Counter(ahead)
    for words, counts in ((said, found["all"]), (once, found["one-per-domain"])):
        if words.startswith("the same holds"):
            assert found["all"] == found["one-per-domain"]
            continue
        assert {name: int(n) for name, n in re.findall(r"(\S+) by (\d+) measure", words)} == counts, text
    assert found["all"] and once


def test_equal_methods_share_the_place():
    table = performance_table(8, ("f1", "recall"), sizes=(50,))
    table["value"] = table.groupby(["dataset", "measure"])["value"].transform("first")
    text, _, _ = asked(table, "score")
    assert text.startswith("All methods share the same average rank, 2.00 over 2 measures.")
    assert "significant by neither of 2 measures" in text


def test_the_answer_does_not_depend_on_the_order_of_rows():
    table = hierarchical_table(12)
    shuffled = table.sample(frac=1.0, random_state=3)
    for question in ("score", "relevance", "ensemble", "relief", "saturation", "candidates"):
        text = asked(table, question)[0]
        assert text and sorted(text.split()) == sorted(asked(shuffled, question)[0].split())


def test_every_question_with_tests_has_an_answer_of_few_words():
    questions = ["saturation", "relevance", "ensemble", "relief", "score", "score-order", "candidates"]
    answers = run_questions(
        hierarchical_table(12), Analysis.from_mapping({"questions": questions, "choice": "own"})
    )
    for name, said in answers.short.items():
        has_tests = answers.tests[answers.tests["question"] == name]["p_value"].notna().any()
        assert bool(said) == has_tests
        assert len(" ".join(said).split()) <= 120 and all(text.endswith(".") for text in said)


def test_corrections_are_named():
    answers = run_questions(
        performance_table(8, sizes=(10, 25, 50)),
        Analysis.from_mapping({"questions": ["saturation", "relevance", "score"], "choice": "own"}),
    )
    over = {record["question"]: record["corrected_over"] for record in records(answers)}
    assert over == {"saturation": ["all"], "relevance": ["measure"], "score": []}
    for name, kinds in over.items():
        tests = answers.tests[(answers.tests["question"] == name) & answers.tests["p_value"].notna()]
        tests = tests[tests["test"].isin(["friedman", "wilcoxon"])]
        assert bool(kinds) == bool((tests["p_value"] != tests["p_adjusted"]).any())


def test_several_evaluators_are_counted_as_tests():
    table = performance_table(12, ("f1", "recall"), sizes=(50,))
    both = pd.concat([table, table.assign(evaluator="mlnb", value=1 - table["value"])])
    text, tests, ranks = asked(both, "score")
    rejected = int(of(tests, test="friedman")["rejected"].sum())
    assert f"significant in {rejected} of 4 tests" in text and "over 2 measures and 2 evaluators" in text
    first = means_of(of(ranks)).round(9)
    count = int((first == first.min()).sum())
    verb = "All methods share" if count == len(first) else "share" if count > 1 else "has"
    assert verb in text and f"average rank, {first.min():.2f} over" in text
    assert tests["evaluator"].nunique() == 2
