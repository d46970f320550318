"""Areas under ROC and precision-recall curves, averaged over labels or over one pool of all cells."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from mlsieve.measures._undefined import undefined_labels
from mlsieve.measures.thresholds import threshold_counts, threshold_counts_by_label
from mlsieve.registry import register

_area = partial(register.measure, direction="higher", needs="scores")
_of_roc = partial(_area, undefined="one class")
_of_precision_recall = partial(_area, undefined="no positive")


def roc_area(truth: np.ndarray, scores: np.ndarray) -> float:
    """Return the trapezoid area under one ROC curve, equal scores grouped; 0.5 for one class only.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
    scores : ndarray of float64, shape (n,)
    """
    positives, negatives = threshold_counts(truth, scores)
    return float(_roc_areas(positives[np.newaxis], negatives[np.newaxis])[0])


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


def _roc_areas(positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """Return what `roc_area` does of each label; counts of shape (L, number of thresholds)."""
    total = 2.0 * positives[:, -1] * negatives[:, -1]
    heights = positives.copy()  # twice the mean height of each step
    heights[:, 1:] += positives[:, :-1]
    widths = np.diff(negatives, axis=1, prepend=0)
    return np.where(total > 0, (heights * widths).sum(axis=1) / np.maximum(total, 1.0), 0.5)


def _precision_recall_areas(positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """Return what `precision_recall_area` does of each label; counts of shape (L, number of thresholds)."""
    labels = np.arange(len(positives))
    first = (positives + negatives > 0).argmax(axis=1)  # the highest score that the label has
    start, beside = positives[labels, first], negatives[labels, first]
    gained = np.diff(positives, axis=1)
    gained[np.arange(gained.shape[1]) < first[:, None]] = 0  # up to the first point there is no curve
    segment = np.repeat(np.arange(gained.size), gained.ravel())
    slope = (np.diff(negatives, axis=1).ravel() / np.maximum(gained.ravel(), 1))[segment]
    done = np.cumsum(gained) - gained.ravel()
    step = np.arange(1, len(segment) + 1) - done[segment]  # within the segment
    left = positives[:, :-1].ravel()[segment] + step - 1
    false = negatives[:, :-1].ravel()[segment] + slope * (step - 1)
    precisions = left / (left + false) + (left + 1) / (left + 1 + false + slope)
    label = segment // max(gained.shape[1], 1)
    beyond = np.bincount(label, weights=precisions / 2.0, minlength=len(labels))
    area = start * (start / (start + beside)) + beyond
    return np.where(positives[:, -1] > 0, area / np.maximum(positives[:, -1], 1), 0.0)


def _mean_over_labels(
    areas: Callable[..., np.ndarray], area: Callable[..., float], truth: np.ndarray, scores: np.ndarray
) -> float:
    """Return the mean area, of all labels at once if their scores have few distinct values."""
    counts = threshold_counts_by_label(truth, scores)
    if counts is not None:
        return float(areas(*counts).mean())
    columns, labels = np.ascontiguousarray(scores.T), np.ascontiguousarray(truth.T)
    return float(np.mean([area(label, column) for label, column in zip(labels, columns, strict=True)]))


@_of_roc(
    "auroc",
    definition="clus",
    empty="a label without positives or without negatives counts 0.5",
    undefined_counts=0.5,
)
def auroc(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the area under the ROC curve."""
    return _mean_over_labels(_roc_areas, roc_area, truth, scores)


@_of_precision_recall(
    "auprc",
    definition="clus",
    empty="a label without positives counts 0",
    undefined_counts=0.0,
)
def auprc(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over labels of the area under the precision-recall curve."""
    return _mean_over_labels(_precision_recall_areas, precision_recall_area, truth, scores)


@_area("pooled-auprc", definition="clus", empty="0 without any positive")
def pooled_auprc(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Area under the one precision-recall curve of all (example, label) pairs."""
    return precision_recall_area(truth.ravel(), scores.ravel())


@_of_roc(
    "auroc-textbook",
    measure="auroc",
    definition="textbook",
    empty="labels without positives or without negatives are left out; NaN if all are",
)
def auroc_textbook(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of the area under the ROC curve over the labels that have one."""
    kept = ~undefined_labels("one class", truth, predicted)
    return auroc(truth[:, kept], scores[:, kept], predicted) if kept.any() else float("nan")


@_of_precision_recall(
    "auprc-textbook",
    measure="auprc",
    definition="textbook",
    empty="labels without positives are left out; NaN if all are",
)
def auprc_textbook(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of the area under the precision-recall curve over the labels with positives."""
    kept = ~undefined_labels("no positive", truth, predicted)
    return auprc(truth[:, kept], scores[:, kept], predicted) if kept.any() else float("nan")


@_of_roc(
    "auroc-sklearn",
    measure="auroc",
    definition="sklearn",
    empty="NaN if any label lacks positives or negatives",
)
def auroc_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's roc_auc_score(average="macro")."""
    from sklearn.metrics import roc_auc_score

    if undefined_labels("one class", truth, predicted).any():
        return float("nan")
    return roc_auc_score(truth, scores, average="macro")


@_of_precision_recall(
    "auprc-sklearn",
    measure="auprc",
    definition="sklearn",
    empty="a label without positives counts 0",
)
def auprc_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's average_precision_score(average="macro"): steps, no interpolation."""
    return _average_precision(truth, scores, "macro")


@_area("pooled-auprc-sklearn", measure="pooled-auprc", definition="sklearn", empty="0 without any positive")
def pooled_auprc_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's average_precision_score(average="micro"): steps, no interpolation."""
    return _average_precision(truth, scores, "micro")


def _average_precision(truth: np.ndarray, scores: np.ndarray, average: str) -> float:
    from sklearn.metrics import average_precision_score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels without positives: stated by `empty`
        return average_precision_score(truth, scores, average=average)
