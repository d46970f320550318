"""By how much two sets of classes can differ: what HMLC-Relief's target distance is divided by.

Sets are closed: with a class they hold all classes above it. The difference of two is the weight of the
classes that one of them holds and the other does not.
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels import _farthest
from mlsieve.hierarchy import Hierarchy

# Of a set's weight: well above the rounding of a sum of thousands of weights, below what anybody looks at.
_PRECISION = 1e-13


class FarthestPair(NamedTuple):
    """Two sets that differ most.

    Attributes
    ----------
    difference : float
        Weight of the classes in which they differ; 0 if all sets are equal.
    first, second : int
        Their positions, -1 if all sets are equal.
    n_visited : int
        Number of sets that the search looked at: its cost, as the square of the number of sets is that of
        going through all pairs.
    """

    difference: float
    first: int
    second: int
    n_visited: int


def farthest_classes(hierarchy: Hierarchy, weights: np.ndarray) -> FarthestPair:
    """Find two classes that differ most, each together with all classes above it.

    Exact, in trees and in graphs, without going through all pairs; docs/hierarchical_relief.md has the
    argument. A difference that is larger by less than 1e-13 of a set's weight may be missed.

    Parameters
    ----------
    hierarchy : Hierarchy
    weights : ndarray of float64, shape (C,)
        At least 0.

    Returns
    -------
    FarthestPair
        Positions are classes.
    """
    closures = hierarchy.ancestors
    return _farthest_pair(hierarchy, weights, closures, np.ones(hierarchy.n_classes, np.uint8))


def farthest_label_sets(hierarchy: Hierarchy, weights: np.ndarray, Y: sp.csr_array) -> FarthestPair:
    """Find two examples whose label sets differ most.

    Parameters
    ----------
    hierarchy, weights
        As for `farthest_classes`.
    Y : csr_array, shape (n, C)
        Not zero where an example belongs to a class, without stored zeros; closed upwards.

    Returns
    -------
    FarthestPair
        Positions are rows of Y, the first of those with equal sets.
    """
    rows = _distinct_rows(Y)
    sets = sp.csr_array((np.ones(Y.nnz, np.uint8), Y.indices, Y.indptr), shape=Y.shape)[rows]
    sets.sort_indices()
    nodes = sp.csr_array(sp.vstack([hierarchy.ancestors, sets], format="csr"))
    candidate = np.repeat(np.array([0, 1], np.uint8), [hierarchy.n_classes, len(rows)])
    found = _farthest_pair(hierarchy, weights, nodes, candidate)
    if found.first < 0:
        return found
    first, second = sorted(int(rows[node - hierarchy.n_classes]) for node in (found.first, found.second))
    return found._replace(first=first, second=second)


def _distinct_rows(Y: sp.csr_array) -> np.ndarray:
    """Return the first row of each different label set, in their order."""
    first: dict[bytes, int] = {}
    for row, (start, end) in enumerate(zip(Y.indptr[:-1].tolist(), Y.indptr[1:].tolist(), strict=True)):
        first.setdefault(np.sort(Y.indices[start:end]).tobytes(), row)
    return np.fromiter(first.values(), np.int64, len(first))


def _farthest_pair(
    hierarchy: Hierarchy, weights: np.ndarray, sets: sp.csr_array, candidate: np.ndarray
) -> FarthestPair:
    """Find two candidates that differ most; the first C sets are the closures of the classes."""
    n_classes, n_sets = hierarchy.n_classes, sets.shape[0]
    weights = np.ascontiguousarray(weights, np.float64)
    ones = sp.csr_array((np.ones(sets.nnz, np.int8), sets.indices, sets.indptr), shape=sets.shape)
    total = np.asarray(ones @ weights, np.float64)
    # The tree: a class hangs on the heaviest of its parents, a label set on the heaviest of its classes.
    parent = np.full(n_sets, n_sets, np.int64)
    above = sp.csr_array(
        (
            np.concatenate([np.ones(hierarchy.n_edges), np.ones(sets.nnz - sets.indptr[n_classes])]),
            np.concatenate([hierarchy.parent_index, sets.indices[sets.indptr[n_classes] :]]),
            np.concatenate(
                [
                    hierarchy.parent_start,
                    hierarchy.n_edges
                    + sets.indptr[n_classes + 1 :].astype(np.int64)
                    - sets.indptr[n_classes],
                ]
            ),
        ),
        shape=(n_sets, n_classes),
    )
    child = np.repeat(np.arange(n_sets), np.diff(above.indptr))
    by_weight = np.lexsort((above.indices, -total[above.indices], child))
    hanging, place = np.unique(child[by_weight], return_index=True)
    parent[hanging] = above.indices[by_weight][place]
    held = sp.vstack([ones, sp.csr_array((1, n_classes), dtype=np.int8)], format="csr")[parent]
    extra = sp.csr_array(ones - held)
    extra.eliminate_zeros()
    heaviest = np.where(candidate, total, -np.inf)
    order = np.concatenate([hierarchy.topological_order, np.arange(n_classes, n_sets)])
    for node, up in zip(order[::-1].tolist(), parent[order[::-1]].tolist(), strict=True):
        if up < n_sets:
            heaviest[up] = max(heaviest[up], heaviest[node])
    children = np.lexsort((-heaviest, parent)).astype(np.int32)
    start = np.searchsorted(parent[children], np.arange(n_sets + 2)).astype(np.int64)
    candidates = np.flatnonzero(candidate)
    first, second, n_visited = _farthest.farthest_pair(
        start,
        children,
        extra.indptr.astype(np.int64),
        extra.indices.astype(np.int32),
        sets.indptr.astype(np.int64),
        sets.indices.astype(np.int32),
        weights,
        total,
        heaviest,
        candidate,
        candidates[np.argsort(-total[candidates], kind="stable")].astype(np.int32),
        _PRECISION,
    )
    if first < 0:
        return FarthestPair(0.0, -1, -1, n_visited)
    differing = np.zeros(n_classes, bool)
    for node in (first, second):
        differing[sets.indices[sets.indptr[node] : sets.indptr[node + 1]]] ^= True
    # One after another in the classes' order, as the kernel of Relief does.
    difference = float(np.cumsum(weights[differing])[-1])
    return FarthestPair(difference, int(first), int(second), n_visited)


def longest_way(hierarchy: Hierarchy, weights: np.ndarray, ends: np.ndarray) -> float:
    """Return by how much two classes of a tree differ at most, each together with all above it.

    The classes in which two differ are those on the way between them, without the last one that is above
    both: the heaviest way that bends at each class is found from the bottom up, in time linear in C.

    Parameters
    ----------
    hierarchy : Hierarchy
        A tree.
    weights : ndarray of float64, shape (C,)
        At least 0.
    ends : ndarray of bool, shape (C,)
        Which classes a way may begin and end at.

    Returns
    -------
    float
        0 if there are not two of them.

    Raises
    ------
    ValueError
        If the hierarchy is not a tree.
    """
    if not hierarchy.is_tree:
        raise ValueError("the hierarchy is not a tree")
    n = hierarchy.n_classes
    # The two heaviest ways down from each class, itself left out; those of the root come last.
    heaviest, second = [-np.inf] * (n + 1), [-np.inf] * (n + 1)
    weight, is_end = np.asarray(weights, np.float64).tolist(), np.asarray(ends, bool).tolist()
    best = 0.0
    for c in [*hierarchy.topological_order[::-1].tolist(), n]:
        if c < n and is_end[c]:
            heaviest[c], second[c] = _two_largest(heaviest[c], second[c], 0.0)
        best = max(best, heaviest[c] + second[c])
        if c < n:
            above = hierarchy.parents(c)
            up = int(above[0]) if len(above) else n
            heaviest[up], second[up] = _two_largest(heaviest[up], second[up], weight[c] + heaviest[c])
    return best


def _two_largest(first: float, second: float, other: float) -> tuple[float, float]:
    """Return the two largest of three numbers; the first two are in order."""
    return (other, first) if other > first else (first, max(second, other))


def last_classes(hierarchy: Hierarchy, Y: sp.csr_array) -> np.ndarray:
    """Return each example's last class in depth-first order, as CLUS finds it.

    Parameters
    ----------
    hierarchy : Hierarchy
        A tree. Children are visited in the order of their own parts of the names (``03`` of ``01/03``), as
        whole numbers where two are ones, else as text.
    Y : csr_array, shape (n, C)
        Without stored zeros.

    Returns
    -------
    ndarray of int64, shape (n,)
        -1 for an example without a class.
    """
    own = [name.rsplit("/", 1)[-1] for name in hierarchy.names]
    key = cmp_to_key(_compare_ids)
    tops = np.flatnonzero(np.diff(hierarchy.parent_start) == 0)

    def backwards(classes: np.ndarray) -> list[int]:
        return sorted(classes.tolist(), key=lambda c: key(own[c]), reverse=True)

    visit = np.full(hierarchy.n_classes, -1, np.int64)
    waiting, n_visited = backwards(tops), 0
    while waiting:
        c = waiting.pop()
        visit[c], n_visited = n_visited, n_visited + 1
        waiting += backwards(hierarchy.children(c))
    last = np.full(Y.shape[0], -1, np.int64)
    np.maximum.at(last, np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr)), visit[Y.indices])
    return np.where(last >= 0, np.argsort(visit)[last], -1)


def _compare_ids(one: str, other: str) -> int:
    if one == other:
        return 0
    if one.isdecimal() and other.isdecimal():
        return 1 if int(one) > int(other) else -1
    return 1 if one > other else -1
