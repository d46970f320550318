"""Areas under ROC and precision-recall curves, averaged over labels or over one pool of all cells."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from mlsieve.measures.thresholds import threshold_counts
from mlsieve.registry import register


def roc_area(truth: np.ndarray, scores: np.ndarray) -> float:
    """Return the trapezoid area under one ROC curve, equal scores grouped; 0.5 for one class only.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
    scores : ndarray of float64, shape (n,)
    """
    positives, negatives = threshold_counts(truth, scores)
    if positives[-1] == 0 or negatives[-1] == 0:
        return 0.5
    heights = positives + np.concatenate(([0], positives[:-1]))  # twice the mean height of each step
    widths = np.diff(negatives, prepend=0)
    return float((heights * widths).sum() / (2.0 * positives[-1] * negatives[-1]))


def precision_recall_area(truth: np.ndarray, scores: np.ndarray) -> float:
    """Return the area under one precision-recall curve; 0 without positives.

    Equal scores make one point. Between two points the curve runs through every whole number of true
    positives, the false positives growing linearly with them (Davis and Goadrich 2006); the first point is
    extended horizontally to recall 0; trapezoids between the points.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
    scores : ndarray of float64, shape (n,)
    """
    positives, negatives = threshold_counts(truth, scores)
    total = int(positives[-1])
    if total == 0:
        return 0.0
    area = positives[0] * (positives[0] / (positives[0] + negatives[0]))
    # Step t of 1 .. total - positives[0] leads from start + t - 1 to start + t true positives, within one
    # segment.
    gained = np.diff(positives)
    segment = np.repeat(np.arange(len(gained)), gained)
    right = np.arange(positives[0] + 1, total + 1)
    slope = np.diff(negatives)[segment] / gained[segment]
    left_false = negatives[:-1][segment] + slope * (right - 1 - positives[:-1][segment])
    right_false = negatives[:-1][segment] + slope * (right - positives[:-1][segment])
    left_precision = (right - 1) / (right - 1 + left_false)
    area += ((left_precision + right / (right + right_false)) / 2.0).sum()
    return float(area / total)


def _mean_over_labels(area: Callable[..., float], truth: np.ndarray, scores: np.ndarray) -> float:
    columns, labels = np.ascontiguousarray(scores.T), np.ascontiguousarray(truth.T)
    return float(np.mean([area(label, column) for label, column in zip(labels, columns, strict=True)]))


@register.measure(
    "auroc",
    direction="higher",
    definition="clus",
    needs="scores",
    empty="a label without positives or without negatives counts 0.5",
)
def auroc(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the area under the ROC curve."""
    return _mean_over_labels(roc_area, truth, scores)


@register.measure(
    "auprc", direction="higher", definition="clus", needs="scores", empty="a label without positives counts 0"
)
def auprc(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the area under the precision-recall curve."""
    return _mean_over_labels(precision_recall_area, truth, scores)


@register.measure(
    "pooled-auprc", direction="higher", definition="clus", needs="scores", empty="0 without any positive"
)
def pooled_auprc(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Area under the one precision-recall curve of all (example, label) pairs."""
    return precision_recall_area(truth.ravel(), scores.ravel())


@register.measure(
    "auroc-sklearn",
    measure="auroc",
    direction="higher",
    definition="sklearn",
    needs="scores",
    empty="NaN if any label lacks positives or negatives",
)
def auroc_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's roc_auc_score(average="macro")."""
    from sklearn.metrics import roc_auc_score

    if not (truth.any(axis=0) & ~truth.all(axis=0)).all():
        return float("nan")
    return roc_auc_score(truth, scores, average="macro")


@register.measure(
    "auprc-sklearn",
    measure="auprc",
    direction="higher",
    definition="sklearn",
    needs="scores",
    empty="a label without positives counts 0",
)
def auprc_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's average_precision_score(average="macro"): steps, no interpolation."""
    return _average_precision(truth, scores, "macro")


@register.measure(
    "pooled-auprc-sklearn",
    measure="pooled-auprc",
    direction="higher",
    definition="sklearn",
    needs="scores",
    empty="0 without any positive",
)
def pooled_auprc_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's average_precision_score(average="micro"): steps, no interpolation."""
    return _average_precision(truth, scores, "micro")


def _average_precision(truth: np.ndarray, scores: np.ndarray, average: str) -> float:
    from sklearn.metrics import average_precision_score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels without positives: stated by `empty`
        return average_precision_score(truth, scores, average=average)
