"""Measures that count cells of the label matrix: Hamming loss and the micro-averaged ones."""

from __future__ import annotations

from typing import SupportsInt

import numpy as np

from mlsieve.measures._single import with_empty_label
from mlsieve.registry import register

_ALL = ("sklearn", "textbook")  # nowhere defined otherwise
_OURS = ("textbook",)


def ratio(numerator: SupportsInt, denominator: SupportsInt) -> float:
    """Return the quotient of two counts, NaN for 0/0."""
    return int(numerator) / int(denominator) if int(denominator) else float("nan")


@register.measure(
    "hamming-loss", direction="lower", definition="clus", also=_ALL, needs="predicted", empty="never"
)
def hamming_loss(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of wrong cells, ``|P xor Y| / (n L)``."""
    return np.count_nonzero(truth != predicted) / truth.size


@register.measure(
    "micro-precision",
    direction="higher",
    definition="clus",
    also=_OURS,
    needs="predicted",
    empty="NaN if no cell is predicted",
)
def micro_precision(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the predicted cells that are true."""
    return ratio(np.count_nonzero(truth & predicted), np.count_nonzero(predicted))


@register.measure(
    "micro-recall",
    direction="higher",
    definition="clus",
    also=_OURS,
    needs="predicted",
    empty="NaN if no cell is true",
)
def micro_recall(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the true cells that are predicted."""
    return ratio(np.count_nonzero(truth & predicted), np.count_nonzero(truth))


@register.measure(
    "micro-f1",
    direction="higher",
    definition="clus",
    also=_OURS,
    needs="predicted",
    empty="NaN if no cell is predicted or true",
)
def micro_f1(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Twice the true predicted cells over the sum of true and of predicted cells."""
    both = np.count_nonzero(truth & predicted)
    return ratio(2 * both, np.count_nonzero(truth) + np.count_nonzero(predicted))


@register.measure(
    "micro-precision-sklearn",
    measure="micro-precision",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 if no cell is predicted",
)
def micro_precision_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's precision_score(average="micro")."""
    from sklearn.metrics import precision_score

    return precision_score(
        with_empty_label(truth), with_empty_label(predicted), average="micro", zero_division=0
    )


@register.measure(
    "micro-recall-sklearn",
    measure="micro-recall",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 if no cell is true",
)
def micro_recall_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's recall_score(average="micro")."""
    from sklearn.metrics import recall_score

    return recall_score(
        with_empty_label(truth), with_empty_label(predicted), average="micro", zero_division=0
    )


@register.measure(
    "micro-f1-sklearn",
    measure="micro-f1",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 if no cell is predicted or true",
)
def micro_f1_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's f1_score(average="micro")."""
    from sklearn.metrics import f1_score

    return f1_score(with_empty_label(truth), with_empty_label(predicted), average="micro", zero_division=0)
