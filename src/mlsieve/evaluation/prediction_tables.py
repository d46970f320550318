"""Predictions as tables: a row for each example, with label sets, probabilities and steps of a chain."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.sequence import sets_at_once
from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.losses import require_holdable
from mlsieve.errors import DataNotice, UserError, shortened
from mlsieve.evaluation.predictions import Predictions
from mlsieve.registry import Entry

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
        Its features are, of a cross-validation, ``fold``, the number of each row's, nominal; the
        probabilities, ``probability of LABEL``; and, of a chain, the labels that its steps set, ``step 1``,
        ``step 2``, ...: nominal, missing where a step sets none.
    """
    scores, sets = predictions.scores_and_labels(0)
    fold, folds = np.empty((len(scores), 0)), 0
    if predictions.fold is not None:
        fold, folds = predictions.fold[:, None], int(predictions.fold.max()) + 1
    steps = np.empty((len(scores), 0))
    if predictions.sequence is not None:
        labels = predictions.sequence["labels"].astype(np.float64)
        steps = np.where(labels < 0, np.nan, labels)
    X = np.ascontiguousarray(np.hstack([fold, scores, steps]), np.float64)
    name = str(predictions.facts.get("dataset", "predictions"))
    return _table(name, X, sp.csr_array(sets.astype(np.uint8)), label_names, folds, steps.shape[1])


def _table(
    name: str, X: Any, Y: sp.csr_array, label_names: Sequence[str], n_folds: int, n_steps: int
) -> Dataset:
    """Return a dataset of a column of folds, if there are any, and of columns of probabilities and steps."""
    categories = {"fold": tuple(map(str, range(n_folds)))} if n_folds else {}
    categories |= dict.fromkeys((f"probability of {label}" for label in label_names), ())
    categories |= dict.fromkeys((f"step {number}" for number in range(1, n_steps + 1)), tuple(label_names))
    return Dataset(
        name=name,
        X=X,
        Y=Y,
        train_mask=np.ones(X.shape[0], bool),
        nominal=np.array([values != () for values in categories.values()]),
        categories=tuple(categories.values()),
        feature_names=tuple(categories),
        label_names=tuple(label_names),
        official_split=False,
    )


def require_table(
    entry: Entry, label_names: Sequence[str], path: str | os.PathLike[str], *, folds: int = 0
) -> None:
    """Raise a UserError if a file cannot hold a method's predictions of labels: before they are made.

    Parameters
    ----------
    entry : Entry
        Of the method.
    label_names : sequence of L str
    path : path-like
        As of `write_predictions`.
    folds : int
        Of a cross-validation.
    """
    file_format = FORMATS.get(Path(path).suffix)
    if file_format is None:
        return
    n, n_steps = len(label_names), 0 if sets_at_once(entry) else len(label_names)
    X = sp.lil_array((n, (folds > 0) + n + n_steps))
    if n_steps:
        X[:, [-1]] = np.arange(n)[:, None]  # as if a step set each label
    table = _table("", sp.csr_array(X), sp.csr_array((n, n), dtype=np.uint8), label_names, folds, n_steps)
    others = {*table.feature_names}
    twice = [name for name in label_names if name in others]
    if twice:
        raise UserError(
            f"the label '{shortened(twice[0])}' has the name of another column of predictions",
            file=path,
            hint="rename the label, or give a name that ends in .npz",
        )
    require_holdable(table, path, file_format)


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
        If the table's format cannot hold the names of the labels, see `require_table`.
    """
    ending = Path(path).suffix
    if ending not in FORMATS:
        predictions.save(path)
        return
    from mlsieve.data.exchange.writers import write_dataset

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)  # of what nobody needs who reads predictions
        write_dataset(prediction_dataset(predictions, label_names), path, FORMATS[ending])
