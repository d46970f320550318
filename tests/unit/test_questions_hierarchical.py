"""The questions of the hierarchical study: sizes of Relief, two forms of extra trees, choices not known."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, friedmanchisquare, wilcoxon
from synthetic_study import PAIRS, SHARES, all_sentences, hierarchical_table

from mlsieve.analysis import Analysis, PerformanceTable, run_questions
from mlsieve.analysis.choices import OWN_INSTEAD, Choices
from mlsieve.analysis.sentences.wording import NO_EVIDENCE
from mlsieve.cli import main
from mlsieve.stats import round_values

LABELS = tuple(f"{ensemble}/{score}" for ensemble, score in PAIRS)
QUESTIONS = (
    "saturation",
    "relevance",
    "ensemble",
    "relief",
    "score",
    "candidates",
    "efficiency",
    "similarity",
)
BINARY = ("set-1", "set-2", "set-5", "set-6", "set-7", "set-8")


def analysis(**changes):
    settings = {
        "questions": QUESTIONS,
        "paper": "Petković, Džeroski, Kocev 2020b",
        "rounding": {"significant": 3},
        "paper_methods": LABELS,
        "paper_sizes": {"relief": 1},
        "paper_ensembles": {},
        "settings": {"relief_test": "wilcoxon", "binary_features": BINARY},
        "domains": {f"set-{i}": "fun" for i in (1, 2, 3, 4)},
        "differing": ("set-9",),
    }
    return Analysis(**{**settings, **changes})


@pytest.fixture(scope="module")
def performance():
    return hierarchical_table()


@pytest.fixture(scope="module")
def answers(performance):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return run_questions(performance, analysis())


def rows(answers, **conditions):
    table = answers.tests
    for name, value in {"variant": "all", **conditions}.items():
        table = table[table[name] == value]
    return table


def values(performance, method, ensemble, score, size):
    part = performance[
        (performance["method"] == method)
        & (performance["ensemble"] == ensemble)
        & (performance["score"] == score)
        & (performance["size"] == size)
    ]
    return pd.Series(round_values(part["value"], significant=3), part["dataset"])


def test_only_variants_with_a_name_of_their_own_are_called_by_it(performance):
    labels = PerformanceTable(performance, analysis()).labels["label"]
    variants = {"all-features/extra-trees/genie3", "all-features/extra-trees/symbolic"}
    assert set(labels) == {*LABELS, *variants, "uniform", "random", "relief"}


def test_relief_is_tested_over_its_sizes_by_itself(performance, answers):
    tests = rows(answers, question="saturation", family="paper", test="friedman")
    assert list(tests["comparison"]) == [*sorted(LABELS), "relief"]
    one = tests[tests["comparison"] == "relief"].iloc[0]
    assert one["methods"] == ";".join(map(str, SHARES))
    columns = [values(performance, "relief", "", "", share) for share in SHARES]
    assert one["p_value"] == pytest.approx(friedmanchisquare(*columns).pvalue)
    assert one["p_adjusted"] == one["p_value"], "its sizes are another question than the numbers of trees"
    pairs = tests[tests["comparison"] != "relief"]
    assert pairs["p_adjusted"].to_numpy() == pytest.approx(false_discovery_control(pairs["p_value"]))
    extended = rows(answers, question="saturation", family="extended", test="friedman")
    methods = extended.set_index("comparison")["methods"]
    assert methods["relief"] == f"{';'.join(map(str, SHARES))};random;uniform"
    assert methods["bagging/genie3"].endswith(";random;relief;uniform")
    told = [text for text in answers.sentences("saturation") if ", relief: over" in text]
    assert len(told) == 2 and all("100 %" in text and "trees" not in text for text in told)


def test_relief_with_sizes_beside_flat_rankings_without_a_hierarchy(performance):
    """The rival's sizes belong to the paper family, those of any other method to the extended one."""
    other = performance.replace({"method": {"relief": "mine"}})
    found = run_questions(other, analysis(questions=("saturation",)))
    assert "mine" not in set(rows(found, family="paper")["comparison"])
    assert "mine" in set(rows(found, family="extended")["comparison"])
    assert any("size 100" in text for text in found.sentences("saturation"))


def test_what_the_paper_chose_is_used_and_the_study_chooses_the_rest(performance, answers):
    used = answers.choices[answers.choices["used"]].set_index("item")
    assert used.loc["relief", "value"] == 1 and used.loc["relief", "note"] == ""
    own = answers.choices[answers.choices["choice"] == "own"].set_index("item")["value"]
    for item in (*LABELS, "genie3", "symbolic", "permutation"):
        assert used.loc[item, "value"] == own[item] and used.loc[item, "note"] == OWN_INSTEAD
    assert own["relief"] > 1, "made so that one per cent is told from the best"
    against = rows(answers, question="relief", family="paper")
    assert len(against) == 3 and set(against["test"]) == {"wilcoxon"}
    one = against.iloc[0]
    label = one["methods"].split(";")[0]
    ensemble, score = label.split("/")
    first = values(performance, "pct", ensemble, score, own[label])
    second = values(performance, "relief", "", "", 1)
    differences = np.round(first - second[first.index], 12)
    assert one["p_value"] == pytest.approx(wilcoxon(differences, zero_method="pratt").pvalue)
    assert against["p_adjusted"].to_numpy() == pytest.approx(false_discovery_control(against["p_value"]))
    sentences = answers.sentences("saturation")
    assert "Later questions use the paper's sizes: relief 1 %." in sentences
    assert any(text.startswith("Where the paper's sizes are not known") for text in sentences)


def test_the_studys_own_choice_takes_reliefs_size_from_saturation(performance):
    table = PerformanceTable(performance, analysis(choice="own"))
    choices = Choices(table, analysis(choice="own"))
    size, note = choices.size("relief")
    assert note == "" and size in SHARES
    found = run_questions(performance, analysis(choice="own", families=("paper",)))
    apart = rows(found, question="saturation", test="nemenyi", comparison="relief")
    ranks = found.average_ranks
    ranks = ranks[(ranks["comparison"] == "relief") & (ranks["variant"] == "all")].set_index("method")["rank"]
    best = ranks.idxmin()
    told = {
        name
        for methods in apart.loc[apart["rejected"].astype(bool), "methods"]
        if best in methods.split(";")
        for name in methods.split(";")
    }
    assert str(size) == min((name for name in ranks.index if name not in told - {best}), key=int)


def test_each_question_asks_as_the_paper_does(answers):
    counts = {}
    for (question, test), part in rows(answers, family="paper").groupby(["question", "test"]):
        counts[question, test] = len(part)
    assert counts["relevance", "wilcoxon"] == 8
    assert counts["ensemble", "friedman"] == 2 and counts["ensemble", "wilcoxon"] == 1
    assert counts["relief", "wilcoxon"] == 3 and counts["score", "friedman"] == 1
    assert counts["candidates", "wilcoxon"] == 6 and counts["saturation", "friedman"] == 9
    for question in ("relevance", "relief"):
        tests = rows(answers, question=question, family="paper")
        assert tests["p_adjusted"].to_numpy() == pytest.approx(false_discovery_control(tests["p_value"]))


def test_extra_trees_are_compared_with_the_same_number_of_trees(performance, answers):
    tests = rows(answers, question="candidates")
    assert (tests["p_adjusted"] == tests["p_value"]).all()
    sizes = answers.choices[answers.choices["used"]].set_index("item")["value"]
    others = [name for name in performance["dataset"].unique() if name not in BINARY]
    subsets = {"all datasets": None, "binary features only": BINARY, "not only binary features": others}
    for subset, names in subsets.items():
        n_datasets = 10 if names is None else len(names)
        part = tests[tests["comparison"].str.endswith(f", {subset}")]
        assert len(part) == 2 and (part["n_datasets"] == n_datasets).all()
        one = part[part["methods"].str.startswith("extra-trees/genie3")].iloc[0]
        other = "all-features/extra-trees/genie3"
        assert one["methods"].split(";")[1] == other
        size = max(sizes["extra-trees/genie3"], sizes[other])
        first = values(performance, "pct", "extra-trees", "genie3", size)
        second = values(performance, "all-features", "extra-trees", "genie3", size)
        chosen = first.index if names is None else list(names)
        differences = np.round(first[chosen] - second[chosen], 12)
        assert one["p_value"] == pytest.approx(wilcoxon(differences, zero_method="pratt").pvalue)


def test_related_and_differing_sets_are_weighed_in_each_question(answers):
    every = answers.tests.drop_duplicates(["question", "variant"]).groupby("question")["variant"].agg(set)
    for question in ("saturation", "relevance", "ensemble", "relief", "score", "candidates"):
        assert every[question] == {"all", "one-per-domain", "without-differing"}, question
    collapsed = answers.tests[answers.tests["variant"] == "one-per-domain"]
    subset = collapsed["comparison"].str.extract(r", ((?:not only )?binary features(?: only)?)$")[0]
    families = collapsed.groupby(subset.fillna("all"))["n_datasets"].agg(set).to_dict()
    assert families == {"all": {7}, "binary features only": {5}, "not only binary features": {3}}
    tests = answers.tests[answers.tests["comparison"].str.endswith(", binary features only")]
    assert "without-differing" not in set(tests["variant"]), "the set that differs is not among these"


def test_binary_sets_that_are_not_known_are_not_tested_apart(performance):
    for known, why in ((None, "is not known"), (("elsewhere",), "No dataset has binary features only")):
        found = run_questions(
            performance, analysis(questions=("candidates",), settings={"binary_features": known})
        )
        assert why in " ".join(found.notes["candidates"]) and len(rows(found)) == 2
    without = performance[performance["method"] != "all-features"]
    found = run_questions(without, analysis(questions=("candidates",)))
    assert found.tests.empty and "no values of 'all-features'" in found.notes["candidates"][0]


def test_questions_without_tests_are_told(answers, performance):
    assert answers.sentences("efficiency") == answers.notes["similarity"] == []
    alone = performance[performance["score"] == "genie3"]
    found = run_questions(alone, analysis(questions=("similarity",)))
    assert "needs two rankings" in found.notes["similarity"][0]


def test_no_sentence_calls_methods_equal(performance):
    flat = performance.assign(value=0.5)
    found = run_questions(flat, analysis())
    text = all_sentences(found)
    assert "the difference between" in text and "is not significant at 0.05 (p = 1)" in text
    assert NO_EVIDENCE in text and "equal" not in text.replace(NO_EVIDENCE, "")


def test_compare_reads_which_sets_are_binary(performance, tmp_path):
    performance.to_csv(tmp_path / "performance.csv", index=False)
    section = {"questions": ["candidates"], "paper_methods": list(LABELS), "rounding": {"significant": 3}}
    (tmp_path / "analysis.json").write_text(json.dumps(section))
    facts = [f"{name},{'yes' if name in BINARY else 'no'}" for name in (f"set-{i}" for i in range(1, 11))]
    (tmp_path / "datasets.csv").write_text("\n".join(["dataset,binary", *facts]) + "\n")
    words = ["compare", str(tmp_path / "performance.csv"), "--analysis", str(tmp_path / "analysis.json")]
    assert main([*words, "--datasets", str(tmp_path / "datasets.csv"), "-o", str(tmp_path)]) == 0
    tests = pd.read_csv(tmp_path / "tests.csv")
    binary = tests[tests["comparison"].str.endswith("binary features only")]
    assert len(binary) == 2 and (binary["n_datasets"] == len(BINARY)).all()
    (tmp_path / "other.csv").write_text("dataset,n_train\nset-1,3\n")
    assert main([*words, "--datasets", str(tmp_path / "other.csv"), "-o", str(tmp_path)]) == 2


def test_data_sets_with_a_definition_each_are_ranked_together(performance):
    """Flat sets beside hierarchical ones: a measure falls apart only where a dataset has it twice."""
    flat = performance["dataset"].isin(["set-1", "set-2"])
    mixed = performance.assign(definition=performance["definition"].mask(flat, "clus"))
    assert PerformanceTable(mixed, analysis()).measures == ["pooled-auprc"]
    twice = pd.concat([performance, performance.assign(definition="clus")])
    assert PerformanceTable(twice, analysis()).measures == ["pooled-auprc [clus]", "pooled-auprc [paper]"]
