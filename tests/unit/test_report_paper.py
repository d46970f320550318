"""The paper's findings beside the study's: what is said, of which study, and from which numbers."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from synthetic_study import DIRECTIONS, SIZES, performance_table

from mlsieve.questions import Analysis, run_questions
from mlsieve.report.paper import beside, paper_findings
from mlsieve.report.published import published_values

QUESTIONS = ("saturation", "relevance", "ensemble", "relief", "score")


@pytest.fixture(scope="module")
def answers():
    performance = performance_table(
        n_datasets=5, measures=("f1", "auroc"), sizes=SIZES[:4], controls=("uniform", "relief")
    )
    return run_questions(performance, Analysis(directions=DIRECTIONS, questions=QUESTIONS))


def said(answers, question, study="mlc_ranking", **changed):
    tables = {"tests": answers.tests, "ranks": answers.average_ranks, "choices": answers.choices} | changed
    return beside(study, question, **tables)


def test_only_the_study_of_the_paper_shows_its_findings(answers):
    assert tuple(paper_findings("mlc_ranking")["questions"]) == QUESTIONS
    assert paper_findings("quickstart") == {}
    assert said(answers, "saturation", study="quickstart") is None
    assert said(answers, "comparison") is None, "the paper does not ask it, so nothing is shown"


def test_what_the_paper_states():
    told = paper_findings("mlc_ranking")["questions"]
    for words in ("10 trees", "symbolic score with random forests and with bagging after 50"):
        assert words in told["saturation"]
    for words in ("extra trees for genie3", "bagging for permutation", "random forests for symbolic"):
        assert words in told["ensemble"]
    assert "relevant" in told["relevance"] and "most of the measures" in told["relief"]
    assert "Genie3 is the best score" in told["score"]


def test_the_paper_is_cited_alike_everywhere():
    cited = (
        "Petković, Džeroski, Kocev: Multi-label feature ranking with ensemble methods. Machine Learning 109"
    )
    assert paper_findings("mlc_ranking")["source"].startswith(cited)
    assert published_values()["mlc_ranking"]["source"].startswith(cited)
    root = Path(__file__).resolve().parents[2]
    study = (root / "config/studies/mlc_ranking.yaml").read_text(encoding="utf-8")
    assert cited in study.split("study:")[0]
    reference = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["references"][0]
    authors = ", ".join(author["family-names"] for author in reference["authors"])
    assert f"{authors}: {reference['title']}. {reference['journal']} {reference['volume']}" == cited


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
        "With 7 data sets, Friedman's test is significant in 1 of 3 cases. By this project's convention, the "
        "smallest size that is nowhere significantly worse than the best, the size is the paper's for 1 of 1 "
        "pairs.",
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
        "No ensemble has a better mean rank than the paper's for 1 of 1 scores; Friedman's test is "
        "significant in 1 of 2 cases.",
        "genie3: with 17 data sets, the mean rank over 2 measures of extra-trees/genie3 is 1.25, better "
        "than bagging/genie3 (2.25): a difference of 1.",
    )
    wrong = choices({"genie3": ("bagging", "extra-trees")}, "ensemble")
    head, sentence = said(answers, "ensemble", choices=wrong, **words).here
    assert head.startswith("No ensemble has a better mean rank than the paper's for 0 of 1 scores")
    assert sentence.endswith(
        "of bagging/genie3 is 2.25, worse than extra-trees/genie3 (1.25): a difference of 1."
    )


def test_an_ensemble_of_equal_mean_rank_is_not_worse(answers):
    head = {"question": "ensemble", "variant": "all", "family": "paper", "comparison": "genie3"}
    head |= {"measure": "f1", "n_datasets": 4, "rank": 1.5}
    ranks = pd.DataFrame([head | {"method": f"{name}/genie3"} for name in ("bagging", "extra-trees")])
    alike = choices({"genie3": ("extra-trees", "bagging")}, "ensemble")
    head, sentence = said(
        answers, "ensemble", tests=friedman("ensemble", [False]), ranks=ranks, choices=alike
    ).here
    assert head.startswith("No ensemble has a better mean rank than the paper's for 1 of 1 scores")
    assert sentence.endswith("of extra-trees/genie3 is 1.5, the same as that of bagging/genie3 (1.5).")


def wilcoxon(question, methods, cases, n_datasets=7):
    """Cases are (rejected, sum of the ranks where the first is better, sum where it is worse) by measure."""
    head = {"question": question, "variant": "all", "family": "paper", "test": "wilcoxon", "p_value": 0.5}
    head["statistic"] = 1.0
    head |= {"methods": methods, "n_datasets": n_datasets}
    names = ("rejected", "rank_sum_better", "rank_sum_worse")
    return pd.DataFrame(
        [head | {"measure": f"measure {i}"} | dict(zip(names, x, strict=True)) for i, x in enumerate(cases)]
    )


def test_rankings_beside_the_control(answers):
    tests = pd.concat(
        [
            wilcoxon("relevance", "bagging/genie3;uniform", [(True, 28, 0), (False, 20, 8), (True, 0, 28)]),
            wilcoxon(
                "relevance", "bagging/symbolic;uniform", [(False, 20, 8), (False, 0, 28), (False, 1, 2)]
            ),
        ]
    )
    assert said(answers, "relevance", tests=tests).here == (
        "With 7 data sets, 1 of 2 rankings are significantly better than uniform on at least one of 3 "
        "measures: in 1 of 6 tests; in 1 a ranking is significantly worse, and in 4 the difference is not "
        "significant.",
    )


def rank_rows(question, comparison, ranks, control=""):
    head = {"question": question, "variant": "all", "family": "paper", "evaluator": "weighted-knn"}
    head |= {"n_datasets": 7, "control": control}
    return pd.DataFrame(
        [
            head | {"measure": f"measure {i}", "comparison": comparison, "method": method, "rank": rank}
            for method, values in ranks.items()
            for i, rank in enumerate(values)
        ]
    )


def test_scores_beside_relief(answers):
    ranks = rank_rows(
        "relief",
        "scores against relief",
        {
            "extra-trees/genie3": (1.5, 2.5, 1.0),
            "bagging/permutation": (2.5, 2.5, 3.0),
            "relief": (2.0, 1.0, 2.0),
        },
        control="relief",
    )
    tests = friedman("relief", [True, False, True])
    pairs = friedman("relief", [True, True, False], test="bonferroni-dunn")
    pairs = pairs.assign(
        methods=["extra-trees/genie3;relief", "bagging/permutation;relief", "extra-trees/genie3;relief"],
        statistic=[-1.0, 1.0, -0.5],
    )
    assert said(answers, "relief", tests=pd.concat([tests, pairs]), ranks=ranks).here == (
        "With 7 data sets, Friedman's test is significant in 2 of 3 cases.",
        "extra-trees/genie3: a better average rank than relief on 2 of 3 measures, significantly better "
        "on 1 and worse on 0.",
        "bagging/permutation: a better average rank than relief on 0 of 3 measures, significantly better "
        "on 0 and worse on 1.",
    )
    one = rank_rows("relief", "a against relief", {"bagging/genie3": (1.2, 1.8), "relief": (1.8, 1.2)})
    tests = wilcoxon("relief", "bagging/genie3;relief", [(True, 28, 0), (True, 3, 25)])
    assert said(answers, "relief", tests=tests, ranks=one).here[1] == (
        "bagging/genie3: a better average rank than relief on 1 of 2 measures, significantly better on 1 "
        "and worse on 1."
    )


def test_the_best_score_beside_the_papers(answers):
    tests = friedman("score", [False, True])
    ranks = {
        "extra-trees/genie3": (2.0, 1.0),
        "bagging/permutation": (1.0, 3.0),
        "bagging/symbolic": (3.0, 2.0),
    }
    assert said(answers, "score", tests=tests, ranks=rank_rows("score", "scores", ranks)).here == (
        "With 7 data sets, Friedman's test is significant in 1 of 2 cases. The mean rank over 2 measures of "
        "extra-trees/genie3 is 1.5, better than bagging/permutation (2).",
    )
    ranks["extra-trees/genie3"] = (3.0, 3.0)
    (text,) = said(answers, "score", tests=tests, ranks=rank_rows("score", "scores", ranks)).here
    assert text.endswith("of extra-trees/genie3 is 3, worse than bagging/permutation (2).")
    del ranks["extra-trees/genie3"]
    assert said(answers, "score", tests=tests, ranks=rank_rows("score", "scores", ranks)).here == ()


def test_a_whole_analysis_has_its_words(answers):
    for question in QUESTIONS:
        found = said(answers, question)
        assert "Petković" in found.source and found.finding and found.here
        assert any("5 data sets" in text for text in found.here)
        assert not any("equal" in text for text in found.here)
