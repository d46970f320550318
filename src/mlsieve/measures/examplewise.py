"""Measures that compare the true and the predicted set of each example, then average over examples."""

from __future__ import annotations

from functools import partial

import numpy as np

from mlsieve.registry import register

_ALL = ("sklearn", "textbook")  # nowhere defined otherwise
_mean = partial(
    register.measure, direction="higher", definition="clus", also=("textbook",), needs="predicted"
)


def _sizes(truth: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return |Y and P|, |Y| and |P| of each example."""
    return (truth & predicted).sum(axis=1), truth.sum(axis=1), predicted.sum(axis=1)


def _mean_ratio(numerator: np.ndarray, denominator: np.ndarray, undefined: np.ndarray | float) -> float:
    """Return the mean quotient; a quotient with denominator 0 is `undefined`."""
    return float(np.where(denominator > 0, numerator / np.maximum(denominator, 1), undefined).mean())


@register.measure(
    "subset-accuracy", direction="higher", definition="clus", also=_ALL, needs="predicted", empty="never"
)
def subset_accuracy(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of examples whose set is predicted exactly."""
    return float((truth == predicted).all(axis=1).mean())


@_mean("accuracy", empty="1 for an example where both sets are empty")
def accuracy(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``|Y and P| / |Y or P|`` (Jaccard)."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(both, true + pred - both, 1.0)


@_mean("f1", empty="1 for an example where both sets are empty")
def f1(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``2 |Y and P| / (|Y| + |P|)``."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(2 * both, true + pred, 1.0)


@_mean("precision", empty="an example without predictions counts 1 if its true set is empty as well, else 0")
def precision(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``|Y and P| / |P|``."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(both, pred, (true == 0).astype(float))


@_mean("recall", empty="an example without labels counts 1 if none is predicted, else 0")
def recall(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``|Y and P| / |Y|``."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(both, true, (pred == 0).astype(float))
