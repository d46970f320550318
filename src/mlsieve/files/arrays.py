"""What an array file may hold: members of a zip archive that do not lie about their sizes, and plain arrays.

A file's checksum detects damage, not malice: who can write the file can write its checksum. So nothing in it
is evaluated, no more memory is taken than its bytes can unpack to, and an array has the size that it states.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator

import numpy as np

from mlsieve.errors import MissingPackage, UserError
from mlsieve.files.archives import blocks_of, opened_archive
from mlsieve.files.budget import memory

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<>|=][biufU][0-9]{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,18}, ?)*(?:[0-9]{1,18})?)\), \} *\n"
)
HEADER, _SMALL_HEADER = "meta.json", 1 << 24
# What a file raises that is damaged, encrypted, or no archive of arrays.
UNREADABLE = (
    OSError,
    LookupError,
    ValueError,
    EOFError,
    RuntimeError,  # an encrypted member, or one whose packing zipfile does not know
    zlib.error,
    zipfile.BadZipFile,
)
# What a wrong array or header makes of the code that reads it.
_MISFITS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def read_members(path: str | os.PathLike[str], names: Collection[str] | None = None) -> dict[str, bytes]:
    """Return the unpacked members of a zip archive by name, or those of some names.

    Parameters
    ----------
    path : path-like
        Nothing is written: names with folders in them are only names.
    names : collection of str, optional
        Only these are unpacked; what the archive says of the others is checked all the same.

    Raises
    ------
    ValueError
        If the archive declares what cannot be (see `opened_archive`), all members together more than half
        the memory that this process may have, or `HEADER` more than a header may have (see `_most_header`).
    KeyError
        If there is no member of one of the names.
    zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError
        If the archive is damaged, or encrypted.
    """
    with opened_archive(path) as archive:
        members = {member.filename: member for member in archive.infolist()}
        unpacked = sum(member.file_size for member in members.values())
        if 2 * unpacked > memory():  # its bytes, and the arrays that are made of them
            raise ValueError(f"reading it takes {2 * unpacked / 1e9:.1f} GB, more than this machine's memory")
        most = _most_header(os.path.getsize(path))
        if HEADER in members and members[HEADER].file_size > most:
            raise ValueError(f"its header unpacks to more than {most:,} bytes")
        wanted = members if names is None else names
        return {name: b"".join(blocks_of(archive, members[name])) for name in wanted}


def _most_header(size: int) -> int:
    """Return how many bytes the header of a file may have: read as JSON, it takes 20 times as much."""
    return max(_SMALL_HEADER, 10 * size)


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """Return what an array file says that it holds, from its header alone; None if it is no such file.

    The checksum is not looked at: `mlsieve.files.writing.read_arrays` does so where the file is used.
    """
    try:
        return str(json.loads(read_members(path, [HEADER])[HEADER])["kind"])
    except (*UNREADABLE, TypeError):
        return None


def array_from(data: bytes) -> np.ndarray:
    """Return the array in the bytes of a ``.npy`` file of version 1.0, which may hold numbers and text only.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    ndarray of bool, int, uint, float or fixed-width unicode

    Raises
    ------
    ValueError
        If it is none, or its size is not the one stated.

    References
    ----------
    https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
    """
    start = len(_MAGIC) + 2
    stop = start + int.from_bytes(data[len(_MAGIC) : start], "little")
    header = _HEADER.fullmatch(data, start, min(stop, len(data)))
    if not data.startswith(_MAGIC) or header is None:
        raise ValueError("an array's header is wrong")
    try:
        dtype = np.dtype(header[1].decode())
    except TypeError as error:
        raise ValueError("an array's type is unknown") from error
    shape = tuple(int(size) for size in header[3].split(b",") if size.strip())
    if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != len(data) - stop:
        raise ValueError("an array has another size than it states")
    if dtype.kind == "U":
        points = np.frombuffer(data, np.dtype("u4").newbyteorder(dtype.byteorder), offset=stop)
        if (points > 0x10FFFF).any():
            raise ValueError("an array's text is not a text")
    flat = np.frombuffer(data, dtype, offset=stop).copy()
    return flat.reshape(shape, order="F" if header[2] == b"True" else "C")


def texts_from(array: np.ndarray) -> tuple[str, ...]:
    """Return the texts of an array of text of shape (n,); ValueError if it is another one."""
    if array.ndim != 1 or array.dtype.kind != "U":
        raise ValueError("names are not a list of texts")
    return tuple(array.tolist())


def require_starts(starts: np.ndarray, parts: int, total: int) -> None:
    """Raise ValueError unless int64 values rise from 0 to `total` and are the starts of `parts` parts."""
    if starts.shape != (parts + 1,) or starts.dtype != np.int64:
        raise ValueError("parts do not fit their number")
    if starts[0] != 0 or starts[-1] != total or (np.diff(starts) < 0).any():
        raise ValueError("parts do not fit what they divide")


@contextlib.contextmanager
def complete(path: str | os.PathLike[str], what: str, hint: str) -> Iterator[None]:
    """Turn what arrays that do not fit each other raise into one line.

    Parameters
    ----------
    path : path-like
        The file that they were read from.
    what : str
        What it should be: "dataset".
    hint : str

    Raises
    ------
    UserError
        In place of a KeyError, ValueError, TypeError and the like, and of one that names no file.
    MissingPackage
        As it is.
    """
    try:
        yield
    except MissingPackage:
        raise
    except (UserError, *_MISFITS) as error:
        reason = error.what if isinstance(error, UserError) else str(error) or type(error).__name__
        raise UserError(f"is not a complete {what} ({reason})", file=path, hint=hint) from error
