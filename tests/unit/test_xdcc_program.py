"""definition="xdcc" against a plain twin of the authors' program, and the program's own figures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy import float32

from mlsieve.chains import XDCC, MultiLabelXGB
from mlsieve.data import load_dataset, split_dataset

ETA, REG_LAMBDA, LEAST, LEAST_GAIN = 0.3, 1.0, 1.0, 1e-6


class Tree:
    """One tree of the program: sums in double precision, gains in single; the first column wins ties."""

    def __init__(self, X, g, h, depth, score):
        self.X, self.g, self.h, self.depth, self.score = X, g, h, depth, score
        self.known = ~np.isnan(X)
        self.root = self.grow(np.arange(len(X)), 0)

    def score_of(self, G, H):
        values = np.where(H < LEAST, 0.0, G**2 / (H + REG_LAMBDA))
        return values.max(axis=-1) if self.score == "max_gain" else values.sum(axis=-1)

    def gains(self, G, H, own_G, own_H):
        before = np.float64(float32(self.score_of(G, H)))
        gain = self.score_of(own_G, own_H) + self.score_of(G - own_G, H - own_H) - before
        enough = (own_H.min(axis=-1) >= LEAST) & ((H - own_H).min(axis=-1) >= LEAST)
        return np.where(enough, gain.astype(float32), float32(-1))

    def tests(self, column, rows, G, H):
        """Yield gain, threshold and where missing cells go, in the program's order."""
        rows = rows[self.known[rows, column]]
        rows = rows[np.argsort(self.X[rows, column], kind="stable")]
        if not len(rows):
            return
        x = self.X[rows, column]
        G_up, H_up = np.cumsum(self.g[rows], axis=0), np.cumsum(self.h[rows], axis=0)
        cuts = np.flatnonzero(x[1:] != x[:-1])
        middles = (x[cuts] + x[cuts + 1]) * float32(0.5)
        if not self.known[:, column].all():
            yield from zip(
                self.gains(G, H, G_up[cuts], H_up[cuts]), middles, [False] * len(cuts), strict=True
            )
            yield self.gains(G, H, G_up[-1:], H_up[-1:])[0], x[-1] + abs(x[-1]) + float32(1e-6), False
        down = self.gains(G, H, G_up[-1] - G_up[cuts], H_up[-1] - H_up[cuts])
        yield from zip(down[::-1], middles[::-1], [True] * len(cuts), strict=True)

    def grow(self, rows, depth):
        G, H = self.g[rows].sum(axis=0), self.h[rows].sum(axis=0)
        best, test = float32(0), None
        for column in range(self.X.shape[1] if depth < self.depth else 0):
            for gain, threshold, missing in self.tests(column, rows, G, H):
                if gain > best:
                    best, test = gain, (column, threshold, missing)
        if test is None or best <= LEAST_GAIN:
            return -ETA * G / (H + REG_LAMBDA)
        left = self.goes_left(test, self.X[rows])
        return test, self.grow(rows[left], depth + 1), self.grow(rows[~left], depth + 1)

    def goes_left(self, test, X):
        column, threshold, missing = test
        return np.where(np.isnan(X[:, column]), missing, X[:, column] < threshold)

    def values(self, X, n_labels):
        found = np.zeros((len(X), n_labels))

        def walk(node, rows):
            if not isinstance(node, tuple):
                found[rows] = node
                return
            left = self.goes_left(node[0], X[rows])
            walk(node[1], rows[left])
            walk(node[2], rows[~left])

        walk(self.root, np.arange(len(X)))
        return found


def sigmoid(margins):
    return float32(1) / (float32(1) + np.exp(-margins.astype(float32)))


def model(X, Y, weights, rounds, depth, score, *others):
    """Return the probabilities of the training rows and of others."""
    margins = [np.full((len(rows), Y.shape[1]), float32(0.5)) for rows in (X, *others)]
    for _ in range(rounds):
        p = sigmoid(margins[0])
        tree = Tree(X, ((p - Y) * weights).astype(float), (p * (1 - p) * weights).astype(float), depth, score)
        for own, rows in zip(margins, (X, *others), strict=True):
            own += tree.values(rows, Y.shape[1]).astype(float32)
    return [sigmoid(own) for own in margins]


def set_labels(values, P):
    """Set each row's label, the last of equally likely ones; a set one becomes more certain."""
    for row, p in zip(values, P, strict=True):
        positive = (p >= 0.5).any()
        j = len(p) - 1 - int(p[::-1].argmax()) if positive else int(p.argmin())
        if np.isnan(row[j]):
            row[j] = p[j]
        elif (row[j] >= 0.5) == positive:
            row[j] = max(row[j], p[j]) if positive else min(row[j], p[j])


def program(X, Y, X_new, rounds, depth, score="max_gain", steps=None):
    """Return the values of the label features and the cumulated scores of new rows, after all steps."""
    known = [np.full((len(rows), Y.shape[1]), np.nan) for rows in (X, X_new)]
    cumulated = np.zeros(known[1].shape)
    for _ in range(steps or Y.shape[1]):
        rows = [np.hstack(pair).astype(float32) for pair in zip((X, X_new), known, strict=True)]
        weights = np.isnan(known[0]).astype(float32)
        P = model(rows[0], Y.astype(float32), weights, rounds, depth, score, rows[1])
        cumulated = np.where(np.isnan(known[1]), np.maximum(cumulated, P[1]), cumulated)
        for values, own in zip(known, P, strict=True):
            set_labels(values, own)
    return np.nan_to_num(known[1]), cumulated


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_chain_is_that_of_the_program(seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(260, 5)).round(1).astype(float32).astype(float)
    Y = (X @ rng.normal(size=(5, 3)) + rng.normal(size=(260, 3)) > 0.3).astype(int)
    X[rng.random(X.shape) < missing] = np.nan
    standard, cumulated = program(X[:200], Y[:200], X[200:], rounds=4, depth=4)
    ours = XDCC(n_estimators=4, max_depth=4, definition="xdcc", cumulate="none").fit(X[:200], Y[:200])
    np.testing.assert_allclose(ours.predict_proba(X[200:]), standard, atol=1e-5)
    ours.set_params(cumulate="running")
    np.testing.assert_allclose(ours.predict_proba(X[200:]), cumulated, atol=1e-5)


def figures(truth, predicted):
    """Hamming accuracy, subset accuracy and example-based F1."""
    truth, predicted = truth.toarray().astype(bool), predicted.astype(bool)
    sizes = truth.sum(axis=1) + predicted.sum(axis=1)
    F1 = np.where(sizes == 0, 1.0, 2 * (truth & predicted).sum(axis=1) / np.maximum(sizes, 1))
    return (truth == predicted).mean(), (truth == predicted).all(axis=1).mean(), F1.mean()


@pytest.mark.parametrize(
    ("dataset", "method", "expected"),
    [
        ("emotions", MultiLabelXGB(n_estimators=20, definition="xdcc"), (0.795, 0.272, 0.600)),
        ("emotions", XDCC(n_estimators=20, definition="xdcc", cumulate="none"), (0.751, 0.124, 0.477)),
        ("emotions", XDCC(n_estimators=20, definition="xdcc", cumulate="running"), (0.795, 0.267, 0.587)),
        ("flags", XDCC(n_estimators=20, definition="xdcc", cumulate="running"), (0.767, 0.138, 0.756)),
    ],
)
def test_the_programs_own_figures(mirror, dataset, method, expected):
    data = split_dataset(load_dataset(dataset))
    method.set_params(nominal=data.nominal).fit(data.X_train, data.Y_train)
    np.testing.assert_allclose(figures(data.Y_test, method.predict(data.X_test)), expected, atol=0.005)
