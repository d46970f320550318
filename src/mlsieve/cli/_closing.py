"""The last lines of a command: which files it has written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlsieve.cli._notes import in_words

_LISTED = 3  # files of a folder that are named; more are counted


def closing_lines(files: Sequence[Path], said: str) -> list[str]:
    """Return a line for each file that was written, or for a folder with what is below it.

    Parameters
    ----------
    files : sequence of Path
        That were written, in order.
    said : str
        What the command has written on the standard error: a file that it has named there is left out.
    """
    named = {file for line in said.splitlines() for file in line.partition(": ")[0].split(", ")}
    silent = [path for path in files if not named & {str(path), str(path.parent)}]
    silent = [path for path in silent if not (path.suffix == ".json" and path.with_suffix("") in files)]
    lines: list[str] = []
    folders = dict.fromkeys(path.parent for path in silent)
    for folder in (folder for folder in folders if not folders.keys() & set(folder.parents)):
        there = [path for path in silent if folder in path.parents]
        if len(there) > _LISTED:
            lines.append(f"wrote {len(there)} files in {folder}")
        else:
            lines += [f"wrote {in_words([path])}" for path in there]
    return lines
