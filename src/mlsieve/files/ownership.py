"""Whose file it is: what a command may write over, and what it must leave alone.

A command that is repeated replaces its own files without a question. Everything else stays unless ``--force``
is given. No list of what mlsieve has written is kept: a file shows it.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
from collections.abc import Iterator
from pathlib import Path

from mlsieve.errors import UserError
from mlsieve.files.arrays import kind_of

# In texts, figures, pages and sheets, near their beginning or end.
SIGNATURE = "written by mlsieve, which may replace this file"
_END_BYTES = 2048
_FIRST_BYTES = 1 << 16  # of a table, whose first line may be long
# What has the signature wherever mlsieve writes it, or is an array file.
_SIGNED = {".npz", ".svg", ".pdf", ".png", ".html", ".tex", ".md", ".arff", ".xml", ".xlsx", ".ods"}
_protecting: list[str] = [""]  # by what a file is known: its "beginning", or its "content"; empty: not at all


@contextlib.contextmanager
def protecting(force: bool) -> Iterator[None]:
    """Have `mlsieve.files.writing.atomic_path` keep the files of others meanwhile, unless `force` is true."""
    _protecting.append("" if force else "beginning")
    try:
        yield
    finally:
        _protecting.pop()


@contextlib.contextmanager
def protecting_data() -> Iterator[None]:
    """Have files without a signature replaced meanwhile only by the same content.

    Data of people have the same first line as what is made of them: training and test parts, for example.
    """
    _protecting.append(_protecting[-1] and "content")
    try:
        yield
    finally:
        _protecting.pop()


def may_be_replaced(path: str | os.PathLike[str], *first: str | bytes) -> bool:
    """Return whether an existing file may be written over, as far as it shows.

    Parameters
    ----------
    path : path-like
        An existing file.
    *first : str or bytes
        How the new content begins, or ways in which it may. Without one, tables, JSON files and others that
        have no signature pass.

    Notes
    -----
    A file may be replaced if it is empty, has the signature of texts, figures, pages and sheets, or is an
    array file of mlsieve. A table may if its first line is that of the new one, and a JSON file if its first
    key is.
    """
    beginning, end = _ends_of(path)
    if not beginning or SIGNATURE.encode() in beginning[:_END_BYTES] + end:
        return True
    if Path(path).suffix.lower() in _SIGNED:
        return beginning.startswith(b"PK") and kind_of(path) is not None
    if not first:
        return True
    new = [one.encode() if isinstance(one, str) else one for one in first]
    return any(b"\0" not in beginning + one and _first_words(beginning) == _first_words(one) for one in new)


def _ends_of(path: str | os.PathLike[str]) -> tuple[bytes, bytes]:
    with open(path, "rb") as stream:
        beginning = stream.read(_FIRST_BYTES)
        stream.seek(max(0, os.path.getsize(path) - _END_BYTES))
        return beginning, stream.read()


def _first_words(beginning: bytes) -> bytes:
    """Return the first line of a table, or what precedes the first value of a JSON file."""
    if beginning.lstrip().startswith((b"{", b"[")):
        return b"".join(beginning.partition(b'":')[0].split())
    return beginning.partition(b"\n")[0]


def require_own(path: str | os.PathLike[str], *first: str) -> None:
    """Raise a UserError if a file is there that may not be replaced (see `may_be_replaced`).

    Parameters
    ----------
    path : path-like
        That a function is to write, whose parameter ``overwrite`` allows it all the same.
    *first : str
        How the new content begins.
    """
    if os.path.isfile(path) and not may_be_replaced(path, *first):
        raise UserError(
            "is there already, and is not known to be mlsieve's",
            file=path,
            hint="choose another name, or give overwrite=True",
        )


def keep_what_is_there(path: Path, new: Path) -> None:
    """Raise a UserError if a file of others would be replaced, where that is protected.

    What was to be written is kept under a free name beside it: it may have taken an hour.

    Parameters
    ----------
    path : Path
    new : Path
        The complete new content.
    """
    if not _protecting[-1] or not path.is_file():
        return
    # Without a signature, "\0" is the beginning of nothing.
    first = _ends_of(new)[0] if _protecting[-1] == "beginning" else b"\0"
    if may_be_replaced(path, first):
        return
    if filecmp.cmp(path, new, shallow=False):
        return
    number = 2
    while os.path.lexists(kept := path.with_name(f"{path.stem}-{number}{path.suffix}")):
        number += 1
    os.replace(new, kept)
    raise UserError(
        f"already exists and begins otherwise; the new content is in {kept}",
        file=path,
        hint="choose another name, or replace it with --force",
    )
