"""Every measure on cases computed by hand, edge cases first of all."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlsieve.data import Dataset
from mlsieve.errors import UserError
from mlsieve.evaluators import WeightedKNN
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures import Measure, available, choose, evaluate, evaluate_all

NAN = math.nan
MEASURES_OF_THE_PAPERS = {
    "hamming-loss", "subset-accuracy", "accuracy", "f1", "precision", "recall",
    "micro-precision", "micro-recall", "micro-f1",
    "one-error", "coverage", "ranking-loss", "auroc", "auprc", "pooled-auprc",
}  # fmt: skip

# (truth, scores, {measure: value}); predicted at 1/2
CLUS = {
    "nothing true, nothing predicted": (
        [[0, 0]], [[0.2, 0.1]],
        {"hamming-loss": 0, "subset-accuracy": 1, "accuracy": 1, "f1": 1, "precision": 1, "recall": 1,
         "micro-precision": NAN, "micro-recall": NAN, "micro-f1": NAN, "one-error": 0, "coverage": NAN,
         "ranking-loss": 0, "auroc": 0.5, "auprc": 0, "pooled-auprc": 0},
    ),
    "nothing true, one predicted": (
        [[0, 0]], [[0.5, 0.1]],
        {"hamming-loss": 0.5, "subset-accuracy": 0, "accuracy": 0, "f1": 0, "precision": 0, "recall": 0,
         "micro-precision": 0, "micro-recall": NAN, "micro-f1": 0, "one-error": 1, "coverage": NAN,
         "ranking-loss": 0, "auroc": 0.5, "auprc": 0, "pooled-auprc": 0},
    ),
    "one true, nothing predicted": (
        [[0, 1]], [[0.4, 0.4]],
        {"hamming-loss": 0.5, "subset-accuracy": 0, "accuracy": 0, "f1": 0, "precision": 0, "recall": 0,
         "micro-precision": NAN, "micro-recall": 0, "micro-f1": 0, "one-error": 0, "coverage": 2,
         "ranking-loss": 1, "auroc": 0.5, "auprc": 0.5, "pooled-auprc": 0.5},
    ),
    "everything true": (
        [[1, 1]], [[0.9, 0.1]],
        {"hamming-loss": 0.5, "subset-accuracy": 0, "accuracy": 0.5, "f1": 2 / 3, "precision": 1,
         "recall": 0.5,
         "micro-precision": 1, "micro-recall": 0.5, "micro-f1": 2 / 3, "one-error": 0, "coverage": 2,
         "ranking-loss": 0, "auroc": 0.5, "auprc": 1, "pooled-auprc": 1},
    ),
    "a relevant top label below one half is an error": (
        [[1, 0]], [[0.4, 0.1]], {"one-error": 1, "coverage": 1, "ranking-loss": 0},
    ),
    "label order breaks ties in favour of the earlier label": (
        [[1, 0, 0]], [[0.6, 0.6, 0.6]], {"one-error": 0, "coverage": 3, "ranking-loss": 0},
    ),
    "label order breaks ties against the later label": (
        [[0, 0, 1]], [[0.6, 0.6, 0.6]], {"one-error": 1, "coverage": 3, "ranking-loss": 1},
    ),
    "examples without labels count in ranking loss and not in coverage": (
        [[0, 1], [0, 0]], [[0.9, 0.1], [0.3, 0.2]], {"coverage": 2, "ranking-loss": 0.5, "one-error": 0.5},
    ),
    # ROC: (0, 0), (1/2, 1/2), (1/2, 1), (1, 1)
    "equal scores make one step of the ROC curve": (
        [[1], [0], [1], [0]], [[0.8], [0.8], [0.6], [0.1]], {"auroc": 0.625},
    ),
    # points (TP, FP) = (1, 0), (3, 2), between them (2, 1): precisions 1, 2/3, 3/5
    "precision is interpolated at every whole number of true positives": (
        [[1], [1], [1], [0], [0]], [[0.9], [0.5], [0.5], [0.5], [0.5]],
        {"auprc": (1 + (1 + 2 / 3) / 2 + (2 / 3 + 3 / 5) / 2) / 3},
    ),
    # points (0, 1), (2, 1): precisions 0, 1/2, 2/3
    "a curve that starts with negatives starts at precision 0": (
        [[0], [1], [1]], [[0.9], [0.5], [0.5]], {"auprc": (0.25 + (1 / 2 + 2 / 3) / 2) / 2},
    ),
    # points (1, 0), (1, 2), (2, 2): the second segment starts from precision 1/3
    "negatives between positives pull the next segment down": (
        [[1], [0], [0], [1]], [[0.9], [0.5], [0.5], [0.1]], {"auprc": (1 + (1 / 3 + 1 / 2) / 2) / 2},
    ),
    # first point (2, 1): flat at 2/3 back to recall 0
    "the first point is extended to recall 0": (
        [[1], [1], [0]], [[0.9], [0.9], [0.9]], {"auprc": 2 / 3, "pooled-auprc": 2 / 3, "auroc": 0.5},
    ),
    # label 0: area 1; label 1: no positive; pooled: (1, 0) alone
    "labels without positives lower the mean and not the pool": (
        [[1, 0], [0, 0]], [[0.9, 0.1], [0.2, 0.1]], {"auprc": 0.5, "auroc": 0.75, "pooled-auprc": 1},
    ),
}  # fmt: skip

OTHERS = {
    "textbook": [
        ([[0, 1]], [[0.4, 0.4]], {"one-error": 1, "coverage": 1, "ranking-loss": 1,
        "average-precision": 0.5}),
        ([[1, 0]], [[0.4, 0.4]], {"one-error": 0, "coverage": 1, "ranking-loss": 1,
        "average-precision": 0.5}),
        ([[0, 0]], [[0.4, 0.1]], {"one-error": 1, "coverage": NAN, "ranking-loss": 0,
        "average-precision": NAN}),
        ([[1, 1], [0, 0]], [[0.4, 0.1]] * 2, {"coverage": 1, "ranking-loss": 0, "average-precision": 1}),
    ],
    "sklearn": [
        ([[0, 0]], [[0.4, 0.1]],
         {"coverage": 0, "ranking-loss": 0, "average-precision": 1, "auroc": NAN, "auprc": 0,
          "pooled-auprc": 0,
          "accuracy": 0, "f1": 0, "precision": 0, "recall": 0, "micro-f1": 0, "micro-precision": 0,
          "micro-recall": 0,
          "hamming-loss": 0, "subset-accuracy": 1}),
        ([[1], [0], [1]], [[0.9], [0.5], [0.1]], {"auprc": 5 / 6, "pooled-auprc": 5 / 6, "auroc": 0.5}),
    ],
    "scls": [
        ([[1, 0, 0]], [[0.6, 0.6, 0.1]],
         {"ranking-loss-ties": 0.5, "normalised-coverage": 2 / 3, "normalised-coverage-printed": 1 / 3}),
        ([[0, 0], [1, 1]], [[0.6, 0.6], [0.2, 0.1]],
         {"ranking-loss-ties": 0, "normalised-coverage": 0.5, "normalised-coverage-printed": 0.25}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", CLUS)
def test_clus_definition(case):
    truth, scores, expected = CLUS[case]
    values = evaluate_all(truth, scores)
    assert {name: values[name] for name in expected} == pytest.approx(expected, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize(
    ("definition", "truth", "scores", "expected"),
    [(definition, *case) for definition, cases in OTHERS.items() for case in cases],
)
def test_other_definitions(definition, truth, scores, expected):
    values = evaluate_all(truth, scores, definition=definition)
    assert {name: values[name] for name in expected} == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_the_papers_measures_are_the_default():
    assert set(available("clus")) == MEASURES_OF_THE_PAPERS


def test_input_may_be_sparse_and_predictions_may_be_given():
    truth, scores = np.array([[1, 0], [0, 1]]), np.array([[0.4, 0.1], [0.2, 0.3]])
    dense = evaluate_all(truth, scores, y_pred=truth)
    assert dense["subset-accuracy"] == 1
    assert evaluate_all(sp.csr_array(truth), scores, y_pred=sp.csr_array(truth)) == dense
    assert evaluate_all(truth, scores, threshold=0.3)["subset-accuracy"] == 1


def test_measures_are_found_by_name_definition_or_full_name():
    chosen = choose(["one-error", "one-error-textbook", "normalised-coverage"])
    assert [(measure.id, measure.definition) for measure in chosen] == [
        ("one-error", "clus"),
        ("one-error-textbook", "textbook"),
        ("normalised-coverage", "scls"),
    ]
    assert choose(["one-error"], "textbook")[0].function is chosen[1].function
    with pytest.raises(UserError, match="unknown measure 'hamming-los'; did you mean 'hamming-loss'"):
        choose(["hamming-los"])
    with pytest.raises(UserError, match="unknown definition 'clu'; did you mean 'clus'"):
        choose(None, "clu")


@pytest.mark.parametrize(
    ("truth", "scores", "message"),
    [
        ([[0, 1]], [[0.5]], "has the shape"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "has the shape"),
        ([0, 1], [0.5, 0.5], r"y_true has the shape \(2,\), y_score \(2,\)"),
        ([[0, 1], [1]], [[0.5, 0.5], [0.5, 0.5]], "y_true is no table"),
        ([[0, 1], [1, 0]], [[0.5, 0.5], [0.5]], "y_score is no table of numbers"),
        ([[0, 1]], [["a", "b"]], "y_score is no table of numbers"),
        ([[0], [1]], [np.full((2, 3), 0.5)], r"y_score\[0\] has the shape \(2, 3\)"),
        ([[0, 1], [1, 0]], [np.full((2, 2), 0.5), np.full((1, 2), 0.5)], r"y_score\[1\] has 1 row, y_score"),
        ([[0, 2]], [[0.5, 0.5]], "not 0/1"),
        ([[0, 1]], [[0.5, NAN]], "a score is NaN"),
    ],
)
def test_wrong_input_is_refused(truth, scores, message):
    with pytest.raises(ValueError, match=message) as error:
        evaluate_all(truth, scores)
    assert isinstance(error.value, UserError) and "\n" not in str(error.value)


def test_frames_of_other_rows_are_refused():
    random = np.random.default_rng(1)
    truth = pd.DataFrame(random.integers(0, 2, (6, 2)), columns=["a", "b"], index=[3, 1, 4, 0, 5, 2])
    scores = (truth + random.normal(0, 0.3, truth.shape)).clip(0, 1)
    evaluate_all(truth, scores)
    evaluate_all(truth, scores.to_numpy())
    with pytest.raises(
        ValueError, match=r"y_true and y_score have the same index in different orders; give "
    ):
        evaluate_all(truth, scores.sort_index())
    with pytest.raises(
        ValueError, match="the indexes of y_true and y_score differ: row 0 is 3 in y_true and"
    ):
        evaluate_all(truth, scores.set_axis(range(10, 16)))
    with pytest.raises(ValueError, match="y_true and y_pred have the same index in different orders"):
        evaluate_all(truth, scores, y_pred=truth.sort_index())


def test_columns_of_several_levels_are_refused():
    columns = pd.MultiIndex.from_tuples([("sky", "a"), ("sky", "b")])
    table = pd.DataFrame([[0, 1], [1, 0], [1, 1]], columns=columns)
    plain = table.set_axis(["a", "b"], axis="columns")
    words = r"the columns of {} have names of 2 levels \(a MultiIndex\); join them: {}.columns = "
    for call, name in (
        (lambda: evaluate_all(table, plain), "y_true"),
        (lambda: evaluate_all(plain, table), "y_score"),
        (lambda: Dataset.from_frame(table, plain), "X"),
        (lambda: Dataset.from_frame(plain, table), "y"),
        (lambda: WeightedKNN(k=1).fit(table, plain), "X"),
        (lambda: WeightedKNN(k=1).fit(plain, table), "y"),
        (lambda: WeightedKNN(k=1).fit(plain, plain).predict(table), "X"),
    ):
        with pytest.raises(ValueError, match=words.format(name, name)):
            call()


def test_labels_of_frames_are_matched_by_name():
    random = np.random.default_rng(0)
    truth = pd.DataFrame(random.integers(0, 2, (20, 3)), columns=["l1", "l2", "l3"])
    scores = (truth + random.normal(0, 0.4, truth.shape)).clip(0, 1)
    expected = evaluate_all(truth.to_numpy(), scores.to_numpy())
    turned = ["l2", "l3", "l1"]
    assert evaluate_all(truth, scores[turned]) == expected
    assert evaluate_all(truth[turned], scores)["f1"] == expected["f1"]
    assert evaluate_all(truth, scores[turned], y_pred=scores[turned] >= 0.5) == expected
    # Columns that are only numbered, and arrays, are in the order of the truth.
    assert evaluate_all(truth, pd.DataFrame(scores.to_numpy())) == expected
    assert evaluate_all(truth, scores.to_numpy()) == expected
    for other in (scores.rename(columns={"l1": "l4"}), scores.set_axis(["l1", "l1", "l2"], axis=1)):
        with pytest.raises(ValueError, match=r"columns of y_score and y_true differ: 'l[34]' is not in both"):
            evaluate_all(truth, other)
        with pytest.raises(ValueError, match="columns of y_pred and y_true differ"):
            evaluate_all(truth, scores, y_pred=other >= 0.5)
    hierarchy = Hierarchy.from_edges([("l1", "l2")], ["l1", "l2", "l3"])
    evaluate_all(truth, scores[turned], hierarchy=hierarchy)
    with pytest.raises(ValueError, match="another order than the classes of the hierarchy"):
        evaluate_all(truth[turned], scores, hierarchy=hierarchy)


@pytest.mark.parametrize(
    ("returned", "shown"),
    [(None, "None"), ("0.5", "'0.5'"), (b"1", "b'1'"), (np.zeros(2), "array([0., 0.])"), (1j, "1j")],
)
def test_what_a_measure_returns_is_one_number(returned, shown):
    """That of a plugin may be anything, such as nothing where its function ends without a return."""
    own = Measure("mine", "textbook", lambda truth, scores, predicted: returned, "higher", "mine")
    data = np.eye(2, dtype=bool), np.eye(2), np.eye(2, dtype=bool)
    with pytest.raises(UserError) as error:
        evaluate([own], *data)
    assert str(error.value).startswith(f"measure 'mine' gives {shown}; its function returns a single number")
    for number in (1, np.float32(1), np.bool_(True)):
        found = Measure("mine", "textbook", lambda truth, scores, predicted, it=number: it, "higher", "mine")
        assert evaluate([found], *data) == [1.0]
