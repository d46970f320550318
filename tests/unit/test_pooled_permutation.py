"""The out-of-bag error 1 - pooled AUPRC: the kernel against predicting permuted data, and by hand."""

from __future__ import annotations

import numpy as np
import pct_twin
import pytest
from hypothesis import given, settings
from mlsieve._kernels.trees.grow.tree_grower import random_number
from mlsieve._kernels.trees.walk.pooled_permutation import pooled_permutation_errors
from test_pct_twin import (
    halved_problems,
    kernel_tree,
    leaf_counts,
    out_of_bag_tree,
    problems,
    with_explicit_missing,
)

from mlsieve.measures.curves import precision_recall_area

pytestmark = pytest.mark.kernel
PERMUTATION = 5


def pooled_error(truth, scores):
    """1 - pooled AUPRC, scores that differ by rounding errors taken as equal."""
    return 1 - precision_recall_area(truth.ravel().astype(bool), np.rint(scores * 2.0**40).ravel())


def kernel_errors(*problem):
    return pooled_permutation_errors(out_of_bag_tree(*problem))


def permuted_rows(data, feature, seed, tree):
    """The rows with one feature permuted, by the kernels' own draws."""
    order = np.arange(len(data))
    for i in range(len(data) - 1, 0, -1):
        other = int(random_number(seed, tree, PERMUTATION, feature, i) * (i + 1))
        order[i], order[other] = order[other], order[i]
    data = data.copy()
    data[:, feature] = data[order, feature]
    return data


@settings(max_examples=300, deadline=None)
@given(problems() | halved_problems())
def test_errors_are_those_of_predicting_permuted_data(problem):
    X, Y, weights, n_categories, options = problem
    tree = kernel_tree(X, Y, weights, n_categories, options)
    error, features, permuted = kernel_errors(tree, X, Y, weights, n_categories, options)
    nodes = pct_twin.of_arrays(tree, lambda at: leaf_counts(tree, at, Y.shape[1]))
    out_of_bag = weights == 0

    def error_of(data):
        if len(data) == 0:
            return 1.0
        return pooled_error(Y[out_of_bag], np.array([pct_twin.predict(nodes, x) for x in data]))

    assert error == pytest.approx(error_of(X[out_of_bag]), abs=1e-12)
    tested = set(tree["feature"].tolist()) - {-1}
    assert set(features.tolist()) <= tested and (np.diff(features) > 0).all()
    changed = dict(zip(features.tolist(), permuted.tolist(), strict=True))
    for feature in tested:
        expected = error_of(permuted_rows(X[out_of_bag], feature, options["seed"], options["tree"]))
        assert changed.get(feature, error) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_dense_and_sparse_input_give_the_same_bytes(problem):
    X, Y, weights, n_categories, options = problem
    tree = kernel_tree(X, Y, weights, n_categories, options)
    dense = kernel_errors(tree, X, Y, weights, n_categories, options)
    sparse = kernel_errors(tree, with_explicit_missing(X), Y, weights, n_categories, options)
    assert dense[0] == sparse[0]
    assert [array.tobytes() for array in dense[1:]] == [array.tobytes() for array in sparse[1:]]


def larger_problem(n_rows, n_labels, missing):
    """A problem like those of `problems`, for larger trees."""
    rng = np.random.default_rng(n_labels)
    sparse = rng.integers(0, 4, (n_rows, 2)) * (rng.random((n_rows, 2)) < 0.2)
    X = np.hstack([rng.normal(size=(n_rows, 4)), sparse])
    X[rng.random(X.shape) < missing] = np.nan
    Y = (rng.random((n_rows, n_labels)) < 0.1).astype(np.uint8)
    Y[:, 0] = np.nan_to_num(X[:, 0]) > 0
    weights = rng.integers(0, 3, n_rows).astype(float)
    options = {"n_candidates": 3, "min_leaf": 2.0, "random_tests": False, "seed": 1, "tree": 2}
    return X, Y, weights, np.zeros(6, np.int32), options


@pytest.mark.parametrize("n_rows, n_labels, missing", [(300, 40, 0.1), (300, 40, 0.0), (60, 300, 0.3)])
def test_larger_trees_have_the_errors_of_predicting_permuted_data(n_rows, n_labels, missing):
    """Many distinct scores, which are sorted another way than few."""
    X, Y, weights, n_categories, options = larger_problem(n_rows, n_labels, missing)
    tree = kernel_tree(X, Y, weights, n_categories, options)
    error, features, permuted = kernel_errors(tree, X, Y, weights, n_categories, options)
    nodes = pct_twin.of_arrays(tree, lambda at: leaf_counts(tree, at, n_labels))
    out_of_bag = weights == 0
    truth, data = Y[out_of_bag], X[out_of_bag]
    assert error == pytest.approx(pooled_error(truth, np.array([pct_twin.predict(nodes, x) for x in data])))
    assert len(features) >= 5
    for feature, found in zip(features.tolist(), permuted.tolist(), strict=True):
        other = permuted_rows(data, feature, options["seed"], options["tree"])
        scores = np.array([pct_twin.predict(nodes, x) for x in other])
        assert found == pytest.approx(pooled_error(truth, scores), abs=1e-12)


def test_errors_by_hand():
    """A leaf of ones and zeros for the two classes of x; of three other examples, one has the other's labels.

    Scores 1 hold two positives and one negative, scores 0 one positive and two negatives. Precision is 2/3 up
    to recall 2/3, and goes to 3/6 at recall 1: 1 - (2/3 * 2/3 + 1/3 * (2/3 + 1/2) / 2) = 13/36.
    """
    X = np.array([[0.0], [0.0], [1.0], [1.0], [0.0], [1.0], [1.0]])
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1], [1, 0]], np.uint8)
    weights = np.array([1.0, 1, 1, 1, 0, 0, 0])
    options = {"n_candidates": 1, "min_leaf": 1.0, "random_tests": False, "seed": 0, "tree": 0}
    tree = kernel_tree(X, Y, weights, np.zeros(1, np.int32), options)
    error, features, permuted = kernel_errors(tree, X, Y, weights, np.zeros(1, np.int32), options)
    assert error == pytest.approx(13 / 36)
    assert features.tolist() == [0] and len(permuted) == 1


@pytest.mark.parametrize("n_out", [0, 3])
def test_without_examples_or_labels_the_error_is_one(n_out):
    X = np.array([[0.0], [0.0], [1.0], [1.0]] + [[0.5]] * n_out)
    Y = np.array([[1], [1], [0], [0]] + [[0]] * n_out, np.uint8)
    weights = np.array([1.0] * 4 + [0.0] * n_out)
    options = {"n_candidates": 1, "min_leaf": 1.0, "random_tests": False, "seed": 0, "tree": 0}
    tree = kernel_tree(X, Y, weights, np.zeros(1, np.int32), options)
    error, features, permuted = kernel_errors(tree, X, Y, weights, np.zeros(1, np.int32), options)
    assert error == 1.0 and set(permuted.tolist()) <= {1.0} and len(features) == len(permuted)
