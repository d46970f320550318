"""The paper's findings beside the study's: what is said, of which study, and from which numbers."""

import pandas as pd
import pytest
from synthetic_study import DIRECTIONS, SIZES, performance_table

from mlsieve.questions import Analysis, run_questions
from mlsieve.report.paper import beside, paper_findings


@pytest.fixture(scope="module")
def answers():
    performance = performance_table(n_datasets=5, measures=("f1", "auroc"), sizes=SIZES[:4])
    return run_questions(
        performance, Analysis(directions=DIRECTIONS, questions=("saturation", "ensemble", "score"))
    )


def said(answers, question, study="mlc_ranking", **changed):
    tables = {"tests": answers.tests, "ranks": answers.average_ranks, "choices": answers.choices} | changed
    return beside(study, question, **tables)


def test_only_the_study_of_the_paper_shows_its_findings(answers):
    assert set(paper_findings("mlc_ranking")["questions"]) == {"saturation", "ensemble"}
    assert paper_findings("quickstart") == {}
    assert said(answers, "saturation", study="quickstart") is None
    assert said(answers, "score") is None, "nothing is known of it, so nothing is shown"


def test_what_the_paper_states():
    told = paper_findings("mlc_ranking")["questions"]
    for words in ("10 trees", "symbolic score with random forests and with bagging after 50"):
        assert words in told["saturation"]
    for words in ("extra trees for genie3", "bagging for permutation", "random forests for symbolic"):
        assert words in told["ensemble"]


def choices(own, kind="size", note=""):
    rows = []
    for item, (paper, mine) in own.items():
        for choice, value in (("paper", paper), ("own", mine)):
            text = note if choice == "paper" else ""
            rows.append({"choice": choice, "kind": kind, "item": item, "value": value, "note": text})
    return pd.DataFrame(rows)


def friedman(question, rejected, n_datasets=7, test="friedman"):
    head = {"question": question, "variant": "all", "family": "paper", "test": test}
    return pd.DataFrame([head | {"n_datasets": n_datasets, "rejected": value} for value in rejected])


def test_sizes_here_beside_the_papers(answers):
    tests = pd.concat(
        [friedman("saturation", [True, False, False]), friedman("saturation", [True], test="nemenyi")]
    )
    agree = choices({"bagging/genie3": (10, 10)})
    assert said(answers, "saturation", tests=tests, choices=agree).here == (
        "With 7 data sets, Friedman's test rejects in 1 of 3 cases. The smallest size that is not told from "
        "the best is the paper's for 1 of 1 pairs.",
    )
    differ = choices({"bagging/genie3": (10, 10), "bagging/symbolic": ("50", "25")})
    (text,) = said(answers, "saturation", tests=tests, choices=differ).here
    assert "the paper's for 1 of 2 pairs; it differs for bagging/symbolic 25 instead of 50." in text
    assert "does not say that more trees are of no use" in text


def test_a_choice_that_the_study_could_not_follow_is_not_compared(answers):
    tests = friedman("saturation", [False])
    replaced = choices({"bagging/genie3": (25, 10)}, note="the paper's 10 is not in the table; ...")
    assert said(answers, "saturation", tests=tests, choices=replaced).here == ()


def test_ensembles_here_beside_the_papers(answers):
    head = {"question": "ensemble", "variant": "all", "family": "paper", "comparison": "genie3"}
    values = {"f1": (2.5, 1.5, 2.0), "auroc": (2.0, 1.0, 3.0)}
    labels = [f"{name}/genie3" for name in ("bagging", "extra-trees", "random-forest")]
    ranks = pd.DataFrame(
        [
            head | {"measure": measure, "method": label, "rank": rank, "n_datasets": 17}
            for measure, numbers in values.items()
            for label, rank in zip(labels, numbers, strict=True)
        ]
    )
    words = {"tests": friedman("ensemble", [True, False], 17), "ranks": ranks}
    right = choices({"genie3": ("extra-trees", "extra-trees")}, "ensemble")
    assert said(answers, "ensemble", choices=right, **words).here == (
        "No ensemble has a better mean rank than the paper's for 1 of 1 scores; Friedman's test rejects in "
        "1 of 2 cases.",
        "genie3: with 17 data sets, the mean rank over 2 measures of extra-trees/genie3 is 1.25, better "
        "than bagging/genie3 (2.25): a difference of 1.",
    )
    wrong = choices({"genie3": ("bagging", "extra-trees")}, "ensemble")
    head, sentence = said(answers, "ensemble", choices=wrong, **words).here
    assert head.startswith("No ensemble has a better mean rank than the paper's for 0 of 1 scores")
    assert sentence.endswith(
        "of bagging/genie3 is 2.25, worse than extra-trees/genie3 (1.25): a difference of 1."
    )


def test_a_whole_analysis_has_its_words(answers):
    for question in ("saturation", "ensemble"):
        found = said(answers, question)
        assert "Petković" in found.source and found.finding and found.here
        assert all("5 data sets" in text for text in found.here[-1:])
        assert not any("equal" in text for text in found.here)
