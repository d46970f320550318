"""Macro-averaged measures: one value per label, averaged over the labels, and how many labels have none.

A label's precision is 0/0 where it is never predicted, its recall where no example has it. The ranking
study leaves these measures out for that reason (Petković, Džeroski, Kocev, Machine Learning 2020, section
5.4). Here the mean is over the labels whose value is defined, and a count says how many are not.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mlsieve.measures._undefined import undefined_labels
from mlsieve.registry import register

_mean = partial(register.measure, direction="higher", definition="textbook", needs="predicted")
_count = partial(register.measure, direction="lower", definition="textbook", needs="predicted", empty="never")


def _counts(truth: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, for each label, how many examples have it and are predicted it, have it, are predicted it."""
    return (truth & predicted).sum(axis=0), truth.sum(axis=0), predicted.sum(axis=0)


def _mean_defined(numerator: np.ndarray, denominator: np.ndarray) -> float:
    """Return the mean quotient over the labels with a denominator above 0; NaN without any."""
    defined = denominator > 0
    return float((numerator[defined] / denominator[defined]).mean()) if defined.any() else float("nan")


@_mean(
    "macro-precision",
    undefined="not predicted",
    empty="labels that are never predicted are left out; NaN if all are",
)
def macro_precision(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the share of the predicted examples that have the label."""
    both, _, pred = _counts(truth, predicted)
    return _mean_defined(both, pred)


@_mean(
    "macro-recall", undefined="no positive", empty="labels that no example has are left out; NaN if all are"
)
def macro_recall(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the share of the examples with the label for which it is predicted."""
    both, true, _ = _counts(truth, predicted)
    return _mean_defined(both, true)


@_mean(
    "macro-f1",
    undefined="neither",
    empty="labels that no example has or is predicted are left out; NaN if all are",
)
def macro_f1(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of twice the common examples over the sum of true and of predicted ones."""
    both, true, pred = _counts(truth, predicted)
    return _mean_defined(2 * both, true + pred)


def _register_count(measure: str, kind: str, which: str) -> None:
    def undefined(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
        return float(undefined_labels(kind, truth, predicted).sum())

    undefined.__doc__ = f"Number of labels that {measure} leaves out: {which}."
    _count(f"{measure}-undefined", accompanies=measure)(undefined)


for _row in (
    ("macro-precision", "not predicted", "those that are never predicted"),
    ("macro-recall", "no positive", "those that no evaluated example has"),
    ("macro-f1", "neither", "those that no evaluated example has and that are never predicted"),
    ("auroc", "one class", "those that no evaluated example has, or that all have"),
    ("auprc", "no positive", "those that no evaluated example has"),
):
    _register_count(*_row)
