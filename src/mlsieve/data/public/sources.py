"""Where a dataset's file can be downloaded: the sources of an entry of the catalog.

A source is a URL that serves the file. Two more forms are for homes that serve something else::

    sources:
      - https://...                                                 # the file itself
      - {url: https://..., sha256: ...}                             # the same data in other bytes
      - {url: https://..., sha256: ..., rows: [0, 3712], relation: Arts1-train}     # a part of what is served

In both, `sha256` is that of what the URL serves. A part has the checksum of the file, too: it is the same to
the last byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlsieve.errors import did_you_mean

_URL = re.compile(r"https?://[!-~]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RELATION = re.compile(r"[A-Za-z0-9._-]{1,200}")
_KEYS = ("url", "sha256", "rows", "relation")


@dataclass(frozen=True)
class Source:
    """One public home of a file.

    Attributes
    ----------
    url : str
        Serves the content plain, xz or gzip.
    sha256 : str or None
        Of the unpacked content that the URL serves; None where it is the file itself.
    rows : (int, int) or None
        The file has only these lines of the data of the ARFF file that is served: the first, counted from 0,
        and the one behind the last.
    relation : str or None
        The relation's name in the file, where a part has another one than the whole.
    """

    url: str
    sha256: str | None = None
    rows: tuple[int, int] | None = None
    relation: str | None = None

    def __str__(self) -> str:
        return self.url if self.rows is None else f"{self.url} (lines {self.rows[0]} to {self.rows[1] - 1})"


def sources_from(value: Any, role: str, fail: Any) -> tuple[Source, ...]:
    """Return the sources that an entry lists.

    Parameters
    ----------
    value : object
        What the catalog has under `sources`.
    role : str
        Of the file, for error messages.
    fail : callable
        Makes the exception from what is wrong and a hint.
    """
    if not isinstance(value, list):
        raise fail(f"sources of {role} are {value!r}", "give a list of http or https URLs")
    return tuple(_source_from(item, role, fail) for item in value)


def _source_from(value: Any, role: str, fail: Any) -> Source:
    item: Any = {"url": value} if isinstance(value, str) else value
    if not isinstance(item, Mapping) or not isinstance(item.get("url"), str):
        raise fail(f"sources of {role} are {[value]!r}", "give a list of http or https URLs")
    for key in item:
        if key not in _KEYS:
            raise fail(f"unknown key '{key}' of a source of {role}", did_you_mean(str(key), _KEYS))
    if not _URL.fullmatch(item["url"]):
        raise fail(f"sources of {role} are {[item['url']]!r}", "give a list of http or https URLs")
    sha256, rows, relation = item.get("sha256"), item.get("rows"), item.get("relation")
    if sha256 is not None and not _SHA256.fullmatch(str(sha256)):
        raise fail(f"sha256 of a source of {role} is {sha256!r}", "give 64 hex digits, of what it serves")
    if rows is not None:
        numbers = isinstance(rows, list) and len(rows) == 2 and all(type(row) is int for row in rows)
        if not numbers or not 0 <= rows[0] < rows[1]:
            raise fail(
                f"rows of a source of {role} are {rows!r}",
                "give the first line, from 0, and the one behind the last",
            )
        if sha256 is None:
            raise fail(f"rows of a source of {role} without sha256", "give the checksum of what it serves")
    if relation is not None and (rows is None or not _RELATION.fullmatch(str(relation))):
        raise fail(f"relation of a source of {role} is {relation!r}", "give a name, beside rows")
    return Source(item["url"], sha256, None if rows is None else (rows[0], rows[1]), relation)


def lines_of(content: bytes, rows: tuple[int, int], relation: str | None) -> bytes | None:
    """Return an ARFF file with some lines of another one's data; None if it has no such lines.

    Parameters
    ----------
    content : bytes
        A whole file.
    rows : (int, int)
        The first line after ``@data``, counted from 0, and the one behind the last.
    relation : str or None
        The new name of the relation.
    """
    lines = content.splitlines(keepends=True)
    start = next((place for place, line in enumerate(lines) if line.strip().lower() == b"@data"), None)
    if start is None or len(lines) < start + 1 + rows[1]:
        return None
    head = lines[: start + 1]
    if relation is not None:
        named = f"@relation {relation}\n".encode()
        head = [named if line.lower().startswith(b"@relation") else line for line in head]
    return b"".join([*head, *lines[start + 1 + rows[0] : start + 1 + rows[1]]])
