"""A terminal that tests write to and read: what a person would have seen, line by line."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


class Terminal:
    """A pseudo-terminal, read as it is written to."""

    def __init__(self, columns: int = 110) -> None:
        self._reader, self.writer = pty.openpty()
        fcntl.ioctl(self.writer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self._read: list[bytes] = []
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _collect(self) -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while found := os.read(self._reader, 1 << 16):
                self._read.append(found)

    def lines(self) -> list[str]:
        """Close the terminal, and return what was written: each state of a line that is drawn anew."""
        return [line.rstrip() for line in re.split(r"\r\n|\r|\n|\x1b\[A", self.text()) if line.strip()]

    def text(self) -> str:
        """Close the terminal, and return what was written."""
        os.close(self.writer)
        self._thread.join()
        os.close(self._reader)
        return b"".join(self._read).decode()


@contextlib.contextmanager
def standard_error(terminal: Terminal) -> Iterator[None]:
    """Make the terminal this process's standard error."""
    before = sys.stderr
    with os.fdopen(os.dup(terminal.writer), "w", encoding="utf-8", buffering=1) as sys.stderr:
        try:
            yield
        finally:
            sys.stderr = before


def run_in_terminal(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None, columns: int = 110
) -> tuple[int, list[str]]:
    """Run a command whose output and errors go to a terminal; return its status and the lines."""
    terminal = Terminal(columns)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=terminal.writer,
        stderr=terminal.writer,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=300,
    )
    return done.returncode, terminal.lines()
