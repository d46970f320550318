"""Labels for which a measure with a value for each label has none."""

from __future__ import annotations

import numpy as np


def undefined_labels(kind: str, truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return which labels have no value, bool of shape (L,).

    Parameters
    ----------
    kind : str
        The fact ``undefined`` of `mlsieve.registry.facts.MeasureFacts`; "" is none of them.
    truth, predicted : ndarray of bool, shape (n, L)
    """
    lacking = {
        "no positive": lambda: ~truth.any(axis=0),
        "one class": lambda: ~truth.any(axis=0) | truth.all(axis=0),
        "not predicted": lambda: ~predicted.any(axis=0),
        "neither": lambda: ~(truth | predicted).any(axis=0),
    }
    return lacking[kind]() if kind else np.zeros(truth.shape[1], bool)
