"""Selection by one score a feature: the best ones, without a search."""

from __future__ import annotations

import math

import numpy as np

from mlsieve.selection import Selection, complete_order


def select_by_score(k: int, scores: np.ndarray, usable: np.ndarray) -> Selection:
    """Select the features of the highest scores; of equal ones the first.

    Parameters
    ----------
    k : int
        How many to select; at most as many as are usable.
    scores : ndarray of float64, shape (F,)
        Rounded to twelve digits of the largest: the same counts may have been summed in another order.
    usable : ndarray of bool, shape (F,)
        False for features that do not vary, which are never selected.
    """
    largest = float(np.abs(scores).max(initial=0.0))
    scores = np.round(scores, 12 - math.ceil(math.log10(largest))) if largest > 0 else scores
    order = np.lexsort((-scores, ~usable))
    chosen = order[: min(k, int(usable.sum()))].astype(np.int64)
    return complete_order(chosen, scores[chosen], scores, usable)
