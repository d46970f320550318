"""The study's questions: which tests are asked, over which sets, and what is said of them."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control
from synthetic_study import DIRECTIONS, HIGHER, LOWER, PAIRS, all_sentences, performance_table

from mlsieve.analysis import Analysis, PerformanceTable, read_performance, records, run_questions
from mlsieve.analysis.choices import Choices
from mlsieve.analysis.sentences.wording import NO_EVIDENCE
from mlsieve.cli import main
from mlsieve.errors import UserError
from mlsieve.stats import friedman_test, hodges_lehmann, round_values, wilcoxon_test

MEASURES = ("f1", "hamming-loss")
LABELS = [f"{ensemble}/{score}" for ensemble, score in PAIRS]


def analysis(**changes):
    return Analysis(directions=DIRECTIONS, **changes)


@pytest.fixture(scope="module")
def performance():
    return performance_table(n_datasets=8, measures=MEASURES, baselines=("uniform", "random", "relief"))


@pytest.fixture(scope="module")
def answers(performance):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return run_questions(performance, analysis())


def rows(answers, **conditions):
    table = answers.tests
    for name, value in conditions.items():
        table = table[table[name] == value]
    return table


def wide(performance, measure, columns):
    """Return datasets by methods, straight from the long table."""
    part = performance[performance["measure"] == measure].copy()
    part["label"] = [
        f"{e}/{s}" if e else m for m, e, s in zip(part.method, part.ensemble, part.score, strict=True)
    ]
    part = part.set_index(["dataset", "label", "size"])["value"].unstack([1, 2])
    return pd.DataFrame(round_values(part[columns], decimals=3), part.index, [f"{a} {b}" for a, b in columns])


def test_saturation_has_a_test_for_every_pair_and_measure_and_corrects_over_all(performance, answers):
    tests = rows(answers, question="saturation", family="paper", test="friedman")
    assert len(tests) == len(PAIRS) * len(MEASURES)
    assert set(tests["comparison"]) == set(LABELS)
    assert (tests["methods"] == "10;25;50;75;100;150;200;250").all()
    one = tests[(tests["comparison"] == "bagging/genie3") & (tests["measure"] == "hamming-loss")].iloc[0]
    columns = [("bagging/genie3", size) for size in (10, 25, 50, 75, 100, 150, 200, 250)]
    expected = friedman_test(wide(performance, "hamming-loss", columns), "lower")
    assert one["statistic"] == pytest.approx(expected.statistic)
    assert one["p_value"] == pytest.approx(expected.p_value)
    assert one["f_f"] == pytest.approx(expected.f_statistic)
    adjusted = false_discovery_control(tests["p_value"])
    assert tests["p_adjusted"].to_numpy() == pytest.approx(adjusted)
    assert (tests["rejected"] == (adjusted <= 0.05)).all()


def test_nemenyi_follows_only_where_friedman_rejects(answers):
    main_tests = answers.tests[answers.tests["test"] == "friedman"]
    keys = ["question", "family", "variant", "measure", "comparison"]
    followed = set(
        map(tuple, answers.tests.loc[answers.tests["test"].isin(["nemenyi", "bonferroni-dunn"]), keys].values)
    )
    assert followed == set(map(tuple, main_tests.loc[main_tests["rejected"], keys].values))
    ranks = answers.average_ranks
    ranks = ranks[ranks["test"] != "wilcoxon"]
    with_distance = ranks[ranks["critical_distance"].notna()]
    assert set(map(tuple, with_distance[keys].values)) == followed


def test_effect_sizes_stand_where_friedman_does_not_reject():
    performance = performance_table(n_datasets=6, measures=MEASURES, sizes=(10, 25, 50), effect=0.0)
    answers = run_questions(performance, analysis(questions=("saturation", "score")))
    main_tests = answers.tests[answers.tests["test"] == "friedman"]
    keys = ["question", "family", "variant", "measure", "comparison"]
    alone = answers.tests[answers.tests["test"] == "effect-size"]
    assert set(map(tuple, alone[keys].values)) == set(
        map(tuple, main_tests.loc[~main_tests["rejected"].astype(bool), keys].values)
    )
    assert alone["p_value"].isna().all() and not alone["rejected"].any()
    assert alone["note"].str.contains("Friedman's is not significant").all()
    one = alone[alone["question"] == "saturation"].iloc[0]
    first, second = (int(size) for size in one["methods"].split(";"))
    values = wide(performance, one["measure"], [(one["comparison"], first), (one["comparison"], second)])
    sign = -1.0 if one["measure"] in LOWER else 1.0
    differences = np.round(values.to_numpy() @ [sign, -sign], 12)
    assert one["difference"] == pytest.approx(hodges_lehmann(differences)[0])
    counts = [(differences > 0).sum(), (differences == 0).sum(), (differences < 0).sum()]
    assert one[["wins", "ties", "losses"]].tolist() == counts


def test_relief_is_the_control_of_its_question(answers):
    """Bonferroni-Dunn against it: as many pairs as there are others, and none among these."""
    tests = rows(answers, question="relief")
    assert set(tests["test"]) <= {"friedman", "bonferroni-dunn", "effect-size"}
    assert "bonferroni-dunn" in set(tests["test"])
    pairs = tests[tests["test"] != "friedman"]
    assert pairs["methods"].str.endswith(";relief").all()
    assert set(pairs.groupby(["family", "measure"]).size().loc["paper"]) == {3}
    ranks = answers.average_ranks[answers.average_ranks["question"] == "relief"]
    assert set(ranks["reference_method"]) == {"relief"} and set(ranks["test"]) == {"bonferroni-dunn"}


def test_nemenyi_rejects_exactly_beyond_the_critical_distance(answers):
    ranks = answers.average_ranks.set_index(["question", "family", "measure", "comparison", "method"])
    checked = 0
    for row in answers.tests[answers.tests["test"].isin(["nemenyi", "bonferroni-dunn"])].itertuples():
        first, second = row.methods.split(";")
        key = (row.question, row.family, row.measure, row.comparison)
        difference = ranks.loc[(*key, first), "rank"] - ranks.loc[(*key, second), "rank"]
        assert row.statistic == pytest.approx(difference)
        assert row.rejected == (abs(difference) >= ranks.loc[(*key, first), "critical_distance"] - 1e-9)
        checked += 1
    assert checked > 50


def test_relevance_is_wilcoxon_against_uniform_corrected_within_a_measure(performance, answers):
    tests = rows(answers, question="relevance", family="paper", measure="hamming-loss")
    assert set(tests["comparison"]) == {f"{label} against uniform" for label in (*LABELS, "relief")}
    assert (tests["test"] == "wilcoxon").all()
    assert tests["p_adjusted"].to_numpy() == pytest.approx(false_discovery_control(tests["p_value"]))
    one = tests[tests["comparison"] == "bagging/symbolic against uniform"].iloc[0]
    values = wide(performance, "hamming-loss", [("bagging/symbolic", 50), ("uniform", 0)]).to_numpy()
    differences = values[:, 1] - values[:, 0]  # lower is better
    assert one["p_value"] == pytest.approx(wilcoxon_test(differences).p_value)
    assert one["difference"] == pytest.approx(hodges_lehmann(differences)[0])
    assert (one["wins"], one["losses"]) == ((differences > 1e-12).sum(), (differences < -1e-12).sum())
    together = run_questions(performance, analysis(questions=("relevance",), relevance_correction="all"))
    every = rows(together, family="paper")
    assert every["p_adjusted"].to_numpy() == pytest.approx(false_discovery_control(every["p_value"]))


def test_families(answers):
    def methods(question, family, comparison):
        found = rows(answers, question=question, family=family, comparison=comparison)
        return found[found["test"].isin(["friedman", "wilcoxon"])]["methods"].iloc[0].split(";")

    assert methods("ensemble", "paper", "permutation") == ["bagging/permutation", "random-forest/permutation"]
    assert methods("ensemble", "extended", "permutation")[2:] == ["random", "relief", "uniform"]
    scores = ["extra-trees/genie3", "bagging/permutation", "random-forest/symbolic"]
    assert methods("score", "paper", "scores") == scores
    assert methods("score", "extended", "scores") == [*scores, "random", "relief", "uniform"]
    assert methods("relief", "paper", "scores against relief") == [*scores, "relief"]
    assert not rows(answers, comparison="permutation", family="paper", test="friedman").size  # two: Wilcoxon
    assert not answers.tests["methods"].str.contains("extra-trees/permutation").any()


def test_the_main_comparisons_of_ones_own_study_have_all_methods_but_baselines():
    """Without a paper, what a user names beside a single score is in the tables that the page shows first."""
    table = performance_table(8, ("f1", "recall"), (50,), ("uniform", "random", "relief", "scls"))
    table = table[
        (table["method"] != "pct") | ((table["ensemble"] == "bagging") & (table["score"] == "genie3"))
    ]
    own, asked = ["bagging/genie3", "relief", "scls"], ("relevance", "relief", "score")

    def main(**others):
        found = run_questions(table, analysis(**{"questions": asked} | others))
        some = found.tests[(found.tests["family"] == "paper") & found.tests["p_value"].notna()]
        groups = some.groupby("question", sort=False)["methods"]
        return found, {name: set(";".join(each).split(";")) for name, each in groups}

    found, of_question = main()
    assert of_question["relevance"] == {*own, "uniform"}
    assert {row[0] for row in found.tables["relevance"][0].rows} == set(own)
    assert of_question["relief"] == set(own)
    assert of_question["score"] == {"bagging/genie3", "scls"}, "relief has a question of its own"
    assert main(questions=("score",))[1]["score"] == set(own)
    assert main(paper_methods=("bagging/genie3", "scls"))[1]["relevance"] == {
        "bagging/genie3",
        "scls",
        "uniform",
    }
    _, of_paper = main(paper="Somebody 2020")
    assert of_paper == {"relevance": {"bagging/genie3", "uniform"}, "relief": {"bagging/genie3", "relief"}}


def test_paper_methods_narrow_the_paper_family(performance):
    chosen = ("bagging/genie3", "random-forest/genie3", "bagging/symbolic", "random-forest/symbolic")
    found = run_questions(performance, analysis(paper_methods=chosen, questions=("saturation", "relevance")))
    assert set(rows(found, question="saturation", family="paper")["comparison"]) == set(chosen)
    assert set(rows(found, question="saturation", family="extended")["comparison"]) == set(LABELS)


@pytest.mark.parametrize(
    ("chosen", "notes"),
    [
        (("bagging/genie3",), {"score": "The main methods have 1 score; a comparison needs two."}),
        (
            ("relief",),
            {
                "score": "The main methods have 0 scores; a comparison needs two.",
                "relief": "The main methods have no score to compare with relief.",
            },
        ),
    ],
)
def test_scores_that_the_paper_lacks_stand_in_the_extended_family(performance, chosen, notes):
    found = run_questions(performance, analysis(paper_methods=chosen, questions=("relief", "score")))
    assert {name: said[0] for name, said in found.notes.items() if said} == notes
    for question in ("relief", "score"):
        for methods in rows(found, question=question, family="extended", test="friedman")["methods"]:
            names = methods.split(";")
            assert [name.split("/")[-1] for name in names[:3]] == ["genie3", "permutation", "symbolic"]
            assert names[0] == (chosen[0] if chosen[0] in LABELS else "extra-trees/genie3")
    assert set(rows(found, family="paper")["question"]) == ({"relief"} if len(notes) == 1 else set())


def test_relief_by_wilcoxon(performance):
    found = run_questions(
        performance,
        analysis(questions=("relief",), settings={"relief_test": "wilcoxon"}, families=("paper",)),
    )
    assert len(found.tests) == 3 * len(MEASURES) and (found.tests["test"] == "wilcoxon").all()


def test_a_study_without_the_methods_of_a_question_says_so(performance):
    part = performance[~performance["method"].isin(["relief", "uniform"])]
    found = run_questions(part, analysis())
    assert set(found.tests["question"]) == {"saturation", "ensemble", "score"}
    assert "no values of 'relief'" in found.notes["relief"][0]
    assert "no values of 'uniform'" in found.notes["relevance"][0]


def test_related_sets_count_once_and_differing_sets_leave(performance):
    related = {"set-1": "yahoo", "set-2": "yahoo", "set-3": "yahoo"}
    found = run_questions(performance, analysis(domains=related, differing=("set-8", "elsewhere")))
    counts = found.tests.groupby("variant")["n_datasets"].unique().map(list).to_dict()
    assert counts == {"all": [8], "one-per-domain": [6], "without-differing": [7]}
    text = all_sentences(found)
    once = "with each domain of related datasets counted once (6 domains), 2 of 2 are significant (0 lost, "
    assert once in text
    one = rows(
        found, variant="one-per-domain", comparison="bagging/genie3 against uniform", measure="f1"
    ).iloc[0]
    values = wide(performance, "f1", [("bagging/genie3", 10), ("uniform", 0)]).to_numpy()
    differences = np.round(values[:, 0] - values[:, 1], 12)
    signed = np.sign(differences) * pd.Series(np.abs(differences)).rank().to_numpy()
    assert one["p_value"] == pytest.approx(wilcoxon_test([signed[:3].mean(), *signed[3:]]).p_value)


def test_a_nan_takes_the_set_out_of_that_test_only(performance):
    part = performance.copy()
    cell = (
        (part.dataset == "set-4")
        & (part.measure == "f1")
        & (part.ensemble == "bagging")
        & (part["size"] == 75)
    )
    part.loc[cell & (part.score == "genie3"), "value"] = np.nan
    found = run_questions(part, analysis(questions=("saturation",), families=("paper",)))
    counts = rows(found, test="friedman").set_index(["comparison", "measure"])["n_datasets"]
    assert counts["bagging/genie3", "f1"] == 7
    assert counts["bagging/symbolic", "f1"] == counts["bagging/genie3", "hamming-loss"] == 8


def test_a_missing_row_is_a_nan(performance):
    part = performance[~((performance.dataset == "set-4") & (performance.method == "uniform"))]
    found = run_questions(part, analysis(questions=("relevance",), families=("paper",)))
    assert set(found.tests["n_datasets"]) == {7}


@pytest.mark.parametrize("n_datasets", [1, 2, 3])
def test_few_sets_crash_nothing(n_datasets):
    table = performance_table(
        n_datasets=n_datasets, measures=MEASURES, sizes=(10, 50), baselines=("uniform", "relief")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = run_questions(table, analysis(choice="own"))
    if n_datasets == 1:
        assert found.tests["p_value"].isna().all() and not found.tests["rejected"].any()
        assert found.tests["note"].str.contains("at least").all()
        return
    assert set(found.tests["n_datasets"]) == {n_datasets}
    signed = rows(found, test="wilcoxon")
    least = 2.0 ** (1 - n_datasets)  # every difference has one sign
    assert len(signed) and (signed["p_least"] == least).all() and not signed["rejected"].any()
    assert signed["p_value"].min() == least and signed["p_value"].max() <= 1
    friedman = rows(found, test="friedman")
    few = friedman["note"].str.contains("at least 3 methods")
    assert (few == friedman["p_value"].isna()).all() and few.any() and not few.all()
    assert (friedman["p_value"] >= friedman["p_least"] * (1 - 1e-12))[~few].all()
    assert (friedman["rejected"] == (friedman["p_adjusted"] <= 0.05)).all()


def test_all_tied_values_are_said_to_tie():
    table = performance_table(n_datasets=5, measures=("f1",), sizes=(10, 25, 50))
    table["value"] = 0.5
    found = run_questions(table, analysis())
    done = found.tests[found.tests["test"] != "effect-size"]
    assert (done["p_value"] == 1.0).all() and (done["p_adjusted"] == 1.0).all()
    assert found.tests["note"].str.contains("tie on every dataset").all()


def test_tests_that_tie_count_in_their_family():
    """Eight Wilcoxon tests of which seven tie everywhere: the eighth is adjusted for eight."""
    table = performance_table(n_datasets=8, measures=("f1",), sizes=(10,))
    table["value"] = 0.5
    better = (table["ensemble"] == "bagging") & (table["score"] == "genie3")
    table.loc[better, "value"] = 0.6 + np.arange(better.sum()) / 100
    found = run_questions(table, analysis(questions=("relevance",), families=("paper",))).tests
    found = found[(found["test"] == "wilcoxon") & (found["variant"] == "all")]
    assert len(found) == 8
    assert found["p_adjusted"].min() == pytest.approx(8 * found["p_value"].min())
    assert not found["rejected"].any()


def test_the_rank_sums_tell_who_is_better():
    """Few large gains against more small losses: the test is of the rank sums, not of the wins."""
    table = performance_table(n_datasets=30, measures=("f1",), sizes=(10,))
    names = sorted(table["dataset"].unique())
    gains = {name: (0.2 + i / 1000 if i < 14 else -0.01 - i / 10000) for i, name in enumerate(names)}
    baseline = table["method"] == "uniform"
    table["value"] = 0.5 + table["dataset"].map(gains).where(~baseline, 0.0)
    answers = run_questions(table, analysis(questions=("relevance",), families=("paper",), rounding=None))
    row = answers.tests[(answers.tests["test"] == "wilcoxon") & (answers.tests["variant"] == "all")].iloc[0]
    assert row["wins"] == 14 and row["losses"] == 16 and row["rank_sum_better"] > row["rank_sum_worse"]
    assert row["rejected"]
    text = all_sentences(answers)
    assert "bagging/genie3 is significantly better than uniform on f1" in text
    assert "win / tie / loss 14 / 0 / 16" in text and "worse" not in text


def test_choices_of_the_paper_fall_back_to_the_nearest_size():
    table = PerformanceTable(performance_table(measures=("f1",), sizes=(25, 45, 100)), analysis())
    choices = Choices(table, analysis())
    assert (
        choices.size("bagging/genie3")[0] == 25
        and "10 is not in the table" in choices.size("bagging/genie3")[1]
    )
    assert choices.size("bagging/symbolic")[0] == 45
    assert choices.size("uniform") == (0, "")
    assert choices.ensemble("genie3") == ("extra-trees", "")


def test_own_choice_of_size_is_the_smallest_that_nemenyi_does_not_tell_from_the_best():
    table = performance_table(n_datasets=12, measures=MEASURES)
    trees = table["size"] > 0
    noise = np.random.default_rng(3).normal(0, 1e-2, len(table))
    better = np.where(table["size"] >= 50, 0.3, 0.0)
    sign = np.where(table["measure"] == "hamming-loss", -1, 1)
    table["value"] = np.where(trees, 0.5 + sign * better + noise, table["value"])
    choices = Choices(PerformanceTable(table, analysis()), analysis(choice="own"))
    assert {choices.size(label)[0] for label in LABELS} == {50}
    table["value"] = np.where(trees, 0.5 + noise, table["value"])
    choices = Choices(PerformanceTable(table, analysis()), analysis(choice="own"))
    assert {choices.size(label)[0] for label in LABELS} == {10}  # nothing is rejected


def test_own_choice_of_ensemble_has_the_best_mean_rank():
    table = performance_table(n_datasets=6, measures=MEASURES, sizes=(10, 50))
    best = (table["ensemble"] == "bagging") & (table["score"] == "genie3")
    table.loc[best, "value"] += np.where(table.loc[best, "measure"] == "hamming-loss", -0.5, 0.5)
    found = run_questions(table, analysis(choice="own"))
    used = found.choices[found.choices["used"]].set_index(["kind", "item"])["value"]
    assert used["ensemble", "genie3"] == "bagging"
    assert "bagging/genie3" in rows(found, question="score", test="friedman")["methods"].iloc[0]


def test_rounding_decides_ties():
    table = performance_table(n_datasets=5, measures=("f1",), sizes=(10, 25, 50))
    table["value"] = 0.5 + np.random.default_rng(0).uniform(-0.0004, 0.0004, len(table))
    questions = ("saturation",)
    assert (run_questions(table, analysis(questions=questions)).tests["p_value"].dropna() == 1.0).all()
    fine = run_questions(table, analysis(questions=questions, rounding={"significant": 6}))
    assert (fine.tests["p_value"] < 1.0).any()


def test_repeats_are_averaged_and_a_nan_repeat_is_not_hidden():
    table = performance_table(n_datasets=4, measures=("f1",), sizes=(10, 25, 50))
    again = table.assign(repeat=1, value=table["value"] + 0.1)
    both = PerformanceTable(pd.concat([table, again]), analysis(rounding=None))
    one = PerformanceTable(table, analysis(rounding=None))
    assert both.exact.to_numpy() == pytest.approx(one.exact.to_numpy() + 0.05)
    again.loc[again["dataset"] == "set-1", "value"] = np.nan
    both = PerformanceTable(pd.concat([table, again]), analysis())
    assert both.exact.isna().sum() == len(table[table["dataset"] == "set-1"])


def test_several_evaluators_and_definitions_stay_apart():
    table = performance_table(n_datasets=4, measures=("f1",), sizes=(10, 25, 50))
    other = table.assign(evaluator="mlnb")
    found = run_questions(pd.concat([table, other]), analysis(questions=("score",), families=("paper",)))
    assert sorted(found.tests["evaluator"].unique()) == ["mlnb", "weighted-knn"]
    both = pd.concat([table, table.assign(definition="sklearn")])
    assert PerformanceTable(both, analysis()).measures == ["f1 [clus]", "f1 [sklearn]"]
    assert PerformanceTable(both, analysis(definition="clus")).measures == ["f1"]


def test_every_sentence_on_tests_names_its_family(performance):
    part = performance[performance["dataset"].isin(["set-1", "set-2", "set-3"])]
    part = part[part["method"] != "relief"]  # a main method of one's own study alone
    found = run_questions(part, analysis(questions=("relevance",)))
    said = found.sentences("relevance")
    few = [sentence for sentence in said if "cannot yield a p-value" in sentence]
    assert few == [
        f"{family}: with 3 datasets a two-sided Wilcoxon test cannot yield a p-value below 0.25."
        for family in ("Main methods", "All methods")
    ]
    assert all(sentence.startswith(("Main methods", "All methods")) for sentence in said)
    of_a_paper = run_questions(part, analysis(questions=("relevance",), paper="Somebody 2020"))
    assert [text.replace("The paper's", "Main") for text in of_a_paper.sentences("relevance")] == said
    assert of_a_paper.sentences("relevance")[0].startswith("The paper's methods: ")


def test_a_question_without_any_test_says_once_what_is_missing(performance):
    part = performance[performance["dataset"] == "set-1"]
    found = run_questions(part, analysis(questions=("relevance", "score"), families=("extended",)))
    for question, test in (("relevance", "Wilcoxon"), ("score", "Friedman")):
        refusals = [text for text in found.sentences(question) if "at least 2 complete datasets" in text]
        reason = f"the {test} test needs at least 2 complete datasets; there are 1"
        assert refusals == [f"All methods: no test was possible ({reason})."]
        assert not any("cannot yield a p-value" in text for text in found.sentences(question))


def test_sentences_never_call_methods_equal(answers):
    for record in records(answers):
        assert record["title"] and (record["findings"] or record["notes"])
        for sentence in answers.sentences(record["question"]):
            plain = sentence.replace(NO_EVIDENCE, "").lower()
            assert "equal" not in plain and "same performance" not in plain
    text = all_sentences(answers)
    assert "over 8 datasets" in text


def test_the_order_of_rows_changes_nothing(performance):
    asked = analysis(choice="own", questions=("relevance", "score"))
    one = run_questions(performance, asked)
    other = run_questions(performance.sample(frac=1, random_state=0), asked)
    pd.testing.assert_frame_equal(one.tests, other.tests)
    pd.testing.assert_frame_equal(one.average_ranks, other.average_ranks)
    assert one.findings == other.findings


def test_unknown_keys_and_values_are_named_all_at_once():
    with pytest.raises(UserError) as caught:
        Analysis.from_mapping(
            {"significanse": 0.1, "choice": "mine", "families": ["papers"]}, file="study.yaml"
        )
    text = str(caught.value)
    assert (
        "did you mean 'significance'" in text
        and "choice" in text
        and "families[0]" in text
        and "study.yaml" in text
    )


def test_analysis_from_a_configuration():
    found = Analysis.from_mapping(
        {"rounding": 2, "measures": "all", "differing": None, "questions": ["score"]}
    )
    assert found.rounding == {"decimals": 2} and found.measures is None and found.differing == ()
    assert Analysis.from_mapping(None) == Analysis()


def test_compare_command_on_a_table_of_ones_own(tmp_path, capsys):
    generator = np.random.default_rng(0)
    lines = ["dataset,method,measure,value"]
    for d in range(9):
        base = generator.random()
        lines += [f"d{d},{m},error,{base - 0.1 * i}" for i, m in enumerate(["one", "two", "three"])]
    (tmp_path / "mine.csv").write_text("\n".join(lines) + "\n")
    words = ["compare", str(tmp_path / "mine.csv"), "-o", str(tmp_path / "out")]
    assert main([*words, "--lower", "error"]) == 0
    assert "better" not in capsys.readouterr().err
    tests = pd.read_csv(tmp_path / "out" / "tests.csv")
    assert tests["test"].tolist() == ["friedman", "nemenyi", "nemenyi", "nemenyi"]
    ranks = pd.read_csv(tmp_path / "out" / "average_ranks.csv").set_index("method")["rank"]
    assert ranks.to_dict() == {"one": 3.0, "two": 2.0, "three": 1.0}
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("error (lower is better")  # its name says so
    # With an option of a study, the table is read as that of one: directions are required.
    words += ["--questions", "comparison"]
    assert main(words) == 2
    assert "--lower error" in capsys.readouterr().err
    assert main([*words, "--lower", "error"]) == 0
    said = json.loads((tmp_path / "out" / "findings.json").read_text())
    assert said["questions"][0]["question"] == "comparison"
    first = said["questions"][0]["findings"][0]
    assert (first["question"], first["group"], first["measure"]) == ("comparison", "extended", "error")
    assert first["methods"] == ["one", "three", "two"] and first["text"].startswith("All methods, methods: ")


def test_compare_command_writes_the_same_bytes_twice(tmp_path):
    performance_table(n_datasets=4, measures=MEASURES, sizes=(10, 50)).to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "a.json").write_text(json.dumps({"domains": {"set-1": "a", "set-2": "a"}, "choice": "own"}))
    ways = ["--higher", ",".join(HIGHER), "--lower", ",".join(LOWER), "--analysis", str(tmp_path / "a.json")]
    for folder in ("one", "two"):
        assert main(["compare", str(tmp_path / "p.csv"), "-o", str(tmp_path / folder), *ways]) == 0
    for name in ("tests.csv", "average_ranks.csv", "choices.csv", "findings.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    "text, fault",
    [
        ("dataset,method,value\na,b,1\n", ":1: has no column 'measure'"),
        ("dataset,method,measure,value\na,b,f1,1\na,c,f1,x\n", ":3: value 'x' is not a number"),
        ("", "is not a CSV table"),
    ],
)
def test_bad_tables_are_named_with_their_line(tmp_path, text, fault):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(UserError) as caught:
        read_performance(tmp_path / "bad.csv")
    assert fault in str(caught.value)


def test_unknown_measures_and_questions(performance):
    with pytest.raises(UserError, match="no measure 'f2'"):
        run_questions(performance, analysis(measures=("f2",)))
    with pytest.raises(UserError, match="unknown question 'scores'"):
        run_questions(performance, analysis(questions=("scores",)))
    assert math.isclose(analysis().significance, 0.05)
