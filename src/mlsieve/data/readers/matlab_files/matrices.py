"""Files of MATLAB (.mat): matrices of features and of labels, maybe of a training and a test part.

The fields of a struct are variables too, called as in MATLAB: ``data.X``.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.whole_numbers import OF_DECLARED, merged_columns, tell_of_long
from mlsieve.data.label_values import GivenLabels, label_matrix_of
from mlsieve.data.readers.arff import ArffTable, NumericAttributes
from mlsieve.data.readers.matlab_files.variables import Variable, damaged, variables_of
from mlsieve.data.readers.packed import read_bytes
from mlsieve.errors import DataNotice, UserError, composed, did_you_mean, number_of, shortened
from mlsieve.files.numbered import Numbered

if TYPE_CHECKING:
    from mlsieve.data.readers.tables import Reading

# How variables are called in small letters alone, the likeliest name first.
_FEATURES = ("x", "data", "features", "feature", "fea", "instances")
_LABELS = ("y", "target", "targets", "labels", "label", "gnd")
_PART = r"(train|trn|tr|test|tst|te)?"
_NAME = re.compile(rf"{_PART}({'|'.join((*_FEATURES, *_LABELS))}){_PART}")
# How lists of names are called, of features and of labels.
_LISTS = re.compile(r"(features?|attributes?)names?"), re.compile(r"(labels?|targets?|class(es)?)names?")
_MATRICES = re.compile(r"double|single|u?int\d+|sparse")


@dataclass(frozen=True)
class _Part:
    """Features and labels of some rows: a file, and its two variables."""

    path: Path
    names: tuple[str, str]
    matrices: tuple[Any, Any]


def read_mat(paths: Sequence[Path], reading: Reading) -> tuple[list[ArffTable], GivenLabels]:
    """Read the matrices of features and labels that the files hold.

    Parameters
    ----------
    paths : sequence of Path
        Training file(s) and test file, or one file that may hold both parts.
    reading : Reading
        Its `x` and `y` name the variables; by default they are found by their names: ``X``, ``data``,
        ``train_data`` and the like, ``Y``, ``target``, ``train_target``, maybe within one struct.

    Returns
    -------
    tables : list of ArffTable
        Of the features, named by ``feature_names`` if the file has such a list of texts that fits, else
        ``x1``, ``x2``, ...; the test part of a single file is a second one.
    labels : GivenLabels
        Named by ``label_names``, else ``y1``, ``y2``, ...; of 0 and 1, or of -1 and 1.

    Notes
    -----
    A matrix may have a column for each example: the side that features and labels of all parts share is that
    of the examples. Where both sides are shared, as of square matrices, rows are the examples as far as that
    fits, the features' before the labels', and a notice says so.

    Raises
    ------
    UserError
        If a file is none of MATLAB, or of version 4 or 7.3; if variables are not found, are no matrices of
        numbers, or do not belong together.
    """
    contents = [variables_of(read_bytes(path), path) for path in paths]
    parts = [part for place in range(len(paths)) for part in _parts(paths, place, contents[place], reading)]
    turned = _turned(parts)
    for name, is_turned in zip(parts[0].names, turned, strict=True):
        if is_turned:
            what = f"'{name}' has a column for each example, and is transposed"
            warnings.warn(DataNotice(what, file=parts[0].path), stacklevel=3)
    features, labels = (
        [part.matrices[kind].T if turned[kind] else part.matrices[kind] for part in parts] for kind in (0, 1)
    )
    feature_names, label_names = (
        _names(contents[0], parts[0], kind, matrices[0].shape[1])
        for kind, matrices in enumerate((features, labels))
    )
    tables = [_table(part.path, X, feature_names) for part, X in zip(parts, features, strict=True)]
    label_tables = [_table(part.path, own, label_names) for part, own in zip(parts, labels, strict=True)]
    Y = [label_matrix_of(table, range(table.values.shape[1]), reading.positive) for table in label_tables]
    merged = [feature_names[place] for place in merged_columns(features)]
    if merged:
        tell_of_long(merged, OF_DECLARED, file=parts[0].path, left_out=reading.unread(feature_names))
    return tables, GivenLabels(sp.csr_array(sp.vstack(Y, format="csr")), label_names)


def _names(variables: Mapping[str, Variable], part: _Part, kind: int, n: int) -> Sequence[str]:
    """Return the names of the n features (kind 0) or labels (1): of a list of texts, or x1, x2, ..."""
    beside = part.names[kind].rpartition(".")[0]
    lists = [name for name in variables if _LISTS[kind].fullmatch(_letters(name.rpartition(".")[2]))]
    lists.sort(key=lambda name: name.rpartition(".")[0] != beside)
    what = ("features", "labels")[kind]
    for name in lists:
        try:
            names = [composed(text).strip() for text in variables[name].content()]
        except Exception:  # it holds no texts, or is damaged
            names = []
        if len(names) == n == len(set(names) - {""}):
            warnings.warn(DataNotice(f"the {what} are named by '{name}'", file=part.path), stacklevel=4)
            return tuple(names)
        told = f"'{name}' does not name the {what}, as it is no list of {number_of(n, 'different text')}"
        warnings.warn(DataNotice(told, file=part.path), stacklevel=4)
    return Numbered("xy"[kind], range(1, n + 1))


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _table(path: Path, matrix: Any, names: Sequence[str]) -> ArffTable:
    values: Any = sp.csr_array(matrix) if sp.issparse(matrix) else np.ascontiguousarray(matrix)
    values = values.astype(np.float64, copy=False)
    return ArffTable(str(path), "", NumericAttributes(names), values, np.arange(1, matrix.shape[0] + 1))


def _parts(
    paths: Sequence[Path], place: int, variables: Mapping[str, Variable], reading: Reading
) -> list[_Part]:
    """Return the part of the data in a file, or the training and the test part of the only file."""
    path = paths[place]
    pairs = _pairs(variables, (reading.x or reading.y or "").rpartition(".")[0])
    if reading.x is not None or reading.y is not None:
        named = (reading.x, reading.y)
        if place == 0 or all(name is None or name in variables for name in named):
            found = pairs.get("train") or pairs.get("") or pairs.get("test") or {}
            pairs = {"": {kind: name or found.get(kind, "") for kind, name in zip("xy", named, strict=True)}}
    whole = [pair for pair in pairs.values() if all(pair.get(kind) for kind in "xy")]
    if not whole:
        raise _not_found(pairs, variables, path)
    order = ("train", "", "test") if place == 0 else ("test", "", "train")
    chosen = next(pairs[part] for part in order if pairs.get(part) in whole)
    further = pairs.get("test") if place == 0 and chosen is pairs.get("train") else None
    if path in paths[1:]:  # given for both parts
        further = None
    if further in whole and len(paths) > 1:
        raise UserError(
            f"holds a test part of its own ('{further['x']}'), and another file is given",
            file=path,
            hint=f"leave that out, or name what is read here: --x {chosen['x']} --y {chosen['y']}",
        )
    parts = [_part(path, pair, variables) for pair in [chosen, *([further] if further in whole else [])]]
    if reading.x is None or reading.y is None:
        said = "; ".join(f"features '{part.names[0]}', labels '{part.names[1]}'" for part in parts)
        warnings.warn(DataNotice(f"read from it: {said} (--x and --y name others)", file=path), stacklevel=4)
    return parts


def _pairs(variables: Mapping[str, Variable], first: str) -> dict[str, dict[str, str]]:
    """Return the likeliest variables of features (x) and labels (y), by part: train, test, or neither.

    All are fields of one struct, or of none: of that called `first`, or the least deep one, if it has both.
    """
    ranked: dict[str, dict[tuple[str, str], tuple[int, str]]] = {}
    for name, variable in variables.items():
        inside, _, own = name.rpartition(".")
        outer, _, last = inside.rpartition(".")
        if re.fullmatch(_PART, last.lower()):  # train.X and test.X
            inside, own = outer, last + own
        found = _NAME.fullmatch(_letters(own))
        if found is None or not _MATRICES.fullmatch(variable.kind) or (found[1] and found[3]):
            continue
        part = {"t": "", "tr": "train", "te": "test", "ts": "test"}[((found[1] or found[3] or "t")[:2])]
        known = _FEATURES if found[2] in _FEATURES else _LABELS
        key = part, "x" if known is _FEATURES else "y"
        best = ranked.setdefault(inside, {})
        best[key] = min(best.get(key, (len(known), name)), (known.index(found[2]), name))
    found_in: list[dict[str, dict[str, str]]] = []
    for inside in sorted(ranked, key=lambda inside: (inside != first, inside.count("."), inside != "")):
        pairs: dict[str, dict[str, str]] = {}
        for (part, letter), (_, name) in ranked[inside].items():
            pairs.setdefault(part, {})[letter] = name
        found_in.append(pairs)
    whole = (pairs for pairs in found_in if any(len(pair) == 2 for pair in pairs.values()))
    return next(whole, found_in[0] if found_in else {})


def _not_found(
    pairs: Mapping[str, Mapping[str, str]], variables: Mapping[str, Variable], path: Path
) -> UserError:
    lacks = next((pair for pair in pairs.values() if pair.get("x") or pair.get("y")), {})
    option, what = ("--y", "labels") if lacks.get("x") else ("--x", "features")
    if not lacks:
        option, what = "--x and --y", "features and labels"
    shown = ", ".join(f"{shortened(name)} ({each})" for name, each in list(variables.items())[:8])
    return UserError(
        f"none of its variables has a name of {what} such as X or train_target",
        file=path,
        hint=f"name them with {option}; it holds {shown or 'nothing'}" + ", ..." * (len(variables) > 8),
    )


def _part(path: Path, pair: Mapping[str, str], variables: Mapping[str, Variable]) -> _Part:
    names, matrices = (pair["x"], pair["y"]), []
    for name in names:
        if name not in variables:
            fields = [field for field in variables if field.startswith(f"{name}.")]
            hint = did_you_mean(name, list(variables))
            if fields:
                hint = f"name a field of it: {', '.join(fields[:8])}"
            raise UserError(f"holds no variable '{shortened(name)}'", file=path, hint=hint)
        variable = variables[name]
        if not _MATRICES.fullmatch(variable.kind) or len(variable.shape) != 2 or 0 in variable.shape:
            raise UserError(
                f"'{shortened(name)}' is no matrix of numbers ({variable})",
                file=path,
                hint="name others (--x, --y), or save matrices of numbers",
            )
        try:
            matrices.append(variable.content())
        except Exception as error:
            raise damaged(path, error) from error
    return _Part(path, names, (matrices[0], matrices[1]))


def _turned(parts: Sequence[_Part]) -> tuple[bool, bool]:
    """Return whether the features and the labels of all parts have a column for each example.

    Raises
    ------
    UserError
        If they do not belong together, whichever way they are taken.
    """
    ways = [way for way in itertools.product((False, True), repeat=2) if _belong_together(parts, way)]
    if ways:
        names = parts[0].names
        unsure = [kind for kind in (0, 1) if len({way[kind] for way in ways}) == 2]
        if unsure:
            sides = [f"the {'columns' if ways[0][kind] else 'rows'} of '{names[kind]}'" for kind in unsure]
            what = f"the examples are {' and '.join(sides)}, though the other way round would fit too"
            hint = "transpose the matrix in the file if that is wrong"
            warnings.warn(DataNotice(f"{what} ({hint})", file=parts[0].path), stacklevel=4)
        return ways[0][0], ways[0][1]
    part = next((p for p in parts if not set(p.matrices[0].shape) & set(p.matrices[1].shape)), parts[-1])
    shapes = " and ".join(
        f"'{name}' is {m.shape[0]} x {m.shape[1]}" for name, m in zip(part.names, part.matrices, strict=True)
    )
    raise UserError(
        f"{shapes}, which do not belong together" + " and to the training part" * (part is not parts[0]),
        file=part.path,
        hint="name the variables of features and labels (--x, --y)",
    )


def _belong_together(parts: Sequence[_Part], turned: Sequence[bool]) -> bool:
    """Return whether the matrices of all parts fit each other if they are so turned."""
    sides = [
        [m.shape[::-1] if is_turned else m.shape for m, is_turned in zip(part.matrices, turned, strict=True)]
        for part in parts
    ]
    return len({(x[1], y[1]) for x, y in sides}) == 1 and all(x[0] == y[0] for x, y in sides)
