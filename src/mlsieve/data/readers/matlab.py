"""Files of MATLAB (.mat): matrices of features and of labels, maybe of a training and a test part."""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.whole_numbers import OF_DECLARED, merged_columns, tell_of_long
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
_MATRICES = re.compile(r"double|single|u?int\d+|sparse")
# Version 5: the bytes before the first element, types of elements, and classes of arrays.
_HEADER, _MATRIX, _COMPRESSED, _COMPLEX = 128, 14, 15, 0x800
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CLASSES = {
    **{1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single"},
    **{
        8: "int8",
        9: "uint8",
        10: "int16",
        11: "uint16",
        12: "int32",
        13: "uint32",
        14: "int64",
        15: "uint64",
    },
}
_LONGEST_SIDE = 3_000_000  # of a sparse matrix with fewer cells


@dataclass(frozen=True)
class _Variable:
    shape: tuple[int, ...]
    kind: str
    matrix: Callable[[], Any]

    def __str__(self) -> str:
        return f"{' x '.join(map(str, self.shape))} {self.kind}"


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
        If a file is none of MATLAB, or of version 4 or 7.3; if variables are not found, are no matrices of
        numbers, or do not belong together.
    """
    parts = [part for place in range(len(paths)) for part in _parts(paths, place, reading)]
    turned = _turned(parts)
    for name, is_turned in zip(parts[0].names, turned, strict=True):
        if is_turned:
            what = f"'{name}' has a column for each example, and is transposed"
            warnings.warn(DataNotice(what, file=parts[0].path), stacklevel=3)
    features, labels = (
        [part.matrices[kind].T if turned[kind] else part.matrices[kind] for part in parts] for kind in (0, 1)
    )
    tables = [_table(part.path, X, "x") for part, X in zip(parts, features, strict=True)]
    label_tables = [_table(part.path, own, "y") for part, own in zip(parts, labels, strict=True)]
    Y = [label_matrix_of(table, range(table.values.shape[1]), reading.positive) for table in label_tables]
    header = [attribute.name for attribute in tables[0].attributes]
    merged = [header[place] for place in merged_columns(features)]
    if merged:
        tell_of_long(merged, OF_DECLARED, file=parts[0].path, left_out=reading.unread(header))
    names = tuple(attribute.name for attribute in label_tables[0].attributes)
    return tables, GivenLabels(sp.csr_array(sp.vstack(Y, format="csr")), names)


def _table(path: Path, matrix: Any, letter: str) -> ArffTable:
    values: Any = sp.csr_array(matrix) if sp.issparse(matrix) else np.ascontiguousarray(matrix)
    values = values.astype(np.float64, copy=False)
    attributes = tuple(Attribute(f"{letter}{j}", None, 1) for j in range(1, matrix.shape[1] + 1))
    return ArffTable(str(path), "", attributes, values, np.arange(1, matrix.shape[0] + 1))


def _parts(paths: Sequence[Path], place: int, reading: Reading) -> list[_Part]:
    """Return the part of the data in a file, or the training and the test part of the only file."""
    path = paths[place]
    variables = _variables(read_bytes(path), path)
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
    parts = [_part(path, pair, variables) for pair in [chosen, *([further] if further in whole else [])]]
    if reading.x is None or reading.y is None:
        said = "; ".join(f"features '{part.names[0]}', labels '{part.names[1]}'" for part in parts)
        warnings.warn(DataNotice(f"read from it: {said} (--x and --y name others)", file=path), stacklevel=4)
    return parts


def _pairs(variables: Mapping[str, _Variable]) -> dict[str, dict[str, str]]:
    """Return the likeliest variables of features (x) and labels (y), by part: train, test, or neither."""
    ranked: dict[tuple[str, str], tuple[int, str]] = {}
    for name, variable in variables.items():
        found = _NAME.fullmatch(re.sub(r"[^a-z]", "", name.lower()))
        if found is None or not _MATRICES.fullmatch(variable.kind) or (found[1] and found[3]):
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
    pairs: Mapping[str, Mapping[str, str]], variables: Mapping[str, _Variable], path: Path
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


def _part(path: Path, pair: Mapping[str, str], variables: Mapping[str, _Variable]) -> _Part:
    names, matrices = (pair["x"], pair["y"]), []
    for name in names:
        if name not in variables:
            hint = did_you_mean(name, list(variables))
            raise UserError(f"holds no variable '{shortened(name)}'", file=path, hint=hint)
        variable = variables[name]
        if not _MATRICES.fullmatch(variable.kind) or len(variable.shape) != 2 or 0 in variable.shape:
            raise UserError(
                f"'{shortened(name)}' is no matrix of numbers ({variable})",
                file=path,
                hint="name others (--x, --y), or save matrices of numbers",
            )
        try:
            matrices.append(variable.matrix())
        except Exception as error:
            raise _damaged(path, error) from error
    return _Part(path, names, (matrices[0], matrices[1]))


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


def _variables(content: bytes, path: Path) -> dict[str, _Variable]:
    """Return the variables of a file of version 5 to 7.2 by name.

    SciPy's reader trusts what a damaged file states, and then ends the process.
    """
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None or content.startswith(b"MATLAB 7.3") or b"\x89HDF\r\n" in content[:520]:
        raise UserError(
            "is not a MATLAB file of version 5 to 7.2",
            file=path,
            hint="save it in MATLAB as version 7: save('file.mat', '-v7')",
        )
    try:
        return dict(_of_version_5(content, order, path))
    except UserError:
        raise
    except Exception as error:  # of a damaged file there is no end of them
        raise _damaged(path, error) from error


def _of_version_5(content: bytes, order: str, path: Path) -> Iterator[tuple[str, _Variable]]:
    """Yield the variables with their names, unpacked as far as `most_unpacked` allows."""
    left = most_unpacked(len(content))
    for kind, element in _elements(content[_HEADER:], order):
        if kind == _COMPRESSED:
            unpacked = zlib.decompressobj().decompress(element, left + 1)
            left -= len(unpacked)
            if left < 0:
                raise UserError(
                    f"unpacks from {len(content):,} to more than {most_unpacked(len(content)):,} bytes",
                    file=path,
                    hint="if it is genuine, save it without compression (-v6)",
                )
            kind, element = next(_elements(unpacked, order))
        if kind != _MATRIX:
            raise ValueError(f"an element of the type {kind}")
        parts = list(_elements(element, order))
        (flags,) = struct.unpack_from(f"{order}I", parts[0][1])
        shape, name = tuple(_numbers(*parts[1], order).tolist()), parts[2][1].decode("latin-1")
        of_numbers = _CLASSES.get(flags & 0xFF, "of another kind")
        what = f"complex {of_numbers}" if flags & _COMPLEX else of_numbers
        yield name, _Variable(shape, what, partial(_matrix, what, shape, parts[3:], order))


def _elements(content: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the bytes of each element; small ones have both in eight bytes."""
    place = 0
    while place + 8 <= len(content):
        kind, size = struct.unpack_from(f"{order}II", content, place)
        is_small = kind >> 16
        if is_small:
            kind, size = kind & 0xFFFF, kind >> 16
        start = place + (4 if is_small else 8)
        if start + size > len(content) or (is_small and size > 4):
            raise ValueError("it is cut short")
        yield kind, content[start : start + size]
        place = start + size if kind == _COMPRESSED else place + 8 if is_small else start + -(-size // 8) * 8


def _numbers(kind: int, content: bytes, order: str) -> np.ndarray:
    return np.frombuffer(content, dtype=f"{order}{_TYPES[kind]}")


def _matrix(what: str, shape: tuple[int, ...], parts: Sequence[tuple[int, bytes]], order: str) -> Any:
    """Return a matrix of numbers, dense or CSC.

    Raises
    ------
    Exception
        If its parts do not fit its shape.
    """
    numbers = [_numbers(kind, content, order) for kind, content in parts]
    if what != "sparse":
        return numbers[0].reshape(shape, order="F")
    rows, starts, values = numbers
    if max(shape) > max(_LONGEST_SIDE, len(rows)):
        raise ValueError(f"{max(shape):,} rows or columns, and {len(rows):,} cells")
    n = int(starts[-1])
    matrix = sp.csc_array((values[:n], rows[:n].astype(np.int32), starts.astype(np.int32)), shape=shape)
    matrix.check_format(full_check=True)
    matrix.sum_duplicates()
    return matrix


def _damaged(path: Path, error: Exception) -> UserError:
    return UserError(
        f"is not a MATLAB file that can be read ({shortened(str(error), 200)})",
        file=path,
        hint="fetch or copy it again",
    )
