"""A hierarchy of classes: a tree or a directed acyclic graph; a class implies all classes above it."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError, number_of

__all__ = ["Hierarchy"]

MOST_LEVELS = 200
MOST_PAIRS = 20_000_000
ClassWeights = Literal["mean", "sum", "min", "max"]
_COMBINE = {"mean": np.add, "sum": np.add, "min": np.minimum, "max": np.maximum}


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Classes 0 .. C - 1 and the classes directly above each; the common root is not a class.

    Attributes
    ----------
    names : tuple of C str
        All different. In the order of the columns of a label matrix.
    parent_start : ndarray of int64, shape (C + 1,)
    parent_index : ndarray of int32, shape (edges,)
        ``parent_index[parent_start[c]:parent_start[c + 1]]`` are the rising indices of the classes directly
        above class c; none for a top-level class.

    Raises
    ------
    UserError
        If a class is named twice, or is above itself.
    ValueError
        If the arrays do not fit.
    """

    names: tuple[str, ...]
    parent_start: np.ndarray
    parent_index: np.ndarray

    def __post_init__(self) -> None:
        start, index = self.parent_start, self.parent_index
        n = len(self.names)
        if start.dtype.kind != "i" or index.dtype.kind != "i" or index.ndim != 1:
            raise ValueError("parent_start and parent_index are not lists of whole numbers")
        if start.shape != (n + 1,) or start[0] != 0 or start[-1] != len(index) or (np.diff(start) < 0).any():
            raise ValueError(
                f"parent_start does not fit {number_of(n, 'class')} with {number_of(len(index), 'edge')}"
            )
        if len(index) and not (0 <= index.min() and index.max() < n):
            raise ValueError(f"parent_index is not within 0 .. {n - 1}")
        if len(set(self.names)) < n:
            twice = next(name for name, times in Counter(self.names).items() if times > 1)
            raise UserError(f"class '{twice}' is listed twice in the hierarchy", hint="name each class once")
        _ = self.topological_order  # raises on a cycle

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.parent_start, other.parent_start)
            and np.array_equal(self.parent_index, other.parent_index)
        )

    __hash__ = None  # type: ignore[assignment]

    # Making one

    @classmethod
    def from_parents(cls, parents: Mapping[str, Iterable[str]]) -> Hierarchy:
        """Return the hierarchy of classes, in the mapping's order, with the names of those above each.

        Raises
        ------
        UserError
            If a class is above itself, or a parent is no class.
        ValueError
            If a class's parents are a text instead of several.
        """
        place = {name: position for position, name in enumerate(parents)}
        rows = []
        for name, given in parents.items():
            if isinstance(given, str):
                raise ValueError(f"the parents of '{name}' are a text: give a list of names")
            above = list(given)
            unknown = next((parent for parent in above if parent not in place), None)
            if unknown is not None:
                raise UserError(f"class '{unknown}', above '{name}', is not declared", hint="declare it")
            rows.append(sorted({place[parent] for parent in above}))
        start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(tuple(parents), start, np.array([p for row in rows for p in row], np.int32))

    @classmethod
    def from_edges(
        cls, edges: Iterable[tuple[str, str]], classes: Iterable[str] = (), *, root: str | None = None
    ) -> Hierarchy:
        """Return the hierarchy of (parent, child) pairs.

        Parameters
        ----------
        edges : iterable of (str, str)
            An edge that is listed twice counts once.
        classes : iterable of str
            Classes that come first, in this order, whether an edge names them or not; the others follow in
            the order of their first edge.
        root : str, optional
            Name of the common root, which is not a class: what is below it is top-level. No edge may
            lead to it.

        Raises
        ------
        UserError
            If a class, or the root, is below itself.
        """
        parents: dict[str, list[str]] = {name: [] for name in classes if name != root}
        for parent, child in edges:
            if child == root:
                raise UserError(f"'{root}' is below '{parent}'", hint="the root is above all classes")
            if parent != root:
                parents.setdefault(parent, [])
            above = parents.setdefault(child, [])
            if parent != root:
                above.append(parent)
        return cls.from_parents(parents)

    @classmethod
    def from_paths(cls, paths: Iterable[str], *, separator: str = "/") -> Hierarchy:
        """Return the tree of classes named by their paths, such as ``01/01/03``; each implies its prefixes.

        Classes follow the order of the paths. A class that no earlier path names comes before the classes
        below it.

        Raises
        ------
        UserError
            If a path, or a part of it, is empty, or it has more than 200 parts.
        """
        parents: dict[str, tuple[str, ...]] = {}
        for path in paths:
            parts = path.split(separator)
            if len(parts) > MOST_LEVELS:
                raise UserError(
                    f"a path of classes has {len(parts):,} parts, more than {MOST_LEVELS}",
                    hint="correct it; classes are separated by commas in a declaration",
                )
            if not all(parts):
                raise UserError(f"'{path}' is not a path of classes: a part is empty", hint="correct it")
            for depth in range(1, len(parts) + 1):
                above = (separator.join(parts[: depth - 1]),) if depth > 1 else ()
                parents.setdefault(separator.join(parts[:depth]), above)
        return cls.from_parents(parents)

    @classmethod
    def from_networkx(cls, graph: Any, *, root: Any = None) -> Hierarchy:
        """Return the hierarchy of a networkx directed graph whose edges lead from parents to children.

        Parameters
        ----------
        graph : networkx.DiGraph
            Nodes are named by ``str``.
        root : node, optional
            See `from_edges`.

        Raises
        ------
        ValueError
            If the graph's edges have no direction.
        UserError
            If it has a cycle, or two nodes have one name.
        """
        if not graph.is_directed():
            raise ValueError("the graph's edges have no direction: give a networkx.DiGraph, parent -> child")
        names = [str(node) for node in graph.nodes]
        if len(set(names)) < len(names):
            raise UserError("two nodes of the graph have the same name", hint="rename one of them")
        edges = ((str(parent), str(child)) for parent, child in graph.edges())
        return cls.from_edges(edges, names, root=None if root is None else str(root))

    # Its shape

    @property
    def n_classes(self) -> int:
        """Number of classes, without the root."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of pairs of a class and one directly above it; top-level classes have none."""
        return len(self.parent_index)

    @property
    def is_tree(self) -> bool:
        """Whether no class has several parents."""
        return bool((np.diff(self.parent_start) <= 1).all())

    def parents(self, c: int) -> np.ndarray:
        """Return the classes directly above class c, rising; ndarray of int32."""
        return self.parent_index[self.parent_start[c] : self.parent_start[c + 1]]

    @cached_property
    def child_csr(self) -> tuple[np.ndarray, np.ndarray]:
        """The classes directly below each class: (start, index) as `parent_start` and `parent_index`."""
        n = self.n_classes
        child = np.repeat(np.arange(n, dtype=np.int32), np.diff(self.parent_start))
        order = np.argsort(self.parent_index, kind="stable")
        counts = np.bincount(self.parent_index, minlength=n) if n else np.zeros(0, np.int64)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), child[order]

    def children(self, c: int) -> np.ndarray:
        """Return the classes directly below class c, rising; ndarray of int32."""
        start, index = self.child_csr
        return index[start[c] : start[c + 1]]

    @cached_property
    def topological_order(self) -> np.ndarray:
        """All classes, each after those above it; ndarray of int32, shape (C,).

        Of classes that could come next, the one that became free first, so that an order is the same on all
        machines.
        """
        waiting = np.diff(self.parent_start).tolist()
        start, index = (array.tolist() for array in self.child_csr)
        order = [c for c, above in enumerate(waiting) if above == 0]
        for c in order:  # which grows
            for child in index[start[c] : start[c + 1]]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    order.append(child)
        if len(order) < self.n_classes:
            raise UserError(
                f"the hierarchy has a cycle: {' -> '.join(self._cycle(waiting))}",
                hint="remove an edge: no class may be above itself",
            )
        return np.array(order, np.int32)

    def _cycle(self, waiting: Sequence[int]) -> list[str]:
        """Return the names of classes that are above each other, parents first, the first once more."""
        c = next(c for c, above in enumerate(waiting) if above > 0)
        seen: dict[int, None] = {}
        while c not in seen:
            seen[c] = None
            c = next(int(parent) for parent in self.parents(c) if waiting[parent] > 0)
        way = list(seen)
        loop = [*way[way.index(c) :], c]
        return [self.names[each] for each in reversed(loop)]

    @cached_property
    def depth(self) -> np.ndarray:
        """Edges on the longest way up to a top-level class, 0 for these; ndarray of int32, shape (C,)."""
        depth = [0] * self.n_classes
        start, index = (array.tolist() for array in self.child_csr)
        for c in self.topological_order.tolist():
            for child in index[start[c] : start[c + 1]]:
                depth[child] = max(depth[child], depth[c] + 1)
        return np.array(depth, np.int32)

    @cached_property
    def ancestors(self) -> sp.csr_array:
        """Row c holds 1 at class c and at each class above it; csr_array of uint8, shape (C, C).

        Raises
        ------
        UserError
            If that are more than 20,000,000: a file of some kilobytes can declare a chain of classes, each
            below all before it, that fills the memory.
        """
        pairs = 0
        above: list[np.ndarray] = [np.empty(0, np.int32)] * self.n_classes
        for c in self.topological_order.tolist():
            parents, own = self.parents(c).tolist(), np.array([c], np.int32)
            joined = np.concatenate([own, *(above[parent] for parent in parents)])
            above[c] = joined if len(parents) < 2 else np.unique(joined)
            pairs += len(above[c])
            if pairs > MOST_PAIRS:
                raise UserError(
                    f"its hierarchy puts classes below classes in more than {MOST_PAIRS:,} pairs",
                    hint="remove classes or levels",
                )
        start = np.cumsum([0, *map(len, above)], dtype=np.int64)
        index = np.concatenate(above) if above else np.empty(0, np.int32)
        shape = (self.n_classes, self.n_classes)
        found = sp.csr_array((np.ones(len(index), np.uint8), index, start), shape=shape)
        found.sort_indices()
        return found

    # What follows from it

    def close(self, y: Any) -> sp.csr_array:
        """Return label sets with all classes above theirs.

        Parameters
        ----------
        y : sparse array or ndarray, shape (n, C)
            Not zero where an example belongs to a class.

        Returns
        -------
        csr_array of uint8, shape (n, C)
            Stored entries are all 1, column indices sorted within a row.
        """
        labels = sp.csr_array(y)
        if labels.shape[1] != self.n_classes:
            raise ValueError(
                f"y has {number_of(labels.shape[1], 'column')}, the hierarchy "
                f"{number_of(self.n_classes, 'class')}"
            )
        labels = (labels != 0).astype(np.int32)
        closed = sp.csr_array(labels @ self.ancestors.astype(np.int32))
        closed.eliminate_zeros()
        closed.sort_indices()
        ones = np.ones(closed.nnz, np.uint8)
        return sp.csr_array((ones, closed.indices.astype(np.int32), closed.indptr), shape=closed.shape)

    def is_closed(self, y: Any) -> bool:
        """Return whether all label sets hold all classes above theirs; y as for `close`."""
        return self.close(y).nnz == int(sp.csr_array(y).count_nonzero())

    def weights(self, rule: ClassWeights = "mean", decay: float = 0.75) -> np.ndarray:
        """Return the weight of each class: 1 at the top, below it `decay` times its parents' weights.

        Parameters
        ----------
        rule : {"mean", "sum", "min", "max"}
            What is taken of several parents' weights. "mean" is the paper's (Petković, Džeroski, Kocev:
            Feature Ranking for Hierarchical Multi-Label Classification with Tree Ensemble Methods, Acta
            Polytechnica Hungarica 17(10), 2020); "sum" is CLUS's default on graphs. On trees all are
            ``decay ** depth``.
        decay : float
            In (0, 1].

        Returns
        -------
        ndarray of float64, shape (C,)

        Raises
        ------
        ValueError
            On another rule or decay.
        """
        if rule not in _COMBINE:
            raise ValueError(f"class weights '{rule}' are unknown: give one of {', '.join(_COMBINE)}")
        if not 0.0 < decay <= 1.0:
            raise ValueError(f"decay = {decay!r} is not within (0, 1]")
        weights = np.ones(self.n_classes)
        counts = np.diff(self.parent_start)
        for level in range(1, int(self.depth.max(initial=0)) + 1):
            classes = np.flatnonzero(self.depth == level)
            first = np.cumsum(counts[classes]) - counts[classes]
            places = np.arange(int(counts[classes].sum())) + np.repeat(
                self.parent_start[classes] - first, counts[classes]
            )
            combined = _COMBINE[rule].reduceat(weights[self.parent_index[places]], first)
            weights[classes] = decay * (combined / counts[classes] if rule == "mean" else combined)
        return weights

    def restricted_to(self, keep: np.ndarray) -> Hierarchy:
        """Return the hierarchy of some classes.

        Parameters
        ----------
        keep : ndarray of bool, shape (C,)
            With each class all above it.

        Raises
        ------
        ValueError
            If a class above a kept one is not kept.
        """
        child = np.repeat(np.arange(self.n_classes), np.diff(self.parent_start))
        kept = keep[child]
        if not keep[self.parent_index[kept]].all():
            raise ValueError("a class is kept without one above it")
        new = np.cumsum(keep) - 1
        counts = np.bincount(new[child[kept]], minlength=int(keep.sum()))
        names = tuple(name for name, stays in zip(self.names, keep, strict=True) if stays)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Hierarchy(names, start, new[self.parent_index[kept]].astype(np.int32))


@contextlib.contextmanager
def in_file(path: str | os.PathLike[str], line: int | None = None) -> Iterator[None]:
    """Name the file, and the line, in a `UserError` about the hierarchy that it declares."""
    try:
        yield
    except UserError as error:
        raise UserError(error.what, file=path, line=line, hint=error.hint) from error
