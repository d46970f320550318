"""Controls: rankings that know nothing, to which every method is compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mlsieve.rankers.base import RankerMixin
from mlsieve.registry import register


@register.ranker("uniform", version=1, tasks=("mlc", "hmlc"), control=True, smoke={})
class UniformRanker(RankerMixin, BaseEstimator):
    """Every feature counts the same: the unweighted baseline of the ranking studies.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features `transform` keeps (a count, a share, None for all).

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
        All 1.
    """

    def __init__(self, *, n_features_to_select: int | float | None = None) -> None:
        self.n_features_to_select = n_features_to_select

    def fit(self, X: Any, Y: Any) -> UniformRanker:
        """Check the data; X has shape (n, F), Y (n, L) of 0/1 or (n,) of classes."""
        X, _ = self._validate_training(X, Y)
        self.feature_importances_ = np.ones(X.shape[1])
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())


@register.ranker("random", version=1, tasks=("mlc", "hmlc"), control=True, smoke={})
class RandomRanker(RankerMixin, BaseEstimator):
    """Every feature's relevance is an independent uniform draw from [0, 1).

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features `transform` keeps (a count, a share, None for all).
    random_state : int
        Seed of the draws.

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
    """

    def __init__(self, *, n_features_to_select: int | float | None = None, random_state: int = 0) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> RandomRanker:
        """Draw; X has shape (n, F), Y (n, L) of 0/1 or (n,) of classes."""
        X, _ = self._validate_training(X, Y)
        self.feature_importances_ = np.random.Generator(np.random.Philox(self.random_state)).random(
            X.shape[1]
        )
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())
