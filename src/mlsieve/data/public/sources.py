"""The files of a catalog's entry: their names, checksums, and the sources that serve them.

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
from pathlib import Path
from typing import Any

from mlsieve.errors import did_you_mean, shortened

ROLES = ("train", "valid", "test", "all", "labels", "hierarchy")

# File systems have at most 255 bytes for a name; what is left is for the ends of packed, temporary and record
# files, and for the key of a changed dataset.
_LONGEST_NAME = 200
_LONGEST_PART, _LONGEST_PATH = 255, 4095
# No folders, neither "." nor "..", and nothing that a shell or a terminal could take for more than a name.
_FILE_NAME = re.compile(r"(?!\.{1,2}$)[^/\\\x00-\x1f\x7f]+")
_FILE_KEYS = ("name", "sha256", "sources", "path")

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


@dataclass(frozen=True)
class DataFile:
    """One file of a dataset.

    Attributes
    ----------
    name : str
        File name in the mirror and the cache, without .xz or .gz.
    sha256 : str or None
        Of the unpacked file, 64 hex digits; None (own files only) leaves it unchecked.
    sources : tuple of Source
        Homes of the file, the first one that has it serves it. Empty: only a mirror or the cache has it.
    path : str or None
        Where the file lies, for a user's own.
    """

    name: str
    sha256: str | None = None
    sources: tuple[Source, ...] = ()
    path: str | None = None

    @property
    def equals(self) -> tuple[str, ...]:
        """SHA-256 of files with other bytes and the same data, which serve as well."""
        return tuple(source.sha256 for source in self.sources if source.sha256 and source.rows is None)


def file_from(role: str, value: Any, fail: Any) -> DataFile:
    """Return the file that an entry gives a role, by its path or by name, checksum and sources.

    Parameters
    ----------
    role : str
        One of `ROLES`.
    value : object
        As YAML holds it.
    fail : callable
        Function of what is wrong and a hint that returns the error to raise.
    """
    if role not in ROLES:
        raise fail(f"unknown file role '{role}'", did_you_mean(str(role), ROLES))
    if isinstance(value, str):
        value = {"path": value}
    if not isinstance(value, Mapping):
        raise fail(f"{role} is {value!r}", "give a path, or a mapping with name, sha256 and sources")
    for key in value:
        if key not in _FILE_KEYS:
            raise fail(f"unknown key '{key}' of file {role}", did_you_mean(str(key), _FILE_KEYS))
    path = value.get("path")
    if path is not None and not isinstance(path, str):
        raise fail(f"{role} is {path!r}", "give a path")
    if path is not None and _too_long(path):
        raise fail(
            f"the path of {role} is too long: {shortened(path, 100)}",
            f"a name in it has at most {_LONGEST_PART} bytes, and the path {_LONGEST_PATH}",
        )
    sha256 = value.get("sha256")
    if sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", str(sha256)):
        raise fail(f"sha256 of {role} is {sha256!r}", "give 64 hex digits, of the unpacked file")
    name = value.get("name")
    if name is None and path is not None and Path(path).name not in ("", ".."):
        name = Path(path).name  # of a file that lies where it lies: any name
    elif not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
        raise fail(f"file {role} has the name {name!r}", "give a file name without folders, or a path")
    elif len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
        raise fail(
            f"file {role} has a name that is too long: {shortened(name, 100)}",
            f"give a name of at most {_LONGEST_NAME} bytes",
        )
    sources = sources_from(value.get("sources") or [], role, fail)
    if sources and not sha256:
        raise fail(f"file {role} has sources but no sha256", "give the checksum of the unpacked file")
    return DataFile(name, sha256, sources, path)


def _too_long(path: str) -> bool:
    """Return whether no file system has a file of that path."""
    content = path.encode("utf-8", "surrogatepass")
    return len(content) > _LONGEST_PATH or any(len(part) > _LONGEST_PART for part in content.split(b"/"))
