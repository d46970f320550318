"""Positives and negatives at or above each distinct score: what every curve is made of."""

from __future__ import annotations

import numpy as np

_SAMPLE = 4096


def score_levels(scores: np.ndarray) -> tuple[np.ndarray, int]:
    """Number the distinct scores from the highest, 0, downwards.

    Parameters
    ----------
    scores : ndarray of float64, shape (n,)

    Returns
    -------
    level : ndarray of int, shape (n,)
    n_levels : int

    Notes
    -----
    Votes have few distinct values: they are guessed from a sample and looked up, which is much faster than
    sorting; where the sample misses some, everything is sorted.
    """
    values = np.unique(scores[:: max(1, len(scores) // _SAMPLE)])
    level = np.minimum(np.searchsorted(values, scores), len(values) - 1)
    if not np.array_equal(values[level], scores):
        values, level = np.unique(scores, return_inverse=True)
    return len(values) - 1 - level, len(values)


def threshold_counts(truth: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count positives and negatives with at least each distinct score, from the highest down.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
    scores : ndarray of float64, shape (n,)

    Returns
    -------
    true_positives, false_positives : ndarray of int64, shape (number of distinct scores,)
        Equal scores make one threshold.
    """
    level, n_levels = score_levels(scores)
    at_level = np.bincount(level, minlength=n_levels)
    positive = np.bincount(level[truth], minlength=n_levels)
    return np.cumsum(positive), np.cumsum(at_level - positive)
