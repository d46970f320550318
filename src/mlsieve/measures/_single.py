"""A label matrix of one column stays one for scikit-learn, which would take it for two classes."""

from __future__ import annotations

import numpy as np


def with_empty_label(matrix: np.ndarray) -> np.ndarray:
    """Return a bool matrix of at least two columns: a single one gets a second without any label.

    Counts of true, predicted and common labels, of examples and of cells, stay as they are.
    """
    return matrix if matrix.shape[1] > 1 else np.hstack([matrix, np.zeros_like(matrix)])


def with_lowest_score(scores: np.ndarray) -> np.ndarray:
    """Return scores of at least two columns: a single one gets a second that scores below all."""
    return (
        scores
        if scores.shape[1] > 1
        else np.hstack([scores, np.full_like(scores, np.nextafter(scores.min(), -np.inf))])
    )
