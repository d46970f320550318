"""Fuzz the readers, guided by coverage: ``python -m tests.fuzz.run --minutes 10 -o fuzz.json``.

Needs atheris (``make fuzz`` installs it). Each reader gets an equal part of the time. A crash, a hang of more
than ten seconds or more than two gigabytes of memory ends a reader's process; its input is kept, and the rest
of its time begins a new one.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
    args = parser.parse_args()
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
