"""What a job's work and the whole job cost: lines in the job's log.

The work's CPU seconds are those of growing or ranking alone, without starting Python and without files. Times
differ from run to run and so have no place in a cached file, whose bytes do not.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlsieve.errors import InvalidSetting

PARTS = ("once", "trees", "permutation")
LOG_USAGE = "MLSIEVE_LOG_USAGE"  # set in the environment of jobs whose logs are to hold what they used
_HEAD = "cpu seconds of the work:"
_USAGE_HEAD = "resources of the job:"
_USAGE = re.compile(rf"{_USAGE_HEAD} (\d+\.\d+) CPU seconds, peak (\d+\.\d+) MB")


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

    def log(self) -> None:
        """Write the line in a job whose log is to hold it; nobody else has a use for it."""
        if os.environ.get(LOG_USAGE):
            print(self.line(), file=sys.stderr)


def read_work(log: str | os.PathLike[str]) -> dict[str, float] | None:
    """Return the CPU seconds by part from a job's log; None if it has none or cannot be read."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return None
    reports = [line for line in lines if line.startswith(_HEAD)]
    found = dict(re.findall(r"(\w+) (\d+\.\d+)", reports[-1])) if reports else {}
    return {part: float(found[part]) for part in PARTS} if set(found) == set(PARTS) else None


@dataclass(frozen=True)
class Usage:
    """What the operating system counted for a process so far.

    Attributes
    ----------
    cpu_seconds : float
        User and system time of all its threads, and of its finished children.
    peak_mb : float
        The most memory that it held at once, in units of 2^20 bytes.
    """

    cpu_seconds: float
    peak_mb: float


def usage() -> Usage:
    """Return what this process has used so far."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = sum(used.ru_utime + used.ru_stime for used in (own, children))
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kibibytes elsewhere
    return Usage(cpu, (_own_peak() or own.ru_maxrss * unit) / 2**20)


# Trees whose memory is estimated before more than a few of them are grown.
MANY_TREES = 10_000


def available_memory() -> int | None:
    """Return how many bytes of memory programs can still have; None where the system does not say."""
    with contextlib.suppress(OSError, ValueError):
        found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
        if found:
            return int(found[1]) * 1024
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def require_memory(needed: float, what: str, hint: str) -> None:
    """Raise an `InvalidSetting` if something that needs so many bytes does not fit into free memory.

    Parameters
    ----------
    needed : float
        Bytes, estimated.
    what : str
        That needs them, in the plural, such as "1,000 trees".
    hint : str
        What the user can do about it.
    """
    free = available_memory()
    if free is not None and needed > free:
        raise InvalidSetting(
            f"{what} would take some {needed / 2**30:,.0f} GiB of memory,"
            f" and {free / 2**30:.1f} GiB are free",
            hint=hint,
        )


def _own_peak() -> int:
    """Return this program's peak in bytes, where Linux reports it; else 0.

    The peak that getrusage returns may be that of the process which has become this one: it survives exec.
    """
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def usage_line(used: Usage) -> str:
    """Return what a job of the workflow writes on stderr at its end, for `read_usage`."""
    return f"{_USAGE_HEAD} {used.cpu_seconds:.3f} CPU seconds, peak {used.peak_mb:.1f} MB"


def read_usage(log: str | os.PathLike[str]) -> Usage | None:
    """Return what a job's log says that it used; None if it says nothing or cannot be read."""
    try:
        text = Path(log).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = _USAGE.findall(text)
    return Usage(*map(float, found[-1])) if found else None
