"""Questions about selectors: which methods, which sets, which tests, and what is said of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from synthetic_selection import BASELINES, MEASURES, METHODS, PAPER, selection_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.cli import main
from mlsieve.stats import friedman_test, wilcoxon_test

QUESTIONS = ("selection", "many-labels", "conclusion")
MANY = tuple(f"set-{d}" for d in range(1, 11))
ANALYSIS = Analysis(
    questions=QUESTIONS,
    friedman="f",
    zeros="split",
    paper_methods=PAPER,
    baselines=BASELINES,
    settings={"many_labels": MANY, "replacements": {"ami": "ami-printed"}},
)


@pytest.fixture(scope="module")
def performance():
    return selection_table(repeats=3)


@pytest.fixture(scope="module")
def answers(performance):
    return run_questions(performance, ANALYSIS)


def rows(answers, **conditions):
    table = answers.tests
    for name, value in conditions.items():
        table = table[table[name] == value]
    return table


def wide(performance, measure, methods=PAPER):
    """Return datasets by methods at the largest number of features, rounded as the analysis rounds."""
    part = performance[performance["measure"] == measure]
    part = part[part["features"] == part.groupby("method")["features"].transform("max")]
    return part.groupby(["dataset", "method"])["value"].mean().unstack()[list(methods)].round(3)


def said(answers, question):
    return "\n".join(answers.sentences(question))


def test_f_of_the_largest_selections_against_its_critical_value(performance, answers):
    for measure in MEASURES:
        test = rows(answers, question="selection", family="paper", test="friedman", measure=measure).iloc[0]
        expected = friedman_test(wide(performance, measure), "lower")
        assert test["methods"] == ";".join(PAPER) and test["n_datasets"] == 25
        assert test["f_f"] == pytest.approx(expected.f_statistic)
        assert test["p_value"] == test["f_p"] == pytest.approx(expected.f_p_value)
        assert round(test["f_critical"], 3) == 2.466
        assert test["rejected"] == (test["f_f"] > test["f_critical"])
        assert f"{expected.f_statistic:.3f} for {measure}" in answers.sentences("selection")[0]
    assert "the critical value at 0.05 for 5 methods and 25 datasets, 2.466" in said(answers, "selection")
    others = answers.tests[answers.tests["test"] != "friedman"]
    assert others["f_critical"].isna().all()


def test_bonferroni_dunn_against_the_control_of_the_analysis(answers):
    pairs = rows(answers, question="selection", family="paper", test="bonferroni-dunn", variant="all")
    assert len(pairs) == 4 * len(MEASURES) and pairs["methods"].str.endswith(";scls").all()
    ranks = answers.average_ranks
    ranks = ranks[(ranks["question"] == "selection") & (ranks["family"] == "paper")]
    assert set(ranks["reference_method"]) == {"scls"} and set(ranks["critical_distance"].round(3)) == {1.117}
    assert "it is significantly better than ami, mdmr, mlcfs and ppt-rf" in said(answers, "selection")


def test_the_extended_family_has_all_methods_and_begins_with_the_papers(answers):
    methods = rows(answers, question="selection", family="extended", test="friedman")["methods"]
    for names in methods:
        assert names.split(";")[:5] == list(PAPER) and set(names.split(";")) == set(METHODS)


def test_without_paper_methods_everything_but_the_controls_is_the_papers(performance):
    found = run_questions(performance, replace(ANALYSIS, questions=("selection",), paper_methods=None))
    names = rows(found, family="paper", test="friedman")["methods"].iloc[0].split(";")
    assert set(names) == {*PAPER, "ami-printed"}


def test_labels_that_are_no_registered_method_are_no_controls_by_themselves(performance):
    renamed = performance.replace({"method": {"random": "k-at-random", "all-features": "uniform"}})
    found = run_questions(renamed, replace(ANALYSIS, baselines=None, paper_methods=None))
    names = rows(found, question="selection", family="paper", test="friedman")["methods"].iloc[0].split(";")
    assert "k-at-random" in names and "uniform" not in names and "no-label" not in names
    both = rows(found, question="conclusion", comparison="ami-printed for ami", test="friedman")
    assert sorted(both["methods"].iloc[0].split(";")) == sorted(set(names) - {"ami"})


@pytest.mark.parametrize("question", ["selection", "many-labels", "conclusion"])
def test_a_table_without_the_control_is_told(performance, question):
    found = run_questions(performance, replace(ANALYSIS, questions=(question,), reference_method="lrfs"))
    assert found.tests.empty and any("'lrfs'" in note for note in found.notes[question])


def test_two_methods_are_compared_by_wilcoxon(performance):
    two = performance[performance["method"].isin(["ami", "scls"])]
    found = run_questions(two, replace(ANALYSIS, questions=("selection",), families=("paper",)))
    assert set(found.tests["test"]) == {"wilcoxon"} and set(found.tests["methods"]) == {"scls;ami"}


def test_wilcoxon_on_the_sets_with_many_labels_only(performance, answers):
    tests = rows(answers, question="many-labels", family="paper")
    assert set(tests["methods"]) == {"scls;ami", "scls;mdmr"} and set(tests["n_datasets"]) == {10}
    for test in tests.to_dict("records"):
        values = wide(performance, test["measure"]).loc[list(MANY), test["methods"].split(";")].to_numpy()
        expected = wilcoxon_test(np.round(values[:, 1] - values[:, 0], 12), "split")
        assert test["rank_sum_better"] == expected.positive and test["p_value"] == expected.p_value
        assert test["p_adjusted"] == test["p_value"], "the paper corrects for nothing here"
    best = tests[tests["rank_sum_worse"] == 0]
    assert len(best) and (best["p_value"].map("{:.2e}".format) == "1.95e-03").all()
    assert "55 and 0 on" in said(answers, "many-labels") and "(p = 0.00195)" in said(answers, "many-labels")
    extended = rows(answers, question="many-labels", family="extended")
    assert set(extended["methods"]) == {f"scls;{name}" for name in METHODS if name != "scls"}


def test_related_and_differing_sets_count_among_those_with_many_labels_only(performance):
    some = replace(ANALYSIS, questions=("many-labels",), families=("paper",))
    outside = replace(some, domains={"set-20": "a", "set-21": "a"}, differing=("set-22",))
    assert set(run_questions(performance, outside).tests["variant"]) == {"all"}
    inside = replace(some, domains={"set-1": "a", "set-2": "a"}, differing=("set-3", "set-22"))
    found = run_questions(performance, inside).tests
    sizes = found.groupby("variant")["n_datasets"].max().to_dict()
    assert sizes == {"all": 10, "one-per-domain": 9, "without-differing": 9}


def test_sets_with_many_labels_that_are_missing_are_told(performance):
    found = run_questions(
        performance, ANALYSIS.with_settings(many_labels=("set-1", "set-2", "set-3", "nowhere"))
    )
    assert found.notes["many-labels"] == ["There are no values of nowhere, which have many labels too."]
    assert set(rows(found, question="many-labels")["n_datasets"]) == {3}
    found = run_questions(performance, ANALYSIS.with_settings(many_labels=()))
    assert "names no datasets with many labels" in found.notes["many-labels"][0]


def test_what_the_conclusion_depends_on(answers):
    tests = rows(answers, question="conclusion", test="friedman", variant="all")
    methods = tests.groupby("comparison")["methods"].first().to_dict()
    assert methods.pop("ami-printed for ami").split(";") == ["scls", "ami-printed", *PAPER[2:]]
    assert methods == {f"with {name}": ";".join((*PAPER, name)) for name in BASELINES}
    text = said(answers, "conclusion")
    before, after = (
        answers.average_ranks.query(
            "question == @question and comparison == @name and variant == 'all' and family == @family "
            "and measure == 'hamming-loss' and method == 'scls'"
        )["rank"].iloc[0]
        for question, family, name in (
            ("selection", "paper", "methods"),
            ("conclusion", "extended", "ami-printed for ami"),
        )
    )
    assert (
        f"With ami-printed in place of ami, hamming-loss: scls has an average rank of {after:.3g}, place 2 "
        f"of 5 (before: {before:.3g}, place 1 of 5); the first place goes to ami-printed instead of scls;"
    ) in text
    assert (
        "it does not differ significantly from ami-printed (before: it was significantly better than ami)"
        in text
    )
    assert "equal" not in text and "alike" not in text


def test_a_control_that_changes_nothing_is_told_in_one_sentence(answers):
    found = [text for text in answers.sentences("conclusion") if text.startswith("With no-features")]
    kept = "neither the first place nor a verdict about the other methods changes"
    (sentence,) = [text for text in found if kept in text]
    changed = {measure for measure in MEASURES if any(f", {measure}: scls" in text for text in found)}
    assert all((f" {measure}" in sentence.split(";")[0]) != (measure in changed) for measure in MEASURES)
    assert "scls is significantly better than no-features on" in sentence
    one = [text for text in answers.sentences("conclusion") if text.startswith("With no-label")]
    assert any(
        "hamming-loss" in text and "the first place goes to no-label instead of scls" in text for text in one
    )


def test_on_how_many_sets_a_control_is_as_good(performance, answers):
    for baseline in BASELINES:
        (sentence,) = [
            text for text in answers.sentences("conclusion") if text.startswith(f"{baseline} is at least as")
        ]
        for measure in MEASURES:
            values = wide(performance, measure, ("scls", baseline))
            as_good, same = (
                (values[baseline] <= values["scls"]).sum(),
                (values[baseline] == values["scls"]).sum(),
            )
            assert f"{as_good} of 25 datasets for {measure} (the same value on {same})" in sentence


def test_verdicts_of_single_pairs_that_change_with_other_sets_are_told():
    table = selection_table(n_datasets=12, repeats=2, methods=PAPER)
    related = {f"set-{d}": "family" for d in range(3, 13)}
    some = replace(ANALYSIS, questions=("selection",), families=("paper",), domains=related)
    text = said(run_questions(table, some), "selection")
    once = "with each domain of related datasets counted once (3 domains), the verdict of"
    assert f"{once} the Bonferroni-Dunn test changes for" in text
    assert "(from worse to not significant)" in text


def test_a_test_that_does_not_reject_is_no_finding_of_equality():
    table = selection_table(n_datasets=6, repeats=1, methods=PAPER)
    table["value"] = np.random.default_rng(1).uniform(0.2, 0.3, len(table))
    text = said(run_questions(table, replace(ANALYSIS, families=("paper",))), "selection")
    assert "A non-significant result is not evidence of equality" in text
    assert "Friedman's test is not significant, so no pair is tested" in text


def test_the_command_asks_the_questions(tmp_path):
    selection_table(n_datasets=11, repeats=1).to_csv(tmp_path / "performance.csv", index=False)
    (tmp_path / "analysis.yaml").write_text(
        "questions: [selection, many-labels, conclusion]\nfriedman: f\nzeros: split\nreference_method: scls\n"
        "paper_methods: [scls, ami, mdmr, mlcfs, ppt-rf]\nmany_labels: [set-1, set-2, set-3]\n"
        "baselines: [no-label]\nreplacements: {ami: ami-printed}\n"
        "worked_example: {dataset: set-1, iterations: 2, features: [0, 3]}\n"
    )
    words = ["--analysis", str(tmp_path / "analysis.yaml"), "-o", str(tmp_path)]
    assert main(["compare", str(tmp_path / "performance.csv"), *words]) == 0
    tests = pd.read_csv(tmp_path / "tests.csv")
    assert tuple(tests.columns[-3:]) == ("f_critical", "p_kind", "p_least") and set(tests["question"]) == set(
        QUESTIONS
    )


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ({"reference_method": 3}, "reference_method: 3 is not a text"),
        ({"many_labels": "bibtex"}, "many_labels: 'bibtex' is not a list"),
        ({"replacements": {"ami": 1}}, "replacements.ami: 1 is not a text"),
        ({"worked_example": {"iterations": 2}}, "worked_example.dataset: missing; give it a value"),
        (
            {"worked_example": {"dataset": "a", "features": [-1]}},
            "worked_example.features[0]: -1 is too small; give at least 0",
        ),
    ],
)
def test_settings_of_the_wrong_shape_are_told(section, fault):
    with pytest.raises(Exception, match="analysis") as told:
        Analysis.from_mapping(section)
    assert fault in str(told.value)
