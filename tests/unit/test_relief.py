"""MLC-Relief against its naive twin, and by hand; test_published_knn.py has the published figures."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import relief_twin
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.data import load_dataset
from mlsieve.errors import UserError
from mlsieve.rankers import ReliefRanker
from mlsieve.rankers.dataset_rankings import rank_dataset
from mlsieve.rankers.relief import examples_in_use, relief_importances
from mlsieve.relief.multi_label import relief_scores

pytestmark = pytest.mark.kernel

NUMERIC = ("real", "ties", "binary", "sparse", "constant", "huge constant", "offset")
DISTANCES = ("hamming", "accuracy", "f1", "subset")


@st.composite
def problems(draw):
    """Features of every kind, with ties and missing values, labels and settings."""
    n = draw(st.integers(2, 25) | st.integers(60, 75))  # a tile has 64 rows
    n_features, n_labels = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, n_values = np.zeros((n, n_features)), np.zeros(n_features, np.int64)
    for i in range(n_features):
        kind = draw(st.sampled_from([*NUMERIC, "nominal", "two values"]))
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
        elif kind == "huge constant":
            X[:, i] = 1.7e308
        elif kind == "offset":
            X[:, i] = 1e9 + rng.normal(size=n)
        else:
            n_values[i] = 2 if kind == "two values" else draw(st.integers(3, 5))
            X[:, i] = rng.integers(0, n_values[i], n)
        if draw(st.booleans()) and draw(st.booleans()):
            X[rng.random(n) < 0.2, i] = np.nan
    if draw(st.booleans()):  # few stored cells: sparse rows stay sparse
        X = np.hstack([X, np.zeros((n, 3 * n_features))])
        n_values = np.concatenate([n_values, np.zeros(3 * n_features, np.int64)])
    Y = (rng.random((n, n_labels)) < rng.random(n_labels)).astype(np.uint8)
    k_values = draw(st.lists(st.integers(1, min(n - 1, 12)), min_size=1, max_size=3))
    m_values = draw(st.lists(st.integers(1, n), min_size=1, max_size=3))
    setting = {
        "distance": draw(st.sampled_from(DISTANCES)),
        "sigma": draw(st.sampled_from([0.0, 0.1, 0.7, 60.0])),
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
    "m, n, expected",
    [(0.25, 10, 3), (0.25, 9, 2), (1.0, 7, 7), (1, 7, 1), (40, 7, 7), (0.01, 7, 1), (1e-9, 7, 1)],
)
def test_m_is_a_count_or_a_share_rounded_half_up(m, n, expected):
    assert examples_in_use(m, n) == expected


def test_shares_are_rounded_as_they_are_written():
    """0.29 * 50 is a little less than 14.5 in binary."""
    for hundredths in range(1, 101):
        for n in range(50, 1000, 10):
            expected = (2 * hundredths * n + 100) // 200
            assert examples_in_use(hundredths / 100, n) == max(1, expected)


def test_sizes_are_percentages_in_place_of_m():
    """1 % of 150 are 1.5, rounded half up; any order, and each as if it were alone."""
    X, Y = random_problem(150, 5)
    labels = sp.csr_array(Y)
    found = relief_importances(X, labels, sizes=[25, 1, 100, 29], k=4, random_state=3)
    assert found.shape == (4, 5)
    for scores, m in zip(found, (0.25, 2, 1.0, 0.29), strict=True):
        assert scores.tobytes() == relief_importances(X, labels, m=m, k=4, random_state=3).tobytes()


@pytest.mark.parametrize("sizes", [[], [0], [1, 101]])
def test_sizes_out_of_range_are_refused(sizes):
    X, Y = random_problem(20, 3)
    with pytest.raises(ValueError, match="must be percentages from 1 to 100"):
        relief_importances(X, sp.csr_array(Y), sizes=sizes)


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


def random_problem(n, n_features, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, n_features)), (rng.random((n, 4)) < 0.4).astype(np.uint8)


def test_categories_of_another_number_of_features_are_refused():
    X, Y = random_problem(20, 3)
    with pytest.raises(ValueError, match=r"n_categories has the shape \(2,\), X has 3 features"):
        ReliefRanker(nominal=[0], n_categories=[3, 3]).fit(np.floor(X * 3), Y)


def test_nominal_features_may_be_named():
    X, Y = random_problem(20, 3)
    X = pd.DataFrame(np.floor(X * 3), columns=list("abc"))
    named, numbered = (
        ReliefRanker(m=1.0, k=3, nominal=nominal).fit(X, Y).feature_importances_ for nominal in (["b"], [1])
    )
    assert named.tobytes() == numbered.tobytes()
    assert named.tobytes() != ReliefRanker(m=1.0, k=3).fit(X, Y).feature_importances_.tobytes()


def test_a_feature_without_finite_range_is_named():
    X, Y = random_problem(20, 2)
    X[:2, 1] = 1e308, -1e308
    with pytest.raises(UserError, match="feature 'second' has no finite range"):
        ReliefRanker().fit(pd.DataFrame(X, columns=["first", "second"]), Y)
    dataset = load_dataset("synthetic-linear")
    wide = dataset.X.copy()
    wide[np.flatnonzero(dataset.train_mask)[:2], 3] = 1e308, -1e308
    with pytest.raises(UserError, match=f"feature '{dataset.feature_names[3]}' has no finite range"):
        rank_dataset(replace(dataset, X=wide), "relief", {})


def test_a_number_of_neighbors_that_there_are_not_means_all():
    X, Y = random_problem(12, 4)
    found = {}
    for k in (1, 11, 12, 100):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found[k] = ReliefRanker(k=k, m=1.0).fit(X, Y).feature_importances_.tobytes()
        assert any("exceeds the 11 other examples" in str(each.message) for each in said) == (k > 11)
    assert found[100] == found[12] == found[11] != found[1]


@pytest.mark.parametrize(
    "values", [{"k_values": [0]}, {"k_values": [20]}, {"m_values": [3, 21]}, {"m_values": [0]}]
)
def test_numbers_out_of_range_are_refused(values):
    X, Y = random_problem(20, 4)
    with pytest.raises(ValueError, match=f"{next(iter(values))} = .* not within 1"):
        relief_scores(X, sp.csr_array(Y), **values)


def test_the_examples_depend_on_the_seed():
    X, Y = random_problem(60, 5)
    found = [ReliefRanker(m=5, random_state=s).fit(X, Y).feature_importances_ for s in range(3)]
    assert len({scores.tobytes() for scores in found}) == 3
    for s, scores in enumerate(found):
        assert scores.tobytes() == relief_scores(X, sp.csr_array(Y), m_values=[5], seed=s).tobytes()


def test_numbers_of_one_pass_come_in_any_order_and_change_none_of_the_others():
    X, Y = random_problem(150, 5)
    ks, ms = [5, 2, 5], [40, 7, 150, 7, 64]
    together = relief_scores(X, sp.csr_array(Y), k_values=ks, m_values=ms)
    for i, k in enumerate(ks):
        for j, m in enumerate(ms):
            alone = relief_scores(X, sp.csr_array(Y), k_values=[k], m_values=[m])
            assert together[i, j].tobytes() == alone.tobytes()


def test_with_a_large_sigma_the_nearest_counts_alone():
    X, Y = random_problem(40, 5)
    nearest = ReliefRanker(k=1, m=1.0).fit(X, Y).feature_importances_
    assert np.abs(nearest).min() > 0
    for sigma in (20.0, 30.0, 1e200):
        found = ReliefRanker(k=7, m=1.0, sigma=sigma).fit(X, Y).feature_importances_
        np.testing.assert_allclose(found, nearest, rtol=1e-12)


@pytest.mark.parametrize("n_features", [64, 65, 150])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_all_of_many_features_tell_who_is_near(n_features, missing):
    """The kernel goes through 64 features at a time."""
    X, Y = random_problem(40, n_features)
    X[np.random.default_rng(1).random(X.shape) < missing] = np.nan
    setting = {"distance": "f1", "sigma": 0.0, "n_values": np.zeros(n_features, np.int64), "seed": 0}
    expected = relief_twin.scores(X, Y, k=3, m=10, **setting)
    for rows in (X, sp.csr_array(np.hstack([X, np.zeros_like(X), np.zeros_like(X)]))):
        setting["n_values"] = np.zeros(rows.shape[1], np.int64)
        found = relief_scores(rows, sp.csr_array(Y), k_values=[3], m_values=[10], **setting)[0, 0]
        np.testing.assert_allclose(found[:n_features], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("constant", [1e9, 9e307, 1.7e308])
def test_a_huge_constant_disturbs_nobody(constant):
    X, Y = random_problem(30, 12)
    X[:, 4:] = 0
    X[:, 0] = constant
    dense, sparse = (relief_scores(rows, sp.csr_array(Y)).tobytes() for rows in (X, sp.csr_array(X)))
    assert dense == sparse


def seconds(X, Y, **settings):
    """Least processor seconds of a few runs."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        relief_scores(X, sp.csr_array(Y), m_values=[100], **settings)
        spent.append(time.process_time() - start)
    return min(spent)


def test_nominal_features_cost_about_as_much_as_numeric_ones():
    """Three times in fact, and 17 times while compilers could not make vectors of the loop."""
    X, Y = random_problem(2000, 100)
    three = np.floor(3 * X)
    assert seconds(three, Y, n_values=np.full(100, 3)) < 8 * seconds(X, Y)


def test_missing_cells_cost_little():
    """Almost nothing in fact; three times while each was told apart from the others."""
    X, Y = random_problem(2000, 100)
    incomplete = np.where(np.random.default_rng(1).random(X.shape) < 0.06, np.nan, X)
    assert seconds(incomplete, Y) < 2.5 * seconds(X, Y)


def test_full_rows_in_sparse_storage_cost_about_as_much_as_dense_ones():
    X, Y = random_problem(2000, 100)
    assert seconds(sp.csr_array(X + 1e6), Y) < 3 * seconds(X, Y)


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_a_sparse_feature_far_from_zero_leaves_no_more_rows_in_doubt(spread):
    """Distances to 0 would be rounded by more than the rows differ: all would be compared exactly."""
    X, Y = random_problem(2000, 300)
    X *= X < 0.03
    X[:, 0] = spread * np.random.default_rng(1).random(2000)
    near, far = (sp.csr_array(X + offset * (np.arange(300) == 0)) for offset in (0.0, 1e13))
    assert seconds(far, Y) < 4 * seconds(near, Y)
