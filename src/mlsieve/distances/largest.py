"""By how much two sets of classes can differ: what HMLC-Relief's target distance is divided by.

Sets are closed: with a class they hold all classes above it. The difference of two is the weight of the
classes that one of them holds and the other does not.
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mlsieve._kernels.neighbors import farthest_sets
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


def farthest_classes(
    hierarchy: Hierarchy, weights: np.ndarray, among: np.ndarray | None = None
) -> FarthestPair:
    """Find two classes that differ most, each together with all classes above it.

    Exact, in trees and in graphs, without going through all pairs; docs/hierarchical_relief.md has the
    argument. A difference that is larger by less than 1e-13 of a set's weight may be missed.

    Parameters
    ----------
    hierarchy : Hierarchy
    weights : ndarray of float64, shape (C,)
        At least 0.
    among : ndarray of bool, shape (C,), optional
        Which classes a pair may be made of; default all.

    Returns
    -------
    FarthestPair
        Positions are classes.
    """
    among = np.ones(hierarchy.n_classes, bool) if among is None else np.asarray(among, bool)
    return _farthest_pair(hierarchy, weights, hierarchy.ancestors, among.astype(np.uint8))


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
    total = np.asarray(sets.astype(np.float64) @ weights)
    parent, extra_start, extra, alike = _tree(hierarchy, weights, sets, total, candidate)
    n_nodes = len(parent)
    shared = n_nodes - n_sets  # nodes that are no sets
    candidate = np.concatenate([candidate, np.zeros(shared, np.uint8)])
    total = np.concatenate([total, np.zeros(shared)])
    heaviest = np.where(candidate, total, -np.inf)
    # Each node after its parent: shared nodes lie between classes, and what hangs on them is among these.
    for node in _bottom_up(hierarchy, parent, n_sets):
        if parent[node] >= 0:
            heaviest[parent[node]] = max(heaviest[parent[node]], heaviest[node])
    above = np.where(parent < 0, n_nodes, parent)
    children = np.lexsort((-heaviest, above)).astype(np.int32)
    start = np.searchsorted(above[children], np.arange(n_nodes + 2)).astype(np.int64)
    searching = np.flatnonzero(candidate & ~alike)
    first, second, n_visited = farthest_sets.farthest_pair(
        start,
        children,
        extra_start,
        extra,
        sets.indptr.astype(np.int64),
        sets.indices.astype(np.int32),
        weights,
        total,
        heaviest,
        candidate,
        searching[np.argsort(-total[searching], kind="stable")].astype(np.int32),
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


def _tree(
    hierarchy: Hierarchy, weights: np.ndarray, sets: sp.csr_array, total: np.ndarray, candidate: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Hang each set on one that it holds: a class on the heaviest parent, a label set on the heaviest class.

    Classes with the same parents hang on a node that they share, after the sets, which holds what these
    parents do.

    Returns
    -------
    parent : of each node, -1 at the top
    extra_start, extra : what each node holds beyond its parent, as CSR
    alike : of each node, whether it is a candidate class without children that differs from no candidate more
        than another one does, which has the same parents
    """
    n_classes, n_sets = hierarchy.n_classes, sets.shape[0]
    above = [hierarchy.parents(c) for c in range(n_classes)]
    above += np.split(sets.indices, sets.indptr[1:-1])[n_classes:]
    parent = [int(held[np.argmax(total[held])]) if len(held) else -1 for held in above]
    places = np.array(parent, np.int64)
    nothing = sp.csr_array((1, n_classes), dtype=np.int8)
    held = sp.vstack([sp.csr_array(sets, dtype=np.int8), nothing], format="csr")
    beyond = sp.csr_array(held[:-1] - held[np.where(places < 0, n_sets, places)])
    beyond.eliminate_zeros()
    extras = np.split(beyond.indices.astype(np.int32), beyond.indptr[1:-1])

    families: dict[bytes, list[int]] = {}
    for c in range(n_classes):
        families.setdefault(np.asarray(above[c], np.int32).tobytes(), []).append(c)
    has_children = np.zeros(n_classes, bool)
    has_children[hierarchy.parent_index] = True
    alike = [False] * n_sets
    for family in families.values():
        childless = [c for c in family if candidate[c] and not has_children[c]]
        heaviest = max(childless, key=lambda c: weights[c], default=-1)
        for c in childless:
            alike[c] = c != heaviest
        if len(family) > 1 and len(above[family[0]]) > 1:
            extras.append(np.setdiff1d(extras[family[0]], family[:1]).astype(np.int32))
            parent.append(parent[family[0]])
            for c in family:
                parent[c], extras[c] = len(parent) - 1, np.array([c], np.int32)
    alike += [True] * (len(parent) - n_sets)
    start = np.cumsum([0, *map(len, extras)], dtype=np.int64)
    return np.array(parent, np.int64), start, np.concatenate(extras), np.array(alike)


def _bottom_up(hierarchy: Hierarchy, parent: np.ndarray, n_sets: int) -> list[int]:
    """Return the nodes of `_tree`, each before the one that it hangs on."""
    order = list(range(hierarchy.n_classes, n_sets))
    placed = np.zeros(len(parent), bool)
    top_down: list[int] = []
    for c in hierarchy.topological_order.tolist():
        on = int(parent[c])
        if on >= n_sets and not placed[on]:
            placed[on] = True
            top_down.append(on)
        top_down.append(c)
    return order + top_down[::-1]


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
    """Return the class of each example that CLUS takes for its most specific one.

    In a tree, the last of the example's classes in depth-first order. In a graph, the end of a path that
    begins at the example's first class in depth-first order and continues with the first child that the
    example has, until there is none.

    Parameters
    ----------
    hierarchy : Hierarchy
        Children are visited in the order of their ids, as whole numbers where two are ones, else as text: of
        a tree, their own parts of the names (``03`` of ``01/03``), of a graph the whole names.
    Y : csr_array, shape (n, C)
        Without stored zeros; closed upwards.

    Returns
    -------
    ndarray of int64, shape (n,)
        -1 for an example without a class.
    """
    children = _sorted_children(hierarchy)
    visit = _visits(children)
    labels = np.split(Y.indices, Y.indptr[1:-1])
    if hierarchy.is_tree:
        return np.array([max(own, key=visit.__getitem__, default=-1) for own in labels], np.int64)
    last = np.full(Y.shape[0], -1, np.int64)
    for example, own in enumerate(labels):
        held = set(own.tolist())
        at = min(held, key=visit.__getitem__, default=-1)
        while at >= 0:
            last[example] = at
            at = next((child for child in children[at] if child in held), -1)
    return last


def _sorted_children(hierarchy: Hierarchy) -> list[list[int]]:
    """Return each class's children in the order of their ids; last, the top-level classes."""
    names = hierarchy.names
    own = [name.rsplit("/", 1)[-1] for name in names] if hierarchy.is_tree else list(names)
    key = cmp_to_key(_compare_ids)
    tops = np.flatnonzero(np.diff(hierarchy.parent_start) == 0)
    below = [*map(hierarchy.children, range(hierarchy.n_classes)), tops]
    return [sorted(classes.tolist(), key=lambda c: key(own[c])) for classes in below]


def _visits(children: list[list[int]]) -> list[int]:
    """Return each class's number in depth-first order, at its first visit."""
    visit = [-1] * (len(children) - 1)
    waiting, n_visited = children[-1][::-1], 0
    while waiting:
        c = waiting.pop()
        if visit[c] < 0:
            visit[c], n_visited = n_visited, n_visited + 1
            waiting += children[c][::-1]
    return visit


def _compare_ids(one: str, other: str) -> int:
    if one == other:
        return 0
    if one.isdecimal() and other.isdecimal():
        return 1 if int(one) > int(other) else -1
    return 1 if one > other else -1
