"""Text of a data file, whole: xz and gz are unpacked on the fly, and it must be UTF-8."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlsieve.errors import UserError

_XZ, _GZIP = b"\xfd7zXZ\x00", b"\x1f\x8b"
PACKED_SUFFIXES = (".xz", ".gz")
# How much of a file is read for what its header says: long comments, but no file that unpacks without end.
FIRST_BYTES = 1 << 24
LARGEST_UNPACKED, _SMALL_UNPACKED = 1 << 31, 1 << 28
_DATA = re.compile(r"\s*@data\b", re.IGNORECASE)
_HIERARCHICAL = re.compile(
    r"""\s*@attribute\s+(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s'"]\S*)\s*\bhierarchical(?!\S)""",
    re.IGNORECASE,
)


def recognised_format(path: str | os.PathLike[str]) -> str | None:
    """Return the format of a file, as recognised from its name and beginning.

    Returns
    -------
    str or None
        csv by the name; clus by a hierarchical attribute in the header of a file that is there; None for
        other ARFF files, and those that cannot be read.
    """
    path = Path(path)
    name = path.stem if path.suffix in PACKED_SUFFIXES else path.name
    if Path(name).suffix.lower() == ".csv":
        return "csv"
    if not path.is_file():
        return None
    try:
        for line in read_first_lines(path):
            if _HIERARCHICAL.match(line):
                return "clus"
            if _DATA.match(line):
                break
    except (UserError, BeyondLimit):
        pass
    return None


class Unreadable(UserError):
    """A file is not there, or the system does not give it."""


class BeyondLimit(Exception):
    """A file's first lines do not hold what they were read for."""


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the unpacked bytes of a file; its compression is recognised from its first bytes.

    Parameters
    ----------
    path : path-like
        Plain, xz or gzip file.

    Raises
    ------
    Unreadable
        If the file is missing, cannot be read, or is a device.
    UserError
        If its xz or gzip stream is damaged or cut short, or it
        unpacks to more than `most_unpacked`.
    """
    path = Path(path)
    try:
        if stat.S_ISCHR(path.stat().st_mode) or stat.S_ISBLK(path.stat().st_mode):
            raise Unreadable("is a device, not a file", file=path, hint="check the path")
        packed = path.read_bytes()
    except FileNotFoundError as error:
        raise Unreadable("no such file", file=path, hint="check the path") from error
    except OSError as error:
        raise Unreadable(
            f"cannot be read: {error.strerror or error}", file=path, hint="check the path and its permissions"
        ) from error
    try:
        if packed.startswith((_XZ, _GZIP)):
            return _unpacked(packed, path)
    except (lzma.LZMAError, EOFError, OSError, MemoryError, zlib.error) as error:
        kind = "xz" if packed.startswith(_XZ) else "gzip"
        raise UserError(
            f"damaged or truncated {kind} file ({error})", file=path, hint="fetch or copy it again"
        ) from error
    if path.suffix in PACKED_SUFFIXES:
        if (_XZ if path.suffix == ".xz" else _GZIP).startswith(packed):
            raise UserError(
                f"truncated file: {len(packed)} bytes are left of it",
                file=path,
                hint="fetch or copy it again",
            )
        raise UserError(
            f"is named {path.suffix} but is not such a file",
            file=path,
            hint="rename it, or fetch or copy it again",
        )
    return packed


def most_unpacked(packed_size: int) -> int:
    """Return to how many bytes a packed file may unpack.

    Parameters
    ----------
    packed_size : int
        Bytes of the packed file.

    Notes
    -----
    A thousand times its own size, or 256 MiB for a small one, and 2 GiB at most. Real data shrink to a tenth,
    very sparse ones to a hundredth, while a few kilobytes made for it unpack to gigabytes.
    """
    return min(LARGEST_UNPACKED, max(_SMALL_UNPACKED, 1000 * packed_size))


def _unpacked(packed: bytes, path: Path) -> bytes:
    limit = most_unpacked(len(packed))
    opener: Any = lzma.open if packed.startswith(_XZ) else gzip.open
    with opener(io.BytesIO(packed), "rb") as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise UserError(
            f"unpacks from {len(packed):,} to more than {limit:,} bytes",
            file=path,
            hint="if it is genuine, unpack it first",
        )
    return content


def read_first_lines(path: str | os.PathLike[str], limit: int = FIRST_BYTES) -> Iterator[str]:
    """Yield a file's lines without their line feeds, unpacking no more of it than is asked for.

    Parameters
    ----------
    path : path-like
        As for `read_text`.
    limit : int
        Unpacked bytes to read at most.

    Raises
    ------
    UserError
        As `read_text`, as far as it shows in the lines that are asked for.
    BeyondLimit
        Instead of a line that does not end within the limit.
    """
    path = Path(path)
    number, left = 0, limit
    try:
        with path.open("rb") as plain:
            magic = plain.read(len(_XZ))
        packed = magic == _XZ or magic.startswith(_GZIP)
        if path.suffix in PACKED_SUFFIXES and not packed:
            read_bytes(path)  # reports what is wrong
        opener: Any = open if not packed else lzma.open if magic == _XZ else gzip.open
        with opener(path, "rb") as stream:
            while True:
                line = stream.readline(left)
                left -= len(line)
                if left <= 0:
                    raise BeyondLimit
                number += 1
                yield _decoded(line.removesuffix(b"\n"), path, number)
                if not line.endswith(b"\n"):
                    return
    except (lzma.LZMAError, EOFError, OSError, zlib.error):
        read_bytes(path)  # reports what is wrong
        raise


def read_text(path: str | os.PathLike[str]) -> str:
    """Return a file's text, unpacked and decoded; line ends stay as in the file.

    Parameters
    ----------
    path : path-like
        Plain, xz or gzip file of UTF-8 text (a byte order mark is dropped).

    Raises
    ------
    UserError
        As `read_bytes`; also if the file holds NUL bytes or is not UTF-8 (the message names the line).
    """
    return _decoded(read_bytes(path), path, 1)


def _decoded(data: bytes, path: str | os.PathLike[str], first: int) -> str:
    """Return the text of a file's bytes from the line `first` on."""
    zero = data.find(b"\0")
    if zero >= 0:
        raise UserError(
            "is not a text file", file=path, line=data.count(b"\n", 0, zero) + first, hint="check the path"
        )
    try:
        return data.decode("utf-8-sig" if first == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + first
        raise UserError(
            f"is not UTF-8 text (byte 0x{error.object[error.start]:02x})",
            file=path,
            line=line,
            hint="convert it, e.g. iconv -f latin1 -t utf-8",
        ) from error
