"""What a command shows at a terminal while its user waits: what it does, how far it is, and the time left.

Loops say what they count (`counted`, `counting`), commands what they are at (`stage`). Nothing is drawn, and
nothing costs time, unless a display is open: `mlsieve.cli` opens one where the standard error is a terminal.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mlsieve.errors import printable
from mlsieve.files.streams import unchanged

DELAY = 2.0  # seconds; shorter work shows nothing
_INTERVAL = 0.2  # seconds between two drawings
Item = TypeVar("Item")
_LEAST_SHARE = 0.01  # of the work: what came before says too little of what is left
_BAR, _LEAST_BAR = 20, 8  # columns of a bar, and of the shortest one
_MARGIN = 3  # columns at the right edge: what a terminal echoes there, ^C, begins no line
_COLUMNS = 80  # of a terminal that does not say how many it has


@dataclass(frozen=True)
class State:
    """What a line shows.

    Attributes
    ----------
    texts : tuple of str
        What is being done, from the fullest text to the shortest.
    share : float or None
        Of the work that is done, in [0, 1]; None if nothing is known of it.
    times : tuple of str
        How much time is left, or has passed, from the fullest text to the shortest.
    """

    texts: tuple[str, ...]
    share: float | None
    times: tuple[str, ...]


def fitted(state: State, columns: int, bar: Callable[[float, int], str]) -> str:
    """Return what a line shows where there is little room: percentage and time left always.

    First the bar becomes shorter, then the text; a bar without room is left out.

    Parameters
    ----------
    state : State
    columns : int
        Of the terminal.
    bar : callable
        Draws a share in so many columns.
    """
    room = max(1, columns - _MARGIN)
    texts = tuple(map(printable, state.texts))
    share = None if state.share is None else min(state.share, 1.0)

    def with_bar(text: str, end: str) -> str | None:
        free = room - len(f"{text}:  {end}")
        return None if free < _LEAST_BAR else f"{text}: {bar(share or 0.0, min(_BAR, free))} {end}"

    def without(text: str, end: str) -> str | None:
        line = f"{text}, {end}" if share is None else f"{text}: {end}"
        return line if len(line) <= room else None

    shapes = [without] if share is None else [with_bar, without]
    tries = [(shape, text) for shape in shapes for text in texts[:-1]]
    tries += [(shape, texts[-1]) for shape in shapes]
    for clock in state.times:
        end = clock if share is None else f"{100 * share:.0f} %, {clock}"
        for shape, text in tries:
            line = shape(text, end)
            if line is not None:
                return line
    return end[:room]


@dataclass
class _Level:
    """Work that has a name, that an estimate may be known of, or work that is counted."""

    text: str
    named: bool
    total: int | None = None
    seconds: float | None = None
    done: int = 0
    start: float = field(default_factory=time.monotonic)

    @property
    def shown(self) -> str:
        """The name or the count, empty where a count says nothing."""
        if self.named:
            return self.text
        return f"{self.done} of {self.total} {self.text}" if self.total and self.total > 1 else ""


class Line:
    """A line on a terminal that is drawn again and again until it is closed.

    Parameters
    ----------
    stream : text file
        The terminal.
    state : callable
        Returns what to show; None shows nothing. Called with `lock` held.
    delay : float
        Seconds before the line shows.
    """

    def __init__(self, stream: Any, state: Callable[[], State | None], delay: float = DELAY) -> None:
        self.lock = threading.RLock()
        self._stream, self._state, self._delay = unchanged(stream), state, delay
        self._stop = threading.Event()
        self._length, self._is_taken = 0, False  # of what is shown; whether other text stands on the line
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def write(self, stream: Any, text: str) -> int:
        """Write to the terminal by another stream; the line shows again when that has ended its own."""
        with self.lock:
            self.clear()
            written: int = stream.write(text)
            if text:
                self._is_taken = not text.endswith("\n")
            return written

    def clear(self) -> None:
        """Remove the line; it shows again while the work goes on."""
        with self.lock:
            if self._length:
                self._length = 0
                # Over its end, too, where the terminal echoes the keys.
                self._put("\r" + " " * (self._columns() - 1) + "\r")

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
                state = None if self._is_taken else self._state()
                if state is not None and not self._stop.is_set():
                    text = fitted(state, self._columns(), self._bar)
                    if len(text) < self._length:
                        self.clear()
                    self._put(f"\r{text}")
                    self._length = len(text)

    def _bar(self, share: float, columns: int) -> str:
        from tqdm.std import Bar

        unicode = "utf" in (getattr(self._stream, "encoding", None) or "").lower()
        return str(format(Bar(share, columns, Bar.UTF if unicode else Bar.ASCII), ""))

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        except (OSError, ValueError):
            return _COLUMNS

    def _put(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the terminal has gone
            self._stream.write(text)
            self._stream.flush()


class Display:
    """The levels of a command's work, from the outermost one, on a line."""

    def __init__(self, stream: Any, delay: float = DELAY) -> None:
        self._levels: list[_Level] = []
        self.before: Callable[[], None] = lambda: None  # called as a level begins
        self._owner = threading.get_ident()
        self.line = Line(stream, self._state, delay)

    @contextlib.contextmanager
    def level(
        self, text: str, named: bool, total: int | None = None, seconds: float | None = None
    ) -> Iterator[Callable[[int, int | None], None]]:
        """Show some work until the end of the body; yield what takes the number done, and the total."""
        if threading.get_ident() != self._owner:  # a part of the work of a level that is shown already
            yield _ignore
            return
        self.before()
        own, lock = _Level(text, named, total, seconds), self.line.lock

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

    def expect(self, total: int) -> None:
        """Take the total of the innermost work, if that is counted and its total is not known."""
        with self.line.lock:
            if threading.get_ident() == self._owner and self._levels and not self._levels[-1].named:
                self._levels[-1].total = self._levels[-1].total or total

    def _state(self) -> State | None:
        return described(self._levels, time.monotonic()) if self._levels else None


def _ignore(done: int, total: int | None = None) -> None:
    pass


def described(levels: list[_Level], now: float) -> State:
    """Return what is done, which share of it, and how much time is left, of levels from the outermost one.

    The outermost level is shown first and the innermost one last, so that a command's line begins alike all
    the time; a count within one of the same things is left out.
    """
    counts = {one.text: one for one in reversed(levels) if not one.named and one.total}
    shown = [one.shown for one in levels if one.named or counts.get(one.text) is one]
    name, *rest = [text for text in shown if text] or [levels[0].text]
    if len(rest) > 2:
        rest = [rest[0], rest[-1]]
    texts = (", ".join([name, *rest]), ", ".join([name, *rest[:1]]), (rest or [name])[0])
    share, place = _share(levels)
    elapsed = now - levels[place].start
    if share is not None and share >= _LEAST_SHARE:
        return State(texts, share, (f"{duration(elapsed * (1 - share) / share)} left",))
    # The innermost estimate is the one of what is done now.
    known = [one for one in levels if one.seconds]
    if not known:
        return State(texts, share, (f"{duration(elapsed)} so far",))
    expected, elapsed = known[-1].seconds or 0.0, now - known[-1].start
    if elapsed > expected:
        time_so_far = f"{duration(elapsed)} so far"
        return State(texts, share, (f"{time_so_far}, longer than estimated", time_so_far))
    # A share that the clock gave would fall back when the first of what is counted is done.
    share = elapsed / expected if share is None else share
    return State(texts, share, (f"about {duration(expected - elapsed)} left",))


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
    output, errors = sys.stdout, sys.stderr
    _current = Display(errors, delay)
    sys.stderr = _Output(errors, _current.line)
    if output.isatty():
        sys.stdout = _Output(output, _current.line)
    try:
        yield
    finally:
        close()
        sys.stdout, sys.stderr = output, errors


class _Output:
    """An output that goes to the terminal, before which the line makes way."""

    def __init__(self, stream: Any, line: Line) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        return self._line.write(self._stream, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def at_each_step(call: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever a step of the body's work begins that a terminal shows."""
    display = _current
    if display is None:
        yield
        return
    before, display.before = display.before, call
    try:
        yield
    finally:
        display.before = before


def clear() -> None:
    """Remove the line for a moment: something else is written to the terminal."""
    if _current is not None:
        _current.line.clear()


def close() -> None:
    """Remove the line for good: the command ends."""
    global _current
    if _current is not None:
        _current.line.close()
        _current = None


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
    with _current.level(text, True, seconds=None if seconds is None else seconds()):
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
    with _current.level(noun, False, total) as report:
        yield report


def expect(total: int) -> None:
    """Say how many there will be of what is counted, before the first one is done.

    Parameters
    ----------
    total : int
        Of the innermost count, unless that knows its total.
    """
    if _current is not None:
        _current.expect(total)


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
    with display.level(noun, False, total) as report:
        for number, item in enumerate(items):
            report(number, None)
            yield item
