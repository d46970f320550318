"""What a chain predicts: label sets, probabilities, and the steps that led to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlsieve.registry import Entry


@dataclass(frozen=True)
class LabelSequence:
    """The labels that a chain sets, step by step; K is the length of the chain.

    Attributes
    ----------
    labels : ndarray of int32, shape (n, K)
        The label that each step sets; -1: it sets none.
    probabilities : ndarray of float64, shape (n, K)
        The label's probability at that step; NaN where none is set.
    positive : ndarray of bool, shape (n, K)
        Whether the label becomes one of the example's.
    cardinality : ndarray of float64, shape (n, K), or None
        The expected number of labels at that step, where the method has one.
    """

    labels: np.ndarray
    probabilities: np.ndarray
    positive: np.ndarray
    cardinality: np.ndarray | None = None


@dataclass(frozen=True)
class ChainPrediction:
    """All that one pass predicts.

    Attributes
    ----------
    labels : ndarray of bool, shape (n, L)
        The predicted sets, which need not be those of the labels of at least 1/2.
    probabilities : ndarray of float64, shape (n, L)
        Within [0, 1].
    sequence : LabelSequence or None
        None for a method without a chain.
    """

    labels: np.ndarray
    probabilities: np.ndarray
    sequence: LabelSequence | None = None


def rounds_parameter(entry: Entry, settings: Mapping[str, Any]) -> str | None:
    """Return how a method's settings call its `n_estimators`; None unless its model grows in rounds.

    Parameters
    ----------
    entry : Entry
    settings : mapping
        By short names; a model that stops by itself, for one, is not the beginning of a longer one.
    """
    grows = getattr(entry.target, "grows_in_rounds", None)
    if grows is None or not grows(entry.arguments(settings)):
        return None
    return next(
        (short for short, name in entry.facts.short.items() if name == "n_estimators"), "n_estimators"
    )


def sets_at_once(entry: Entry) -> bool:
    """Whether a method has no chain, and so no order of the labels: it says so, or has no method for one."""
    has_sequence = any(hasattr(entry.target, name) for name in ("predict_all", "predict_sequence"))
    return entry.kind != "chain" or bool(entry.facts.at_once) or not has_sequence


def prediction_of(learner: Any, X: Any) -> ChainPrediction:
    """Return all that a fitted estimator predicts; from one pass, if it can."""
    if hasattr(learner, "predict_all"):
        found: ChainPrediction = learner.predict_all(X)
        return found
    labels, scores = np.asarray(learner.predict(X)) == 1, np.asarray(learner.predict_proba(X), np.float64)
    return ChainPrediction(
        labels, scores, learner.predict_sequence(X) if hasattr(learner, "predict_sequence") else None
    )
