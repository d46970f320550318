"""What a feature selector finds: an order of the features, of which the first K are selected."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from mlsieve.errors import DataNotice, UserError, number_of
from mlsieve.rankings.files import Ranking
from mlsieve.rankings.ties import tie_levels
from mlsieve.registry import AtLeast, AtMost
from mlsieve.registry.parameters import MoreThan

FeatureCount = int | float | Literal["sqrt", "log2", "all"]
# A selector's parameter k.
SelectionSize = Annotated[
    Annotated[int, AtLeast(1)] | Annotated[float, MoreThan(0), AtMost(1)] | None,
    "none is ceil(sqrt(n)) for a dataset of n rows",
]


@dataclass(frozen=True)
class Selection:
    """An order of all features.

    Attributes
    ----------
    order : ndarray of int64, shape (F,)
        Feature indices: the selected ones as the search found them, then the others by their relevance, last
        those without entropy; ties in the features' canonical order (`mlsieve.data.column_contents`).
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
    chosen: np.ndarray, criterion: np.ndarray, relevance: np.ndarray, usable: np.ndarray, places: np.ndarray
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
    places : ndarray of intp, shape (F,)
        Each feature's place in the canonical order, which decides ties: see
        `mlsieve.data.column_contents.canonical_places`.
    """
    rest = np.ones(len(relevance), bool)
    rest[chosen] = False
    others = np.flatnonzero(rest)
    levels = tie_levels(np.where(usable, relevance, 0.0))
    others = others[np.lexsort((places[others], levels[others], ~usable[others]))]
    scores = np.empty(len(relevance))
    scores[chosen] = criterion
    floor = criterion.min() if len(criterion) else 0.0
    # Below the least criterion by the share of the others that are at least as good: equal ones alike.
    keys = np.column_stack([usable[others], np.where(usable[others], levels[others], 0)])
    steps = np.ones(len(others), bool)
    steps[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    scores[others] = floor - np.cumsum(steps) / max(len(others), 1)
    return Selection(np.concatenate([chosen, others]).astype(np.int64), scores, len(chosen))


def feature_count(wanted: FeatureCount, n_features: int, n_rows: int | None) -> int:
    """Return how many features are meant.

    Parameters
    ----------
    wanted : int, float, "sqrt", "log2" or "all"
        A count, 0 among them; a share of the features, rounded up; ceil(sqrt(n)); ceil(log2(n)); all.
    n_features : int
        F, which is the most that is returned.
    n_rows : int or None
        n of the whole dataset; None where it is not known.

    Raises
    ------
    UserError
        On something else, or "sqrt" or "log2" where n is not known.
    """
    if wanted == "all":
        return n_features
    if wanted in ("sqrt", "log2"):
        if n_rows is None:
            raise UserError(f"{wanted}: the number of rows of the dataset is not known", hint="give a count")
        count = default_size(n_rows) if wanted == "sqrt" else logarithmic_size(n_rows)
        return min(count, n_features)
    if isinstance(wanted, float) and 0 < wanted <= 1:
        return math.ceil(wanted * n_features)
    if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted >= 0:
        return min(wanted, n_features)
    raise UserError(
        f"{wanted!r} is not a number of features",
        hint="give a count, a share with a point, sqrt, log2 or all",
    )


def select_best(ranking: Ranking, wanted: FeatureCount, n_rows: int | None) -> Ranking:
    """Return the selection of a ranking's best features; arguments as of `feature_count`."""
    count = feature_count(wanted, len(ranking.scores), n_rows)
    if isinstance(wanted, int) and wanted > count:
        tell_of_too_many(wanted, count)
    return replace(ranking, n_selected=count, search_order=ranking.order())


def wanted_size(k: int | float | None, n_rows: int, n_features: int) -> int:
    """Return how many features a selector is asked for by its parameter k; more than there are is allowed."""
    if k is None:
        return default_size(n_rows)
    if isinstance(k, float):
        return feature_count(k, n_features, n_rows)
    if k > n_features:
        tell_of_too_many(k, n_features)
    return k


def tell_of_too_many(wanted: int, n_features: int) -> None:
    """Warn that more features are asked for than there are."""
    there = f"there {'is' if n_features == 1 else 'are'} {number_of(n_features, 'feature')}"
    what = f"{wanted} features are asked for, and {there}: all are selected"
    warnings.warn(DataNotice(what), stacklevel=3)


def default_size(n_rows: int) -> int:
    """Return how many features are selected where nothing is said: ceil(sqrt(n)) (SCLS paper, section 4)."""
    return math.ceil(math.sqrt(n_rows))


def logarithmic_size(n_rows: int) -> int:
    """Return ceil(log2(n)), at least 1, exactly: the rule "log2" of `feature_count`."""
    return max(1, (n_rows - 1).bit_length())
