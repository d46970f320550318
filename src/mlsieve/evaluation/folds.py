"""Divisions of a dataset's rows into folds, which all cross-validations share."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError, number_of
from mlsieve.seeds import derive_seed


@dataclass(frozen=True)
class Fold:
    """One fold of a division.

    Attributes
    ----------
    repeat, fold : int
        Numbers of the division and of the fold in it, from 0.
    dataset : Dataset
        All rows; the fold is the test part, the other folds are the training part.
    """

    repeat: int
    fold: int
    dataset: Dataset


def fold_masks(n: int, folds: int, seed: int) -> Iterator[np.ndarray]:
    """Yield the training part of each fold of a cross-validation: a bool mask of shape (n,).

    Parameters
    ----------
    n : int
        Rows, each of which is in the test part of one fold.
    folds : int
        2 .. n; their sizes differ by 1 at most.
    seed : int
        In [0, 2**53).
    """
    order = np.random.Generator(np.random.Philox(seed)).permutation(n)
    for fold in range(folds):
        mask = np.ones(n, bool)
        mask[order[fold::folds]] = False
        yield mask


def divided(dataset: Dataset, folds: int, repeats: int = 1, split_seed: int = 0) -> Iterator[Fold]:
    """Return the folds of all divisions of a dataset's rows, one division after the other.

    Parameters
    ----------
    dataset : Dataset
        Its own split does not count.
    folds, repeats : int
        So many folds, in so many divisions.
    split_seed : int
        The divisions depend on it, the dataset's name and the number of folds alone, so that all methods
        share them.

    Raises
    ------
    UserError
        On fewer than two folds, or more folds than rows.
    """
    n = dataset.X.shape[0]
    if not 2 <= folds <= n:
        raise UserError(
            f"{number_of(folds, 'fold')} do not fit dataset '{dataset.name}' of {number_of(n, 'row')}",
            hint=f"give a number from 2 to {n}" if n > 1 else "give more rows",
        )
    return (
        Fold(repeat, fold, dataset.with_split(mask))
        for repeat in range(repeats)
        for fold, mask in enumerate(
            fold_masks(n, folds, derive_seed(split_seed, dataset.name, "folds", folds, repeat))
        )
    )


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float, int]:
    """Return the mean, the standard deviation (n - 1) and the number of the values that are not NaN.

    The mean of no value is NaN, and so is the deviation of fewer than two.
    """
    known = [value for value in values if not math.isnan(value)]
    mean = statistics.fmean(known) if known else math.nan
    return mean, float(np.std(known, ddof=1)) if len(known) > 1 else math.nan, len(known)


def number_text(value: float) -> str:
    """Return a number as tables of folds show it: Python's repr, which is read back exactly, or ``NaN``."""
    return "NaN" if math.isnan(value) else repr(value)
