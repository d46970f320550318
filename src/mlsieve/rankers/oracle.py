"""The oracle: the baseline that shows the value of a perfect ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlsieve.registry import register

# Between the others: a redundant feature informs about the labels, but adds nothing to the relevant ones.
REDUNDANT_SCORE = 0.5


@register.ranker(
    "oracle",
    version=1,
    tasks=("mlc", "hmlc"),
    baseline=True,
    needs=("relevant", "redundant"),
    smoke={"relevant": (0,)},
    not_configurable=("relevant", "redundant"),
)
def oracle_importances(
    X: Any, y: Any, *, relevant: Sequence[int] | None = None, redundant: Sequence[int] | None = None
) -> np.ndarray:
    """The truth about synthetic data: relevant features score 1, redundant ones 0.5, others 0.

    Only datasets whose relevant features are known have an oracle.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, F)
    y : csr_array, shape (n, L)
    relevant : sequence of int
        Indices of the features from which the labels were made; required.
    redundant : sequence of int, optional
        Indices of the features that repeat relevant ones.

    Returns
    -------
    ndarray of float64, shape (F,)
        In {0, 0.5, 1}.

    Raises
    ------
    ValueError
        If `relevant` is not given, or an index is not that of a feature.
    """
    if relevant is None:
        raise ValueError("relevant: the indices of the relevant features have to be given")
    scores = np.zeros(X.shape[1])
    for name, given, score in (("redundant", redundant, REDUNDANT_SCORE), ("relevant", relevant, 1.0)):
        indices = np.asarray(list(given if given is not None else ()), dtype=np.int64)
        if ((indices < 0) | (indices >= len(scores))).any():
            raise ValueError(f"{name} holds an index outside 0 .. {len(scores) - 1}")
        scores[indices] = score
    return scores
