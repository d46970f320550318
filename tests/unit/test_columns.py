"""Coding of features for the tree kernels."""

import tracemalloc
from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.trees.columns import code_columns


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


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_cell_beyond_its_categories_is_refused_by_the_features_number(storage):
    X = np.zeros((3000, 200))
    X[:, 150] = 5
    with pytest.raises(ValueError, match="nominal feature 150 holds more than its 3 categories"):
        code_columns(storage(X), np.where(np.arange(200) == 150, 3, 0))
