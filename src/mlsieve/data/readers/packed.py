"""Bytes of a data file: gz, xz, bz2, zst and zip are unpacked on the fly, as their first bytes say."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mlsieve.errors import UserError
from mlsieve.files.budget import LARGEST_DECODER, memory, most_unpacked

# How the files begin, by suffix.
_BEGINNINGS = {
    ".xz": b"\xfd7zXZ\x00",
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".zst": b"\x28\xb5\x2f\xfd",
    ".zip": b"PK\x03\x04",
}
PACKED_SUFFIXES = tuple(_BEGINNINGS)
_KINDS = {".gz": "gzip"}
# What stands between cells, and what a reader takes for each: 80 bytes for `1,0`, 124 for an empty row.
_MARKS, _BYTES_OF_MARK = b",;\t \n", 160
_BLOCK = 1 << 20


class Unreadable(UserError):
    """A file is not there, or the system does not give it."""


class _Damaged(Exception):
    """What a packed file's stream says of itself."""


def without_packing(path: str | os.PathLike[str]) -> Path:
    """Return a path without the suffix of a packed file, if it has one."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in _BEGINNINGS else path


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a pipe, such as ``/dev/stdin`` or what a shell makes of ``<(command)``."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the unpacked bytes of a file.

    Parameters
    ----------
    path : path-like
        Plain or packed; a ``.zip`` holds one file.

    Raises
    ------
    Unreadable
        If the file is missing, cannot be read, or is a device.
    UserError
        If it is damaged or cut short, holds several files, is packed twice, or unpacks to more than
        `most_unpacked`, or to more cells than the memory of the machine or control group takes.
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
    suffix = _packing(path, packed)
    if suffix is None:
        _require_no_promise(path, packed)
        return packed
    limit = most_unpacked(len(packed))
    try:
        with _opened(io.BytesIO(packed), suffix, path) as stream:
            content = _up_to(limit, stream)
    except _Damaged as error:
        raise UserError(
            f"damaged or truncated {_KINDS.get(suffix, suffix[1:])} file ({error})",
            file=path,
            hint="fetch or copy it again",
        ) from error
    if content is None:
        raise UserError(
            f"unpacks from {len(packed):,} to more than {limit:,} bytes",
            file=path,
            hint="if it is genuine, unpack it first",
        )
    cells = len(content)
    if cells * _BYTES_OF_MARK > memory():  # counting them takes a second per gigabyte
        cells = sum(content.count(mark) for mark in _MARKS)
    if cells * _BYTES_OF_MARK > memory():
        raise UserError(
            f"unpacks from {len(packed):,} bytes to {cells:,} cells, more than the memory takes",
            file=path,
            hint="use a machine with more memory, or if it is genuine, unpack it first",
        )
    if _packing(without_packing(path), content) is not None:  # its reader might unpack it without a limit
        raise UserError("is packed twice", file=path, hint="unpack it once, and give that file")
    return content


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a file's unpacked bytes as a stream, of which no more is unpacked than is read.

    Raises
    ------
    UserError
        As `read_bytes`, as far as it shows in what is read.
    """
    path = Path(path)
    try:
        with path.open("rb") as plain:
            beginning = plain.read(max(map(len, _BEGINNINGS.values())))
            plain.seek(0)
            suffix = _packing(path, beginning)
            if suffix is None:
                if path.suffix.lower() in _BEGINNINGS:
                    read_bytes(path)  # reports what is wrong
                yield plain
                return
            with _opened(plain, suffix, path) as stream:
                yield stream
    except (_Damaged, OSError):
        read_bytes(path)  # reports what is wrong
        raise


def _up_to(limit: int, stream: IO[bytes]) -> bytes | None:
    """Return the bytes of a stream, or None if there are more than the limit.

    In blocks, because some decoders unpack at once what is asked for, and into a buffer that becomes the
    result: nothing of it is there twice.
    """
    content = io.BytesIO()
    while block := stream.read(_BLOCK):
        content.write(block)
        if content.tell() > limit:
            return None
    return content.getvalue()


def _packing(path: Path, beginning: bytes) -> str | None:
    """Return the suffix that a file's packing has; a zip archive is one by its name, too (see .xlsx)."""
    for suffix, own in _BEGINNINGS.items():
        if beginning.startswith(own):
            return suffix if suffix != ".zip" or path.suffix.lower() == ".zip" else None
    return None


def _require_no_promise(path: Path, content: bytes) -> None:
    """Raise if a file that is not packed has the name of one that is."""
    beginning = _BEGINNINGS.get(path.suffix.lower())
    if beginning is None:
        return
    if beginning.startswith(content):
        raise UserError(
            f"truncated file: {len(content)} bytes are left of it", file=path, hint="fetch or copy it again"
        )
    raise UserError(
        f"is named {path.suffix} but does not hold {_KINDS.get(path.suffix.lower(), path.suffix[1:])} data",
        file=path,
        hint="rename it, or fetch or copy it again",
    )


@contextlib.contextmanager
def _opened(packed: IO[bytes], suffix: str, path: Path) -> Iterator[IO[bytes]]:
    """Yield the stream that a packed one holds; what its reader raises is `_Damaged`."""
    try:
        if suffix == ".zip":
            with zipfile.ZipFile(packed) as archive, archive.open(_only_member(archive, path)) as stream:
                yield stream
        else:
            with _READERS[suffix](packed) as stream:
                yield stream
    except (
        lzma.LZMAError,
        zlib.error,
        zipfile.BadZipFile,
        EOFError,
        OSError,
        MemoryError,
        RuntimeError,  # a zip file with a password, or of a kind that zipfile does not know
    ) as error:
        raise _Damaged(str(error)) from error


def _only_member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    files = [each for each in archive.infolist() if not each.is_dir() and "__MACOSX" not in each.filename]
    if len(files) != 1:
        names = ", ".join(each.filename for each in files[:4]) + (", ..." if len(files) > 4 else "")
        raise UserError(
            f"holds {len(files)} files{f' ({names})' if names else ''}, not one",
            file=path,
            hint="unpack it, and give the file",
        )
    if files[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # `zipfile` unpacks whole blocks of the other kinds at once, however little is asked for.
        raise UserError(
            "is a zip file packed in an unusual way", file=path, hint="unpack it, and give the file in it"
        )
    return files[0]


def _zstandard(packed: IO[bytes]) -> Any:
    try:
        import zstandard
    except ImportError:
        raise UserError(
            "zst files need the package 'zstandard'",
            hint="install it (pip install 'mlsieve[tables]'), or unpack the file first",
        ) from None
    decoder = zstandard.ZstdDecompressor(max_window_size=LARGEST_DECODER)
    return _ZstandardStream(decoder.stream_reader(packed, read_across_frames=True))


class _ZstandardStream(io.RawIOBase):
    """A zst stream whose errors are those of the others."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import zstandard

        try:
            content = self._stream.read(len(buffer))
        except zstandard.ZstdError as error:
            raise OSError(str(error)) from error
        buffer[: len(content)] = content
        return len(content)


class _XzStream(io.RawIOBase):
    """An xz file of one or more streams, whose decoder takes no more memory than it may.

    `lzma.open` has no limit of that, and takes a damaged further stream for the end of the file.
    """

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._decoder: lzma.LZMADecompressor | None = None
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = b""
        while not content:
            if self._decoder is None:
                if not self._has_more():
                    return 0
                self._rest = self._rest.lstrip(b"\0")  # padding between streams
                if self._rest:
                    self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=LARGEST_DECODER)
                continue
            if self._decoder.needs_input and not self._has_more():
                raise EOFError("it ends before its end")
            content, self._rest = self._decoder.decompress(self._rest, len(buffer)), b""
            if self._decoder.eof:
                self._rest, self._decoder = self._decoder.unused_data, None
        buffer[: len(content)] = content
        return len(content)

    def _has_more(self) -> bool:
        """Return whether there are bytes that no decoder has had."""
        self._rest = self._rest or self._packed.read(io.DEFAULT_BUFFER_SIZE)
        return bool(self._rest)


def xz_stream(packed: IO[bytes]) -> IO[bytes]:
    """Return the stream that an xz file holds."""
    return io.BufferedReader(_XzStream(packed))


_READERS: dict[str, Any] = {
    ".xz": xz_stream,
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".zst": lambda packed: io.BufferedReader(_zstandard(packed)),
}
