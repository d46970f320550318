"""Boosted trees depend on no order: of the rows, the columns, or the labels; nor on copies of a column."""

from __future__ import annotations

import typing

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.chains import XDCC, MultiLabelXGB
from mlsieve.chains.boosting.parameters import Split
from mlsieve.data import load_dataset

MODELS = {"ml-xgb": MultiLabelXGB, "xdcc": XDCC}
SPLITS = typing.get_args(Split)
CONTAINERS = {"dense": np.asarray, "sparse": sp.csr_array}


def problem(seed):
    """Few values, so that many tests divide the rows alike; nominal columns and missing cells.

    Of far fewer rows, columns may change places so that the data stay the same: then only their places tell
    them apart.
    """
    rng = np.random.default_rng(seed)
    n, n_features, n_labels = int(rng.integers(40, 100)), int(rng.integers(2, 9)), int(rng.integers(2, 6))
    n_values = int(rng.integers(2, 8))
    X = rng.integers(0, n_values, (n, n_features)) * (rng.random((n, n_features)) < rng.choice([0.2, 1.0]))
    X = X * 0.1
    nominal = rng.random(n_features) < 0.2
    X[:, nominal] = rng.integers(0, 4, (n, nominal.sum()))
    X[rng.random(X.shape) < rng.choice([0.0, 0.1])] = np.nan
    if rng.random() < 0.3:
        X = X[rng.integers(0, n, n)]
    Y = (rng.random((n, n_labels)) < 0.4).astype(np.uint8)
    Y[:, 0] |= np.nan_to_num(X[:, 0]) > 0
    return X, different(Y), nominal, rng


def different(Y):
    """Labels of which none equals another one: only their places tell equal ones apart."""
    return np.unique(np.asarray(Y.todense() if sp.issparse(Y) else Y, np.uint8), axis=1)


def scores(model, X, Y, unseen, **given_parameters):
    options = {"n_estimators": 4, "max_depth": 4, "random_state": 1, "min_child_weight": 0.1}
    return MODELS[model](**options | given_parameters).fit(X, Y).predict_proba(unseen)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_order_changes_a_prediction(model, split, container, seed):
    X, Y, nominal, rng = problem(seed)
    store, unseen = CONTAINERS[container], X[rng.integers(0, len(X), 9)]
    row, column, label = (rng.permutation(n) for n in (*X.shape, Y.shape[1]))
    options = {"split": split, "max_bins": [None, 3][seed % 2]}
    first = scores(model, store(X), Y, unseen, nominal=nominal, **options)
    second = scores(
        model,
        store(X[row][:, column]),
        Y[row][:, label],
        unseen[:, column],
        nominal=nominal[column],
        **options,
    )
    assert second.tobytes() == first[:, label].tobytes()


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_copies_and_constant_columns_change_nothing(model, seed):
    X, Y, nominal, rng = problem(seed)
    more = np.hstack([X, X[:, [0, 0]], np.full((len(X), 1), 7.0)])
    nominal = np.concatenate([nominal, nominal[[0, 0]], [False]])
    column = rng.permutation(more.shape[1])
    expected = scores(model, X, Y, X, nominal=nominal[: X.shape[1]])
    found = scores(model, more[:, column], Y, more[:, column], nominal=nominal[column])
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["emotions", "flags", "birds", "medical"])
def test_no_order_changes_a_prediction_on_real_data(model, split, name, mirror):
    """Their trees are deep, so that sums of many rounds decide between columns that divide the rows alike.

    Predictions are those of the training part: in it medical has copies of columns, which differ elsewhere.
    """
    data = load_dataset(name)
    rng = np.random.default_rng(0)
    X, Y = data.X_train, different(data.Y_train)
    row, column, label = (rng.permutation(n) for n in (*X.shape, Y.shape[1]))
    options = {"split": split, "max_depth": 6, "min_child_weight": 1.0}
    options |= {"chain_length": 3} if model == "xdcc" else {"n_estimators": 10}
    first = scores(model, X, Y, X, nominal=data.nominal, **options)
    moved = X[row][:, column], Y[row][:, label], X[:, column]
    second = scores(model, *moved, nominal=data.nominal[column], **options)
    assert second.tobytes() == first[:, label].tobytes()


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_order_changes_a_prediction_without_regularisation(model, split, seed):
    """A child may have no hessian of a label at all: that its examples have set, or that does not weigh."""
    X, Y, nominal, rng = problem(seed)
    row, column = (rng.permutation(n) for n in X.shape)
    weights = rng.choice([0.0, 1.0, 2.5], Y.shape)
    weights[~weights.any(axis=1)] = 1.0
    options = {"reg_lambda": 0.0, "min_child_weight": 0.0, "n_estimators": 3, "max_depth": 3, "split": split}
    first = MODELS[model](**options, nominal=nominal).fit(X, Y, weights).predict_proba(X)
    second = MODELS[model](**options, nominal=nominal[column]).fit(X[row][:, column], Y[row], weights[row])
    assert second.predict_proba(X[:, column]).tobytes() == first.tobytes()
