"""Similarity of two feature rankings."""

from __future__ import annotations

import numpy as np


def fuzzy_jaccard_curve(first, second) -> np.ndarray:
    """Return the fuzzy Jaccard index (FUJI) of the top-j sets of two rankings, for j = 1..F.

    With the scores sorted, f_(1) >= f_(2) >= ..., a feature belongs to the top-j set with membership 1 if it
    is among the first j or ties with f_(j), else f / f_(j); negative scores count as 0. FUJI_j is the sum of
    the smaller memberships over the sum of the larger ones, both over the union of the two top-j sets (ties
    included, so that the order of equal scores does not matter).

    Parameters
    ----------
    first, second : array_like of float, shape (F,)
        Scores of the same features in the same order; higher is better.

    Returns
    -------
    ndarray of float64, shape (F,)
        In [0, 1].

    References
    ----------
    Petkovic, Skrlj, Kocev and Simidjievski (2021), Fuzzy Jaccard Index: a robust comparison of ordered lists,
    Applied Soft Computing 113.
    """
    scores = [np.maximum(np.asarray(values, dtype=np.float64), 0.0) for values in (first, second)]
    if scores[0].shape != scores[1].shape or scores[0].ndim != 1:
        raise ValueError("the two rankings must hold one score for each of the same features")
    if not all(np.isfinite(values).all() for values in scores):
        raise ValueError("scores must be finite")
    n_features = len(scores[0])
    # Only the ratios count; scaling by the largest keeps tiny scores from underflowing in the division.
    scores = [values / values.max() if values.max(initial=0) > 0 else values for values in scores]
    ordered = [np.sort(values)[::-1] for values in scores]
    curve = np.empty(n_features)
    previous: tuple[float, float] | None = None
    for j in range(n_features):
        limits = float(ordered[0][j]), float(ordered[1][j])
        if limits == previous:  # inside a tie of both rankings nothing changes
            curve[j] = curve[j - 1]
            continue
        previous = limits
        union = (scores[0] >= limits[0]) | (scores[1] >= limits[1])
        members = [_membership(values[union], limit) for values, limit in zip(scores, limits, strict=True)]
        curve[j] = np.minimum(*members).sum() / np.maximum(*members).sum()
    return curve


def _membership(scores: np.ndarray, limit: float) -> np.ndarray:
    if limit <= 0:
        return np.ones_like(scores)
    return np.minimum(scores / limit, 1.0)


def fuzzy_jaccard(first, second) -> float:
    """Return the FUJI similarity of two rankings: the mean of `fuzzy_jaccard_curve` over j = 1..F.

    Parameters
    ----------
    first, second : array_like of float, shape (F,)
        Scores of the same features in the same order.

    Returns
    -------
    float
        In [0, 1]; symmetric; 1 for identical rankings; NaN without features.
    """
    curve = fuzzy_jaccard_curve(first, second)
    return float(curve.mean()) if len(curve) else float("nan")
