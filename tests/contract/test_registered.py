"""What every registered object promises, whoever adds it."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import has_fit_parameter

from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError
from mlsieve.rankers.dataset_rankings import rank_dataset
from mlsieve.rankers.of_chains import draws_of_settings
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import PACKAGES, check_parameters, entries, lookup, parameter_schemas


def available(kind):
    """Ids of a kind; none where its package does not exist yet."""
    try:
        return list(entries(kind))
    except ModuleNotFoundError:
        return []


RANKERS = available("ranker")
EVALUATORS = available("evaluator")
CHAINS = available("chain")
ESTIMATORS = [(kind, id) for kind in ("ranker", "evaluator", "chain") for id in available(kind)]


def smoke_instance(kind, id):
    entry = lookup(kind, id)
    return entry.estimator(**entry.facts.smoke)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = np.round(rng.random((60, 8)) * (rng.random((60, 8)) < 0.5), 2)
    Y = np.column_stack([X[:, 0] > 0.2, X[:, 1] + X[:, 2] > 0.5, rng.random(60) < 0.4]).astype(np.uint8)
    return X, Y


def test_there_are_methods_of_each_kind_that_this_version_has():
    assert {"pct", "uniform", "random"} <= set(RANKERS)
    assert {"mlnb", "weighted-knn"} <= set(EVALUATORS)
    assert {"rdt-dcc", "xdcc", "ml-xgb", "br", "cc", "lp"} <= set(CHAINS)
    assert len(available("measure")) >= 15


@pytest.mark.parametrize("kind, id", [(kind, id) for kind in PACKAGES for id in available(kind)])
def test_every_object_is_documented_and_named_in_kebab_case(kind, id):
    entry = lookup(kind, id)
    assert entry.summary and entry.summary[-1] in ".:;"
    assert id == id.lower() and "_" not in id and " " not in id
    assert isinstance(entry.version, int) and entry.version >= 1


@pytest.mark.parametrize("kind, id", ESTIMATORS)
def test_parameters_have_schemas_defaults_and_are_checked(kind, id):
    schemas = lookup(kind, id).parameters()
    json.dumps(schemas)
    defaults = {name: schema["default"] for name, schema in schemas.items()}
    assert check_parameters(kind, id, defaults) == defaults
    with pytest.raises(UserError, match="no parameter 'nonsense'"):
        check_parameters(kind, id, {"nonsense": 1})
    documented = inspect.getdoc(lookup(kind, id).target)
    for name in lookup(kind, id).arguments(schemas):
        assert name in documented, f"{name} is not in the docstring"


@pytest.mark.parametrize("kind, id", ESTIMATORS)
def test_labels_are_called_y_as_scikit_learn_looks_it_up(kind, id):
    estimator = smoke_instance(kind, id)
    for name in ("fit", "fit_transform", "score"):
        if hasattr(estimator, name):
            assert list(inspect.signature(getattr(estimator, name)).parameters)[:2] == ["X", "y"]
    assert has_fit_parameter(estimator, "y")


@pytest.mark.parametrize("kind, id", ESTIMATORS)
def test_scikit_learns_own_checks_pass(kind, id):
    """But for those that a method's definition contradicts, which fail."""
    unmet = dict(getattr(lookup(kind, id).facts, "unmet", {}))
    found = check_estimator(smoke_instance(kind, id), expected_failed_checks=unmet)
    assert {check["check_name"] for check in found if check["status"] == "xfail"} == set(unmet)


@pytest.mark.parametrize("id", EVALUATORS)
@pytest.mark.filterwarnings("ignore:k = ")
def test_scikit_learns_own_checks_pass_with_defaults_too(id):
    """Some of their datasets have fewer examples than an evaluator asks for by default."""
    check_estimator(lookup("evaluator", id).estimator())


@pytest.mark.parametrize(
    "kind, id",
    [(kind, id) for kind, id in ESTIMATORS if "nominal" in smoke_instance(kind, id).get_params()],
)
@pytest.mark.parametrize(
    "nominal, message",
    [
        (["foo"], "names 'foo', which is not a feature: X has no column names; give indices"),
        ("foo", "nominal = 'foo' is not accepted: give a mask of booleans"),
        (5, "nominal = 5 is not accepted"),
        ([0.5], "nominal = \\[0.5\\] is not accepted"),
        ([[0], [0, 1]], "is not accepted"),
        ([None], "nominal holds None: give a mask"),
        ([8], "nominal holds the index 8, X has 8 features, counted from 0"),
        ([-1], "nominal holds the index -1"),
        ([True, False], "nominal has 2 entries, X has 8 features"),
    ],
)
def test_nominal_features_that_do_not_exist_are_told(kind, id, nominal, message, problem):
    with pytest.raises(ValueError, match=message):
        smoke_instance(kind, id).set_params(nominal=nominal).fit(*problem)


@pytest.mark.parametrize("id", RANKERS)
def test_a_ranker_gives_the_same_bytes_for_any_threads_layout_and_container(id, problem):
    X, Y = problem
    ranker = smoke_instance("ranker", id)
    scores = ranker.fit(X, Y).feature_importances_
    assert scores.shape == (8,) and scores.dtype == np.float64 and np.isfinite(scores).all()
    others = [
        clone(ranker).fit(sp.csr_array(X), sp.csr_array(Y)),
        clone(ranker).fit(np.asfortranarray(X), sp.csr_matrix(Y)),
    ]
    if "n_jobs" in ranker.get_params():
        others.append(clone(ranker).set_params(n_jobs=3).fit(X, Y))
    for other in others:
        assert other.feature_importances_.tobytes() == scores.tobytes()


LIGHT = [
    (kind, id)
    for kind in ("ranker", "evaluator")
    for id in available(kind)
    if lookup(kind, id).estimator_place
]


@pytest.mark.parametrize("kind, id", LIGHT)
def test_the_commands_and_the_estimator_take_the_same_parameters(kind, id):
    entry = lookup(kind, id)
    assert entry.estimator is not entry.target
    if kind == "ranker" and entry.facts.scores:
        assert entry.parameters().items() <= parameter_schemas(entry.estimator).items()
        return
    of_estimator = parameter_schemas(entry.estimator)
    # An estimator has n_features_to_select for a selector's k, and gets the features that it is to use.
    own = {"features", "points", "unseen"} if kind == "evaluator" else {"k"} if entry.facts.selects else set()
    assert {key: value for key, value in entry.parameters().items() if key not in own}.items() <= (
        of_estimator.items()
    )
    taken, described = set(inspect.signature(entry.target).parameters), inspect.getdoc(entry.estimator)
    for name in of_estimator:
        assert name in described, f"{name} is not in the estimator's docstring"
        # An evaluator's function gets the weights with the rankings.
        assert name in taken | {"weights" if kind == "evaluator" else "n_features_to_select"}, name
    if kind == "evaluator":
        assert set(of_estimator) - {"weights"} == set(entry.parameters()) - own


def ranked_by_command(X, Y, id, smoke, random_state):
    """Scores of a ranker that grows trees, as the command finds them."""
    n, n_features = X.shape
    dataset = Dataset(
        name="problem",
        X=X,
        Y=Y,
        nominal=np.zeros(n_features, bool),
        categories=((),) * n_features,
        feature_names=tuple(f"x{index}" for index in range(n_features)),
        label_names=tuple(f"y{index}" for index in range(Y.shape[1])),
        train_mask=np.ones(n, bool),
    )
    sizes = [smoke["n_estimators"]]
    return rank_dataset(dataset, id, {}, sizes=sizes, seed=random_state).rankings[0].scores


@pytest.mark.parametrize("id", [id for kind, id in LIGHT if kind == "ranker"])
@pytest.mark.parametrize("container", [np.ascontiguousarray, sp.csr_array])
def test_a_rankers_function_gives_the_bytes_of_its_estimator(id, container, problem):
    entry, (X, Y) = lookup("ranker", id), problem
    estimator = smoke_instance("ranker", id)
    seed = {"random_state": 3} if "random_state" in estimator.get_params() else {}
    expected = estimator.set_params(**seed).fit(X, Y).feature_importances_
    if entry.facts.scores:
        found = ranked_by_command(container(X), sp.csr_array(Y), id, entry.facts.smoke, **seed)
    else:
        found = entry.target(container(X), sp.csr_array(Y), **entry.facts.smoke, **seed)
        found = found.scores if entry.facts.selects else found
    assert found.dtype == np.float64 and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("id", RANKERS)
def test_a_ranker_ranks_selects_and_transforms(id, problem):
    X, Y = problem
    ranker = smoke_instance("ranker", id).set_params(n_features_to_select=3).fit(X, Y)
    assert sorted(ranker.ranking_) == list(range(1, 9))
    assert ranker.get_support().sum() == 3
    assert (ranker.get_support() == (ranker.ranking_ <= 3)).all()
    assert ranker.transform(X).shape == (60, 3)
    assert ranker.transform(sp.csr_array(X)).shape == (60, 3)


@pytest.mark.parametrize("id", RANKERS)
def test_a_ranker_with_a_seed_depends_on_it(id, problem):
    X, Y = problem
    ranker = smoke_instance("ranker", id)
    if "random_state" not in ranker.get_params():
        assert (
            ranker.fit(X, Y).feature_importances_.tobytes()
            == clone(ranker).fit(X, Y).feature_importances_.tobytes()
        )
        return
    if lookup("ranker", id).facts.seeded in (decides_ties_alone, draws_of_settings):
        # Each feature beside its mirror image, which is as good: nothing but the seed decides between them.
        orders = [
            clone(ranker).set_params(random_state=s).fit(np.hstack([X, -X]), Y).ranking_.tolist()
            for s in (0, 0, *range(1, 20))
        ]
        assert orders[0] == orders[1] and len(set(map(tuple, orders))) > 10
        return
    scores = {
        clone(ranker).set_params(random_state=s).fit(X, Y).feature_importances_.tobytes()
        for s in (0, 0, 1, 2)
    }
    assert len(scores) == 3


@pytest.mark.parametrize("id", EVALUATORS)
def test_an_evaluator_predicts_probabilities_of_the_right_shape(id, problem):
    X, Y = problem
    evaluator = smoke_instance("evaluator", id).fit(X, Y)
    proba = evaluator.predict_proba(X)
    assert proba.shape == Y.shape and (proba >= 0).all() and (proba <= 1).all()
    assert set(np.unique(evaluator.predict(X))) <= {0, 1}


@pytest.mark.parametrize("id", CHAINS)
def test_a_short_name_stands_for_a_parameter(id):
    entry = lookup("chain", id)
    own, short = parameter_schemas(entry.target), entry.facts.short
    assert len(set(short.values())) == len(short) and set(short.values()) <= set(own)
    assert not set(short) & set(own)
    assert entry.arguments(dict.fromkeys(entry.parameters())) == dict.fromkeys(
        parameter_schemas(entry.target, skip=entry.facts.not_configurable)
    )


@pytest.mark.parametrize("id", CHAINS)
def test_a_chain_gives_the_same_bytes_for_any_threads_layout_and_container(id, problem):
    X, Y = problem
    chain = smoke_instance("chain", id)
    scores, labels = predicted(chain.fit(X[:40], Y[:40]), X[40:])
    assert scores.shape == labels.shape == (20, 3) and scores.dtype == np.float64
    assert (scores >= 0).all() and (scores <= 1).all() and set(np.unique(labels)) <= {0, 1}
    others = [
        predicted(clone(chain).fit(sp.csr_array(X[:40]), sp.csr_array(Y[:40])), sp.csr_array(X[40:])),
        predicted(clone(chain).fit(np.asfortranarray(X[:40]), sp.csr_matrix(Y[:40])), sp.csc_array(X[40:])),
    ]
    if "n_jobs" in chain.get_params():
        others.append(predicted(clone(chain).set_params(n_jobs=3).fit(X[:40], Y[:40]), X[40:]))
    for other_scores, other_labels in others:
        assert other_scores.tobytes() == scores.tobytes() and (other_labels == labels).all()


@pytest.mark.parametrize("id", [id for id in CHAINS if lookup("chain", id).estimator_place])
@pytest.mark.parametrize("container", [np.asfortranarray, sp.csr_array])
def test_a_chains_learner_gives_the_bytes_of_its_estimator(id, container, problem):
    """The commands that rank features by a chain take the learner, which needs no scikit-learn."""
    entry, (X, Y) = lookup("chain", id), problem
    X = np.column_stack([X, np.arange(len(X)) % 3])
    estimator = smoke_instance("chain", id).set_params(nominal=[8], random_state=3)
    scores, labels = predicted(estimator.fit(X[:40], Y[:40]), X[40:])
    learner = entry.target(**entry.facts.smoke, nominal=[8], random_state=3)
    learner.learn(container(X[:40]), sp.csr_array(Y[:40]))
    found = learner.predict_all(container(X[40:]))
    assert found.probabilities.tobytes() == scores.tobytes() and (found.labels == labels).all()
    assert parameter_schemas(entry.estimator) == parameter_schemas(entry.target)
    described, own = inspect.getdoc(entry.estimator), inspect.getdoc(entry.target)
    assert own.partition("\n\n")[2] in described and own.split("\n")[0] == described.split("\n")[0]
    assert "{" not in described.partition("Attributes\n")[2]


def predicted(chain, X):
    """Return probabilities and label sets."""
    return chain.predict_proba(X), chain.predict(X)


@pytest.mark.parametrize("id", CHAINS)
def test_what_a_chain_predicts_in_one_pass_is_what_it_predicts_in_three(id, problem):
    X, Y = problem
    chain = smoke_instance("chain", id).fit(X, Y)
    if hasattr(chain, "predict_all"):
        whole = chain.predict_all(X)
        scores, labels = predicted(chain, X)
        assert whole.probabilities.tobytes() == scores.tobytes()
        assert whole.labels.dtype == bool and (whole.labels == labels).all()
        if whole.sequence is None:
            with pytest.raises(ValueError, match="at once"):
                chain.predict_sequence(X)
        else:
            apart = vars(chain.predict_sequence(X))
            for name, values in vars(whole.sequence).items():
                np.testing.assert_array_equal(apart[name], values)


def sequence_of(chain, X):
    """Return the steps of a chain; None where the method has none."""
    if hasattr(chain, "predict_all"):
        return chain.predict_all(X).sequence
    return chain.predict_sequence(X) if hasattr(chain, "predict_sequence") else None


@pytest.mark.parametrize("id", CHAINS)
def test_a_sequence_sets_each_label_at_most_once(id, problem):
    X, Y = problem
    steps = sequence_of(smoke_instance("chain", id).fit(X, Y), X)
    assert lookup("chain", id).facts.at_once == (steps is None)
    if steps is None:
        return
    shape = steps.labels.shape
    assert shape[0] == len(X) and shape[1] <= Y.shape[1]
    assert steps.probabilities.shape == steps.positive.shape == shape
    assert steps.cardinality is None or steps.cardinality.shape == shape
    assert steps.labels.dtype == np.int32 and steps.positive.dtype == bool
    none_set = steps.labels < 0
    assert (np.isnan(steps.probabilities) == none_set).all() and not steps.positive[none_set].any()
    for row in steps.labels:
        known = row[row >= 0]
        assert len(set(known.tolist())) == len(known) and (known < Y.shape[1]).all()


@pytest.mark.parametrize("id", CHAINS)
def test_a_chain_takes_missing_values_and_labels_of_one_class(id, problem):
    X, Y = problem
    X, Y = np.where(X == 0, np.nan, X), np.column_stack([Y, np.zeros(60, int), np.ones(60, int)])
    chain = smoke_instance("chain", id).fit(X, Y)
    labels = chain.predict(X)
    assert labels.shape == (60, 5) and not labels[:, 3].any() and labels[:, 4].all()


@pytest.mark.parametrize("id", [id for id in CHAINS if id in {"rdt-dcc", "ml-xgb", "xdcc"}])
@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_are_taken_without_a_warning(id, problem):
    X, Y = problem
    X = np.column_stack([X, np.full(60, 1e308), np.full(60, -1e308)])
    assert smoke_instance("chain", id).fit(X, Y).predict(X).shape == (60, 3)


def test_unknown_ids_are_refused_with_the_nearest():
    with pytest.raises(UserError, match="did you mean 'uniform'"):
        lookup("ranker", "unifrom")
