"""Multi-label naive Bayes against plain loops, scikit-learn, and figures worked by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from mlsieve.data.dataset import Dataset
from mlsieve.discretize import learn_cuts
from mlsieve.discretize.of_dataset import learn_dataset_cuts, with_cuts
from mlsieve.errors import UserError
from mlsieve.evaluation.predictions import prepare_evaluation, stored_predictions
from mlsieve.evaluators import MLNB
from mlsieve.measures import evaluate_all
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.registry import lookup


def made(X, Y, n_train, n_categories=None, sparse=False):
    """A dataset; features with n_categories 0 (default: all) are numeric."""
    X = np.asarray(X, float)
    counts = [0] * X.shape[1] if n_categories is None else list(n_categories)
    return Dataset(
        name="made",
        X=sp.csr_array(X) if sparse else X,
        Y=sp.csr_array(np.asarray(Y, np.uint8)),
        train_mask=np.arange(len(X)) < n_train,
        nominal=np.array(counts, int) > 0,
        categories=tuple(tuple(map(str, range(count))) for count in counts),
        feature_names=tuple(f"f{i}" for i in range(X.shape[1])),
        label_names=tuple(f"l{i}" for i in range(np.shape(Y)[1])),
    )


def ranking_of(dataset, order=None, n_selected=None):
    names = dataset.feature_names
    order = np.arange(len(names)) if order is None else np.asarray(order, np.int64)
    scores = np.empty(len(names))
    scores[order] = -np.arange(len(names), dtype=float)
    return Ranking(scores, names, n_selected=n_selected, search_order=order)


def psi(dataset, order=None, **settings):
    """Posteriors of the test part with all features, in an order."""
    target = lookup("evaluator", "mlnb").target(**{"features": "all", **settings})
    [found] = target.predictions(dataset, [ranking_of(dataset, order)])
    return found.values


# --- the twin --------------------------------------------------------------------------------------------


def normal(x, values):
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values) + 1e-9
    return -0.5 * ((x - mean) ** 2 / variance + math.log(variance))


def naive(dataset):
    """The posteriors by loops over rows, labels, features and training rows."""
    X = dataset.X.toarray() if dataset.is_sparse else dataset.X
    Y, train = dataset.Y.toarray(), dataset.train_mask
    out = np.empty((int((~train).sum()), Y.shape[1]))
    for (i, row), label in itertools.product(enumerate(X[~train]), range(Y.shape[1])):
        logarithm = {}
        for side in (1, 0):
            of_side = [r for r in np.flatnonzero(train) if Y[r, label] == side]
            logarithm[side] = math.log((1 + len(of_side)) / (2 + train.sum()))
            for feature, x in enumerate(row):
                known = [r for r in np.flatnonzero(train) if not np.isnan(X[r, feature])]
                if np.isnan(x):
                    continue
                if dataset.nominal[feature]:
                    same = sum(X[r, feature] == x for r in known if r in of_side)
                    n_side = sum(r in of_side for r in known)
                    logarithm[side] += math.log((1 + same) / (len(dataset.categories[feature]) + n_side))
                elif known:
                    values = np.array([X[r, feature] for r in known])
                    mean, spread = values.mean(), values.std() or 1.0
                    own = [(X[r, feature] - mean) / spread for r in known if r in of_side]
                    everything = list((values - mean) / spread)
                    logarithm[side] += normal((x - mean) / spread, own or everything)
        odds = logarithm[1] - logarithm[0]
        out[i, label] = 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
    return out


@st.composite
def problems(draw, kinds=("nominal", "numeric")):
    """A small dataset with missing values, constant features, unseen categories and labels on no row."""
    n_train, n_test = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    n_features, n_labels = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    seed, zeros, missing = (
        draw(st.integers(0, 10**6)),
        draw(st.sampled_from((0.1, 0.8))),
        draw(st.booleans()),
    )
    random = np.random.default_rng(seed)
    shape = (n_train + n_test, n_features)
    counts = [
        draw(st.integers(1, 4)) if draw(st.sampled_from(kinds)) == "nominal" else 0 for _ in range(n_features)
    ]
    X = np.column_stack(
        [
            random.integers(0, count, shape[0]) if count else np.round(random.normal(0.5, 1, shape[0]), 1)
            for count in counts
        ]
    ).astype(float)
    X[random.random(shape) < zeros] = 0.0
    if missing:
        X[random.random(shape) < 0.15] = np.nan
    Y = random.random((shape[0], n_labels)) < random.random(n_labels)
    return X, Y, n_train, counts


@given(problems(kinds=("nominal",)), st.booleans())
def test_nominal_features_as_the_twin(problem, sparse):
    dataset = made(*problem, sparse=sparse)
    np.testing.assert_allclose(psi(dataset), naive(dataset), rtol=1e-9, atol=0)


@given(problems(), st.booleans())
def test_numeric_and_nominal_features_as_the_twin(problem, sparse):
    dataset = made(*problem, sparse=sparse)
    expected = naive(dataset)
    # Where a variance is all smoothing, log-odds of 1e9 lose digits in any order of the sums.
    np.testing.assert_allclose(psi(dataset, input="gaussian"), expected, rtol=1e-4, atol=1e-12)


@given(problems(), st.randoms(use_true_random=False), st.sampled_from(("discretised", "gaussian")))
def test_the_same_bytes_dense_or_sparse_for_any_threads_and_points(problem, random, input):
    dataset, stored = made(*problem), made(*problem, sparse=True)
    n_features = dataset.X.shape[1]
    order = random.sample(range(n_features), n_features)
    expected = psi(dataset, order, input=input)
    assert psi(stored, order, input=input).tobytes() == expected.tobytes()
    evaluator = lookup("evaluator", "mlnb").target(features="all", points=n_features, input=input)
    found = list(evaluator.predictions(stored, [ranking_of(dataset, order)], n_threads=3))
    assert [one.n_features for one in found] == list(range(1, n_features + 1))
    assert found[-1].values.tobytes() == expected.tobytes()
    for one in found:
        alone = lookup("evaluator", "mlnb").target(features=one.n_features, input=input)
        [again] = alone.predictions(dataset, [ranking_of(dataset, order)])
        assert again.values.tobytes() == one.values.tobytes()


def test_tables_too_large_for_one_block_change_no_byte(monkeypatch):
    random = np.random.default_rng(5)
    X = np.column_stack([random.integers(0, 3, (40, 6)), np.round(random.normal(size=(40, 5)), 1)])
    X[random.random(X.shape) < 0.3] = 0
    order = random.permutation(11)
    dataset = made(X, random.random((40, 4)) < 0.4, 30, [3] * 6 + [0] * 5)
    expected = psi(dataset, order, input="gaussian")
    monkeypatch.setattr("mlsieve.evaluators._naive_bayes._TABLE_CELLS", 20)
    assert psi(dataset, order, input="gaussian").tobytes() == expected.tobytes()


# --- other programs' figures -----------------------------------------------------------------------------


def test_categories_as_scikit_learn():
    random = np.random.default_rng(0)
    X = random.integers(0, (2, 3, 4), (80, 3))
    Y = random.random((80, 3)) < 1 / (1 + np.exp(1 - X))
    found = psi(made(X, Y, 60, (2, 3, 4)))
    for label in range(3):
        n_label = int(Y[:60, label].sum())
        prior = [(61 - n_label) / 62, (1 + n_label) / 62]
        other = CategoricalNB(alpha=1.0, class_prior=prior, min_categories=[2, 3, 4])
        expected = other.fit(X[:60], Y[:60, label]).predict_proba(X[60:])[:, 1]
        np.testing.assert_allclose(found[:, label], expected, rtol=1e-9)


def test_normal_distributions_as_scikit_learn():
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 4)) * (1, 2, 3, 0.5) + (0, 5, -40, 0.1)
    Y = random.random((80, 2)) < 1 / (1 + np.exp(-X[:, :2]))
    for sparse in (False, True):
        found = psi(made(X, Y, 60, sparse=sparse), input="gaussian")
        for label in range(2):
            n_label = int(Y[:60, label].sum())
            prior = [(61 - n_label) / 62, (1 + n_label) / 62]
            other = GaussianNB(priors=prior, var_smoothing=1e-12).fit(X[:60], Y[:60, label])
            np.testing.assert_allclose(found[:, label], other.predict_proba(X[60:])[:, 1], rtol=1e-6)


# --- worked by hand --------------------------------------------------------------------------------------


def test_two_features_by_hand():
    # Two of five training rows have the label. Colour (3 categories): 0, 1 with it; 0, 0, 2 without.
    # Flag (2 categories): 1, 1 with it; 0, 1 and missing without.
    X = [[0, 1], [1, 1], [0, 0], [0, 1], [2, np.nan], [0, 1], [1, np.nan], [2, 0]]
    Y = [[1], [1], [0], [0], [0], [0], [0], [0]]
    with_label = [3 / 7 * 2 / 5 * 3 / 4, 3 / 7 * 2 / 5, 3 / 7 * 1 / 5 * 1 / 4]
    without = [4 / 7 * 3 / 6 * 2 / 4, 4 / 7 * 1 / 6, 4 / 7 * 2 / 6 * 2 / 4]
    expected = [a / (a + b) for a, b in zip(with_label, without, strict=True)]
    np.testing.assert_allclose(psi(made(X, Y, 5, (3, 2)))[:, 0], expected, rtol=1e-9)


def test_a_category_that_no_training_row_has_counts_as_never():
    X, Y = [[0], [0], [1], [2]], [[1], [0], [0], [0]]
    # (1 + 0) / (3 + 1) with the label, (1 + 0) / (3 + 2) without; prior 2/5 and 3/5.
    expected = (2 / 5 / 4) / (2 / 5 / 4 + 3 / 5 / 5)
    np.testing.assert_allclose(psi(made(X, Y, 3, (3,))), [[expected]], rtol=1e-9)
    model = MLNB(nominal=[0]).fit([[0.0], [0.0], [1.0]], [[1, 0], [0, 0], [0, 0]])
    # To the estimator two categories are known; a third is one that it never saw.
    expected = (2 / 5 / 3) / (2 / 5 / 3 + 3 / 5 / 4)
    np.testing.assert_allclose(model.predict_proba([[7.0]])[0, 0], expected, rtol=1e-9)


def test_even_odds_predict_nothing():
    # What speaks for the label speaks as much against it: 1/2 exactly, in any order of the features.
    rows = list(itertools.product((0, 1), repeat=3))
    X = [[a, 1 - a, b, c, 1 - c, 1 - b] for a, b, c in rows]
    X += [[1, 1, 1, 0, 0, 0]]
    Y = [[a, 1 - a] for a, _, _ in rows] + [[0, 0]]
    for order in itertools.permutations(range(6), 6):
        assert psi(made(X, Y, 8, [2] * 6), order).tolist() == [[0.5, 0.5]]
    model = MLNB(nominal=range(6)).fit(X[:8], Y[:8])
    assert model.predict_proba(X[8:]).tolist() == [[0.5, 0.5]]
    assert model.predict(X[8:]).tolist() == [[0, 0]]


def test_certain_odds_do_not_overflow():
    n = 400
    X = np.repeat(np.arange(n)[:, None] % 2, 300, axis=1)
    Y = np.column_stack([X[:, 0] == 1, X[:, 0] == 0, np.zeros(n), np.ones(n)])
    with np.errstate(all="raise"):
        found = psi(made(X, Y, n - 2, [2] * 300))
    np.testing.assert_array_equal(found[:, :2], [[0, 1], [1, 0]])
    assert (found[:, 2] < 0.01).all() and (found[:, 3] > 0.99).all()


def test_far_values_do_not_overflow():
    X = np.array([[1.0, 1e200], [2.0, -1e200], [1.5, 5.0], [1e300, 5.0], [-1e300, np.nan]])
    Y = np.array([[1], [0], [1], [0], [0]])
    found = psi(made(X, Y, 3), input="gaussian")
    assert ((found >= 0) & (found <= 1)).all()


# --- what is predicted with ------------------------------------------------------------------------------


@pytest.fixture
def numeric():
    random = np.random.default_rng(2)
    X = np.round(random.normal(size=(50, 9)), 2)
    return made(X, random.random((50, 3)) < 1 / (1 + np.exp(-2 * X[:, :3])), 40)


def test_numbers_of_features(numeric):
    rankings = [ranking_of(numeric), ranking_of(numeric, n_selected=3), ranking_of(numeric, n_selected=0)]

    def sizes(**settings):
        target = lookup("evaluator", "mlnb").target(**settings)
        assert (target.denominator, target.relevant) == (1.0, ">")
        return [(one.ranking, one.n_features) for one in target.predictions(numeric, rankings)]

    assert sizes() == [(0, 8), (1, 3), (2, 0)]  # ceil(sqrt(50)) of a ranking
    assert sizes(points=2) == [(0, 4), (0, 8), (1, 2), (1, 3), (2, 0)]
    assert sizes(features=5) == [(0, 5), (1, 5), (2, 5)]
    assert sizes(features="all", points=1) == [(0, 9), (1, 9), (2, 9)]


def test_without_features_the_prior_decides(numeric):
    [found] = lookup("evaluator", "mlnb").target().predictions(numeric, [ranking_of(numeric, n_selected=0)])
    prior = (1 + numeric.Y_train.toarray().sum(axis=0)) / (2 + 40)
    np.testing.assert_allclose(found.values, np.tile(prior, (10, 1)), rtol=1e-9)


def test_only_the_first_features_count(numeric):
    order = np.array([4, 2, 7, 0, 1, 3, 5, 6, 8])
    [found] = (
        lookup("evaluator", "mlnb").target(features=3).predictions(numeric, [ranking_of(numeric, order)])
    )
    few = made(numeric.X[:, [4, 2, 7]], numeric.Y.toarray(), 40)
    assert found.values.tobytes() == psi(few).tobytes()


@pytest.mark.parametrize("method", ["laim", "equal-width", "equal-frequency"])
def test_cuts_come_from_the_training_part(numeric, method):
    cuts = learn_cuts(numeric.X_train, numeric.Y_train, method=method)
    X, counts = cuts.transform(numeric.X), np.diff(cuts.start) + 1
    expected = psi(made(X, numeric.Y.toarray(), 40, counts))
    assert psi(numeric, discretize=method).tobytes() == expected.tobytes()
    # Data cut before have nothing left to cut.
    facts = {"method": method, "bins": 5}
    before = with_cuts(numeric, learn_dataset_cuts(numeric, method), facts)
    assert psi(before, discretize="equal-width").tobytes() == expected.tobytes()
    assert psi(before, input="gaussian").tobytes() == expected.tobytes()


def test_infinite_values_and_data_without_a_test_part_are_refused(numeric):
    whole = numeric.with_split(np.ones(50, bool))
    with pytest.raises(UserError, match="has no test part"):
        psi(whole)
    numeric.X[3, 3] = np.inf
    with pytest.raises(UserError, match="dataset 'made' holds an infinite value"):
        psi(numeric)


# --- the estimator ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("input", ["discretised", "gaussian"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_the_estimator_is_the_evaluator(numeric, input, container):
    X, Y = container(numeric.X[:40]), numeric.Y_train
    model = MLNB(input=input).fit(X, Y)
    found = model.predict_proba(container(numeric.X[40:]))
    assert found.tobytes() == psi(numeric, input=input).tobytes()
    np.testing.assert_array_equal(model.predict(numeric.X[40:]), found > 0.5)


def test_nominal_features_may_be_named():
    X = np.array([[0, 0.1], [1, 0.2], [2, 0.7], [1, 0.9], [0, 0.4], [2, 0.3]])
    Y = np.array([[1, 0], [0, 1], [0, 1], [1, 1], [1, 0], [0, 0]])
    table = pd.DataFrame(X, columns=["colour", "size"])
    by_name = MLNB(nominal=["colour"]).fit(table, Y).predict_proba(table)
    np.testing.assert_array_equal(by_name, MLNB(nominal=[0]).fit(X, Y).predict_proba(X))
    model = MLNB(nominal=[0]).fit(X, Y)
    with pytest.raises(ValueError, match="must hold category positions"):
        model.predict_proba([[0.5, 0.1]])


def test_classes_of_one_column_share_the_probability(numeric):
    classes = np.array(["low", "middle", "high"])[np.digitize(numeric.X[:, 0], (-0.5, 0.5))]
    for input in ("discretised", "gaussian"):
        model = MLNB(input=input).fit(numeric.X, classes)
        scores = model.predict_proba(numeric.X)
        np.testing.assert_allclose(scores.sum(axis=1), 1.0)
        np.testing.assert_array_equal(model.predict(numeric.X), model.classes_[scores.argmax(axis=1)])
        assert (model.predict(numeric.X) == classes).mean() > 0.7


def test_unknown_parameters_are_refused(numeric):
    for settings in ({"input": "normal"}, {"discretize": "laimm"}):
        with pytest.raises(ValueError, match="is not accepted"):
            MLNB(**settings).fit(numeric.X, numeric.Y)


def test_a_label_without_an_example_stands_first_or_has_its_prior():
    X = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [0, 0]], float)
    Y = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 1]])
    dataset = made(X, Y, 4, [2, 2])
    assert Y[:4, 1].sum() == 0
    by_formula = psi(dataset)
    assert not np.isnan(by_formula).any() and (by_formula[:, 1] < 0.5).all()
    bundle = RankingBundle((ranking_of(dataset, n_selected=2),))
    found = stored_predictions(
        prepare_evaluation(dataset, bundle, evaluator="mlnb", settings={"unseen": "first"}, facts={})
    )
    np.testing.assert_array_equal(np.isnan(found.values[0]), [[False, True, False]] * 2)
    np.testing.assert_array_equal(found.values[0][:, [0, 2]], by_formula[:, [0, 2]])
    assert (found.scores(0)[:, 1] == 1.0).all() and (found.scores(0)[:, 1] >= found.scores(0).max()).all()
    assert not found.predicted(0)[:, 1].any()
    # Hamming loss does not see it; the first row has the label, the second does not.
    values = {
        unseen: evaluate_all(
            dataset.Y_test,
            votes.scores(0),
            y_pred=votes.predicted(0),
            measures=["hamming-loss", "coverage"],
        )
        for unseen in ("prior", "first")
        for votes in [
            stored_predictions(
                prepare_evaluation(dataset, bundle, evaluator="mlnb", settings={"unseen": unseen}, facts={})
            )
        ]
    }
    assert values["prior"]["hamming-loss"] == values["first"]["hamming-loss"]
    # psi is 1/2, 1/6, 1/2 for both rows, ties counted: ranks 3 and 2; with label 1 first, 3 and 3.
    assert values["prior"]["coverage"] == 2.5 and values["first"]["coverage"] == 3.0
