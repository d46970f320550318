"""MLC-Relief as its definition reads, cell by cell: slow and plain."""

import math

import numpy as np


def feature_distance(a, b, low, span, n_values):
    if n_values > 0:
        return 1 - 1 / n_values if math.isnan(a) or math.isnan(b) else float(a != b)
    if math.isnan(a) and math.isnan(b):
        return 1.0
    if math.isnan(a) or math.isnan(b):
        known = ((b if math.isnan(a) else a) - low) / span
        return max(known, 1 - known)
    return abs(a - b) / span


def target_distance(one, other, kind):
    if callable(kind):
        return kind(one, other)
    both, either, sizes = (one & other).sum(), (one | other).sum(), one.sum() + other.sum()
    if sizes == 0:
        return 0.0
    return {
        "hamming": (either - both) / len(one),
        "accuracy": 1 - both / either,
        "f1": 1 - 2 * both / sizes,
        "subset": float(either > both),
    }[kind]


def scales(X, n_values):
    """Minimum and range of each numeric feature; 0 and 1 for a nominal one or one without known values."""
    low, span = np.zeros(X.shape[1]), np.ones(X.shape[1])
    for i in np.flatnonzero(np.asarray(n_values) == 0):
        known = X[~np.isnan(X[:, i]), i]
        if len(known):
            low[i] = known.min()
            span[i] = known.max() - known.min() or 1.0
    return low, span


def by_distance(distances, tolerance):
    """Rows, the nearest first; those that are farther by no more than the tolerance tie with it."""
    left, ordered = dict(distances), []
    while left:
        nearest = min(left.values())
        tie = sorted(row for row in left if left[row] <= nearest + tolerance)
        ordered += tie
        for row in tie:
            del left[row]
    return ordered


def scores(X, Y, *, distance, k, m, sigma, n_values, seed):
    n, n_features = X.shape
    low, span = scales(X, n_values)
    # A_i - AT_i and m - T are summed as they are: differences would lose digits where d_L is near 1.
    unlike, alike, T, T_alike = np.zeros(n_features), np.zeros(n_features), 0.0, 0.0
    for own in np.argsort(np.random.Philox(seed).random_raw(n), kind="stable")[:m]:
        d = {
            other: [
                feature_distance(X[own, i], X[other, i], low[i], span[i], n_values[i])
                for i in range(n_features)
            ]
            for other in range(n)
            if other != own
        }
        nearest = by_distance({other: sum(d[other]) for other in d}, 1e-12 * n_features)[:k]
        weights = [math.exp(-((sigma * rank) ** 2)) for rank in range(k)]
        for weight, other in zip(weights, nearest, strict=True):
            share, t = weight / sum(weights), target_distance(Y[own], Y[other], distance)
            T += share * t
            T_alike += share * (1 - t)
            unlike += share * np.array(d[other]) * t
            alike += share * np.array(d[other]) * (1 - t)
    return (unlike / T if T != 0 else 0.0) - (alike / T_alike if T_alike != 0 else 0.0)
