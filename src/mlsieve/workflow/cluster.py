"""What the Snakefile does for a scheduler such as SLURM: small jobs go to it in batches.

Groups of jobs are Snakemake's means for it. It makes one only of jobs that need each other, and joins several
where ``group-components`` says so; a batch joins whatever is small, so its parts are made known as one.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

from mlsieve.errors import UserError
from mlsieve.study import Study
from mlsieve.workflow.batches import MINUTES, batches

# What `group-components` calls all batches; a profile that names it wants batches.
BATCH = "batch"
# Snakemake runs twice inside a job of the scheduler, with 250 MB each (measured). A batch runs some jobs
# side by side, and asks for the memory of all.
SNAKEMAKE_MEGABYTES, SNAKEMAKE_MEGABYTES_IN_BATCH = 600, 300
# SLURM counts in minutes, and a batch of a few jobs has to start in the sum of theirs.
LEAST_MINUTES_IN_BATCH = 2
# How many minutes of estimated work go into a batch; see docs/cluster.md.
BATCH_MINUTES = "MLSIEVE_BATCH_MINUTES"


class Batching:
    """The batches of a run, where its profile wants any.

    Parameters
    ----------
    study : Study
    workflow : snakemake.workflow.Workflow
        Inside a job of the scheduler, Snakemake is started again for its batch alone, without what the
        profile said of groups: all of its jobs are one batch then.

    Notes
    -----
    A number of minutes that is none ends the process with status 2, before any job starts.
    """

    def __init__(self, study: Study, workflow: Any) -> None:
        self.study, self.workflow = study, workflow
        try:
            self._minutes = batch_minutes()
        except UserError as error:
            print(f"mlsieve: {error}", file=sys.stderr)
            sys.exit(2)

    def group(self, step: str) -> Callable[[Any], str | None]:
        """Return a rule's `group`: the batch of a job, or None for a job that stays alone."""
        return lambda wildcards: self._batch(step, wildcards)

    def minutes(self, step: str) -> Callable[..., int]:
        """Return a rule's `runtime`: minutes of a job, for those of a batch without the time to start."""
        alone = self.study.resources.minutes(step)
        within = self.study.resources.minutes(step, least=LEAST_MINUTES_IN_BATCH)

        def minutes(wildcards: Any, attempt: int) -> int:
            return (alone if self._batch(step, wildcards) is None else within)(wildcards, attempt)

        return minutes

    def memory(self, step: str) -> Callable[..., int]:
        """Return a rule's `mem_mb`: megabytes of a job, on a cluster with those of Snakemake beside it."""
        own = self.study.resources.memory(step)

        def memory(wildcards: Any, attempt: int) -> int:
            if not self.workflow.remote_exec and BATCH not in self.workflow.group_settings.group_components:
                return own(wildcards, attempt)
            alone = self._batch(step, wildcards) is None
            more = SNAKEMAKE_MEGABYTES if alone else SNAKEMAKE_MEGABYTES_IN_BATCH
            return own(wildcards, attempt) + more * 2 ** (attempt - 1)

        return memory

    def _batch(self, step: str, wildcards: Any) -> str | None:
        settings = self.workflow.group_settings
        if self.workflow.remote_exec:
            # Snakemake sets this after the Snakefile has been read, so it is changed when the first job asks.
            if BATCH not in settings.group_components:
                joined = {**settings.group_components, BATCH: 10**6}
                self.workflow.group_settings = dataclasses.replace(settings, group_components=joined)
            return BATCH
        if BATCH not in settings.group_components:
            return None
        return self._batches.get(self.study.paths.of(step, **dict(wildcards.items())))

    @cached_property
    def _batches(self) -> dict[str, str]:
        tell_why_groups_fail()
        found = batches(self.study, self._minutes)
        self.workflow.parent_groupids.update(dict.fromkeys(found.values(), BATCH))
        return found


def tell_why_groups_fail() -> None:
    """Let Snakemake say why a group failed; it does so for single jobs only (9.27).

    Else a batch that ran out of time, or that the scheduler refused, would fail without a word about it.
    """
    from snakemake.jobs import GroupJob
    from snakemake.logging import logger

    silent = GroupJob.log_error

    def log_error(group: Any, msg: str | None = None, *others: Any, **more: Any) -> None:
        if msg:
            logger.error(f"{group.groupid}: {msg}")
        silent(group, msg, *others, **more)

    GroupJob.log_error = log_error


def batch_minutes() -> float:
    """Return how many minutes of estimated work a batch may take, from the environment or the default.

    Raises
    ------
    UserError
        If the environment holds something else than a positive number.
    """
    text = os.environ.get(BATCH_MINUTES) or str(MINUTES)
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not minutes > 0:
        raise UserError(
            f"{BATCH_MINUTES} is {text!r}", hint="set it to a number of minutes above 0, such as 10"
        )
    return minutes
