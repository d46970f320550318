"""The oracle scores what is known of a dataset, and takes no part where nothing is."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from synthetic_study import performance_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.data import load_dataset
from mlsieve.data.generated.synthetic import EMBEDDED, KNOWN_RELEVANCE, make_linear
from mlsieve.errors import UserError
from mlsieve.rankers import OracleRanker
from mlsieve.rankers.dataset_rankings import rank_dataset
from mlsieve.study import Study
from mlsieve.tables.performance import skipped_sets

CONFIGURATION = {
    "study": "unit",
    "datasets": ["synthetic-linear", "digits-mlc"],
    "methods": [{"id": "oracle"}, {"id": "uniform"}],
    "evaluators": [{"id": "weighted-knn"}],
}


@pytest.mark.parametrize("id", sorted(EMBEDDED))
def test_the_oracle_is_for_the_sets_that_tell_their_relevant_features(id):
    dataset = load_dataset(id)
    assert ("relevant" in dataset.facts) == ("redundant" in dataset.facts) == (id in KNOWN_RELEVANCE)
    if id not in KNOWN_RELEVANCE:
        with pytest.raises(
            UserError, match=f"'oracle' does not support dataset '{id}'.*synthetic datasets: synth"
        ):
            rank_dataset(dataset, "oracle", {})
        return
    ranking = rank_dataset(dataset, "oracle", {}).rankings[0]
    worth = {"relevant": 1.0, "redundant": 0.5, "irrelevant": 0.0}
    assert ranking.scores.tolist() == [worth[name.split("_")[0]] for name in dataset.feature_names]


def test_shuffled_labels_have_no_relevant_features():
    assert not rank_dataset(make_linear(permute_labels=True), "oracle", {}).rankings[0].scores.any()


def test_the_estimator_asks_for_the_relevant_features():
    X, Y = np.eye(4), np.eye(4, dtype=int)[:, :2]
    assert OracleRanker(relevant=[2], redundant=[0]).fit(X, Y).feature_importances_.tolist() == [0.5, 0, 1, 0]
    with pytest.raises(ValueError, match="relevant: the indices"):
        OracleRanker().fit(X, Y)
    with pytest.raises(ValueError, match="redundant holds an index outside 0"):
        OracleRanker(relevant=[1], redundant=[4]).fit(X, Y)


def test_a_study_leaves_the_oracle_out_where_nothing_is_known_and_says_so():
    study = Study(CONFIGURATION)
    ranked = [(job.data.id, job.ranker.name) for job in study.jobs.all() if job.step == "rank"]
    assert ranked == [
        ("synthetic-linear", "oracle"),
        ("synthetic-linear", "uniform"),
        ("digits-mlc", "uniform"),
    ]
    [row] = map(asdict, skipped_sets(study, {}, []))
    assert (row["dataset"], row["status"], row["method"]) == ("digits-mlc", "not applicable", "oracle")
    assert row["reason"] == "oracle does not apply: the relevant features are not known"
    assert [item.status for item in skipped_sets(study, {"digits-mlc": "gone"}, [])] == ["unavailable"]


def test_a_control_of_some_sets_takes_none_from_the_tests_over_all():
    table = performance_table(measures=("f1",), baselines=("uniform", "random", "relief", "oracle"))
    some = table[(table["method"] != "oracle") | (table["dataset"] != "set-1")]
    analysis = Analysis.from_mapping({"families": ["extended"]})
    whole, less = run_questions(table, analysis), run_questions(some, analysis)
    overall = less.tests[(less.tests["test"] == "friedman") & (less.tests["variant"] == "all")]
    assert set(overall["question"]) == {"saturation", "ensemble", "relief", "score"}
    assert (overall["n_datasets"] == 8).all() and not overall["methods"].str.contains("oracle").any()
    pairwise = less.tests[less.tests["methods"] == "oracle;uniform"]
    assert pairwise["n_datasets"].tolist() == [7]
    ranked = whole.tests.loc[whole.tests["test"] == "friedman", "methods"]
    assert ranked.str.contains("oracle").all(), "with values everywhere it stands beside the others"


def test_a_dataset_that_lost_its_facts_is_refused():
    with pytest.raises(UserError, match="its relevant features are not known"):
        rank_dataset(replace(load_dataset("synthetic-linear"), facts={}), "oracle", {})
