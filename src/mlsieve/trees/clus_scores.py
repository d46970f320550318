"""Genie3 and the permutation score as CLUS computes them: other quantities than the papers' formulas.

Read off CLUS's classes ClusEnsembleFeatureRanking, ClassificationStat and RegressionStatBinaryNomiss, and
checked against the numbers that it prints (docs/methods.md, "Differences from CLUS").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mlsieve._kernels.trees.walk.node_variance import node_variances
from mlsieve.errors import UserError

if TYPE_CHECKING:
    from mlsieve.trees.ensemble import Ensemble


def variance_reductions(ensemble: Ensemble) -> np.ndarray:
    """Return what each node adds to CLUS's Genie3 score: its labels' variance less that of its children.

    For flat labels (2 / L) sum_j n Var(y_j), which is n times the mean Gini index, without the variances of
    the training set by which the trees were grown; in a hierarchy (1 / L) sum_c w_c n Var(y_c). Examples
    whose tested value is missing count in the node, and in both children by their shares.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    ndarray of float64, shape (nodes,)
        At least 0; 0 at leaves.

    Raises
    ------
    UserError
        If the labels have weights that the ensemble does not hold: it was grown by an older version.
    """
    n_labels = ensemble.facts["n_labels"]
    if ensemble.hierarchical and ensemble.label_weight is None:
        raise UserError(
            "the ensemble does not hold its classes' weights, which definition=clus needs",
            hint="grow it again: it was grown by an older version",
        )
    weight = np.ones(n_labels) if ensemble.label_weight is None else ensemble.label_weight
    nodes = ensemble.nodes
    of_node = node_variances(
        ensemble.tree_start,
        *(nodes[name] for name in ("feature", "yes", "no", "weight")),
        ensemble.leaf_start,
        ensemble.leaf_label,
        ensemble.leaf_count,
        np.ascontiguousarray(weight, dtype=np.float64),
    )
    inner = np.flatnonzero(nodes["feature"] >= 0)
    first = np.repeat(ensemble.tree_start[:-1], np.diff(ensemble.tree_start))[inner]
    below = of_node[first + nodes["yes"][inner]] + of_node[first + nodes["no"][inner]]
    reductions = np.zeros(len(of_node))
    scale = (1.0 if ensemble.hierarchical else 2.0) / n_labels
    reductions[inner] = scale * np.maximum(of_node[inner] - below, 0.0)
    return reductions


def piled_rises(ensemble: Ensemble) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what each tree adds to CLUS's permutation score, with the permutations of a tree piled up.

    For the Hamming loss (e_i - e) / e, where e_i is the error after permuting feature i and all features
    before it in the tree; 0 if both are 0, and measured in wrong cells if e alone is. For the pooled area A
    under the precision-recall curve, (A - A_i) / A: CLUS divides by the area, the hierarchical paper by
    1 - A. Trees without out-of-bag examples (for the area, without a label among them) add nothing.

    The features come in CLUS's order: from the root in depth-first order, the branch "no" first. It depends
    on the tree alone, not on the order of the columns.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    start : ndarray of int64, shape (T + 1,)
        First entry of each tree.
    feature : ndarray of int32
        Features that a tree tests.
    rise : ndarray of float64
        What each of them adds.

    Raises
    ------
    UserError
        If the ensemble was grown without these statistics.
    """
    oob = ensemble.oob or {}
    if "piled" not in oob:
        raise UserError(
            "the ensemble was grown without the statistics of CLUS's permutation score",
            hint="grow it with --set definition=clus",
        )
    trees = np.repeat(np.arange(ensemble.n_trees), np.diff(oob["piled_start"]))
    if "wrong" in oob:
        error, measured = oob["wrong"], oob["n_oob"] > 0
        divisor = np.where(error > 0, error, 1)
    else:
        error, measured = oob["error"], oob["n_positive"] > 0
        divisor = np.where(error < 1, 1.0 - error, 1.0)
    rise = (oob["piled"] - error[trees]) / divisor[trees]
    rise[~measured[trees]] = 0.0
    return oob["piled_start"], oob["piled_feature"], rise
