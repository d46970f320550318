"""The trees' kernel takes other routes for large, sparse and wide data: all lead to the naive twin's tree."""

import numpy as np
import pytest
import scipy.sparse as sp
from mlsieve._kernels.trees.grow.tree_grower import TreeGrower
from test_pct_twin import check_against_the_twin, kernel_tree

from mlsieve.data.coded_columns import code_columns

pytestmark = pytest.mark.kernel


def real(rng, n, n_features):
    return rng.normal(size=(n, n_features))


def binary(share):
    return lambda rng, n, n_features: (rng.random((n, n_features)) < share).astype(float)


def listed(rng, n, n_features):
    """A few values other than the commonest one, which is not 0 in every other feature."""
    X = rng.integers(-2, 3, (n, n_features)) * (rng.random((n, n_features)) < 0.2)
    return X + np.arange(n_features) % 2 * 7.0


def frequencies(rng, n, n_features):
    """Few cells, nearly all of different values, on either side of the commonest one."""
    X = np.round(rng.normal(size=(n, n_features)), 3) * (rng.random((n, n_features)) < 0.15)
    return X + np.arange(n_features) % 2 * 7.0


def mixed(rng, n, n_features):
    parts = [real(rng, n, 2), binary(0.3)(rng, n, n_features - 4), listed(rng, n, 2)]
    return np.hstack(parts)[:, rng.permutation(n_features)]


# Name: features, their number, rows, labels, features tried in a node.
ROUTES = {
    "values sorted, few labels": (real, 4, 300, 3, 2),
    "values sorted, many labels": (real, 4, 150, 30, 2),
    "values in inherited order, few labels": (real, 4, 300, 15, 4),
    "values in inherited order, many labels": (real, 3, 150, 30, 3),
    "tables, few labels": (binary(0.3), 8, 400, 22, 8),
    "tables, many labels": (binary(0.2), 8, 300, 30, 8),
    "bits": (binary(0.3), 140, 150, 5, 12),
    "bits, up to 31 labels": (binary(0.2), 140, 100, 31, 12),
    "bits, up to 63 labels": (binary(0.1), 140, 100, 63, 12),
    "bits, many labels": (binary(0.1), 60, 150, 100, 8),
    "bits, rows numbered anew": (binary(0.3), 40, 1400, 4, 6),
    "one word of bits": (binary(0.3), 140, 35, 70, 12),
    "one word of bits, all features": (binary(0.3), 12, 30, 9, 12),
    "columns, rows wide": (binary(0.005), 2000, 60, 4, 45),
    "rows, all features": (listed, 20, 100, 4, 20),
    "tables, several values": (listed, 20, 400, 30, 20),
    "tables, several values, few rows": (listed, 6, 40, 3, 6),
    "lists of values, handed on": (frequencies, 30, 300, 5, 30),
    "lists of values, handed on, many labels": (frequencies, 30, 200, 40, 30),
    "lists of values, sampled": (listed, 40, 150, 25, 7),
    "mixed, all features": (mixed, 8, 200, 5, 8),
    "mixed, sampled": (mixed, 20, 150, 5, 5),
}


@pytest.mark.parametrize("random_tests", [False, True], ids=["best", "random"])
@pytest.mark.parametrize("route", ROUTES)
def test_every_route_leads_to_the_twins_tree(route, random_tests):
    features, n_features, n, n_labels, n_candidates = ROUTES[route]
    rng = np.random.default_rng(len(route))
    X = features(rng, n, n_features)
    Y = (rng.random((n, n_labels)) < 0.25).astype(np.uint8)
    Y[:, 0] = X[:, 0] + 0.3 * rng.normal(size=n) > np.median(X[:, 0])
    weights = rng.integers(0, 4, n).astype(float)
    options = {
        "n_candidates": n_candidates,
        "min_leaf": 2.0,
        "random_tests": random_tests,
        "seed": 3,
        "tree": 1,
    }
    check_against_the_twin((X, Y, weights, np.zeros(n_features, np.int32), options))


@pytest.mark.parametrize("random_tests", [False, True], ids=["best", "random"])
def test_a_table_that_is_passed_on_many_times_leads_to_the_twins_tree(random_tests):
    """Each feature tells a few rows from the others: the tree is a chain, and few features stay in use."""
    rng = np.random.default_rng(1)
    X = np.zeros((500, 60))
    for f in range(60):
        X[rng.choice(500, 9, replace=False), f] = rng.integers(1, 4, 9)
    Y = (rng.random((500, 25)) < 0.03).astype(np.uint8)
    Y[:, 0] = X[:, :30].sum(axis=1) > 0
    weights = rng.integers(1, 3, 500).astype(float)
    options = {"n_candidates": 60, "min_leaf": 4.0, "random_tests": random_tests, "seed": 5, "tree": 0}
    check_against_the_twin((X, Y, weights, np.zeros(60, np.int32), options))
    assert kernel_tree(X, Y, weights, np.zeros(60, np.int32), options)["depth"].max() > 20


@pytest.mark.parametrize("random_tests", [False, True], ids=["best", "random"])
@pytest.mark.parametrize("min_leaf", [1.0, 5.0])
def test_lists_end_where_no_test_can_be_taken_any_more(min_leaf, random_tests):
    rng = np.random.default_rng(3)
    X = np.hstack([frequencies(rng, 250, 20), binary(0.03)(rng, 250, 20), real(rng, 250, 2)])
    Y = (rng.random((250, 6)) < 0.3).astype(np.uint8)
    weights = rng.integers(0, 4, 250).astype(float)
    options = {"n_candidates": 42, "min_leaf": min_leaf, "random_tests": random_tests, "seed": 5, "tree": 0}
    check_against_the_twin((X, Y, weights, np.zeros(42, np.int32), options))


@pytest.mark.parametrize("random_tests", [False, True], ids=["best", "random"])
def test_sums_of_a_table_stay_exact_however_often_it_is_passed_on(random_tests):
    """Rows in another order are added and taken out in another order, and rounding must decide nothing."""
    rng = np.random.default_rng(0)
    n = 30_000
    X = np.zeros((n, 100))
    for f in range(100):
        X[rng.choice(n, 1800, replace=False), f] = rng.integers(1, 4, 1800)
    Y = (rng.random((n, 7)) < 0.02).astype(np.uint8)
    Y[:, 0] = X[:, :50].sum(axis=1) > 2
    Y[:, 1] = X[:, 0] > 0
    order = rng.permutation(n)
    options = {"n_candidates": 100, "min_leaf": 1.0, "random_tests": random_tests, "seed": 5, "tree": 0}
    trees = [
        kernel_tree(X[rows], Y[rows], np.ones(n), np.zeros(100, np.int32), options)
        for rows in (slice(None), order)
    ]
    for name in ("feature", "code", "threshold", "weight", "leaf_label", "leaf_count"):
        assert trees[0][name].tobytes() == trees[1][name].tobytes(), name


@pytest.mark.parametrize("share", [None, 0.05, 0.4], ids=["real", "sparse", "even"])
@pytest.mark.parametrize("n_labels", [4, 60])
def test_a_feature_that_is_missing_everywhere_changes_no_tree(share, n_labels):
    """Only without missing values does the kernel keep orders and tables, and count in single precision."""
    rng = np.random.default_rng(n_labels)
    n = 9000 if share is None else 1500
    X = real(rng, n, 2) if share is None else binary(share)(rng, n, 30)
    Y = (rng.random((n, n_labels)) < 3 / n_labels).astype(np.uint8)
    Y[:, :2] = X[:, :2] > 0
    without = X, np.zeros(X.shape[1], np.int32)
    with_missing = np.column_stack([X, np.full(n, np.nan)]), np.zeros(X.shape[1] + 1, np.int32)
    weights = rng.integers(0, 3, n).astype(float)
    options = {"min_leaf": 40.0, "random_tests": False, "seed": 0, "tree": 0}
    trees = [
        kernel_tree(features, Y, weights, n_categories, {**options, "n_candidates": features.shape[1]})
        for features, n_categories in (without, with_missing)
    ]
    assert len(trees[0]["feature"]) > 20
    for name in ("feature", "code", "threshold", "weight", "leaf_label", "leaf_count"):
        assert trees[0][name].tobytes() == trees[1][name].tobytes(), name
    np.testing.assert_allclose(trees[0]["gain"], trees[1]["gain"], rtol=1e-9)


def test_more_categories_than_rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 1500, 100), rng.integers(0, 4, 100)]).astype(float)
    X[:, 0] = np.where(rng.random(100) < 0.5, X[:, 0], 1499)
    Y = (rng.random((100, 4)) < 0.4).astype(np.uint8)
    for random_tests in (False, True):
        options = {"n_candidates": 2, "min_leaf": 2.0, "random_tests": random_tests, "seed": 1, "tree": 0}
        check_against_the_twin((X, Y, np.ones(100), np.array([1500, 4], np.int32), options))


def test_large_nodes_with_missing_values_grow_the_twins_tree():
    rng = np.random.default_rng(2)
    X = mixed(rng, 180, 9)
    X[rng.random(X.shape) < 0.15] = np.nan
    Y = (rng.random((180, 4)) < 0.4).astype(np.uint8)
    for n_candidates in (3, 9):
        options = {"n_candidates": n_candidates, "min_leaf": 2.0, "random_tests": False, "seed": 1, "tree": 0}
        check_against_the_twin((X, Y, np.ones(180), np.zeros(9, np.int32), options))


@pytest.mark.parametrize("n_labels", [15, 16, 31, 32, 63, 64])
def test_labels_fill_the_bytes_of_a_row(n_labels):
    rng = np.random.default_rng(n_labels)
    X = binary(0.3)(rng, 150, 140)
    Y = (rng.random((150, n_labels)) < 0.25).astype(np.uint8)
    Y[0] = 1
    weights = rng.integers(0, 4, 150).astype(float)
    options = {"n_candidates": 12, "min_leaf": 2.0, "random_tests": False, "seed": 3, "tree": 1}
    check_against_the_twin((X, Y, weights, np.zeros(140, np.int32), options))


@pytest.mark.parametrize("n_candidates", [2, 4], ids=["sampled", "all"])
@pytest.mark.parametrize("n_labels", [7, 8, 15, 16, 22, 23, 24])
def test_labels_fill_the_lanes_of_a_row(n_labels, n_candidates):
    rng = np.random.default_rng(n_labels)
    X = real(rng, 150, 4)
    Y = (rng.random((150, n_labels)) < 0.25).astype(np.uint8)
    Y[:, -1] = X[:, 0] > 0
    weights = rng.integers(0, 4, 150).astype(float)
    options = {"n_candidates": n_candidates, "min_leaf": 2.0, "random_tests": False, "seed": 1, "tree": 0}
    check_against_the_twin((X, Y, weights, np.zeros(4, np.int32), options))


@pytest.mark.parametrize("n_candidates", [1, 2], ids=["sampled", "all"])
@pytest.mark.parametrize("n_rows", [200, 256, 257, 600, 1100])
def test_values_far_apart_in_rank_are_sorted(n_rows, n_candidates):
    """A node's codes are among 70,000, of which the other rows have most."""
    rng = np.random.default_rng(n_rows)
    X = np.column_stack([rng.permutation(70_000), rng.permutation(70_000)]).astype(float)
    Y = (rng.random((70_000, 3)) < 0.3).astype(np.uint8)
    Y[:, 0] = X[:, 0] > 28_000
    weights = np.zeros(70_000)
    weights[rng.choice(70_000, n_rows, replace=False)] = 1
    options = {"n_candidates": n_candidates, "min_leaf": 20.0, "random_tests": False, "seed": 1, "tree": 0}
    check_against_the_twin((X, Y, weights, np.zeros(2, np.int32), options))


@pytest.mark.parametrize("n_labels", [4, 63])
def test_counts_beyond_two_bytes_grow_the_twins_tree(n_labels):
    rng = np.random.default_rng(n_labels)
    X = binary(0.3)(rng, 1100, 40)
    Y = (rng.random((1100, n_labels)) < 0.3).astype(np.uint8)
    weights = rng.integers(250, 256, 1100).astype(float)
    options = {"n_candidates": 6, "min_leaf": 5000.0, "random_tests": False, "seed": 4, "tree": 2}
    check_against_the_twin((X, Y, weights, np.zeros(40, np.int32), options))


@pytest.mark.parametrize("n_labels", [3, 40, 70])
@pytest.mark.parametrize(
    "heaviest",
    [64, 255, 256, 300, 5000],
    ids=["a word", "a byte", "more than a byte", "beyond a byte", "beyond all counts"],
)
def test_heavy_examples_grow_the_twins_tree_from_bits(heaviest, n_labels):
    rng = np.random.default_rng(heaviest + n_labels)
    X = binary(0.3)(rng, 120, 30)
    Y = (rng.random((120, n_labels)) < 0.3).astype(np.uint8)
    weights = rng.integers(0, heaviest + 1, 120).astype(float)
    options = {"n_candidates": 6, "min_leaf": heaviest / 40, "random_tests": False, "seed": 4, "tree": 2}
    check_against_the_twin((X, Y, weights, np.zeros(30, np.int32), options))


@pytest.mark.parametrize("features", [real, binary(0.3), listed], ids=["real", "binary", "listed"])
def test_weights_beyond_single_precision_grow_the_twins_tree(features):
    rng = np.random.default_rng(6)
    X = features(rng, 100, 5)
    Y = (rng.random((100, 4)) < 0.4).astype(np.uint8)
    weights = rng.integers(1, 3, 100) * 2.0**24 + rng.integers(0, 2, 100)
    options = {"n_candidates": 5, "min_leaf": 2.0**25, "random_tests": False, "seed": 0, "tree": 0}
    check_against_the_twin((X, Y, weights, np.zeros(5, np.int32), options))


@pytest.mark.parametrize("n_features", [3, 140])
def test_rows_without_weight_grow_no_tree(n_features):
    X = binary(0.3)(np.random.default_rng(0), 60, n_features)
    with pytest.raises(ValueError, match="positive weight"):
        options = {
            "n_candidates": min(12, n_features),
            "min_leaf": 2.0,
            "random_tests": False,
            "seed": 0,
            "tree": 0,
        }
        kernel_tree(X, np.ones((60, 2), np.uint8), np.zeros(60), np.zeros(n_features, np.int32), options)


def test_huge_label_weights_change_no_tree():
    """A common factor of all weights scales all gains; single precision cannot hold this one's products."""
    rng = np.random.default_rng(8)
    X, Y = real(rng, 200, 4), sp.csr_array((rng.random((200, 5)) < 0.4).astype(np.uint8))
    trees = []
    for factor in (1.0, 2.0**126):
        grower = TreeGrower(
            code_columns(X),
            Y.indptr.astype(np.int64),
            Y.indices.astype(np.int32),
            np.full(5, factor),
            n_candidates=4,
            min_leaf=2.0,
            random_tests=False,
            midpoint=False,
            seed=0,
        )
        trees.append(grower.grow(np.ones(200), 0))
    assert len(trees[0]["feature"]) > 20
    assert trees[0]["feature"].tolist() == trees[1]["feature"].tolist()
    assert trees[0]["threshold"].tolist() == trees[1]["threshold"].tolist()


def binary_grower():
    rng = np.random.default_rng(3)
    X, Y = (rng.random((65, 66)) < 0.3) * 1.0, sp.csr_array((rng.random((65, 20)) < 0.1).astype(np.uint8))
    labels = Y.indptr.astype(np.int64), Y.indices.astype(np.int32), rng.random(20)
    options = {"n_candidates": 65, "min_leaf": 1.0, "random_tests": False, "midpoint": False, "seed": 0}
    return TreeGrower(code_columns(X), *labels, **options)


def test_a_tree_does_not_depend_on_those_before_it():
    """Weights that fit a byte take another way of summing than the heavy ones after them."""
    for seed in range(20):
        heavy = np.random.default_rng(seed).integers(0, 300, 65).astype(float)
        warm, fresh = binary_grower(), binary_grower()
        warm.grow(np.ones(65), 1)
        one, other = warm.grow(heavy, 0), fresh.grow(heavy, 0)
        assert len(one["feature"]) > 20
        assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_a_grower_that_is_stopped_grows_no_more():
    grower = binary_grower()
    assert len(grower.grow_many(0, 3, True)) == 3
    grower.stop()
    assert len(grower.grow_many(3, 6, True)) == 0


def test_fractional_weights_grow_the_twins_tree():
    rng = np.random.default_rng(5)
    X = mixed(rng, 120, 9)
    Y = (rng.random((120, 4)) < 0.4).astype(np.uint8)
    options = {"n_candidates": 9, "min_leaf": 1.5, "random_tests": False, "seed": 0, "tree": 0}
    check_against_the_twin((X, Y, rng.random(120) * 3, np.zeros(9, np.int32), options))


def test_labels_and_weights_of_another_length_are_refused():
    labels = sp.csr_array(np.ones((4, 1), np.uint8))
    arrays = labels.indptr.astype(np.int64), labels.indices.astype(np.int32), np.ones(1)
    options = {"n_candidates": 1, "min_leaf": 1.0, "random_tests": False, "midpoint": False, "seed": 0}
    with pytest.raises(ValueError, match="labels"):
        TreeGrower(code_columns(np.ones((5, 1))), *arrays, **options)
    with pytest.raises(ValueError, match="weights"):
        TreeGrower(code_columns(np.ones((4, 1))), *arrays, **options).grow(np.ones(5), 0)
