"""scikit-learn's precision, recall, F1 and Jaccard score, averaged over cells, examples or labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.measures._single import with_empty_label
from mlsieve.registry import register

# Measure, scikit-learn's score and its average, and what counts 0.
_AVERAGES = (
    ("micro-precision", "precision_score", "micro", "0 if no cell is predicted"),
    ("micro-recall", "recall_score", "micro", "0 if no cell is true"),
    ("micro-f1", "f1_score", "micro", "0 if no cell is predicted or true"),
    ("accuracy", "jaccard_score", "samples", "0 for an example where both sets are empty"),
    ("f1", "f1_score", "samples", "0 for an example where both sets are empty"),
    ("precision", "precision_score", "samples", "0 for an example without predictions"),
    ("recall", "recall_score", "samples", "0 for an example without labels"),
    ("macro-precision", "precision_score", "macro", "0 for a label that is never predicted"),
    ("macro-recall", "recall_score", "macro", "0 for a label that no example has"),
    ("macro-f1", "f1_score", "macro", "0 for a label that no example has or is predicted"),
)

_UNDEFINED = {"macro-precision": "not predicted", "macro-recall": "no positive", "macro-f1": "neither"}


def _register(measure: str, score: str, average: str, empty: str) -> None:
    def averaged(truth: np.ndarray, scores: np.ndarray, predicted: np.ndarray) -> float:
        from sklearn import metrics

        sets = with_empty_label(truth), with_empty_label(predicted)
        if average != "macro":
            return getattr(metrics, score)(*sets, average=average, zero_division=0)
        by_label = getattr(metrics, score)(*sets, average=None, zero_division=0)
        return float(np.mean(by_label[: truth.shape[1]]))  # without the empty label

    zero = ", zero_division=0" if average == "macro" else ""
    averaged.__doc__ = f'scikit-learn\'s {score}(average="{average}"{zero}).'
    facts: dict[str, Any] = {"direction": "higher", "definition": "sklearn", "needs": "predicted"}
    facts |= {"undefined": _UNDEFINED.get(measure, "")}
    register.measure(f"{measure}-sklearn", measure=measure, empty=empty, **facts)(averaged)


for _row in _AVERAGES:
    _register(*_row)
