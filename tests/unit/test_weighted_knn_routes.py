"""Each of the search's routes against the twin: rows, lists of rare columns, counts, cells out of range."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from test_weighted_knn_twin import WEIGHTS, cases, make_dataset, twin_votes

from mlsieve.evaluators import WeightedKNN, _search, neighbor_votes

pytestmark = pytest.mark.kernel


def check_against_twin(X, n_train, n_values, weightings, k, ranges="train", threads=(1, 2)):
    """Compare the neighbours themselves: each training row has a label of its own."""
    Y = np.eye(n_train, dtype=int)
    labels = np.vstack([Y, np.zeros((len(X) - n_train, n_train), int)])
    expected = np.array([twin_votes(X, Y, n_train, n_values, w, k, ranges) for w in weightings])
    for sparse in (False, True):
        dataset = make_dataset(X, labels, n_train, n_values, sparse)
        for n_threads in threads:
            votes = neighbor_votes(dataset, weightings, k=k, ranges=ranges, n_threads=n_threads)
            np.testing.assert_array_equal(votes, expected)


@pytest.fixture(params=["rows", "lists", "rare lists"])
def route(request, monkeypatch):
    """Sum sparse rows row by row, column by column, or both."""
    often, many = {"rows": (0.025, 10**9), "lists": (2.0, 0), "rare lists": (0.3, 0)}[request.param]
    monkeypatch.setattr(_search, "_OFTEN", often)
    monkeypatch.setattr(_search, "_MANY", many)
    return request.param


@pytest.mark.parametrize("often", [-1.0, 0.3, 2.0])
@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_votes_equal_the_twin_by_rows_and_by_lists(often, case):
    X, n_train, n_values, weightings, k, ranges = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_search, "_OFTEN", often)
        patch.setattr(_search, "_MANY", 0)
        check_against_twin(X, n_train, n_values, weightings, k, ranges, threads=(1,))


def mixed(random, n, n_features, density):
    """Rows of 0/1, count, fractional and nominal features, some with missing cells; numbers of categories."""
    X = (random.random((n, n_features)) < density) * 1.0
    n_values = [0] * n_features
    for i in range(n_features):
        kind = i % 5
        if kind == 1:
            X[:, i] *= random.integers(1, 5, n)
        elif kind == 2:
            X[:, i] *= random.normal(size=n)
        elif kind == 3:
            n_values[i], X[:, i] = 2, X[:, i]
        elif kind == 4:
            n_values[i], X[:, i] = 4, X[:, i] * random.integers(1, 4, n)
        if i % 7 == 6:
            X[random.random(n) < 0.2, i] = math.nan
    return X, n_values


@pytest.mark.parametrize("k", [1, 3, 25])
@pytest.mark.parametrize("density", [0.1, 0.6])
def test_several_tiles_of_mixed_features(route, k, density):
    """37 test rows are two tiles and a part; for small k training rows enough for a bar of groups."""
    random = np.random.default_rng(int(10 * density) + k)
    X, n_values = mixed(random, 97, 23, density)
    weightings = random.random((3, 23))
    weightings[random.random(weightings.shape) < 1 / 3] = 0.0
    check_against_twin(X, 60, n_values, np.vstack([weightings, np.ones(23)]), k)


@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("weight", [1.0, 0.1, 1e-300, 7.7])
def test_counted_features_break_ties_by_row(route, nominal, weight):
    """0/1 features of one weight: few distinct distances, each of many rows."""
    random = np.random.default_rng(5)
    X = (random.random((140, 12)) < 0.25).astype(float)
    weights = np.full((2, 12), weight)
    weights[1, ::3] = 0.0
    check_against_twin(X, 120, [2 * nominal] * 12, weights, 7)


def test_numbers_just_off_0_and_1_are_not_counted():
    X = (np.random.default_rng(6).random((70, 9)) < 0.4).astype(float)
    X[:50:3, 4] *= 1.0 - 2.0**-52
    X[50:, 5] *= 1.0 + 2.0**-52
    check_against_twin(X, 50, [0] * 9, np.ones((1, 9)), 6)


@pytest.mark.parametrize("factor", [1e-200, 1e-30, 1e12, 1e25, 1e160])
def test_cells_that_single_precision_cannot_hold(route, factor):
    """Test cells far outside the training range, and training cells of a tiny range, next to others."""
    random = np.random.default_rng(8)
    X, n_values = mixed(random, 70, 11, 0.5)
    X[52:58, 2] = factor * random.random(6)
    X[:50, 10] = 1.0 + random.integers(0, 3, 50) * 2.0**-50 if factor > 1 else X[:50, 10]
    weightings = np.array([np.ones(11), 10.0 ** -np.arange(0.0, 44.0, 4.0), np.ones(11)])
    weightings[2, 2] = 1e-60
    check_against_twin(X, 50, n_values, weightings, 5)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from([0.0, 0.2, 0.9]))
def test_equal_rows_and_weights_from_a_few(seed, k, density):
    """Many rows at equal or nearly equal distance, more than a tile of each."""
    random = np.random.default_rng(seed)
    distinct, n_values = mixed(random, 6, 7, density)
    X = distinct[random.integers(0, 6, 60)]
    check_against_twin(X, 40, n_values, random.choice(WEIGHTS, (2, 7)), k, threads=(1,))


def test_rows_that_are_not_in_order_and_hold_zeros():
    """Stored zeros, duplicates and unsorted indices change nothing."""
    random = np.random.default_rng(9)
    X, n_values = mixed(random, 60, 8, 0.5)
    X = np.nan_to_num(X)
    made = make_dataset(X, np.eye(60, 5), 40, n_values, sparse=True)
    expected = neighbor_votes(made, np.ones((1, 8)), k=4)
    order = np.concatenate([8 * i + random.permutation(8) for i in range(60)])
    untidy = sp.csr_array((X.ravel()[order], order % 8, np.arange(0, 481, 8)), shape=(60, 8))
    made = make_dataset(X, np.eye(60, 5), 40, n_values, sparse=True)
    object.__setattr__(made, "X", untidy)
    np.testing.assert_array_equal(neighbor_votes(made, np.ones((1, 8)), k=4), expected)


@pytest.mark.parametrize("others", ["plain", "missing"])
def test_features_without_zeros_far_from_zero(route, others):
    """Like years: their distances are small against their values, in sparse rows, too."""
    random = np.random.default_rng(11)
    X, n_values = mixed(random, 75, 9, 0.4)
    X = np.nan_to_num(X) if others == "plain" else X
    X[:, 0], X[:, 2] = random.integers(1990, 2011, 75), 5e6 + random.random(75)
    if others == "missing":
        X[::9, 2] = math.nan
    check_against_twin(X, 55, n_values if others == "missing" else [0] * 9, random.random((2, 9)), 6)


@pytest.mark.parametrize("value", [2e5, 1.7e12, 1e308])
def test_a_feature_without_weight_leaves_counts_alone(value):
    """Cells beyond single precision, in a column that no distance looks at."""
    random = np.random.default_rng(0)
    X = np.hstack([(random.random((60, 8)) < 0.4) * 1.0, np.ones((60, 1))])
    X[3, 8] = np.nan
    X[40:, 8] = value
    check_against_twin(X, 40, [0] * 9, np.array([[1.0] * 8 + [0.0]]), 5)


@pytest.mark.parametrize("gap", [1e-16, 1e-14, 1e-12, 1e-10])
def test_far_rows_tie_where_double_precision_cannot_tell_their_neighbours(gap):
    """Distances of 1e8 that differ by 1e-9 are equal when rounded: the first row is the nearest."""
    X = np.array([[0.0], [gap], [-0.5], [0.5], [-gap], [1e4], [-1e4]])
    check_against_twin(X, 5, [0], np.ones((1, 1)), 2)
    rows = np.zeros((12, 40))
    rows[1, 0] = gap
    rows[2:8, :25] = 1.0
    rows[8:] = 1.0
    check_against_twin(rows, 8, [0] * 40, np.ones((1, 40)), 7)


@pytest.mark.parametrize("seed", range(5))
def test_categories_that_no_training_row_has_are_far_from_all(seed):
    """Whatever number stands for them, in dense and in sparse rows."""
    random = np.random.default_rng(seed)
    X, Y = random.integers(0, 4, (30, 4)).astype(float), np.eye(30, dtype=int)
    unknown, known = random.random((10, 4)) < 0.4, random.integers(0, 4, (10, 4)).astype(float)
    votes = []
    for number in (-1, -2, -3, 1, 9):
        test = np.where(unknown, float(number), known)
        model = WeightedKNN(k=3, nominal=[0, 1, 2, 3])
        votes.append(model.fit(X, Y).predict_proba(test))
        sparse = model.fit(sp.csr_array(X), Y).predict_proba(sp.csr_array(test))
        np.testing.assert_array_equal(votes[-1], sparse)
    for other in (1, 2, 4):
        np.testing.assert_array_equal(votes[0], votes[other])
    assert (votes[0] != votes[3]).any()  # 1 is a category that rows have


def test_numbers_near_the_largest_raise_no_warning(recwarn):
    random = np.random.default_rng(2)
    X = 1e308 * (1 + 0.1 * random.random((60, 3)))
    check_against_twin(X, 40, [0] * 3, np.ones((1, 3)), 5, ranges="all")
    assert not recwarn.list
