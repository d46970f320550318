"""Predictions as tables: a row for each example, with label sets, probabilities and steps of a chain."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.errors import DataNotice
from mlsieve.evaluation.predictions import Predictions

# What is written by the ending of the name; one file each.
FORMATS = {".csv": "csv", ".arff": "meka", ".parquet": "parquet"}


def prediction_dataset(predictions: Predictions, label_names: Sequence[str]) -> Dataset:
    """Return predictions as a dataset: the labels are the predicted sets.

    Parameters
    ----------
    predictions : Predictions
        One.
    label_names : sequence of L str

    Returns
    -------
    Dataset
        Its features are the probabilities, ``probability of LABEL``, and, of a chain, the labels that its
        steps set, ``step 1``, ``step 2``, ...: nominal, missing where a step sets none.
    """
    scores, sets = predictions.scores_and_labels(0)
    names = [f"probability of {name}" for name in label_names]
    steps = np.empty((len(scores), 0))
    if predictions.sequence is not None:
        labels = predictions.sequence["labels"].astype(np.float64)
        steps = np.where(labels < 0, np.nan, labels)
    names += [f"step {number}" for number in range(1, steps.shape[1] + 1)]
    n_labels, n_steps = len(label_names), steps.shape[1]
    return Dataset(
        name=str(predictions.facts.get("dataset", "predictions")),
        X=np.ascontiguousarray(np.hstack([scores, steps])),
        Y=sp.csr_array(sets.astype(np.uint8)),
        train_mask=np.ones(len(scores), bool),
        nominal=np.arange(n_labels + n_steps) >= n_labels,
        categories=((),) * n_labels + (tuple(label_names),) * n_steps,
        feature_names=tuple(names),
        label_names=tuple(label_names),
        official_split=False,
    )


def write_predictions(
    predictions: Predictions, label_names: Sequence[str], path: str | os.PathLike[str]
) -> None:
    """Write predictions to a file: ``.npz`` for ``mlsieve score``, or a table, by the ending of its name.

    Parameters
    ----------
    predictions : Predictions
        One, if it is to be a table.
    label_names : sequence of str
    path : path-like

    Raises
    ------
    UserError
        If the table's format cannot hold the names of the labels.
    """
    ending = Path(path).suffix
    if ending not in FORMATS:
        predictions.save(path)
        return
    from mlsieve.data.exchange.writers import write_dataset

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)  # of what nobody needs who reads predictions
        write_dataset(prediction_dataset(predictions, label_names), path, FORMATS[ending])
