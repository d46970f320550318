"""Ensembles of predictive clustering trees as a feature ranker; `pct_estimator` has the estimator of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError, did_you_mean
from mlsieve.hierarchy import ClassWeights, Hierarchy
from mlsieve.registry import AtLeast, check_values, parameter_schemas, register
from mlsieve.targets import category_counts
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.growing import grow_ensemble
from mlsieve.trees.options import (
    DEFAULT_CLASS_WEIGHTS,
    DEFAULT_DECAY,
    ClassWeightDecay,
    Definition,
    EnsembleKind,
    GrowOptions,
    InvalidSetting,
    MaxFeatures,
    MinLeaf,
    OutOfBagError,
    Threshold,
    Ties,
)
from mlsieve.trees.scores import SCORES, Alpha, Weighting, importances, require_definition

Score = Literal["genie3", "symbolic", "permutation"]


@register.ranker(
    "pct",
    version=7,
    tasks=("mlc", "hmlc"),
    doi="10.1007/s10994-020-05908-1",
    smoke={"n_estimators": 5},
    not_configurable=("label_weights",),
    estimator="mlsieve.rankers.pct_estimator:PCTForestRanker",
)
def pct_importances(
    X: Any,
    Y: Any,
    *,
    ensemble: EnsembleKind = "random-forest",
    n_estimators: Annotated[int, AtLeast(1)] = 100,
    score: Score = "genie3",
    alpha: Alpha = 0.5,
    weighting: Weighting | None = None,
    definition: Definition = "paper",
    max_features: MaxFeatures = None,
    min_leaf: MinLeaf = 2.0,
    threshold: Threshold = "value",
    bootstrap: bool | None = None,
    class_weights: ClassWeights = DEFAULT_CLASS_WEIGHTS,
    class_weight_decay: ClassWeightDecay = DEFAULT_DECAY,
    out_of_bag_error: OutOfBagError | None = None,
    ties: Ties = "random",
    hierarchy: Any = None,
    nominal: Any = None,
    label_weights: Any = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> np.ndarray:
    """Feature ranking from an ensemble of predictive clustering trees.

    The commands ``grow`` and ``rank`` do the same in two steps (`mlsieve.trees.of_dataset`), so that one
    ensemble serves all scores and sizes.

    Parameters
    ----------
    X : ndarray of float64 (C-contiguous) or csr_array, shape (n, F)
        NaN is missing.
    Y : csr_array, shape (n, L)
        0/1 labels.
    ensemble, n_estimators, score, alpha, weighting, definition, max_features, min_leaf, threshold,
    bootstrap, class_weights, class_weight_decay, out_of_bag_error, ties, hierarchy, nominal, label_weights,
    random_state, n_jobs
        As for `mlsieve.rankers.PCTForestRanker`; random_state a seed, n_jobs at least 1.

    Returns
    -------
    ndarray of float64, shape (F,)
    """
    check_scoring(score, alpha, weighting, definition)
    return grow_and_score(
        X,
        Y,
        GrowOptions(
            ensemble,
            max_features,
            float(min_leaf),
            threshold,
            bootstrap,
            class_weights,
            class_weight_decay,
            out_of_bag_error,
            ties,
            definition=definition,
        ),
        n_trees=n_estimators,
        score=score,
        alpha=alpha,
        weighting=weighting,
        definition=definition,
        category_counts=category_counts(X, nominal, X.shape[1]),
        label_weights=label_weights,
        hierarchy=hierarchy,
        seed=random_state,
        n_threads=n_jobs,
    )[1]


def grow_and_score(
    X: Any,
    Y: sp.csr_array,
    options: GrowOptions,
    *,
    n_trees: int,
    score: str,
    alpha: float,
    weighting: Weighting | None,
    definition: Definition,
    category_counts: np.ndarray | None,
    label_weights: Any,
    hierarchy: Hierarchy | None,
    seed: int,
    n_threads: int,
) -> tuple[Ensemble, np.ndarray]:
    """Return a grown ensemble and the importances that one score reads from all its trees.

    Parameters
    ----------
    X, Y, options, n_trees, category_counts, label_weights, hierarchy, seed, n_threads
        See `mlsieve.trees.growing.grow_ensemble`.
    score, alpha, weighting, definition
        See `mlsieve.trees.scores.importances`.

    Returns
    -------
    ensemble : Ensemble
    scores : ndarray of float64, shape (F,)
    """
    grown = grow_ensemble(
        X,
        Y,
        n_trees=n_trees,
        options=options,
        category_counts=category_counts,
        label_weights=label_weights,
        hierarchy=hierarchy,
        permutation=score == "permutation",
        seed=seed,
        n_threads=n_threads,
    )
    scores = importances(grown, score, alpha=alpha, weighting=weighting, definition=definition)
    return grown, scores[0]


def check_scoring(score: str, alpha: float, weighting: str | None, definition: str) -> None:
    """Raise an InvalidSetting unless the score and its settings are known and in range."""
    if score not in SCORES:
        raise InvalidSetting(f"unknown score '{score}'", cure=did_you_mean(str(score), SCORES))
    try:
        settings = {"alpha": alpha, "weighting": weighting, "definition": definition}
        check_values(f"score '{score}'", parameter_schemas(importances), settings)
        require_definition(score, definition)
    except UserError as error:
        raise InvalidSetting(error.what, cure=error.cure) from None
