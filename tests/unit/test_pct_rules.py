"""Rules of the trees at their edges, worked by hand: least gain, thresholds, half a vote."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from mlsieve._kernels.trees.grow.tree_grower import TreeGrower
from mlsieve._kernels.trees.walk.out_of_bag import OutOfBagTree
from mlsieve._kernels.trees.walk.permutation import permutation_errors

from mlsieve.data.coded_columns import code_columns
from mlsieve.trees.growing import GrowOptions, grow_ensemble, variance_weights

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("weight, splits", [(1e-4, True), (2e-9, True), (5e-10, False)])
def test_a_test_must_gain_more_than_one_in_a_thousand_million(weight, splits):
    """Four examples, half of them positive: 4 * 1/4 * the label's weight is gained by the perfect test."""
    X, Y = np.array([[0.0], [0.0], [1.0], [1.0]]), sp.csr_array(np.array([[0], [0], [1], [1]], np.uint8))
    options = GrowOptions("bagging", bootstrap=False)
    grown = grow_ensemble(X, Y, n_trees=1, options=options, label_weights=np.array([weight]))
    assert grown.nodes["feature"].tolist() == ([0, -1, -1] if splits else [-1])
    if splits:
        assert grown.nodes["gain"][0] == pytest.approx(weight)


@pytest.mark.parametrize("sign, shift, threshold", [(1, 0, -1), (-1, 0, 1.2), (1, 5, 4)])
@pytest.mark.parametrize("copies, labels", [(1, 2), (4, 2), (4, 40)])
def test_among_equal_gains_the_highest_threshold_is_taken(sign, shift, threshold, copies, labels):
    """Twelve examples: one at -2 with both labels, one at -1 with the second, ten at 0 with none.

    Cut above -2 the labels gain 11/12 and 25/33, cut above -1 they gain 5/12 and 5/3: with weights of 20 and
    11 that is 80/3 each. Zeros make the feature sparse, scanned upwards below them and downwards above. Each
    example stands for several, of values down to 0.2 below its own, and each label for several of its weight
    together: kernels have other ways for few values, and for few labels.
    """
    below = -np.linspace(0, 0.2, copies)
    X = sign * np.concatenate([-2 + below, -1 + below, np.zeros(10 * copies)])[:, None] + shift
    rows = np.repeat([[1, 1], [0, 1], [0, 0]], [copies, copies, 10 * copies], axis=0)
    Y = sp.csr_array(np.repeat(rows, labels // 2, axis=1).astype(np.uint8))
    weights = np.repeat([20.0, 11.0], labels // 2) / (labels // 2)
    options = GrowOptions("bagging", bootstrap=False, min_leaf=1)
    grown = grow_ensemble(X, Y, n_trees=1, options=options, label_weights=weights)
    assert grown.nodes["threshold"][0] == (threshold if copies > 1 else round(threshold))
    assert grown.nodes["gain"][0] == pytest.approx(80 / 3 * copies)


VALUES = {
    "all different": lambda places: places,
    "few": lambda places: np.round(5 * places / len(places)),
    "mostly zero": lambda places: np.round(1.25 * places / len(places)) * np.abs(places),
}


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("n_features", [1, 6, 60])
@pytest.mark.parametrize("n_labels", [1, 4, 15, 22, 40, 100])
@pytest.mark.parametrize("n", [40, 400])
def test_of_two_cuts_of_a_mirrored_feature_the_higher_is_taken(values, n_features, n_labels, n):
    """Labels stand at both ends of the feature alike, so that each cut gains as much as its mirror image."""
    x = VALUES[values](np.arange(n) - (n - 1) / 2)
    away = np.abs(x) / np.abs(x).max()
    Y = (away[:, None] > 0.55 + 0.01 * (np.arange(n_labels) % 3)).astype(np.uint8)
    X = np.repeat(x[:, None], n_features, axis=1)
    options = GrowOptions("bagging", bootstrap=False, min_leaf=1)
    missing = np.where(np.arange(n) % 7 == 0, np.nan, 3.0)[:, None]  # says nothing, and changes the way taken
    for shift, more in ((0.0, missing[:, :0]), (7.0, missing[:, :0]), (0.0, missing)):
        grown = grow_ensemble(np.hstack([X + shift, more]), sp.csr_array(Y), n_trees=1, options=options)
        # Nodes hold the value below a cut: 0, or the last one of the upper end that is left out.
        assert grown.nodes["threshold"][0] >= shift


@pytest.mark.parametrize("n_each", [3, 40])
def test_a_random_threshold_between_adjacent_numbers_leaves_no_branch_empty(n_each):
    """min + u (max - min) rounds to max for u > 1/2; the test must answer "no" for min and "yes" for max."""
    low, high = 1.0, np.nextafter(1.0, 2.0)
    for zeros in (0, 10 * n_each):  # the feature stored dense, and sparse
        X = np.array([0.0] * zeros + [low, high] * n_each)[:, None]
        Y = sp.csr_array((X == high).astype(np.uint8))
        grown = grow_ensemble(X, Y, n_trees=20, options=GrowOptions("extra-trees"), seed=1)
        between = grown.nodes["threshold"][(grown.nodes["feature"] == 0) & (grown.nodes["threshold"] >= low)]
        assert len(between) == 20 and (between == low).all()
        np.testing.assert_array_equal(grown.predict_proba(X), Y.toarray())


@pytest.mark.parametrize("truth, wrong", [(1, 0), (0, 1)])
def test_half_a_vote_from_two_leaves_predicts_the_label(truth, wrong):
    """An example of unknown value has half its weight in a leaf of ones and half in a leaf of zeros."""
    X, Y = [[0.0], [0.0], [1.0], [1.0], [np.nan]], [[0], [0], [1], [1], [truth]]
    labels = sp.csr_array(np.array(Y, np.uint8))
    in_bag = np.ones(len(X))
    in_bag[4] = 0.0
    store = code_columns(np.array(X))
    label_start, label_index = labels.indptr.astype(np.int64), labels.indices.astype(np.int32)
    grower = TreeGrower(
        store,
        label_start,
        label_index,
        variance_weights(labels),
        n_candidates=1,
        min_leaf=1.0,
        random_tests=False,
        midpoint=False,
        seed=0,
    )
    tree = grower.grow(in_bag, 0)
    assert tree["feature"].tolist() == [0, -1, -1]
    out_of_bag = np.array([4], np.int32)
    n_wrong, features, permuted = permutation_errors(
        OutOfBagTree(store, tree, label_start, label_index, 1, out_of_bag, seed=0, tree=0)
    )
    assert (n_wrong, features.tolist()) == (wrong, [0])
    assert permuted.tolist() == [wrong]  # one example is its own permutation
