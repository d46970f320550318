"""Entropies and mutual information against plain counting."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlsieve.data import load_dataset
from mlsieve.discretize.information import DiscreteData

pytestmark = pytest.mark.kernel


def entropy(*columns):
    """Joint plug-in entropy in bits of columns of values."""
    rows = list(zip(*columns, strict=True))
    shares = np.array([rows.count(row) for row in dict.fromkeys(rows)]) / len(rows)
    return float(-(shares * np.log2(shares)).sum())


def information(a, b, *given):
    """M(a; b | given)."""
    known = entropy(*given) if given else 0.0
    return entropy(a, *given) + entropy(b, *given) - entropy(a, b, *given) - known


@st.composite
def problems(draw):
    n, n_features, n_labels = draw(st.integers(1, 12)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    values = st.sampled_from([0.0, 1.0, 2.0, -1.5, 0.25])
    X = draw(arrays(np.float64, (n, n_features), elements=values, fill=st.just(0.0)))
    for feature in range(n_features):
        if draw(st.booleans()):
            X[:, feature] = X[:, feature] != 0
    Y = draw(arrays(np.uint8, (n, n_labels), elements=st.integers(0, 1)))
    return X, Y


@settings(max_examples=200, deadline=None)
@given(problems(), st.booleans())
def test_all_quantities_are_those_of_plain_counting(problem, missing):
    X, Y = problem
    if missing:
        X[0, 0] = np.nan
    columns = [tuple("missing" if np.isnan(x) else x for x in column) for column in X.T.tolist()]
    labels = [tuple(column) for column in Y.T.tolist()]
    for storage in (np.asarray, sp.csr_array):
        data = DiscreteData(storage(X), sp.csr_array(Y))
        assert data.n_rows == len(X) and data.n_features == len(columns)
        assert data.entropy == pytest.approx([entropy(f) for f in columns], abs=1e-12)
        assert data.relevance == pytest.approx(
            [sum(information(f, label) for label in labels) for f in columns], abs=1e-11
        )
        for chosen, s in enumerate(columns):
            assert data.redundancy(chosen) == pytest.approx([information(f, s) for f in columns], abs=1e-12)
            assert data.relevance_given(chosen) == pytest.approx(
                [sum(information(f, label, s) for label in labels) for f in columns], abs=1e-11
            )


def test_features_of_two_values_among_others_are_counted_like_them():
    rng = np.random.default_rng(1)
    X = (rng.random((60, 8)) < [0.1, 0.5, 0.9, 0.3, 0.2, 0.7, 0.5, 0.5]).astype(float)
    X[:, 6] += X[:, 0]  # three values
    X[:, 7] = np.arange(60) % 30
    Y = (rng.random((60, 3)) < 0.4).astype(np.uint8)
    columns, labels = X.T.tolist(), Y.T.tolist()
    data = DiscreteData(sp.csr_array(X), sp.csr_array(Y))
    for chosen, s in enumerate(columns):
        assert data.redundancy(chosen) == pytest.approx([information(f, s) for f in columns], abs=1e-12)
        assert data.relevance_given(chosen) == pytest.approx(
            [sum(information(f, label, s) for label in labels) for f in columns], abs=1e-11
        )


def test_features_of_one_value_have_no_entropy_at_all():
    X = np.column_stack([np.zeros(7), np.full(7, 3.0), np.full(7, np.nan), np.arange(7) == 3])
    data = DiscreteData(X, sp.csr_array(np.eye(7, 2, dtype=np.uint8)))
    assert data.entropy[:3].tolist() == [0.0, 0.0, 0.0] and data.entropy[3] > 0
    assert data.relevance[:3].tolist() == [0.0, 0.0, 0.0]
    assert data.redundancy(3)[:3].tolist() == [0.0, 0.0, 0.0]
    assert data.relevance_given(3)[:3].tolist() == [0.0, 0.0, 0.0]


def test_dense_and_sparse_data_give_the_same_bytes():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 40)) < 0.2, rng.integers(1, 4, (300, 40)), 0).astype(float)
    X[:, ::5] = rng.integers(0, 6, (300, 8))
    Y = sp.csr_array((rng.random((300, 9)) < 0.2).astype(np.uint8))
    dense, sparse = DiscreteData(X, Y), DiscreteData(sp.csr_array(X), Y)
    pairs = itertools.chain(
        [(dense.entropy, sparse.entropy), (dense.relevance, sparse.relevance)],
        ((dense.redundancy(s), sparse.redundancy(s)) for s in range(40)),
        ((dense.relevance_given(s), sparse.relevance_given(s)) for s in range(40)),
    )
    assert all(one.tobytes() == other.tobytes() for one, other in pairs)


def test_the_published_figures_of_bibtex(mirror):
    """SCLS paper, section 3.3; features are counted from 1 there."""
    dataset = load_dataset("bibtex")
    data = DiscreteData(dataset.X, dataset.Y)
    assert data.entropy[[381, 951, 1823]] == pytest.approx([0.845, 0.587, 0.587], abs=5e-4)
    assert data.relevance[[951, 381, 0]] == pytest.approx([1.596, 1.007, 0.199], abs=5e-4)
    assert data.redundancy(951)[951] == pytest.approx(data.entropy[951], abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 400), st.integers(1, 60), st.booleans())
def test_renamed_categories_tell_the_same_to_the_last_bit(seed, n, n_labels, sparse):
    """Sums of other orders are equal, so that the lower index wins and not a rounding error."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 4)).astype(float) * (rng.random((n, 4)) < rng.random())
    renamed = np.array([2.0, 0.0, 1.0])[X.astype(int)]
    Y = sp.csr_array((rng.random((n, n_labels)) < 0.2).astype(np.uint8))
    both = np.hstack([X, renamed])
    data = DiscreteData(sp.csr_array(both) if sparse else both, Y)
    found = [data.entropy, data.relevance]
    found += [ask(chosen) for ask in (data.redundancy, data.relevance_given) for chosen in (0, 3)]
    for values in found:
        assert values[:4].tobytes() == values[4:].tobytes()
    for ask in (data.redundancy, data.relevance_given):
        assert ask(1).tobytes() == ask(5).tobytes()
    np.testing.assert_array_equal(data.redundancy(2)[[2, 6]], data.entropy[[2, 2]])
