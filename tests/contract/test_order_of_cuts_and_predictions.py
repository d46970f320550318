"""The order of a file's columns and labels decides nothing: discretisations and evaluators."""

from __future__ import annotations

import typing

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.discretize import Discretization, learn_cuts
from mlsieve.registry import entries, lookup

CONTAINERS = {"dense": np.ascontiguousarray, "sparse": sp.csr_array}
METHODS = typing.get_args(Discretization)
EVALUATORS = {
    "weighted-knn": [{"k": 1}, {"k": 4}, {"k": 3, "ranges": "all"}],
    "mlnb": [{}, {"input": "gaussian"}],
}
seeds = st.integers(0, 10**6)


def grid(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Multiples of a tenth, whose sums are rounded; often few different rows, or missing cells."""
    n, n_features, n_values = int(rng.integers(14, 40)), int(rng.integers(3, 9)), int(rng.integers(2, 7))
    X = (
        rng.integers(0, n_values, (n, n_features))
        * 0.1
        * (rng.random((n, n_features)) < rng.choice([0.3, 1.0]))
    )
    X = X[rng.integers(0, n // 2, n)] if rng.random() < 0.5 else X
    X[rng.random(X.shape) < rng.choice([0.0, 0.1])] = np.nan
    Y = np.column_stack([np.nan_to_num(X[:, 0]) > 0.15, *(rng.random((2, n)) < 0.4)]).astype(np.uint8)
    return X, Y


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_cuts_belong_to_columns_and_not_to_their_places(method, container, seed):
    rng, store = np.random.default_rng(seed), CONTAINERS[container]
    X, Y = grid(rng)
    p, numeric = rng.permutation(X.shape[1]), rng.random(X.shape[1]) < 0.8
    cuts = learn_cuts(store(X), sp.csr_array(Y), method=method, numeric=numeric)
    permuted = learn_cuts(store(X[:, p]), sp.csr_array(Y), method=method, numeric=numeric[p])
    relabelled = learn_cuts(store(X), sp.csr_array(Y[:, rng.permutation(3)]), method=method, numeric=numeric)
    for place, feature in enumerate(p):
        assert permuted.of(place).tobytes() == cuts.of(feature).tobytes()
        assert relabelled.of(feature).tobytes() == cuts.of(feature).tobytes()
    found = permuted.transform(store(X[:, p]))
    expected = cuts.transform(X)[:, p]
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)


def predicted(id, given_parameters, X, Y, unseen, *, weights=None, store, n_jobs=1):
    estimator = lookup("evaluator", id).estimator(**given_parameters)
    known = estimator.get_params()
    estimator.set_params(
        **({"weights": weights} if "weights" in known else {}),
        **({"n_jobs": n_jobs} if "n_jobs" in known else {}),
    )
    other = {"X_other": store(unseen)} if given_parameters.get("ranges") == "all" else {}
    return estimator.fit(store(X), Y, **other).predict_proba(store(unseen))


def test_every_evaluator_is_tried():
    assert set(EVALUATORS) == set(entries("evaluator"))


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    "id, given_parameters", [(id, one) for id, several in EVALUATORS.items() for one in several]
)
@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_predictions_depend_on_no_order_of_columns_labels_or_storage(id, given_parameters, container, seed):
    rng, store = np.random.default_rng(seed), CONTAINERS[container]
    X, Y = grid(rng)
    train, unseen = X[: 2 * len(X) // 3], X[2 * len(X) // 3 :]
    Y = Y[: len(train)]
    p, q = rng.permutation(X.shape[1]), rng.permutation(3)
    weights = rng.choice([1.0, 0.1, 0.3, 0.7, 1e-6, 0.0], X.shape[1])
    given = {"store": store, "weights": weights}
    expected = predicted(id, given_parameters, train, Y, unseen, **given)
    columns = predicted(
        id, given_parameters, train[:, p], Y, unseen[:, p], store=store, weights=weights[p], n_jobs=3
    )
    # Gaussians of tiny variance make log-odds of millions, whose rounding shows in the ninth digit.
    nearness = 1e-6 if given_parameters.get("input") == "gaussian" else 1e-9
    np.testing.assert_allclose(columns, expected, rtol=nearness, atol=nearness)
    labels = predicted(id, given_parameters, train, Y[:, q], unseen, **given)
    np.testing.assert_allclose(labels, expected[:, q], rtol=nearness, atol=nearness)
    dense = predicted(id, given_parameters, train, Y, unseen, store=np.ascontiguousarray, weights=weights)
    assert dense.tobytes() == expected.tobytes()


@pytest.mark.parametrize("id", ["relief", "ppt-rf"])
@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_neighbours_are_the_same_for_any_storage_and_threads(id, seed):
    rng = np.random.default_rng(seed)
    X, Y = grid(rng)
    Y[:4] = Y[4:8] = [[0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    given_parameters = {"relief": {"k": 3, "m": 1.0, "sigma": 0.3}, "ppt-rf": {"p": 2, "n_neighbors": 2}}[id]
    ranker = lookup("ranker", id).estimator(**given_parameters)
    expected = ranker.fit(X, Y).feature_importances_.tobytes()
    for store in CONTAINERS.values():
        assert ranker.set_params(n_jobs=3).fit(store(X), Y).feature_importances_.tobytes() == expected
