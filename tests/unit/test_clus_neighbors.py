"""Unweighted nearest neighbours on hierarchical sets are measured as CLUS's own are."""

from __future__ import annotations

import functools

import clus_neighbors
import numpy as np
import pytest
from clus_neighbors import HIERARCHICAL, HIERARCHICAL_MEASURES, MULTILABEL, WEIGHTED

from benchmarks.contenders import clus
from mlsieve.data import load_dataset
from mlsieve.evaluators import neighbor_votes
from mlsieve.measures import evaluate_all

pytestmark = pytest.mark.kernel

SETS = list(HIERARCHICAL)


def weights(n_features: int) -> np.ndarray:
    """Return the weights of `WEIGHTED`."""
    return np.arange(n_features) % 5 / 4


@functools.cache
def predicted(name: str, weighted: bool = False):
    """The set's test labels, scores of its 10 nearest neighbours, and hierarchy."""
    dataset = load_dataset(name)
    n_features = dataset.X.shape[1]
    of_features = weights(n_features) if weighted else np.ones(n_features)
    votes = neighbor_votes(dataset, of_features, k=10, ranges="all")[0]
    return dataset.Y_test, votes / 10, dataset.hierarchy


@pytest.mark.parametrize(
    "name, weighted", [*((name, False) for name in SETS), *((name, True) for name in WEIGHTED)]
)
def test_measures_without_classes_that_have_no_positive_are_those_of_clus(mirror, name, weighted):
    truth, scores, hierarchy = predicted(name, weighted)
    values = evaluate_all(
        truth, scores, definition="clus", measures=HIERARCHICAL_MEASURES, hierarchy=hierarchy
    )
    figures = WEIGHTED[name] if weighted else HIERARCHICAL[name]
    assert values == pytest.approx(dict(zip(HIERARCHICAL_MEASURES, figures, strict=True)), abs=5e-10)


@pytest.mark.parametrize("name", SETS)
def test_measures_of_all_classes_are_those_of_clus(mirror, name):
    truth, scores, hierarchy = predicted(name)
    values = evaluate_all(truth, scores, definition="paper", measures=list(MULTILABEL), hierarchy=hierarchy)
    expected = {measure: row[SETS.index(name)] for measure, row in MULTILABEL.items()}
    assert values == pytest.approx(expected, rel=1e-6, abs=1e-12)
    pooled = evaluate_all(truth, scores, measures=["pooled-auprc"], hierarchy=hierarchy)
    assert pooled["pooled-auprc"] == values["pooled-auprc"], "the default is the paper's"


@pytest.mark.parametrize(
    "name, kind, n_features, expected",
    [
        ("enron_corr", "Tree", 0, HIERARCHICAL["enron_corr"]),
        ("cellcycle_GO", "DAG", 77, WEIGHTED["cellcycle_GO"]),
    ],
)
def test_clus_gives_what_it_gave(request, name, kind, n_features, expected, tmp_path):
    reason = clus.available()
    if reason is not None:
        pytest.skip(reason)
    mirror = request.getfixturevalue("mirror")  # after the program is known to be there
    found = clus_neighbors.run_clus(mirror, name, kind, tmp_path, weights(n_features).tolist())
    assert found == pytest.approx(dict(zip(HIERARCHICAL_MEASURES, expected, strict=True)), abs=5e-10)
