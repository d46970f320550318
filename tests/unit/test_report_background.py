"""What the report says of measures, costs and bold cells: only what is there."""

import math

import pandas as pd
from synthetic_study import shown

from mlsieve.questions.ensembles.relevance import glance_tables
from mlsieve.report.background import chain_table, dataset_table, evaluation_text
from mlsieve.report.counted import counted_parts
from mlsieve.sections.costs import cost_part
from mlsieve.sections.tested import rank_table
from mlsieve.sections.values import value_table
from mlsieve.study import Study

CONFIGURATION = {
    "study": "unit",
    "datasets": ["synthetic-linear"],
    "methods": [{"id": "uniform"}],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 5}}],
    "measures": "all",
}


def texts(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


def bold(table):
    return [[cell.text for cell in row.cells if "best" in cell.style] for row in table.rows]


def test_only_measures_with_values_were_computed(tmp_path):
    study = Study(CONFIGURATION, cache=str(tmp_path))
    measures = {"clus": ["f1", "hamming-loss"], "paper": ["pooled-auprc"]}
    text = evaluation_text(study, ["synthetic-linear"], measures)
    assert "weighted-knn (k = 5)" in text
    assert text.endswith(
        "The study computes 2 measures by the definition clus: f1, hamming-loss; 1 measure by the definition "
        "paper: pooled-auprc."
    )
    assert len(study.content.measures) > 30, "the measures that there are"


def test_datasets_show_the_features_that_the_study_ranks(tmp_path):
    """Not those of the file in the catalog, of which a study may leave some out."""
    study = Study(CONFIGURATION, cache=str(tmp_path))
    shapes = {"data": {"synthetic-linear": {"shape": [500, 7]}}}
    assert [row[3] for row in texts(dataset_table(study, ["synthetic-linear"], shapes))] == ["7"]


def test_a_seeded_split_has_its_own_sizes_whatever_the_catalog_counts(tmp_path):
    seeded = {**CONFIGURATION, "split": {"kind": "holdout", "train_share": 0.75}}
    for configuration, sizes in ((CONFIGURATION, ["333", "167"]), (seeded, ["375", "125"])):
        study = Study(configuration, cache=str(tmp_path))
        [row] = texts(dataset_table(study, ["synthetic-linear"], {"data": {}}))
        assert row[1:3] == sizes
        assert row[6] == ("seeded" if configuration is seeded else "official")


def test_sizes_are_those_of_the_prepared_file_where_a_study_changes_the_data(tmp_path):
    study = Study(CONFIGURATION, cache=str(tmp_path))
    prepared = {"shape": [90, 7], "rows": {"train": 60, "test": 30}, "labels": 3, "cardinality": 1.25}
    [row] = texts(dataset_table(study, ["synthetic-linear"], {"data": {"synthetic-linear": prepared}}))
    assert row[1:6] == ["60", "30", "7", "3", "1.250"]


def test_variants_of_a_chain_say_what_they_predict_with(tmp_path):
    variants = [
        {"name": "dynamic", "curve": {"sigma": [0, 1]}},
        {"name": "static", "params": {"order": "random", "decision": "threshold"}, "draws": 2},
    ]
    chains = {"methods": [], "evaluators": [], "measures": ["f1"]}
    chains["chains"] = [{"id": "rdt-dcc", "params": {"trees": 5}, "variants": variants}, {"id": "lp"}]
    rdt, lp = texts(chain_table(Study({**CONFIGURATION, **chains}, cache=str(tmp_path))))
    assert rdt[1:3] == ["dynamic; static (order = random, decision = threshold)", "trees = 5"]
    assert lp[1:3] == ["lp", "defaults"]


def test_a_dataset_without_an_official_split_is_noticed(tmp_path):
    study = Study(CONFIGURATION, cache=str(tmp_path))
    text = evaluation_text(study, ["flat"], {"clus": ["f1"]})
    assert "(official split, or a seeded one for datasets without it; repeats" in text
    assert "; seeded parts are random, or stratified by labels where" in text
    made = {**CONFIGURATION, "split": {"kind": "holdout", "folds": "stratified-pairs"}}
    pairs = evaluation_text(Study(made, cache=str(tmp_path)), ["flat"], {"clus": ["f1"]})
    assert "(holdout split" in pairs and "; seeded parts are stratified by pairs of labels)" in pairs
    text = evaluation_text(study, ["synthetic-linear"], {"clus": ["f1"]})
    assert "(official split; repeats" in text and "seeded" not in text


def test_seconds_by_dataset_show_every_step():
    steps = ("prepare", "discretise", "rank", "evaluate", "column_order")
    head = {"dataset": "a", "method": "", "ensemble": "", "score": "", "cpu_seconds": "1", "peak_mb": "90"}
    _, by_dataset = cost_part([head | {"step": step, "seconds": "2.00"} for step in steps])["tables"]
    assert by_dataset["columns"] == ["dataset", *steps]


def test_costs_that_are_not_known_are_left_out():
    head = {"method": "", "ensemble": "", "score": ""}
    rows = [
        head
        | {"dataset": "a", "step": "prepare", "seconds": "2.00", "cpu_seconds": "1.5", "peak_mb": "90.0"},
        head | {"dataset": "b", "step": "prepare", "seconds": "3.00", "cpu_seconds": "", "peak_mb": ""},
        head | {"dataset": "b", "step": "score", "seconds": "1.00", "cpu_seconds": "", "peak_mb": ""},
    ]
    part = cost_part(rows)
    assert texts(counted_parts(part["tables"])[0]["table"]) == [
        ["prepare", "", "2", "5", "1.500", "90"],
        ["score", "all", "1", "1", "", ""],
    ]
    assert (
        "CPU seconds and peak memory are not known for 2 jobs; sums and maxima leave these out."
        in part["text"]
    )
    assert "not known" not in cost_part(rows[:1])["text"]


def test_only_studies_of_rankings_say_what_a_ranking_costs():
    head = {"dataset": "a", "method": "", "ensemble": "", "score": "", "cpu_seconds": "1", "peak_mb": "90"}
    ranked, other = (cost_part([head | {"step": step, "seconds": "2"}])["text"] for step in ("rank", "chain"))
    assert "The cost of a ranking is" in ranked and ranked.endswith("of growing and ranking alone.")
    assert "ranking" not in other and other.endswith("timings.csv lists every job.")


def test_what_prints_alike_is_bold_alike():
    values = pd.DataFrame([[0.5004, 0.4996, 0.4994]], index=["a"], columns=["x", "y", "z"])
    assert bold(shown(value_table(values, "higher"))) == [["0.500", "0.500"]]
    assert bold(shown(value_table(values, "lower"))) == [["0.499"]]
    ranks = pd.DataFrame(
        {
            "comparison": "c",
            "measure": "f1",
            "method": ["x", "y", "z"],
            "rank": [1.501, 1.499, 3.0],
            "n_datasets": 8,
            "critical_distance": math.nan,
        }
    )
    assert bold(shown(rank_table(ranks, "Average ranks"))) == [["1.50", "1.50"]]
    many = ranks.assign(rank=[10.0, math.nan, 9.0])
    (row,) = shown(rank_table(many, "Average ranks")).rows
    assert [cell.text for cell in row.cells][3:] == ["–", "10.00", "", "9.00"]
    assert bold(shown(rank_table(many, "Average ranks"))) == [["9.00"]]


def test_at_a_glance_gives_both_counts():
    head = {"question": "relevance", "family": "paper", "methods": "bagging/genie3;uniform", "ties": 0}
    head |= {"test": "wilcoxon", "wins": 9, "losses": 1, "rank_sum_better": 50, "rank_sum_worse": 5}
    alone = [head | {"variant": "all", "rejected": rejected} for rejected in (True, True, False)]
    once = [head | {"variant": "one-per-domain", "rejected": rejected} for rejected in (True, False, False)]

    def glance(rows):
        return shown(*glance_tables(pd.DataFrame(rows), {"bagging/genie3": 10}, 0.05))

    table = glance(alone + [row | {"p_least": 0.01} for row in once])
    assert [column.name for column in table.columns][6] == "better / worse, each domain once"
    assert texts(table) == [
        ["bagging/genie3", "10", "uniform", "2", "0", "1", "1 / 0", "27 / 0 / 3"],
    ]
    few = glance(alone + [row | {"p_least": 0.125} for row in once])
    assert texts(few)[0][6] == "out of reach (p at least 0.125)"
    assert len(texts(glance(alone))[0]) == 7, "without related sets"
