"""The distance of two label sets in a hierarchy of classes, as HMLC-Relief takes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.distances.largest import farthest_classes, farthest_label_sets, last_classes, longest_way
from mlsieve.errors import UserError
from mlsieve.hierarchy import ClassWeights, Hierarchy

LargestOf = Literal["sets", "pairs", "observed"]
Definition = Literal["paper", "clus"]


@dataclass(frozen=True)
class HierarchicalDistance:
    """Distance of two label sets that hold all classes above theirs: of the classes in which they differ.

    Attributes
    ----------
    weights : ndarray of float64, shape (C,)
        Weight of each class.
    divisor : float
        By which a distance is divided; 0: all label sets are at distance 0.
    rooted : bool
        Whether the root of the differing classes' weight is taken: the weighted Euclidean distance of the
        sets as 0/1 vectors.
    bounded : bool
        Whether no distance exceeds 1; what rounding puts above is cut off.
    """

    weights: np.ndarray
    divisor: float
    rooted: bool = True
    bounded: bool = True

    @property
    def most(self) -> float:
        """Where distances are cut off: 1, or infinity."""
        return 1.0 if self.bounded else math.inf


def hierarchical_distance(
    hierarchy: Hierarchy,
    Y: sp.csr_array,
    *,
    mu: LargestOf = "sets",
    definition: Definition = "paper",
    class_weights: ClassWeights = "mean",
    class_weight_decay: float = 0.75,
) -> HierarchicalDistance:
    """Return the distance of label sets that a ranking is made with.

    The paper's (Petković, Džeroski, Kocev: Feature Ranking for Hierarchical Multi-Label Classification with
    Tree Ensemble Methods, Acta Polytechnica Hungarica 17(10), 2020, Eq. 6) is ``mu * d`` with the weighted
    Euclidean distance d, ``d(S, S')^2 =`` weight of the classes in one of S and S' only, and mu = 1 / max d.

    Parameters
    ----------
    hierarchy : Hierarchy
    Y : csr_array, shape (n, C)
        Label sets of the training examples, closed upwards, without stored zeros.
    mu : {"sets", "pairs", "observed"}
        What the largest distance is taken over. "sets": all closed sets, the empty one included, hence the
        root of all classes' weight; a true bound. "pairs": pairs of classes, each with all above it, as in
        the paper's algorithm; examples of several classes can be further apart, at distances above 1.
        "observed": pairs of the training examples.
    definition : {"paper", "clus"}
        "clus" is what the program CLUS computes: no root, and divided by the largest such distance of two
        classes, each with all above it, that are some training example's most specific ones in CLUS's sense
        (`mlsieve.distances.largest.last_classes`). Examples of several classes can be at distances above 1.
        mu is not used.
    class_weights, class_weight_decay
        See `Hierarchy.weights`.

    Returns
    -------
    HierarchicalDistance
        With divisor 0 only if all label sets are equal.

    Raises
    ------
    UserError
        If the largest distance is 0 (with mu = "pairs" there is one class only, with definition = "clus" all
        examples have the same most specific class) although two label sets differ.
    """
    weights = hierarchy.weights(class_weights, class_weight_decay)
    if definition == "clus":
        ends = np.zeros(hierarchy.n_classes, bool)
        last = last_classes(hierarchy, Y)
        ends[last[last >= 0]] = True
        found = HierarchicalDistance(weights, _largest_of_classes(hierarchy, weights, ends), False, False)
        reason = "definition = clus: all examples have the same most specific class"
    elif mu == "sets":
        # One after another, as the kernel does: what it sums of some of them is then never more.
        divisor = float(np.cumsum(weights)[-1]) if len(weights) else 0.0
        return HierarchicalDistance(weights, math.sqrt(divisor))
    elif mu == "pairs":
        largest = _largest_of_classes(hierarchy, weights, np.ones(hierarchy.n_classes, bool))
        found = HierarchicalDistance(weights, math.sqrt(largest), True, False)
        reason = "mu = pairs: there are no two classes"
    else:
        return HierarchicalDistance(weights, math.sqrt(farthest_label_sets(hierarchy, weights, Y).difference))
    if found.divisor == 0.0 and farthest_label_sets(hierarchy, weights, Y).first >= 0:
        raise UserError(
            f"{reason}, so that distances have no scale", hint="take mu = sets, definition = paper"
        )
    return found


def _largest_of_classes(hierarchy: Hierarchy, weights: np.ndarray, among: np.ndarray) -> float:
    """Return by how much two of some classes differ at most, each with all above it; 0 for fewer than two."""
    if hierarchy.is_tree:
        return longest_way(hierarchy, weights, among)
    return farthest_classes(hierarchy, weights, among).difference
