"""Measures that count cells of the label matrix: Hamming loss and the micro-averaged ones."""

from __future__ import annotations

from functools import partial
from typing import SupportsInt

import numpy as np

from mlsieve.registry import register

_ALL = ("sklearn", "textbook")  # nowhere defined otherwise
_micro = partial(
    register.measure, direction="higher", definition="clus", also=("textbook",), needs="predicted"
)


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
    "hamming-accuracy", direction="higher", definition="textbook", needs="predicted", empty="never"
)
def hamming_accuracy(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of right cells, 1 less the Hamming loss; what the paper on dynamic chains shows."""
    return np.count_nonzero(truth == predicted) / truth.size


@_micro("micro-precision", empty="NaN if no cell is predicted")
def micro_precision(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the predicted cells that are true."""
    return ratio(np.count_nonzero(truth & predicted), np.count_nonzero(predicted))


@_micro("micro-recall", empty="NaN if no cell is true")
def micro_recall(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the true cells that are predicted."""
    return ratio(np.count_nonzero(truth & predicted), np.count_nonzero(truth))


@_micro("micro-f1", empty="NaN if no cell is predicted or true")
def micro_f1(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Twice the true predicted cells over the sum of true and of predicted cells."""
    both = np.count_nonzero(truth & predicted)
    return ratio(2 * both, np.count_nonzero(truth) + np.count_nonzero(predicted))
