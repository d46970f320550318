"""What the jobs of a study have noted of their data and settings, in few lines at its end."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_MARK = "mlsieve: note: "
_SHOWN = 3  # different notes that are written out


def notice_lines(logs: Iterable[str]) -> list[str]:
    """Return the notes of jobs, each text once with a log that has it.

    Parameters
    ----------
    logs : iterable of str
        The jobs' log files. One that cannot be read has no notes.
    """
    found: dict[str, list[str]] = {}
    for log in dict.fromkeys(logs):
        try:
            lines = Path(log).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
        for line in dict.fromkeys(line for line in lines if line.startswith(_MARK)):
            found.setdefault(line.removeprefix(_MARK), []).append(log)
    shown = []
    for text, places in list(found.items())[:_SHOWN]:
        where = f"{len(places)} jobs, one of their logs" if len(places) > 1 else "log"
        shown.append(f"note: {text} ({where}: {places[0]})")
    if len(found) > _SHOWN:
        shown.append(f"further notes are in {len({log for places in found.values() for log in places})} logs")
    return shown
