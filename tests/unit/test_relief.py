"""MLC-Relief against its naive twin, and by hand; test_published_knn.py has the published figures."""

import numpy as np
import pytest
import relief_twin
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.rankers import ReliefRanker
from mlsieve.rankers.relief import examples_in_use
from mlsieve.relief import relief_scores

pytestmark = pytest.mark.kernel

DISTANCES = ("hamming", "accuracy", "f1", "subset")


@st.composite
def problems(draw):
    """Features of every kind, with ties and missing values, labels and settings."""
    n = draw(st.integers(2, 25) | st.integers(60, 75))  # a tile has 64 rows
    n_features, n_labels = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, n_values = np.zeros((n, n_features)), np.zeros(n_features, np.int64)
    for i in range(n_features):
        kind = draw(
            st.sampled_from(["real", "ties", "binary", "sparse", "constant", "nominal", "two values"])
        )
        if kind == "real":
            X[:, i] = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
        elif kind == "ties":
            X[:, i] = rng.integers(-2, 3, n)
        elif kind == "binary":
            X[:, i] = rng.random(n) < 0.3
        elif kind == "sparse":
            X[:, i] = rng.integers(-2, 3, n) * (rng.random(n) < 0.3)
        elif kind == "constant":
            X[:, i] = 3.0
        else:
            n_values[i] = 2 if kind == "two values" else draw(st.integers(3, 5))
            X[:, i] = rng.integers(0, n_values[i], n)
        if draw(st.booleans()) and draw(st.booleans()):
            X[rng.random(n) < 0.2, i] = np.nan
    Y = (rng.random((n, n_labels)) < rng.random(n_labels)).astype(np.uint8)
    k_values = sorted(draw(st.sets(st.integers(1, min(n - 1, 12)), min_size=1, max_size=3)))
    m_values = sorted(draw(st.sets(st.integers(1, n), min_size=1, max_size=3)))
    setting = {
        "distance": draw(st.sampled_from(DISTANCES)),
        "sigma": draw(st.sampled_from([0.0, 0.1, 0.7])),
        "n_values": n_values,
        "seed": draw(st.integers(0, 2**40)),
    }
    return X, Y, k_values, m_values, setting


@settings(max_examples=150, deadline=None)
@given(problems())
def test_every_k_and_m_of_one_pass_is_the_twins(problem):
    X, Y, k_values, m_values, setting = problem
    found = relief_scores(X, sp.csr_array(Y), k_values=k_values, m_values=m_values, **setting)
    assert found.shape == (len(k_values), len(m_values), X.shape[1])
    assert (np.abs(found) <= 1 + 1e-12).all()
    for i, k in enumerate(k_values):
        for j, m in enumerate(m_values):
            expected = relief_twin.scores(X, Y, k=k, m=m, **setting)
            np.testing.assert_allclose(found[i, j], expected, rtol=0, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(problems())
def test_dense_or_sparse_and_any_threads_give_the_same_bytes(problem):
    X, Y, k_values, m_values, setting = problem
    results = [
        relief_scores(
            rows, sp.csr_array(Y), k_values=k_values, m_values=m_values, n_threads=n_threads, **setting
        ).tobytes()
        for rows in (X, sp.csr_array(X))
        for n_threads in (1, 2, 3)
    ]
    assert len(set(results)) == 1


def test_by_hand():
    """Four examples on a line; the first feature follows the label, the second is noise."""
    X = np.array([[0.0, 0.0], [0.0, 0.4], [1.0, 0.0], [1.0, 1.0]])
    Y = np.array([[1, 0], [1, 0], [0, 0], [0, 0]], np.uint8)
    # Nearest others: 0 -> 1 (0.4), 1 -> 0 (0.4), 2 -> 0 (1.0, before 3, equally far), 3 -> 2 (1.0).
    # Targets differ for 2 -> 0 only: T = 1, A = (1, 0.4 + 0.4 + 0 + 1), AT = (1, 0), m = 4.
    found = ReliefRanker(distance="subset", k=1, m=1.0).fit(X, Y).feature_importances_
    np.testing.assert_allclose(found, [1 - 0 / 3, 0 - 1.8 / 3], rtol=1e-15)


@pytest.mark.parametrize("labels", [[1, 1, 1, 1], [0, 0, 0, 0]])
def test_without_any_difference_of_labels_the_first_term_is_zero(labels):
    X = np.array([[0.0], [0.2], [0.5], [1.0]])
    Y = sp.csr_array(np.array([labels, labels], np.uint8).T)
    found = relief_scores(X, Y, k_values=[1])[0, 0]
    np.testing.assert_allclose(found, [-(0.2 + 0.2 + 0.3 + 0.5) / 4])


def test_without_any_agreement_of_labels_the_second_term_is_zero():
    X, Y = np.array([[0.0], [0.25], [1.0]]), sp.csr_array(np.eye(3, dtype=np.uint8))
    np.testing.assert_allclose(relief_scores(X, Y, k_values=[1])[0, 0], [(0.25 + 0.25 + 0.75) / 3])


@pytest.mark.parametrize(
    "m, n, expected", [(0.25, 10, 3), (0.25, 9, 2), (1.0, 7, 7), (1, 7, 1), (40, 7, 7), (0.01, 7, 1)]
)
def test_m_is_a_count_or_a_share_rounded_half_up(m, n, expected):
    assert examples_in_use(m, n) == expected


@pytest.mark.parametrize(
    "name, value", [("k", 0), ("m", 0), ("m", 1.5), ("sigma", -1.0), ("distance", "euclid")]
)
def test_a_setting_out_of_range_is_refused(name, value):
    with pytest.raises(ValueError, match=name):
        ReliefRanker(**{name: value}).fit(np.eye(4), np.eye(4, dtype=int))


def test_declared_categories_count_where_a_value_is_missing():
    """One of three declared categories never occurs: a missing value is 1 - 1/3 away from any."""
    X, Y = np.array([[0.0], [np.nan], [1.0]]), np.eye(3, dtype=int)
    two, three = (
        ReliefRanker(k=1, m=1.0, nominal=[True], n_categories=counts).fit(X, Y).feature_importances_[0]
        for counts in (None, [3])
    )
    assert (two, three) == pytest.approx((1 / 2, 2 / 3))
