"""What is in a file of MATLAB: matrices, texts, and the fields of structs, each under its name."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.errors import UserError, shortened
from mlsieve.files.budget import most_unpacked

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
_ENCODINGS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_DEEPEST = 3  # structs within each other
_LONGEST_SIDE = 3_000_000  # of a sparse matrix with fewer cells


@dataclass(frozen=True)
class Variable:
    """An array: `content` returns its numbers as a matrix, and its letters or cells as a list of texts."""

    shape: tuple[int, ...]
    kind: str
    content: Callable[[], Any]

    def __str__(self) -> str:
        return f"{' x '.join(map(str, self.shape))} {self.kind}"


def variables_of(content: bytes, path: Path) -> dict[str, Variable]:
    """Return the variables of a file of version 5 to 7.2 by name; the fields of a struct in its place.

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
        raise damaged(path, error) from error


def _of_version_5(content: bytes, order: str, path: Path) -> Iterator[tuple[str, Variable]]:
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
        yield from _arrays(element, order)


def _arrays(
    element: bytes, order: str, name: str | None = None, depth: int = 0
) -> Iterator[tuple[str, Variable]]:
    """Yield an array with its name, or in place of a struct its fields with theirs."""
    if not element:  # an empty cell
        return
    parts = list(_elements(element, order))
    (flags,) = struct.unpack_from(f"{order}I", parts[0][1])
    shape = tuple(_numbers(*parts[1], order).tolist())
    name = parts[2][1].decode("latin-1") if name is None else name
    kind = _CLASSES.get(flags & 0xFF, "of another kind")
    if kind == "struct" and shape == (1, 1) and depth < _DEEPEST:
        width, fields = int(_numbers(*parts[3], order)[0]), parts[4][1]
        names = [fields[start : start + width] for start in range(0, len(fields), width)]
        for own, (_, field) in zip(names, parts[5:], strict=True):
            own_name = own.partition(b"\0")[0].decode("latin-1")
            yield from _arrays(field, order, f"{name}.{own_name}", depth + 1)
        return
    what = f"complex {kind}" if flags & _COMPLEX else kind
    content = {"cell": _cells, "char": _rows}.get(what, partial(_matrix, what))
    yield name, Variable(shape, what, partial(content, shape, parts[3:], order))


def _cells(shape: tuple[int, ...], parts: Sequence[tuple[int, bytes]], order: str) -> list[str]:
    """Return the texts in the cells of an array.

    Raises
    ------
    Exception
        If a cell holds something else.
    """
    found = [variable for _, cell in parts for _, variable in _arrays(cell, order, "", _DEEPEST)]
    if any(variable.kind != "char" for variable in found):
        raise ValueError("a cell without a text")
    return ["".join(variable.content()) for variable in found]


def _rows(shape: tuple[int, ...], parts: Sequence[tuple[int, bytes]], order: str) -> list[str]:
    """Return the rows of an array of letters as texts."""
    kind, content = parts[0]
    encoding = _ENCODINGS[kind]
    if encoding in ("utf-16", "utf-32"):
        encoding += "-le" if order == "<" else "-be"
    text = content.decode(encoding)
    if len(text) != math.prod(shape):
        raise ValueError(f"{len(text)} letters for {shape}")
    return [text[row :: shape[0]] for row in range(shape[0])]


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


def damaged(path: Path, error: Exception) -> UserError:
    return UserError(
        f"is not a MATLAB file that can be read ({shortened(str(error), 200)})",
        file=path,
        hint="fetch or copy it again",
    )
