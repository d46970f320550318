"""Macro-averaged measures: one value a label, averaged over the labels, and how many labels have none.

A label's precision is 0/0 where it is never predicted, its recall where no example has it. The ranking
study leaves these measures out for that reason (Petković, Džeroski, Kocev, Machine Learning 2020, section
5.4). Here the mean is over the labels whose value is defined, and a count says how many are not.
"""

from __future__ import annotations

import numpy as np

from mlsieve.measures._single import with_empty_label
from mlsieve.registry import register


def _counts(truth: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, for each label, how many examples have it and are predicted it, have it, are predicted it."""
    return (truth & predicted).sum(axis=0), truth.sum(axis=0), predicted.sum(axis=0)


def _mean_defined(numerator: np.ndarray, denominator: np.ndarray) -> float:
    """Return the mean quotient over the labels with a denominator above 0; NaN without any."""
    defined = denominator > 0
    return float((numerator[defined] / denominator[defined]).mean()) if defined.any() else float("nan")


@register.measure(
    "macro-precision",
    direction="higher",
    definition="textbook",
    needs="predicted",
    empty="labels that are never predicted are left out; NaN if all are",
)
def macro_precision(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the share of the predicted examples that have the label."""
    both, _, pred = _counts(truth, predicted)
    return _mean_defined(both, pred)


@register.measure(
    "macro-recall",
    direction="higher",
    definition="textbook",
    needs="predicted",
    empty="labels that no example has are left out; NaN if all are",
)
def macro_recall(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the share of the examples with the label that are predicted it."""
    both, true, _ = _counts(truth, predicted)
    return _mean_defined(both, true)


@register.measure(
    "macro-f1",
    direction="higher",
    definition="textbook",
    needs="predicted",
    empty="labels that no example has or is predicted are left out; NaN if all are",
)
def macro_f1(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of twice the common examples over the sum of true and of predicted ones."""
    both, true, pred = _counts(truth, predicted)
    return _mean_defined(2 * both, true + pred)


@register.measure(
    "macro-precision-undefined",
    direction="lower",
    definition="textbook",
    needs="predicted",
    empty="never",
    accompanies="macro-precision",
)
def macro_precision_undefined(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Number of labels without a precision: those that are never predicted."""
    return float((~predicted.any(axis=0)).sum())


@register.measure(
    "macro-recall-undefined",
    direction="lower",
    definition="textbook",
    needs="predicted",
    empty="never",
    accompanies="macro-recall",
)
def macro_recall_undefined(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Number of labels without a recall: those that no evaluated example has."""
    return float((~truth.any(axis=0)).sum())


@register.measure(
    "macro-f1-undefined",
    direction="lower",
    definition="textbook",
    needs="predicted",
    empty="never",
    accompanies="macro-f1",
)
def macro_f1_undefined(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Number of labels without an F1: those that no evaluated example has or is predicted."""
    return float((~(truth | predicted).any(axis=0)).sum())


@register.measure(
    "macro-precision-sklearn",
    measure="macro-precision",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 for a label that is never predicted",
)
def macro_precision_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's precision_score(average="macro", zero_division=0)."""
    from sklearn.metrics import precision_score

    return _without_empty_label(precision_score, truth, predicted)


@register.measure(
    "macro-recall-sklearn",
    measure="macro-recall",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 for a label that no example has",
)
def macro_recall_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's recall_score(average="macro", zero_division=0)."""
    from sklearn.metrics import recall_score

    return _without_empty_label(recall_score, truth, predicted)


@register.measure(
    "macro-f1-sklearn",
    measure="macro-f1",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 for a label that no example has or is predicted",
)
def macro_f1_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's f1_score(average="macro", zero_division=0)."""
    from sklearn.metrics import f1_score

    return _without_empty_label(f1_score, truth, predicted)


def _without_empty_label(score, truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean of a scikit-learn score over the labels, of which there may be one only."""
    by_label = score(with_empty_label(truth), with_empty_label(predicted), average=None, zero_division=0)
    return float(np.mean(by_label[: truth.shape[1]]))
