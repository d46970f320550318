"""The folders of a study, in which every file has a checksum beside it and a damaged one is removed.

A mark is a file that anyone can put anywhere. So it counts only in the folders that a study writes: those
below ``results`` in the working folder, and the cache (``MLSIEVE_CACHE``).
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MARK = ".mlsieve"
_MARK_TEXT = (
    "mlsieve writes the files of this folder. A hidden file next to each one holds its checksum. If a file\n"
    "no longer matches its checksum, mlsieve removes it on reading, and the next run writes it again.\n"
)
_marked: set[Path] = set()  # by this process


def mark_folder(folder: str | os.PathLike[str]) -> None:
    """Declare that mlsieve may remove what it wrote in a folder, or below it, once it is damaged.

    A folder that cannot be written stays without the mark: nothing will be written or removed in it either.
    """
    mark = Path(os.path.abspath(folder)) / MARK
    with contextlib.suppress(OSError):
        if not mark.is_file():
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text(_MARK_TEXT, encoding="utf-8")
        _marked.add(mark.parent)


def study_folder_of(path: str | os.PathLike[str]) -> Path | None:
    """Return the marked folder of a study, or of the cache, in which a path lies; None outside of them."""
    place = Path(os.path.abspath(path))
    results = Path(os.path.abspath("results"))
    own = {*_marked, Path(os.path.abspath(os.environ.get("MLSIEVE_CACHE") or results / "cache"))}
    own |= {parent for parent in place.parents if parent.parent == results}
    found = (parent for parent in place.parents if parent in own)
    return next((folder for folder in found if (folder / MARK).is_file()), None)
