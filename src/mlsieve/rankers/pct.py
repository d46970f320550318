"""Ensembles of predictive clustering trees as a feature ranker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlsieve.registry import register
from mlsieve.trees.ensemble import Ensemble
from mlsieve.trees.growing import grow_ensemble
from mlsieve.trees.options import GrowOptions
from mlsieve.trees.scores import SCORES


@register.ranker(
    "pct",
    version=7,
    tasks=("mlc", "hmlc"),
    doi="10.1007/s10994-020-05908-1",
    smoke={"n_estimators": 5},
    estimator="mlsieve.rankers:PCTForestRanker",
    scores=SCORES,
)
@dataclass(frozen=True)
class PredictiveClusteringTrees(GrowOptions):
    """Feature ranking from an ensemble of predictive clustering trees.

    One ensemble serves all scores and sizes: the command ``grow`` keeps it, ``rank`` reads its scores.

    Parameters
    ----------
    ensemble : {"bagging", "random-forest", "extra-trees"}
        Bagging: bootstrap, all features. Random forest: bootstrap, ceil(sqrt(F)) features a node. Extra
        trees: no bootstrap, all features, one random test a feature (Petković, Džeroski, Kocev, Machine
        Learning 2020).
    max_features : int, float, "sqrt", "log2", "all" or None
        Features tried in a node: a count, a share, or a rule (ceil(sqrt(F)), ceil(log2(F)), F); None is the
        ensemble's own.
    min_leaf : float
        Least weight of a child's examples (bootstrap multiplicities count), >= 1.
    threshold : {"value", "midpoint"}
        Numeric tests compare with the largest value on the "no" side (CLUS) or with the mid-point.
    bootstrap : bool or None
        None is the ensemble's own.
    class_weights : {"mean", "sum", "min", "max"}
        Classes of a hierarchy only: what of several parents' weights a class's weight is made of (see
        `mlsieve.hierarchy.Hierarchy.weights`).
    class_weight_decay : float
        Classes of a hierarchy only: by how much a class weighs less than its parents, in (0, 1].
    ties : {"random", "first"}
        Which of several features wins whose best tests gain equally: one at random, so that the order of the
        columns decides nothing, or the first (CLUS).
    out_of_bag_error : {"hamming-loss", "pooled-auprc"} or None
        The error of the permutation score: the share of wrong label cells, or 1 - the area under the pooled
        precision-recall curve. None is "hamming-loss" for flat labels (Petković, Džeroski, Kocev, Machine
        Learning 2020) and "pooled-auprc" with a hierarchy (the same authors, Acta Polytechnica Hungarica
        17(10), 2020).
    definition : {"paper", "clus"}
        What Genie3 and the permutation score are: the papers' formulas, or what CLUS computes (see
        `mlsieve.trees.clus_scores`). With "clus", trees with a bootstrap also gather the statistics of CLUS's
        permutation score; the trees are the same.
    n_estimators : int
        Number of trees.
    score : {"symbolic", "genie3", "permutation"}
        How features are scored, see `mlsieve.trees.scores`; "permutation" needs trees with a bootstrap.
    alpha : float
        Base of the symbolic score, in (0, 1].
    weighting : {"depth", "examples"} or None
        What a node counts in the symbolic score: alpha ** depth, or its share of the training examples. None
        is "depth" for flat labels and "examples" with a hierarchy.

    References
    ----------
    Petković, Džeroski, Kocev: Multi-label feature ranking with ensemble methods, Machine Learning 109, 2020.

    Petković, Džeroski, Kocev: Feature Ranking for Hierarchical Multi-Label Classification with Tree Ensemble
    Methods, Acta Polytechnica Hungarica 17(10), 2020.
    """

    def grow(self, X: Any, y: Any, *, out_of_bag: bool, **growing: Any) -> Ensemble:
        """Grow an ensemble; arguments as of `mlsieve.trees.growing.grow_ensemble`.

        Parameters
        ----------
        X, y
            The data.
        out_of_bag : bool
            Whether the statistics of the permutation score are gathered.
        **growing
            n_trees, category_counts, label_weights, hierarchy, seed, n_threads, progress and clock.
        """
        return grow_ensemble(X, y, options=self, permutation=out_of_bag, **growing)
