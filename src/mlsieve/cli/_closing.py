"""The last lines of a command at a terminal: which files it has written."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

_LISTED = 3  # files of a folder that are named; more are counted


def closing_lines(args: argparse.Namespace, files: Sequence[Path], said: str) -> list[str]:
    """Return a line for each file or folder that was written.

    Parameters
    ----------
    args : Namespace
        Of the command. Files that lie neither at a path that it names nor below one, such as downloads, are
        left out.
    files : sequence of Path
        That were written, in order.
    said : str
        What the command has written on the standard error: a file that it has named there is left out.
    """
    named = {Path(value) for value in vars(args).values() if isinstance(value, str) and value}
    own = [path for path in dict.fromkeys(files) if path in named or named & set(path.parents)]
    silent = [path for path in own if f"{path}: " not in said and f"{path.parent}: " not in said]
    silent = [path for path in silent if not (path.suffix == ".json" and path.with_suffix("") in own)]
    lines: list[str] = []
    for folder in dict.fromkeys(path.parent for path in silent):
        there = [path for path in silent if path.parent == folder]
        if len(there) > _LISTED:
            lines.append(f"wrote {len(there)} files in {folder}")
        else:
            lines += [f"wrote {path}" for path in there]
    return lines
