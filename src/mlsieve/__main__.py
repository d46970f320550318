"""The ``mlsieve`` command's entrance, also of ``python -m mlsieve``.

It imports nothing that takes time, so that an interruption ends the command in one line from the start.
"""

from __future__ import annotations

import signal
import sys
from typing import Any


def main() -> int:
    """Run the command; return its exit status, 130 when interrupted."""
    interruptions: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        interruptions.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from mlsieve.cli import main as run

        return run()
    except BaseException:
        # An interrupted import of a compiled module, such as NumPy's, ends in an error of its own.
        if not interruptions:
            raise
        print("mlsieve: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
