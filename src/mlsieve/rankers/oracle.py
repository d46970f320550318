"""The oracle: what a ranking that knows the truth would be worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mlsieve.rankers.base import RankerMixin
from mlsieve.registry import register

# Between the others: a redundant feature tells something of the labels, but nothing that the relevant do not.
REDUNDANT_SCORE = 0.5


@register.ranker(
    "oracle",
    version=1,
    tasks=("mlc", "hmlc"),
    control=True,
    needs=("relevant", "redundant"),
    smoke={"relevant": (0,)},
    not_configurable=("relevant", "redundant", "n_features_to_select"),
)
class OracleRanker(RankerMixin, BaseEstimator):
    """The truth about data made by code: relevant features score 1, redundant ones 0.5, others 0.

    Only data sets that tell which of their features are relevant have an oracle.

    Parameters
    ----------
    relevant : sequence of int
        Indices of the features of which the labels were made. It has to be given.
    redundant : sequence of int, optional
        Indices of the features that repeat relevant ones.
    n_features_to_select : int, float or None
        How many features `transform` keeps (a count, a share, None for all).

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
        In {0, 0.5, 1}.
    """

    def __init__(
        self,
        *,
        relevant: Sequence[int] | None = None,
        redundant: Sequence[int] | None = None,
        n_features_to_select: int | float | None = None,
    ) -> None:
        self.relevant = relevant
        self.redundant = redundant
        self.n_features_to_select = n_features_to_select

    def fit(self, X: Any, Y: Any) -> OracleRanker:
        """Score; X has shape (n, F), Y (n, L) of 0/1 or (n,) of classes.

        Raises
        ------
        ValueError
            If `relevant` is not given, or an index is no feature's.
        """
        X, _ = self._validate_training(X, Y)
        if self.relevant is None:
            raise ValueError("relevant: the indices of the relevant features have to be given")
        scores = np.zeros(X.shape[1])
        for name, score in (("redundant", REDUNDANT_SCORE), ("relevant", 1.0)):
            indices = np.asarray(list(getattr(self, name) or ()), dtype=np.int64)
            if ((indices < 0) | (indices >= len(scores))).any():
                raise ValueError(f"{name} holds an index outside 0 .. {len(scores) - 1}")
            scores[indices] = score
        self.feature_importances_ = scores
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())
