"""Whether mlsieve wrote a file: what a command may write over, and what it must leave alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mlsieve.errors import UserError
from mlsieve.files.checksums import sha256_of
from mlsieve.files.marks import study_folder_of
from mlsieve.files.signatures import has_signature, keeps_signature
from mlsieve.files.writing import kind_of, record_file, write_json

# First lines of the tables that commands write, and beginnings of those whose further columns vary. Each is
# long enough that no other program's table has it by chance.
_FIRST_LINES = {
    "measure,value",
    "ranking,measure,value",
    "dataset,method,measure,repeat,fold,value",
    "dataset,reason",
    "dataset,source",
    "first,second,similarity",
    "first,second,features,similarity",
    "first,second,rows,jaccard,lift",
}
_BEGINNINGS = (
    "rank,feature_index,feature,score",
    "measure,mean,standard_deviation,folds",
    "measure,place,method,average_rank,",
    "place,method,mean_rank,measure,",
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
# What JSON files begin with that need no record: records, and what is made again of others (the schema, the
# index of a folder of figures).
_WITHOUT_RECORD = (
    (b'{\n  "mlsieve": ', (b"",)),
    (b'{\n  "$schema": ', (b"",)),
    (b'[\n  {\n    "name": "', (b'\n    "files": [',)),
)
# What others begin with: a key, or two where the first alone is a common word.
_WITH_RECORD = (
    *((b'{\n  "%s": ' % key, (b"",)) for key in (b"analysis", b"sentences", b"performance", b"dataset")),
    (b'{\n  "counts": {\n    "datasets": ', (b"",)),
    (b'{\n  "questions": [\n', (b"",)),
    (b'{\n  "datasets": [\n    {\n      "key": ', (b"",)),
    (b'{\n  "study": "', (b'\n  "finished": "', b'\n  "task": "', b'\n  "title": "')),
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
    A file of a study lies in a folder with its mark. An array file is recognised by its header. Whatever one
    edits by hand must be what was written: a text of data, a figure or a page holds its own checksum (see
    `mlsieve.files.signatures`), and that of a table, a ranking or a JSON file is in the record beside it.
    """
    path = Path(path)
    if path.stat().st_size == 0 or study_folder_of(path) is not None:
        return True
    recorded = _checksum_on_record(path)
    if recorded is not None:
        return recorded == sha256_of(path)
    beginning, end = _ends_of(path)
    if beginning.startswith(b"PK"):
        return kind_of(path) is not None
    if path.suffix == ".json":
        return beginning.strip() == b"[]" or _has_keys(beginning, _WITHOUT_RECORD)
    return (has_signature(beginning) or has_signature(end)) and keeps_signature(path.read_bytes())


def needs_record(path: str | os.PathLike[str]) -> bool:
    """Return whether a file that mlsieve wrote is a table or a JSON file outside a study's folders."""
    path = Path(path)
    if not path.is_file() or study_folder_of(path) is not None:
        return False
    beginning, _ = _ends_of(path)
    if path.suffix == ".json":
        return _has_keys(beginning, _WITH_RECORD)
    first = beginning.decode("utf-8", "replace").partition("\n")[0]
    return first in _FIRST_LINES or first.startswith(_BEGINNINGS)


def _has_keys(beginning: bytes, kinds: Iterable[tuple[bytes, tuple[bytes, ...]]]) -> bool:
    """Return whether a text begins as one of several kinds does, and holds one of its further keys."""
    return any(
        beginning.startswith(first) and any(key in beginning for key in further) for first, further in kinds
    )


def _ends_of(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb") as stream:
        beginning = stream.read(_FIRST_BYTES)
        stream.seek(max(len(beginning), path.stat().st_size - _LAST_BYTES))
        return beginning, stream.read()


def write_record(path: str | os.PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write the record of a file, by which it is known as mlsieve's until it is changed.

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


def _checksum_on_record(path: Path) -> str | None:
    """Return the checksum that a file's record gives of it; None if there is none."""
    try:
        content = json.loads(record_file(path).read_text("utf-8"))
        return str(content["ranking" if "ranking" in content else "data"]["sha256"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def require_own(path: str | os.PathLike[str]) -> None:
    """Raise a UserError if a file is there, and mlsieve is not known to have written it.

    Parameters
    ----------
    path : path-like
        That a function is to write, whose parameter ``overwrite`` allows it all the same.
    """
    if os.path.isfile(path) and not written_by_mlsieve(path):
        raise UserError(
            "is there already, and is not known to be mlsieve's",
            file=path,
            hint="choose another name, or give overwrite=True",
        )
