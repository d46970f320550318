"""The hierarchical attribute of CLUS: classes in a tree or a graph, and the classes of each example.

The declaration lists either the paths of a tree, ``01,01/01,01/01/03``, where a path implies its prefixes,
declared or not, or the edges of a directed acyclic graph, ``root/A,A/B,A/C,B/D,C/D``, parent first, where
``root`` is above all classes. A cell names classes with ``@`` between them: paths in a tree,
plain names in a graph. Usually these are the most specific ones; they imply all classes above.

CLUS finds in its settings which of the two a file has. Here the first rule that decides is followed:

1. a declaration of three parts or more can only be a path: a tree;
2. a declaration ``root/A`` can only be an edge: a graph;
3. a cell that names a class by a path: a tree;
4. a cell that names a class which is declared as a child only: a graph;
5. else a tree: cells then name top-level classes only.

``hierarchy_type`` says it where that is wrong. Files of one dataset are taken together.

Vens, Struyf, Schietgat, Džeroski, Blockeel: Decision trees for hierarchical multi-label classification,
Machine Learning 73(2), 2008; the manual of CLUS, https://github.com/knowledge-technologies/clus.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.readers._arff_text import shown
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.errors import UserError, did_you_mean
from mlsieve.hierarchy import Hierarchy, in_file

ROOT = "root"
BETWEEN_CLASSES = "@"
# The cell of an example without classes, unless the settings of CLUS name another text.
NO_CLASS = "n"
HIERARCHY_TYPES = ("tree", "dag")


@dataclass(frozen=True)
class ClassLabels:
    """The classes of all rows of a dataset's files.

    Attributes
    ----------
    hierarchy : Hierarchy
    Y : csr_array of uint8, shape (rows of all tables, classes)
        Closed upwards; stored entries are all 1, column indices sorted within a row.
    unknown : ndarray of bool, shape (rows of all tables,)
        True where the cell is ``?``: which classes the example has is not known. Its row of Y is empty.
    """

    hierarchy: Hierarchy
    Y: sp.csr_array
    unknown: np.ndarray


def read_class_labels(
    tables: Sequence[ArffTable], *, hierarchy_type: str | None = None, separator: str = "/"
) -> ClassLabels:
    """Return the hierarchy that the files declare and the classes of their rows.

    Parameters
    ----------
    tables : sequence of ArffTable
        Each with a hierarchical attribute. What they declare is joined in the order of the tables.
    hierarchy_type : {"tree", "dag"}, optional
        Default: recognised from the files, see the module.
    separator : str, default "/"
        Separates the parts of a path, or parent and child.

    Raises
    ------
    UserError
        With file and line: for a declaration that is not as it should be, a class below itself, or a cell
        that names an undeclared class or is cut in the wrong way.
    """
    declared = _joined(tables, separator)
    cells = [[_named(cell, separator) for cell in table.cells] for table in tables]
    kind = hierarchy_type or _kind_of_classes(declared, cells, separator)
    attribute = _class_attribute(tables[0])
    try:
        if kind == "tree":
            hierarchy = Hierarchy.from_paths(declared, separator=separator)
        else:
            hierarchy = Hierarchy.from_edges([_edge(each, separator) for each in declared], root=ROOT)
    except UserError as error:
        remark = "" if hierarchy_type else f"; if it is no {'tree' if kind == 'tree' else 'graph'}, say so"
        option = " (--hierarchy-type)" if remark else ""
        raise UserError(
            error.what, file=tables[0].path, line=attribute.line, hint=f"{error.hint}{remark}{option}"
        ) from error
    with in_file(tables[0].path, attribute.line):
        _ = hierarchy.ancestors  # which raises if they are too many
    place = {name: c for c, name in enumerate(hierarchy.names)}
    parts = [_rows(table, named, place, kind) for table, named in zip(tables, cells, strict=True)]
    indices = np.concatenate([part[0] for part in parts])
    lengths = np.concatenate([part[1] for part in parts])
    start = np.concatenate([[0], np.cumsum(lengths)])
    shape = (len(lengths), hierarchy.n_classes)
    direct = sp.csr_array((np.ones(len(indices), np.uint8), indices, start), shape=shape)
    unknown = np.concatenate([np.isnan(_codes(table)) for table in tables])
    return ClassLabels(hierarchy, hierarchy.close(direct), unknown)


def _class_attribute(table: ArffTable) -> Attribute:
    if table.class_column is None:
        raise UserError(
            "has no hierarchical attribute",
            file=table.path,
            hint="declare one (@attribute class hierarchical 1,1/1,2), or give another format",
        )
    return table.attributes[table.class_column]


def _joined(tables: Sequence[ArffTable], separator: str) -> list[str]:
    """Return what all tables declare, each once, without blanks around the separators."""
    every: dict[str, None] = {}
    done: set[tuple[str, ...]] = set()
    for table in tables:
        attribute = _class_attribute(table)
        classes = attribute.classes or ()
        if classes in done:  # mostly all files of a set declare the same
            continue
        done.add(classes)
        for each in classes:
            parts = _parts(each, separator)
            if not all(parts):
                raise UserError(
                    f"declares the class {shown(each)}, of which a part is empty",
                    file=table.path,
                    line=attribute.line,
                    hint="correct it",
                )
            every[separator.join(parts)] = None
    return list(every)


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator)]


def _named(cell: str, separator: str) -> list[str]:
    """Return the classes that a cell names; none for an empty one."""
    if not cell:
        return []
    if separator not in cell:
        return [each.strip() for each in cell.split(BETWEEN_CLASSES)]
    return [separator.join(_parts(each, separator)) for each in cell.split(BETWEEN_CLASSES)]


def _kind_of_classes(
    declared: Iterable[str], cells: Iterable[Iterable[Sequence[str]]], separator: str
) -> str:
    """Return tree or dag, see the module."""
    split = [each.split(separator) for each in declared]
    if any(len(parts) > 2 for parts in split):
        return "tree"
    if any(parts[0] == ROOT and len(parts) == 2 for parts in split):
        return "dag"
    named = {name for table in cells for cell in table for name in cell}
    if any(separator in name for name in named):
        return "tree"
    children = {parts[1] for parts in split if len(parts) == 2}
    return "dag" if named & (children - {parts[0] for parts in split}) else "tree"


def _edge(text: str, separator: str) -> tuple[str, str]:
    """Return parent and child; a class that is declared alone is below the root."""
    parts = text.split(separator)
    if len(parts) > 2:
        raise UserError(
            f"{shown(text)} has {len(parts)} parts: no edge 'parent{separator}child'", hint="correct it"
        )
    return (parts[0], parts[1]) if len(parts) == 2 else (ROOT, parts[0])


def _codes(table: ArffTable) -> np.ndarray:
    """Return the number of each row's cell; NaN for a missing one."""
    values: Any = table.values
    column = values[:, [table.class_column]]
    return np.asarray(column.toarray() if sp.issparse(column) else column)[:, 0]


def _rows(
    table: ArffTable, cells: Sequence[Sequence[str]], place: dict[str, int], kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes that the rows name, one row after the other, and how many each names."""
    codes = _codes(table)
    classes: list[list[int]] = []
    for number, names in enumerate(cells):
        if names == [NO_CLASS] and NO_CLASS not in place:
            names = []
        found = [place.get(name, -1) for name in names if name != ROOT or kind == "tree"]
        if -1 in found:
            wrong = next(name for name in names if name not in place and (name != ROOT or kind == "tree"))
            line = int(table.lines[np.flatnonzero(codes == number)[0]])
            raise _undeclared(wrong, list(place), table.path, line)
        classes.append(sorted(set(found)))
    which = np.where(np.isnan(codes), 0, codes).astype(np.int64)  # 0: the empty cell
    counts = np.array([len(row) for row in classes], dtype=np.int64)
    flat = [np.array(row, np.int32) for row in classes]
    indices = np.concatenate([flat[number] for number in which.tolist()] or [np.empty(0, np.int32)])
    return indices, counts[which]


def _undeclared(name: str, known: list[str], path: str, line: int) -> UserError:
    if not name:
        return UserError(
            "a class between two '@' is empty", file=path, line=line, hint="write classes as A@B"
        )
    near = did_you_mean(name, known)
    hint = near if near.startswith("did you") else "declare it in the header, or correct the row"
    return UserError(f"class {shown(name)} is not declared", file=path, line=line, hint=hint)
