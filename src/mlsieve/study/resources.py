"""What a study's jobs need: the estimates behind `mlsieve study plan`, and what rules ask a scheduler for."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

from mlsieve.costs.model import Cost, Task, predicted
from mlsieve.errors import UserError
from mlsieve.study.chains.costs import testing_cost, tuning_cost
from mlsieve.study.content import Content
from mlsieve.study.estimates import counts_of, task_of
from mlsieve.study.jobs import Jobs
from mlsieve.study.parts import Data
from mlsieve.study.steps import STEPS

# Headroom: so many times what is expected, and so much more; docs/scale.md holds it against measured jobs.
MEMORY_TIMES, MEMORY_MORE = 2.0, 100.0
MINUTES_TIMES, MINUTES_LEAST = 6.0, 10
# Minutes of work from which a job takes several threads: until then other jobs can fill the cores.
THREADS_FROM, THREADS = 15.0, 4
# Steps whose longest jobs start first. A step that writes large temporary files is not among them.
LONGEST_FIRST = ("tune", "chain")


class Resources:
    """What jobs cost, and what they ask a scheduler for."""

    def __init__(self, content: Content, jobs: Jobs) -> None:
        self._content, self._jobs = content, jobs
        # Snakemake asks several times for each job.
        self._estimates: dict[tuple[str, ...], Cost] = {}

    def estimate(self, step: str, wildcards: Any = None) -> Cost:
        """Return minutes, megabytes and disk of a job on one core, as expected: without headroom."""
        key = (step, *_values(step, wildcards).values())
        if key not in self._estimates:
            self._estimates[key] = self._estimate(step, wildcards)
        return self._estimates[key]

    def _estimate(self, step: str, wildcards: Any) -> Cost:
        if STEPS[step].summary:
            of_datasets = STEPS[step].inputs == "datasets"
            return STEPS[step].cost(len(self._content.datasets) if of_datasets else self._n_scores)
        if step == "tune":
            return tuning_cost(self.task(step, wildcards), self._content.points[wildcards.point])
        if step == "chain":
            return testing_cost(self.task(step, wildcards), self._content.chains[wildcards.chain])
        return self._of_order(wildcards) if step == "column_order" else predicted(self.task(step, wildcards))

    @cached_property
    def _n_scores(self) -> int:
        return len(self._jobs.scores(every_seed=True))

    def _of_order(self, wildcards: Any) -> Cost:
        """Return the cost of a job that grows ensembles on both orders of the columns and evaluates them."""
        order = self._content.column_order
        assert order is not None
        return order.cost(*(self.task(step, wildcards) for step in ("grow", "predict", "score")))

    @cached_property
    def counts(self) -> dict[str, dict[str, float]]:
        """Sizes of the datasets by key, as `mlsieve.study.estimates.counts_of` gives them.

        Files of the user's own are looked at, as far as they are at hand.
        """
        return {key: self._counts(data) for key, data in self._content.datasets.items()}

    def _counts(self, data: Data) -> dict[str, float]:
        entry = self._content.catalog.get(data.id)
        known = counts_of(entry)
        from mlsieve.data.catalog import public_catalog

        # What a public set costs does not depend on where it is asked.
        if entry is None or entry.counts or entry is public_catalog().get(data.id):
            return known
        from mlsieve.costs.file_sizes import sampled_counts
        from mlsieve.data.public.acquire import locate

        try:
            found = locate(entry, mirror=self._content.keys.mirror)
        except UserError:  # the step that looks for the files reports a mirror that is no folder
            return known
        return known | sampled_counts(entry, {role: path for role, (_, path) in found.items()})

    def task(self, step: str, wildcards: Any) -> Task:
        """Return a job as `mlsieve.costs.model` takes it.

        Parameters
        ----------
        step : str
            Rule of the workflow.
        wildcards : object
            With dataset, and what else the rule has of split, ensemble and ranker. Without an evaluator it is
            the study's first.
        """
        at, content = _values(step, wildcards), self._content
        data = content.datasets[at["dataset"]]
        known = content.ensembles if step == "grow" else content.ranked
        ranking = at.get("ensemble") or at.get("ranker")
        evaluators = [content.every_evaluator.get(at.get("evaluator", "")), *content.evaluators.values()]
        used = next(filter(None, evaluators), None)
        split = content.splits.get(at.get("split", "")) or next(iter(content.splits.values()))
        return task_of(
            step,
            self.counts[data.key],
            known[ranking] if ranking else None,
            evaluator=used.id if used and step in ("predict", "evaluate") else "",
            hierarchical=content.task_of(data) == "hmlc",
            train_share=split.train_share,
            repeats=1 if step == "prepare" else len(split.repeats),
            document_frequency=data.files.get("document_frequency"),
        )

    def memory(self, step: str) -> Callable[..., int]:
        """Megabytes of a rule's jobs, from `megabytes_asked`."""
        return lambda wildcards, attempt: megabytes_asked(self.estimate(step, wildcards), attempt)

    def minutes(self, step: str, least: int = MINUTES_LEAST) -> Callable[..., int]:
        """Minutes of a rule's jobs, from `minutes_asked`."""
        return lambda wildcards, attempt: minutes_asked(self.estimate(step, wildcards), attempt, least)

    def priority(self, step: str) -> Callable[..., int]:
        """Expected CPU seconds of a rule's jobs: the longest goes first, so that no core waits for it."""
        return lambda wildcards: math.ceil(self.estimate(step, wildcards).minutes * 60)

    def threads(self, step: str) -> Callable[..., int]:
        """Threads of a rule's jobs: one while other jobs can fill the cores, several for long ones."""
        return lambda wildcards: THREADS if self.estimate(step, wildcards).minutes > THREADS_FROM else 1


def megabytes_asked(expected: Cost, attempt: int) -> int:
    """Return the megabytes to ask for at an attempt, from 1 on: with headroom, doubled at each new one."""
    return math.ceil(MEMORY_MORE + MEMORY_TIMES * expected.megabytes) * 2 ** (attempt - 1)


def minutes_asked(expected: Cost, attempt: int, least: int = MINUTES_LEAST) -> int:
    """Return the minutes to ask for, at least so many, in the way of `megabytes_asked`."""
    return max(least, math.ceil(MINUTES_TIMES * expected.minutes)) * 2 ** (attempt - 1)


def _values(step: str, wildcards: Any) -> dict[str, str]:
    """Return the values of a step's wildcards; empty where a job was given without one."""
    return {name: getattr(wildcards, name, "") for name in STEPS[step].wildcards}
