"""Files of MATLAB (.mat): matrices of features and of labels, maybe of a training and a test part."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.label_values import GivenLabels, label_matrix_of
from mlsieve.data.readers.arff import ArffTable, Attribute
from mlsieve.data.readers.packed import most_unpacked, read_bytes
from mlsieve.errors import DataNotice, UserError, did_you_mean, shortened

if TYPE_CHECKING:
    from mlsieve.data.readers.tables import Reading

# How variables are called in small letters alone, the likeliest name first.
_FEATURES = ("x", "data", "features", "feature", "fea", "instances")
_LABELS = ("y", "target", "targets", "labels", "label", "gnd")
_PART = r"(train|trn|tr|test|tst|te)?"
_NAME = re.compile(rf"{_PART}({'|'.join((*_FEATURES, *_LABELS))}){_PART}")
_MATRICES = re.compile(r"double|single|u?int\d+|logical|sparse")
_COMPRESSED, _HEADER = 15, 128  # a type of element, and bytes before the first one


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
        ``train_data`` and the like, ``Y``, ``target``, ``train_target``.

    Returns
    -------
    tables : list of ArffTable
        Of the features, named ``x1``, ``x2``, ...; the test part of a single file is a second one.
    labels : GivenLabels
        Named ``y1``, ``y2``, ...; of 0 and 1, or of -1 and 1. A matrix may have a column for each row.

    Raises
    ------
    UserError
        If a file is none of MATLAB, or is of version 7.3; if variables are not found, are no matrices of
        numbers, or do not belong together.
    """
    parts = [part for place in range(len(paths)) for part in _parts(paths, place, reading)]
    turned = _turned(parts)
    for name, is_turned in zip(parts[0].names, turned, strict=True):
        if is_turned:
            what = f"'{name}' has a column for each example, and is transposed"
            warnings.warn(DataNotice(what, file=parts[0].path), stacklevel=3)
    tables, Y = [], []
    for part in parts:
        X, own = (m.T if is_turned else m for m, is_turned in zip(part.matrices, turned, strict=True))
        tables.append(_table(part.path, X, "x"))
        labels = _table(part.path, own, "y")
        Y.append(label_matrix_of(labels, range(own.shape[1]), reading.positive))
    names = tuple(attribute.name for attribute in labels.attributes)
    return tables, GivenLabels(sp.csr_array(sp.vstack(Y, format="csr")), names)


def _table(path: Path, matrix: Any, letter: str) -> ArffTable:
    values = sp.csr_array(matrix) if sp.issparse(matrix) else np.ascontiguousarray(matrix)
    attributes = tuple(Attribute(f"{letter}{j}", None, 1) for j in range(1, matrix.shape[1] + 1))
    return ArffTable(str(path), "", attributes, values, np.arange(1, matrix.shape[0] + 1))


def _parts(paths: Sequence[Path], place: int, reading: Reading) -> list[_Part]:
    """Return the part of the data in a file, or the training and the test part of the only file."""
    path = paths[place]
    content = _unpacked(read_bytes(path), path)
    variables = _variables(content, path)
    pairs = _pairs(variables)
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
    parts = [
        _part(content, path, pair, variables) for pair in [chosen, *([further] if further in whole else [])]
    ]
    if reading.x is None or reading.y is None:
        said = "; ".join(f"features '{part.names[0]}', labels '{part.names[1]}'" for part in parts)
        warnings.warn(DataNotice(f"read from it: {said} (--x and --y name others)", file=path), stacklevel=4)
    return parts


def _pairs(variables: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the likeliest variables of features (x) and labels (y), by part: train, test, or neither."""
    ranked: dict[tuple[str, str], tuple[int, str]] = {}
    for name, (_, kind) in variables.items():
        found = _NAME.fullmatch(re.sub(r"[^a-z]", "", name.lower()))
        if found is None or not _MATRICES.fullmatch(kind) or (found[1] and found[3]):
            continue
        part = {"t": "", "tr": "train", "te": "test", "ts": "test"}[((found[1] or found[3] or "t")[:2])]
        known = _FEATURES if found[2] in _FEATURES else _LABELS
        key = part, "x" if known is _FEATURES else "y"
        ranked[key] = min(ranked.get(key, (len(known), name)), (known.index(found[2]), name))
    pairs: dict[str, dict[str, str]] = {}
    for (part, letter), (_, name) in ranked.items():
        pairs.setdefault(part, {})[letter] = name
    return pairs


def _not_found(
    pairs: Mapping[str, Mapping[str, str]], variables: Mapping[str, tuple[tuple[int, ...], str]], path: Path
) -> UserError:
    lacks = next((pair for pair in pairs.values() if pair.get("x") or pair.get("y")), {})
    option, what = ("--y", "labels") if lacks.get("x") else ("--x", "features")
    if not lacks:
        option, what = "--x and --y", "features and labels"
    shown = ", ".join(
        f"{shortened(name)} ({' x '.join(map(str, shape))} {kind})"
        for name, (shape, kind) in list(variables.items())[:8]
    )
    return UserError(
        f"none of its variables has a name of {what} such as X or train_target",
        file=path,
        hint=f"name them with {option}; it holds {shown or 'nothing'}" + ", ..." * (len(variables) > 8),
    )


def _part(
    content: bytes, path: Path, pair: Mapping[str, str], variables: Mapping[str, tuple[tuple[int, ...], str]]
) -> _Part:
    names = pair["x"], pair["y"]
    for name in names:
        if name not in variables:
            hint = did_you_mean(name, list(variables))
            raise UserError(f"holds no variable '{shortened(name)}'", file=path, hint=hint)
        shape, kind = variables[name]
        if not _MATRICES.fullmatch(kind) or len(shape) != 2 or 0 in shape:
            raise UserError(
                f"'{shortened(name)}' is no matrix of numbers ({' x '.join(map(str, shape))} {kind})",
                file=path,
                hint="name others (--x, --y), or save matrices of numbers",
            )
    matrices = _loaded(content, path, names)
    return _Part(path, names, (matrices[names[0]], matrices[names[1]]))


def _turned(parts: Sequence[_Part]) -> tuple[bool, bool]:
    """Return whether the features and the labels of all parts have a column for each row.

    Raises
    ------
    UserError
        If they do not belong together, whichever way they are taken.
    """
    for turned in ((False, False), (False, True), (True, False), (True, True)):
        sides = [
            [
                m.shape[::-1] if is_turned else m.shape
                for m, is_turned in zip(part.matrices, turned, strict=True)
            ]
            for part in parts
        ]
        widths = {(x[1], y[1]) for x, y in sides}
        if len(widths) == 1 and all(x[0] == y[0] for x, y in sides):
            return turned
    part = next((p for p in parts if not set(p.matrices[0].shape) & set(p.matrices[1].shape)), parts[-1])
    shapes = " and ".join(
        f"'{name}' is {m.shape[0]} x {m.shape[1]}" for name, m in zip(part.names, part.matrices, strict=True)
    )
    raise UserError(
        f"{shapes}, which do not belong together" + " and to the training part" * (part is not parts[0]),
        file=part.path,
        hint="name the variables of features and labels (--x, --y)",
    )


def _unpacked(content: bytes, path: Path) -> bytes:
    """Return a file of version 5 with its variables unpacked, as far as `most_unpacked` allows."""
    if content.startswith(b"MATLAB 7.3") or b"\x89HDF\r\n" in content[:520]:
        raise UserError(
            "is a MATLAB file of version 7.3, which is not read",
            file=path,
            hint="save it in MATLAB as version 7: save('file.mat', '-v7')",
        )
    if content[126:128] not in (b"IM", b"MI"):
        return content
    order, place, parts = "<" if content[126:128] == b"IM" else ">", _HEADER, [content[:_HEADER]]
    left = most_unpacked(len(content))
    while len(content) - place >= 8:
        kind, size = struct.unpack_from(f"{order}II", content, place)
        part = content[place : place + 8 + size]
        if len(part) < 8 + size:
            raise _damaged(path, f"{len(content)} bytes are left of it")
        if kind == _COMPRESSED:
            try:
                part = zlib.decompressobj().decompress(part[8:], left + 1)
            except zlib.error as error:
                raise _damaged(path, error) from error
        left -= len(part)
        if left < 0:
            raise UserError(
                f"unpacks from {len(content):,} to more than {most_unpacked(len(content)):,} bytes",
                file=path,
                hint="if it is genuine, save it without compression (-v6)",
            )
        parts.append(part)
        place += 8 + size
    return b"".join(parts)


def _damaged(path: Path, error: Exception | str) -> UserError:
    return UserError(
        f"is not a MATLAB file that can be read ({shortened(str(error), 200)})",
        file=path,
        hint="fetch or copy it again",
    )


def _variables(content: bytes, path: Path) -> dict[str, tuple[tuple[int, ...], str]]:
    """Return shape and kind of each variable by name."""
    from scipy.io import whosmat

    try:
        return {name: (tuple(shape), kind) for name, shape, kind in whosmat(io.BytesIO(content))}
    except Exception as error:  # the reader has many of its own
        raise _damaged(path, error) from error


def _loaded(content: bytes, path: Path, names: tuple[str, str]) -> dict[str, Any]:
    """Return two matrices of numbers as float64, dense or CSC."""
    from scipy.io import loadmat

    try:
        found = loadmat(io.BytesIO(content), variable_names=names)
        matrices = {}
        for name in names:
            value = found[name]
            if sp.issparse(value):
                if value.format == "csc":  # COO, of version 4, is checked where it is made
                    value.check_format(full_check=True)
                value = sp.csc_array(value)
                value.sum_duplicates()
            if value.dtype.kind not in "biuf" or value.ndim != 2:
                raise ValueError(f"{name} holds no real numbers")
            matrices[name] = value.astype(np.float64)
    except Exception as error:  # the reader has many of its own
        raise _damaged(path, error) from error
    return matrices
