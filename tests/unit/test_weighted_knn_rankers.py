"""Nearest neighbours whose weights a ranker gives inside `fit`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from mlsieve.data import load_dataset
from mlsieve.evaluators import WeightedKNN
from mlsieve.hierarchy import Hierarchy
from mlsieve.rankers import PCTForestRanker, ReliefRanker
from mlsieve.selectors import SCLS

DATA = load_dataset("synthetic-linear")
X, Y = DATA.X_train[:150], DATA.Y_train[:150].toarray()


def test_a_ranker_gives_the_weights_that_it_gives_alone():
    ranker = PCTForestRanker(n_estimators=10)
    model = WeightedKNN(weights=ranker).fit(X, Y)
    alone = clone(ranker).fit(X, Y)
    np.testing.assert_array_equal(model.weights_, alone.feature_importances_)
    given = WeightedKNN(weights=alone.feature_importances_).fit(X, Y)
    assert model.predict_proba(DATA.X_test).tobytes() == given.predict_proba(DATA.X_test).tobytes()
    assert not hasattr(ranker, "feature_importances_")
    assert not hasattr(given, "ranker_") and hasattr(model, "ranker_")


def test_of_a_selection_each_feature_counts_one():
    selector = SCLS(n_features_to_select=4)
    for chosen in (selector, RFE(RandomForestClassifier(5, random_state=0), n_features_to_select=4)):
        weights = WeightedKNN(weights=chosen).fit(X, Y).weights_
        np.testing.assert_array_equal(weights, clone(chosen).fit(X, Y).get_support())
        assert weights.sum() == 4
    ranked = ReliefRanker(n_features_to_select=4)
    assert sorted(WeightedKNN(weights=ranked).fit(X, Y).weights_) == [0.0] * (X.shape[1] - 4) + [1.0] * 4


def test_negative_importances_count_as_zero():
    ranker = ReliefRanker().fit(X, Y)
    assert ranker.feature_importances_.min() < 0
    weights = WeightedKNN(weights=ReliefRanker()).fit(X, Y).weights_
    np.testing.assert_array_equal(weights, np.maximum(ranker.feature_importances_, 0))


class Recorder(BaseEstimator):
    """A ranker that notes how many rows it has seen, and which."""

    seen: ClassVar[list] = []

    def fit(self, X, Y):
        self.seen.append(X[:, 0].tolist())
        self.feature_importances_ = np.ones(X.shape[1])
        return self


def test_cross_validation_ranks_the_training_rows_of_each_fold():
    Recorder.seen.clear()
    folds = KFold(3)
    cross_val_score(WeightedKNN(k=5, weights=Recorder()), X, Y, cv=folds, error_score="raise")
    assert Recorder.seen == [X[train, 0].tolist() for train, _ in folds.split(X)]


def test_the_parameters_of_the_ranker_can_be_searched():
    search = GridSearchCV(
        WeightedKNN(k=5, weights=SCLS()), {"weights__n_features_to_select": [2, 6]}, cv=2, error_score="raise"
    ).fit(X, Y)
    assert search.best_estimator_.weights_.sum() == search.best_params_["weights__n_features_to_select"]


def test_the_ranker_has_the_same_nominal_features_and_hierarchy():
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 4, 80), rng.random(80), rng.random(80)]).astype(float)
    labels = np.column_stack([codes[:, 0] % 3 == 1, codes[:, 1] > 0.5]).astype(int)
    hierarchy = Hierarchy.from_edges([("a", "b")])
    model = WeightedKNN(weights=ReliefRanker(), nominal=[0], hierarchy=hierarchy).fit(codes, labels)
    alone = ReliefRanker(nominal=[0], hierarchy=hierarchy).fit(codes, labels)
    np.testing.assert_array_equal(model.weights_, np.maximum(alone.feature_importances_, 0))
    plain = ReliefRanker().fit(codes, labels)
    assert not np.array_equal(plain.feature_importances_, alone.feature_importances_)
    assert model.weights.nominal is None  # the parameter itself is not touched
    frame = pd.DataFrame(codes, columns=list("abc"))
    frame["a"] = frame["a"].map(dict(enumerate("wxyz")))
    of_frame = WeightedKNN(weights=ReliefRanker(hierarchy=hierarchy), hierarchy=hierarchy).fit(frame, labels)
    np.testing.assert_array_equal(of_frame.weights_, model.weights_)


def test_what_does_not_rank_is_refused():
    with pytest.raises(
        ValueError, match="LogisticRegression has neither feature_importances_ nor get_support"
    ):
        WeightedKNN(weights=LogisticRegression()).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="weights do not fit"):
        WeightedKNN(weights=np.ones(3)).fit(X, Y)
    selected = SelectFromModel(RandomForestClassifier(5, random_state=0))
    assert 0 < WeightedKNN(weights=selected).fit(X, Y).weights_.sum() < X.shape[1]


def test_a_series_of_weights_follows_the_names_of_the_features():
    import pandas as pd

    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=60), "b": random.normal(size=60)})
    Y = (X[["a"]].to_numpy() > 0).astype(int).repeat(2, axis=1)
    turned = pd.Series({"b": 0.0, "a": 1.0})
    found = WeightedKNN(k=3, weights=turned).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(found, WeightedKNN(k=3, weights=[1.0, 0.0]).fit(X, Y).predict_proba(X))
    with pytest.raises(ValueError, match="weights = 'relief' is not a ranker; give an estimator"):
        WeightedKNN(weights="relief").fit(X, Y)
