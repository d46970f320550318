"""MLC- and HMLC-Relief as a scikit-learn estimator."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from sklearn.base import BaseEstimator

from mlsieve.errors import UserError
from mlsieve.hierarchical_distance import Definition, LargestOf
from mlsieve.hierarchy import ClassWeights, Hierarchy
from mlsieve.rankers.base import RankerMixin, seed_from, thread_count
from mlsieve.rankers.relief import Distance, relief_importances
from mlsieve.registry import AtLeast, AtMost, check_parameters

_SETTINGS = (
    "distance",
    "k",
    "m",
    "sigma",
    "mu",
    "definition",
    "class_weights",
    "class_weight_decay",
)


class ReliefRanker(RankerMixin, BaseEstimator):
    """MLC- and HMLC-Relief: a feature is relevant if it tells near examples with different label sets apart.

    Parameters
    ----------
    distance : {"f1", "hamming", "accuracy", "subset", "hierarchical"} or None
        Distance of two label sets: 1 - F1, the share of labels in which they differ, 1 - Jaccard index,
        whether they differ at all, or how far apart they are in the hierarchy (the root of the weight of the
        classes in which they differ, times mu). Two empty sets are at distance 0. None: "hierarchical" with a
        hierarchy, else "f1".
    k : int
        Number of neighbours; with fewer other examples, all of them are taken.
    m : int or float
        Number of examples that look for their neighbours (of fewer, all), or as a float their share of all,
        in (0, 1], rounded half up to at least one.
    sigma : float
        The k-th neighbour, k = 0, 1, ..., weighs ``exp(-(sigma k)^2)``, divided by the sum of the weights;
        0: all weigh the same.
    mu : {"sets", "pairs", "observed"} or None
        The hierarchical distance is divided by the largest distance of any two closed label sets, of two
        classes (each with all classes above it), or of two training examples. With "pairs", label sets of
        several classes can be at distances above 1. None: "sets". Refused, as the other settings of the
        hierarchical distance are, with any other distance.
    definition : {"paper", "clus"}
        "clus" is the hierarchical distance of the program CLUS: without the root, divided by the largest
        distance of two classes that are the most specific ones of training examples, each with all above it;
        mu is not used, distances can be above 1, and examples without a class are left out. With distances
        above 1 scores can leave [-1, 1].
    class_weights : {"mean", "sum", "min", "max"} or None
        What is taken of several parents' weights: a class weighs `class_weight_decay` times that. None:
        "mean".
    class_weight_decay : float or None
        Above 0, at most 1. Top-level classes weigh 1. None: 0.75.
    hierarchy : Hierarchy, optional
        Of the columns of Y; label sets are completed with all classes above theirs.
    nominal : array-like of bool, of int or of str, optional
        Nominal features (mask, indices, or names of X's columns), holding category positions 0, 1, ...
    n_categories : array-like of int, shape (F,), optional
        Number of declared categories of each nominal feature; default: as many as occur. A missing nominal
        value is at distance ``1 - 1 / n_categories`` from any.
    n_features_to_select : int, float or None
        How many features `transform` keeps (a count, a share, None for all).
    random_state : int, RandomState, Generator or None
        Seed of the permutation whose first m examples are taken; None is 0.
    n_jobs : int
        Threads; results do not depend on it. -1: all cores.

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
        In [-1, 1], unless label sets can be at distances above 1.
    classes_ : ndarray
        Classes of a single-column Y, else 0 .. L - 1.

    References
    ----------
    Petković, Džeroski, Kocev: Multi-label feature ranking with ensemble methods, Machine Learning 109, 2020.
    Petković, Džeroski, Kocev: Feature Ranking for Hierarchical Multi-Label Classification with Tree Ensemble
    Methods, Acta Polytechnica Hungarica 17(10), 2020.
    """

    def __init__(
        self,
        *,
        distance: Distance | None = None,
        k: Annotated[int, AtLeast(1)] = 15,
        m: Annotated[int, AtLeast(1)] | Annotated[float, AtLeast(1e-9), AtMost(1)] = 0.25,
        sigma: Annotated[float, AtLeast(0)] = 0.0,
        mu: LargestOf | None = None,
        definition: Definition = "paper",
        class_weights: ClassWeights | None = None,
        class_weight_decay: Annotated[float, AtLeast(1e-9), AtMost(1)] | None = None,
        hierarchy: Hierarchy | None = None,
        nominal: Any = None,
        n_categories: Any = None,
        n_features_to_select: int | float | None = None,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.distance = distance
        self.k = k
        self.m = m
        self.sigma = sigma
        self.mu = mu
        self.definition = definition
        self.class_weights = class_weights
        self.class_weight_decay = class_weight_decay
        self.hierarchy = hierarchy
        self.nominal = nominal
        self.n_categories = n_categories
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, Y: Any) -> ReliefRanker:
        """Score the features.

        Parameters
        ----------
        X : array-like or scipy.sparse array, shape (n, F)
            NaN is missing.
        Y : array-like or scipy.sparse array
            0/1 matrix of shape (n, L), or one column of classes.

        Raises
        ------
        ValueError
            On a parameter out of its range, or data of the wrong shape or content.
        UserError
            If a feature's range is not a finite number, or a setting does not apply to the labels.
        """
        given = {name: getattr(self, name) for name in _SETTINGS}
        settings = {
            name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()
        }
        try:
            check_parameters("ranker", "relief", settings)
        except UserError as error:
            raise ValueError(str(error)) from None
        X, labels = self._validate_training(X, Y)
        if self.hierarchy is not None:
            labels = self.hierarchy.close(labels)
        self.feature_importances_ = relief_importances(
            X,
            labels,
            **given,
            hierarchy=self.hierarchy,
            nominal=self.nominal,
            n_categories=self.n_categories,
            feature_names=getattr(self, "feature_names_in_", None),
            random_state=seed_from(self.random_state),
            n_jobs=thread_count(self.n_jobs),
        )
        return self

    def __sklearn_tags__(self) -> Any:
        return self._more_static_tags(super().__sklearn_tags__())
