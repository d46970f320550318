"""Importance scores of features, from an ensemble's statistics alone: no tree is grown or traversed again.

Definitions: Petković, Džeroski, Kocev: Multi-label feature ranking with ensemble methods, Machine Learning
109, 2020, and Feature Ranking for Hierarchical Multi-Label Classification with Tree Ensemble Methods, Acta
Polytechnica Hungarica 17(10), 2020. Every score is a mean over trees, so a smaller ensemble is a prefix of a
larger one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from mlsieve.errors import UserError, did_you_mean, number_of
from mlsieve.registry import AtLeast, AtMost, Score, check_values, parameter_schemas
from mlsieve.trees.clus_scores import piled_rises, variance_reductions
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.options import Definition

Alpha = Annotated[float, AtLeast(1e-6), AtMost(1)]
Weighting = Literal["depth", "examples"]


def symbolic(
    ensemble: Ensemble, sizes: Sequence[int], *, alpha: Alpha = 0.5, weighting: Weighting | None = None
) -> np.ndarray:
    """Symbolic score: alpha ** depth, or the share of the training examples, summed over a feature's nodes.

    Parameters
    ----------
    ensemble : Ensemble
    sizes : sequence of int
        Numbers of trees, each within 1 .. ensemble.n_trees.
    alpha : float
        In (0, 1]; read by the weighting "depth" only.
    weighting : {"depth", "examples"} or None
        What a node counts: alpha ** depth (MLC paper) or e(N) / n_train (HMLC paper). None is "depth" for
        flat labels and "examples" with a hierarchy.

    Returns
    -------
    ndarray of float64, shape (len(sizes), F)
        Not negative.
    """
    if (weighting or ("examples" if ensemble.hierarchical else "depth")) == "examples":
        return _sums_over_nodes(ensemble, sizes, ensemble.nodes["weight"] / ensemble.facts["n_train"])
    return _sums_over_nodes(ensemble, sizes, np.power(float(alpha), ensemble.nodes["depth"]))


def genie3(ensemble: Ensemble, sizes: Sequence[int], *, definition: Definition = "paper") -> np.ndarray:
    """Genie3 score: the reduction of impurity, summed over the nodes that test a feature.

    Parameters
    ----------
    ensemble, sizes
        As for `symbolic`.
    definition : {"paper", "clus"}
        The papers' formula, or what CLUS computes (`mlsieve.trees.clus_scores`).

    Returns
    -------
    ndarray of float64, shape (len(sizes), F)
        Not negative.
    """
    of_clus = definition == "clus"
    return _sums_over_nodes(
        ensemble, sizes, variance_reductions(ensemble) if of_clus else ensemble.nodes["gain"]
    )


def permutation(ensemble: Ensemble, sizes: Sequence[int], *, definition: Definition = "paper") -> np.ndarray:
    """Permutation score: (e_i - e) / e on each tree's out-of-bag examples, for the error the trees grew with.

    Parameters
    ----------
    ensemble, sizes, definition
        As for `genie3`.

    Returns
    -------
    ndarray of float64, shape (len(sizes), F)
        May be negative.

    Raises
    ------
    UserError
        If the trees have no out-of-bag examples, or were grown without the statistics of this score.
    """
    oob = ensemble.oob
    if oob is None:
        raise no_out_of_bag(bootstrap=bool(ensemble.facts.get("bootstrap")))
    if definition == "clus":
        start, feature, rise = piled_rises(ensemble)
        counted = np.cumsum(oob["n_oob" if "wrong" in oob else "n_positive"] > 0)
        return _prefix_means(start, feature, rise, ensemble.n_features, sizes, counted)
    tree = np.repeat(np.arange(ensemble.n_trees), np.diff(oob["start"]))
    # Counts of wrong cells share the divisor L * n_oob. Where e = 0, the rise is measured in wrong cells.
    if "wrong" in oob:
        error, one_cell, measured = oob["wrong"], np.ones(ensemble.n_trees), oob["n_oob"] > 0
    else:
        error, measured = oob["error"], oob["n_positive"] > 0
        one_cell = 1.0 / np.maximum(oob["n_oob"] * ensemble.facts["n_labels"], 1)
    rise = (oob["permuted"] - error[tree]) / np.where(error > 0, error, one_cell)[tree]
    rise[~measured[tree]] = 0.0
    return _prefix_means(oob["start"], oob["feature"], rise, ensemble.n_features, sizes, np.cumsum(measured))


SCORES = {
    "symbolic": Score(symbolic),
    "genie3": Score(genie3),
    "permutation": Score(permutation, out_of_bag=True),
}


def importances(
    ensemble: Ensemble,
    score: str,
    sizes: Sequence[int] | None = None,
    *,
    scores: Mapping[str, Score] = SCORES,
    **settings: Any,
) -> np.ndarray:
    """Importance of every feature for several ensemble sizes; equal columns share their score.

    Parameters
    ----------
    ensemble : Ensemble
    score : str
        A key of `scores`.
    sizes : sequence of int, optional
        Numbers of trees, each <= ensemble.n_trees; default all trees.
    scores : mapping of str to Score
        Those that the trees' ranker has; default "symbolic", "genie3" and "permutation".
    **settings
        Parameters of the score, see `symbolic`, `genie3` and `permutation`.

    Returns
    -------
    ndarray of float64, shape (len(sizes), F)

    Raises
    ------
    UserError
        On an unknown score or setting, a size beyond the ensemble, or statistics that the ensemble was grown
        without.
    """
    wanted = [ensemble.n_trees] if sizes is None else [int(size) for size in sizes]
    for size in wanted:
        if not 1 <= size <= ensemble.n_trees:
            raise UserError(
                f"the ensemble has {number_of(ensemble.n_trees, 'tree')}, not {size}",
                hint=f"ask for 1 to {ensemble.n_trees}" + (", or grow more" if size > 0 else ""),
            )
    own = checked_settings(scores, score, settings)
    return _shared_by_copies(scores[score].read(ensemble, wanted, **own), ensemble.copy_of)


def checked_settings(scores: Mapping[str, Score], score: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a score reads.

    A study gives one definition for all its scores: the paper's is left out where a score has no other.

    Parameters
    ----------
    scores : mapping of str to Score
        Those that a ranker has.
    score : str
    settings : mapping

    Raises
    ------
    UserError
        On an unknown score, a setting that it does not have, or a value out of range.
    """
    if score not in scores:
        raise UserError(f"unknown score '{score}'", hint=did_you_mean(str(score), list(scores)))
    having = {name: parameter_schemas(each.read) for name, each in scores.items()}
    known = {name for parameters in having.values() for name in parameters}
    for name in known & settings.keys() - having[score].keys():
        if (name, settings[name]) == ("definition", "paper"):
            continue
        others = [of for of, parameters in having.items() if name in parameters]
        raise UserError(
            f"'{name}' is a setting of the score{'s' * (len(others) > 1)} {' and '.join(others)},"
            f" not of {score}",
            hint="leave it out",
        )
    own = {name: value for name, value in settings.items() if name not in known or name in having[score]}
    return check_values(f"score '{score}'", having[score], own)


def _sums_over_nodes(ensemble: Ensemble, sizes: Sequence[int], node_weight: np.ndarray) -> np.ndarray:
    """Sum a weight over the nodes that test each feature, as a mean over the first trees."""
    inner = ensemble.nodes["feature"] >= 0
    return _prefix_means(
        ensemble.tree_start,
        np.where(inner, ensemble.nodes["feature"], 0),
        np.where(inner, node_weight, 0.0),
        ensemble.n_features,
        sizes,
        np.arange(1, ensemble.n_trees + 1),
    )


def _shared_by_copies(scores: np.ndarray, copy_of: np.ndarray) -> np.ndarray:
    """Give equal columns the mean of their scores: draws decided which of them a node tested."""
    size = np.bincount(copy_of, minlength=len(copy_of))
    shared = np.flatnonzero(size[copy_of] > 1)
    if len(shared):
        group = copy_of[shared]
        for row in scores:
            row[shared] = (np.bincount(group, row[shared], len(copy_of)) / np.maximum(size, 1))[group]
    return scores


def _prefix_means(
    start: np.ndarray,
    feature: np.ndarray,
    weight: np.ndarray,
    n_features: int,
    sizes: Sequence[int],
    divisor: np.ndarray,
) -> np.ndarray:
    """Sum weights per feature over the first trees; divisor[t - 1] belongs to t trees."""
    out = np.zeros((len(sizes), n_features))
    total, done = np.zeros(n_features), 0
    for size in sorted(set(sizes)):
        for tree in range(
            done, size
        ):  # tree by tree, so that a score does not depend on the other sizes asked for
            part = slice(start[tree], start[tree + 1])
            total += np.bincount(feature[part], weights=weight[part], minlength=n_features)
        done = size
        for row in (row for row, asked in enumerate(sizes) if asked == size):
            out[row] = total / max(int(divisor[size - 1]), 1)
    return out


def no_out_of_bag(bootstrap: bool = False) -> UserError:
    """Return the error of a permutation score asked of trees without its statistics.

    Parameters
    ----------
    bootstrap : bool
        Whether the trees have out-of-bag examples, on which the statistics were not gathered.
    """
    if bootstrap:
        return UserError(
            "the trees were grown without the statistics of the permutation score",
            hint="grow them again with --scores permutation",
        )
    return UserError(
        "the permutation score needs out-of-bag examples, and these trees are grown without a bootstrap"
        " (extra trees have none by default)",
        hint="use bagging or random-forest, or the score symbolic or genie3",
    )
