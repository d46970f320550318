"""Random relevance: the baseline that an informative ranking must beat."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.registry import register


@register.ranker("random", version=1, tasks=("mlc", "hmlc"), baseline=True)
def random_importances(X: Any, y: Any, *, random_state: int = 0) -> np.ndarray:
    """Every feature's relevance is an independent uniform draw from [0, 1).

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, F)
    y : csr_array, shape (n, L)
    random_state : int
        Seed of the draws, not negative.

    Returns
    -------
    ndarray of float64, shape (F,)
    """
    return np.random.Generator(np.random.Philox(random_state)).random(X.shape[1])
