"""Greedy forward selection: the loop that all criteria share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlsieve.selection import Selection, complete_order

# Equal counts that are summed in another order differ in the last bits: no reason to prefer a feature.
TIE = 1e-12


def select_greedily(
    k: int,
    relevance: np.ndarray,
    usable: np.ndarray,
    criterion: Callable[[np.ndarray, int], np.ndarray],
    penalty: Callable[[int], np.ndarray],
) -> Selection:
    """Select features one after the other, each the best given those before it; of equal ones the first.

    A score may turn negative: the search goes on. Every smaller selection is the beginning of a larger one.

    Parameters
    ----------
    k : int
        How many to select; at most as many as are usable.
    relevance : ndarray of float64, shape (F,)
        By which the features that are not selected are ordered.
    usable : ndarray of bool, shape (F,)
        False for features without entropy, which are never selected.
    criterion : callable
        Given the sum of the penalties of the features selected so far, shape (F,), and their number, returns
        J of all features, ndarray of float64, shape (F,).
    penalty : callable
        Given the index of a feature that has just been selected, returns what each feature is to be charged
        for it, ndarray of float64, shape (F,).
    """
    wanted = min(k, int(usable.sum()))
    left, charged = usable.copy(), np.zeros(len(relevance))
    order: list[int] = []
    scores: list[float] = []
    while len(order) < wanted:
        values = np.where(left, criterion(charged, len(order)), -np.inf)
        best = values.max()
        chosen = int(np.argmax(values >= best - TIE * max(1.0, abs(best))))
        order.append(chosen)
        scores.append(float(values[chosen]))
        left[chosen] = False
        if len(order) < wanted:
            charged += penalty(chosen)
    return complete_order(np.array(order, np.int64), np.array(scores), relevance, usable)
