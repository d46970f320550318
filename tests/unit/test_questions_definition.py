"""The question ``definition``: CLUS's definitions of the scores beside the papers' formulas."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, friedmanchisquare, wilcoxon

from mlsieve.analysis import Analysis, run_questions
from mlsieve.errors import UserError
from mlsieve.study import Study

PAPER = {"extra-trees/genie3": 0.0, "bagging/permutation": 0.03, "random-forest/symbolic": 0.015}
BY_CLUS = {"extra-trees/genie3": 0.05, "bagging/permutation": -0.05}
MEASURES = ("micro-f1", "hamming-loss")


def performance_table(paper=PAPER, by_clus=BY_CLUS, clus_sizes=(10,), sets=12):
    """Values around 0.5 plus what a method is worth; noise is smaller than all differences."""
    rng = np.random.default_rng(0)
    rows = []
    for dataset in range(sets):
        for measure in MEASURES:
            sign = -1 if measure == "hamming-loss" else 1
            level = 0.5 + 0.1 * rng.random()
            for method, worth, sizes in (("pct", paper, (10, 50)), ("clus", by_clus, clus_sizes)):
                for label, more in worth.items():
                    ensemble, score = label.split("/")
                    for size in sizes:
                        value = level + sign * (more + 0.004 * rng.random())
                        rows.append((f"set-{dataset}", method, ensemble, score, size, measure, value))
            rows.append((f"set-{dataset}", "uniform", "", "", 0, measure, level))
    columns = ["dataset", "method", "ensemble", "score", "size", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)


def analysis(**changes):
    settings = {
        "questions": ("definition",),
        "paper_methods": tuple(PAPER),
        "settings": {"paper_order": ("genie3", "symbolic", "permutation")},
        "rounding": None,
        "domains": {"set-0": "one", "set-1": "one"},
        "differing": ("set-2",),
    }
    return Analysis(**{**settings, **changes})


def rows(answers, **conditions):
    table = answers.tests
    for name, value in {"variant": "all", **conditions}.items():
        table = table[table[name] == value]
    return table


def values(table, method, label, measure, size):
    ensemble, score = label.split("/")
    part = table[(table["method"] == method) & (table["measure"] == measure) & (table["size"] == size)]
    part = part[(part["ensemble"] == ensemble) & (part["score"] == score)]
    return part.sort_values("dataset")["value"].to_numpy()


@pytest.fixture(scope="module")
def table():
    return performance_table()


@pytest.fixture(scope="module")
def answers(table):
    return run_questions(table, analysis())


def test_each_ranking_is_compared_with_the_same_by_the_other_definition(table, answers):
    tests = rows(answers, test="wilcoxon")
    assert len(tests) == 4  # two scores, two measures
    for measure in MEASURES:
        own = tests[tests["measure"] == measure].set_index("methods")
        assert set(own.index) == {f"clus/{label};{label}" for label in BY_CLUS}
        p_values = [
            wilcoxon(
                values(table, "clus", label, measure, 10) - values(table, "pct", label, measure, 10)
            ).pvalue
            for label in BY_CLUS
        ]
        found = own.loc[[f"clus/{label};{label}" for label in BY_CLUS]]
        assert found["p_value"].to_numpy() == pytest.approx(np.array(p_values))
        assert found["p_adjusted"].to_numpy() == pytest.approx(false_discovery_control(p_values))
    genie3 = tests[tests["methods"] == "clus/extra-trees/genie3;extra-trees/genie3"]
    assert (genie3["wins"] == 12).all() and (genie3["losses"] == 0).all()


def test_the_scores_are_compared_by_both_definitions(table, answers):
    tests = rows(answers, test="friedman")
    assert tests["comparison"].value_counts().to_dict() == {
        "scores by the papers' formulas": 2,
        "scores by CLUS's definitions": 2,
    }
    for name, methods in (
        ("scores by the papers' formulas", {label: "pct" for label in PAPER}),
        ("scores by CLUS's definitions", {label: "clus" if label in BY_CLUS else "pct" for label in PAPER}),
    ):
        sizes = {label: 50 if label.endswith("symbolic") else 10 for label in PAPER}
        one = tests[(tests["comparison"] == name) & (tests["measure"] == "micro-f1")].iloc[0]
        columns = [
            values(table, method, label, "micro-f1", sizes[label]) for label, method in methods.items()
        ]
        assert one["statistic"] == pytest.approx(friedmanchisquare(*columns).statistic)
        called = {label if method == "pct" else f"{method}/{label}" for label, method in methods.items()}
        assert set(one["methods"].split(";")) == called


def test_sentences_say_who_ranks_first_by_each_definition(answers):
    text = answers.sentences("definition")
    assert (
        "By the papers' formulas, permutation has the best mean of the average ranks and genie3 the worst; "
        "permutation has the best average rank on 2 of 2 measures." in text
    )
    assert (
        "By CLUS's definitions, genie3 has the best mean of the average ranks and permutation the worst; "
        "genie3 has the best average rank on 2 of 2 measures." in text
    )
    assert (
        "The paper ranks genie3 first and permutation last; this study does so by CLUS's definitions, but "
        "not "
        "by the papers' formulas." in text
    )


@pytest.mark.parametrize(
    "order, expected",
    [
        (
            ("permutation", "symbolic", "genie3"),
            "this study does so by the papers' formulas, but not by",
        ),
        (("symbolic", "genie3", "permutation"), "this study does so with neither definition"),
        ((), None),
    ],
)
def test_the_papers_order_is_compared_with_both(table, order, expected):
    text = " ".join(run_questions(table, analysis(settings={"paper_order": order})).sentences("definition"))
    assert expected in text if expected else "The paper ranks" not in text


def test_both_definitions_may_give_the_papers_order():
    table = performance_table(paper={**PAPER, "extra-trees/genie3": 0.05, "bagging/permutation": -0.05})
    text = run_questions(table, analysis()).sentences("definition")
    assert (
        "The paper ranks genie3 first and permutation last; this study does so with both definitions." in text
    )


def test_definitions_are_compared_with_the_same_number_of_trees(table):
    """The size in use is 50, which the other definition lacks; without a common size nothing is compared."""
    found = run_questions(table, analysis(paper_sizes={"default": 50}))
    assert "extra-trees/genie3 with 10" in found.sentences("definition")[-1]
    apart = performance_table(clus_sizes=(75,))
    found = run_questions(apart, analysis())
    assert found.tests.empty and "have no number of trees in common" in found.notes["definition"][0]


def test_variants_weigh_related_and_differing_sets(answers):
    assert set(answers.tests["variant"]) == {"all", "one-per-domain", "without-differing"}


def test_without_the_other_definition_the_question_says_so(table):
    alone = table[table["method"] != "clus"]
    found = run_questions(alone, analysis())
    assert found.tests.empty and "an ensemble and score of 'clus'" in found.notes["definition"][0]


def test_the_published_study_shares_no_trees_beyond_what_it_needs():
    """Bootstrap ensembles come with the permutation score's statistics; other trees need no setting."""
    methods = [
        {"id": "pct", "sizes": [10, 250], "score_params": {"alpha": 0.5}},
        {
            "id": "pct",
            "name": "clus",
            "scores": ["genie3", "permutation"],
            "sizes": [10],
            "score_params": {"definition": "clus"},
        },
    ]
    study = Study(
        {"study": "x", "task": "mlc", "datasets": ["digits-mlc"], "methods": methods, "evaluators": []}
    )
    clus = [ranker for ranker in study.content.rankers.values() if ranker.label == "clus"]
    grown = {(ranker.ensemble, ranker.tree_settings.get("definition")) for ranker in clus}
    assert grown == {("bagging", "clus"), ("random-forest", "clus"), ("extra-trees", None)}
    assert all(ranker.settings == {"definition": "clus"} for ranker in clus)
    assert len({ranker.ensemble_key for ranker in clus}) == 3
    others = [ranker for ranker in study.content.rankers.values() if ranker.label == "pct"]
    assert all("definition" not in {**ranker.settings, **ranker.tree_settings} for ranker in others)


def test_unknown_names_are_refused():
    with pytest.raises(UserError, match="other_definition"):
        Analysis.from_mapping({"other_definition": 3})
