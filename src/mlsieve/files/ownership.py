"""Whether mlsieve wrote a file: what a command may write over, and what it must leave alone."""

from __future__ import annotations

import os
from pathlib import Path

from mlsieve.files.writing import in_marked_folder, kind_of

# How the tables begin that commands write.
_FIRST_COLUMNS = (
    "rank,feature_index,feature,score",
    "ranking,measure,value",
    "measure,value",
    "measure,mean,standard_deviation",
    "method,measure,",
    *(f"dataset,{column}" for column in ("split,", "family,", "reason", "source", "task,", "method,seconds")),
    "question,family,",
    "choice,kind,item,",
    "first,second,",
    "label,size,",
    "selector,iteration,",
    "ensemble,score,size,ties,",
    "label,rows,",
    "first,second,",
    "feature,kind,",
    "parent,child\nroot,",
)
_FIGURE = (b"Matplotlib",)
_NAMES = {
    ".svg": _FIGURE,
    ".pdf": _FIGURE,
    ".png": _FIGURE,
    ".html": (b"mlsieve",),
    ".arff": (b"% written by mlsieve",),
    ".xml": (b"<!-- written by mlsieve",),
    ".json": (
        b"mlsieve",
        *(b'{\n  "%s": ' % key for key in (b"analysis", b"sentences", b"dataset", b"performance")),
    ),
}
_FIRST_BYTES = 1 << 16


def written_by_mlsieve(path: str | os.PathLike[str]) -> bool:
    """Return whether an existing file may be written over, as mlsieve wrote it or it is empty.

    Parameters
    ----------
    path : path-like
        An existing file.

    Notes
    -----
    A file of a study lies in a folder with its mark. Any other one is recognised by its content: an array
    file by its header, a table by its first columns, a figure, a page or a JSON file by a name in it.
    """
    path = Path(path)
    if path.stat().st_size == 0 or in_marked_folder(path):
        return True
    with path.open("rb") as stream:
        beginning = stream.read(_FIRST_BYTES)
    if beginning.startswith(b"PK"):
        return kind_of(path) is not None
    if beginning.decode("utf-8", "replace").startswith(_FIRST_COLUMNS):
        return True
    return any(name in beginning for name in _NAMES.get(path.suffix, ()))
