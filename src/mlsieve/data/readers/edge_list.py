"""A hierarchy as a list of edges, a CSV file of parents and children, for labels of any format."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence

from mlsieve.data.readers.clus import ROOT
from mlsieve.data.readers.text import read_text
from mlsieve.errors import UserError, did_you_mean, number_of
from mlsieve.hierarchy import Hierarchy, in_file

_HEADER = ("parent", "child")
_HINT = "write a parent and a child in each row, with a comma between them"


def read_edge_list(path: str | os.PathLike[str], labels: Sequence[str]) -> Hierarchy:
    """Return the hierarchy of labels, and of all classes above them.

    Parameters
    ----------
    path : path-like
        CSV file of two columns, the parent and the child, plain, xz or gzip; a first row ``parent,child`` is
        a header. ``root``, unless it is a label, or an empty parent is above all classes. A
        class that is neither a label nor above one is left out; a label that no row names is top-level.
    labels : sequence of str
        The data's own.

    Returns
    -------
    Hierarchy
        The labels first, in their order; then the other classes, in the order of the file.

    Raises
    ------
    UserError
        With file and line: for a row of more or fewer cells, without a child, or that puts a class below
        itself; or if the file names no label.
    """
    path = os.fspath(path)
    edges, lines = _edges(path, None if ROOT in labels else ROOT)
    named = {name for edge in edges for name in edge}
    if not named & set(labels):
        example = edges[0][1]
        near = did_you_mean(example, list(labels))
        raise UserError(
            f"names '{example}' and others, but none of the {len(labels)} labels, such as '{labels[0]}'",
            file=path,
            hint=near if near.startswith("did you") else "check that it belongs to the data",
        )
    try:
        whole = Hierarchy.from_edges(edges, labels, root="")
    except UserError as error:
        line = lines[_closing_edge(edges)]
        raise UserError(error.what, file=path, line=line, hint=error.hint) from error
    hierarchy = above_labels(whole, labels)
    with in_file(path):
        _ = hierarchy.ancestors  # which raises if they are too many
    return hierarchy


def above_labels(hierarchy: Hierarchy, labels: Sequence[str]) -> Hierarchy:
    """Return the part of a hierarchy that labels and what is above them make, the labels first.

    Labels that are none of its classes are top-level.
    """
    parents = {
        name: [hierarchy.names[p] for p in hierarchy.parents(c)] for c, name in enumerate(hierarchy.names)
    }
    wanted, first = dict.fromkeys(labels), set(labels)
    waiting = list(labels)
    for name in waiting:  # which grows
        for parent in parents.get(name, ()):
            if parent not in wanted:
                wanted[parent] = None
                waiting.append(parent)
    order = [*labels, *(name for name in parents if name in wanted and name not in first)]
    return Hierarchy.from_parents({name: parents.get(name, ()) for name in order})


def _edges(path: str, root: str | None) -> tuple[list[tuple[str, str]], list[int]]:
    """Return the edges, with "" for the root, and the line of each."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    edges: list[tuple[str, str]] = []
    lines: list[int] = []
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if not any(row) or (not edges and tuple(cell.lower() for cell in row) == _HEADER):
                continue
            line = reader.line_num
            if len(row) != 2:
                raise UserError(
                    f"{number_of(len(row), 'cell')}, not a parent and a child",
                    file=path,
                    line=line,
                    hint=_HINT,
                )
            parent, child = row
            if not child:
                raise UserError(f"no child of '{parent}'", file=path, line=line, hint=_HINT)
            if child == root:
                raise UserError(
                    f"'{root}' is below '{parent}'", file=path, line=line, hint="it is above all classes"
                )
            edges.append(("" if parent == root else parent, child))
            lines.append(line)
    except csv.Error as error:
        raise UserError(
            f"not valid CSV ({error})", file=path, line=reader.line_num, hint="check its quotes"
        ) from error
    if not edges:
        raise UserError("has no edges", file=path, hint=_HINT)
    return edges, lines


def _closing_edge(edges: Sequence[tuple[str, str]]) -> int:
    """Return the first edge with which there is a cycle."""
    low, high = 0, len(edges) - 1
    while low < high:
        middle = (low + high) // 2
        try:
            Hierarchy.from_edges(edges[: middle + 1], root="")
        except UserError:
            high = middle
        else:
            low = middle + 1
    return low
