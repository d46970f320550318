"""Equal relevance for every feature: the baseline without a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.registry import register


@register.ranker("uniform", version=1, tasks=("mlc", "hmlc"), baseline=True)
def uniform_importances(X: Any, y: Any) -> np.ndarray:
    """Every feature counts the same: the unweighted baseline of the ranking studies.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, F)
    y : csr_array, shape (n, L)

    Returns
    -------
    ndarray of float64, shape (F,)
        All 1.
    """
    return np.ones(X.shape[1])
