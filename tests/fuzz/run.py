"""Fuzz the readers, guided by coverage: ``python -m tests.fuzz.run --minutes 10 -o fuzz.json``.

Needs atheris (``make fuzz`` installs it). Each reader gets an equal part of the time. A crash, a hang of more
than ten seconds or more than two gigabytes of memory ends a reader's process; its input is kept, and the rest
of its time begins a new one.

``--changed 10000`` runs commands on our own array files with other values, and ``--tables 30000`` reads
tables of known values, in place of that: both need no atheris.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.seeds import WORDS, starting_inputs

READERS = tuple(WORDS)
_LIMITS = ("-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1", "-verbosity=0")
_EXECUTED = re.compile(r"stat::number_of_executed_units: *(\d+)")


def fuzz(reader: str, seconds: float, keep: Path) -> dict[str, float]:
    """Fuzz one reader for so many seconds; inputs that break it are kept in a folder.

    Returns
    -------
    dict
        inputs (how many were read), crashes, seconds (that it took).
    """
    start, inputs, crashes = time.monotonic(), 0, 0
    keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        corpus, words = Path(name) / "corpus", Path(name) / "words"
        corpus.mkdir()
        for number, content in enumerate(starting_inputs(reader)):
            (corpus / f"seed-{number}").write_bytes(content)
        lines = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in WORDS[reader])
        words.write_text("".join(f'"{line}"\n' for line in lines))
        while (left := seconds - (time.monotonic() - start)) >= 1:
            command = [sys.executable, "-m", "tests.fuzz.target", reader, *_LIMITS]
            command += [f"-max_total_time={int(left)}", str(corpus)]
            command += [f"-dict={words}"] if WORDS[reader] else []
            command += [f"-artifact_prefix={keep / reader.replace(' ', '-')}-"]
            ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            counted = _EXECUTED.findall(ended.stderr)
            inputs += int(counted[-1]) if counted else 0
            if ended.returncode:
                crashes += 1
                (keep / f"{reader.replace(' ', '-')}-{crashes}.log").write_text(
                    ended.stdout + ended.stderr[-20_000:]
                )
                if not counted:  # it did not even begin
                    break
    return {"inputs": inputs, "crashes": crashes, "seconds": round(time.monotonic() - start, 1)}


def count(name: str, run_case: Callable[[int, Path], str], numbers: range) -> dict[str, Any]:
    """Run numbered cases; print those that fail.

    Returns
    -------
    dict
        inputs, failed (how many), seconds (of CPU), and how many had each outcome.
    """
    start, found = time.process_time(), Counter[str]()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            try:
                found[run_case(number, Path(folder))] += 1
            except Exception as error:
                failed += 1
                print(f"{name} {number}: {type(error).__name__}: {error}", flush=True)
    seconds = round(time.process_time() - start, 1)
    return {"inputs": len(numbers), "failed": failed, "seconds": seconds, **found}


def main() -> int:
    """Fuzz the readers asked for; status 1 if one crashed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="in all (default 10)")
    parser.add_argument("--reader", action="append", choices=READERS, help="default: all; repeatable")
    parser.add_argument("-o", "--output", metavar="JSON", help="write inputs, crashes and seconds by reader")
    parser.add_argument(
        "--keep",
        metavar="FOLDER",
        default="build/fuzz",
        help="where inputs that crash are kept (default build/fuzz)",
    )
    parser.add_argument("--changed", type=int, metavar="N", help="run commands on N changed array files")
    parser.add_argument("--tables", type=int, metavar="N", help="read N tables of known values")
    parser.add_argument("--first", type=int, default=0, metavar="I", help="number of the first of these")
    args = parser.parse_args()
    if args.changed or args.tables:
        from tests.fuzz import changed_values, known_tables

        faulthandler.enable()
        cases = {"changed": changed_values.run_case, "tables": known_tables.run_case}
        counted = {
            name: count(name, run_case, range(args.first, args.first + number))
            for name, run_case in cases.items()
            if (number := getattr(args, name))
        }
        print(json.dumps(counted))
        return int(any(each["failed"] for each in counted.values()))
    if importlib.util.find_spec("atheris") is None:
        print("fuzzing needs atheris: run 'make fuzz', or install it", file=sys.stderr)
        return 2
    readers = args.reader or READERS
    found = {}
    for reader in readers:
        found[reader] = fuzz(reader, 60 * args.minutes / len(readers), Path(args.keep).resolve())
        print(f"{reader}: {json.dumps(found[reader])}", flush=True)
    if args.output:
        Path(args.output).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return int(any(result["crashes"] for result in found.values()))


if __name__ == "__main__":
    sys.exit(main())
