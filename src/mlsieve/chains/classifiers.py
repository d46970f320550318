"""The single-label classifiers of the baselines: scikit-learn's, XGBoost's, our own booster, or any other."""

from __future__ import annotations

import copy
import importlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.boosted_trees import BoostedTrees
from mlsieve.costs.measured import MANY_TREES, require_memory
from mlsieve.errors import InvalidSetting, MissingPackage, did_you_mean
from mlsieve.seeds import library_seed

_NODE_BYTES, _TREE_BYTES = 64, 2_000  # of scikit-learn's trees, and of the estimators around them
BASES = ("decision-tree", "random-forest", "xgboost", "ml-xgb")


@dataclass(frozen=True)
class Constant:
    """What is learned where all training examples are of one class: that class."""

    value: int

    def probabilities(self, X: Any, n_classes: int) -> np.ndarray:
        """Return 1 for the class and 0 for others; shape (n, n_classes)."""
        found = np.zeros((X.shape[0], n_classes))
        found[:, self.value] = 1.0
        return found

    def first_rounds(self, n_rounds: int) -> Constant:
        """Return it as it is: it has no rounds."""
        return self


@dataclass(frozen=True)
class Fitted:
    """A classifier of another library that has been fitted to classes 0, 1, ..."""

    classifier: Any

    def probabilities(self, X: Any, n_classes: int) -> np.ndarray:
        """Return the probability of each class; where it has none, 1 for the predicted one."""
        found = np.zeros((X.shape[0], n_classes))
        if hasattr(self.classifier, "predict_proba"):
            found[:, self.classifier.classes_] = self.classifier.predict_proba(X)
        else:
            found[np.arange(X.shape[0]), self.classifier.predict(X)] = 1.0
        return found

    def first_rounds(self, n_rounds: int) -> Fitted:
        """Return our own booster after so many rounds."""
        return Fitted(self.classifier.first_rounds(n_rounds))


@dataclass(frozen=True)
class BoostedLabel:
    """Trees of XGBoost for one label."""

    booster: Any

    def probabilities(self, X: Any, n_classes: int) -> np.ndarray:
        """Return the probabilities of the classes 0 and 1; shape (n, 2)."""
        scores = self.booster.inplace_predict(X).astype(np.float64)
        return np.column_stack([1.0 - scores, scores])


def check_base(base: Any) -> None:
    """Raise an InvalidSetting if a base is neither a known word nor a classifier."""
    if isinstance(base, str):
        if base not in BASES:
            raise InvalidSetting(f"base = {base!r} is unknown", hint=did_you_mean(base, BASES))
        return
    from sklearn.base import is_outlier_detector, is_regressor

    known = hasattr(base, "fit") and hasattr(base, "predict") and not isinstance(base, type)
    if not known or is_regressor(base) or is_outlier_detector(base):
        raise InvalidSetting(
            f"base = {base!r} is not a classifier",
            hint=f"give a classifier with scikit-learn's interface, or one of {', '.join(BASES)}",
        )


def takes_sparse(base: Any) -> bool:
    """Whether a base takes sparse rows; to XGBoost a cell that is not stored is missing, and not 0."""
    if isinstance(base, str):
        return base != "xgboost"
    from sklearn.utils import get_tags

    return bool(get_tags(base).input_tags.sparse)


def fit_classifier(
    base: Any, X: Any, classes: np.ndarray, options: Mapping[str, Any], seed: int, n_jobs: int = 1
) -> Constant | Fitted:
    """Fit a new classifier to one class a row.

    Parameters
    ----------
    base : str or estimator
        One of `BASES`, or a classifier to clone.
    X : ndarray or csc_array, shape (n, F)
    classes : ndarray of int, shape (n,)
        0, 1, ...; of two classes one may be absent, of more none.
    options : mapping
        n_estimators, max_depth, min_leaf, learning_rate, reg_lambda, min_child_weight and definition, for
        named bases.
    seed : int
        Of a named base, or of every ``random_state`` of the estimator; in [0, 2**53).
    n_jobs : int
        Threads of a random forest while it grows; its trees do not depend on it.
    """
    if (classes == classes[0]).all():
        return Constant(int(classes[0]))
    if not isinstance(base, str):
        return Fitted(_cloned(base, seed).fit(X, classes))
    several = bool(classes.max() > 1)
    classifier = _named(base, options, seed, n_jobs, X, classes)
    if several:
        with warnings.catch_warnings():
            # As label sets are, which may be as many as the examples.
            warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
            classifier.fit(X, classes)
    else:
        classifier.fit(X, classes)
    if base == "random-forest" and not several:
        # Threads would add the trees' votes in the order in which they finish.
        classifier.set_params(n_jobs=1)
    return Fitted(classifier)


def _cloned(base: Any, seed: int) -> Any:
    from sklearn.base import clone

    classifier = clone(base)
    names = [name for name in classifier.get_params() if name.rpartition("__")[2] == "random_state"]
    return classifier.set_params(**dict.fromkeys(names, library_seed(seed)))


def _require_memory(first: Any, n_trees: int) -> None:
    """Raise an InvalidSetting if trees as large as that of a forest of one are too many to be held."""
    tree = first.estimators_[0].tree_
    nodes = tree.node_count * (_NODE_BYTES + tree.value[0].nbytes)
    require_memory(float(n_trees) * (nodes + _TREE_BYTES), f"{n_trees:,} trees", hint="grow fewer trees")


def _named(base: str, options: Mapping[str, Any], seed: int, n_jobs: int, X: Any, classes: np.ndarray) -> Any:
    several = bool(classes.max() > 1)
    trees: dict[str, Any] = {
        "max_depth": options["max_depth"],
        "min_samples_leaf": options["min_leaf"],
        "random_state": library_seed(seed),
    }
    if base == "decision-tree":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(**trees)
    if base == "random-forest":
        from sklearn.ensemble import RandomForestClassifier

        from mlsieve.chains.estimators.forests import SmallForest

        forest = SmallForest if several else RandomForestClassifier
        if options["n_estimators"] > MANY_TREES:
            _require_memory(forest(1, **trees).fit(X, classes), options["n_estimators"])
        return forest(options["n_estimators"], n_jobs=n_jobs, **trees)
    if base == "ml-xgb":
        own = {"definition": options["definition"], "random_state": seed}
        return BoosterClassifier(_boosting(options) | own)
    # One thread: with several, sums of gradients may be rounded in another way.
    return xgboost().XGBClassifier(
        tree_method="hist", n_jobs=1, random_state=library_seed(seed), **_boosting(options)
    )


class BoosterClassifier:
    """Our own booster for one class a row: two classes are one label, more are a label each."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = dict(parameters)

    @classmethod
    def of(
        cls, options: Mapping[str, Any], n_classes: int, trees: BoostedTrees, margins: np.ndarray, width: int
    ) -> BoosterClassifier:
        """Return a fitted one of its trees and base margins, for rows of `width` columns."""
        from mlsieve.chains.boosted import MultiLabelXGBLearner

        made = cls(_boosting(options) | {"definition": options["definition"], "random_state": 0})
        booster = MultiLabelXGBLearner(**made._parameters)
        booster.trees_, booster.base_margins_, booster.definition_ = trees, margins, options["definition"]
        booster.classes_, booster.n_features_in_ = np.arange(len(margins)), width
        made._booster, made.classes_ = booster, np.arange(n_classes)
        return made

    @property
    def trees(self) -> BoostedTrees:
        """The trees of the booster."""
        trees: BoostedTrees = self._booster.trees_
        return trees

    @property
    def margins(self) -> np.ndarray:
        """The margins at which it starts, float32 of shape (labels,)."""
        margins: np.ndarray = self._booster.base_margins_
        return margins

    def fit(self, X: Any, classes: np.ndarray) -> BoosterClassifier:
        """Fit to classes 0, 1, ..., shape (n,)."""
        from mlsieve.chains.boosted import MultiLabelXGBLearner

        self.classes_ = np.unique(classes)
        labels = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        targets = sp.csr_array((classes[:, None] == labels).astype(np.uint8))
        booster = self._booster = MultiLabelXGBLearner(**self._parameters)
        booster.classes_, booster.n_features_in_ = np.arange(targets.shape[1]), X.shape[1]
        booster._fit(_float_rows(X), targets, None)
        return self

    def first_rounds(self, n_rounds: int) -> BoosterClassifier:
        """Return the classifier after so many rounds."""
        other = copy.copy(self)
        other._booster = self._booster.first_rounds(n_rounds)
        return other

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, shape (n, classes)."""
        scores = self._booster.predict_all(_float_rows(X)).probabilities
        if len(self.classes_) == 2:
            return np.hstack([1.0 - scores, scores])
        return scores / scores.sum(axis=1, keepdims=True)  # boosted probabilities are never 0


def _float_rows(X: Any) -> Any:
    """Return rows for our booster: sparse ones as they are, in column order, by which it sorts them."""
    return X if sp.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)


def boost_labels(
    X: np.ndarray, targets: np.ndarray, options: Mapping[str, Any], seeds: Sequence[int]
) -> list[Constant | BoostedLabel]:
    """Fit XGBoost to each label; its bins, which take longer than some rounds, are made once.

    Parameters
    ----------
    X : ndarray of float32, shape (n, F)
    targets : ndarray of 0/1, shape (L, n)
    options : mapping
        As of `fit_classifier`.
    seeds : sequence of L int
    """
    library = xgboost()
    found: list[Constant | BoostedLabel] = []
    bins = library.QuantileDMatrix(X, nthread=1)
    for target, seed in zip(targets, seeds, strict=True):
        if (target == target[0]).all():
            found.append(Constant(int(target[0])))
            continue
        bins.set_label(target)
        own = {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "nthread": 1,
            "seed": library_seed(seed),
        }
        boosting = _boosting(options)
        rounds = boosting.pop("n_estimators")
        found.append(BoostedLabel(library.train(own | boosting, bins, rounds)))
    return found


def _boosting(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("n_estimators", "learning_rate", "reg_lambda", "min_child_weight")
    return {name: options[name] for name in names} | {"max_depth": options["max_depth"] or 6}


def xgboost() -> Any:
    """Import XGBoost.

    Raises
    ------
    MissingPackage
        If it is not installed.
    """
    try:
        return importlib.import_module("xgboost")
    except ImportError:
        raise MissingPackage(
            "base = 'xgboost' needs the package xgboost, which is not installed",
            hint="install mlsieve's extra 'baselines': pip install 'mlsieve[baselines]'",
        ) from None
