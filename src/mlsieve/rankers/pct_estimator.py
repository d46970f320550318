"""Ensembles of predictive clustering trees as a scikit-learn feature ranker and multi-label classifier."""

from __future__ import annotations

import numbers
from typing import Annotated, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from mlsieve.hierarchy import ClassWeights, Hierarchy
from mlsieve.rankers.base import RankerMixin, seed_from, thread_count
from mlsieve.rankers.pct import Score, check_scoring, grow_and_score
from mlsieve.registry import AtLeast
from mlsieve.targets import category_counts
from mlsieve.trees.options import (
    DEFAULT_CLASS_WEIGHTS,
    DEFAULT_DECAY,
    ClassWeightDecay,
    Definition,
    EnsembleKind,
    GrowOptions,
    MaxFeatures,
    MinLeaf,
    OutOfBagError,
    Threshold,
    Ties,
)
from mlsieve.trees.scores import Alpha, Weighting


class _ScoreParameter:
    """Lets the parameter ``score`` (which importance) live beside scikit-learn's method ``score(X, y)``.

    Reading the attribute gives the method, as scikit-learn's tools expect; the parameter is in
    ``get_params()``.
    """

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return ClassifierMixin.score
        return ClassifierMixin.score.__get__(instance, owner)

    def __set__(self, instance: Any, value: str) -> None:
        instance.__dict__["score"] = value


class PCTForestRanker(RankerMixin, ClassifierMixin, BaseEstimator):
    """Feature ranking from an ensemble of predictive clustering trees.

    Parameters
    ----------
    ensemble : {"random-forest", "bagging", "extra-trees"}
        See `mlsieve.trees.growing.GrowOptions`.
    n_estimators : int
        Number of trees.
    score : {"genie3", "symbolic", "permutation"}
        See `mlsieve.trees.scores.importances`; "permutation" needs a bootstrap, so not extra trees.
    alpha : float
        Base of the symbolic score, in (0, 1].
    weighting : {"depth", "examples"} or None
        What a node counts in the symbolic score: alpha ** depth, or its share of the training examples. None
        is "depth" for flat labels and "examples" with a hierarchy.
    definition : {"paper", "clus"}
        What Genie3 and the permutation score are: the papers' formulas, or what CLUS computes (see
        `mlsieve.trees.clus_scores`). The trees are the same; the symbolic score has one definition.
    max_features : int, float, "sqrt", "log2", "all" or None
        Features tried in a node; None is the ensemble's own (sqrt for a random forest, else all).
    min_leaf : float
        Least weight of a child's examples.
    threshold : {"value", "midpoint"}
        Where numeric thresholds lie.
    bootstrap : bool or None
        None is the ensemble's own.
    class_weights : {"mean", "sum", "min", "max"}
        With a hierarchy: what of several parents' weights a class's weight in the impurity is made of.
    class_weight_decay : float
        With a hierarchy: the weight of a class below a class of weight 1, in (0, 1].
    out_of_bag_error : {"hamming-loss", "pooled-auprc"} or None
        Error of the permutation score; None is "hamming-loss" for flat labels and "pooled-auprc" with a
        hierarchy.
    ties : {"random", "first"}
        Which of several features wins whose best tests gain equally in a node: one at random, so that the
        ranking does not depend on the order of the columns, or the first (CLUS). With "random", equal columns
        share their score.
    hierarchy : mlsieve.hierarchy.Hierarchy or None
        Of the labels; label sets are closed upwards first, and labels are not weighted by their variance.
        None: flat labels.
    nominal : array-like of bool, of int or of str, optional
        Nominal features (mask, indices, or names of X's columns), holding category positions 0, 1, ...
    label_weights : array-like of float, shape (L,), optional
        Weight of each label in the impurity; default 1 / Var_train(y_j), or with a hierarchy the weights by
        `class_weights` and `class_weight_decay`, which are refused besides these.
    n_features_to_select : int, float or None
        How many features `transform` keeps (a count, a share, None for all).
    random_state : int, RandomState, Generator or None
        Seed, non-negative; None is 0.
    n_jobs : int
        Threads; results do not depend on it. -1: all cores.

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
    ensemble_ : mlsieve.trees.ensemble.Ensemble
        The trees; other scores and smaller sizes come from it without growing again.
    classes_ : ndarray
        Classes of a single-column Y, else 0 .. L - 1.

    References
    ----------
    Petković, Džeroski, Kocev: Multi-label feature ranking with ensemble methods, Machine Learning 109, 2020.

    Petković, Džeroski, Kocev: Feature Ranking for Hierarchical Multi-Label Classification with Tree Ensemble
    Methods, Acta Polytechnica Hungarica 17(10), 2020.
    """

    score = _ScoreParameter()

    def __init__(
        self,
        *,
        ensemble: EnsembleKind = "random-forest",
        n_estimators: Annotated[int, AtLeast(1)] = 100,
        score: Score = "genie3",
        alpha: Alpha = 0.5,
        weighting: Weighting | None = None,
        definition: Definition = "paper",
        max_features: MaxFeatures = None,
        min_leaf: MinLeaf = 2.0,
        threshold: Threshold = "value",
        bootstrap: bool | None = None,
        class_weights: ClassWeights = DEFAULT_CLASS_WEIGHTS,
        class_weight_decay: ClassWeightDecay = DEFAULT_DECAY,
        out_of_bag_error: OutOfBagError | None = None,
        ties: Ties = "random",
        hierarchy: Hierarchy | None = None,
        nominal: Any = None,
        label_weights: Any = None,
        n_features_to_select: int | float | None = None,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.ensemble = ensemble
        self.n_estimators = n_estimators
        self.score = score
        self.alpha = alpha
        self.weighting = weighting
        self.definition = definition
        self.max_features = max_features
        self.min_leaf = min_leaf
        self.threshold = threshold
        self.bootstrap = bootstrap
        self.class_weights = class_weights
        self.class_weight_decay = class_weight_decay
        self.out_of_bag_error = out_of_bag_error
        self.ties = ties
        self.hierarchy = hierarchy
        self.nominal = nominal
        self.label_weights = label_weights
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state
        self.n_jobs = n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``score`` is the importance score."""
        params = {name: self.__dict__[name] for name in self._get_param_names()}
        return dict(sorted(params.items()))

    def grow_options(self) -> GrowOptions:
        """Return the options of growing among the parameters."""
        min_leaf = self.min_leaf
        if isinstance(min_leaf, numbers.Real) and not isinstance(min_leaf, bool):
            min_leaf = float(min_leaf)
        return GrowOptions(
            self.ensemble,
            self.max_features,
            min_leaf,
            self.threshold,
            self.bootstrap,
            self.class_weights,
            self.class_weight_decay,
            self.out_of_bag_error,
            self.ties,
            definition=self.definition,
        )

    def fit(self, X: Any, Y: Any) -> PCTForestRanker:
        """Grow the ensemble and score the features.

        Parameters
        ----------
        X : array-like or scipy.sparse array, shape (n, F)
            NaN is missing.
        Y : array-like or scipy.sparse array
            0/1 matrix of shape (n, L), or one column of classes (without a hierarchy).

        Returns
        -------
        self

        Raises
        ------
        mlsieve.errors.UserError
            If the permutation score is asked of trees without a bootstrap, or a setting for classes of a
            hierarchy without one.
        ValueError
            On data of the wrong shape or content.
        """
        if self.hierarchy is not None and not isinstance(self.hierarchy, Hierarchy):
            raise ValueError(f"hierarchy = {self.hierarchy!r} is no mlsieve.hierarchy.Hierarchy")
        check_scoring(self.get_params()["score"], self.alpha, self.weighting, self.definition)
        X, labels = self._validate_training(X, Y)
        if self.hierarchy is not None and not self.multilabel_:
            raise ValueError("with a hierarchy, Y must be a 0/1 matrix with a column for each of its classes")
        self.ensemble_, self.feature_importances_ = grow_and_score(
            X,
            labels,
            self.grow_options(),
            n_trees=self.n_estimators,
            score=self.get_params()["score"],
            alpha=self.alpha,
            weighting=self.weighting,
            definition=self.definition,
            category_counts=category_counts(
                X, self.nominal, X.shape[1], getattr(self, "feature_names_in_", None)
            ),
            label_weights=self.label_weights,
            hierarchy=self.hierarchy,
            seed=seed_from(self.random_state),
            n_threads=thread_count(self.n_jobs),
        )
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean of the leaves' label means.

        Shape (n, L), each in (0, 1): a mean of 0, 1/2 or 1 moves by one rounding step.
        """
        X = self._validate_prediction(X)
        proba = self.ensemble_.predict_proba(X)
        if self.multilabel_:
            return _open_interval(proba)
        return proba / proba.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """Labels of mean at least 1/2, a 0/1 matrix (n, L); for a single-column Y the likeliest class."""
        proba = self.predict_proba(X)
        if self.multilabel_:
            return (proba >= 0.5).astype(np.int64)
        return self.classes_[proba.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = self._more_static_tags(super().__sklearn_tags__())
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags


def _open_interval(proba: np.ndarray) -> np.ndarray:
    """Move 0, 1 and 1/2 by one rounding step.

    check_estimator wants multi-label probabilities strictly inside (0, 1), and rounding them (half to even)
    to agree with `predict`, for which a mean of 1/2 is relevant.
    """
    proba = np.clip(proba, np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
    return np.where(proba == 0.5, np.nextafter(0.5, 1.0), proba)
