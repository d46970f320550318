"""Why jobs of a run have failed, in few lines: the rule, what the job said last, and its log."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any

from mlsieve.errors import number_of

_SHOWN = 5  # causes that are named one by one
# What Snakemake says after the jobs' own errors.
_LAST = ("Exiting because a job execution failed", "WorkflowError:\nAt least one job did not complete")
# How Snakemake's error of a job ends whose command, or a shell around it, was ended by a signal.
_DIED = re.compile(r"died with <Signals\.\w+: (\d+)>|returned non-zero exit status (\d+)")
_FATAL = {
    signal.SIGKILL: "perhaps memory ran out",
    signal.SIGTERM: "something asked it to stop",
    signal.SIGXCPU: "its time was up",
    signal.SIGSEGV: "a fault of the program",
    signal.SIGABRT: "a fault of the program",
    signal.SIGBUS: "a fault of the program, or a full disk",
    signal.SIGILL: "the program was built for another processor",
    signal.SIGFPE: "a fault of the program",
}


class Failures(logging.Handler):
    """Follows a run by Snakemake's events, and keeps the jobs that have failed.

    Attributes
    ----------
    jobs : dict of int to (str, str)
        Rule and log file of each, by the job's number; one that a retry has finished is none of them.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.jobs: dict[int, tuple[str, str]] = {}
        self._errors: list[str] = []  # of commands whose jobs have not been named yet

    def emit(self, record: logging.LogRecord) -> None:
        """Take an event."""
        found: Any = record
        match str(getattr(record, "event", "")):
            case "error":
                self._errors.append(record.getMessage())
            case "job_error":
                self.jobs[found.jobid] = (found.rule_name, next(iter(found.log), ""))
                self._note_signal(found.shellcmd, next(iter(found.log), ""))
            case "job_finished":
                self.jobs.pop(found.job_id, None)

    def _note_signal(self, command: str | None, log: str) -> None:
        """Write into the log of a job which signal has ended it, if one has: it could say nothing itself."""
        own = next((error for error in self._errors if command and command in error), None)
        if own is None:
            return
        self._errors.remove(own)
        text = ending_by_signal(own)
        if text and log:
            with contextlib.suppress(OSError), open(log, "a", encoding="utf-8") as stream:
                stream.write(f"\nmlsieve: {text}\n")


def ending_by_signal(error: str) -> str | None:
    """Return which signal has ended a command, as a sentence; None if none has.

    Parameters
    ----------
    error : str
        What Python's ``CalledProcessError`` says of the command. A shell or a container around it reports
        128 and the signal's number as its status.
    """
    found = _DIED.search(error)
    if found is None:
        return None
    number = int(found[1]) if found[1] else int(found[2]) - 128
    if number not in _FATAL:
        return None
    name = signal.Signals(number)
    return f"was killed by signal {number} ({name.name}); {_FATAL[name]}"


def is_of_failed_job(record: logging.LogRecord) -> bool:
    """Return whether a message of Snakemake's is about a job whose command failed."""
    event = str(getattr(record, "event", ""))
    is_of_rule = event == "error" and getattr(record, "exception", "") == "RuleException"
    return is_of_rule or event in ("job_error", "group_error") or str(record.msg).startswith(_LAST)


def failure_lines(jobs: Sequence[tuple[str, str]], log: str = "") -> list[str]:
    """Return lines about failed jobs: how many there are, and each cause with a log that shows it.

    Parameters
    ----------
    jobs : sequence of (str, str)
        Rule and log file of each.
    log : str
        Snakemake's own log, which has their commands; empty if there is none.
    """
    from mlsieve.tables.performance import reason_in_log

    # Jobs that a cluster starts together fail together, also those whose turn never came.
    jobs = [job for job in jobs if os.path.isfile(job[1])] or jobs
    causes: dict[str, list[str]] = {}
    for rule, own in jobs:
        causes.setdefault(reason_in_log(rule, own), []).append(own)
    if not causes:
        return []
    where = f"; their commands: {os.path.relpath(log)}" if log else ""
    lines = [f"{number_of(len(jobs), 'job')} failed{where}"]
    for cause, logs in list(causes.items())[:_SHOWN]:
        more = f"{len(logs)} jobs, one of their logs" if len(logs) > 1 else "log"
        lines.append(f"{cause} ({more}: {logs[0]})" if logs[0] else cause)
    if len(causes) > _SHOWN:
        lines.append(f"and {number_of(len(causes) - _SHOWN, 'other cause')}")
    return lines


def print_failures(failures: Failures, logs: Sequence[str]) -> None:
    """Write on the standard error why jobs have failed.

    Parameters
    ----------
    failures : Failures
    logs : sequence of str
        Snakemake's own log files.
    """
    for line in failure_lines(list(failures.jobs.values()), next(iter(logs), "")):
        print(f"mlsieve: {line}", file=sys.stderr)
