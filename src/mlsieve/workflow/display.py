"""A study's run at a terminal: one line with its steps, the running jobs and the time left.

Snakemake's own messages stay in its log file; of these the terminal shows warnings and errors only, and of
jobs that failed, in place of their commands, what `mlsieve.workflow.failures` says at the end. Without a
terminal, Snakemake says all that it says; a run by ``mlsieve study run`` is then a line now and again, and
the failed jobs in full.
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
from mlsieve.workflow.batches import wildcards_of
from mlsieve.workflow.failures import Failures, is_of_failed_job
from mlsieve.workflow.project import IN_LINES

_HANDLER = "DefaultStreamHandler"  # Snakemake's, which writes on the terminal
# Estimates count like so large a share of the work, beside what jobs have really taken.
_TRUST = 0.05
_LATE = 2.0  # seconds that a job may be slower than estimated before the line says so
_NAMED = 2  # rules of running jobs that are named
_LINES = 20  # of a whole run without a terminal


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
        # Seconds that were done, and the share shown, when the jobs became known; the largest share shown.
        self._before, self._shown = (0.0, 0.0), 0.0
        self._later = 0.0

    def expect(
        self, seconds: Mapping[int, float], rules: Mapping[int, str] | None = None, later: float = 0.0
    ) -> None:
        """Take the jobs of the run, by their numbers, with what they are expected to take on one core.

        Parameters
        ----------
        seconds : mapping of int to float
        rules : mapping of int to str, optional
            Their rules. Summaries of the study run after all other jobs, one after the other.
        later : float
            What jobs that a checkpoint will add are expected to take on one core.

        Notes
        -----
        When a checkpoint adds more jobs than were expected, the share that has been shown stays, and the rest
        of the line is for the rest of the work.
        """
        self._expected, self._rules = dict(seconds), dict(rules or {})
        self._later = later / self._cores
        done, whole = self._done(self._now()), self._whole()
        self._before = done, max(self._shown, done / whole if whole else 0.0)

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
        now, whole = self._now(), self._whole()
        done = self._done(now)
        late, of_late = 0.0, 0.0
        for job, begin in self._running.items():
            elapsed = now - begin
            if elapsed > self._expected.get(job, 0.0) + _LATE:
                late, of_late = max(late, elapsed), of_late + 0.05 * self._alone(job)
        taken, estimated = now - self._start, _TRUST * whole
        pace = (taken + estimated) / (done + estimated) if whole else 1.0
        left = max(0.0, whole - done - of_late) * pace
        if late > left:
            times = (f"{duration(late)} so far, longer than estimated", f"{duration(late)} so far")
        else:
            times = (f"{duration(left + of_late * pace)} left",) * 2
        return State(self._texts(), self._share(done, whole) if whole else None, times)

    def _whole(self) -> float:
        """Return the seconds that the run is expected to take."""
        return sum(map(self._alone, self._expected)) + self._later

    def _done(self, now: float) -> float:
        """Return the seconds of the run that are done, those of running jobs as far as they have come."""
        done = sum(self._alone(job) for job in self._ended | self._failed)
        for job, begin in self._running.items():
            if expected := self._expected.get(job, 0.0):
                done += self._alone(job) * min((now - begin) / expected, 0.95)
        return done

    def _share(self, done: float, whole: float) -> float:
        """Return the share that is shown, which never falls."""
        done_before, shown_before = self._before
        rest = (done - done_before) / (whole - done_before) if whole > done_before else 1.0
        self._shown = max(self._shown, shown_before + (1 - shown_before) * rest)
        return self._shown

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


class _Follower(logging.Handler):
    """Follows a run by Snakemake's events."""

    def __init__(self, progress: StudyProgress, expect: Callable[[], None]):
        super().__init__(logging.INFO)
        self._progress, self._expect = progress, expect
        self._total: int | None = None

    def emit(self, record: logging.LogRecord) -> None:
        found: Any = record
        match str(getattr(record, "event", "")):
            case "job_started":
                for job in found.jobs:
                    self._progress.begun(job)
            case "job_finished":
                self._progress.ended(found.job_id)
            case "job_error":
                self._progress.ended(found.jobid, failed=True)
            case "progress" if found.total != self._total:  # after a checkpoint there are more jobs
                self._total = found.total
                self._expect()


class _OnLine(_Follower):
    """Follows a run that a line of a terminal shows."""

    def __init__(self, progress: StudyProgress, expect: Callable[[], None], line: Line):
        super().__init__(progress, expect)
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        with self._line.lock:
            super().emit(record)
        if _is_shown(record):
            self._line.clear()


class _InLines(_Follower):
    """Follows a run, and writes a line after each further part of its work."""

    _parts = 0

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        state = self._progress.state()
        if state is None or state.share is None or int(_LINES * state.share) <= self._parts:
            return
        self._parts = int(_LINES * state.share)
        now, end = time.strftime("%Y-%m-%d %H:%M"), f"{100 * state.share:.0f} %, {state.times[0]}"
        print(f"mlsieve: {now}, {state.texts[0]}: {end}", file=sys.stderr, flush=True)


def _is_shown(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING and not is_of_failed_job(record)


def _is_shown_in_lines(record: logging.LogRecord) -> bool:
    return _is_shown(record) or str(getattr(record, "event", "")) in ("job_error", "group_error")


class StudyDisplay:
    """What a run shows, from Snakemake's ``onstart`` on to its end.

    Attributes
    ----------
    failures : Failures
        The jobs that have failed.
    has_line : bool
        Whether the run is shown as a line.
    """

    def __init__(self) -> None:
        self._end: list[Callable[[], None]] = []
        self._unfilter: Callable[[], None] = lambda: None
        self.failures, self.has_line = Failures(), False

    def show(self, workflow: Any, study: Study, *, continued: bool = False) -> None:
        """Show a run as a line where the standard error is a terminal, and no other way was asked for.

        Without a terminal, a run by ``mlsieve study run`` is shown as several lines.
        A quiet run has no line, and no more of Snakemake's messages than another one.

        Parameters
        ----------
        workflow : snakemake.workflow.Workflow
        study : Study
        continued : bool
            Whether the run finishes what another one with a line has begun: it is as quiet as can be, and has
            a line too.
        """
        from snakemake.logging import logger

        logger.addHandler(self.failures)
        self._end.append(lambda: logger.removeHandler(self.failures))
        settings = workflow.output_settings
        terminal = next((one for one in logger.handlers if one.name == _HANDLER), None)
        at_terminal, in_lines = sys.stderr.isatty(), os.environ.pop(IN_LINES, "")
        if terminal is None or settings.verbose or settings.stdout or not (at_terminal or in_lines):
            return
        is_shown = _is_shown if at_terminal else _is_shown_in_lines
        terminal.addFilter(is_shown)
        self._unfilter = lambda: terminal.removeFilter(is_shown)
        if not continued and any(word.name != "HOST" for word in settings.quiet or ()):
            return  # the profile leaves the lines on the machine out, which make no run quiet
        limits = workflow.resource_settings
        progress = StudyProgress(study.content.name, limits.nodes or limits.cores or 1)

        def expect() -> None:
            jobs = {workflow.dag.jobid(job): job for job in workflow.dag.needrun_jobs(exclude_finished=False)}
            seconds = {number: _seconds(study, job) for number, job in jobs.items()}
            # Before the data have been looked for, Snakemake knows of no job that reads them.
            waits = any(
                one.rule.name == "acquire" and not workflow.dag.finished(one) for one in jobs.values()
            )
            later = _seconds_of_missing(study) if waits and study.content.asks_for_data else 0.0
            progress.expect(seconds, {number: job.rule.name for number, job in jobs.items()}, later)

        expect()
        handler: _Follower = _InLines(progress, expect)
        if at_terminal:
            line = Line(sys.stderr, progress.state)
            handler = _OnLine(progress, expect, line)
            self._end.insert(0, line.close)
        logger.handlers.insert(0, handler)  # first, so that the line makes way for what is shown
        self._end.append(lambda: logger.removeHandler(handler))
        self.has_line = at_terminal
        if continued:
            return
        for log in workflow.logger_manager.get_logfile()[:1]:
            where = os.path.relpath(log)
            print(f"mlsieve: the jobs, their commands and why they run: {where}", file=sys.stderr)

    def hide(self, *, failed: bool = False) -> None:
        """Remove the line. Snakemake says the rest by itself, except of a failed run, of which we say it."""
        while self._end:
            self._end.pop(0)()
        if not failed:
            self._unfilter()


def _seconds(study: Study, job: Any) -> float:
    """Return what a job of Snakemake's is expected to take; nothing for rules that only gather files."""
    if job.rule.name not in STEPS:
        return 0.0
    return study.resources.estimate(job.rule.name, job.wildcards).minutes * 60


def _seconds_of_missing(study: Study) -> float:
    """Return what the jobs of the study's datasets that have not been done are expected to take."""
    missing = (job for job in study.jobs.all() if not os.path.isfile(job.output))
    return sum(study.resources.estimate(job.step, wildcards_of(job)).minutes * 60 for job in missing)
