"""Which features are equally good, and which of these comes first: neither rounding nor position decides.

Values that agree to `TIE` are equal: the same counts, summed in another order, differ in the last bits. Of
equal features the first in a canonical order counts, which a seeded digest of their content gives
(`mlsieve.data.column_contents`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

TIE = 1e-12


def tie_levels(values: np.ndarray) -> np.ndarray:
    """Return the number of each value's tie, 0 that of the largest values.

    Neighbours in order that differ by no more than `TIE` of the largest absolute value are in one tie.

    Parameters
    ----------
    values : ndarray of float64, shape (N,)

    Returns
    -------
    ndarray of intp, shape (N,)
    """
    order = np.argsort(-values, kind="stable")
    falls = -np.diff(values[order]) > TIE * np.abs(values).max(initial=0.0)
    levels = np.empty(len(values), np.intp)
    levels[order] = np.concatenate([[0], np.cumsum(falls)])[: len(values)]
    return levels


def best_first(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the positions of the values, the largest first; ties in the order of their places.

    Parameters
    ----------
    values : ndarray of float64, shape (N,)
    places : ndarray of intp, shape (N,)
        Such as `mlsieve.data.column_contents.canonical_places`.

    Returns
    -------
    ndarray of int64, shape (N,)
    """
    return np.lexsort((places, tie_levels(values))).astype(np.int64)


def shared_by_copies(scores: np.ndarray, digests: np.ndarray) -> np.ndarray:
    """Return the scores, those of columns of equal content replaced by their mean.

    Parameters
    ----------
    scores : ndarray of float64, shape (F,)
    digests : ndarray of uint64, shape (F,)
        Of `mlsieve.data.column_contents.column_digests`.
    """
    _, content, counts = np.unique(digests, return_inverse=True, return_counts=True)
    return (np.bincount(content, weights=scores) / counts)[content]


def first_of_the_best(values: np.ndarray, largest: float, places: np.ndarray) -> int:
    """Return the position of the best value; of equal ones that of the first place.

    Parameters
    ----------
    values : ndarray of float64, shape (N,)
        -inf where a value does not count.
    largest : float
        Size of the numbers of which the values are made: values that agree to `TIE` of it are equal.
    places : ndarray of intp, shape (N,)
    """
    tied = np.flatnonzero(values >= values.max() - TIE * largest)
    return int(tied[np.argmin(places[tied])])


def decides_ties_alone(settings: Mapping[str, Any]) -> bool:
    """Return False: a study does not repeat a method for other seeds whose seed decides ties alone.

    The registered fact ``seeded`` of such a method.
    """
    return False
