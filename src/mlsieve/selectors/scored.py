"""Selection by one score a feature: the best ones, without a search."""

from __future__ import annotations

import numpy as np

from mlsieve.rankings.selection import Selection, complete_order
from mlsieve.rankings.ties import tie_levels


def select_by_score(k: int, scores: np.ndarray, usable: np.ndarray, places: np.ndarray) -> Selection:
    """Select the features of the highest scores; of a tie the first in canonical order.

    Parameters
    ----------
    k : int
        How many to select; at most as many as are usable.
    scores : ndarray of float64, shape (F,)
        Scores that agree to 1e-12 of the largest are a tie, and all become its largest: the same counts may
        have been summed in another order.
    usable : ndarray of bool, shape (F,)
        False for features that do not vary, which are never selected.
    places : ndarray of intp, shape (F,)
        Each feature's place in the canonical order: see `mlsieve.data.column_contents.canonical_places`.
    """
    levels = tie_levels(scores)
    of_level = np.full(len(scores), -np.inf)
    np.maximum.at(of_level, levels, scores)
    scores = of_level[levels]
    order = np.lexsort((places, levels, ~usable))
    chosen = order[: min(k, int(usable.sum()))].astype(np.int64)
    return complete_order(chosen, scores[chosen], scores, usable, places)
