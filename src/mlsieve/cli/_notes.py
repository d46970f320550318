"""What a command says of its data: before anything else that it writes, but not beside an error."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mlsieve.errors import DataNotice, printable
from mlsieve.progress import at_each_step


class _Notes:
    """Lines that wait until the command writes something else, starts its work at a terminal, or ends.

    Which of these comes first depends on the command alone, not on how fast the machine is.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._lines: dict[str, bool] = {}  # and whether they are written
        self.said: list[str] = []

    def add(self, line: str) -> None:
        """Take a line, once: what is so in every fold is no news in the second."""
        self._lines.setdefault(printable(line), False)

    def release(self) -> None:
        for line in [line for line, written in self._lines.items() if not written]:
            self._lines[line] = True
            self._stream.write(f"mlsieve: {line}\n")
            self.said.append(f"{line}\n")


class _Stream:
    """An output before whose text the notes are written."""

    def __init__(self, stream: Any, notes: _Notes, said: Callable[[str], None]) -> None:
        self._stream, self._notes, self._said = stream, notes, said

    def write(self, text: str) -> int:
        self._notes.release()
        self._said(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_current: _Notes | None = None
_LISTED = 3  # files that are named one by one


def in_words(files: Sequence[Path]) -> str:
    """Return the names of files of one folder that were written, and of the records beside them.

    Many are ``rankings/trees-001.csv to trees-100.csv, each with a .json``.
    """
    records = [path.with_name(f"{path.name}.json") for path in files]
    if len(files) <= _LISTED:
        beside = (path for path in records if path.is_file())
        return ", ".join(map(str, sorted([*files, *beside])))
    record = ", each with a .json" if all(path.is_file() for path in records) else ""
    return f"{files[0]} to {files[-1].name}{record}"


def note(line: str) -> None:
    """Say something of the data, in a line of its own on the standard error."""
    if _current is None:
        print(f"mlsieve: {line}", file=sys.stderr)
    else:
        _current.add(line)


@contextlib.contextmanager
def notes() -> Iterator[list[str]]:
    """Hold notes and notices back until anything else is written; an error comes without them.

    Yields
    ------
    list of str
        All that has been written on the standard error meanwhile.
    """
    global _current
    before, output, errors = _current, sys.stdout, sys.stderr
    own = _current = _Notes(errors)
    sys.stdout = _Stream(output, own, lambda text: None)
    sys.stderr = _Stream(errors, own, own.said.append)
    try:
        with warnings.catch_warnings(), at_each_step(own.release):
            warnings.simplefilter("always", DataNotice)
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            yield own.said
        own.release()
    finally:
        sys.stdout, sys.stderr = output, errors
        _current = before


def _show_warning(message: Any, category: type[Warning], *rest: Any) -> None:
    """Note what was found out about data; write other warnings as Python does."""
    if issubclass(category, DataNotice):
        note(f"note: {message}")
    else:
        sys.stderr.write(warnings.formatwarning(message, category, *rest[:2]))
