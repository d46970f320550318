"""No label at all: the baseline that predicts nothing, whatever evaluates it."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.registry import register


@register.ranker("no-label", version=1, tasks=("mlc", "hmlc"), baseline=True, predicts="nothing")
def no_label_importances(X: Any, Y: Any) -> np.ndarray:
    """No feature counts, and no label is predicted: what a measure says of an empty answer.

    An evaluator is not asked: every label gets the score 0. Where labels are rare, a low Hamming loss is
    nothing that this baseline does not have.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, F)
    Y : csr_array, shape (n, L)

    Returns
    -------
    ndarray of float64, shape (F,)
        All 0.
    """
    return np.zeros(X.shape[1])
