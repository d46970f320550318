"""The out-of-bag error 1 - pooled AUPRC: the kernel against its naive twin, the measure and curves by hand."""

from __future__ import annotations

import numpy as np
import pct_twin
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from mlsieve._kernels._grower import random_number
from mlsieve._kernels._pooled_permutation import pooled_permutation_errors
from test_pct_twin import halved_problems, kernel_tree, leaf_counts, problems, with_explicit_missing

from mlsieve.measures.curves import precision_recall_area
from mlsieve.trees.columns import code_columns

pytestmark = pytest.mark.kernel
PERMUTATION = 5


def pooled_error(truth, scores):
    """1 - pooled AUPRC, scores that differ by rounding errors taken as equal."""
    return 1 - precision_recall_area(truth.ravel().astype(bool), np.rint(scores * 2.0**40).ravel())


def kernel_errors(tree, X, Y, weights, n_categories, options):
    labels = sp.csr_array(Y)
    return pooled_permutation_errors(
        code_columns(X, n_categories),
        tree,
        labels.indptr.astype(np.int64),
        labels.indices.astype(np.int32),
        Y.shape[1],
        np.flatnonzero(weights == 0).astype(np.int32),
        options["seed"],
        options["tree"],
    )


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
