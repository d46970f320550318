"""The unweighted 15-NN values that the ranking study publishes come out to all printed digits."""

from __future__ import annotations

import numpy as np
import pytest

from mlsieve.data import load_dataset
from mlsieve.evaluators import neighbor_votes
from mlsieve.measures import evaluate_all

PUBLISHED = {
    "coverage": {"emotions": "2.98", "yeast": "7.85", "scene": "1.7"},
    "hamming-loss": {"emotions": "0.186", "yeast": "0.198", "scene": "0.105"},
    "accuracy": {"emotions": "0.547", "yeast": "0.509", "scene": "0.569"},
    "f1": {"emotions": "0.626", "yeast": "0.612", "scene": "0.579"},
    "precision": {"emotions": "0.697", "yeast": "0.705", "scene": "0.598"},
    "recall": {"emotions": "0.62", "yeast": "0.585", "scene": "0.569"},
    "micro-f1": {"emotions": "0.692", "yeast": "0.64", "scene": "0.658"},
    "micro-precision": {"emotions": "0.762", "yeast": "0.713", "scene": "0.808"},
    "micro-recall": {"emotions": "0.634", "yeast": "0.581", "scene": "0.554"},
    "one-error": {"emotions": "0.248", "yeast": "0.237", "scene": "0.275"},
    "ranking-loss": {"emotions": "0.16", "yeast": "0.171", "scene": "0.0957"},
    "subset-accuracy": {"emotions": "0.302", "yeast": "0.19", "scene": "0.539"},
    "auprc": {"emotions": "0.734", "yeast": "0.483", "scene": "0.802"},
    "auroc": {"emotions": "0.837", "yeast": "0.67", "scene": "0.928"},
    "pooled-auprc": {"emotions": "0.725", "yeast": "0.713", "scene": "0.768"},
}


@pytest.mark.parametrize("name", ["emotions", "yeast", "scene"])
def test_published_values_are_met(mirror, name):
    dataset = load_dataset(name)
    votes = neighbor_votes(dataset, np.ones(dataset.X.shape[1]), k=15, ranges="all")[0]
    values = evaluate_all(dataset.Y_test, votes / 15)
    printed = {measure: f"{value:.3g}" for measure, value in values.items()}
    assert printed == {measure: row[name] for measure, row in PUBLISHED.items()}
