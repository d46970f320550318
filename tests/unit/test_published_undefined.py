"""Labels lack a value of macro-averaged measures where the ranking study says so (section 5.4)."""

from __future__ import annotations

import numpy as np
import pytest

from mlsieve.data import load_dataset
from mlsieve.evaluators import neighbor_votes
from mlsieve.measures import evaluate_all

COUNTS = ["macro-precision-undefined", "macro-recall-undefined", "macro-f1-undefined"]


# The study names every dataset with an undefined macro recall; macro precision is defined on two alone.
@pytest.mark.parametrize(
    ("name", "recall", "precision"),
    [
        ("emotions", False, False),
        ("scene", False, False),
        ("yeast", False, True),
        ("birds", False, True),
        ("enron", False, True),
        ("genbase", True, True),
        ("medical", True, True),
        ("yahoo_business", True, True),
        ("yahoo_health", True, True),
        ("yahoo_reference", True, True),
        ("yahoo_science", False, True),
    ],
)
def test_labels_without_a_value_are_where_the_study_says(mirror, name, recall, precision):
    dataset = load_dataset(name)
    weights = np.ones(dataset.X.shape[1])
    votes = neighbor_votes(dataset, weights, k=15, ranges="all")[0]
    values = evaluate_all(dataset.Y_test, votes / 15, measures=COUNTS)
    assert (values["macro-recall-undefined"] > 0) == recall
    assert (values["macro-precision-undefined"] > 0) == precision
    never = np.asarray(dataset.Y_test.sum(axis=0)).ravel() == 0
    assert values["macro-recall-undefined"] == never.sum()
    assert values["macro-f1-undefined"] == (never & ~(2 * votes >= 15).any(axis=0)).sum()
