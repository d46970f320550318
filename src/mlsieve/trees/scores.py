"""Importance scores of features, from an ensemble's statistics alone: no tree is grown or walked again.

Definitions: Petković, Džeroski, Kocev: Multi-label feature ranking with ensemble methods, Machine Learning
109, 2020, and Feature Ranking for Hierarchical Multi-Label Classification with Tree Ensemble Methods, Acta
Polytechnica Hungarica 17(10), 2020. Every score is a mean over trees, so a smaller ensemble is a prefix of a
larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from mlsieve.errors import UserError, did_you_mean
from mlsieve.registry import AtLeast, AtMost
from mlsieve.trees.clus_scores import piled_rises, variance_reductions
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.options import Definition

SCORES = ("symbolic", "genie3", "permutation")
Alpha = Annotated[float, AtLeast(1e-6), AtMost(1)]
Weighting = Literal["depth", "examples"]
# What each score can be told.
SETTINGS = {
    "symbolic": ("alpha", "weighting"),
    "genie3": ("definition",),
    "permutation": ("definition",),
}


def importances(
    ensemble: Ensemble,
    score: str,
    sizes: Sequence[int] | None = None,
    *,
    alpha: Alpha = 0.5,
    weighting: Weighting | None = None,
    definition: Definition = "paper",
) -> np.ndarray:
    """Importance of every feature for several ensemble sizes.

    Parameters
    ----------
    ensemble : Ensemble
    score : {"symbolic", "genie3", "permutation"}
        symbolic: sum of alpha ** depth over the nodes that test the feature (or of their share of the
        training examples); genie3: sum of h over them; permutation: (e_i - e) / e on each
        tree's out-of-bag examples, for the error by which the ensemble was grown.
    sizes : sequence of int, optional
        Numbers of trees, each <= ensemble.n_trees; default all trees.
    alpha : float
        In (0, 1]; symbolic score by depth only.
    weighting : {"depth", "examples"} or None
        What a node counts in the symbolic score: alpha ** depth (MLC paper) or e(N) / n_train (HMLC paper).
        None is "depth" for flat labels and "examples" with a hierarchy.
    definition : {"paper", "clus"}
        Genie3 and permutation score: the papers' formulas, or what CLUS computes
        (`mlsieve.trees.clus_scores`). Symbolic has one definition.

    Returns
    -------
    ndarray of float64, shape (len(sizes), F)
        symbolic and genie3 are >= 0; permutation may be negative.

    Raises
    ------
    UserError
        On an unknown score, a size beyond the ensemble, the permutation score of trees without out-of-bag
        examples, or statistics that the ensemble was grown without.
    """
    wanted = [ensemble.n_trees] if sizes is None else [int(size) for size in sizes]
    for size in wanted:
        if not 1 <= size <= ensemble.n_trees:
            raise UserError(
                f"the ensemble has {ensemble.n_trees} trees, not {size}",
                cure="grow more trees or ask for fewer",
            )
    require_definition(score, definition)
    scores = _scores(ensemble, score, wanted, alpha, weighting, definition)
    return _shared_by_copies(scores, ensemble.copy_of)


def _scores(
    ensemble: Ensemble,
    score: str,
    wanted: list[int],
    alpha: float,
    weighting: Weighting | None,
    definition: Definition,
) -> np.ndarray:
    if score == "permutation":
        return _permutation(ensemble, wanted, definition)
    if score == "genie3":
        node_weight = variance_reductions(ensemble) if definition == "clus" else ensemble.nodes["gain"]
    elif score == "symbolic":
        if (weighting or ("examples" if ensemble.hierarchical else "depth")) == "examples":
            node_weight = ensemble.nodes["weight"] / ensemble.facts["n_train"]
        else:
            node_weight = np.power(float(alpha), ensemble.nodes["depth"])
    else:
        raise UserError(f"unknown score '{score}'", cure=did_you_mean(score, SCORES))
    inner = ensemble.nodes["feature"] >= 0
    owner = np.where(inner, ensemble.nodes["feature"], 0)
    return _prefix_means(
        ensemble.tree_start,
        owner,
        np.where(inner, node_weight, 0.0),
        ensemble.n_features,
        wanted,
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
    sizes: list[int],
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


def require_definition(score: str, definition: str) -> None:
    """Raise a UserError if a definition other than the paper's is asked of a score that has no other."""
    if definition != "paper" and score in SETTINGS and "definition" not in SETTINGS[score]:
        raise UserError(
            f"definition={definition} is for the scores genie3 and permutation: {score} has one definition",
            cure="leave it out",
        )


def _permutation(ensemble: Ensemble, sizes: list[int], definition: Definition) -> np.ndarray:
    oob = ensemble.oob
    if oob is None:
        raise no_out_of_bag()
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


def no_out_of_bag() -> UserError:
    """Return the error of a permutation score asked of trees without out-of-bag examples."""
    return UserError(
        "the permutation score needs out-of-bag examples, and these trees are grown without a bootstrap"
        " (extra trees never have one, unless told to)",
        cure="use bagging or random-forest, or the score symbolic or genie3",
    )
