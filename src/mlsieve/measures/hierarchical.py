"""Measures of labels with a hierarchy, in which a class implies all classes above it.

Hierarchical precision, recall and F1 compare the true and the predicted sets after both are closed upwards,
pooled over examples (Kiritchenko, Matwin, Nock, Famili: Learning and evaluation in the presence of class
hierarchies, Canadian Conference on AI 2006; Vens, Struyf, Schietgat, Dzeroski, Blockeel: Decision trees for
hierarchical multi-label classification, Machine Learning 73, 2008). The root is in every set and does not
count.

CLUS leaves classes without a positive among the evaluated examples out of the areas under curves; the paper
on hierarchical ranking pools all classes, as the functions of flat labels do.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mlsieve.hierarchy import Hierarchy
from mlsieve.measures.curves import auprc, auroc, pooled_auprc
from mlsieve.measures.labelwise import ratio
from mlsieve.registry import register

_hierarchical = partial(register.measure, hierarchical=True, direction="higher")
_of_sets = partial(_hierarchical, definition="paper", also=("clus", "textbook"), needs="predicted")
_of_curves = partial(_hierarchical, definition="clus", needs="scores")


def _closed_counts(truth: np.ndarray, predicted: np.ndarray, hierarchy: Hierarchy) -> tuple[int, int, int]:
    """Return |P and Y|, |Y| and |P| over all examples, sets closed upwards."""
    true, pred = _closed(truth, hierarchy), _closed(predicted, hierarchy)
    both, n_true, n_predicted = (np.count_nonzero(sets) for sets in (true & pred, true, pred))
    return int(both), int(n_true), int(n_predicted)


def _closed(sets: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return sets with all classes above theirs; those of data and of consistent predictions have them."""
    rows, classes = np.divmod(np.flatnonzero(sets), sets.shape[1])
    start = hierarchy.parent_start
    counts = np.diff(start)[classes]
    edges = np.arange(counts.sum()) + np.repeat(start[classes] - np.cumsum(counts) + counts, counts)
    if sets[np.repeat(rows, counts), hierarchy.parent_index[edges]].all():
        return sets
    return hierarchy.close(sets).toarray().astype(bool)


@_of_sets("hierarchical-precision", empty="NaN if no class is predicted")
def hierarchical_precision(
    truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray, hierarchy: Hierarchy
) -> float:
    """Share of the predicted classes that are true, sets closed upwards and pooled over examples."""
    both, _, n_predicted = _closed_counts(truth, predicted, hierarchy)
    return ratio(both, n_predicted)


@_of_sets("hierarchical-recall", empty="NaN if no class is true")
def hierarchical_recall(
    truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray, hierarchy: Hierarchy
) -> float:
    """Share of the true classes that are predicted, sets closed upwards and pooled over examples."""
    both, n_true, _ = _closed_counts(truth, predicted, hierarchy)
    return ratio(both, n_true)


@_of_sets("hierarchical-f1", empty="NaN if no class is predicted or true")
def hierarchical_f1(
    truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray, hierarchy: Hierarchy
) -> float:
    """Harmonic mean of hierarchical precision and recall: ``2 |P and Y| / (|P| + |Y|)``, pooled."""
    both, n_true, n_predicted = _closed_counts(truth, predicted, hierarchy)
    return ratio(2 * both, n_true + n_predicted)


def _with_positives(truth: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of the classes that have a positive."""
    kept = truth.any(axis=0)
    return (truth, scores) if kept.all() else (truth[:, kept], scores[:, kept])


@_of_curves(
    "auroc-clus",
    measure="auroc",
    undefined="no positive",
    empty="classes without positives are left out, one without negatives counts 0.5; NaN if none is left",
)
def auroc_clus(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over classes with positives of the area under the ROC curve."""
    truth, scores = _with_positives(truth, scores)
    return auroc(truth, scores, predicted) if truth.size else float("nan")


@_of_curves(
    "auprc-clus",
    measure="auprc",
    undefined="no positive",
    empty="classes without positives are left out; NaN if none is left",
)
def auprc_clus(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over classes with positives of the area under the precision-recall curve."""
    truth, scores = _with_positives(truth, scores)
    return auprc(truth, scores, predicted) if truth.size else float("nan")


@_of_curves(
    "pooled-auprc-clus",
    measure="pooled-auprc",
    undefined="no positive",
    empty="classes without positives are left out; NaN if none is left",
)
def pooled_auprc_clus(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
    """Area under the one precision-recall curve of all (example, class) pairs of classes with positives."""
    truth, scores = _with_positives(truth, scores)
    return pooled_auprc(truth, scores, predicted) if truth.size else float("nan")
