"""Text of a data file, whole: xz and gz are unpacked on the fly, and it must be UTF-8."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import zlib
from pathlib import Path
from typing import Any

from mlsieve.errors import UserError

_XZ, _GZIP = b"\xfd7zXZ\x00", b"\x1f\x8b"
PACKED_SUFFIXES = (".xz", ".gz")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the unpacked bytes of a file; what it is packed with is told from its first bytes.

    Parameters
    ----------
    path : path-like
        Plain, xz or gzip file.

    Raises
    ------
    UserError
        If the file is missing or unreadable, or its xz or gzip stream is damaged or cut short.
    """
    path = Path(path)
    try:
        packed = path.read_bytes()
    except FileNotFoundError as error:
        raise UserError("no such file", file=path, cure="check the path") from error
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror or error}", file=path, cure="check the path and its permissions"
        ) from error
    try:
        if packed.startswith(_XZ):
            return lzma.decompress(packed, lzma.FORMAT_XZ)
        if packed.startswith(_GZIP):
            return gzip.decompress(packed)
    except (lzma.LZMAError, EOFError, OSError, zlib.error) as error:
        kind = "xz" if packed.startswith(_XZ) else "gzip"
        raise UserError(
            f"damaged or truncated {kind} file ({error})", file=path, cure="fetch or copy it again"
        ) from error
    if path.suffix in PACKED_SUFFIXES:
        if (_XZ if path.suffix == ".xz" else _GZIP).startswith(packed):
            raise UserError(
                f"truncated file: {len(packed)} bytes are left of it",
                file=path,
                cure="fetch or copy it again",
            )
        raise UserError(
            f"is named {path.suffix} but is not such a file",
            file=path,
            cure="rename it, or fetch or copy it again",
        )
    return packed


def read_start(path: str | os.PathLike[str], size: int = 1 << 16) -> bytes:
    """Return at most the first `size` unpacked bytes of a file, without unpacking the rest.

    Raises
    ------
    UserError
        As `read_bytes`, as far as it shows so early in the file.
    """
    path = Path(path)
    try:
        with path.open("rb") as plain:
            magic = plain.read(len(_XZ))
        opener: Any = lzma.open if magic == _XZ else gzip.open if magic.startswith(_GZIP) else open
        with opener(path, "rb") as stream:
            return stream.read(size)
    except (lzma.LZMAError, EOFError, OSError, zlib.error):
        return read_bytes(path)[:size]  # tells what is wrong


def read_text(path: str | os.PathLike[str]) -> str:
    """Return a file's text, unpacked and decoded; line ends come out as they stand in the file.

    Parameters
    ----------
    path : path-like
        Plain, xz or gzip file of UTF-8 text (a byte order mark is dropped).

    Raises
    ------
    UserError
        As `read_bytes`; also if the file holds NUL bytes or is not UTF-8 (the message names the line).
    """
    data = read_bytes(path)
    zero = data.find(b"\0")
    if zero >= 0:
        raise UserError(
            "is not a text file", file=path, line=data.count(b"\n", 0, zero) + 1, cure="check the path"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"is not UTF-8 text (byte 0x{data[error.start]:02x})",
            file=path,
            line=line,
            cure="convert it, e.g. iconv -f latin1 -t utf-8",
        ) from error


def sha256_unpacked(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's unpacked bytes as 64 hex digits."""
    return hashlib.sha256(read_bytes(path)).hexdigest()
