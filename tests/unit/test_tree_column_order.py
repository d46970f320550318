"""Trees see the features in an order of their content: that of the columns decides nothing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.data.coded_columns import code_columns
from mlsieve.rankers import PCTForestRanker
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.growing import grow_ensemble
from mlsieve.trees.options import GrowOptions
from mlsieve.trees.scores import importances

PAIRS = [
    (ensemble, score)
    for ensemble in ("bagging", "random-forest", "extra-trees")
    for score in ("symbolic", "genie3", "permutation")
    if (ensemble, score) != ("extra-trees", "permutation")
]


@st.composite
def tables(draw):
    """Dense, sparse and nominal columns with few values, copies, constants and missing cells among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_features = draw(st.integers(6, 40)), draw(st.integers(1, 9))
    X = rng.integers(0, draw(st.integers(1, 5)), (n, n_features)).astype(float)
    X[:, rng.random(n_features) < 0.3] *= rng.random((n, 1)) < 0.2
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
    n_categories = np.where(rng.random(n_features) < 0.3, 5, 0).astype(np.int32)
    copied = rng.integers(0, n_features, 3)
    X, n_categories = np.column_stack([X, X[:, copied]]), np.concatenate([n_categories, n_categories[copied]])
    Y = (rng.random((n, 3)) < 0.4).astype(np.uint8)
    return X, n_categories, sp.csr_array(Y), rng.permutation(X.shape[1]), int(rng.integers(0, 2**40))


@settings(max_examples=150, deadline=None)
@given(tables())
def test_the_order_depends_on_content_and_seed_alone(table):
    X, n_categories, _, permutation, seed = table
    one = code_columns(X, n_categories, order_seed=seed)
    other = code_columns(X[:, permutation], n_categories[permutation], order_seed=seed)
    sparse = code_columns(sp.csr_array(X), n_categories, order_seed=seed)
    np.testing.assert_array_equal(X[:, one.data_column], X[:, permutation][:, other.data_column])
    np.testing.assert_array_equal(n_categories[one.data_column], n_categories[permutation][other.data_column])
    np.testing.assert_array_equal(one.data_column, sparse.data_column)
    np.testing.assert_array_equal(one.copy_of, sparse.copy_of)
    for name in ("values", "column_start", "column_row", "column_code", "row_feature", "rest_code"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


@settings(max_examples=150, deadline=None)
@given(tables())
def test_copies_are_the_equal_columns(table):
    X, n_categories, _, _, seed = table
    content = np.vstack([np.nan_to_num(X, nan=-1), n_categories])
    equal = (content[:, :, None] == content[:, None, :]).all(axis=0)
    np.testing.assert_array_equal(
        code_columns(X, n_categories, order_seed=seed).copy_of, equal.argmax(axis=0)
    )


def test_without_a_seed_the_columns_stay_in_their_order():
    store = code_columns(np.arange(12.0).reshape(3, 4) % 5)
    assert store.data_column.tolist() == store.copy_of.tolist() == [0, 1, 2, 3]


def test_seeds_give_different_orders():
    X = np.random.default_rng(0).normal(size=(20, 30))
    orders = {tuple(code_columns(X, order_seed=seed).data_column) for seed in range(10)}
    assert len(orders) == 10


@pytest.mark.parametrize("change", [lambda x: 3 * x + 1, np.exp], ids=["scale", "exponential"])
@pytest.mark.parametrize("ensemble", ["bagging", "random-forest"])
def test_a_rising_transformation_changes_no_score(ensemble, change):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(60, 12)), (rng.random((60, 4)) < 0.4).astype(int)
    changed = X.copy()
    changed[:, ::2] = change(X[:, ::2])
    one, other = (PCTForestRanker(ensemble=ensemble, n_estimators=5).fit(data, Y) for data in (X, changed))
    np.testing.assert_array_equal(one.feature_importances_, other.feature_importances_)


@pytest.mark.parametrize("ensemble, score", PAIRS)
@settings(max_examples=25, deadline=None)
@given(table=tables())
def test_permuting_columns_permutes_the_scores(ensemble, score, table):
    X, n_categories, Y, permutation, seed = table
    scores = []
    for order in (np.arange(X.shape[1]), permutation):
        grown = grow_ensemble(
            X[:, order],
            Y,
            n_trees=4,
            options=GrowOptions(ensemble),
            category_counts=n_categories[order],
            seed=seed,
        )
        back = np.empty((2, X.shape[1]))
        back[:, order] = importances(grown, score, [2, 4])
        scores.append(back)
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("ensemble, score", PAIRS)
def test_copies_share_the_score_and_take_none_from_others(ensemble, score):
    """The sum over the copies of a column is about what the column scores by itself.

    Not with random thresholds: three columns have three of them.
    """
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 6))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0, rng.random(150) < 0.3]).astype(int)
    copied = np.column_stack([X, X[:, 0], X[:, 0]])

    def scored(data):
        max_features = "all"  # else a column with copies is tried more often
        ranker = PCTForestRanker(
            ensemble=ensemble, score=score, n_estimators=100, max_features=max_features, random_state=3
        )
        return ranker.fit(data, Y).feature_importances_

    alone, shared = scored(X), scored(copied)
    assert shared[0] == shared[6] == shared[7] > 0
    if ensemble != "extra-trees":
        assert shared[[0, 6, 7]].sum() == pytest.approx(alone[0], rel=0.25)
        np.testing.assert_allclose(shared[1:6], alone[1:], atol=0.1 * alone[0])


@pytest.mark.parametrize("kind", ["real", "gridded", "binary"])
@pytest.mark.parametrize("ensemble, score", PAIRS)
def test_noise_favours_no_place_in_the_file(ensemble, score, kind):
    """Over 20 seeds the first ten columns score as the last ten do."""
    first, last = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 20))
        X = {"real": X, "gridded": np.rint(X), "binary": (X > 0.5) * 1.0}[kind]
        Y = (rng.random((200, 4)) < 0.3).astype(int)
        ranker = PCTForestRanker(ensemble=ensemble, score=score, n_estimators=25, random_state=seed)
        scores = ranker.fit(X, Y).feature_importances_
        first.append(scores[:10].mean())
        last.append(scores[-10:].mean())
    if score == "permutation":  # noise scores about 0, so that a ratio means nothing
        spread = np.std(np.subtract(first, last), ddof=1) / np.sqrt(20)
        assert abs(np.mean(first) - np.mean(last)) < 3 * spread
    else:
        assert np.mean(first) == pytest.approx(np.mean(last), rel=0.15)


def test_the_first_of_equal_columns_wins_where_that_is_asked_for():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    ranker = PCTForestRanker(ensemble="bagging", n_estimators=10, ties="first")
    scores = ranker.fit(np.column_stack([X, X]), Y).feature_importances_
    np.testing.assert_array_equal(scores[3:], 0)
    assert (scores[:2] > 0).all()


def test_an_ensemble_file_keeps_the_equal_columns(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, (40, 5)).astype(float)
    Y = sp.csr_array((rng.random((40, 3)) < 0.4).astype(np.uint8))
    grown = grow_ensemble(np.column_stack([X, X[:, 1]]), Y, n_trees=5)
    grown.save(tmp_path / "grown.npz")
    read = Ensemble.load(tmp_path / "grown.npz")
    assert read.copy_of.tolist() == [0, 1, 2, 3, 4, 1]
    np.testing.assert_array_equal(importances(grown, "genie3"), importances(read, "genie3"))
