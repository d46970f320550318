"""Positives and negatives at or above each distinct score: what every curve is made of.

Scores have few distinct values, most of them the same (0, if there are many labels). So the distinct scores
are guessed from a sample and only cells other than the commonest are looked up, which is much faster than
sorting; where the sample misses some, everything is sorted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_SAMPLE = 4096


@dataclass(frozen=True)
class Levels:
    """Distinct scores, numbered from the highest, 0, downwards.

    Attributes
    ----------
    n_levels : int
    common : int
        Level of the cells that are not listed.
    cells : ndarray of int, shape (m,)
        Rising positions of the others in the flattened scores.
    level : ndarray of int, shape (m,)
        Their levels.
    """

    n_levels: int
    common: int
    cells: np.ndarray
    level: np.ndarray


def score_levels(scores: np.ndarray) -> Levels:
    """Number the distinct scores.

    Parameters
    ----------
    scores : ndarray of float64, of any shape
    """
    flat = scores.ravel()
    values, counts = np.unique(flat[:: max(1, len(flat) // _SAMPLE)], return_counts=True)
    common = values[counts.argmax()]
    cells = np.flatnonzero(flat != common)
    others = flat[cells]
    level = np.minimum(np.searchsorted(values, others), len(values) - 1)
    if not np.array_equal(values[level], others):
        values = np.union1d(others, common)
        level = np.searchsorted(values, others)
    highest = len(values) - 1
    return Levels(len(values), highest - int(np.searchsorted(values, common)), cells, highest - level)


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
    positives, negatives = _cumulated(truth[:, None], score_levels(scores))
    return positives[0], negatives[0]


def threshold_counts_by_label(truth: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Count each label's positives and negatives with at least each score that any label has.

    Parameters
    ----------
    truth : ndarray of bool, shape (n, L)
    scores : ndarray of float64, shape (n, L)

    Returns
    -------
    true_positives, false_positives : ndarray of int64, shape (L, number of distinct scores)
        From the highest score down. None if there are more distinct scores than rows: the tables would be
        larger than the scores.
    """
    levels = score_levels(scores)
    return None if levels.n_levels > len(truth) else _cumulated(truth, levels)


def _cumulated(truth: np.ndarray, levels: Levels) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts of each column; shapes (L, number of levels)."""
    n, n_labels = truth.shape
    place = levels.level if n_labels == 1 else levels.cells % n_labels * levels.n_levels + levels.level
    listed = truth.ravel()[levels.cells]
    tables = []
    for keys, totals in ((place[listed], np.count_nonzero(truth, axis=0)), (place, n)):
        table = np.bincount(keys, minlength=n_labels * levels.n_levels).reshape(n_labels, levels.n_levels)
        table[:, levels.common] += totals - table.sum(axis=1)
        tables.append(np.cumsum(table, axis=1))
    positives, everything = tables
    return positives, everything - positives
