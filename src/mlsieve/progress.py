"""What a command shows at a terminal while its user waits: what it does, how far it is, and the time left.

Loops say what they count (`counted`, `counting`), commands what they are at (`stage`). Nothing is drawn, and
nothing costs time, unless a display is open: `mlsieve.cli` opens one where the standard error is a terminal.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

DELAY = 2.0  # seconds; shorter work shows nothing
_INTERVAL = 0.2  # seconds between two drawings
Item = TypeVar("Item")
_LEAST_SHARE = 0.01  # of the work: what came before says too little of what is left


@dataclass
class _Level:
    """Work that is counted, that an estimate is known of, or that only has a name."""

    text: str
    total: int | None = None
    seconds: float | None = None
    done: int = 0
    start: float = field(default_factory=time.monotonic)


class Line:
    """A line on a terminal that is drawn again and again until it is closed.

    Parameters
    ----------
    stream : text file
        The terminal.
    state : callable
        Returns what to show: a text, the share of the work that is done, in [0, 1], or None, and a text about
        the time; None shows nothing. Called with `lock` held.
    delay : float
        Seconds before the line shows.
    """

    def __init__(
        self, stream: Any, state: Callable[[], tuple[str, float | None, str] | None], delay: float = DELAY
    ) -> None:
        self.lock = threading.RLock()
        self._stream, self._state, self._delay = stream, state, delay
        self._stop = threading.Event()
        self._bar: Any = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def clear(self) -> None:
        """Remove the line; it shows again while the work goes on."""
        with self.lock:
            if self._bar is not None:
                self._bar.close()
                self._bar = None

    def close(self) -> None:
        """Remove the line for good."""
        self._stop.set()
        self.clear()
        self._thread.join()

    def _run(self) -> None:
        wait = self._delay
        while not self._stop.wait(wait):
            wait = _INTERVAL
            with self.lock:
                state = self._state()
                if state is not None and not self._stop.is_set():
                    self._draw(*state)

    def _draw(self, text: str, share: float | None, left: str) -> None:
        shape = "{desc}: {bar:20} {percentage:3.0f} %{postfix}" if share is not None else "{desc}{postfix}"
        if self._bar is None:
            from tqdm import tqdm

            # With a delay, tqdm draws nothing before it is asked to.
            self._bar = tqdm(
                total=1.0, file=self._stream, leave=False, dynamic_ncols=True, bar_format=shape, delay=1e-9
            )
        self._bar.bar_format = shape
        self._bar.n = min(share or 0.0, 1.0)
        self._bar.set_description_str(text, refresh=False)
        self._bar.set_postfix_str(left, refresh=False)
        self._bar.refresh()


class Display:
    """The levels of a command's work, from the outermost one, on a line."""

    def __init__(self, stream: Any, delay: float = DELAY) -> None:
        self._levels: list[_Level] = []
        self._owner = threading.get_ident()
        self.line = Line(stream, self._state, delay)

    @contextlib.contextmanager
    def level(
        self, text: str, total: int | None = None, seconds: float | None = None
    ) -> Iterator[Callable[[int, int | None], None]]:
        """Show some work until the end of the body; yield what takes the number done, and the total."""
        if threading.get_ident() != self._owner:  # a part of the work of a level that is shown already
            yield _ignore
            return
        own, lock = _Level(text, total, seconds), self.line.lock

        def report(done: int, total: int | None = None) -> None:
            with lock:
                own.done, own.total = done, own.total if total is None else total

        with lock:
            self._levels.append(own)
        try:
            yield report
        finally:
            with lock:
                self._levels.remove(own)
                if not self._levels:
                    self.line.clear()

    def _state(self) -> tuple[str, float | None, str] | None:
        return described(self._levels, time.monotonic()) if self._levels else None


def _ignore(done: int, total: int | None = None) -> None:
    pass


def described(levels: list[_Level], now: float) -> tuple[str, float | None, str]:
    """Return what is done, which share of it, and how much time is left, of levels from the outermost one."""
    counts = [f"{one.done} of {one.total} {one.text}" for one in levels[1:] if one.total]
    names = [one.text for one in levels if not one.total]
    first = levels[0]
    if first.total:
        counts.insert(0, f"{first.done} of {first.total} {first.text}")
    text = ", ".join([*names[-1:], *counts[:2]])
    share, place = _share(levels)
    elapsed = now - levels[place].start
    if share is not None and share >= _LEAST_SHARE:
        return text, share, f"{duration(elapsed * (1 - share) / share)} left"
    # The innermost estimate is the one of what is done now.
    known = [one for one in levels if one.seconds]
    if not known:
        return text, share, f"{duration(elapsed)} so far"
    expected, elapsed = known[-1].seconds or 0.0, now - known[-1].start
    if elapsed > expected:
        return text, share, f"{duration(elapsed)} so far, longer than estimated"
    return text, elapsed / expected, f"about {duration(expected - elapsed)} left"


def _share(levels: list[_Level]) -> tuple[float | None, int]:
    """Return which share of the counted work is done, and from which level on; None: nothing is counted."""
    share, place = None, 0
    for number in range(len(levels) - 1, -1, -1):
        one = levels[number]
        if one.total:
            share, place = min(1.0, (one.done + (share or 0.0)) / one.total), number
    return share, place


def duration(seconds: float) -> str:
    """Return a time as people write it: ``45 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d} min"


_current: Display | None = None


@contextlib.contextmanager
def shown(delay: float = DELAY) -> Iterator[None]:
    """Show on the standard error what the body does, if that is a terminal.

    Parameters
    ----------
    delay : float
        Seconds of work before anything shows.
    """
    global _current
    if _current is not None or not sys.stderr.isatty():
        yield
        return
    output = sys.stdout
    _current = Display(sys.stderr, delay)
    sys.stdout = _Output(output)
    try:
        yield
    finally:
        _current.line.close()
        _current = None
        sys.stdout = output


class _Output:
    """The standard output, before which the line makes way."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        clear()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def clear() -> None:
    """Remove the line for a moment: something else is written to the terminal."""
    if _current is not None:
        _current.line.clear()


@contextlib.contextmanager
def stage(text: str, seconds: Callable[[], float] | None = None) -> Iterator[None]:
    """Name what the body does.

    Parameters
    ----------
    text : str
        Such as ``reading birds.arff``.
    seconds : callable, optional
        Returns how long it is expected to take, 0 if that is unknown; called only where something can be
        shown. Counts within it, if there are any, say more.
    """
    if _current is None:
        yield
        return
    with _current.level(text, seconds=None if seconds is None else seconds()):
        yield


@contextlib.contextmanager
def counting(noun: str, total: int | None = None) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function of what is done and of the total, which may be unknown.

    Parameters
    ----------
    noun : str
        Of what is counted, in the plural, such as ``trees``.
    total : int, optional
        How many there will be, if that is known before the first call.
    """
    if _current is None:
        yield _ignore
        return
    with _current.level(noun, total) as report:
        yield report


def counted(items: Iterable[Item], noun: str, total: int | None = None) -> Iterable[Item]:
    """Return the items; what is done with each counts as one.

    Parameters
    ----------
    items : iterable
    noun : str
        Of what is counted, in the plural.
    total : int, optional
        How many there are; default ``len(items)``.
    """
    if _current is None:
        return items
    return _reported(_current, items, noun, len(items) if total is None else total)  # type: ignore[arg-type]


def _reported(display: Display, items: Iterable[Item], noun: str, total: int) -> Iterator[Item]:
    with display.level(noun, total) as report:
        for number, item in enumerate(items):
            report(number, None)
            yield item
