"""The kernel's neighbours against a twin that sums every distance in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.data.dataset import Dataset
from mlsieve.evaluators import neighbor_votes

pytestmark = pytest.mark.kernel

CELLS = {
    "binary": [0.0, 1.0],
    "integer": [0.0, 1.0, 2.0, 3.0, 7.0],
    "fraction": [0.1, 0.2, 0.3, 0.7, -1.1, 1e6],
    "missing": [0.0, 0.25, 3.0, math.nan],
    "constant": [5.0],
    "unknown": [math.nan],
    "zero": [0.0],
}
CATEGORIES = {"two": [0.0, 1.0], "three": [0.0, 1.0, 2.0], "holes": [0.0, 1.0, 2.0, 3.0, math.nan]}
WEIGHTS = [0.0, 1.0, 0.5, 0.1, 1 / 3, 1e-7, 40.0, -2.0]


def make_dataset(
    X: np.ndarray, Y: np.ndarray, n_train: int, n_values: list[int], sparse: bool = False
) -> Dataset:
    n, n_features = X.shape
    return Dataset(
        name="made",
        X=sp.csr_array(X) if sparse else np.ascontiguousarray(X),
        Y=sp.csr_array(Y.astype(np.uint8)),
        train_mask=np.arange(n) < n_train,
        nominal=np.array(n_values) > 0,
        categories=tuple(tuple(map(str, range(count))) for count in n_values),
        feature_names=tuple(f"f{i}" for i in range(n_features)),
        label_names=tuple(f"l{j}" for j in range(Y.shape[1])),
    )


def cell_distance(a: float, b: float, known: list[float], n_values: int) -> float:
    """d_i of two cells; `known` are the values that give a numeric feature's range."""
    if n_values:
        return 1.0 - 1.0 / n_values if math.isnan(a) or math.isnan(b) else float(a != b)
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    span = high - low if high > low else 1.0
    if math.isnan(a) and math.isnan(b):
        return 1.0
    if math.isnan(a) or math.isnan(b):
        t = ((b if math.isnan(a) else a) - low) / span
        return max(t, 1.0 - t)
    return abs(a - b) / span


def twin_votes(X, Y, n_train: int, n_values: list[int], weights, k: int, ranges: str) -> np.ndarray:
    scaling = X if ranges == "all" else X[:n_train]
    known = [[float(x) for x in column if not math.isnan(x)] for column in scaling.T]
    votes = np.zeros((len(X) - n_train, Y.shape[1]), int)
    for i, test in enumerate(X[n_train:]):
        distances = []
        for r, train in enumerate(X[:n_train]):
            total = 0.0
            for f, w in enumerate(weights):
                if w > 0:
                    d = cell_distance(float(test[f]), float(train[f]), known[f], n_values[f])
                    total += float(w) * (d * d)
            distances.append((total, r))
        border = sorted(distances)[k - 1][0]
        tie = 1e-12 * border if math.isfinite(border) else 0.0
        nearer = [r for total, r in distances if total < border - tie]
        equal = [r for total, r in distances if border - tie <= total <= border + tie]
        for r in [*nearer, *equal][:k]:
            votes[i] += Y[r]
    return votes


@st.composite
def cases(draw):
    n_features = draw(st.integers(1, 5))
    n_train, n_test = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    columns, n_values = [], []
    for _ in range(n_features):
        kind = draw(st.sampled_from([*CELLS, *CATEGORIES]))
        pool = CELLS.get(kind) or CATEGORIES[kind]
        n_values.append(0 if kind in CELLS else sum(not math.isnan(x) for x in pool))
        columns.append(
            draw(st.lists(st.sampled_from(pool), min_size=n_train + n_test, max_size=n_train + n_test))
        )
    X = np.array(columns).T.copy()
    if draw(st.booleans()):  # the same rows again and again: nothing but ties
        X[:n_train] = X[np.arange(n_train) % draw(st.integers(1, n_train))]
    weightings = [
        draw(st.lists(st.sampled_from(WEIGHTS), min_size=n_features, max_size=n_features)) for _ in range(2)
    ]
    k = draw(st.integers(1, n_train))
    return (
        X,
        n_train,
        n_values,
        np.array([*weightings, np.zeros(n_features)]),
        k,
        draw(st.sampled_from(["train", "all"])),
    )


@settings(max_examples=200, deadline=None)
@given(cases())
def test_votes_equal_the_twin_for_dense_and_sparse_rows_and_any_threads(case):
    X, n_train, n_values, weightings, k, ranges = case
    Y = np.eye(n_train, dtype=int)  # one label a training row: the votes tell the neighbours
    expected = np.array([twin_votes(X, Y, n_train, n_values, w, k, ranges) for w in weightings])
    labels = np.vstack([Y, np.zeros((len(X) - n_train, n_train), int)])
    for sparse in (False, True):
        dataset = make_dataset(X, labels, n_train, n_values, sparse)
        for n_threads in (1, 2):
            votes = neighbor_votes(dataset, weightings, k=k, ranges=ranges, n_threads=n_threads)
            np.testing.assert_array_equal(votes, expected)


@pytest.mark.parametrize("kind", ["continuous", "binary", "grid", "far from zero", "tiny range"])
def test_rounding_of_the_products_never_decides(kind):
    """Cells whose products cancel badly, many features, many equal and nearly equal distances."""
    random = np.random.default_rng(7)
    n_train, n_test, n_features, k = 60, 8, 40, 7
    shape = (n_train + n_test, n_features)
    X = {
        "continuous": random.normal(size=shape),
        "binary": (random.random(shape) < 0.3).astype(float),
        "grid": random.integers(0, 4, shape) / 3.0,
        "far from zero": 1e9 + random.integers(0, 3, shape),
        "tiny range": 1.0 + random.integers(0, 3, shape) * 1e-15,
    }[kind]
    X[20:40] = X[:20]
    X[n_train:-1] = X[: n_test - 1] + (0.0 if kind != "continuous" else 1e-9)
    weightings = np.vstack(
        [np.ones(n_features), random.random(n_features), 10.0 ** -random.integers(0, 12, n_features)]
    )
    Y = np.eye(n_train, dtype=int)
    labels = np.vstack([Y, np.zeros((n_test, n_train), int)])
    expected = [twin_votes(X, Y, n_train, [0] * n_features, w, k, "train") for w in weightings]
    for sparse in (False, True):
        votes = neighbor_votes(make_dataset(X, labels, n_train, [0] * n_features, sparse), weightings, k=k)
        np.testing.assert_array_equal(votes, expected)


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1.0, 3.7, 1e300])
def test_only_the_ratio_of_the_weights_counts(scale):
    random = np.random.default_rng(3)
    X, Y = random.random((30, 6)), random.integers(0, 2, (30, 3))
    weights = random.random((1, 6))
    dataset = make_dataset(X, Y, 20, [0] * 6)
    expected = neighbor_votes(dataset, weights, k=5)
    np.testing.assert_array_equal(neighbor_votes(dataset, weights * scale, k=5), expected)


def test_distances_that_overflow_are_equally_far():
    """A training range of 1e-300 puts a test value at infinite distance: row order decides."""
    X = np.array([[0.0], [1e-300], [0.0], [1e300], [5e-301]])
    dataset = make_dataset(X, np.eye(5, 3), 3, [0])
    sparse = make_dataset(X, np.eye(5, 3), 3, [0], sparse=True)
    for made in (dataset, sparse):
        votes = neighbor_votes(made, np.ones((1, 1)), k=2)[0]
        np.testing.assert_array_equal(votes[0], [1, 1, 0])
