"""The tree kernel against its naive twin where labels are many and rare, as classes of a hierarchy are."""

from __future__ import annotations

import numpy as np
import pct_twin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pct_twin import kernel_tree

pytestmark = pytest.mark.kernel


@st.composite
def problems(draw):
    """Features with and without missing values, a nominal and a sparse one among them; 30 to 70 labels."""
    n = draw(st.integers(3, 110))  # more than the rows whose pairs are summed, and fewer
    n_labels = draw(st.integers(30, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 4, n), rng.integers(0, 4, n)]).astype(float)
    X = np.column_stack([X, rng.integers(1, 4, n) * (rng.random(n) < 0.2)])
    n_categories = np.array([0, 0, 0, 4, 0], np.int32)
    missing = draw(st.sampled_from([0.0, 0.02, 0.15, 0.6]))
    X[:, :4][rng.random((n, 4)) < missing] = np.nan
    # A few labels that follow features and are common, one that all rows have, the others rare.
    Y = rng.random((n, n_labels)) < rng.choice([0.02, 0.1, 0.3], n_labels)
    Y[:, 0] = np.nan_to_num(X[:, 0]) > 0
    Y[:, 1] = np.nan_to_num(X[:, 2]) > 1
    Y[:, 2] = draw(st.booleans())
    label_weights = rng.choice([0.0, 0.25, 0.75, 1.0], n_labels)
    weights = rng.integers(0, 3, n).astype(float)
    weights[rng.integers(n)] = 1.0
    options = {
        "n_candidates": draw(st.sampled_from([2, 5])),
        "min_leaf": float(draw(st.sampled_from([1, 2]))),
        "random_tests": draw(st.booleans()),
        "seed": draw(st.integers(0, 2**40)),
        "tree": draw(st.integers(0, 300)),
    }
    return X, Y.astype(np.uint8), weights, label_weights, n_categories, options


@settings(max_examples=150, deadline=None)
@given(problems())
def test_kernel_grows_the_twins_tree_of_many_labels(problem):
    X, Y, weights, label_weights, n_categories, options = problem
    twin = pct_twin.grow(X, Y, weights, label_weights, n_categories, **options)
    grown = kernel_tree(X, Y, weights, n_categories, options, label_weights)
    assert grown["feature"].tolist() == [node["feature"] for node in twin]
    np.testing.assert_allclose(grown["weight"], [node["weight"] for node in twin], rtol=1e-12)
    for at, node in enumerate(twin):
        part = slice(grown["leaf_start"][at], grown["leaf_start"][at + 1])
        if node["feature"] >= 0:
            assert grown["gain"][at] == pytest.approx(node["gain"], rel=1e-8, abs=1e-9)
            subset = grown["subset"][grown["subset_start"][at] : grown["subset_start"][at + 1]].tolist()
            assert subset == node.get("subset", [])
            if not subset:
                assert grown["threshold"][at] == node["threshold"]
        else:
            counts = np.zeros(Y.shape[1])
            counts[grown["leaf_label"][part]] = grown["leaf_count"][part]
            np.testing.assert_allclose(counts, node["labels"], rtol=1e-9, atol=1e-12)
