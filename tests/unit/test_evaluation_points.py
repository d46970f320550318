"""How many features of a ranking evaluators use, points of curves, and the baseline that predicts nothing."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mlsieve import registry
from mlsieve.analysis import Analysis, PerformanceTable, read_performance
from mlsieve.analysis.performance import at_full_size
from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError
from mlsieve.evaluation.predictions import Predictions, predictions_of, prepare_evaluation, stored_predictions
from mlsieve.evaluation.scoring import evaluation_table, scores_table
from mlsieve.evaluators import neighbor_votes
from mlsieve.evaluators._features import prefix_sizes
from mlsieve.files.csv_tables import PERFORMANCE
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.rankings.selection import feature_count
from mlsieve.registry import Entry, lookup
from mlsieve.registry.facts import RankerFacts
from mlsieve.trees.options import GrowOptions

N_FEATURES = 20


@pytest.fixture
def dataset():
    random = np.random.default_rng(3)
    return Dataset(
        name="made",
        X=np.round(random.random((36, N_FEATURES)), 2),
        Y=sp.csr_array((random.random((36, 4)) < 0.4).astype(np.uint8)),
        train_mask=np.arange(36) % 3 > 0,
        nominal=np.zeros(N_FEATURES, bool),
        categories=((),) * N_FEATURES,
        feature_names=tuple(f"f{i}" for i in range(N_FEATURES)),
        label_names=("p", "q", "r", "s"),
    )


@pytest.fixture
def rankings(dataset):
    random = np.random.default_rng(4)
    plain = Ranking(random.random(N_FEATURES) - 0.3, dataset.feature_names, name="plain")
    order = random.permutation(N_FEATURES)
    chosen = Ranking(random.random(N_FEATURES), dataset.feature_names, 0, 7, "chosen", order.astype(np.int64))
    return plain, chosen


def numbers(evaluator, dataset, rankings, **settings):
    """(ranking, number of features) of each prediction."""
    target = lookup("evaluator", evaluator).target(**settings)
    return [(one.ranking, one.n_features) for one in target.predictions(dataset, rankings)]


@given(st.integers(0, 300), st.integers(1, 40))
def test_points_are_evenly_spaced_up_to_the_last(count, points):
    sizes = prefix_sizes(count, points)
    assert sizes[-1] == count and list(sizes) == sorted(set(sizes))
    assert len(sizes) == min(points, max(count, 1))
    if count >= points:
        assert max(np.diff((0, *sizes))) - min(np.diff((0, *sizes))) <= 1


@given(st.integers(0, 300))
def test_all_points_are_every_number_of_features(count):
    assert prefix_sizes(count, "all") == prefix_sizes(count, max(count, 1))


@pytest.mark.parametrize(
    "n, count", [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (1024, 10), (1025, 11), (2**40 + 1, 41)]
)
def test_the_logarithm_of_the_rows_is_rounded_up_exactly(n, count):
    assert feature_count("log2", 100, n) == count
    assert GrowOptions(max_features="log2").n_candidates(n) == count


def test_rules_by_rows_need_the_number_of_rows():
    for rule in ("sqrt", "log2"):
        with pytest.raises(UserError, match=f"{rule}: the number of rows of the dataset is not known"):
            feature_count(rule, 100, None)


def test_numbers_of_features_by_hand(dataset, rankings):
    # 36 rows: sqrt is 6 features of 20; the plain ranking has fewer positive scores than features.
    positive = int((rankings[0].scores > 0).sum())
    assert 0 < positive < N_FEATURES
    knn = ("weighted-knn", dataset, rankings)
    assert numbers(*knn, k=3) == [(0, positive), (1, 7)]
    assert numbers(*knn, k=3, features=4) == [(0, 4), (1, 4)]
    assert numbers(*knn, k=3, features=400) == [(0, 20), (1, 20)]
    assert numbers(*knn, k=3, features=0.11) == [(0, 3), (1, 3)]
    assert numbers(*knn, k=3, features="sqrt") == [(0, 6), (1, 6)]
    assert numbers(*knn, k=3, features="log2") == [(0, 6), (1, 6)]  # 2 ** 5 < 36
    assert numbers("weighted-knn", dataset, rankings[1:], k=3, points="all") == [(0, n) for n in range(1, 8)]
    assert numbers(*knn, k=3, features="all", points=3) == [(i, n) for i in (0, 1) for n in (7, 14, 20)]
    assert numbers("weighted-knn", dataset, rankings[1:], k=3, points=3) == [(0, 3), (0, 5), (0, 7)]


def test_points_of_a_rankings_own_weights_are_refused(dataset, rankings):
    with pytest.raises(UserError, match=r"points = 2.*; set features to a count, a share, sqrt, log2 or all"):
        numbers("weighted-knn", dataset, rankings, k=3, points=2)


def test_the_first_features_weigh_one_in_the_neighbours_distance(dataset, rankings):
    for ranking in rankings:
        weights = np.zeros(N_FEATURES)
        weights[ranking.order()[:4]] = 1.0
        [found] = lookup("evaluator", "weighted-knn").target(k=3, features=4).predictions(dataset, [ranking])
        np.testing.assert_array_equal(found.values, neighbor_votes(dataset, weights, k=3)[0])


def evaluated(dataset, rankings, tidy, **settings):
    arguments = {
        "evaluator": "weighted-knn",
        "settings": {"k": 3, **settings},
        "facts": {"split": "official"},
    }
    bundle = RankingBundle(tuple(rankings))
    votes = stored_predictions(prepare_evaluation(dataset, bundle, **arguments))
    table = scores_table(votes, tidy=tidy)
    assert table == evaluation_table([prepare_evaluation(dataset, bundle, **arguments)], tidy=tidy)
    return votes, list(csv.reader(table.splitlines()))


def test_tables_tell_points_apart(dataset, rankings, tmp_path):
    votes, rows = evaluated(dataset, rankings, True, features=6, points=2)
    votes.save(tmp_path / "v.npz")
    again = Predictions.load(tmp_path / "v.npz")
    assert again.n_features == votes.n_features == (3, 6, 3, 6)
    assert again.names == ("plain", "plain", "chosen", "chosen")
    assert tuple(rows[0]) == PERFORMANCE
    assert list(dict.fromkeys((row[2], row[-1]) for row in rows[1:])) == [
        ("plain", "3"),
        ("plain", "6"),
        ("chosen", "3"),
        ("chosen", "6"),
    ]
    rows = evaluated(dataset, rankings, False, features=6, points=2)[1]
    assert list(dict.fromkeys(row[0] for row in rows)) == [
        "ranking",
        "plain (k=3)",
        "plain (k=6)",
        "chosen (k=3)",
        "chosen (k=6)",
    ]
    _, rows = evaluated(dataset, rankings[1:], False)
    assert rows[0] == ["measure", "value"]


def test_tests_take_the_most_features_of_each_evaluation(dataset, rankings, tmp_path):
    rows = evaluated(dataset, rankings, True, features=6, points=2)[1]
    (tmp_path / "p.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    frame = read_performance(tmp_path / "p.csv")
    assert frame["features"].dtype == int and set(at_full_size(frame)["features"]) == {6}
    table = PerformanceTable(frame, Analysis(rounding=None))
    for label in ("plain", "chosen"):
        own = frame[
            (frame["method"] == label) & (frame["features"] == 6) & (frame["measure"] == "hamming-loss")
        ]
        found = table.values("weighted-knn", "hamming-loss", [(label, 0)])
        assert found.to_numpy().tolist() == [[own["value"].item()]]
    # Each evaluation has a largest number of its own.
    frame.loc[frame["method"] == "plain", "features"] += 10
    assert at_full_size(frame).groupby("method")["features"].unique().map(list).to_dict() == {
        "chosen": [6],
        "plain": [16],
    }


def test_tables_without_the_column_are_read(tmp_path):
    (tmp_path / "p.csv").write_text("dataset,method,measure,value\nd,m,f1,0.5\nd,n,f1,0.25\n")
    frame = read_performance(tmp_path / "p.csv")
    assert tuple(frame.columns) == PERFORMANCE and frame["features"].tolist() == [0, 0]
    pd.testing.assert_frame_equal(at_full_size(frame), frame)
    bare = frame.drop(columns="features")
    assert at_full_size(bare) is bare
    assert PerformanceTable(bare, Analysis()).measures == ["f1"]


def test_files_of_votes_that_do_not_tell_the_features_are_refused(tmp_path):
    votes = Predictions(np.zeros((1, 2, 2)), sp.csr_array(np.zeros((2, 2), np.uint8)), ("u",), (0,), (3,), 1)
    votes.save(tmp_path / "v.npz")
    arrays, meta = read_arrays(tmp_path / "v.npz", "predictions")
    del arrays["n_features"]
    write_arrays(tmp_path / "v.npz", "predictions", arrays, meta)
    with pytest.raises(UserError, match=r"is not a complete file of predictions .*predict again"):
        Predictions.load(tmp_path / "v.npz")


@pytest.mark.parametrize("evaluator, settings", [("weighted-knn", {"k": 3}), ("mlnb", {"points": 2})])
def test_a_method_that_predicts_nothing_has_no_votes(dataset, rankings, monkeypatch, evaluator, settings):
    entry = Entry("ranker", "nothing-at-all", lambda X, Y: None, 1, RankerFacts(predicts="nothing"))
    monkeypatch.setitem(registry._entries["ranker"], entry.id, entry)
    learner = lookup("evaluator", evaluator).target(**settings)
    for method, nothing in (("nothing-at-all", True), ("uniform", False), ("not-installed", False)):
        bundle = RankingBundle(rankings, {"method": method})
        found = list(predictions_of(learner, dataset, bundle))
        assert sorted({one.ranking for one in found}) == [0, 1]
        assert (not any(one.values.any() for one in found)) == nothing
        assert {one.n_features == 0 for one in found} == {nothing}
        assert found[0].values.shape == (12, 4)
    bundle = RankingBundle(rankings[:1], {"method": "nothing-at-all"})
    arguments = {"evaluator": evaluator, "settings": settings, "facts": {}}
    rows = dict(
        csv.reader(
            scores_table(stored_predictions(prepare_evaluation(dataset, bundle, **arguments))).splitlines()
        )
    )
    assert float(rows["hamming-loss"]) == pytest.approx(dataset.Y_test.nnz / 48)
