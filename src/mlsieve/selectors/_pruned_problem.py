"""Pruned problem transformation: frequent label sets become classes, the others are left out or broken up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.data.validation import label_set_classes
from mlsieve.errors import InvalidSetting
from mlsieve.registry import AtLeast

Pruned = Literal["drop", "subsets"]
Count = Annotated[int, AtLeast(1)]


@dataclass(frozen=True)
class PrunedProblem:
    """The single-label problem that is left of a multi-label one.

    Attributes
    ----------
    rows : ndarray of int64, shape (N,)
        Row of each example, not falling; a row that was broken up comes several times.
    classes : ndarray of int32, shape (N,)
        Class of each example, 0 .. C - 1, numbered as their label sets first occur in the data.
    n_classes : int
        C, at least 2.
    """

    rows: np.ndarray
    classes: np.ndarray
    n_classes: int


def pruned_problem(y: sp.csr_array, *, p: int, pruned: Pruned, n_subsets: int) -> PrunedProblem:
    """Make a class of each label set that occurs often enough.

    The empty set is a label set like any other: its examples are a class if there are p of them. But it is
    nobody's subset: examples are re-added with labels only.

    Parameters
    ----------
    y : csr_array, shape (n, L)
        0/1 labels, indices sorted.
    p : int
        Label sets that occur fewer than p times are pruned.
    pruned : {"drop", "subsets"}
        Whether the examples of pruned label sets take no part, or come back, once for each of the
        `n_subsets` best subsets of their label set among the frequent ones: those of more labels first, of
        as many the more frequent, of these the one that occurs first (strategy A_b of Read, Pfahringer,
        Holmes: Multi-label classification using ensembles of pruned sets, ICDM 2008, with b = n_subsets).
        An example without such subsets takes no part.
    n_subsets : int
        b.

    Raises
    ------
    InvalidSetting
        A ValueError, if fewer than two label sets are left.
    """
    sets, n_sets = label_set_classes(y)
    counts = np.bincount(sets, minlength=n_sets)
    frequent = counts >= p
    n_classes = int(frequent.sum())
    if n_classes < 2:
        if n_sets < 2:
            raise InvalidSetting(
                "all rows have the same labels, and two classes are needed",
                hint="give rows of at least two different label sets",
            )
        second, first = np.sort(counts)[-2:]
        raise InvalidSetting(
            f"{n_classes} of the {n_sets} different label sets occur p = {p} times or more, the commonest"
            f" {first} times, and two classes are needed",
            hint=f"give p = {second}" + (" or less" if second > 1 else ""),
        )
    class_of = np.cumsum(frequent) - 1
    kept = np.flatnonzero(frequent[sets])
    rows, classes = kept, class_of[sets[kept]]
    if pruned == "subsets" and not frequent.all():
        more_rows, more_sets = _subsets(y, sets, counts, frequent, n_subsets)
        rows, classes = np.concatenate([rows, more_rows]), np.concatenate([classes, class_of[more_sets]])
        order = np.argsort(rows, kind="stable")
        rows, classes = rows[order], classes[order]
    return PrunedProblem(rows.astype(np.int64), classes.astype(np.int32), n_classes)


def _subsets(
    y: sp.csr_array, sets: np.ndarray, counts: np.ndarray, frequent: np.ndarray, n_subsets: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (row, frequent set) of the examples of pruned sets, the best subsets of each first."""
    _, first_row = np.unique(sets, return_index=True)
    distinct = sp.csr_array(y[first_row], dtype=np.int64)
    sizes = np.asarray(distinct.sum(axis=1)).ravel()
    candidates = np.flatnonzero(frequent & (sizes > 0))
    candidates = candidates[np.lexsort((candidates, -counts[candidates], -sizes[candidates]))]
    others = np.flatnonzero(~frequent)
    # Labels in common of each pruned set with each frequent one; as many as the latter has, if it is within.
    shared = sp.csr_array(distinct[others] @ distinct[candidates].T)
    shared.sort_indices()
    of_other = np.repeat(np.arange(len(others)), np.diff(shared.indptr))
    within = shared.data == sizes[candidates[shared.indices]]
    of_other, best = of_other[within], shared.indices[within]
    place = np.arange(len(of_other)) - np.searchsorted(of_other, of_other)  # among the set's subsets
    of_other, best = of_other[place < n_subsets], best[place < n_subsets]
    first = np.searchsorted(of_other, np.arange(len(others)))
    last = np.searchsorted(of_other, np.arange(len(others)), side="right")
    number = np.full(len(counts), -1)
    number[others] = np.arange(len(others))
    rows = np.flatnonzero(~frequent[sets])
    own = number[sets[rows]]
    lengths = (last - first)[own]
    steps = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(rows, lengths), candidates[best[np.repeat(first[own], lengths) + steps]]
