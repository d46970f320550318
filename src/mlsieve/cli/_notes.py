"""What a command says of its data: before its work, but not beside an error that ends it at once."""

from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mlsieve.errors import DataNotice

_WAIT = 0.5  # seconds; an error in the arguments shows before


class _Notes:
    """Lines that wait until the command writes something else, or has worked for a while."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._lines: list[str] = []
        self._said: set[str] = set()
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self.said: list[str] = []

    def add(self, line: str) -> None:
        """Take a line, once: what is so in every fold is no news in the second."""
        with self._lock:
            if line in self._said:
                return
            self._said.add(line)
            self._lines.append(line)
            if self._timer is None:
                self._timer = threading.Timer(_WAIT, self.release)
                self._timer.daemon = True
                self._timer.start()

    def release(self) -> None:
        with self._lock:
            lines, self._lines = self._lines, []
            for line in lines:
                self._stream.write(f"mlsieve: {line}\n")
                self.said.append(f"{line}\n")

    def drop(self) -> None:
        with self._lock:
            self._lines = []
            if self._timer is not None:
                self._timer.cancel()


class _Stderr:
    """The standard error, where the notes come before what is written."""

    def __init__(self, stream: Any, notes: _Notes) -> None:
        self._stream, self._notes = stream, notes

    def write(self, text: str) -> int:
        self._notes.release()
        self._notes.said.append(text)
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
    """Hold notes and notices back for a moment; without an error they are written before anything else is.

    Yields
    ------
    list of str
        All that has been written on the standard error meanwhile.
    """
    global _current
    before, stream = _current, sys.stderr
    own = _current = _Notes(stream)
    sys.stderr = _Stderr(stream, own)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", DataNotice)
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            yield own.said
        own.release()
    finally:
        own.drop()
        sys.stderr = stream
        _current = before


def _show_warning(message: Any, category: type[Warning], *rest: Any) -> None:
    """Note what was found out about data; write other warnings as Python does."""
    if issubclass(category, DataNotice):
        note(f"note: {message}")
    else:
        sys.stderr.write(warnings.formatwarning(message, category, *rest[:2]))
