"""Greedy forward selection: the loop that all criteria share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mlsieve.progress import counted
from mlsieve.rankings.selection import Selection, complete_order
from mlsieve.rankings.ties import first_of_the_best

# J of all features, given the sum of the penalties of the selected ones, shape (F,), and their number.
Criterion = Callable[[np.ndarray, int], np.ndarray]
# What each feature is charged for one that has just been selected, shape (F,).
Penalty = Callable[[int], np.ndarray]
# How AMI, D2F and PMU charge the selected features: all of them, their mean, or as the authors' program does.
Form = Literal["printed", "mean", "program"]


def less_penalties(merit: np.ndarray, *, averaged: bool) -> Criterion:
    """Return J = merit less the mean, or the sum, of the penalties of the selected features."""
    if averaged:
        return lambda penalties, n_chosen: merit - penalties / max(n_chosen, 1)
    return lambda penalties, n_chosen: merit - penalties


def less_penalties_of_each_round(merit: np.ndarray) -> Criterion:
    """Return J = merit less the sum of the penalties in this round and in all rounds before it."""
    value = merit.copy()

    def criterion(penalties: np.ndarray, _: int) -> np.ndarray:
        nonlocal value
        value = value - penalties
        return value

    return criterion


@dataclass(frozen=True)
class Step:
    """One round of the search.

    Attributes
    ----------
    charged : ndarray of float64, shape (F,)
        Sum of the penalties of the features selected before; valid until the next round.
    values : ndarray of float64, shape (F,)
        J; -inf for features that cannot be selected, or are.
    chosen : int
    """

    charged: np.ndarray
    values: np.ndarray
    chosen: int


def greedy_steps(
    k: int, usable: np.ndarray, criterion: Criterion, penalty: Penalty, places: np.ndarray
) -> Iterator[Step]:
    """Yield the rounds of the search; parameters as of `select_greedily`."""
    wanted, largest = min(k, int(usable.sum())), 0.0
    left, charged = usable.copy(), np.zeros(len(usable))
    for n_chosen in counted(range(wanted), "selected features"):
        values = np.where(left, criterion(charged, n_chosen), -np.inf)
        # A criterion near 0 is the difference of larger terms: those of the best features before.
        largest = max(largest, abs(float(values.max())))
        chosen = first_of_the_best(values, largest, places)
        yield Step(charged, values, chosen)
        left[chosen] = False
        if n_chosen + 1 < wanted:
            charged += penalty(chosen)


def select_greedily(
    k: int,
    relevance: np.ndarray,
    usable: np.ndarray,
    criterion: Criterion,
    penalty: Penalty,
    places: np.ndarray,
) -> Selection:
    """Select features one after the other, each the best given those before it.

    Features whose criterion agrees to 1e-12 of the largest of the search so far are equally good, and the
    first in canonical order is taken. A score may turn negative: the search goes on. Every smaller selection
    is the beginning of a larger one.

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
    places : ndarray of intp, shape (F,)
        Each feature's place in the canonical order, such as
        `mlsieve.discretize.information.DiscreteData.places` of the
        seed, or `mlsieve.data.column_contents.canonical_places`.
    """
    rounds = greedy_steps(k, usable, criterion, penalty, places)
    steps = [(step.chosen, step.values[step.chosen]) for step in rounds]
    chosen, scores = zip(*steps, strict=True) if steps else ((), ())
    return complete_order(np.array(chosen, np.int64), np.array(scores, float), relevance, usable, places)
