"""Measures of the order in which each example's scores put the labels."""

from __future__ import annotations

from functools import partial

import numpy as np

from mlsieve.measures._single import with_empty_label, with_lowest_score
from mlsieve.measures.thresholds import score_levels
from mlsieve.registry import register

_loss = partial(register.measure, direction="lower", needs="scores")
_FEW = 1000  # distinct scores up to which cells are sorted by their levels


def _worst_relevant_rank(truth: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return #{j : s_j >= the lowest relevant score} of each example; 0 without a relevant label."""
    relevant = scores[truth]
    sizes = np.count_nonzero(truth, axis=1)
    having = np.flatnonzero(sizes)
    lowest = np.full(len(truth), np.inf)
    if len(having):
        starts = np.cumsum(sizes[having]) - sizes[having]
        lowest[having] = np.minimum.reduceat(relevant, starts)
    return np.where(sizes > 0, np.count_nonzero(scores >= lowest[:, None], axis=1), 0)


def _pairs(truth: np.ndarray) -> np.ndarray:
    """Return |Y| |not Y| of each example, at least 1: where it is 0 there is no pair to get wrong."""
    relevant = truth.sum(axis=1)
    return np.maximum(relevant * (truth.shape[1] - relevant), 1)


@_loss("one-error", definition="clus", empty="never")
def one_error(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of examples whose top label (the first on ties) has a wrong prediction.

    Not the textbook measure: a top label below the threshold that is indeed irrelevant is no error.
    """
    rows, top = np.arange(len(scores)), scores.argmax(axis=1)
    return float((truth[rows, top] != predicted[rows, top]).mean())


@_loss("one-error-textbook", measure="one-error", definition="textbook", empty="never")
def one_error_textbook(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Share of examples whose top label (the first on ties) is not relevant."""
    return float((~truth[np.arange(len(scores)), scores.argmax(axis=1)]).mean())


@_loss("coverage", definition="clus", empty="examples without labels are left out; NaN if none has any")
def coverage(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean worst rank of a relevant label, from 1, tied labels counted, over examples with labels."""
    ranks = _worst_relevant_rank(truth, scores)[truth.any(axis=1)]
    return float(ranks.mean()) if len(ranks) else float("nan")


@_loss(
    "coverage-textbook",
    measure="coverage",
    definition="textbook",
    empty="examples without labels are left out; NaN if none has any",
)
def coverage_textbook(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean number of steps down the list to the worst relevant label: the rank from 1, less 1."""
    return coverage(truth, scores, predicted) - 1.0


@_loss(
    "coverage-sklearn", measure="coverage", definition="sklearn", empty="an example without labels counts 0"
)
def coverage_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's coverage_error: from 1, over all examples."""
    from sklearn.metrics import coverage_error

    return coverage_error(with_empty_label(truth), with_lowest_score(scores))


@_loss("normalised-coverage", definition="scls", empty="an example without labels counts 0")
def normalised_coverage(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean worst rank of a relevant label, from 1, over L (as in the selection paper's tables)."""
    return float(_worst_relevant_rank(truth, scores).mean() / truth.shape[1])


@_loss("normalised-coverage-printed", definition="scls", empty="an example without labels counts 0")
def normalised_coverage_printed(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean worst rank of a relevant label, less 1, over L (as in the selection paper's text)."""
    return float(np.maximum(_worst_relevant_rank(truth, scores) - 1, 0).mean() / truth.shape[1])


@_loss("ranking-loss", definition="clus", empty="an example with no or all labels adds 0 and counts")
def ranking_loss(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean share of (relevant, irrelevant) pairs in the wrong order; label order breaks ties."""
    rows, labels = np.divmod(np.flatnonzero(truth), truth.shape[1])
    above = np.bincount(rows, weights=_labels_above(rows, labels, scores), minlength=len(truth))
    relevant = np.count_nonzero(truth, axis=1)
    wrong = above - relevant * (relevant - 1) / 2  # less those of the relevant labels among themselves
    return float((wrong / _pairs(truth)).mean())


def _labels_above(rows: np.ndarray, labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return how many labels of its row rank above each of some cells; label order breaks ties.

    Parameters
    ----------
    rows, labels : ndarray of int, shape (m,)
        Rising cells.
    scores : ndarray of float64, shape (n, L)
    """
    levels = score_levels(scores)
    if levels.n_levels > _FEW:
        order = np.argsort(-scores, axis=1, kind="stable")
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.arange(scores.shape[1])[None], axis=1)
        return place[rows, labels]
    # Of a row's cells only those of another level than the commonest are sorted. One of the commonest comes
    # after the listed ones of higher scores and the other common ones before it.
    n, n_labels = scores.shape
    row = levels.cells // n_labels
    n_listed = np.bincount(row, minlength=n)
    start = np.cumsum(n_listed) - n_listed
    by_level = np.argsort(levels.level.astype(np.uint16), kind="stable")
    order = by_level[np.argsort(row[by_level], kind="stable")]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    place += np.where(levels.level > levels.common, n_labels - n_listed[row], 0) - start[row]
    n_higher = np.bincount(row[levels.level < levels.common], minlength=n)
    found = np.searchsorted(levels.cells, rows * n_labels + labels)
    above = n_higher[rows] + labels - (found - start[rows])
    listed = np.flatnonzero(np.append(levels.cells, -1)[found] == rows * n_labels + labels)
    above[listed] = place[found[listed]]
    return above


@_loss("ranking-loss-ties", definition="scls", empty="an example with no or all labels adds 0 and counts")
def ranking_loss_ties(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean share of (relevant, irrelevant) pairs whose relevant label does not score higher."""
    # Among equal scores the irrelevant come first, so that a stable sort counts each tie as wrong.
    order = np.lexsort((truth, -scores), axis=1)
    sorted_truth = np.take_along_axis(truth, order, axis=1)
    wrong = np.where(sorted_truth, np.cumsum(~sorted_truth, axis=1), 0).sum(axis=1)
    return float((wrong / _pairs(truth)).mean())


@_loss(
    "ranking-loss-sklearn",
    measure="ranking-loss",
    definition="sklearn",
    also=("textbook",),
    empty="an example with no or all labels adds 0 and counts",
)
def ranking_loss_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's label_ranking_loss: ties are errors."""
    from sklearn.metrics import label_ranking_loss

    return label_ranking_loss(truth, scores) if truth.shape[1] > 1 else 0.0


@register.measure(
    "average-precision-sklearn",
    measure="average-precision",
    direction="higher",
    definition="sklearn",
    needs="scores",
    empty="an example with no or all labels counts 1",
)
def average_precision_sklearn(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """scikit-learn's label_ranking_average_precision_score."""
    from sklearn.metrics import label_ranking_average_precision_score

    return label_ranking_average_precision_score(truth, scores) if truth.shape[1] > 1 else 1.0


@register.measure(
    "average-precision-textbook",
    measure="average-precision",
    direction="higher",
    definition="textbook",
    needs="scores",
    empty="examples without labels are left out; NaN if none has any",
)
def average_precision_textbook(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean share of relevant labels among those scored at least as high as a relevant one."""
    kept = truth.any(axis=1)
    return (
        average_precision_sklearn(truth[kept], scores[kept], predicted[kept]) if kept.any() else float("nan")
    )
