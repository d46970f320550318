"""Measures of multi-label predictions, each under named definitions.

A measure is one registered function ``f(truth, scores, predicted) -> float`` of three arrays of shape (n, L):
bool truth, float scores (higher is more relevant) and bool predictions. Its decorator states:

direction : "lower" or "higher"
    Which values are better.
definition : str
    Whose definition it computes: "clus" (the program's and the papers' on flat labels), "paper" (the paper's
    on hierarchical labels), "sklearn", "textbook" (reviews of the field), "scls" (the selection paper's).
also : tuple of str, optional
    Other definitions that agree with it. What is of "clus" is of "paper", too.
hierarchical : bool, optional
    True: only for labels with a hierarchy. Such a function replaces another of the same measure and
    definition. One with a fourth parameter ``hierarchy`` is given the labels' `mlsieve.hierarchy.Hierarchy`.
measure : str, optional
    The measure's name where the id adds the definition (``one-error-textbook`` is ``one-error`` as the
    textbooks have it).
accompanies : str, optional
    The measure of which this one counts the labels without a value. A count is reported beside the measure;
    no test is about it unless a study names it.
needs : "predicted" or "scores"
    Which of the two arrays it reads.
empty : str
    What comes out where the formula is 0/0.

NaN means undefined and is returned as NaN; whoever averages must say what becomes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from mlsieve.data.exchange.examples import column_names, formerly, require_same_index
from mlsieve.data.frames import as_pandas, require_one_level
from mlsieve.errors import InvalidSetting, UserError, number_of, shortened
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures._choose import DEFINITIONS, Measure, available, choose, default_definition
from mlsieve.measures._class_probabilities import scores_of_labels
from mlsieve.measures._label_names import in_label_order, require_hierarchy_order
from mlsieve.measures._undefined import counted_as_undefined, undefined_labels

__all__ = [
    "DEFINITIONS",
    "Measure",
    "available",
    "choose",
    "counted_as_undefined",
    "default_definition",
    "evaluate",
    "evaluate_all",
    "undefined_labels",
]


@formerly(Y_true="y_true", scores="y_score", predicted="y_pred")
def evaluate_all(
    y_true: Any,
    y_score: Any,
    *,
    y_pred: Any = None,
    threshold: float = 0.5,
    definition: str | None = None,
    measures: Sequence[str] | None = None,
    hierarchy: Hierarchy | None = None,
    classes: Sequence[Any] | None = None,
) -> dict[str, float]:
    """Compute measures of one set of predictions.

    Parameters
    ----------
    y_true : array-like or sparse of shape (n, L)
        0/1 labels. Where it is a DataFrame and so are the scores or predictions, their columns are matched by
        name, and their indexes must be equal; columns 0, 1, ... have no names.
    y_score : array-like of shape (n, L), or list of L arrays of shape (n, 2) or (n, 1)
        Higher is more relevant. The list is what ``predict_proba`` of scikit-learn's forests returns: the
        probabilities of the classes 0 and 1 of each label, or those of the only class that it knows.
    y_pred : array-like or sparse of shape (n, L), optional
        0/1 predictions; by default ``y_score >= threshold``.
    threshold : float
    definition : {"clus", "paper", "sklearn", "textbook", "scls"}, optional
        Whose definitions; docs/definitions.md compares them. By default "paper" with a hierarchy, else
        "clus".
    measures : sequence of str, optional
        Default: all measures of the definition.
    hierarchy : Hierarchy, optional
        Of the labels, in the order of the columns. An example then belongs to all classes above its own, also
        where `y_true` does not say so.
    classes : sequence of L array-likes, optional
        The classes of each label where `y_score` is a list: ``classes_`` of the classifier. Without it, the
        only class of a label with one column is taken to be 0, and a warning says so.

    Returns
    -------
    dict of str to float
        NaN where a measure is undefined.

    Raises
    ------
    ValueError
        If shapes, names of labels or indexes differ, there is no cell, labels are not 0/1, or a score is
        NaN or no number.
    UserError
        On an unknown measure or definition, and on a measure of hierarchies without one.
    """
    y_true, y_score, y_pred = map(as_pandas, (y_true, y_score, y_pred))
    require_one_level(y_true, "y_true")
    for name, table in (("y_score", y_score), ("y_pred", y_pred)):
        require_one_level(table, name)
        require_same_index(y_true, table, name, first="y_true")
    names = column_names(y_true)
    if hierarchy is not None:
        require_hierarchy_order(names, hierarchy.names)
    scores = in_label_order(y_score, names, "y_score")
    predicted = in_label_order(y_pred, names, "y_pred")
    truth = _as_bool(y_true, "y_true")
    scores = scores_of_labels(scores, classes)
    predicted = scores >= threshold if predicted is None else _as_bool(predicted, "y_pred")
    if truth.ndim != 2 or truth.size == 0 or not truth.shape == scores.shape == predicted.shape:
        shapes = f"y_true has the shape {truth.shape}, y_score {scores.shape}, y_pred {predicted.shape}"
        raise InvalidSetting(shapes, hint="give (n, L) arrays of the same examples and labels")
    if np.isnan(scores).any():
        row, label = np.argwhere(np.isnan(scores))[0]
        raise InvalidSetting(f"a score is NaN: row {row}, label {label}", hint="give a number")
    if hierarchy is not None and hierarchy.n_classes != truth.shape[1]:
        raise ValueError(
            f"a hierarchy of {number_of(hierarchy.n_classes, 'class')} does not fit "
            f"{number_of(truth.shape[1], 'label')}"
        )
    if hierarchy is not None:
        truth = hierarchy.close(truth).toarray() > 0
    chosen = choose(measures, definition, hierarchical=hierarchy is not None)
    values = evaluate(chosen, truth, scores, predicted, hierarchy)
    return {measure.id: value for measure, value in zip(chosen, values, strict=True)}


def evaluate(
    chosen: Sequence[Measure],
    truth: np.ndarray,
    scores: np.ndarray,
    predicted: np.ndarray,
    hierarchy: Hierarchy | None = None,
) -> list[float]:
    """Return the value of each chosen measure.

    Parameters
    ----------
    chosen : sequence of Measure
        From `choose`.
    truth, predicted : ndarray of bool, shape (n, L)
    scores : ndarray of float64, shape (n, L)
        Without NaN.
    hierarchy : Hierarchy, optional
        For the measures that need it.
    """
    values: list[float] = []
    for measure in chosen:
        found = measure.function(truth, scores, predicted, *((hierarchy,) if measure.takes_hierarchy else ()))
        if not isinstance(found, Real | np.bool_):
            hint = "its function returns a single number, NaN where it is undefined"
            raise UserError(f"measure '{measure.id}' gives {shortened(repr(found))}", hint=hint)
        values.append(float(found))
    return values


def evaluate_fold(
    chosen: Sequence[Measure],
    truth: np.ndarray,
    scores: np.ndarray,
    predicted: np.ndarray,
    hierarchy: Hierarchy | None = None,
) -> tuple[list[float], list[int]]:
    """Return the value of each chosen measure in a fold, and how many labels have none of their own there.

    A measure with a value for each label leaves such labels out, NaN if all are, unless its definition says
    what they count: by "clus", the area under the ROC curve of a label without a positive example is 0.5.

    Parameters
    ----------
    chosen, truth, scores, predicted, hierarchy
        As of `evaluate`.

    Returns
    -------
    values : list of float
        One for each chosen measure; NaN where it is undefined.
    undefined : list of int
        For each chosen measure, how many of the L labels have no value of their own.
    """
    values, undefined = [], []
    for measure in chosen:
        facts = measure.facts
        lacking = undefined_labels(facts.undefined, truth, predicted)
        undefined.append(int(lacking.sum()))
        if lacking.all() and facts.undefined_counts is None:
            values.append(float("nan"))
        elif lacking.any() and facts.undefined_counts is None:
            own = (np.ascontiguousarray(array[:, ~lacking]) for array in (truth, scores, predicted))
            values += evaluate([measure], next(own), next(own), next(own), hierarchy)
        else:
            values += evaluate([measure], truth, scores, predicted, hierarchy)
    return values, undefined


def _as_bool(matrix: Any, name: str) -> np.ndarray:
    try:
        dense = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    except ValueError:  # lists of different lengths
        raise InvalidSetting(
            f"{name} is no table: its rows differ in length", hint="give an (n, L) array of 0 and 1"
        ) from None
    if dense.dtype != np.bool_ and not ((dense == 0) | (dense == 1)).all():
        raise InvalidSetting(f"{name} is not 0/1", hint="give an (n, L) array of 0 and 1")
    return np.ascontiguousarray(dense, dtype=bool)
