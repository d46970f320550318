"""Coding of features for the tree kernels."""

import tracemalloc
from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlsieve.data.coded_columns import SPARSE_SHARE, code_columns

pytestmark = pytest.mark.kernel


def features(n, n_features):
    """Features of all kinds, nominal and missing ones among them, and the numbers of categories."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, n_features)) < 0.1, rng.integers(-2, 4, (n, n_features)), 0.0)
    X[:, ::3] = rng.normal(size=X[:, ::3].shape)
    n_categories = np.zeros(n_features, int)
    n_categories[1::4] = 4
    X[:, 1::4] = rng.integers(0, 4, X[:, 1::4].shape)
    X[:, ::7][rng.random(X[:, ::7].shape) < 0.1] = np.nan
    return X, n_categories


def test_a_dense_matrix_larger_than_a_block_is_coded_like_a_sparse_one():
    X, n_categories = features(3000, 200)
    dense, sparse = code_columns(X, n_categories), code_columns(sp.csr_array(X), n_categories)
    for item in fields(dense):
        one, other = (np.asarray(getattr(store, item.name)) for store in (dense, sparse))
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes(), item.name


def test_an_order_of_very_many_features_takes_little_memory_for_each():
    X = sp.csr_array(([1.0, 1.0], ([0, 1], [3, 299_999])), shape=(2, 300_000))
    tracemalloc.start()
    try:
        code_columns(X, order_seed=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200 * X.shape[1]  # a Python object or two for each have as much


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_in_another_order_each_feature_keeps_its_own(kind):
    X, n_categories = features(3000, 200)
    store, plain = (code_columns(kind(X), n_categories, order_seed=seed) for seed in (3, None))
    order = store.data_column
    assert sorted(order) == list(range(200)) != list(order)
    own, expected = (np.split(each.values, each.value_start[1:-1]) for each in (store, plain))
    for place, column in enumerate(order):
        assert own[place].tolist() == expected[column].tolist()


def test_coding_a_dense_matrix_takes_a_few_times_its_memory():
    X = np.random.default_rng(0).normal(size=(4000, 500))
    tracemalloc.start()
    try:
        store = code_columns(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert store.nbytes < 1.7 * X.nbytes
    assert peak < 5 * X.nbytes


def test_coding_a_sparse_matrix_takes_little_more_than_the_store():
    X = (sp.random_array((8000, 1000), density=0.1, rng=0, format="csr") > 0).astype(np.float64)
    tracemalloc.start()
    try:
        store = code_columns(X, with_tests=False)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert store.nbytes < 1.5 * (X.data.nbytes + X.indices.nbytes)
    assert peak < 1.5 * store.nbytes


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_cell_beyond_its_categories_is_refused_by_the_features_number(storage):
    X = np.zeros((3000, 200))
    X[:, 150] = 5
    with pytest.raises(ValueError, match="nominal feature 150 holds more than its 3 categories"):
        code_columns(storage(X), np.where(np.arange(200) == 150, 3, 0))


def coded_twin(column, n_categories):
    """A column's values, its codes, and the code that is not listed (None for a dense one)."""
    known = column[~np.isnan(column)]
    values, counts = np.unique(known + 0.0, return_counts=True)
    if n_categories > 2:
        return np.arange(n_categories), np.where(np.isnan(column), -1, column), None
    codes = np.where(np.isnan(column), -1, np.searchsorted(values, column))
    few = len(values) <= 2 or len(column) - counts.max() < SPARSE_SHARE * len(column)
    return values, codes, counts.argmax() if few and len(known) == len(column) else None


VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, -1.0, 1e-310, 1 / 3, 2.0**53 + 2, 1e300, np.inf, np.nan])


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, 14), st.integers(1, 6), st.booleans())
def test_columns_are_coded_like_the_twins(data, n_rows, n_features, with_tests):
    X = data.draw(arrays(np.float64, (n_rows, n_features), elements=VALUES, fill=st.just(0.0)))
    n_categories = data.draw(arrays(np.int64, n_features, elements=st.integers(0, 5)))
    for feature, count in enumerate(n_categories):
        if count > 0:
            categories = st.sampled_from([*map(float, range(count)), np.nan])
            X[:, feature] = data.draw(arrays(np.float64, n_rows, elements=categories))
    for storage in (np.asarray, sp.csr_array, sp.csc_array):
        store = code_columns(storage(X), n_categories, with_tests=with_tests)
        cells = sp.csr_array((store.row_code, store.row_feature, store.row_start), shape=X.shape)
        for feature in range(n_features):
            values, codes, rest = coded_twin(X[:, feature], n_categories[feature])
            np.testing.assert_array_equal(
                store.values[slice(*store.value_start[feature : feature + 2])], values
            )
            if rest is None:
                assert store.rest_code[feature] == -1
                slot = store.dense_slot[feature]
                assert store.n_known[slot] == (codes >= 0).sum()
                np.testing.assert_array_equal(store.codes[slot], codes)
                assert store.column_start[feature] == store.column_start[feature + 1]
                continue
            assert store.dense_slot[feature] == -1 and store.rest_code[feature] == rest
            listed = slice(*store.column_start[feature : feature + 2])
            np.testing.assert_array_equal(store.column_row[listed], np.flatnonzero(codes != rest))
            np.testing.assert_array_equal(store.column_code[listed], codes[codes != rest])
            of_feature = np.flatnonzero(store.row_feature == feature)
            rows = np.searchsorted(store.row_start, of_feature, side="right") - 1
            np.testing.assert_array_equal(rows, np.flatnonzero(codes != rest))
            np.testing.assert_array_equal(cells.data[of_feature], codes[codes != rest])


@pytest.mark.parametrize(
    "values",
    [
        lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
        lambda rng, n: 1 + rng.integers(-500, 500, n) * 2.0**-52,  # they differ in their last bits only
        lambda rng, n: -1 - rng.integers(0, 500, n) * 2.0**-40,
        lambda rng, n: rng.integers(-3, 3, n) * 5e-324,
        lambda rng, n: np.where(
            rng.random(n) < 0.1, np.nan, rng.choice([-np.inf, np.inf, -1.5, 2.5, 0.0], n)
        ),
    ],
    ids=["magnitudes", "last bits", "negative", "denormal", "infinite"],
)
@pytest.mark.parametrize("n", [100, 1000])
def test_columns_of_many_values_are_coded_like_the_twins(values, n):
    X = values(np.random.default_rng(n), (n, 3))
    store = code_columns(X)
    for feature in range(3):
        distinct, codes, rest = coded_twin(X[:, feature], 0)
        np.testing.assert_array_equal(
            store.values[slice(*store.value_start[feature : feature + 2])], distinct
        )
        assert rest is None
        np.testing.assert_array_equal(store.codes[store.dense_slot[feature]], codes)
