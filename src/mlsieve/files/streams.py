"""Text that leaves a command: names from files move no cursor of a terminal, and end no row of a CSV file.

What is for people, on both, has its control characters spelled out by `words_spelled_out`. Data on the
standard output, such as a table as CSV, are written within `data_output`: as they are, so that a program that
reads them gets the names, but at a terminal, which people read, like everything else.
"""

from __future__ import annotations

import contextlib
import csv
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from mlsieve.errors import printable

_KEPT = "\n\t"


def _lines_spelled_out(text: str) -> str:
    r"""Return lines of text with control characters and the like spelled out, such as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(letter if letter in _KEPT else printable(letter) for letter in text)


class _Words:
    """An output on which control characters are spelled out."""

    def __init__(self, stream: Any) -> None:
        self.unchanged, self._holds_data = stream, False

    def write(self, text: str) -> int:
        plain = self._holds_data and not self.unchanged.isatty()
        self.unchanged.write(text if plain else _lines_spelled_out(text))
        return len(text)

    @contextlib.contextmanager
    def data(self) -> Iterator[None]:
        """Write data in the body."""
        self._holds_data, before = True, self._holds_data
        try:
            yield
        finally:
            self._holds_data = before

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unchanged, name)


@contextlib.contextmanager
def words_spelled_out() -> Iterator[None]:
    """Spell control characters out in all that the body writes on the standard output and error."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_Words, before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextlib.contextmanager
def data_output() -> Iterator[TextIO]:
    """Yield the standard output for data."""
    with getattr(sys.stdout, "data", contextlib.nullcontext)():
        yield sys.stdout


def unchanged(stream: Any) -> Any:
    """Return the stream below one of `words_spelled_out`, for text that may move the cursor."""
    return getattr(stream, "unchanged", stream)


class CsvLines:
    r"""A text file for the rows of a `csv.writer` with the ends ``\r\n``, which become ``\n``.

    The writer puts quotes around the letters of its own ends only: with ``\n``, a name that holds ``\r``
    would be two rows.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> int:
        return self._stream.write(line.removesuffix("\r\n") + "\n")

    def __iter__(self) -> Iterator[str]:  # pandas takes nothing else for a file
        return iter(())


def csv_writer(stream: TextIO) -> Any:
    r"""Return a `csv.writer` whose rows end with ``\n``, and which any text comes back from."""
    return csv.writer(CsvLines(stream), lineterminator="\r\n")
