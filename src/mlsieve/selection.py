"""What a feature selector finds: an order of the features, of which the first K are selected."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Selection:
    """An order of all features.

    Attributes
    ----------
    order : ndarray of int64, shape (F,)
        Feature indices: the selected ones as the search found them, then the others by their relevance, last
        those without entropy; ties in index order.
    scores : ndarray of float64, shape (F,)
        By feature index. Of a selected feature what the search's criterion was when it was taken (which need
        not fall, and may be negative); the others lie below all of these, in their order.
    n_selected : int
        K.
    """

    order: np.ndarray
    scores: np.ndarray
    n_selected: int


def complete_order(
    chosen: np.ndarray, criterion: np.ndarray, relevance: np.ndarray, usable: np.ndarray
) -> Selection:
    """Return the order of all features that begins with the chosen ones.

    Parameters
    ----------
    chosen : ndarray of int64, shape (K,)
        Indices of the selected features in the order of the search.
    criterion : ndarray of float64, shape (K,)
        What each was worth when it was selected.
    relevance : ndarray of float64, shape (F,)
        By which the other features are ordered.
    usable : ndarray of bool, shape (F,)
        False for features without entropy.
    """
    rest = np.ones(len(relevance), bool)
    rest[chosen] = False
    others = np.flatnonzero(rest)
    relevance = np.round(relevance, 12)  # equal counts, summed in another order, are equal
    others = others[np.lexsort((-relevance[others], ~usable[others]))]
    scores = np.empty(len(relevance))
    scores[chosen] = criterion
    floor = criterion.min() if len(criterion) else 0.0
    # Below the least criterion by the share of the others that are at least as good: equal ones alike.
    keys = np.column_stack([usable[others], np.where(usable[others], relevance[others], 0.0)])
    steps = np.ones(len(others), bool)
    steps[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    scores[others] = floor - np.cumsum(steps) / max(len(others), 1)
    return Selection(np.concatenate([chosen, others]).astype(np.int64), scores, len(chosen))


def default_size(n_rows: int) -> int:
    """Return how many features are selected where nothing is said: ceil(sqrt(n)) (SCLS paper, section 4)."""
    return math.ceil(math.sqrt(n_rows))
