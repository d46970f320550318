"""Measures that compare the true and the predicted set of each example, then average over examples."""

from __future__ import annotations

import numpy as np

from mlsieve.measures._single import with_empty_label
from mlsieve.registry import register

_ALL = ("sklearn", "textbook")  # nowhere defined otherwise
_OURS = ("textbook",)


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


@register.measure(
    "accuracy",
    direction="higher",
    definition="clus",
    also=_OURS,
    needs="predicted",
    empty="1 for an example where both sets are empty",
)
def accuracy(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``|Y and P| / |Y or P|`` (Jaccard)."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(both, true + pred - both, 1.0)


@register.measure(
    "f1",
    direction="higher",
    definition="clus",
    also=_OURS,
    needs="predicted",
    empty="1 for an example where both sets are empty",
)
def f1(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``2 |Y and P| / (|Y| + |P|)``."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(2 * both, true + pred, 1.0)


@register.measure(
    "precision",
    direction="higher",
    definition="clus",
    also=_OURS,
    needs="predicted",
    empty="an example without predictions counts 1 if its true set is empty as well, else 0",
)
def precision(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``|Y and P| / |P|``."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(both, pred, (true == 0).astype(float))


@register.measure(
    "recall",
    direction="higher",
    definition="clus",
    also=_OURS,
    needs="predicted",
    empty="an example without labels counts 1 if none is predicted, else 0",
)
def recall(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of ``|Y and P| / |Y|``."""
    both, true, pred = _sizes(truth, predicted)
    return _mean_ratio(both, true, (pred == 0).astype(float))


@register.measure(
    "accuracy-sklearn",
    measure="accuracy",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 for an example where both sets are empty",
)
def accuracy_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's jaccard_score(average="samples")."""
    from sklearn.metrics import jaccard_score

    return jaccard_score(
        with_empty_label(truth), with_empty_label(predicted), average="samples", zero_division=0
    )


@register.measure(
    "f1-sklearn",
    measure="f1",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 for an example where both sets are empty",
)
def f1_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's f1_score(average="samples")."""
    from sklearn.metrics import f1_score

    return f1_score(with_empty_label(truth), with_empty_label(predicted), average="samples", zero_division=0)


@register.measure(
    "precision-sklearn",
    measure="precision",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 for an example without predictions",
)
def precision_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's precision_score(average="samples")."""
    from sklearn.metrics import precision_score

    return precision_score(
        with_empty_label(truth), with_empty_label(predicted), average="samples", zero_division=0
    )


@register.measure(
    "recall-sklearn",
    measure="recall",
    direction="higher",
    definition="sklearn",
    needs="predicted",
    empty="0 for an example without labels",
)
def recall_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's recall_score(average="samples")."""
    from sklearn.metrics import recall_score

    return recall_score(
        with_empty_label(truth), with_empty_label(predicted), average="samples", zero_division=0
    )
