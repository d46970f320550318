"""A study's run at a terminal: one line with its steps, the running jobs and the time left.

Snakemake's own messages stay in its log file; of these the terminal shows warnings and errors only.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from mlsieve.progress import Line, duration
from mlsieve.study import STEPS, Study

_HANDLER = "DefaultStreamHandler"  # Snakemake's, which writes on the terminal
# Estimates count like so large a share of the work, beside what jobs have really taken.
_TRUST = 0.05


class StudyProgress:
    """What is known of a run: the expected costs of its jobs, and which have ended.

    Parameters
    ----------
    name : str
        Of the study.
    cores : int
        How many jobs run at the same time, about.
    now : callable
        Returns seconds.
    """

    def __init__(self, name: str, cores: int, now: Callable[[], float] = time.monotonic) -> None:
        self._name, self._cores, self._now = name, max(1, cores), now
        self._start = now()
        self._expected: dict[int, float] = {}
        self._running: dict[int, float] = {}
        self._ended: set[int] = set()
        self._failed: set[int] = set()

    def expect(self, seconds: Mapping[int, float]) -> None:
        """Take the jobs of the run, by their numbers, with what they are expected to take on one core."""
        self._expected = dict(seconds)

    def begun(self, job: int) -> None:
        """Note that a job has begun."""
        self._failed.discard(job)
        self._running[job] = self._now()

    def ended(self, job: int, *, failed: bool = False) -> None:
        """Note that a job has ended."""
        self._running.pop(job, None)
        (self._failed if failed else self._ended).add(job)

    @property
    def total(self) -> int:
        """Number of the jobs."""
        return len(self._expected)

    def state(self) -> tuple[str, float | None, str] | None:
        """Return text, share and time left, for `mlsieve.progress.Line`."""
        if not self._expected:
            return None
        now, whole = self._now(), sum(self._expected.values())
        done = sum(self._expected.get(job, 0.0) for job in self._ended | self._failed)
        for job, begin in self._running.items():
            expected = self._expected.get(job, 0.0)
            done += min(now - begin, 0.95 * expected)
        left = max(0.0, whole - done) / self._cores
        taken, estimated = (now - self._start) * self._cores, _TRUST * whole
        pace = (taken + estimated) / (done + estimated) if whole else 1.0
        text = f"{self._name}: {len(self._ended)} of {self.total} steps, {len(self._running)} running"
        if self._failed:
            text += f", {len(self._failed)} failed"
        return text, done / whole if whole else None, f"{duration(left * pace)} left"


class _Handler(logging.Handler):
    """Follows a run by Snakemake's events."""

    def __init__(self, progress: StudyProgress, line: Line, expected: Callable[[], Mapping[int, float]]):
        super().__init__(logging.INFO)
        self._progress, self._line, self._expected = progress, line, expected
        self._total: int | None = None

    def emit(self, record: logging.LogRecord) -> None:
        with self._line.lock:
            self._follow(str(getattr(record, "event", "")), record)
        if _is_shown(record):
            self._line.clear()

    def _follow(self, event: str, record: Any) -> None:
        match event:
            case "job_started":
                for job in record.jobs:
                    self._progress.begun(job)
            case "job_finished":
                self._progress.ended(record.job_id)
            case "job_error":
                self._progress.ended(record.jobid, failed=True)
            case "progress" if record.total != self._total:  # after a checkpoint there are more jobs
                self._total = record.total
                self._progress.expect(self._expected())


def _is_shown(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


class StudyDisplay:
    """The line of a run, which is shown from Snakemake's ``onstart`` on, and removed at its end."""

    def __init__(self) -> None:
        self._end: list[Callable[[], None]] = []

    def show(self, workflow: Any, study: Study) -> None:
        """Show a run where the standard error is a terminal, and no other way of showing it was asked for.

        Parameters
        ----------
        workflow : snakemake.workflow.Workflow
        study : Study
        """
        from snakemake.logging import logger

        settings = workflow.output_settings
        terminal = next((one for one in logger.handlers if one.name == _HANDLER), None)
        otherwise = settings.quiet or settings.verbose or settings.stdout
        if terminal is None or otherwise or not sys.stderr.isatty():
            return
        limits = workflow.resource_settings
        progress = StudyProgress(study.content.name, limits.nodes or limits.cores or 1)

        def expected() -> dict[int, float]:
            jobs = workflow.dag.needrun_jobs(exclude_finished=False)
            return {workflow.dag.jobid(job): _seconds(study, job) for job in jobs}

        progress.expect(expected())
        line = Line(sys.stderr, progress.state)
        handler = _Handler(progress, line, expected)
        logger.handlers.insert(0, handler)  # first, so that the line makes way for what is shown
        terminal.addFilter(_is_shown)
        self._end = [
            line.close,
            lambda: logger.removeHandler(handler),
            lambda: terminal.removeFilter(_is_shown),
        ]
        for log in workflow.logger_manager.get_logfile()[:1]:
            where = os.path.relpath(log)
            print(f"mlsieve: the jobs, their commands and why they run: {where}", file=sys.stderr)

    def hide(self) -> None:
        """Remove the line, and let Snakemake say the rest by itself."""
        while self._end:
            self._end.pop(0)()


def _seconds(study: Study, job: Any) -> float:
    """Return what a job of Snakemake's is expected to take; nothing for rules that only gather files."""
    if job.rule.name not in STEPS:
        return 0.0
    return study.resources.estimate(job.rule.name, job.wildcards).minutes * 60
