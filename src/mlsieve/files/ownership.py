"""Whether mlsieve wrote a file: what a command may write over, and what it must leave alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlsieve.files.checksums import sha256_of
from mlsieve.files.writing import in_marked_folder, kind_of, record_file, write_json

# First lines of the tables that commands write, and beginnings of those whose further columns vary. Each is
# long enough that no other program's table has it by chance.
_FIRST_LINES = {
    "measure,value",
    "ranking,measure,value",
    "dataset,reason",
    "dataset,source",
    "first,second,similarity",
    "first,second,features,similarity",
    "first,second,rows,jaccard,lift",
}
_BEGINNINGS = (
    "rank,feature_index,feature,score",
    "measure,mean,standard_deviation,folds",
    "method,measure,mean,standard_deviation,folds",
    "dataset,split,method,ensemble,",
    "dataset,split,repeat,",
    "dataset,task,n_train,n_test,",
    "dataset,reason,status,step,",
    "dataset,method,seconds,cpu_seconds,",
    "question,family,variant,evaluator,",
    "question,family,kind,tests,",
    "choice,kind,item,value,",
    "label,size,largest,datasets,",
    "label,rows,frequency,imbalance,",
    "feature,kind,missing,values,",
    "selector,iteration,feature,",
    "ensemble,score,size,ties,",
    "paper,kind,place,question,measure,",
    "paper,place,measure,published,",
)
_FIGURE = (b"Matplotlib",)
_NAMES = {
    ".svg": _FIGURE,
    ".pdf": _FIGURE,
    ".png": _FIGURE,
    ".html": (b"mlsieve",),
    ".arff": (b"% written by mlsieve",),
    ".xml": (b"<!-- written by mlsieve",),
}
# What JSON files begin with: a key, or two where the first alone is a common word.
_JSON_BEGINNINGS = (
    *(b'{\n  "%s": ' % key for key in (b"analysis", b"sentences", b"mlsieve", b"$schema", b"performance")),
    b'{\n  "dataset": ',
    b'{\n  "counts": {\n    "datasets": ',
    b'{\n  "questions": [\n',
    b'{\n  "datasets": [\n    {\n      "key": ',
)
_FIRST_AND_FURTHER = (
    (b'{\n  "study": "', (b'\n  "finished": "', b'\n  "task": "', b'\n  "title": "')),
    (b'[\n  {\n    "name": "', (b'\n    "files": [',)),
)
_FIRST_BYTES = _LAST_BYTES = 1 << 16


def written_by_mlsieve(path: str | os.PathLike[str]) -> bool:
    """Return whether an existing file may be written over: mlsieve wrote it like this, or it is empty.

    Parameters
    ----------
    path : path-like
        An existing file.

    Notes
    -----
    A file of a study lies in a folder with its mark. Any other one is recognised by its content: an array
    file by its header, a table by its first columns, a figure, a page or a JSON file by a name in it.
    A ranking that was changed since differs from the checksum in its record. A file of data that says
    nothing of who wrote it is mlsieve's if it agrees with the checksum in its record.
    """
    path = Path(path)
    if path.stat().st_size == 0 or in_marked_folder(path):
        return True
    if _checksum_on_record(path, "data") is not None and not _was_changed(path, "data"):
        return True
    with path.open("rb") as stream:
        beginning = stream.read(_FIRST_BYTES)
        stream.seek(max(len(beginning), path.stat().st_size - _LAST_BYTES))
        end = stream.read()
    if beginning.startswith(b"PK"):
        return kind_of(path) is not None
    first = beginning.decode("utf-8", "replace").partition("\n")[0]
    if first in _FIRST_LINES or first.startswith(_BEGINNINGS):
        return not _was_changed(path, "ranking")
    if path.suffix == ".json":
        return beginning.startswith(_JSON_BEGINNINGS) or any(
            beginning.startswith(first) and any(key in beginning for key in further)
            for first, further in _FIRST_AND_FURTHER
        )
    return any(name in beginning or name in end for name in _NAMES.get(path.suffix, ()))


def write_record(path: str | os.PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write the record of a file of data, by which it is known as mlsieve's until it is changed.

    Parameters
    ----------
    path : path-like
        As it was written; a device has no record.
    facts : mapping
        JSON-serialisable: what the file holds.
    """
    if os.path.isfile(path):
        from mlsieve import __version__

        content = {"mlsieve": __version__, **facts, "data": {"sha256": sha256_of(path)}}
        write_json(record_file(path), content)


def _checksum_on_record(path: Path, key: str) -> str | None:
    """Return the checksum that a file's record gives under a key; None if there is none."""
    try:
        return str(json.loads(record_file(path).read_text("utf-8"))[key]["sha256"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _was_changed(path: Path, key: str) -> bool:
    """Return whether a file is no longer what its record says; False without one."""
    return _checksum_on_record(path, key) not in (None, sha256_of(path))
