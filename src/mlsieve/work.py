"""CPU seconds of a job's own work, without starting Python and without files: a line in the job's log.

Times differ from run to run and so have no place in a cached file, whose bytes do not.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PARTS = ("once", "trees", "permutation")
_HEAD = "cpu seconds of the work:"


class WorkClock:
    """CPU seconds by part of a job's work; threads may add to it at the same time.

    Attributes
    ----------
    seconds : dict of str to float
        Of `PARTS`: ``once`` (whatever the number of trees), ``trees`` (grows with their number) and
        ``permutation`` (its statistics, which only the score of that name needs).
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def measure(self, part: str, clock: Callable[[], float] = time.process_time) -> Iterator[None]:
        """Add what the body takes to a part.

        Parameters
        ----------
        part : str
            One of `PARTS`.
        clock : callable
            ``time.process_time`` for work of all threads, ``time.thread_time`` for that of the calling one.
        """
        start = clock()
        yield
        spent = clock() - start
        with self._lock:
            self.seconds[part] += spent

    def line(self) -> str:
        """Return what a job writes on stderr, for `read_work`."""
        return f"{_HEAD} " + ", ".join(f"{part} {self.seconds[part]:.6f}" for part in PARTS)


def read_work(log: str | os.PathLike[str]) -> dict[str, float] | None:
    """Return the CPU seconds by part that a job's log tells; None if it tells none or cannot be read."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return None
    told = [line for line in lines if line.startswith(_HEAD)]
    found = dict(re.findall(r"(\w+) (\d+\.\d+)", told[-1])) if told else {}
    return {part: float(found[part]) for part in PARTS} if set(found) == set(PARTS) else None
