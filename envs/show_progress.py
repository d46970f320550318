"""Run a long part of the set-up: say what it is and how long it takes, how far it is, and how it ended.

``python envs/show_progress.py TITLE [--cpu-seconds N] -- COMMAND ...``

It shows the steps of ninja and the packages that pip collects, as [n/m]: at a terminal on one line, elsewhere
now and then. All else that the command prints comes only if it fails. It needs the standard library only.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

SECONDS_BETWEEN_LINES = 15
STEP = re.compile(r"\s*\[(\d+)/(\d+)\] (.*)")
COLLECTED = re.compile(r"\s*(?:Collecting|Requirement already satisfied:) ([\w.-]+)")


def lasted(seconds: float) -> str:
    """Return a time as people say it."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def lines_of(process: subprocess.Popen[str], into: queue.Queue[str | None]) -> None:
    """Pass on the lines that a process prints, and None at its end."""
    assert process.stdout
    for line in process.stdout:
        into.put(line)
    into.put(None)


def main() -> int:
    """Run the command; return its status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("title")
    parser.add_argument("--cpu-seconds", type=float, help="what it takes on one core, if it uses all cores")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    title = args.title
    if args.cpu_seconds:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        title += f" (about {lasted(args.cpu_seconds / cores)} on {cores} idle core{'s' * (cores > 1)})"
    print(f"{title} ...", flush=True)
    named = zip(args.command, args.command[1:], strict=False)
    locks = [Path(name).read_text(encoding="utf-8") for option, name in named if option == "-r"]
    n_packages = sum(len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE)) for lock in locks)
    packages: dict[str, None] = {}
    printed, shown, start, last = [], "preparing", time.monotonic(), -float(SECONDS_BETWEEN_LINES)
    terminal = sys.stdout.isatty()
    process = subprocess.Popen(
        args.command,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=lines_of, args=(process, lines), daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=1)
        except queue.Empty:
            line = ""
        if line is None:
            break
        printed.append(line)
        if found := STEP.match(line):
            shown = f"[{found[1]}/{found[2]}] {found[3].rpartition('/')[2] or found[3]}"
        elif n_packages and (found := COLLECTED.match(line)):
            packages[found[1].lower()] = None
            shown = f"[{min(len(packages), n_packages)}/{n_packages}] {found[1]}"
        elif n_packages and line.startswith("Installing collected packages"):
            shown = "all are here; unpacking them"
        now = time.monotonic()
        if terminal:
            print(f"\r\033[K{lasted(now - start)}  {shown[:70]}", end="", flush=True)
        elif now - start - last >= SECONDS_BETWEEN_LINES:
            print(f"{lasted(now - start)}  {shown}", flush=True)
            last = now - start
    status = process.wait()
    print("\r\033[K" if terminal else "", end="")
    if status:
        print(*printed, sep="", file=sys.stderr)
        print(f"This failed after {lasted(time.monotonic() - start)}: {args.title}", file=sys.stderr)
    else:
        print(f"Done in {lasted(time.monotonic() - start)}.", flush=True)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
