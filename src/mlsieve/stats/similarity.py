"""Similarity of two feature rankings."""

from __future__ import annotations

from typing import Literal

import numpy as np

Features = Literal["all", "positive"]
FEATURES: tuple[Features, ...] = ("all", "positive")


def fuzzy_jaccard_curve(first, second, features: Features = "all") -> np.ndarray:
    """Return the fuzzy Jaccard index (FUJI) of the top-j sets of two rankings, for j = 1, 2, ...

    With the scores sorted, f_(1) >= f_(2) >= ..., a feature belongs to the top-j set with membership 1 if it
    is among the first j or ties with f_(j), else f / f_(j); negative scores count as 0. FUJI_j is the sum of
    the smaller memberships over the sum of the larger ones, both over the union of the two top-j sets (ties
    included, so that the order of equal scores does not matter).

    Takes O(F log F): whoever is in the union is a full member of one of the sets, so the larger memberships
    only count, and a feature's smaller one changes twice, when it enters the first and the second set.

    Parameters
    ----------
    first, second : array_like of float, shape (F,)
        Scores of the same features in the same order; higher is better.
    features : {"all", "positive"}
        Which features can belong to a top set. "all", as published: beyond the features of positive score
        all others tie at 0 and belong to every further top set, so that FUJI_j is 1 there. "positive": only
        those that the ranking itself gives a positive score, and j ends with the last of them.

    Returns
    -------
    ndarray of float64, shape (J,)
        In [0, 1]. J is F for "all"; for "positive" it is the larger of the two numbers of features of
        positive score, and a ranking with fewer keeps all of its own in its further top sets.

    Raises
    ------
    ValueError
        If the two have different shapes or scores that are not finite, or for any other `features`.

    References
    ----------
    Petkovic, Skrlj, Kocev and Simidjievski (2021), Fuzzy Jaccard Index: a robust comparison of ordered lists,
    Applied Soft Computing 113.
    """
    if features not in FEATURES:
        raise ValueError(f"features must be 'all' or 'positive', not {features!r}")
    scores = [np.maximum(np.asarray(values, dtype=np.float64), 0.0) for values in (first, second)]
    if scores[0].shape != scores[1].shape or scores[0].ndim != 1:
        raise ValueError("the two rankings must hold one score for each of the same features")
    if not all(np.isfinite(values).all() for values in scores):
        raise ValueError("scores must be finite")
    if features == "positive":
        either_positive = (scores[0] > 0) | (scores[1] > 0)
        scores = [values[either_positive] for values in scores]
    n_features = len(scores[0])
    if not n_features:
        return np.empty(0)
    ordered = [np.sort(values)[::-1] for values in scores]
    # Position of the first top set that a feature is in: the number of features with larger scores.
    one, two = (
        np.searchsorted(-down, -values, side="left") for down, values in zip(ordered, scores, strict=True)
    )
    last = n_features
    if features == "positive":
        # What a ranking does not weigh is in none of its top sets, whose limit stays its least weight.
        one, two = (
            np.where(values > 0, enters, n_features)
            for enters, values in zip((one, two), scores, strict=True)
        )
        last = max(int((values > 0).sum()) for values in scores)
        ordered = [
            np.maximum(down, down[down > 0].min(initial=np.inf)) if down[0] > 0 else down for down in ordered
        ]
    both, either = (
        np.cumsum(np.bincount(enters, minlength=n_features + 1)[:n_features])
        for enters in (np.maximum(one, two), np.minimum(one, two))
    )
    # Full members of one set only; it is the other set's limit that their scores are divided by.
    of_one = _share(one, two, scores[1], ordered[1])
    of_two = _share(two, one, scores[0], ordered[0])
    return ((both + (of_one + of_two)) / either)[:last]


def _share(enters: np.ndarray, leaves: np.ndarray, scores: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return for each j the sum of ``scores[f] / limits[j]`` over the features with enters <= j < leaves.

    A segment tree over j: each score is added to the O(log F) nodes that make up its interval, and a sum is
    that of the nodes above j. Nothing is subtracted, so no digits cancel.
    """
    n = len(scores)
    if limits[0] > 1e290:  # only ratios count, and sums of these could overflow
        scores, limits = scores * 2.0**-64, limits * 2.0**-64
    inside = enters < leaves
    left, right, values = enters[inside] + n, leaves[inside] + n, scores[inside]
    tree = np.zeros(2 * n)
    while len(left):
        for chosen, node in ((left % 2 == 1, left), (right % 2 == 1, right - 1)):
            tree += np.bincount(node[chosen], values[chosen], minlength=2 * n)
        left, right = (left + 1) // 2, right // 2
        open_ = left < right
        left, right, values = left[open_], right[open_], values[open_]
    places = np.arange(n, 2 * n)
    sums = np.zeros(n)
    while places.any():
        sums += tree[places]
        places //= 2
    return np.divide(sums, limits, out=np.zeros(n), where=limits > 0)


def fuzzy_jaccard(first, second, features: Features = "all") -> float:
    """Return the FUJI similarity of two rankings: the mean of `fuzzy_jaccard_curve` over its j.

    Parameters
    ----------
    first, second : array_like of float, shape (F,)
        Scores of the same features in the same order.
    features : {"all", "positive"}
        As of `fuzzy_jaccard_curve`. With "all" the similarity of sparse rankings approaches 1 whatever they
        weigh: two disjoint rankings of 3 among 100 features have 0.97, with "positive" 0.

    Returns
    -------
    float
        In [0, 1]; symmetric; 1 for identical rankings; NaN without features, and with "positive" where
        neither ranking has a positive score.
    """
    curve = fuzzy_jaccard_curve(first, second, features)
    return float(curve.mean()) if len(curve) else float("nan")
