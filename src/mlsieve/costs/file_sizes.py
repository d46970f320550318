"""Sizes of data files, estimated from their beginnings: enough to estimate what jobs on them cost."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mlsieve.data.catalog import DatasetEntry
from mlsieve.data.readers.packed import xz_stream

# Of each file so many unpacked bytes are looked at: headers of 50,000 attributes take two million.
_SAMPLE = 1 << 22
# A packed file is unpacked so far to measure its length; a longer one is assumed to continue as it begins.
_COUNTED = 1 << 26
_DATA = re.compile(r"^[ \t]*@data\b.*$", re.IGNORECASE | re.MULTILINE)
_ATTRIBUTE = re.compile(r"^[ \t]*@attribute\b(.*)$", re.IGNORECASE | re.MULTILINE)
_NUMERIC = re.compile(r"\b(numeric|real|integer)\s*$", re.IGNORECASE)
_HIERARCHICAL = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"]\S*)\s+hierarchical\s+(.*)$""", re.IGNORECASE)
_MEKA = re.compile(r"^[ \t]*@relation\b.*-C\s+(-?\d{1,9})\b", re.IGNORECASE | re.MULTILINE)
_OPENERS: dict[bytes, Callable[..., Any]] = {b"\xfd7zXZ\x00": xz_stream, b"\x1f\x8b": gzip.open}


class _Part(NamedTuple):
    """What was read from the beginning of a file with rows.

    Attributes
    ----------
    columns, numeric : int
        Columns, and those of them that hold numbers.
    rows, stored : float
        Estimates for the whole file: rows, and values of sparse rows (0 for dense ones).
    label_count : int or None
        That of a MEKA file.
    classes : int
        Of a hierarchical attribute.
    sample : list of list of str
        Cells of the first rows, unless they are sparse.
    """

    columns: int
    numeric: int
    rows: float
    stored: float
    label_count: int | None
    classes: int
    sample: list[list[str]]


def sampled_counts(entry: DatasetEntry, paths: Mapping[str, str | os.PathLike[str]]) -> dict[str, float]:
    """Return the size of a dataset as its files' first four megabytes let one guess it.

    Parameters
    ----------
    entry : DatasetEntry
    paths : mapping of role to path-like
        Where its files are; those that are missing or cannot be read are ignored.

    Returns
    -------
    dict of str to float
        n, n_train (0 without a test part), F, L, cardinality, numeric (share of the features) and, for sparse
        rows, nonzeros, as `mlsieve.study.estimates.counts_of` names them; an unknown count is left out.
    """
    parts = {
        role: part
        for role in ("train", "valid", "all", "test")
        if role in paths and (part := _part(paths[role])) is not None
    }
    if not parts:
        return {}
    first = next(iter(parts.values()))
    rows = sum(part.rows for part in parts.values())
    labels, of_columns = _labels(entry, first, paths)
    n_features = max(1, first.columns - of_columns - len(entry.drop))
    found = {
        "n": max(1.0, rows),
        "n_train": rows - parts["test"].rows if "test" in parts and len(parts) > 1 else 0.0,
        "F": float(n_features),
        "numeric": min(1.0, first.numeric / n_features),
    }
    if labels:
        found["L"] = float(labels)
        if cardinality := _cardinality(first, entry.label_count or first.label_count, of_columns):
            found["cardinality"] = cardinality
    stored = sum(part.stored for part in parts.values())
    return found | ({"nonzeros": stored} if stored else {})


def _begin(path: str | os.PathLike[str]) -> tuple[str, float]:
    """Return the first text of a file, and its unpacked length or an estimate of it."""
    size = os.path.getsize(path)
    with open(path, "rb") as raw:
        magic = raw.read(6)
        raw.seek(0)
        opener = next((opener for mark, opener in _OPENERS.items() if magic.startswith(mark)), None)
        if opener is None:
            return raw.read(_SAMPLE).decode("utf-8", "replace"), float(size)
        with opener(raw) as stream:
            begun = stream.read(_SAMPLE)
            unpacked = len(begun)
            while unpacked < _COUNTED and (more := stream.read(_SAMPLE)):
                unpacked += len(more)
        whole = unpacked if unpacked < _COUNTED else unpacked * size / max(1, raw.tell())
    return begun.decode("utf-8", "replace"), float(whole)


def _part(path: str | os.PathLike[str]) -> _Part | None:
    try:
        text, size = _begin(path)
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        return None
    start = _DATA.search(text)
    if start is None and (text.lstrip().startswith(("@", "%")) or "\n" not in text):
        return None  # an ARFF file whose header is longer than what was read, or no table
    header = text[: start.end()] if start else text.partition("\n")[0]
    body = text[len(header) + 1 :]
    whole = len(text) >= size - 1
    lines = body.split("\n") if whole else body.split("\n")[:-1]
    rows = [line for line in lines if line.strip() and not line.startswith("%")]
    if not rows:
        return None
    seen = sum(len(line.encode()) + 1 for line in rows)
    n = float(len(rows)) if whole else (size - len(header)) * len(rows) / seen
    sparse = rows[0].lstrip().startswith("{")
    cells = [] if sparse else [line.split(",") for line in rows[:1000]]
    declared = [found.strip() for found in _ATTRIBUTE.findall(header)] if start else []
    kinds = [bool(_NUMERIC.search(found)) for found in declared] if start else list(map(_is_number, cells[0]))
    hierarchical = next((found for text in declared if (found := _HIERARCHICAL.match(text))), None)
    meka = _MEKA.search(header) if start else None
    return _Part(
        columns=len(kinds),
        numeric=sum(kinds),
        rows=n,
        stored=sum(line.count(",") + 1 for line in rows) / len(rows) * n if sparse else 0.0,
        label_count=int(meka[1]) if meka else None,
        classes=len(hierarchical[1].split(",")) if hierarchical else 0,
        sample=cells,
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell.strip() in ("", "?")
    return True


def _labels(
    entry: DatasetEntry, first: _Part, paths: Mapping[str, str | os.PathLike[str]]
) -> tuple[int, int]:
    """Return the number of labels or classes, 0 if unknown, and of columns that are no features."""
    if first.classes:
        return first.classes, 1
    flat = abs(entry.label_count or first.label_count or 0)
    try:
        if not flat and "labels" in paths:
            flat = len(re.findall(r"<label\b", _begin(paths["labels"])[0]))
        if "hierarchy" in paths:
            # Most classes of a tree are below one other: so many edges, so many classes.
            return max(flat, _begin(paths["hierarchy"])[0].count("\n")), flat
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        pass
    return flat, flat


def _cardinality(first: _Part, label_count: int | None, columns: int) -> float:
    """Return the mean number of labels that are 1 in the rows of the sample, 0 if unknown."""
    if not label_count or not columns:
        return 0.0
    where = slice(columns) if label_count > 0 else slice(-columns, None)
    rows = [row[where] for row in first.sample]
    return sum(cell.strip() == "1" for row in rows for cell in row) / len(rows) if rows else 0.0
