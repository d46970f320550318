"""Digests of columns and rows: they follow the content, whatever the order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from mlsieve._kernels.boosting.booster import SCORES, Booster

from mlsieve.chains.boosting.columns import boosting_columns
from mlsieve.chains.boosting.contents import order_of_labels, row_contents

pytestmark = pytest.mark.kernel
seeds = st.integers(0, 10**6)
CONTAINERS = {"dense": np.asarray, "sparse": sp.csr_array}


def problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (50, int(rng.integers(1, 7)))) * (rng.random((50, 1)) < 0.8) * 0.5
    X[rng.random(X.shape) < rng.choice([0.0, 0.1])] = np.nan
    return X, (rng.random((50, 4)) < 0.4).astype(np.uint8), rng


def booster_of(X, Y, weights=None):
    options = {"max_depth": 3, "learning_rate": 0.3, "reg_lambda": 1.0, "gamma": 0.0, "min_child_weight": 1.0}
    booster = Booster(
        *Y.shape, score=SCORES.index("sum_gain"), every_label=False, hide_in_leaves=False, **options
    )
    return booster, boosting_columns(X, booster, rows=row_contents(Y, weights))


def digests_of(X, Y, weights=None):
    """Return the digest of each feature of X, and of each row."""
    booster, columns = booster_of(X, Y, weights)
    of_columns, of_rows = row_contents(Y, weights).digests(booster)
    return of_columns[np.argsort(columns.feature)], of_rows


@pytest.mark.parametrize("container", CONTAINERS)
@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_digests_move_with_their_columns_and_rows(container, seed):
    X, Y, rng = problem(seed)
    row, column, label = (rng.permutation(n) for n in (*X.shape, Y.shape[1]))
    store = CONTAINERS[container]
    of_columns, of_rows = digests_of(X, Y)
    moved_columns, moved_rows = digests_of(store(X[row][:, column]), Y[row][:, label])
    np.testing.assert_array_equal(moved_columns, of_columns[column])
    np.testing.assert_array_equal(moved_rows, of_rows[row])


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_only_copies_share_a_digest_and_they_leave_the_others_alone(seed):
    X, Y, _ = problem(seed)
    twice = np.hstack([X, X[:, [0, -1]] * 3.0 + 1.0])  # the same codes
    of_columns, of_rows = digests_of(X, Y)
    more_columns, more_rows = digests_of(twice, Y)
    np.testing.assert_array_equal(more_columns, np.concatenate([of_columns, of_columns[[0, -1]]]))
    np.testing.assert_array_equal(more_rows, of_rows)
    for i in range(X.shape[1]):
        for j in range(i):
            is_copy = np.array_equal(X[:, i], X[:, j], equal_nan=True)
            assert (of_columns[i] == of_columns[j]) == is_copy


def test_columns_of_the_same_values_differ_by_their_rows():
    """Both are 1 in one row, and the labels of these rows differ; only the keys tell the columns apart."""
    X, Y = np.zeros((6, 2)), np.zeros((6, 2), np.uint8)
    X[0, 0] = X[1, 1] = 1.0
    assert len(set(digests_of(X, Y)[0])) == 1
    Y[0, 0], Y[[1, 2, 3], 1] = 1, 1
    assert len(set(digests_of(X, Y)[0])) == 2


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_the_order_of_the_labels_follows_their_contents(seed):
    X, Y, rng = problem(seed)
    row, column, label = (rng.permutation(n) for n in (*X.shape, Y.shape[1]))
    order = order_of_labels(booster_of(X, Y)[0], Y, 5)
    moved_Y = Y[row][:, label]
    moved = order_of_labels(booster_of(X[row][:, column], moved_Y)[0], moved_Y, 5)
    np.testing.assert_array_equal(Y[:, order], Y[:, label[moved]])


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_a_row_of_weight_two_counts_as_two_rows(seed):
    X, Y, rng = problem(seed)
    weights = rng.integers(1, 4, len(X))
    every = np.repeat(weights[:, None], Y.shape[1], axis=1).astype(np.float32)
    of_columns, of_rows = digests_of(X, Y, every)
    repeated = np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0)
    more_columns, more_rows = digests_of(*repeated)
    np.testing.assert_array_equal(of_columns, more_columns)
    np.testing.assert_array_equal(np.repeat(of_rows, weights), more_rows)
    order = order_of_labels(booster_of(X, Y, every)[0], Y, 5, every)
    np.testing.assert_array_equal(order, order_of_labels(booster_of(*repeated)[0], repeated[1], 5))


@pytest.mark.parametrize("scale", [1e-20, 0.3, 1.0, 1e20])
def test_weights_tell_rows_apart(scale):
    Y = np.ones((2, 3), np.uint8)
    weights = np.array([[1.0, 2.0, 1.0], [1.0, 3.0, 1.0]], np.float32) * np.float32(scale)
    moved = weights[:, [1, 0, 2]]
    keys, others = row_contents(Y, weights).keys, row_contents(Y, moved).keys
    assert len(set(keys)) == 2
    np.testing.assert_array_equal(keys, others)


@pytest.mark.parametrize("weights", [(1.0, 2.0), (0.25, 0.5), (1e-20, 2e-20), (1.5, 1.75)])
def test_columns_that_differ_by_the_weight_of_their_row_differ(weights):
    X, Y = np.eye(4)[:, :2], np.zeros((4, 1), np.uint8)
    every = np.array([*weights, 3.0, 3.0], np.float32)[:, None]
    assert len(set(digests_of(X, Y)[0])) == 1
    assert len(set(digests_of(X, Y, every)[0])) == 2
