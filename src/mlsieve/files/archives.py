"""Zip archives whose members are no larger than they declare, so that a budget can be kept before unpacking.

`zipfile` believes the directory of an archive: it unpacks a member at once, and then cuts it to the size that
it declares.
"""

from __future__ import annotations

import contextlib
import copy
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MOST_MEMBERS = 1000
_MOST_PER_BYTE = 1032  # of what deflate packs, see its specification (RFC 1951)
_BLOCK = 1 << 16


@contextlib.contextmanager
def opened_archive(file: str | os.PathLike[str] | IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Yield a zip archive; what it declares is possible, and nothing of it has been unpacked.

    Raises
    ------
    ValueError
        If a name occurs twice, there are more than 1,000 members, members overlap, one is packed other than
        by deflate, which bounds what a byte can unpack to (1,032 bytes), or declares more than that.
    zipfile.BadZipFile, OSError
        If the archive is damaged.
    """
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > _MOST_MEMBERS or len({member.filename for member in members}) < len(members):
            raise ValueError("too many members, or two of one name")
        if any(member.compress_type not in _METHODS for member in members):
            raise ValueError("packed in an unknown way")
        if sum(member.compress_size for member in members) > archive.start_dir:
            raise ValueError("its members overlap")
        if any(member.file_size > _MOST_PER_BYTE * member.compress_size for member in members):
            raise ValueError("a member declares more bytes than it can unpack to")
        yield archive


def blocks_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member's unpacked bytes in blocks of 64 KiB at most.

    Raises
    ------
    ValueError
        As soon as it turns out longer than it declares.
    zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError
        If it is damaged or encrypted.
    """
    packed = copy.copy(member)  # its bytes as they are
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, member.compress_size
    packed.CRC = None  # type: ignore[assignment]  # that of the unpacked bytes is compared below
    size = checksum = 0
    with archive.open(packed) as stream:
        plain = iter(lambda: stream.read(_BLOCK), b"")
        for block in plain if member.compress_type == zipfile.ZIP_STORED else _inflated(plain):
            size, checksum = size + len(block), zlib.crc32(block, checksum)
            if size > member.file_size:
                raise ValueError("a member is longer than it declares")
            yield block
    if size != member.file_size or checksum != member.CRC:
        raise zipfile.BadZipFile(f"member {member.filename!r} is damaged")


def _inflated(packed: Iterable[bytes]) -> Iterator[bytes]:
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    for rest in packed:
        while not decoder.eof:
            block, rest = decoder.decompress(rest, _BLOCK), decoder.unconsumed_tail
            if block:
                yield block
            if not rest and len(block) < _BLOCK:  # of a full one, zlib may have more
                break
