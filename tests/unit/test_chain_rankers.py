"""Rankers made of chains: importances of boosted trees, and permutation of features."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.chains import XDCC, BinaryRelevance, MultiLabelXGB, RDTDynamicChain
from mlsieve.chains.boosted import IMPORTANCES
from mlsieve.data import load_dataset
from mlsieve.data.column_contents import canonical_order, column_digests
from mlsieve.errors import UserError
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers import ChainPermutationRanker, MLXGBRanker, XDCCRanker
from mlsieve.rankers.dataset_rankings import rank_dataset
from mlsieve.rankers.of_chains.ml_xgb import Importance
from mlsieve.rankings.ties import shared_by_copies
from mlsieve.registry import entries
from mlsieve.seeds import derive_seed


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(120, 6)), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    known = np.nan_to_num(X)
    Y = np.column_stack([known[:, 0] > 0, known[:, 0] + known[:, 2] > 0, rng.random(120) < 0.3])
    return X, Y.astype(np.uint8)


def test_the_words_are_those_of_the_booster():
    assert get_args(Importance) == tuple(IMPORTANCES)


@pytest.mark.parametrize("importance", get_args(Importance))
def test_importances_are_sums_over_the_tests_of_each_feature(data, importance):
    trees = MultiLabelXGB(n_estimators=7, max_depth=3).fit(*data).trees_
    expected = np.zeros(6)
    for node in np.flatnonzero(trees.feature >= 0):
        expected[trees.feature[node]] += {
            "gain": trees.gain[node],
            "cover": trees.cover[node],
            "splits": 1,
        }[importance]
    ranker = MLXGBRanker(importance=importance, rounds=7, max_depth=3).fit(*data)
    np.testing.assert_allclose(ranker.feature_importances_, expected, rtol=1e-12)
    assert set(ranker.ranking_[[0, 2]]) == {1, 2}


@pytest.mark.parametrize("importance", get_args(Importance))
def test_a_chain_counts_the_features_of_all_steps_and_no_labels(data, importance):
    models = XDCC(n_estimators=4, max_depth=3, chain_length=2).fit(*data).trees_
    expected, of_labels = np.zeros(6), 0
    for trees in models:
        for node in np.flatnonzero(trees.feature >= 0):
            if trees.feature[node] >= 6:
                of_labels += 1
                continue
            own = {"gain": trees.gain[node], "cover": trees.cover[node], "splits": 1}
            expected[trees.feature[node]] += own[importance]
    assert len(models) == 2 and of_labels > 0
    ranker = XDCCRanker(importance=importance, rounds=4, max_depth=3, chain_length=2).fit(*data)
    np.testing.assert_allclose(ranker.feature_importances_, expected, rtol=1e-12)


@pytest.mark.parametrize("estimator", [MLXGBRanker, XDCCRanker, ChainPermutationRanker])
def test_copies_share_and_constants_have_nothing(data, estimator):
    X, Y = data
    small = {"settings": "rounds=5"} if estimator is ChainPermutationRanker else {"rounds": 5}
    scores = estimator(**small).fit(np.column_stack([X, X[:, 0], np.ones(120)]), Y).feature_importances_
    assert scores[0] == scores[6] != 0 and scores[7] == 0


def test_equal_columns_share_their_mean():
    scores = shared_by_copies(np.array([1.0, 2.0, 4.0, 0.0]), np.array([7, 5, 7, 6], np.uint64))
    assert scores.tolist() == [2.5, 2.0, 2.5, 0.0]


@pytest.mark.parametrize(
    "chain, settings", [("rdt-dcc", "trees=10 sigma=0.5"), ("br", "depth=3"), ("ml-xgb", "")]
)
def test_permutation_importances_are_rises_of_the_error(data, chain, settings):
    """Every feature permuted, used by the method or not, in plain loops."""
    X, Y = data
    ranker = ChainPermutationRanker(chain=chain, settings=settings, repeats=2, random_state=5).fit(X, Y)
    draw = np.random.Generator(np.random.Philox(derive_seed(5, "held out"))).permutation(120)
    held = np.isin(np.arange(120), draw[:36])
    made = {
        "rdt-dcc": RDTDynamicChain(n_estimators=10, sigma=0.5, random_state=5),
        "br": BinaryRelevance(max_depth=3, random_state=5),
        "ml-xgb": MultiLabelXGB(random_state=5),
    }
    # Of equal tests scikit-learn's trees take one by its place: features and labels are in order of content.
    places = canonical_order(column_digests(X), 5)
    X, Y = X[:, places], Y[:, canonical_order(column_digests(Y.astype(float)), 5)]
    model = made[chain].fit(X[~held], Y[~held])
    usual = (model.predict(X[held]) != Y[held]).mean()
    expected = np.zeros(6)
    for repeat in range(2):
        seed = derive_seed(5, "permutation", repeat)
        order = np.random.Generator(np.random.Philox(seed)).permutation(36)
        for feature in range(6):
            rows = X[held].copy()
            rows[:, feature] = rows[order, feature]
            expected[feature] += ((model.predict(rows) != Y[held]).mean() - usual) / 2
    np.testing.assert_allclose(ranker.feature_importances_[places], expected, atol=1e-12)


def test_classes_of_a_hierarchy_enter_with_those_above_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    hierarchy = Hierarchy.from_parents({"a": (), "b": (), "c": ("a",)})
    Y = np.column_stack([np.zeros(80), X[:, 1] > 0, X[:, 0] > 0.5]).astype(int)
    closed = Y.copy()
    closed[:, 0] |= Y[:, 2]
    for estimator in (MLXGBRanker, XDCCRanker):
        with_hierarchy = estimator(rounds=3, hierarchy=hierarchy).fit(X, Y)
        flat = estimator(rounds=3).fit(X, closed)
        assert with_hierarchy.feature_importances_.tolist() == flat.feature_importances_.tolist()


@pytest.mark.parametrize(
    "method, settings",
    [
        ("ml-xgb", {"rounds": 5}),
        ("xdcc", {"rounds": 2, "chain_length": 2, "max_depth": 3}),
        ("chain-permutation", {"settings": "rounds=3 depth=3"}),
    ],
)
@pytest.mark.parametrize("name", ["synthetic-linear", "synthetic-hierarchical", "synthetic-mixed"])
def test_relevant_features_of_made_up_data_come_first(method, settings, name):
    dataset = load_dataset(name)
    [ranking] = rank_dataset(dataset, method, settings).rankings
    relevant = np.zeros(len(ranking.scores), bool)
    relevant[list(dataset.facts["relevant"])] = True
    assert ranking.scores[relevant].mean() > 2 * max(ranking.scores[~relevant].mean(), 0)


@pytest.mark.parametrize(
    "parameters, problem",
    [
        ({"chain": "rtd-dcc"}, "unknown chain 'rtd-dcc'.*rdt-dcc"),
        ({"settings": "rounds"}, "not of the form name=value"),
        ({"settings": "rounds=0"}, "rounds = 0 is not accepted"),
        ({"settings": "trees=3"}, "no parameter 'trees'"),
    ],
)
def test_unknown_methods_and_settings_are_one_line(parameters, problem):
    with pytest.raises(UserError, match=problem):
        rank_dataset(load_dataset("synthetic-linear"), "chain-permutation", parameters)


@pytest.mark.parametrize("ranker, model", [(MLXGBRanker, MultiLabelXGB), (XDCCRanker, XDCC)])
def test_further_settings_are_those_of_the_method_of_label_sets(data, ranker, model):
    given = {"sketch": "top", "sketch_size": 2, "max_bins": 4, "subsample": 0.7, "random_state": 3}
    short = {} if ranker is MLXGBRanker else {"chain_length": 2}
    settings = "sketch=top sketch_size=2 max_bins=4 subsample=0.7"
    X, Y = data
    # The ranker puts the labels into an order of their own, which samples do not depend on.
    order = canonical_order(column_digests(sp.csr_array(Y)), 3)
    expected = model(n_estimators=4, **short, **given).fit(X, Y[:, order]).importances("gain")
    found = ranker(rounds=4, settings=settings, random_state=3, **short).fit(X, Y).feature_importances_
    np.testing.assert_array_equal(found, expected)
    assert found.tolist() != ranker(rounds=4, random_state=3, **short).fit(X, Y).feature_importances_.tolist()


@pytest.mark.parametrize(
    "settings, problem",
    [
        ("depth=3", "'depth' is a parameter of the ranker itself; give max_depth beside settings"),
        ("rounds=3", "'rounds' is a parameter of the ranker itself; give rounds beside settings"),
        ("sketc=top", "no parameter 'sketc'; did you mean 'sketch'"),
        ("sketch", "not of the form name=value"),
    ],
)
@pytest.mark.parametrize("method", ["ml-xgb", "xdcc"])
def test_wrong_further_settings_are_one_line_before_a_studys_jobs(method, settings, problem):
    with pytest.raises(UserError, match=problem):
        rank_dataset(load_dataset("synthetic-linear"), method, {"settings": settings})
    with pytest.raises(UserError, match=problem):
        entries("ranker")[method].facts.check({"settings": settings})


def test_a_wrong_setting_of_a_permuted_method_blames_the_setting():
    parameters = {"chain": "cc", "settings": "order=given given=0:1"}
    with pytest.raises(UserError, match="settings = 'order=given given=0:1' of 'cc': given: 2 labels of 6"):
        rank_dataset(load_dataset("synthetic-linear"), "chain-permutation", parameters)


def test_two_examples_are_enough_and_labels_may_be_absent():
    X, Y = np.array([[0.0, 1.0], [1.0, 0.0]]), sp.csr_array(np.array([[1, 0], [0, 0]], np.uint8))
    for estimator in (MLXGBRanker, XDCCRanker, ChainPermutationRanker):
        assert np.isfinite(estimator().fit(X, Y).feature_importances_).all()
