"""Cross-validation of methods that predict label sets."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import Division
from mlsieve.evaluation.chains import ChainMethod, require_fit, run_chain, stored_chain
from mlsieve.evaluation.folds import (
    divided,
    kinds_of,
    left_out,
    mean_and_deviation,
    notice_folds,
    number_text,
)
from mlsieve.evaluation.predictions import Predictions
from mlsieve.files.streams import csv_writer
from mlsieve.measures import Measure, evaluate_fold
from mlsieve.seeds import derive_seed


@dataclass(frozen=True)
class CrossValidation:
    """Values of measures in the folds of a cross-validation, and what these took.

    Attributes
    ----------
    measures : sequence of Measure
    values : ndarray of float64, shape (folds, measures)
        NaN where a measure is undefined.
    labels_left_out : ndarray of int, shape (measures,)
        By each measure, over all folds.
    division : str
        How the rows were divided into folds.
    training_seconds, prediction_seconds : float
        CPU seconds of all folds.
    predictions : Predictions or None
        Of all rows in their order, each by the model of the fold whose test part it is in; of the first
        division.
    """

    measures: Sequence[Measure]
    values: np.ndarray
    labels_left_out: np.ndarray
    division: str
    training_seconds: float
    prediction_seconds: float
    predictions: Predictions | None = None

    def table(self) -> str:
        """Return CSV text with mean and standard deviation (n - 1) over the folds that have a value."""
        text = io.StringIO()
        writer = csv_writer(text)
        writer.writerow(("measure", "mean", "standard_deviation", "folds", "labels_left_out", "division"))
        columns = zip(self.measures, self.values.T.tolist(), self.labels_left_out.tolist(), strict=True)
        for measure, column, left in columns:
            mean, deviation, n_known = mean_and_deviation(column)
            texts = number_text(mean), number_text(deviation)
            writer.writerow((measure.id, *texts, n_known, left, self.division))
        return text.getvalue()


def cross_validate(
    method: ChainMethod,
    dataset: Dataset,
    *,
    folds: int,
    repeats: int = 1,
    measures: Sequence[Measure],
    split_seed: int = 0,
    division: str = "auto",
    seed: int = 0,
    n_threads: int = 1,
    keep: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> CrossValidation:
    """Fit and predict in each fold of all rows of a dataset.

    Parameters
    ----------
    method : ChainMethod
    dataset : Dataset
        Its own split does not count.
    folds, repeats : int
        So many folds, in so many divisions of the rows.
    measures : sequence of Measure
        From `chain_measures`.
    split_seed : int
        Of the divisions, see `mlsieve.evaluation.folds.divided`.
    division : {"auto", "random", "stratified", "stratified-pairs"}
        How the rows are divided into folds.
    seed : int
        Of the method; each fold's is a hash of it.
    n_threads : int
        Does not change the result.
    keep : bool
        Whether the predictions are kept, too.
    progress : callable, optional
        Called as ``progress(done, total)`` after each fold.

    Raises
    ------
    UserError
        On more folds than rows, or a method that is not for such data.
    """
    require_fit(method, dataset, seed)
    values, undefined, training, prediction = [], [], 0.0, 0.0
    divisions: dict[int, Division] = {}
    kept: list[tuple[np.ndarray, ChainPrediction]] = []
    for one in divided(dataset, folds, repeats, split_seed, division):
        part, divisions[one.repeat] = one.dataset, one.division
        own = derive_seed(seed, "repeat", one.repeat, "fold", one.fold)
        run = run_chain(method, part, seed=own, n_threads=n_threads)
        if keep and one.repeat == 0:
            kept.append((np.flatnonzero(~part.train_mask), run.prediction))
        truth = part.Y_test.toarray().astype(bool)
        found = run.prediction
        own_values, lacking = evaluate_fold(
            measures, truth, found.probabilities, found.labels, part.hierarchy
        )
        values.append(own_values)
        undefined.append(lacking)
        training, prediction = training + run.training_seconds, prediction + run.prediction_seconds
        if progress is not None:
            progress(len(values), repeats * folds)
    notice_folds(dataset, folds, [*divisions.values()], measures, np.array(undefined))
    predictions = None
    if keep:
        facts = {"split": "folds", "folds": folds, "division": divisions[0].kind}
        facts |= {"repeat": 0, "split_seed": split_seed, "seed": seed}
        predictions = _out_of_fold(method, dataset, kept, facts)
    return CrossValidation(
        measures,
        np.array(values),
        left_out(measures, np.array(undefined)),
        kinds_of([*divisions.values()]),
        training,
        prediction,
        predictions,
    )


def _out_of_fold(
    method: ChainMethod,
    dataset: Dataset,
    kept: Sequence[tuple[np.ndarray, ChainPrediction]],
    facts: Mapping[str, Any],
) -> Predictions:
    """Return the predictions of the folds, each with its rows, as those of all rows in their order."""
    rows = np.concatenate([own for own, _ in kept])
    fold = np.repeat(np.arange(len(kept), dtype=np.int32), [len(own) for own, _ in kept])
    order = np.argsort(rows)
    labels, probabilities = (
        np.concatenate([getattr(one, name) for _, one in kept])[order] for name in ("labels", "probabilities")
    )
    sequences = [one.sequence for _, one in kept if one.sequence is not None]
    sequence = _joined(sequences, order) if len(sequences) == len(kept) else None
    whole = dataset.with_split(np.zeros(len(rows), bool))
    found = ChainPrediction(labels, probabilities, sequence)
    return replace(stored_chain(method, found, whole, facts), fold=fold[order])


def _joined(sequences: Sequence[LabelSequence], order: np.ndarray) -> LabelSequence:
    """Return the steps of all rows in an order; shorter sequences get steps that set no label."""
    length = max(one.labels.shape[1] for one in sequences)
    parts: dict[str, Any] = {}
    for field in fields(LabelSequence):
        own = [getattr(one, field.name) for one in sequences]
        if all(part is not None for part in own):
            parts[field.name] = np.concatenate([_as_long(part, length) for part in own])[order]
    return LabelSequence(**parts)


def _as_long(steps: np.ndarray, length: int) -> np.ndarray:
    nothing: Any = {"i": -1, "b": False, "f": np.nan}[steps.dtype.kind]
    more = np.full((len(steps), length - steps.shape[1]), nothing, steps.dtype)
    return np.hstack([steps, more])
