"""The weighted kNN evaluator through its public names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError
from mlsieve.evaluators import WeightedKNN, neighbor_votes
from mlsieve.rankings.files import Ranking
from mlsieve.registry import lookup

pytestmark = pytest.mark.kernel


@parametrize_with_checks([WeightedKNN(k=3)])
def test_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    return random.random((60, 5)), (random.random((60, 4)) < 0.4).astype(int)


def as_dataset(X, Y, n_train, nominal=None):
    nominal = np.zeros(X.shape[1], bool) if nominal is None else np.asarray(nominal)
    return Dataset(
        name="made",
        X=X,
        Y=sp.csr_array(np.asarray(Y, np.uint8)),
        train_mask=np.arange(len(Y)) < n_train,
        nominal=nominal,
        categories=tuple(("a", "b", "c") if is_nominal else () for is_nominal in nominal),
        feature_names=tuple(f"f{i}" for i in range(X.shape[1])),
        label_names=tuple(f"l{j}" for j in range(Y.shape[1])),
    )


def test_worked_example():
    """Ranges 10 and 2; test row (0, 0); squared distances with weights (1, 4): 1, 4, 0.01 + 1, 0."""
    X = np.array([[10.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    Y = np.array([[1, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
    votes = neighbor_votes(as_dataset(X, Y, 4), np.array([[1.0, 4.0]]), k=2)
    np.testing.assert_array_equal(votes, [[[2, 0]]])
    assert votes.dtype == np.uint8
    model = WeightedKNN(k=2, weights=[1.0, 4.0]).fit(X[:4], Y[:4])
    np.testing.assert_array_equal(model.predict_proba(X[4:]), [[1.0, 0.0]])
    np.testing.assert_array_equal(model.predict(X[4:]), [[1, 0]])


def test_half_of_the_votes_is_enough():
    X, Y = np.array([[0.0], [1.0]]), np.array([[1, 0], [0, 0]])
    np.testing.assert_array_equal(WeightedKNN(k=2).fit(X, Y).predict([[0.5]]), [[1, 0]])


def test_the_earlier_of_equally_distant_rows_counts():
    X = np.array([[0.0], [2.0], [0.0], [2.0], [1.0]])
    Y = np.eye(5, 4, dtype=int)
    np.testing.assert_array_equal(neighbor_votes(as_dataset(X, Y, 4), np.ones((1, 1)), k=3), [[[1, 1, 1, 0]]])


def test_negative_weights_count_as_zero_and_all_zero_weights_take_the_first_rows(data):
    X, Y = data
    dataset = as_dataset(X, Y, 40)
    weights = np.array([[1.0, -3.0, 0.0, 2.0, -1.0], [1.0, 0.0, 0.0, 2.0, 0.0], [0.0] * 5, [-1.0] * 5])
    votes = neighbor_votes(dataset, weights, k=7)
    np.testing.assert_array_equal(votes[0], votes[1])
    np.testing.assert_array_equal(votes[2], np.broadcast_to(Y[:7].sum(axis=0), (20, 4)))
    np.testing.assert_array_equal(votes[2], votes[3])


def test_agrees_with_scikit_learn_on_scaled_columns(data):
    """Without ties it is Euclidean kNN on columns times sqrt(weight) over the range."""
    X, Y = data
    weights = np.array([0.1, 2.0, 0.7, 1.0, 0.3])
    columns = X * np.sqrt(weights) / np.ptp(X[:40], axis=0)
    peer = KNeighborsClassifier(n_neighbors=9).fit(columns[:40], Y[:40])
    expected = np.column_stack([share[:, 1] for share in peer.predict_proba(columns[40:])])
    scores = WeightedKNN(k=9, weights=weights).fit(X[:40], Y[:40]).predict_proba(X[40:])
    np.testing.assert_allclose(scores, expected)


def test_estimator_and_data_set_path_agree(data):
    X, Y = data
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    X[:, 2] = np.arange(60) % 3
    weights = np.arange(1.0, 6.0)
    nominal = np.array([False, False, True, False, False])
    for ranges in ("train", "all"):
        dataset = as_dataset(X, Y, 40, nominal)
        votes = neighbor_votes(dataset, weights, k=5, ranges=ranges)[0]
        model = WeightedKNN(k=5, ranges=ranges, weights=weights, nominal=nominal)
        model.fit(X[:40], Y[:40], X_other=X[40:] if ranges == "all" else None)
        np.testing.assert_array_equal(model.predict_proba(X[40:]), votes / 5)
        sparse = clone(model).fit(
            sp.csr_array(X[:40]), sp.csr_array(Y[:40]), X_other=X[40:] if ranges == "all" else None
        )
        np.testing.assert_array_equal(sparse.predict_proba(sp.csr_array(X[40:])), votes / 5)


def test_ranges_are_of_the_rows_named():
    """With training ranges feature 0 spans 1, with all rows 10; the nearest row changes with it."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.2, 0.55], [10.0, 0.0]])
    Y = np.array([[1, 0], [0, 1], [0, 0], [0, 0]])
    dataset = as_dataset(X, Y, 2)
    np.testing.assert_array_equal(neighbor_votes(dataset, [1.0, 1.0], k=1, ranges="train")[0, 0], [1, 0])
    np.testing.assert_array_equal(neighbor_votes(dataset, [1.0, 1.0], k=1, ranges="all")[0, 0], [0, 1])


def test_values_outside_the_training_range_are_not_clipped():
    """Feature 0 of the test row lies 10 ranges away: 100 and 81 against 0 and 25 of the other feature."""
    X = np.array([[0.0, 0.0], [1.0, 5.0], [0.0, 5.0], [10.0, 0.0]])
    Y = np.eye(4, 3, dtype=int)
    np.testing.assert_array_equal(neighbor_votes(as_dataset(X, Y, 3), [1.0, 1.0], k=1)[0, 0], [0, 1, 0])


def test_one_column_of_classes():
    X = np.array([[0.0], [0.1], [1.0], [0.9], [0.5]])
    model = WeightedKNN(k=2).fit(X, ["b", "b", "a", "a", "c"])
    assert list(model.classes_) == ["a", "b", "c"]
    assert list(model.predict([[0.0], [1.0]])) == ["b", "a"]
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[0.0, 1.0, 0.0]])


def test_fewer_training_rows_than_neighbours_are_all_used_with_a_warning(data):
    X, Y = data
    with pytest.warns(UserWarning, match="k = 15 is more than n_samples = 7 training examples; all are used"):
        model = WeightedKNN().fit(X[:7], Y[:7])
    assert model.k_ == 7
    np.testing.assert_array_equal(model.predict_proba(X[7:9]), np.tile(Y[:7].mean(axis=0), (2, 1)))
    with pytest.raises(ValueError, match="k must be a whole number of at least 1, got 0"):
        WeightedKNN(k=0).fit(X, Y)


def test_nominal_features_may_be_named(data):
    X, Y = data
    table = pd.DataFrame(X, columns=list("abcde")).assign(b=np.arange(60) % 3)
    by_name = WeightedKNN(k=3, nominal=["b"]).fit(table, Y)
    by_index = WeightedKNN(k=3, nominal=[1]).fit(table, Y)
    numeric = WeightedKNN(k=3).fit(table, Y).predict_proba(table)
    np.testing.assert_array_equal(by_name.predict_proba(table), by_index.predict_proba(table))
    assert (by_name.predict_proba(table) != numeric).any()
    with pytest.raises(ValueError, match="names 'bb', which is not a feature: did you mean 'b'"):
        WeightedKNN(k=3, nominal=["bb"]).fit(table, Y)


def test_more_than_255_neighbours_are_counted():
    X, Y = np.zeros((301, 1)), np.ones((301, 1), int)
    votes = neighbor_votes(as_dataset(X, np.hstack([Y, Y]), 300), [1.0], k=300)
    assert votes.dtype == np.uint16 and (votes == 300).all()


def test_a_selection_weighs_its_features_one(data):
    X, Y = data
    dataset = as_dataset(X, Y, 40)
    selection = Ranking(np.array([5.0, 1.0, 4.0, 3.0, 2.0]), dataset.feature_names, n_selected=2)
    evaluator = lookup("evaluator", "weighted-knn").target(k=5)
    [found] = evaluator.predictions(dataset, [selection])
    assert (evaluator.denominator, evaluator.relevant) == (5, ">=")
    assert (found.ranking, found.n_features) == (0, 2)
    np.testing.assert_array_equal(found.values, neighbor_votes(dataset, [1.0, 0.0, 1.0, 0.0, 0.0], k=5)[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 41}, "k = 41 is more than n_samples = 40 training examples; set k to 40 or less"),
        ({"k": 0}, "k must be a whole number of at least 1, got 0"),
        ({"k": 2.5}, "k must be a whole number of at least 1, got 2.5"),
        ({"ranges": "test"}, "ranges = 'test' is unknown"),
        ({"weightings": np.ones(4)}, "4 weights do not fit 5 features"),
        ({"weightings": np.full(5, np.inf)}, "a weight is not a finite number"),
    ],
)
def test_wrong_use_is_told(data, change, message):
    dataset = as_dataset(*data, 40)
    arguments = {"weightings": np.ones(5), "k": 3, **change}
    with pytest.raises(UserError, match=message):
        neighbor_votes(dataset, **arguments)


def test_data_without_test_part_and_infinite_values_are_refused(data):
    X, Y = data
    with pytest.raises(UserError, match="no test part; give --test FILE, or --split holdout"):
        neighbor_votes(as_dataset(X, Y, 60), np.ones(5), k=3)
    with pytest.raises(UserError, match="feature 'f1' has no finite range"):
        neighbor_votes(as_dataset(np.where(X == X[3, 1], np.inf, X), Y, 40), np.ones(5), k=3)
    with pytest.raises(ValueError, match="needs the other rows"):
        WeightedKNN(ranges="all").fit(X, Y)
