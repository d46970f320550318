"""Cuts of numeric features: LAIM against a naive search, the plain ones by hand, what is done with zeros."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlsieve.data import load_dataset
from mlsieve.discretize import learn_cuts

pytestmark = pytest.mark.kernel


def criterion(column, Y, cuts, more):
    """LAIM of a column cut at `cuts`."""
    interval = np.searchsorted(sorted(cuts), column)
    counts = [Y[interval == r].sum(axis=0) for r in range(len(cuts) + 1)]
    terms = [q.max() ** 2 / q.sum() for q in counts if q.sum() > 0]
    return sum(terms) / ((len(cuts) + 1 + more) * max(Y.sum(), 1.0))


def naive_laim(column, Y, more):
    known = ~np.isnan(column)
    column, Y = column[known], Y[known].astype(float)
    values = np.unique(column)
    candidates = list(values[:-1] + (values[1:] - values[:-1]) / 2)
    cuts, best = [], -1.0
    while candidates:
        scores = [criterion(column, Y, [*cuts, cut], more) for cut in candidates]
        top = int(np.argmax(np.array(scores) >= max(scores) * (1 - 1e-12)))
        if not scores[top] > best * (1 + 1e-12):
            break
        best = scores[top]
        cuts.append(candidates.pop(top))
    return sorted(cuts)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.integers(2, 14), st.integers(1, 4), st.booleans())
def test_laim_is_that_of_trying_all_cuts(data, n, n_labels, missing):
    values = st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.0, -2.5, 0.5])
    X = data.draw(arrays(np.float64, (n, 3), elements=values, fill=st.just(0.0)))
    Y = data.draw(arrays(np.uint8, (n, n_labels), elements=st.integers(0, 1)))
    if missing:
        X[0, 0] = np.nan
    for method, more in (("laim", 0), ("laim-boundaries", 1)):
        expected = [naive_laim(column, Y, more) for column in X.T]
        for storage in (np.asarray, sp.csr_array):
            cuts = learn_cuts(storage(X), sp.csr_array(Y), method=method)
            assert [cuts.of(feature).tolist() for feature in range(3)] == expected


def test_laim_mostly_makes_two_intervals(mirror):
    dataset = load_dataset("yeast")
    cuts = learn_cuts(dataset.X, dataset.Y)
    assert (np.diff(cuts.start) == 1).all() and len(cuts.cuts) == 103


def test_the_authors_divisor_leaves_some_features_of_scene_with_three_intervals(mirror):
    """By their program 282 of 294 have two (on a split that is not known); as printed all have."""
    dataset = load_dataset("scene")
    two = {
        method: int((np.diff(learn_cuts(dataset.X, dataset.Y, method=method).start) == 1).sum())
        for method in ("laim", "laim-boundaries")
    }
    assert two == {"laim": 294, "laim-boundaries": 284}


def test_plain_cuts_by_hand():
    X = np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 10])[:, None]
    Y = sp.csr_array(np.ones((10, 1), np.uint8))
    assert learn_cuts(X, Y, method="equal-width", bins=5).of(0).tolist() == [2.0, 4.0, 6.0, 8.0]
    assert learn_cuts(X, Y, method="equal-frequency", bins=5).of(0).tolist() == [1.5, 3.5, 5.5, 7.5]
    assert learn_cuts(X, Y, method="none").of(0).tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 9.0]
    skewed = np.array([0.0] * 8 + [1, 100])[:, None]
    assert learn_cuts(skewed, Y, method="equal-width", bins=4).of(0).tolist() == [25.0]
    assert learn_cuts(skewed, Y, method="equal-frequency", bins=4).of(0).tolist() == [0.5]
    constant = np.ones((10, 1))
    for method in ("laim", "equal-width", "equal-frequency", "none"):
        assert learn_cuts(constant, Y, method=method).of(0).tolist() == []


def test_zeros_stay_zeros_and_unseen_values_fall_into_an_interval():
    X = np.array([[-3.0, 5], [-1, 0], [0, 0], [2, 7], [np.nan, 9]])
    cuts = learn_cuts(X, sp.csr_array(np.ones((5, 1), np.uint8)), method="none")
    assert cuts.of(0).tolist() == [-2.0, -0.5, 1.0]
    assert cuts.categories(0) == ("(-0.5, 1]", "(-inf, -2]", "(-2, -0.5]", "(1, inf)")
    expected = np.array([[1, 1], [2, 0], [0, 0], [3, 2], [np.nan, 3]])
    np.testing.assert_array_equal(cuts.transform(X), expected)
    sparse = cuts.transform(sp.csr_array(X))
    np.testing.assert_array_equal(sparse.toarray(), expected)
    assert sparse.nnz == np.count_nonzero(expected)
    np.testing.assert_array_equal(cuts.transform(np.array([[-99.0, 99.0], [-2.0, 0.1]])), [[1, 3], [1, 0]])


def test_nominal_features_stay_as_they_are():
    X = np.array([[2.0, 0.3], [0, 0.7], [1, 0.9], [2, 0.1]])
    Y = sp.csr_array(np.eye(4, 2, dtype=np.uint8))
    for method in ("laim", "equal-width", "equal-frequency", "none"):
        cuts = learn_cuts(X, Y, method=method, numeric=np.array([False, True]))
        assert len(cuts.of(0)) == 0 and len(cuts.of(1)) > 0
        np.testing.assert_array_equal(cuts.transform(X)[:, 0], X[:, 0])
