"""Why jobs of a run have failed, in few lines: the rule, what the job said last, and its log."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from mlsieve.errors import number_of

_SHOWN = 5  # causes that are named one by one
# What Snakemake says after the jobs' own errors.
_LAST = "Exiting because a job execution failed"


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

    def emit(self, record: logging.LogRecord) -> None:
        """Take an event."""
        found: Any = record
        match str(getattr(record, "event", "")):
            case "job_error":
                self.jobs[found.jobid] = (found.rule_name, next(iter(found.log), ""))
            case "job_finished":
                self.jobs.pop(found.job_id, None)


def is_of_failed_job(record: logging.LogRecord) -> bool:
    """Return whether a message of Snakemake's is about a job whose command failed."""
    event = str(getattr(record, "event", ""))
    if event == "error":
        return getattr(record, "exception", "") == "RuleException"
    return event in ("job_error", "group_error") or str(record.msg).startswith(_LAST)


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
