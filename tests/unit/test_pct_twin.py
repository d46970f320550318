"""The tree kernel against its naive twin, over everything that data can be."""

from __future__ import annotations

import numpy as np
import pct_twin
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from mlsieve._kernels.trees.grow.tree_grower import TreeGrower, bootstrap_counts, random_number
from mlsieve._kernels.trees.walk.out_of_bag import OutOfBagTree
from mlsieve._kernels.trees.walk.permutation import permutation_errors

from mlsieve.data.coded_columns import code_columns
from mlsieve.trees.growing import GrowOptions, grow_ensemble, variance_weights

pytestmark = pytest.mark.kernel


@st.composite
def problems(draw):
    """Features of every kind, labels, example weights and growing options."""
    n = draw(st.integers(2, 28))
    n_features = draw(st.integers(1, 6))
    n_labels = draw(st.integers(1, 5))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = np.zeros((n, n_features))
    n_categories = np.zeros(n_features, np.int32)
    for f in range(n_features):
        kind = draw(
            st.sampled_from(["ties", "real", "binary", "sparse", "sparse-signed", "constant", "nominal"])
        )
        if kind == "ties":
            X[:, f] = rng.integers(-2, 3, n)
        elif kind == "real":
            X[:, f] = rng.normal(size=n)
        elif kind == "binary":
            X[:, f] = rng.random(n) < 0.2
        elif kind == "sparse":
            X[:, f] = rng.integers(1, 4, n) * (rng.random(n) < 0.25)
        elif kind == "sparse-signed":
            X[:, f] = rng.integers(-2, 3, n) * (rng.random(n) < 0.3)
        elif kind == "constant":
            X[:, f] = 1.5
        else:
            n_categories[f] = draw(st.integers(3, 5))
            X[:, f] = rng.integers(0, n_categories[f], n)
        if draw(st.booleans()) and draw(st.booleans()):
            X[rng.random(n) < 0.2, f] = np.nan
    Y = (rng.random((n, n_labels)) < rng.random(n_labels)).astype(np.uint8)
    if draw(st.booleans()):  # labels that depend on the features, so that trees grow deep
        Y[:, 0] = np.nan_to_num(X[:, 0]) > 0
    weights = rng.integers(0, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    weights[rng.integers(n)] = 1.0  # at least one example is seen
    options = {
        "n_candidates": draw(st.integers(1, n_features)),
        "min_leaf": float(draw(st.sampled_from([1, 2, 3]))),
        "random_tests": draw(st.booleans()),
        "seed": draw(st.integers(0, 2**40)),
        "tree": draw(st.integers(0, 300)),
    }
    return X, Y, weights, n_categories, options


@st.composite
def halved_problems(draw):
    """Few values, missing ones among them, and out-of-bag examples: means of 1/2 are common."""
    n, n_features, n_labels = draw(st.integers(5, 12)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.choice([0.0, 1.0, np.nan], (n, n_features), p=[0.4, 0.4, 0.2])
    Y = (rng.random((n, n_labels)) < 0.5).astype(np.uint8)
    Y[:, 0] = X[:, 0] == 1
    weights = rng.permutation(np.arange(n) % 3 > 0).astype(float)
    options = {"n_candidates": n_features, "min_leaf": 1.0, "random_tests": False, "tree": 0}
    return X, Y, weights, np.zeros(n_features, np.int32), {**options, "seed": draw(st.integers(0, 2**40))}


def kernel_tree(X, Y, weights, n_categories, options, label_weight=None):
    """Tree `options["tree"]`, grown after another one by the same grower: nothing of that may remain."""
    labels = sp.csr_array(Y)
    options = dict(options)
    tree = options.pop("tree")
    grower = TreeGrower(
        code_columns(X, n_categories),
        labels.indptr.astype(np.int64),
        labels.indices.astype(np.int32),
        variance_weights(labels) if label_weight is None else label_weight,
        midpoint=False,
        **options,
    )
    grower.grow(np.ones(len(weights)), tree + 1)
    return grower.grow(weights, tree)


def in_canonical_order(X, n_categories, seed):
    """The columns in the order in which an ensemble of that seed sees them, as a twin numbers them."""
    order = code_columns(X, n_categories, order_seed=seed).data_column
    return X[:, order], n_categories[order]


def leaf_counts(tree, at, n_labels):
    """Weighted positives of each label in a leaf; zeros for an inner node."""
    part = slice(tree["leaf_start"][at], tree["leaf_start"][at + 1])
    counts = np.zeros(n_labels)
    counts[tree["leaf_label"][part]] = tree["leaf_count"][part]
    return counts


def with_explicit_missing(X):
    """CSR with NaN stored, zeros not."""
    return sp.csr_array(X)


def check_against_the_twin(problem, label_weight=None):
    for random_ties in (True, False):
        check_ties_against_the_twin(problem, label_weight, random_ties)


def check_ties_against_the_twin(problem, label_weight, random_ties):
    X, Y, weights, n_categories, options = problem
    options = {**options, "random_ties": random_ties}
    of_labels = variance_weights(sp.csr_array(Y)) if label_weight is None else label_weight
    twin = pct_twin.grow(X, Y, weights, of_labels, n_categories, **options)
    tree = kernel_tree(X, Y, weights, n_categories, options, label_weight)
    assert tree["feature"].tolist() == [node["feature"] for node in twin]
    assert tree["depth"].tolist() == [node["depth"] for node in twin]
    np.testing.assert_allclose(tree["weight"], [node["weight"] for node in twin], rtol=1e-12)
    for at, node in enumerate(twin):
        if node["feature"] >= 0:
            assert tree["gain"][at] == pytest.approx(node["gain"], rel=1e-8, abs=1e-9)
            subset = tree["subset"][tree["subset_start"][at] : tree["subset_start"][at + 1]].tolist()
            assert subset == node.get("subset", [])
            if not subset:
                assert tree["threshold"][at] == node["threshold"]
        else:
            np.testing.assert_allclose(
                leaf_counts(tree, at, Y.shape[1]), node["labels"], rtol=1e-9, atol=1e-12
            )


@settings(max_examples=400, deadline=None)
@given(problems())
def test_kernel_grows_the_twins_tree(problem):
    check_against_the_twin(problem)


@pytest.mark.parametrize("seed", range(3))
def test_kernel_grows_the_twins_tree_where_nodes_are_small_parts_of_the_data(seed):
    rng = np.random.default_rng(seed)
    n_categories = np.array([0, 0, 0, 4], np.int32)
    X = np.column_stack([rng.normal(size=(120, 2)), rng.integers(-4, 5, 120), rng.integers(0, 4, 120)])
    Y = (rng.random((120, 3)) < 0.5).astype(np.uint8)
    options = {"n_candidates": 2, "min_leaf": 1.0, "random_tests": False, "seed": seed, "tree": 0}
    check_against_the_twin((X, Y, np.ones(120), n_categories, options))


@settings(max_examples=150, deadline=None)
@given(problems())
def test_dense_and_sparse_input_give_the_same_bytes(problem):
    X, Y, weights, n_categories, options = problem
    dense = kernel_tree(X, Y, weights, n_categories, options)
    sparse = kernel_tree(with_explicit_missing(X), Y, weights, n_categories, options)
    for name, array in dense.items():
        assert array.tobytes() == sparse[name].tobytes(), name


@settings(max_examples=100, deadline=None)
@given(problems(), st.integers(0, 10**6))
def test_permuting_examples_permutes_nothing_else(problem, shuffle_seed):
    X, Y, weights, n_categories, options = problem
    order = np.random.default_rng(shuffle_seed).permutation(len(X))
    tree = kernel_tree(X, Y, weights, n_categories, options)
    shuffled = kernel_tree(X[order], Y[order], weights[order], n_categories, options)
    assert tree["feature"].tolist() == shuffled["feature"].tolist()
    np.testing.assert_allclose(tree["threshold"], shuffled["threshold"])
    np.testing.assert_allclose(tree["gain"], shuffled["gain"], rtol=1e-9, atol=1e-9)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_prediction_is_the_twins(problem):
    X, Y, _, n_categories, options = problem
    X, n_categories = in_canonical_order(X, n_categories, options["seed"])
    grow_options = GrowOptions(
        "extra-trees" if options["random_tests"] else "random-forest",
        options["n_candidates"],
        options["min_leaf"],
    )
    ensemble = grow_ensemble(
        X,
        sp.csr_array(Y),
        n_trees=2,
        options=grow_options,
        category_counts=n_categories,
        seed=options["seed"],
    )
    expected = np.zeros(Y.shape)
    for tree in range(2):
        counts = (
            bootstrap_counts(options["seed"], tree, len(X))
            if not options["random_tests"]
            else np.ones(len(X))
        )
        nodes = pct_twin.grow(
            X,
            Y,
            counts.astype(float),
            variance_weights(sp.csr_array(Y)),
            n_categories,
            **{**options, "tree": tree},
        )
        base = ensemble.tree_start[tree]
        for at, node in enumerate(nodes):
            node["yes_share"] = ensemble.nodes["yes_share"][base + at]
        expected += [pct_twin.predict(nodes, x) for x in X]
    np.testing.assert_allclose(ensemble.predict_proba(X), expected / 2, rtol=1e-9, atol=1e-12)
    assert ensemble.predict_proba(X).tobytes() == ensemble.predict_proba(with_explicit_missing(X)).tobytes()


def out_of_bag_tree(tree, X, Y, weights, n_categories, options):
    """A tree with the examples of weight 0, as the kernels of its errors take them."""
    labels = sp.csr_array(Y)
    return OutOfBagTree(
        code_columns(X, n_categories),
        tree,
        labels.indptr.astype(np.int64),
        labels.indices.astype(np.int32),
        Y.shape[1],
        np.flatnonzero(weights == 0).astype(np.int32),
        options["seed"],
        options["tree"],
    )


@settings(max_examples=150, deadline=None)
@given(problems() | halved_problems())
def test_permutation_errors_are_those_of_predicting_permuted_data(problem):
    X, Y, weights, n_categories, options = problem
    tree = kernel_tree(X, Y, weights, n_categories, options)
    rows = np.flatnonzero(weights == 0)
    wrong, features, permuted = permutation_errors(
        out_of_bag_tree(tree, X, Y, weights, n_categories, options)
    )
    nodes = pct_twin.grow(X, Y, weights, variance_weights(sp.csr_array(Y)), n_categories, **options)
    # The kernel's own numbers, so that a mean of exactly 1/2 is not decided by how the weights were added up.
    for at, node in enumerate(nodes):
        node["yes_share"], node["weight"] = tree["yes_share"][at], tree["weight"][at]
        node["labels"] = leaf_counts(tree, at, Y.shape[1])

    def wrong_cells(data):
        means = np.array([pct_twin.predict(nodes, x) for x in data]).reshape(len(data), Y.shape[1])
        return int(((means >= 0.5) != Y[rows].astype(bool)).sum())

    assert wrong == wrong_cells(X[rows])
    for feature, count in zip(features.tolist(), permuted.tolist(), strict=True):
        order = np.arange(len(rows))
        for i in range(len(rows) - 1, 0, -1):
            other = int(random_number(options["seed"], options["tree"], 5, feature, i) * (i + 1))
            order[i], order[other] = order[other], order[i]
        data = X[rows].copy()
        data[:, feature] = data[order, feature]
        assert count == wrong_cells(data)
    assert set(features.tolist()) <= set(tree["feature"].tolist())
