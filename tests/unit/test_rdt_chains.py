"""Dynamic and static chains by random decision trees: against walks from the root, and by hand."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from rdt_problems import SETTINGS, grow, problems
from rdt_twin import chain_of_row
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from mlsieve.chains import RDTDynamicChain
from mlsieve.chains.label_chains import ChainRules, predicted_sequences, weight_unit
from mlsieve.chains.random_trees import RandomTrees
from mlsieve.errors import InvalidSetting

NODE = np.dtype([("test", "<i4"), ("first", "<i4"), ("threshold", "<f8")])


def predicted_sequence(trees, X, **rules):
    return predicted_sequences(trees, X, [ChainRules(**rules)])[0][0]


def rules(n_labels):
    orders = st.none() | st.permutations(range(n_labels)).map(np.array)
    return st.builds(
        ChainRules,
        orders,
        st.sampled_from(["certain", "probable"]),
        st.sampled_from(["eq16", "threshold"]),
        st.sampled_from([0.0, 0.4, 1.0]),
    )


@pytest.mark.kernel
@given(problems(), SETTINGS, st.data())
def test_each_step_is_that_of_a_walk_from_the_root_by_one_chain_or_by_several(problem, settings, data):
    trees = grow(problem, settings, n_trees=5)
    rows = problem[0][:4]
    rows = np.vstack([rows, np.full(rows.shape[1], np.nan), np.full(rows.shape[1], 7.0)])
    chains = data.draw(st.lists(rules(trees.n_labels), min_size=1, max_size=3))
    unit = weight_unit(trees.n_trees, trees.n_labels)
    for one, (found, _) in zip(chains, predicted_sequences(trees, rows, chains), strict=True):
        probable = one.next_label == "probable"
        words = {"order": one.order, "probable": probable, "decision": one.decision, "sigma": one.sigma}
        for i, x in enumerate(rows):
            steps = chain_of_row(trees, x, **words, unit=unit)
            labels, probabilities, positive, cardinality = zip(*steps, strict=True)
            assert found.labels[i].tolist() == list(labels)
            assert found.probabilities[i].tolist() == list(probabilities)
            assert found.positive[i].tolist() == list(positive)
            assert found.cardinality[i].tolist() == list(cardinality)


@pytest.mark.kernel
@given(problems(), SETTINGS)
def test_rounded_weights_give_the_probabilities_of_the_formulas(problem, settings):
    trees = grow(problem, settings, n_trees=5)
    order = np.arange(trees.n_labels)
    found = predicted_sequence(trees, problem[0][:3], order=order, decision="threshold", sigma=0.0)
    for i, x in enumerate(problem[0][:3]):
        exact = chain_of_row(trees, x, order=order, decision="threshold", sigma=0.0)
        np.testing.assert_allclose(found.probabilities[i], [step[1] for step in exact], atol=1e-6)


def made(nodes, leaves, prior, n_rows, n_features=1, starts=(0,)):
    """Trees by hand; leaves: (N, counts)."""
    counts = np.array([leaf[1] for leaf in leaves], np.int32)
    at, label = np.nonzero(counts)
    return RandomTrees(
        n_features=n_features,
        nodes=np.array(nodes, NODE),
        category=np.zeros(len(nodes), np.int32),
        tree_start=np.array([*starts, len(nodes)], np.int64),
        leaf_size=np.array([leaf[0] for leaf in leaves], np.int32),
        leaf_start=np.concatenate([[0], np.cumsum(np.bincount(at, minlength=len(leaves)))]).astype(np.int64),
        leaf_label=label.astype(np.int32),
        leaf_count=counts[at, label],
        prior=np.array(prior, np.int32),
        n_rows=n_rows,
    )


def test_a_tree_worked_by_hand():
    """The root tests label 0; without it 1 of 8 rows has label 1, with it 6 of 8 have."""
    trees = made([(-2, 1, 0.0), (-1, 0, 0.0), (-1, 1, 0.0)], [(8, [0, 1]), (8, [8, 6])], [8, 7], 16)
    x = np.zeros((1, 1))
    # P = (1/2, 7/16): label 1 is farther from 1/2. R = 15/16, rounded 1. It is below 1/2: negative.
    # No test on label 1: P_0 is still 1/2, and 1/2 >= 1/2 while 0 < R: positive.
    found = predicted_sequence(trees, x)
    assert found.labels.tolist() == [[1, 0]]
    assert found.probabilities.tolist() == [[7 / 16, 1 / 2]]
    assert found.positive.tolist() == [[False, True]]
    assert found.cardinality.tolist() == [[1, 1]]
    # Label 0 is the more probable one.
    assert predicted_sequence(trees, x, next_label="probable").labels.tolist() == [[0, 1]]
    # Label 0 first: it is positive, and the leaf with it has P_1 = 6/8 and R = 14/8, rounded 2.
    found = predicted_sequence(trees, x, order=np.array([0, 1]))
    assert found.probabilities.tolist() == [[1 / 2, 6 / 8]]
    assert found.positive.tolist() == [[True, True]]
    assert found.cardinality.tolist() == [[1, 2]]
    # Without the test P_1 stays 7/16, and R = 1 is reached.
    found = predicted_sequence(trees, x, order=np.array([0, 1]), sigma=0.0)
    assert found.probabilities.tolist() == [[1 / 2, 7 / 16]]
    assert found.positive.tolist() == [[True, False]]


def test_trees_weigh_by_their_purity():
    """Eq. 10 and 11: P = (1, 0) weighs 1; P = (3/4, 1/4) weighs 1 - 4/2 (3/16 + 3/16) = 1/4."""
    nodes = [(-1, 0, 0.0), (-1, 1, 0.0)]
    trees = made(nodes, [(4, [4, 0]), (4, [3, 1])], [7, 1], 8, starts=(0, 1))
    found = predicted_sequence(trees, np.zeros((1, 1)))
    np.testing.assert_allclose(found.probabilities, [[(1 + 3 / 16) / 1.25, (1 / 16) / 1.25]])
    assert found.cardinality.tolist() == [[1, 1]]


def test_the_last_labels_are_positive_where_r_asks_for_them():
    """Eq. 16, second line: R = 1.8, rounded 2, but no label has 1/2 but the first."""
    trees = made([(-1, 0, 0.0)], [(10, [9, 4, 4, 1])], [9, 4, 4, 1], 10)
    found = predicted_sequence(trees, np.zeros((1, 1)), order=np.array([0, 3, 1, 2]))
    assert found.positive.tolist() == [[True, False, False, True]]
    found = predicted_sequence(trees, np.zeros((1, 1)), order=np.array([0, 3, 1, 2]), decision="threshold")
    assert found.positive.tolist() == [[True, False, False, False]]


def test_an_empty_branch_and_weights_of_0_give_the_prior():
    empty = made([(-2, 1, 0.0), (-1, 0, 0.0), (-1, 1, 0.0)], [(4, [0, 3]), (0, [0, 0])], [3, 3], 4)
    found = predicted_sequence(empty, np.zeros((1, 1)), order=np.array([1, 0]))
    assert found.probabilities.tolist() == [[3 / 4, 0]]
    prior = made([(-2, 1, 0.0), (-1, 0, 0.0), (-1, 1, 0.0)], [(0, [0, 0]), (4, [4, 3])], [3, 3], 4)
    found = predicted_sequence(prior, np.zeros((1, 1)), order=np.array([0, 1]))
    assert found.probabilities.tolist() == [[1, 3 / 4]]
    weightless = made([(-1, 0, 0.0)], [(4, [2, 2])], [3, 1], 8)
    found = predicted_sequence(weightless, np.zeros((1, 1)), order=np.array([0, 1]))
    assert found.probabilities.tolist() == [[3 / 8, 1 / 8]]


@pytest.mark.kernel
@pytest.mark.parametrize("unit", [4095, 8191, 8192, 40000])
def test_counts_of_any_size_are_pooled(unit):
    """Counts of more than 12 bits are read in parts, and pooled in 16 or 32 bits."""
    leaves = [(4 * unit, [4 * unit, unit]), (4 * unit, [0, 4 * unit])]
    nodes = [(-2, 1, 0.0), (-1, 1, 0.0), (-1, 0, 0.0)]
    trees = made(nodes, leaves, [4 * unit, 5 * unit], 8 * unit)
    found = predicted_sequence(trees, np.zeros((1, 1)), order=np.array([0, 1]))
    assert found.probabilities.tolist() == [[1 / 2, 1 / 4]]
    found = predicted_sequence(trees, np.zeros((1, 1)), order=np.array([1, 0]))
    assert found.probabilities.tolist() == [[5 / 8, 1 / 2]]


# --- the estimator ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(150, 8)), 1) * (rng.random((150, 8)) < 0.6)
    X[:, 6:] = rng.integers(0, 3, (150, 2))
    X[rng.random((150, 8)) < 0.05] = np.nan
    known = np.nan_to_num(X)
    Y = np.column_stack([known[:, 0] > 0, known[:, 0] + known[:, 1] > 0, known[:, 6] == 1, known[:, 7] > 0])
    Y = np.column_stack([Y, Y[:, 0] & Y[:, 2], rng.random(150) < 0.2]).astype(np.uint8)
    return X, Y


def chain(**settings):
    return RDTDynamicChain(n_estimators=40, nominal=[6, 7], **settings)


def bytes_of(model, X):
    found = model.predict_all(X)
    parts = [found.labels, found.probabilities, *vars(found.sequence).values()]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def test_labels_of_at_least_half_pass_all_checks_of_scikit_learn():
    """With eq. 16 all but one do: tests/contract/test_registered.py."""
    check_estimator(RDTDynamicChain(n_estimators=30, decision="threshold"))


def test_without_active_tests_static_and_dynamic_chains_agree_to_the_byte(data):
    model = chain(sigma=0.0, decision="threshold").fit(*data)
    X = data[0]
    expected = model.predict(X).tobytes(), model.predict_proba(X).tobytes()
    for order in (
        {"order": "random"},
        {"order": "rare-first"},
        {"order": "given", "given": [5, 3, 1, 0, 2, 4]},
    ):
        model.set_params(**order)
        assert (model.predict(X).tobytes(), model.predict_proba(X).tobytes()) == expected


def test_parameters_of_prediction_need_no_new_fit(data):
    model = chain().fit(*data)
    for change in (
        {"order": "random"},
        {"sigma": 0.5},
        {"decision": "threshold"},
        {"order": "random", "order_seed": 3},
        {"order": "frequent-first"},
        {"order": "given", "given": "5:4:3:2:1:0"},
    ):
        expected = bytes_of(chain(**change).fit(*data), data[0])
        assert bytes_of(model.varied(**change), data[0]) == expected
        assert bytes_of(model.varied(sigma=0.1).varied(**({"sigma": 1.0} | change)), data[0]) == expected
    assert model.get_params() == chain().get_params() and model.varied(n_jobs=2).trees_ is model.trees_


def test_only_parameters_of_prediction_may_vary(data):
    model = chain().fit(*data)
    with pytest.raises(InvalidSetting, match="max_depth is not a parameter of prediction"):
        model.varied(max_depth=3)
    for wrong in ({"sigma": 2.0}, {"order": "given", "given": [0, 1]}, {"given": "0:1"}, {"order_seed": -1}):
        with pytest.raises(InvalidSetting):
            model.varied(**wrong)
    with pytest.raises(NotFittedError):
        chain().varied(sigma=0.5)


def test_static_chains_follow_the_labels_frequencies(data):
    X, Y = data
    model, counts = chain().fit(X, Y), Y.sum(axis=0)
    for order, sign in (("frequent-first", -1), ("rare-first", 1)):
        labels = model.varied(order=order).predict_sequence(X).labels
        assert (labels == labels[0]).all() and (np.diff(sign * counts[labels[0]].astype(int)) >= 0).all()
    drawn = [
        tuple(model.varied(order="random", order_seed=seed).predict_sequence(X).labels[0])
        for seed in range(20)
    ]
    assert len(set(drawn)) > 15 and drawn[0] == tuple(
        chain(order="random", order_seed=0, random_state=7).fit(X, Y).predict_sequence(X).labels[0]
    )


def test_storage_threads_and_pickles_change_no_byte(data):
    X, Y = data
    model = chain().fit(X, Y)
    expected = bytes_of(model, np.tile(X, (3, 1)))
    for other in (sp.csr_array(X), sp.csc_array(X), pd.DataFrame(X).to_numpy(np.float64)):
        rows = sp.vstack([other] * 3) if sp.issparse(other) else np.tile(other, (3, 1))
        assert bytes_of(chain(n_jobs=3).fit(other, sp.csr_array(Y)), rows) == expected
    assert bytes_of(pickle.loads(pickle.dumps(model)), np.tile(X, (3, 1))) == expected
    assert bytes_of(model, X[:7]) == bytes_of(model.set_params(n_jobs=2), X[:7])


def test_the_order_of_columns_and_labels_has_no_influence(data):
    X, Y = data
    rng = np.random.default_rng(1)
    columns, labels = rng.permutation(X.shape[1]), rng.permutation(Y.shape[1])
    nominal = np.isin(columns, [6, 7])
    for settings in ({}, {"order": "random"}, {"order": "rare-first"}):
        found = RDTDynamicChain(n_estimators=40, nominal=nominal, **settings).fit(X[:, columns], Y[:, labels])
        expected = chain(**settings).fit(X, Y)
        steps, permuted = expected.predict_sequence(X), found.predict_sequence(X[:, columns])
        assert (labels[permuted.labels] == steps.labels).all()
        assert permuted.probabilities.tobytes() == steps.probabilities.tobytes()
        assert permuted.positive.tobytes() == steps.positive.tobytes()
        assert permuted.cardinality.tobytes() == steps.cardinality.tobytes()


def test_the_sequence_is_what_is_predicted(data):
    X, Y = data
    model = chain().fit(X, Y)
    steps = model.predict_sequence(X)
    assert (np.sort(steps.labels, axis=1) == np.arange(Y.shape[1])).all()
    rows = np.arange(len(X))[:, None]
    assert (model.predict(X)[rows, steps.labels] == steps.positive).all()
    assert (model.predict_proba(X)[rows, steps.labels] == steps.probabilities).all()
    assert model.predict(X).dtype == np.int64
    own = model.varied(order="given", given=[5, 4, 3, 2, 1, 0]).predict_sequence(X)
    assert (own.labels == [5, 4, 3, 2, 1, 0]).all()
    first, second = (model.varied(order="random", order_seed=seed).predict_sequence(X) for seed in (1, 2))
    assert (first.labels == first.labels[0]).all() and (first.labels != second.labels).any()


def test_dependent_labels_are_better_predicted_by_a_dynamic_chain():
    """Two labels that are equal and only half visible in the features are predicted alike."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    first = X[:, 0] + rng.normal(scale=1.0, size=600) > 0
    Y = np.column_stack([first, first, ~first, rng.random(600) < 0.5])
    model = RDTDynamicChain(n_estimators=100).fit(X[:400], Y[:400].astype(int))
    alike = {}
    for sigma in (0.0, 1.0):
        predicted = model.set_params(sigma=sigma).predict(X[400:])
        alike[sigma] = ((predicted[:, 0] == predicted[:, 1]) & (predicted[:, 0] != predicted[:, 2])).mean()
    assert alike[1.0] > max(0.9, alike[0.0])


@pytest.mark.parametrize(
    "settings",
    [
        {"n_estimators": 0},
        {"max_depth": 1.5},
        {"max_leaf_size": True},
        {"label_test_probability": 1.5},
        {"sigma": -0.1},
        {"sigma": math.nan},
        {"decision": "half"},
        {"order": "dynamics"},
        {"redraw": "none"},
        {"order_seed": -1},
        {"given": "0:1:2:3:4:5"},
        {"order": "random", "given": "0:1:2:3:4:5"},
    ],
)
def test_wrong_parameters_are_refused(data, settings):
    with pytest.raises(InvalidSetting):
        RDTDynamicChain(**settings).fit(*data)


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 2, 3, 4, 4], [[0, 1, 2, 3, 4, 5]], [1, 2, 3, 4, 5, 6]])
def test_orders_that_miss_a_label_are_refused(data, order):
    with pytest.raises(InvalidSetting, match="give each label's index once"):
        chain(order="given", given=order).fit(*data)


def test_a_category_that_is_no_position_is_refused(data):
    model = chain().fit(*data)
    with pytest.raises(ValueError, match="category positions"):
        model.predict(data[0] + 0.5)


def test_no_rows_have_no_steps(data):
    model = chain().fit(*data)
    assert predicted_sequence(model.trees_, data[0][:0]).labels.shape == (0, 6)


def test_several_ways_of_predicting_are_each_as_alone(data):
    model = chain().fit(*data)
    settings = [{}, {"sigma": 0.3}, {"order": "random", "order_seed": 2}, {"order": "likeliest-first"}]
    for rows in (data[0][:200].tolist(), sp.csr_array(data[0])):
        found = model.predict_each(rows, settings)
        assert all(seconds > 0 for _, seconds in found)
        for one, (together, _) in zip(settings, found, strict=True):
            alone = model.varied(**one).predict_all(rows)
            np.testing.assert_array_equal(together.labels, alone.labels)
            np.testing.assert_array_equal(together.sequence.labels, alone.sequence.labels)

    class Own(RDTDynamicChain):
        def _predict(self, X):
            found = super()._predict(X)
            return replace(found, labels=~found.labels)

    own = Own(**chain().get_params()).fit(*data)
    np.testing.assert_array_equal(
        own.predict_each(data[0], [{}])[0][0].labels, own.predict_all(data[0]).labels
    )
