"""Child processes that measure, and what their runs come to."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from typing import Any

from benchmarks.data import ROOT

_POOLS = [f"{pool}_NUM_THREADS" for pool in ("OMP", "OPENBLAS", "MKL", "BLIS")]


class Failed(Exception):
    """A contender could not do its work; the text says why."""


class Worker:
    """One contender in a process of its own; a context manager."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec
        self.runs: list[dict[str, Any]] = []
        environment = os.environ | dict.fromkeys(_POOLS, str(spec["threads"]))
        paths = [str(ROOT), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def _ask(self, question: str) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            raise Failed(f"its process ended ({f'signal {-code}' if code < 0 else f'code {code}'})")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def prepare(self) -> None:
        """Load and shape the input."""
        self._ask(json.dumps(self.spec))

    def run(self) -> None:
        """Do the work once and keep what it took."""
        self.runs.append(self._ask("run"))

    def peak(self, reset: bool = False) -> float:
        """Return the largest memory that the process has held, in MiB, since it started or the last reset."""
        return float(self._ask("reset" if reset else "peak")["peak"])

    @property
    def spent(self) -> float:
        """Wall-clock seconds of all runs, of both parts where a run has two."""
        return float(sum(run.get("spent", run["wall"]) for run in self.runs))

    @property
    def stopped(self) -> bool:
        """Whether a run was cut off at its time limit."""
        return any("more_than" in run for run in self.runs)

    def seconds(self, kind: str) -> float:
        """Return the median of the runs, ``kind`` being "cpu" or "wall"."""
        return float(statistics.median(run[kind] for run in self.runs))

    def median(self, fact: str) -> float | None:
        """Return the median of a fact that the runs told, None if they told none."""
        told = [run[fact] for run in self.runs if fact in run]
        return float(statistics.median(told)) if told else None
