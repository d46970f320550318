"""Which features count where a ranking has ties: the order of the columns does not decide it."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.evaluation.predictions import prepare_evaluation
from mlsieve.evaluation.scoring import measured_predictions
from mlsieve.measures import choose
from mlsieve.rankers import PCTForestRanker, ReliefRanker
from mlsieve.rankers.dataset_rankings import rank_dataset
from mlsieve.rankers.tree_rankings import grow_for_dataset, rank_from_ensemble
from mlsieve.rankings.files import RankingBundle
from mlsieve.registry import entries, lookup

TREES = [("bagging", "permutation"), ("random-forest", "genie3"), ("extra-trees", "symbolic")]
OTHERS = [id for id in entries("ranker") if id not in ("random", "pct", "oracle")]
N_SELECTED = 7


def dataset_with_ties() -> Dataset:
    """Forty different binary columns, of which two matter: most scores are 0 or nearly so."""
    rng = np.random.default_rng(3)
    X = (rng.random((60, 40)) < 0.3).astype(float)
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, rng.random(60) < 0.5]).astype(np.uint8)
    return Dataset(
        name="ties",
        X=X,
        Y=sp.csr_array(Y),
        nominal=np.zeros(40, bool),
        categories=((),) * 40,
        feature_names=tuple(f"x{index}" for index in range(40)),
        label_names=("a", "b", "c"),
        train_mask=np.arange(60) < 40,
    )


def permuted(dataset: Dataset, p: np.ndarray) -> Dataset:
    names = tuple(dataset.feature_names[index] for index in p)
    return replace(dataset, X=np.ascontiguousarray(dataset.X[:, p]), feature_names=names)


def names_by_rank(bundle: RankingBundle) -> list[str]:
    (ranking,) = bundle.rankings
    return [ranking.feature_names[index] for index in ranking.order()]


def of_method(dataset: Dataset, id: str) -> RankingBundle:
    facts = lookup("ranker", id).facts
    settings = {name: value for name, value in facts.smoke.items() if name not in ("n_features_to_select",)}
    select = None if facts.selects else N_SELECTED
    return rank_dataset(dataset, id, settings, seed=5, select=select)


def of_trees(dataset: Dataset, ensemble: str, score: str) -> RankingBundle:
    trees = grow_for_dataset(dataset, ensemble=ensemble, n_trees=2, settings={}, seed=5)
    return rank_from_ensemble(trees, score=score, sizes=None, settings={})


MAKERS = {id: lambda data, id=id: of_method(data, id) for id in OTHERS} | {
    "-".join(pair): lambda data, pair=pair: of_trees(data, *pair) for pair in TREES
}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_permutation_of_the_columns_leaves_the_order_of_the_features(maker):
    dataset, p = dataset_with_ties(), np.random.default_rng(8).permutation(40)
    expected = names_by_rank(MAKERS[maker](dataset))
    assert names_by_rank(MAKERS[maker](permuted(dataset, p))) == expected


@pytest.mark.parametrize("evaluator, settings", [("weighted-knn", {"k": 3}), ("mlnb", {})])
@pytest.mark.parametrize("maker", ["uniform", "bagging-permutation"])
def test_evaluators_of_the_first_features_predict_the_same(maker, evaluator, settings):
    dataset, p = dataset_with_ties(), np.random.default_rng(8).permutation(40)
    chosen = choose(["hamming-loss", "ranking-loss"], "paper", hierarchical=False)
    found = []
    for data in (dataset, permuted(dataset, p)):
        evaluation = prepare_evaluation(
            data,
            MAKERS[maker](data),
            evaluator=evaluator,
            settings={**settings, "features": N_SELECTED},
            facts={"split": "official", "repeat": 0},
        )
        found.append([list(values) for _, values in measured_predictions(evaluation, chosen)])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


@pytest.mark.parametrize("ranker", [PCTForestRanker(n_estimators=2), ReliefRanker(k=2)])
def test_estimators_choose_the_same_features(ranker):
    dataset, p = dataset_with_ties(), np.random.default_rng(8).permutation(40)
    ranker.set_params(n_features_to_select=N_SELECTED)
    if "random_state" in inspect.signature(type(ranker)).parameters:
        ranker.set_params(random_state=5)
    one = ranker.fit(dataset.X, dataset.Y).ranking_
    np.testing.assert_array_equal(ranker.fit(dataset.X[:, p], dataset.Y).ranking_, one[p])
    assert ranker.get_support().sum() == N_SELECTED
