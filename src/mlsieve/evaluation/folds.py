"""Divisions of a dataset's rows into folds, which all cross-validations share."""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import Division, divide
from mlsieve.errors import DataNotice, UserError, number_of
from mlsieve.measures import Measure, counted_as_undefined
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
    division : Division
        How the rows were divided.
    """

    repeat: int
    fold: int
    dataset: Dataset
    division: Division


def divided(
    dataset: Dataset, folds: int, repeats: int = 1, split_seed: int = 0, kind: str = "auto"
) -> Iterator[Fold]:
    """Return the folds of all divisions of a dataset's rows, one division after the other.

    Parameters
    ----------
    dataset : Dataset
        Its own split does not count.
    folds, repeats : int
        So many folds, in so many divisions. Sizes of folds differ by 1 at most.
    split_seed : int
        The divisions depend on it, the dataset's name and the number of folds alone, so that all methods
        share them; stratified ones also on the content of the rows, but not on their order.
    kind : {"auto", "random", "stratified", "stratified-pairs"}
        How the rows are divided, see `mlsieve.data.splits.divide`. By "auto", each division is random unless
        it leaves out a label.

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
    weights, places = np.ones(folds, np.int64), np.arange(n) % folds
    for repeat in range(repeats):
        seed = derive_seed(split_seed, dataset.name, "folds", folds, repeat)
        division = divide(dataset, weights, places, seed, kind)
        for fold in range(folds):
            yield Fold(repeat, fold, dataset.with_split(division.part != fold), division)


def kinds_of(divisions: Sequence[Division]) -> str:
    """Return how rows were divided: ``random``, or of several divisions ``random and stratified``."""
    return " and ".join(dict.fromkeys(each.kind for each in divisions))


def left_out(measures: Sequence[Measure], undefined: np.ndarray) -> np.ndarray:
    """Return how many labels each measure left out, over all folds; shape as `undefined` without the folds.

    Parameters
    ----------
    measures : sequence of Measure
    undefined : ndarray of int, shape (..., folds, measures)
        Labels without a value of their own in each fold, from `mlsieve.measures.evaluate_fold`.
    """
    leaves = [measure.facts.undefined_counts is None for measure in measures]
    return undefined.sum(axis=-2) * np.array(leaves)


def notice_folds(
    dataset: Dataset,
    folds: int,
    divisions: Sequence[Division],
    measures: Sequence[Measure],
    undefined: np.ndarray,
) -> None:
    """Say which folds are stratified without being asked for, and what labels count that a fold lacks.

    Parameters
    ----------
    dataset : Dataset
    folds : int
        Of each division.
    divisions : sequence of Division
    measures : sequence of Measure
    undefined : ndarray of int, shape (all folds, measures)
        See `left_out`.
    """
    n_labels = dataset.Y.shape[1]
    notices = []
    chosen = [each for each in divisions if each.avoided and each.kind != "random"]
    if chosen:
        which = f"{len(chosen)} of {len(divisions)} divisions {'is' if len(chosen) == 1 else 'are'}"
        which = "the folds are" if len(divisions) == 1 else which
        most = f"{max(each.avoided for each in chosen)} of {number_of(n_labels, 'label')}"
        notices.append(f"{which} stratified by labels, because random ones leave out {most} in some fold")
    examples = dataset.Y.sum(axis=0)
    n_rare = int(((examples > 0) & (examples < folds)).sum())
    if n_rare:
        fewer = "has fewer examples" if n_rare == 1 else "have fewer examples"
        what = f"{n_rare} of {number_of(n_labels, 'label')} {fewer} than there are folds"
        notices.append(f"{what}, so that some folds lack {'it' if n_rare == 1 else 'them'}")
    counts = undefined.sum(axis=0).tolist()
    notices += counted_as_undefined(measures, counts, f"{len(undefined) * n_labels} labels of folds")
    for notice in notices:
        warnings.warn(DataNotice(notice), stacklevel=3)


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
