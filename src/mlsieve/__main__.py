"""The ``mlsieve`` command's entrance, also of ``python -m mlsieve``.

It imports nothing that takes time, so that an interruption ends the command in one line from the start.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

_INTERRUPTED, _STATUS = "mlsieve: interrupted", 130
_PATIENCE = 0.4  # seconds in which an interrupted command may end by itself


def main() -> int:
    """Run the command; return its exit status, 130 when interrupted."""
    interruptions: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        interruptions.append(number)
        raise KeyboardInterrupt

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        signal.signal(signal.SIGINT, interrupt)
    try:
        with _ended_soon() if usual else contextlib.nullcontext():
            from mlsieve.cli import main as run

            return run()
    except BaseException:
        # An interrupted import of a compiled module, such as NumPy's, ends in an error of its own.
        if not interruptions:
            raise
        print(_INTERRUPTED, file=sys.stderr)
        return _STATUS


@contextlib.contextmanager
def _ended_soon() -> Iterator[None]:
    """End the process soon after an interrupt that the body does not end at.

    Python raises KeyboardInterrupt between two of its own steps in the main thread. Fitting a tree of
    scikit-learn is one step, and a pool waits for the steps of its threads.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # The number of each signal is written there at once, whatever the main thread is doing.
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    ended = threading.Event()
    threading.Thread(target=_watch, args=(reader, ended), daemon=True).start()
    try:
        yield
    finally:
        ended.set()
        signal.set_wakeup_fd(before)
        os.close(writer)


def _watch(reader: int, ended: threading.Event) -> None:
    with open(reader, "rb", buffering=0) as signals:
        while found := signals.read(1):
            if found[0] == signal.SIGINT and not ended.wait(_PATIENCE):
                _end()


def _end() -> None:
    """End the process now, without its line on the terminal and files that are not complete."""
    for name, tidy in (("mlsieve.progress", "close"), ("mlsieve.files.writing", "remove_unfinished")):
        if name in sys.modules:
            with contextlib.suppress(Exception):
                getattr(sys.modules[name], tidy)()
    with contextlib.suppress(OSError, ValueError):
        print(_INTERRUPTED, file=sys.stderr, flush=True)
    os._exit(_STATUS)


if __name__ == "__main__":
    sys.exit(main())
