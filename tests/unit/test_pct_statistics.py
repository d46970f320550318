"""Scores as statistics: they find what is relevant, nothing where nothing is, and settle with more trees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from mlsieve.data.generated.synthetic import make_linear
from mlsieve.trees.growing import GrowOptions, grow_ensemble
from mlsieve.trees.scores import importances

N_SEEDS, N_TREES = 20, 250


def separation(kind, score_ids, permute_labels):
    """AUC of relevant against irrelevant features, for each score and seed of data and trees."""
    areas = {score: [] for score in score_ids}
    for seed in range(N_SEEDS):
        data = make_linear(seed, permute_labels=permute_labels)
        relevant = np.isin(np.arange(data.X.shape[1]), data.facts["relevant"])
        ensemble = grow_ensemble(
            data.X_train, data.Y_train, n_trees=N_TREES, options=GrowOptions(kind), seed=seed, n_threads=2
        )
        for score in score_ids:
            areas[score].append(roc_auc_score(relevant, importances(ensemble, score)[0]))
    return {score: np.array(values) for score, values in areas.items()}


@pytest.mark.parametrize("kind", ["bagging", "random-forest"])
def test_relevant_features_are_separated_from_irrelevant_ones(kind):
    for areas in separation(kind, ("genie3", "permutation"), permute_labels=False).values():
        assert (areas == 1.0).sum() >= 19


def test_permuted_labels_leave_nothing_to_find():
    for areas in separation(
        "random-forest", ("genie3", "permutation", "symbolic"), permute_labels=True
    ).values():
        half_width = 2.093 * areas.std(ddof=1) / np.sqrt(N_SEEDS)  # t quantile, 19 degrees of freedom, 95 %
        assert abs(areas.mean() - 0.5) < half_width


def test_variance_falls_as_one_over_the_number_of_trees():
    """Proposition 1: 25 times from 10 to 250 trees, over 30 seeds."""
    data = make_linear(0)
    scores = []
    for seed in range(30):
        ensemble = grow_ensemble(
            data.X_train,
            data.Y_train,
            n_trees=250,
            options=GrowOptions("random-forest"),
            seed=1000 + seed,
            n_threads=2,
        )
        scores.append(
            [importances(ensemble, score, [10, 250]) for score in ("genie3", "permutation", "symbolic")]
        )
    variance = np.array(scores).var(axis=0, ddof=1).sum(axis=2)
    ratio = variance[:, 0] / variance[:, 1]
    assert ((ratio > 18) & (ratio < 35)).all(), ratio
