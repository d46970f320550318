"""Cells that hold sets of labels: what is between the labels, and lists as programs print them."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import DataNotice, UserError, shortened

if TYPE_CHECKING:
    from mlsieve.data.readers.arff import ArffTable

SET_SEPARATORS = (";", "|", ",")
_DOUBTFUL_SEPARATORS = (" / ", "/", " ")  # which stand within names as well
_BRACKETS = ("[]", "()", "{}")
_MOST_BRACKETS = 3  # around each other, as in array([...], dtype=object) and frozenset({...})
_CALL = re.compile(r"\A(?:frozenset|set|array|list|c)(?=\(.*\)\Z)", re.DOTALL)
_EMPTY_IN_R = "character(0)"
_QUOTED = r"""(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")"""
_ESCAPED, _ESCAPES = re.compile(r"\\(.)", re.DOTALL), {"n": "\n", "r": "\r", "t": "\t"}
_ITEM = re.compile(_QUOTED)
_ITEMS = re.compile(rf"{_QUOTED}(?:[\s,;|]+{_QUOTED})*\s*,?")


def labels_in(cell: str, separator: str) -> list[str]:
    """Return the labels of a cell, in its order; those of a printed list need no separator."""
    printed = _printed(cell)
    if printed is not None:
        return printed
    text = _CALL.sub("", cell.strip(), count=1)
    if text[:1] + text[-1:] in _BRACKETS:
        text = text[1:-1]
    return [name for part in text.split(separator) if (name := part.strip().strip("'\""))]


def _printed(cell: str) -> list[str] | None:
    """Return the labels of a list as Python, NumPy or R prints it with quotes, or of an empty one."""
    text = _CALL.sub("", cell.strip(), count=1)
    if text == _EMPTY_IN_R:
        return []
    inside = False
    for _ in range(_MOST_BRACKETS):
        if text[:1] + text[-1:] not in _BRACKETS:
            break
        text = re.sub(r",\s*dtype=\w+$", "", text[1:-1].strip()).strip()
        inside = True
    if not inside or (text and not _ITEMS.fullmatch(text)):
        return None
    items = (_unescaped(found[1] or found[2] or "").strip() for found in _ITEM.finditer(text))
    return [name for name in items if name]


def joined_by(cells: Sequence[str]) -> str | None:
    """Return what joins the different cells of a column where they look like sets of labels; None elsewhere.

    Cells of sets have different numbers of labels, no label twice, and most labels are in several of them;
    a text with a semicolon, or a city and its country, is no set.

    Returns
    -------
    str or None
        ``;`` or ``|``, or an empty text for lists as programs print them.
    """
    printed = [_printed(cell) for cell in cells]
    sets = [labels for labels in printed if labels is not None]
    separator = ""
    if not sets or len(sets) < len(cells):
        separator = next((each for each in (";", "|") if any(each in cell for cell in cells)), "")
        if not separator:
            return None
        sets = [labels_in(cell, separator) for cell in cells]
    lengths = {len(labels) for labels in sets}
    joined = [labels for labels in sets if len(labels) > 1]
    if len(joined) < 2 or len(lengths) < 2 or any(len(set(labels)) < len(labels) for labels in sets):
        return None
    times = Counter(label for labels in sets for label in labels)
    names = {label for labels in joined for label in labels}
    again = sum(times[name] > 1 for name in names)
    return separator if 2 * again > len(names) else None


def _unescaped(text: str) -> str:
    """Return the text that stands between quotes, as Python, R and JSON escape it there."""
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), text)


def cell_of_list(labels: Iterable[str]) -> str:
    """Return a cell from which `labels_in` reads these labels, whatever they hold; empty without any."""
    names = list(labels)
    return json.dumps(names, ensure_ascii=False) if names else ""


def separator_of(tables: Sequence[ArffTable], column: int, given: str | None) -> str:
    """Return what is between the labels of a column's cells, and say what was found.

    Parameters
    ----------
    tables : sequence of ArffTable
        In which the column is nominal.
    column : int
    given : str or None
        As the user says; None: see `mlsieve.data.label_values.label_sets`.

    Raises
    ------
    UserError
        If it is not clear what is between them, or the tables differ in it.
    """
    own = [[cell for cell in _occurring(table, column) if _printed(cell) is None] for table in tables]
    cells = [cell for part in own for cell in part]
    path, name = tables[0].path, tables[0].attributes[column].name
    if given is not None:
        if cells and not any(given in cell for cell in cells):
            what = f"no cell of column '{name}' has the label separator '{given}': each is read as one label"
            warnings.warn(DataNotice(what, file=path), stacklevel=3)
        return given
    if not cells:
        return SET_SEPARATORS[0]
    sure = next((each for each in SET_SEPARATORS if any(each in cell for cell in cells)), None)
    separator = sure or _doubtful(path, name, cells) or SET_SEPARATORS[0]
    what = f"labels in column '{name}' are separated by '{separator}'"
    if sure is None and separator == SET_SEPARATORS[0]:
        what = f"each cell of column '{name}' is one label (--label-separator if it holds several)"
    warnings.warn(DataNotice(what, file=path), stacklevel=3)
    if sure is not None:
        _require_alike(tables, own, sure)
    return separator


def _occurring(table: ArffTable, column: int) -> list[str]:
    """Return the different cells of a nominal column."""
    values: Any = table.values[:, [column]]
    codes = np.unique(values.toarray() if sp.issparse(values) else values)
    categories = table.attributes[column].categories or ()
    return [categories[int(code)] for code in codes[~np.isnan(codes)]]


def _doubtful(path: str, name: str, cells: Sequence[str]) -> str | None:
    """Return a slash or a blank between labels, if what it divides occurs in other cells too."""
    doubtful = next((each for each in _DOUBTFUL_SEPARATORS if any(each in cell for cell in cells)), None)
    if doubtful is None:
        return None
    together = [set(labels_in(cell, doubtful)) for cell in cells]
    times = Counter(label for labels in together for label in labels)
    joined = {label for labels in together if len(labels) > 1 for label in labels}
    again = [label for label in joined if times[label] > 1]
    if len(again) == len(joined):
        return doubtful
    if again:
        cell = next(cell for cell in cells if len(set(labels_in(cell, doubtful))) > 1)
        raise UserError(
            f"column '{name}' contains '{shortened(cell)}': is this one label, or several?",
            file=path,
            hint=f"give --label-separator '{doubtful}', or --label-separator ';' if it is one",
        )
    return None


def _require_alike(tables: Sequence[ArffTable], cells: Sequence[Sequence[str]], separator: str) -> None:
    """Raise for a table without the separator of the others, but with another one."""
    for table, own in zip(tables, cells, strict=True):
        if any(separator in cell for cell in own):
            continue
        for other in SET_SEPARATORS:
            cell = next((cell for cell in own if other in cell), None)
            if cell is not None:
                raise UserError(
                    f"holds '{shortened(cell)}', and labels elsewhere are separated by '{separator}'",
                    file=table.path,
                    hint=f"write all files alike, or give --label-separator '{separator}' if it is one label",
                )
