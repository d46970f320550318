"""Checksums inside files, by which mlsieve knows its texts and figures until someone changes them."""

from __future__ import annotations

import hashlib
import re
import zlib

# What a file says of who wrote it; the checksum is that of the file without its digits.
_SIGNATURE = "written by mlsieve (sha256 of the file without this number: %s)"
_START, _, _END = (part.encode() for part in _SIGNATURE.partition("%s"))
_SIGNED = re.compile(re.escape(_START) + rb"([0-9a-f]{64})" + re.escape(_END))
# The last chunk of a PNG file. Each chunk has the number of its bytes, a name, the bytes and their CRC-32.
_PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
_PNG_TEXT = b"tEXt"
_PNG_KEY = b"Comment\0"
_CRC_BYTES = 4


def signed(before: str, after: str) -> str:
    """Return a text with a signature, by which it is known as mlsieve's until it is changed.

    Parameters
    ----------
    before, after : str
        What the text holds before and after the words of the signature, such as the signs of a comment.
    """
    return _signed(before.encode(), after.encode()).decode()


def signed_figure(content: bytes, kind: str) -> bytes:
    """Return a figure's file with a signature: a comment near its end, or a text chunk of a PNG file.

    Parameters
    ----------
    content : bytes
        Of a whole file.
    kind : {"svg", "pdf", "png"}
    """
    if kind == "svg":
        return _signed(content + b"<!-- ", b" -->\n")
    if kind == "pdf":
        end = content.rindex(b"startxref")  # a file ends with the place of its table of objects
        return _signed(content[:end] + b"% ", b"\n" + content[end:])
    end = content.rindex(_PNG_END)
    size = len(_PNG_KEY) + len(_START) + hashlib.sha256().digest_size * 2 + len(_END)
    head = content[:end] + size.to_bytes(4, "big") + _PNG_TEXT + _PNG_KEY
    whole = _signed(head, _PNG_END)
    chunk_end = len(whole) - len(_PNG_END)
    crc = zlib.crc32(whole[end + 4 : chunk_end])
    return whole[:chunk_end] + crc.to_bytes(_CRC_BYTES, "big") + whole[chunk_end:]


def has_signature(part: bytes) -> bool:
    """Return whether a part of a file holds a signature, right or not."""
    return _SIGNED.search(part) is not None


def keeps_signature(content: bytes) -> bool:
    """Return whether a file is as it was when it was signed.

    Parameters
    ----------
    content : bytes
        Of the whole file.
    """
    for found in _SIGNED.finditer(content):
        rest = content[found.end(1) :]
        if rest.endswith(_PNG_END):  # the CRC depends on the checksum
            crc_start = len(_END)
            rest = rest[:crc_start] + rest[crc_start + _CRC_BYTES :]
        if _checksum(content[: found.start(1)], rest) == found[1]:
            return True
    return False


def _signed(before: bytes, after: bytes) -> bytes:
    before, after = before + _START, _END + after
    return before + _checksum(before, after) + after


def _checksum(before: bytes, after: bytes) -> bytes:
    checksum = hashlib.sha256(before)
    checksum.update(after)
    return checksum.hexdigest().encode()
