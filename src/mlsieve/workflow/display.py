"""A study's run at a terminal: one line with its steps, the running jobs and the time left.

Snakemake's own messages stay in its log file; of these the terminal shows warnings and errors only, and of
jobs that failed, in place of their commands, what `mlsieve.workflow.failures` says at the end.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from mlsieve.progress import Line, State, duration
from mlsieve.study import STEPS, Study
from mlsieve.workflow.failures import Failures, is_of_failed_job

_HANDLER = "DefaultStreamHandler"  # Snakemake's, which writes on the terminal
# Estimates count like so large a share of the work, beside what jobs have really taken.
_TRUST = 0.05
_LATE = 2.0  # seconds that a job may be slower than estimated before the line says so
_NAMED = 2  # rules of running jobs that are named


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
        self._rules: dict[int, str] = {}
        self._running: dict[int, float] = {}
        self._ended: set[int] = set()
        self._failed: set[int] = set()

    def expect(self, seconds: Mapping[int, float], rules: Mapping[int, str] | None = None) -> None:
        """Take the jobs of the run, by their numbers, with what they are expected to take on one core.

        Parameters
        ----------
        seconds : mapping of int to float
        rules : mapping of int to str, optional
            Their rules. Summaries of the study run after all other jobs, one after the other.
        """
        self._expected, self._rules = dict(seconds), dict(rules or {})

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

    def state(self) -> State | None:
        """Return what `mlsieve.progress.Line` shows; None before the jobs are known."""
        if not self._expected:
            return None
        now, whole = self._now(), sum(map(self._alone, self._expected))
        done = sum(self._alone(job) for job in self._ended | self._failed)
        late, of_late = 0.0, 0.0
        for job, begin in self._running.items():
            elapsed, expected = now - begin, self._expected.get(job, 0.0)
            if expected:
                done += self._alone(job) * min(elapsed / expected, 0.95)
            if elapsed > expected + _LATE:
                late, of_late = max(late, elapsed), of_late + 0.05 * self._alone(job)
        taken, estimated = now - self._start, _TRUST * whole
        pace = (taken + estimated) / (done + estimated) if whole else 1.0
        left = max(0.0, whole - done - of_late) * pace
        if late > left:
            times = (f"{duration(late)} so far, longer than estimated", f"{duration(late)} so far")
        else:
            times = (f"{duration(left + of_late * pace)} left",) * 2
        return State(self._texts(), done / whole if whole else None, times)

    def _alone(self, job: int) -> float:
        """Return the seconds by which a job is expected to make the run longer."""
        step = STEPS.get(self._rules.get(job, ""))
        return self._expected.get(job, 0.0) / (1 if step is not None and step.summary else self._cores)

    def _texts(self) -> tuple[str, ...]:
        failed = f", {len(self._failed)} failed" if self._failed else ""
        steps = f"{len(self._ended)} of {self.total} steps"
        rules = ", ".join(sorted({self._rules[job] for job in self._running if job in self._rules}))
        running = f"{self._name}: {steps}, {len(self._running)} running"
        if not rules or rules.count(",") >= _NAMED:
            return f"{running}{failed}", f"{steps}{failed}"
        return (
            f"{running} ({rules}){failed}",
            f"{running}{failed}",
            f"{rules}, {steps}{failed}",
            f"{steps}{failed}",
        )


class _Handler(logging.Handler):
    """Follows a run by Snakemake's events."""

    def __init__(self, progress: StudyProgress, line: Line, expect: Callable[[], None]):
        super().__init__(logging.INFO)
        self._progress, self._line, self._expect = progress, line, expect
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
                self._expect()


def _is_shown(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING and not is_of_failed_job(record)


class StudyDisplay:
    """What a run shows, from Snakemake's ``onstart`` on to its end.

    Attributes
    ----------
    failures : Failures
        The jobs that have failed.
    """

    def __init__(self) -> None:
        self._end: list[Callable[[], None]] = []
        self.failures = Failures()

    def show(self, workflow: Any, study: Study) -> None:
        """Show a run as a line where the standard error is a terminal, and no other way was asked for.

        A quiet run has no line, and no more of Snakemake's messages than another one.

        Parameters
        ----------
        workflow : snakemake.workflow.Workflow
        study : Study
        """
        from snakemake.logging import logger

        logger.addHandler(self.failures)
        self._end.append(lambda: logger.removeHandler(self.failures))
        settings = workflow.output_settings
        terminal = next((one for one in logger.handlers if one.name == _HANDLER), None)
        if terminal is None or settings.verbose or settings.stdout or not sys.stderr.isatty():
            return
        terminal.addFilter(_is_shown)
        self._end.append(lambda: terminal.removeFilter(_is_shown))
        if settings.quiet:
            return
        limits = workflow.resource_settings
        progress = StudyProgress(study.content.name, limits.nodes or limits.cores or 1)

        def expect() -> None:
            jobs = {workflow.dag.jobid(job): job for job in workflow.dag.needrun_jobs(exclude_finished=False)}
            seconds = {number: _seconds(study, job) for number, job in jobs.items()}
            progress.expect(seconds, {number: job.rule.name for number, job in jobs.items()})

        expect()
        line = Line(sys.stderr, progress.state)
        handler = _Handler(progress, line, expect)
        logger.handlers.insert(0, handler)  # first, so that the line makes way for what is shown
        self._end = [line.close, lambda: logger.removeHandler(handler), *self._end]
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
