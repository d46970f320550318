"""Scores of labels from the probabilities of their classes, as scikit-learn's classifiers return them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlsieve.errors import InvalidSetting, number_of


def scores_of_labels(scores: Any, classes: Sequence[Any] | None = None) -> np.ndarray:
    """Return scores of shape (n, L), float64.

    Parameters
    ----------
    scores : array-like of shape (n, L), or list of L arrays of shape (n, 2) or (n, 1)
        Of a list, the score of a label is the probability of its class 1.
    classes : sequence of L array-likes, optional
        The classes of each label, in the order of the columns.

    Raises
    ------
    ValueError
        If an array of the list has another shape, or `classes` does not fit.
    """
    listed = isinstance(scores, list | tuple) and any(map(_is_table, scores))
    if not listed:
        return _numbers(scores)
    if classes is not None and len(classes) != len(scores):
        problem = f"classes has {len(classes)} entries, y_score has {len(scores)}"
        raise InvalidSetting(problem, hint="give one per label")
    columns, assumed = [], []
    for label, given in enumerate(scores):
        table = _numbers(given, f"y_score[{label}]")
        known = None if classes is None else np.asarray(classes[label]).tolist()
        if table.ndim != 2 or table.shape[1] not in (1, 2):
            raise InvalidSetting(
                f"y_score[{label}] has the shape {table.shape}: give (n, 2), or (n, 1) of one class"
            )
        if known is None:
            known = [0, 1][: table.shape[1]]
            assumed += [label] if table.shape[1] == 1 else []
        if len(known) != table.shape[1] or not set(known) <= {0, 1}:
            raise InvalidSetting(
                f"classes[{label}] = {known} does not fit y_score[{label}] of shape {table.shape}"
            )
        if len(table) != np.shape(scores[0])[0]:
            raise InvalidSetting(
                f"y_score[{label}] has {number_of(len(table), 'row')}, y_score[0] {np.shape(scores[0])[0]}",
                hint="give the probabilities of the same examples for each label",
            )
        columns.append(table[:, known.index(1)] if 1 in known else np.zeros(len(table)))
    if assumed:
        warnings.warn(
            f"label {assumed[0]} has the probability of one class only"
            + (f", as {len(assumed) - 1} more have" if len(assumed) > 1 else "")
            + ": it is taken to be class 0; give classes=model.classes_",
            UserWarning,
            stacklevel=3,
        )
    return np.column_stack(columns)


def _is_table(given: Any) -> bool:
    try:
        return np.ndim(given) == 2
    except ValueError:  # a list of rows of different lengths
        return False


def _numbers(given: Any, name: str = "y_score") -> np.ndarray:
    try:
        dense = given.toarray() if hasattr(given, "toarray") else given
        return np.ascontiguousarray(dense, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidSetting(
            f"{name} is no table of numbers ({error})",
            hint="give an (n, L) array, or the list that predict_proba of scikit-learn returns",
        ) from None
