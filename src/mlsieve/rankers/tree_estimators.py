"""scikit-learn estimators of the rankers that grow ensembles of trees: feature rankers and classifiers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from sklearn.base import ClassifierMixin

from mlsieve.data.exchange.examples import formerly, labels_as_fitted
from mlsieve.data.validation import category_counts, nominal_with_frame
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers.estimators import FunctionRanker, estimator_class, init_parameters, keyword_parameters
from mlsieve.rankers.tree_rankings import check_tree_request, gathers, grow_settings, options_of
from mlsieve.registry import AtLeast, Entry, parameter_schemas
from mlsieve.registry.facts import DEFAULT_TREES
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.scores import importances


@formerly(Y="y")
def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the share of the rows whose labels, of any form that `fit` takes, are predicted as they are."""
    if getattr(self, "multilabel_", False):
        y = labels_as_fitted(self, X, y)
    return ClassifierMixin.score(self, X, y, sample_weight)


class _ScoreParameter:
    """Lets the parameter ``score`` (which importance) live beside scikit-learn's method ``score(X, y)``.

    Reading the attribute gives the method, as scikit-learn's tools expect; the parameter is in
    ``get_params()``.
    """

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return score
        return score.__get__(instance, owner)

    def __set__(self, instance: Any, value: str) -> None:
        instance.__dict__["score"] = value


class TreeRanker(ClassifierMixin, FunctionRanker):
    """Base of the estimators that grow an ensemble.

    Attributes
    ----------
    feature_importances_ : ndarray of float64, shape (F,)
    ensemble_ : mlsieve.trees.ensemble.Ensemble
        The trees; other scores and smaller sizes come from it without growing again.
    classes_ : ndarray
        Classes of a single-column y, else 0 .. L - 1.
    """

    notes = """The estimator has these parameters, too.

hierarchy : mlsieve.hierarchy.Hierarchy or None
    Of the labels; label sets are closed upwards first, and labels are not weighted by their variance.
    None: flat labels.
nominal : array-like of bool, of int or of str, optional
    Nominal features (mask, indices, or names of X's columns), holding category positions 0, 1, ... Columns
    of a DataFrame that hold texts or categories are nominal by themselves.
label_weights : array-like of float, shape (L,), optional
    Weight of each label in the impurity; default 1 / Var_train(y_j), or with a hierarchy the weights by
    `class_weights` and `class_weight_decay`, which are refused besides these.
n_features_to_select : int, float or None
    How many features `transform` keeps (a count, a share, None for all).
random_state : int, RandomState, Generator or None
    Seed, non-negative; None: another one in each fit.
n_jobs : int
    Threads; results do not depend on it. -1: all cores."""

    score = _ScoreParameter()
    ensemble_: Ensemble

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``score`` is the importance score."""
        return {name: self.__dict__[name] for name in sorted(self._get_param_names())}

    def _rank(self, X: Any, labels: Any, parameters: dict[str, Any]) -> None:
        grown = grow_settings(self._entry)
        own = parameter_schemas(self._entry.facts.scores[parameters["score"]].read)
        # Settings of other scores are there with every estimator, and are not read.
        settings = {name: value for name, value in parameters.items() if name in grown or name in own}
        kind, score, growing, scoring = check_tree_request(
            self._entry, settings, parameters["ensemble"], parameters["score"]
        )
        names = getattr(self, "feature_names_in_", None)
        declared = nominal_with_frame(self, None)[1]
        self.ensemble_ = options_of(self._entry, kind, growing).grow(
            X,
            labels,
            n_trees=parameters["n_estimators"],
            out_of_bag=gathers(self._entry, [score]),
            category_counts=category_counts(X, parameters["nominal"], X.shape[1], names, declared),
            label_weights=parameters["label_weights"],
            hierarchy=parameters["hierarchy"],
            seed=parameters["random_state"],
            n_threads=parameters["n_jobs"],
        )
        scores = importances(self.ensemble_, score, scores=self._entry.facts.scores, **scoring)
        self.feature_importances_ = scores[0]

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
        """Labels of mean at least 1/2, a 0/1 matrix (n, L); for a single-column y the likeliest class."""
        proba = self.predict_proba(X)
        if self.multilabel_:
            return (proba >= 0.5).astype(np.int64)
        return self.classes_[proba.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
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


def tree_ranker_class(entry: Entry, name: str, package: str) -> type:
    """Return the estimator class of a ranker that grows ensembles; arguments as of `estimator_class`."""
    own = entry.parameters()
    scores = Literal[tuple(own["score"]["enum"])]  # type: ignore[valid-type]
    parameters: dict[str, tuple[Any, Any]] = {
        **init_parameters(entry.target),
        "n_estimators": (Annotated[int, AtLeast(1)], DEFAULT_TREES),
        "score": (scores, own["score"]["default"]),
    }
    for score in entry.facts.scores.values():
        parameters |= keyword_parameters(score.read)
    parameters |= {
        "hierarchy": (Hierarchy | None, None),
        "nominal": (Any, None),
        "label_weights": (Any, None),
        "random_state": (int, 0),
        "n_jobs": (int, 1),
    }
    return estimator_class(entry, name, package, TreeRanker, parameters)
