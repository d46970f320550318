"""No label: the baseline that predicts nothing, with any evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.registry import register


@register.ranker("no-label", version=1, tasks=("mlc", "hmlc"), baseline=True, predicts="nothing")
def no_label_importances(X: Any, y: Any) -> np.ndarray:
    """Baseline of an empty prediction: no feature counts, and no label is predicted.

    The evaluator is not used: every label gets the score 0. Where labels are rare, this baseline has a low
    Hamming loss, too.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, F)
    y : csr_array, shape (n, L)

    Returns
    -------
    ndarray of float64, shape (F,)
        All 0.
    """
    return np.zeros(X.shape[1])
