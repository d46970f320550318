"""Binary relevance, classifier chains and label power sets, against scikit-learn and naive loops."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.multioutput import ClassifierChain as TheirChain
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mlsieve.chains import BinaryRelevance, ClassifierChain, LabelPowerset, MultiLabelXGB
from mlsieve.errors import InvalidSetting
from mlsieve.seeds import derive_seed

ALL = (BinaryRelevance, ClassifierChain, LabelPowerset)


def problem(n=120, seed=0, L=4):
    """Return training X and Y and test X: labels depend on features and on each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * n, 6))
    first = X[:, 0] + 0.5 * rng.normal(size=2 * n) > 0
    columns = [first, first ^ (X[:, 1] > 1), X[:, 2] + first > 0.7, rng.random(2 * n) < 0.3]
    return X[:n], np.column_stack(columns[:L]).astype(np.uint8)[:n], X[n:]


@pytest.mark.parametrize("base", [GaussianNB(), KNeighborsClassifier(5), LogisticRegression()])
def test_binary_relevance_is_scikit_learns_multi_output_classifier(base):
    X, Y, test = problem()
    theirs, ours = MultiOutputClassifier(base).fit(X, Y), BinaryRelevance(base=base).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(test), theirs.predict(test))
    expected = np.column_stack([scores[:, 1] for scores in theirs.predict_proba(test)])
    np.testing.assert_allclose(ours.predict_proba(test), expected, rtol=1e-9)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
@pytest.mark.parametrize("base", [GaussianNB(), KNeighborsClassifier(5), LogisticRegression()])
def test_a_chain_is_scikit_learns_classifier_chain(base, order):
    X, Y, test = problem()
    theirs = TheirChain(base, order=order).fit(X, Y)
    ours = ClassifierChain(base=base, order="given", given=order).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(test), theirs.predict(test))
    np.testing.assert_allclose(ours.predict_proba(test), theirs.predict_proba(test), rtol=1e-9)


def naive_chain(X, Y, test, order, base, seed, propagate):
    """Return labels and probabilities of a chain of trees, one step after another."""
    labels, scores = np.zeros((len(test), Y.shape[1]), bool), np.zeros((len(test), Y.shape[1]))
    for label in order:
        tree = clone(base).set_params(random_state=derive_seed(seed, "label", label) % 2**31)
        y = Y[:, label].astype(int)
        if len(set(y)) == 1:
            on_train, scores[:, label] = np.full(len(X), float(y[0])), y[0]
        else:
            tree.fit(X, y)
            on_train, scores[:, label] = tree.predict_proba(X)[:, 1], tree.predict_proba(test)[:, 1]
        labels[:, label] = scores[:, label] >= 0.5
        learned = {"true": y, "predicted": on_train >= 0.5, "probabilities": on_train}
        X = np.column_stack([X, learned[propagate]])
        test = np.column_stack([test, (scores if propagate == "probabilities" else labels)[:, label]])
    return labels, scores


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 40),
    L=st.integers(2, 5),
    depth=st.sampled_from([1, 3, None]),
    propagate=st.sampled_from(["true", "predicted", "probabilities"]),
    forest=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_a_chain_is_a_loop_over_its_labels(seed, n, L, depth, propagate, forest):
    rng = np.random.default_rng(seed)
    X, test = np.round(rng.random((n, 3)), 1), np.round(rng.random((7, 3)), 1)
    Y = rng.random((n, L)) < rng.choice([0.0, 0.2, 0.5, 1.0], L)
    given, own = rng.permutation(L), int(rng.integers(1000))
    ours = ClassifierChain(
        base="random-forest" if forest else "decision-tree",
        n_estimators=3,
        order="given",
        given=given,
        propagate=propagate,
        max_depth=depth,
        random_state=own,
    ).fit(X, Y)
    base = RandomForestClassifier(3, max_depth=depth) if forest else DecisionTreeClassifier(max_depth=depth)
    labels, scores = naive_chain(X, Y, test, given.tolist(), base, own, propagate)
    np.testing.assert_array_equal(ours.predict(test), labels)
    np.testing.assert_array_equal(ours.predict_proba(test), scores)


def test_a_chain_that_trains_on_its_own_predictions_sees_its_errors():
    """A stump cannot learn the first label; only with the true ones is the second its copy."""
    X = np.arange(40.0)[:, None]
    Y = np.column_stack([np.arange(40) % 2, np.arange(40) % 2])
    settings = {"max_depth": 1, "order": "given"}
    true = ClassifierChain(**settings).fit(X, Y)
    predicted = ClassifierChain(propagate="predicted", **settings).fit(X, Y)
    augmented = np.array([[0.0, 0.0], [0.0, 1.0]])
    assert true._classifiers[1].probabilities(augmented, 2)[:, 1].tolist() == [0.0, 1.0]
    assert len(set(predicted._classifiers[1].probabilities(augmented, 2)[:, 1])) == 1


@pytest.mark.parametrize("definition", ["paper", "xdcc"])
def test_a_chain_as_in_the_program_passes_the_probabilities_of_each_booster_on(definition):
    """Its boosters are those of ML-XGB with one label, whose start its definition says."""
    X, Y, test = problem()
    boosting = {"n_estimators": 3, "max_depth": 2, "definition": definition}
    order = [2, 0, 3, 1]
    chain = ClassifierChain(
        base="ml-xgb", order="given", given=order, propagate="probabilities", **boosting
    ).fit(X, Y)
    expected = np.empty((len(test), 4))
    for label in order:
        own = {"split": "sum_gain", "random_state": derive_seed(0, "label", label)}
        booster = MultiLabelXGB(**boosting, **own).fit(X, sp.csr_array(Y[:, [label]]))
        expected[:, label] = booster.predict_proba(test)[:, 0]
        X = np.column_stack([X, booster.predict_proba(X)])
        test = np.column_stack([test, expected[:, label]])
    np.testing.assert_array_equal(chain.predict_proba(test[:, :6]), expected)
    with pytest.raises(InvalidSetting, match="give base='ml-xgb'"):
        ClassifierChain(definition="xdcc").fit(X, Y)


def test_the_sequence_of_a_chain_is_its_order_with_the_probabilities_of_its_steps():
    X, Y, test = problem()
    chain = ClassifierChain(order="rare-first", max_depth=4).fit(X, Y)
    steps, scores = chain.predict_sequence(test), chain.predict_proba(test)
    assert chain.order_.tolist() == np.argsort(Y.sum(axis=0), kind="stable").tolist()
    assert (steps.labels == chain.order_).all() and steps.cardinality is None
    np.testing.assert_array_equal(steps.probabilities, scores[:, chain.order_])
    np.testing.assert_array_equal(steps.positive, chain.predict(test)[:, chain.order_] == 1)


def test_a_power_set_is_one_classifier_of_label_sets():
    X, Y, test = problem()
    names = np.array(["".join(map(str, row)) for row in Y])
    theirs, ours = GaussianNB().fit(X, names), LabelPowerset(base=GaussianNB()).fit(X, Y)
    expected = np.array([[int(letter) for letter in name] for name in theirs.predict(test)])
    np.testing.assert_array_equal(ours.predict(test), expected)
    members = np.array([[int(letter) for letter in name] for name in theirs.classes_])
    np.testing.assert_allclose(ours.predict_proba(test), theirs.predict_proba(test) @ members, atol=1e-12)
    seen = {tuple(row) for row in Y.tolist()}
    assert {tuple(row) for row in ours.predict(test).tolist()} <= seen
    assert {tuple(row) for row in ours.label_sets_.astype(int).tolist()} == seen


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("share", [1.0, 0.05])
def test_a_forest_of_label_sets_is_scikit_learns(threads, share):
    rng = np.random.default_rng(0)
    X, test = (np.where(rng.random((80, 9)) < share, rng.normal(size=(80, 9)), 0.0) for _ in range(2))
    Y = rng.random((80, 5)) < 0.3
    if share == 1.0:
        X[::7, 0] = test[::5, 0] = np.nan
    names = np.array(["".join(map(str, row)) for row in Y.astype(int)])
    ours = LabelPowerset(base="random-forest", n_estimators=7, min_leaf=2, n_jobs=threads).fit(X, Y)
    first = {name: place for place, name in reversed(list(enumerate(names)))}
    classes = np.array([sorted(first.values()).index(first[name]) for name in names])
    seed = derive_seed(0, "label sets") % 2**31
    theirs = RandomForestClassifier(7, min_samples_leaf=2, random_state=seed).fit(
        X.astype(np.float32), classes
    )
    expected = theirs.predict_proba(test.astype(np.float32))
    np.testing.assert_array_equal(ours.predict(test), ours.label_sets_[expected.argmax(axis=1)])
    np.testing.assert_allclose(ours.predict_proba(test), expected @ ours.label_sets_, atol=1e-12)


def test_a_power_set_of_a_single_set_predicts_that_set():
    X, _, test = problem()
    chain = LabelPowerset().fit(X, np.tile([1, 0, 1], (len(X), 1)))
    assert (chain.predict(test) == [1, 0, 1]).all() and (chain.predict_proba(test) == [1, 0, 1]).all()


@pytest.mark.parametrize("base", ["decision-tree", "random-forest", "ml-xgb"])
@pytest.mark.filterwarnings("error")
def test_a_set_for_each_example_is_learnt_without_a_warning(base):
    X = np.arange(12.0)[:, None]
    Y = (np.arange(12)[:, None] >> np.arange(4)) & 1
    found = LabelPowerset(base=base, n_estimators=3).fit(X, Y)
    assert len(found.label_sets_) == 12 and found.predict(X).shape == (12, 4)


def test_the_predicted_set_need_not_be_that_of_the_likely_labels():
    """Three sets of two labels each: no set is likelier than 0.4, but each label is in two of three."""
    X, Y = np.zeros((10, 1)), np.array([[1, 1, 0]] * 4 + [[1, 0, 1]] * 3 + [[0, 1, 1]] * 3)
    chain = LabelPowerset().fit(X, Y)
    np.testing.assert_allclose(chain.predict_proba(X[:1]), [[0.7, 0.7, 0.6]])
    assert chain.predict(X[:1]).tolist() == [[1, 1, 0]]


@pytest.mark.parametrize("Method", ALL)
def test_labels_of_one_class_and_single_rows_are_learned(Method):
    X, Y, test = problem()
    Y = np.column_stack([np.zeros(len(Y)), Y, np.ones(len(Y))])
    scores = Method(max_depth=3).fit(X, Y).predict_proba(test)
    assert (scores[:, 0] == 0).all() and np.allclose(scores[:, -1], 1, atol=1e-12)
    one = Method().fit(X[:1], [[0, 1, 0]])
    assert (one.predict(test) == [0, 1, 0]).all()


@pytest.mark.parametrize("Method", ALL)
def test_a_single_label_stays_one(Method):
    X, Y, test = problem()
    chain = Method(max_depth=3).fit(X, sp.csr_array(Y[:, :1]))
    assert chain.predict(test).shape == chain.predict_proba(test).shape == (len(test), 1)


@pytest.mark.parametrize("Method", ALL)
@pytest.mark.parametrize("base", ["decision-tree", "random-forest", KNeighborsClassifier(3), Perceptron()])
def test_threads_and_storage_do_not_change_a_byte(Method, base):
    X, Y, test = problem(60)
    X, test = np.where(np.abs(X) < 1.6, 0, X), np.where(np.abs(test) < 1.6, 0, test)
    X[:, 3:] = test[:, 3:] = 0  # few enough to be stored sparsely
    chain = Method(base=base, n_estimators=7)
    expected = chain.fit(X, Y).predict_proba(test).tobytes()
    for more, container in ({"n_jobs": 3}, np.asarray), ({}, sp.csr_array), ({"n_jobs": 2}, sp.csc_matrix):
        other = clone(chain).set_params(**more).fit(container(X), sp.csr_array(Y))
        assert other.predict_proba(container(test)).tobytes() == expected
        assert other.predict_proba(test).tobytes() == expected


@pytest.mark.parametrize("Method", ALL)
@pytest.mark.parametrize("base", ["decision-tree", "random-forest", "ml-xgb"])
def test_indices_of_64_bits_are_taken_as_those_of_32(Method, base):
    X, Y, test = problem()
    X[:, 1:] = test[:, 1:] = 0
    X[np.abs(X) < 1], test[np.abs(test) < 1] = 0, 0  # few enough to be stored sparsely

    def wide(rows):
        stored = sp.csr_array(rows)
        places = stored.indices.astype(np.int64), stored.indptr.astype(np.int64)
        return sp.csr_array((stored.data, *places), shape=stored.shape)

    assert wide(X).indices.dtype == np.int64
    method = Method(base=base, n_estimators=5)
    expected = clone(method).fit(sp.csr_array(X), Y).predict_proba(sp.csr_array(test))
    np.testing.assert_array_equal(method.fit(wide(X), Y).predict_proba(wide(test)), expected)


def test_a_labels_classifier_depends_on_no_other_label_in_binary_relevance():
    X, Y, test = problem()
    all_of_them = BinaryRelevance(base="random-forest", n_estimators=5).fit(X, Y).predict_proba(test)
    first = BinaryRelevance(base="random-forest", n_estimators=5).fit(X, Y[:, :2]).predict_proba(test)
    np.testing.assert_array_equal(all_of_them[:, :2], first)


@pytest.mark.parametrize("Method", ALL)
def test_the_seed_decides(Method):
    X, Y, test = problem()
    found = [
        Method(base="random-forest", n_estimators=5, random_state=seed)
        .fit(X, Y)
        .predict_proba(test)
        .tobytes()
        for seed in (0, 0, 1)
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("Method", ALL)
def test_every_random_state_of_a_pipeline_is_set(Method):
    X, Y, test = problem()
    base = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    first, second = (Method(base=base, random_state=1).fit(X, Y).predict_proba(test) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert not hasattr(base[-1], "estimators_")


@pytest.mark.parametrize("Method", ALL)
def test_nominal_features_are_indicators_of_their_categories(Method):
    rng = np.random.default_rng(1)
    colours = rng.integers(0, 4, 80)
    colours[0] = 3
    X = np.column_stack([rng.random(80), colours, rng.integers(0, 2, 80)])
    Y = np.column_stack([colours == 1, (colours % 2 == 0) ^ (X[:, 2] > 0), X[:, 0] > 0.5])
    ours = Method(max_depth=3, nominal=[1, 2]).fit(X, Y)
    indicators = OneHotEncoder(sparse_output=False).fit_transform(X[:, [1]])
    coded = np.column_stack([X[:, [0, 2]], indicators])
    theirs = Method(max_depth=3).fit(coded, Y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(coded))
    unseen, missing = X[:1].copy(), X[:1].copy()
    unseen[0, 1], missing[0, 1] = 9, np.nan
    assert ours.predict_proba(np.vstack([unseen, missing])).shape == (2, 3)
    stored = sp.csr_array(X)
    np.testing.assert_array_equal(clone(ours).fit(stored, Y).predict_proba(stored), ours.predict_proba(X))


def test_cells_that_are_stored_twice_count_as_their_sum():
    X, Y, test = problem(40)
    twice = sp.csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile(np.repeat(np.arange(6), 2), 40), np.arange(0, 481, 12)), X.shape
    )
    assert twice.nnz == 2 * X.size
    for base in ("decision-tree", KNeighborsClassifier(3)):
        ours = BinaryRelevance(base=base).fit(twice, Y)
        expected = BinaryRelevance(base=base).fit(X, Y).predict_proba(test)
        np.testing.assert_array_equal(ours.predict_proba(test), expected)


@pytest.mark.parametrize("Method", ALL)
def test_missing_values_go_where_trees_send_them(Method):
    X, Y, test = problem()
    X[::3, 0] = np.nan
    chain = Method(max_depth=3).fit(X, Y)
    test[:, 0] = np.nan
    scores = chain.predict_proba(test)
    assert not np.isnan(scores).any()
    stored = clone(chain).fit(sp.csr_array(X), Y)
    np.testing.assert_array_equal(stored.predict_proba(sp.csr_array(test)), scores)
    with pytest.raises(ValueError, match="NaN"):
        Method(base=LogisticRegression()).fit(X, Y)


@pytest.mark.parametrize("Method", ALL)
@pytest.mark.parametrize(
    "setting, message",
    [
        ({"base": "desicion-tree"}, "base = 'desicion-tree' is unknown; did you mean 'decision-tree'"),
        ({"base": GaussianNB}, "is not a classifier; give a classifier with scikit-learn's interface"),
        ({"base": 3}, "base = 3 is not a classifier"),
        ({"base": DecisionTreeRegressor()}, "is not a classifier"),
        ({"n_estimators": 0}, "n_estimators = 0 is not accepted; give an integer of at least 1"),
        ({"max_depth": 0}, "max_depth = 0 is not accepted"),
        ({"reg_lambda": -1.0}, "reg_lambda = -1.0 is not accepted"),
        ({"learning_rate": 0.0}, "learning_rate = 0.0 is not accepted"),
        ({"min_leaf": "x"}, "min_leaf = 'x' is not accepted"),
        ({"random_state": -1}, "random_state = -1 is not within"),
        ({"n_jobs": 0}, "n_jobs = 0 is not a number of threads"),
    ],
)
def test_settings_that_do_not_exist_are_refused(Method, setting, message):
    X, Y, _ = problem(10)
    with pytest.raises(ValueError, match=message):
        Method(**setting).fit(X, Y)


def test_the_parameters_of_the_classifier_are_declared_once():
    """The chain has its own before them, in the signature and in the docstring."""
    own, shared = (list(Method().get_params()) for Method in (ClassifierChain, BinaryRelevance))
    assert set(own) - set(shared) == {"order", "given", "propagate"} and set(shared) < set(own)
    for Method in ALL:
        parameters = inspect.signature(Method).parameters
        assert [name for name in parameters if name in shared] == list(
            inspect.signature(LabelPowerset).parameters
        )
        assert "{" + "base_parameters}" not in Method.__doc__ and "Trees of a forest" in Method.__doc__
        with pytest.raises(TypeError, match="nonsense"):
            Method(nonsense=1)


def test_the_order_of_a_dynamic_chain_is_the_mean_of_its_steps():
    """Label 2 is plain to see, label 1 is a little less so, label 0 is noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    seen = X[:, 0] > 0
    Y = np.column_stack([rng.random(200) < 0.4, seen ^ (rng.random(200) < 0.2), seen]).astype(int)
    chain = ClassifierChain(order="xdcc", max_depth=3, random_state=4).fit(X, Y)
    assert chain.order_.tolist() == [2, 1, 0]
    assert chain.order_.tolist() == clone(chain).set_params(n_jobs=3).fit(sp.csr_array(X), Y).order_.tolist()
    given = ClassifierChain(order="given", given=[2, 1, 0], max_depth=3, random_state=4).fit(X, Y)
    np.testing.assert_array_equal(given.predict_proba(X), chain.predict_proba(X))
    for few in (1, 2, 4):
        assert sorted(ClassifierChain(order="xdcc").fit(X[:few], Y[:few]).order_) == [0, 1, 2]
    with pytest.raises(InvalidSetting, match="cannot be given with order = 'xdcc'"):
        ClassifierChain(order="xdcc", given="0:1:2").fit(X, Y)


def test_what_a_chain_alone_takes_is_checked_too():
    X, Y, _ = problem(10)
    with pytest.raises(InvalidSetting, match="propagate = 'both' is not accepted; give true, predicted"):
        ClassifierChain(propagate="both").fit(X, Y)
    with pytest.raises(InvalidSetting, match="order = 'rare' is not accepted; give random, frequent-first"):
        ClassifierChain(order="rare").fit(X, Y)


def test_steps_of_training_are_counted():
    X, Y, _ = problem(30)
    for method in (
        BinaryRelevance(),
        ClassifierChain(),
        ClassifierChain(propagate="predicted"),
        ClassifierChain(propagate="probabilities"),
        BinaryRelevance(n_jobs=2),
    ):
        steps = []
        method.fit(X, Y, progress=lambda done, total, steps=steps: steps.append((done, total)))
        assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_without_xgboost_a_hint_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    X, Y, _ = problem(10)
    with pytest.raises(InvalidSetting, match=r"not installed; install .*pip install 'mlsieve\[baselines\]'"):
        BinaryRelevance(base="xgboost").fit(X, Y)


@pytest.mark.parametrize("Method", ALL)
def test_xgboost_is_used_as_its_own_interface_uses_it(Method):
    xgboost = pytest.importorskip("xgboost", reason="the extra 'baselines' is not installed")
    X, Y, test = problem()
    X[::4, 1] = np.nan
    chain = Method(base="xgboost", n_estimators=4, max_depth=3, reg_lambda=2.0).fit(X, Y)
    scores = chain.predict_proba(test)
    again = clone(chain).set_params(n_jobs=3).fit(sp.csr_array(X), Y)
    assert again.predict_proba(sp.csr_array(test)).tobytes() == scores.tobytes()
    if Method is BinaryRelevance:
        theirs = xgboost.XGBClassifier(
            n_estimators=4, max_depth=3, reg_lambda=2.0, learning_rate=0.3, tree_method="hist", n_jobs=1
        )
        expected = [clone(theirs).fit(X, y).predict_proba(test)[:, 1] for y in Y.T]
        np.testing.assert_allclose(scores, np.column_stack(expected), rtol=1e-6)


@pytest.mark.parametrize("Method", ALL)
def test_our_own_booster_is_a_classifier_of_one_label(Method):
    boosted = pytest.importorskip("mlsieve.chains", reason="the booster is not there yet")
    X, Y, test = problem()
    X[::4, 1] = np.nan
    more = {"order": "given"} if Method is ClassifierChain else {}
    chain = Method(base="ml-xgb", n_estimators=4, max_depth=3, **more)
    scores = chain.fit(X, Y).predict_proba(test)
    again = clone(chain).set_params(n_jobs=3).fit(sp.csr_array(X), Y)
    assert again.predict_proba(sp.csr_array(test)).tobytes() == scores.tobytes()
    assert (chain.predict(X) == Y).mean() > 0.75
    if Method is not LabelPowerset:
        ours = boosted.MultiLabelXGB(n_estimators=4, max_depth=3, random_state=derive_seed(0, "label", 0))
        np.testing.assert_array_equal(scores[:, [0]], ours.fit(X, sp.csr_array(Y[:, :1])).predict_proba(test))
