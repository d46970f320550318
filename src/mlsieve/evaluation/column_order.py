"""What the order of the columns does to tree ensembles' rankings of one dataset, for either rule of ties.

Where several features gain equally, ``ties=first`` takes the first column, as CLUS does, and ``ties=random``
draws one of them. Each ensemble is grown three times: with the columns in their order, with the columns
reversed, and in their order with another seed, the yardstick for a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.data.dataset import Dataset
from mlsieve.progress import counted, stage
from mlsieve.rankers.tree_rankings import grow_for_dataset, rank_from_ensemble
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.rankings.ties import best_first
from mlsieve.trees.options import ENSEMBLES, GrowOptions
from mlsieve.trees.scores import SCORES

TIES = ("first", "random")
FILE, REVERSED, OTHER_SEED = "file", "reversed", "other seed"
ORDERS, SEEDS = "between orders", "between seeds"
SPEARMAN, FUJI = "spearman", "fuji"
COLUMNS = (
    "dataset",
    "split",
    "repeat",
    "ensemble",
    "score",
    "size",
    "ties",
    "comparison",
    "evaluator",
    "definition",
    "quantity",
    "value",
)


@dataclass(frozen=True)
class Use:
    """How the worth of a ranking is measured.

    Attributes
    ----------
    evaluator : str
        Id of a registered evaluator.
    settings : mapping
        Its parameters.
    measures : sequence of str or None
        Ids of measures; None: all of the definition.
    definition : str or None
        Whose definition of the measures; None: the default of the data.
    """

    evaluator: str = "weighted-knn"
    settings: Mapping[str, Any] = field(default_factory=dict)
    measures: Sequence[str] | None = None
    definition: str | None = None


@dataclass(frozen=True)
class _Grown:
    """Scores of the three ensembles that differ in the order of the columns or in the seed only."""

    ensemble: str
    score: str
    ties: str
    scores: Mapping[str, np.ndarray]  # FILE, REVERSED, OTHER_SEED; in the order of the file's columns


def reversed_columns(dataset: Dataset) -> Dataset:
    """Return the same data with the columns of X in reverse order."""
    X = dataset.X[:, ::-1]
    if dataset.is_sparse:
        X = X.tocsr()
        X.sort_indices()
    else:
        X = np.ascontiguousarray(X)
    return replace(
        dataset,
        X=X,
        nominal=dataset.nominal[::-1].copy(),
        categories=dataset.categories[::-1],
        feature_names=dataset.feature_names[::-1],
    )


def order_effects(
    dataset: Dataset,
    *,
    n_trees: int = 50,
    ensembles: Sequence[str] = ENSEMBLES,
    scores: Sequence[str] = tuple(SCORES),
    seeds: tuple[int, int] = (0, 1),
    use: Use | None = None,
    split: str = "official",
    repeat: int = 0,
    n_threads: int = 1,
) -> list[dict[str, Any]]:
    """Compare rankings between two orders of the columns and between two seeds, for either rule of ties.

    Parameters
    ----------
    dataset : Dataset
        Trees learn from its training part.
    n_trees : int
        Trees of each ensemble.
    ensembles : sequence of {"bagging", "random-forest", "extra-trees"}
    scores : sequence of {"symbolic", "genie3", "permutation"}
        Permutation is left out for extra trees, which have no out-of-bag examples.
    seeds : (int, int)
        The first for both orders of the columns, the second for the comparison between seeds.
    use : Use, optional
        How the rankings are evaluated on the test part; None: they are not.
    split, repeat
        Written into the rows.
    n_threads : int
        Does not change the result.

    Returns
    -------
    list of dict
        Keys `COLUMNS`. With ``comparison`` "between orders" and "between seeds", ``quantity`` is "spearman"
        (in [-1, 1]; NaN where a ranking gives all features the same score) or "fuji" (in [0, 1]); with
        "file", "reversed" and "other seed" it is a measure of the evaluator under that ranking.

    Raises
    ------
    UserError
        On an unknown ensemble, score, evaluator or measure; with `use` on data without a test part.
    """
    with stage("growing ensembles for both orders"):
        grown = list(_grown(dataset, n_trees, ensembles, scores, seeds, n_threads))
    values = [_similarities(one) for one in grown]
    if use is not None:
        for found, measured in zip(
            values, _measured(dataset, grown, use, split, repeat, n_threads), strict=True
        ):
            found.extend(measured)
    return [
        {
            "dataset": dataset.name,
            "split": split,
            "repeat": repeat,
            "ensemble": one.ensemble,
            "score": one.score,
            "size": n_trees,
            "ties": one.ties,
            **dict(zip(COLUMNS[7:], row, strict=True)),
        }
        for one, found in zip(grown, values, strict=True)
        for row in found
    ]


def _grown(
    dataset: Dataset,
    n_trees: int,
    ensembles: Sequence[str],
    scores: Sequence[str],
    seeds: tuple[int, int],
    n_threads: int,
) -> Iterator[_Grown]:
    backwards = reversed_columns(dataset)
    ways = {FILE: (dataset, seeds[0]), REVERSED: (backwards, seeds[0]), OTHER_SEED: (dataset, seeds[1])}
    for ensemble in ensembles:
        bootstrap = GrowOptions(ensemble).draws_bootstrap  # type: ignore[arg-type]
        wanted = [score for score in scores if bootstrap or score != "permutation"]
        for ties in TIES:
            found: dict[str, dict[str, np.ndarray]] = {score: {} for score in wanted}
            for way, (data, seed) in counted(list(ways.items()), f"{ensemble} ensembles"):
                trees = grow_for_dataset(
                    data,
                    ensemble=ensemble,
                    n_trees=n_trees,
                    settings={"ties": ties},
                    scores=wanted,
                    seed=seed,
                    n_threads=n_threads,
                )
                for score in wanted:
                    bundle = rank_from_ensemble(trees, score=score, sizes=None, settings={})
                    values = bundle.rankings[0].scores
                    found[score][way] = values[::-1].copy() if way == REVERSED else values
            yield from (_Grown(ensemble, score, ties, found[score]) for score in wanted)


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Return Spearman's correlation of two rankings' scores; ties share their mean rank.

    Parameters
    ----------
    first, second : ndarray of float, shape (F,)

    Returns
    -------
    float
        In [-1, 1], exactly 1 for the same order; NaN where one of them scores all features alike.
    """
    from scipy.stats import rankdata

    ranks = [rankdata(scores) for scores in (first, second)]
    centred = [rank - rank.mean() for rank in ranks]
    if not all(rank.any() for rank in centred):
        return float("nan")
    if (ranks[0] == ranks[1]).all():
        return 1.0  # not 1 less a rounding error
    norms = [float(np.sqrt(rank @ rank)) for rank in centred]
    return float(centred[0] @ centred[1]) / (norms[0] * norms[1])


def _similarities(one: _Grown) -> list[tuple[Any, ...]]:
    """Return the rows of a ranking's similarity to those of the other order and the other seed."""
    from mlsieve.stats.similarity import fuzzy_jaccard

    return [
        (comparison, "", "", quantity, similar(one.scores[FILE], one.scores[other]))
        for comparison, other in ((ORDERS, REVERSED), (SEEDS, OTHER_SEED))
        for quantity, similar in ((SPEARMAN, spearman), (FUJI, fuzzy_jaccard))
    ]


def _measured(
    dataset: Dataset, grown: Sequence[_Grown], use: Use, split: str, repeat: int, n_threads: int
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the measures of each ranking; rankings with the same scores, to the bit, are evaluated once."""
    from mlsieve.evaluation.predictions import prepare_evaluation
    from mlsieve.evaluation.scoring import measured_predictions
    from mlsieve.measures import choose

    chosen = choose(use.measures, use.definition, hierarchical=dataset.hierarchy is not None)
    different = list({values.tobytes(): values for one in grown for values in one.scores.values()}.items())
    places = canonical_places(column_digests(dataset.X_train), 0)
    bundle = RankingBundle(
        tuple(
            Ranking(values, dataset.feature_names, search_order=best_first(values, places))
            for _, values in different
        )
    )
    evaluation = prepare_evaluation(
        dataset,
        bundle,
        evaluator=use.evaluator,
        settings=use.settings,
        facts={"split": split, "repeat": repeat},
    )
    by_scores: dict[bytes, Sequence[float]] = {}
    for one, values in measured_predictions(evaluation, chosen, n_threads):
        by_scores[different[one.ranking][0]] = values  # of several, the last uses the most features
    for each in grown:
        yield [
            (way, use.evaluator, measure.definition, measure.id, value)
            for way, scores in each.scores.items()
            for measure, value in zip(chosen, by_scores[scores.tobytes()], strict=True)
        ]
