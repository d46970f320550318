"""Options of MultiLabelXGB and XDCC: weights, early stopping, samples, sketches, threads, importances."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.chains import XDCC, MultiLabelXGB
from mlsieve.errors import InvalidSetting

BOTH = [MultiLabelXGB, XDCC]


def problem(n=150, n_labels=4, seed=0, few=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)).round(2)
    if few:
        X = (rng.random((n, 20)) < 0.3).astype(float)
    Y = X @ rng.normal(size=(X.shape[1], n_labels)) + rng.normal(size=(n, n_labels)) > 0.5
    return X, Y.astype(int)


def test_a_weight_counts_as_so_many_rows():
    X, Y = problem()
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    options = {"n_estimators": 3, "max_depth": 3}
    weighted = MultiLabelXGB(**options).fit(X, Y, sample_weight=weights)
    repeated = MultiLabelXGB(**options).fit(np.repeat(X, weights, 0), np.repeat(Y, weights, 0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4)


def test_weights_of_labels_leave_others_alone():
    X, Y = problem()
    weights = np.ones(Y.shape)
    weights[:, 1] = 0
    weights[:, 2] = 0.5
    model = MultiLabelXGB(n_estimators=3).fit(X, Y, sample_weight=weights)
    assert (model.trees_.values[:, 1] == 0).all()
    ones = MultiLabelXGB(n_estimators=3).fit(X, Y, sample_weight=np.ones(Y.shape))
    assert (
        ones.predict_proba(X).tobytes() == MultiLabelXGB(n_estimators=3).fit(X, Y).predict_proba(X).tobytes()
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((150, 3)), "shape"),
        (np.full(150, -1.0), "at least 0"),
        (np.full(150, np.nan), "finite"),
        (np.zeros(150), "zero"),
        (np.full(150, 1e20), "scale the weights"),
        (np.full(150, 1e300), "scale the weights"),
        (np.full(150, 1e-30), "scale the weights"),
    ],
)
def test_wrong_weights_are_refused(weights, message):
    X, Y = problem()
    with pytest.raises(ValueError, match=message):
        MultiLabelXGB(n_estimators=2).fit(X, Y, sample_weight=weights)


def test_weights_stand_where_scikit_learn_has_them():
    X, Y = problem()
    weights = np.random.default_rng(1).integers(1, 4, len(X))
    first, second = MultiLabelXGB(n_estimators=2), MultiLabelXGB(n_estimators=2)
    first.fit(X, Y, weights)
    assert (
        first.predict_proba(X).tobytes() == second.fit(X, Y, sample_weight=weights).predict_proba(X).tobytes()
    )


@pytest.mark.parametrize("exponent", [-39, -10, 10, 39])
@pytest.mark.parametrize("split", ["sum_gain", "max_gain", "sum_signed", "max_abs"])
def test_large_and_small_weights_are_in_proportion_to_the_regularisation(split, exponent):
    X, Y = problem()
    power = 2.0**exponent
    options = {"n_estimators": 1, "max_depth": 3, "split": split}
    plain = MultiLabelXGB(**options, reg_lambda=0.5, min_child_weight=0.25).fit(X, Y)
    options |= {"reg_lambda": 0.5 * power, "min_child_weight": 0.25 * power}
    scaled = MultiLabelXGB(**options).fit(X, Y, np.full(len(X), power))
    assert np.isfinite(scaled.predict_proba(X)).all()
    if exponent > 0:  # the gain that a test needs has no such proportion, nor has the margin at the start
        gain = plain.trees_.gain[0] * (power if split.endswith("gain") else 1.0)
        assert scaled.trees_.gain[0] == pytest.approx(gain, rel=0.02)


@pytest.mark.parametrize(
    ("validation", "message"),
    [
        (np.zeros((3, 6)), "pair of X and y"),
        ((np.zeros((3, 6)), np.zeros(3), np.ones(3)), "pair of X and y"),
        ((np.zeros((1, 6)), ["zz"]), "the class 'zz', which no example has"),
    ],
)
def test_wrong_rows_of_validation_are_refused(validation, message):
    X, Y = problem()
    classes = np.where(Y[:, 0], "yes", "no")
    with pytest.raises(ValueError, match=message):
        MultiLabelXGB(n_estimators=2, n_iter_no_change=1).fit(X, classes, validation=validation)


@pytest.mark.parametrize("Model", BOTH)
def test_whole_numbers_of_numpy_and_very_large_ones_are_accepted(Model):
    X, Y = problem()
    options = {"n_estimators": 2, "sketch": "top"}
    plain = Model(**options, max_depth=200, sketch_size=4).fit(X, Y).predict_proba(X)
    large = Model(**options, max_depth=10**12, sketch_size=10**12).fit(X, Y).predict_proba(X)
    of_numpy = {"max_depth": np.int64(200), "sketch_size": np.int32(4), "learning_rate": np.float64(0.3)}
    assert large.tobytes() == plain.tobytes()
    assert Model(**options, **of_numpy).fit(X, Y).predict_proba(X).tobytes() == plain.tobytes()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"chain_length": 0}, "chain_length = 0"),
        ({"chain_length": "zz"}, "chain_length = 'zz'"),
        ({"chain_length": -1}, "chain_length = -1"),
        ({"chain_length": 3}, "fitted with 2 steps"),
        ({"cumulate": "zz"}, "cumulate = 'zz'"),
    ],
)
def test_a_fitted_chain_refuses_values_that_it_cannot_predict_with(changed, message):
    X, Y = problem()
    chain = XDCC(n_estimators=2, chain_length=2).fit(X, Y).set_params(**changed)
    for predict in (chain.predict_proba, lambda X: list(chain.staged_scores(X))):
        with pytest.raises(InvalidSetting, match=message):
            predict(X)


def test_what_a_chain_was_fitted_with_decides_how_it_predicts():
    X, Y = problem()
    chain = XDCC(n_estimators=2, selection="unset", cumulate="none").fit(X, Y)
    expected = chain.predict_proba(X)
    chain.set_params(selection="all", definition="xdcc")
    assert chain.predict_proba(X).tobytes() == expected.tobytes()


@pytest.mark.parametrize("Model", BOTH)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_the_programs_definition_refuses_values_beyond_single_precision(Model, container):
    X, Y = problem()
    large = X.copy()
    large[3, 2] = -1e300
    model = Model(n_estimators=2, definition="xdcc")
    with pytest.raises(ValueError, match=r"feature 2 holds -1e\+300, and definition = 'xdcc' reads numbers"):
        model.fit(container(large), Y)
    with pytest.raises(ValueError, match=r"feature 2 holds"):
        model.fit(container(X), Y).predict(container(large))
    Model(n_estimators=2).fit(container(large), Y).predict(container(large))


def losses(model, X, Y, n_rounds):
    """The loss on some rows after each round."""
    margins = np.tile(model.base_margins_, (len(X), 1))
    for number in range(n_rounds):
        model.trees_.add_to(margins, X, number, number + 1)
        p = 1 / (1 + np.exp(-margins.astype(float)))
        yield -np.mean(np.where(Y, np.log(p), np.log(1 - p)))


def test_the_rounds_up_to_the_lowest_loss_are_kept():
    X, Y = problem(200)
    options = {"n_estimators": 60, "learning_rate": 0.5, "max_depth": 4}
    whole = MultiLabelXGB(**options).fit(X[:150], Y[:150])
    loss = np.array(list(losses(whole, X[150:], Y[150:], 60)))
    best = 0
    for number in range(60):
        if loss[number] < loss[best]:
            best = number
        if number - best >= 5:
            break
    model = MultiLabelXGB(**options, n_iter_no_change=5)
    model.fit(X[:150], Y[:150], validation=(X[150:], Y[150:]))
    assert 0 < best + 1 == model.n_iter_ == len(model.trees_) < 55
    shorter = MultiLabelXGB(**options | {"n_estimators": model.n_iter_}).fit(X[:150], Y[:150])
    assert model.predict_proba(X).tobytes() == shorter.predict_proba(X).tobytes()


@pytest.mark.parametrize("Estimator", BOTH)
def test_rows_that_are_held_back_depend_on_the_seed_alone(Estimator):
    X, Y = problem()
    options = {"n_estimators": 30, "n_iter_no_change": 2, "validation_fraction": 0.3}
    made = [
        Estimator(random_state=seed, **options).fit(X, Y).predict_proba(X).tobytes() for seed in (1, 1, 2)
    ]
    assert made[0] == made[1] != made[2]


def test_each_step_of_a_chain_ends_by_itself():
    X, Y = problem(250)
    options = {"n_estimators": 40, "learning_rate": 0.5, "n_iter_no_change": 2, "random_state": 3}
    long = XDCC(**options).fit(X, Y)
    assert len(set(long.n_iter_.tolist())) > 1 and long.n_iter_.min() >= 1 and long.n_iter_.max() < 40
    short = XDCC(chain_length=2, **options).fit(X, Y)
    assert short.n_iter_.tolist() == long.n_iter_[:2].tolist()
    assert short.predict_proba(X).tobytes() == long.set_params(chain_length=2).predict_proba(X).tobytes()


def test_what_early_stopping_refuses():
    X, Y = problem()
    with pytest.raises(InvalidSetting, match="n_iter_no_change"):
        MultiLabelXGB().fit(X, Y, validation=(X, Y))
    with pytest.raises(ValueError, match="validation has labels"):
        MultiLabelXGB(n_iter_no_change=2).fit(X, Y, validation=(X, Y[:, :3]))
    with pytest.raises(ValueError, match="too few"):
        MultiLabelXGB(n_iter_no_change=2).fit(X[:1], Y[:1])


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("Estimator", BOTH)
@pytest.mark.parametrize(
    "options", [{}, {"subsample": 0.5, "colsample": 0.5}, {"sketch": "random", "sketch_size": 2}]
)
def test_threads_and_storage_change_nothing(Estimator, few, options):
    X, Y = problem(few=few)
    first = Estimator(n_estimators=3, **options).fit(X, Y).predict_proba(X)
    for data, n_jobs in ((X, 2), (sp.csr_array(X), 5)):
        again = Estimator(n_estimators=3, n_jobs=n_jobs, **options).fit(data, Y).predict_proba(data)
        assert first.tobytes() == again.tobytes()


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("order", ["rows", "labels"])
def test_the_order_of_rows_and_labels_hardly_matters(few, order):
    """Sums run in another order; the model is the same but for ties."""
    X, Y = problem(400, few=few)
    shuffled = np.random.default_rng(0).permutation(len(X) if order == "rows" else Y.shape[1])
    first = MultiLabelXGB(n_estimators=2, max_depth=3).fit(X, Y).predict_proba(X)
    if order == "rows":
        again = MultiLabelXGB(n_estimators=2, max_depth=3).fit(X[shuffled], Y[shuffled]).predict_proba(X)
    else:
        again = MultiLabelXGB(n_estimators=2, max_depth=3).fit(X, Y[:, shuffled]).predict_proba(X)
        first = first[:, shuffled]
    np.testing.assert_allclose(first, again, atol=1e-5)


def test_a_sketch_of_all_labels_is_the_full_search():
    X, Y = problem()
    full = MultiLabelXGB(n_estimators=3).fit(X, Y).predict_proba(X)
    for sketch in ("top", "random"):
        same = MultiLabelXGB(n_estimators=3, sketch=sketch, sketch_size=Y.shape[1]).fit(X, Y)
        assert same.predict_proba(X).tobytes() == full.tobytes()


@pytest.mark.parametrize("kind", ["gain", "cover", "splits"])
def test_importances_are_sums_over_tests(kind):
    X, Y = problem()
    model = XDCC(n_estimators=3).fit(X, Y)
    expected = np.zeros(X.shape[1] + Y.shape[1])
    for trees in model.trees_:
        for node, feature in enumerate(trees.feature):
            if feature >= 0:
                expected[feature] += 1 if kind == "splits" else getattr(trees, kind)[node]
    found = np.concatenate([model.importances(kind), model.label_importances(kind)])
    np.testing.assert_allclose(found, expected)
    assert expected[: X.shape[1]].all() and expected[X.shape[1] :].any()


def test_shares_of_the_gain():
    X, Y = problem()
    model = MultiLabelXGB(n_estimators=3).fit(np.column_stack([X, np.ones(len(X))]), Y)
    assert model.feature_importances_.sum() == pytest.approx(1) and model.feature_importances_[-1] == 0
    nothing = MultiLabelXGB(n_estimators=3).fit(np.ones((len(X), 2)), Y)
    assert (nothing.feature_importances_ == 0).all()
    with pytest.raises(InvalidSetting, match="unknown importance 'weight'; known: gain"):
        model.importances("weight")
