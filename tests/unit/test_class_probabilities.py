"""Measures of the lists of probabilities that scikit-learn's forests return."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.tree import DecisionTreeClassifier

from mlsieve.measures import evaluate_all


def problem():
    rng = np.random.default_rng(0)
    X = rng.random((80, 4))
    return X, (X[:, :3] + 0.3 * rng.random((80, 3)) > 0.7).astype(int)


@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(10, random_state=0), MultiOutputClassifier(DecisionTreeClassifier(max_depth=2))],
    ids=["forest", "one tree a label"],
)
def test_a_list_is_the_matrix_of_its_second_columns(model):
    X, Y = problem()
    given = model.fit(X[:50], Y[:50]).predict_proba(X[50:])
    assert isinstance(given, list)
    matrix = np.column_stack([each[:, 1] for each in given])
    expected = evaluate_all(Y[50:], matrix)
    assert evaluate_all(Y[50:], given) == expected
    assert evaluate_all(Y[50:], tuple(given), classes=model.classes_) == expected


def test_the_classes_say_which_one_a_single_column_is():
    X, Y = problem()
    Y[:, 1], Y[:, 2] = 0, 1
    forest = RandomForestClassifier(10, random_state=0).fit(X, Y)
    given = forest.predict_proba(X)
    assert [each.shape[1] for each in given] == [2, 1, 1]
    known = np.column_stack([given[0][:, 1], np.zeros(80), np.ones(80)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate_all(Y, given, classes=forest.classes_)
    np.testing.assert_equal(found, evaluate_all(Y, known))  # NaN equals NaN
    with pytest.warns(UserWarning, match="label 1 has the probability of one class only, as 1 more have"):
        assumed = evaluate_all(Y, given, measures=["hamming-loss"])
    known[:, 2] = 0
    assert assumed == evaluate_all(Y, known, measures=["hamming-loss"])


def test_classes_in_another_order_are_followed():
    Y = np.array([[1], [0], [1]])
    given = [np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])]
    assert evaluate_all(Y, given, classes=[[1, 0]], measures=["hamming-loss"]) == {"hamming-loss": 0.0}
    assert evaluate_all(Y, given, classes=[[0, 1]], measures=["hamming-loss"]) == {"hamming-loss": 1.0}


@pytest.mark.parametrize(
    "scores, classes, message",
    [
        ([np.ones((3, 3)) / 3], None, r"y_score\[0\] has the shape \(3, 3\)"),
        ([np.ones((3, 2)), np.ones(3)], None, r"y_score\[1\] has the shape \(3,\)"),
        ([np.ones((3, 2))], [["no", "yes"]], r"classes\[0\] = \['no', 'yes'\] does not fit"),
        ([np.ones((3, 1))], [[0, 1]], "does not fit"),
        ([np.ones((3, 2))], [[0, 1], [0, 1]], "classes has 2 entries, y_score has 1"),
    ],
)
def test_other_shapes_and_classes_are_refused(scores, classes, message):
    with pytest.raises(ValueError, match=message):
        evaluate_all(np.array([[1], [0], [1]]), scores, classes=classes)
