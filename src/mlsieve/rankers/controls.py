"""The controls as scikit-learn estimators: rankings to which every method is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

from mlsieve.rankers.base import RankerMixin, seed_from
from mlsieve.rankers.no_label import no_label_importances
from mlsieve.rankers.oracle import oracle_importances
from mlsieve.rankers.random import random_importances
from mlsieve.rankers.uniform import uniform_importances


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
        X, labels = self._validate_training(X, Y)
        self.feature_importances_ = uniform_importances(X, labels)
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())


class NoLabelRanker(RankerMixin, BaseEstimator):
    """No feature counts, and no label is predicted: what a measure says of an empty answer.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features `transform` keeps (a count, a share, None for all).

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
        All 0.
    """

    def __init__(self, *, n_features_to_select: int | float | None = None) -> None:
        self.n_features_to_select = n_features_to_select

    def fit(self, X: Any, Y: Any) -> NoLabelRanker:
        """Check the data; X has shape (n, F), Y (n, L) of 0/1 or (n,) of classes."""
        X, labels = self._validate_training(X, Y)
        self.feature_importances_ = no_label_importances(X, labels)
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())


class RandomRanker(RankerMixin, BaseEstimator):
    """Every feature's relevance is an independent uniform draw from [0, 1).

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features `transform` keeps (a count, a share, None for all).
    random_state : int, RandomState, Generator or None
        Seed of the draws; None is 0.

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
    """

    def __init__(self, *, n_features_to_select: int | float | None = None, random_state: int = 0) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> RandomRanker:
        """Draw; X has shape (n, F), Y (n, L) of 0/1 or (n,) of classes."""
        X, labels = self._validate_training(X, Y)
        self.feature_importances_ = random_importances(X, labels, random_state=seed_from(self.random_state))
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())


class OracleRanker(RankerMixin, BaseEstimator):
    """The truth about data made by code: relevant features score 1, redundant ones 0.5, others 0.

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
        X, labels = self._validate_training(X, Y)
        self.feature_importances_ = oracle_importances(
            X, labels, relevant=self.relevant, redundant=self.redundant
        )
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())
