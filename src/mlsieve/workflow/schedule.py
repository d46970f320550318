"""How long a study takes on so many cores: its graph of jobs gone through as a scheduler would."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mlsieve.costs.model import Cost
from mlsieve.study.resources import LONGEST_FIRST
from mlsieve.study.steps import STEPS
from mlsieve.study.study import Study
from mlsieve.workflow.batches import wildcards_of


@dataclass(frozen=True)
class PlannedJob:
    """A job with what it is expected to cost.

    Attributes
    ----------
    step, dataset : str
        Rule, and id of the dataset; empty for the steps that join a study's tables.
    output : str
        What others need of it: a path, or the name of such a step.
    inputs : tuple of str
        Outputs of other jobs.
    cost : Cost
    """

    step: str
    dataset: str
    output: str
    inputs: tuple[str, ...]
    cost: Cost


def planned_jobs(study: Study, datasets: Iterable[str] | None = None) -> list[PlannedJob]:
    """Return all jobs of a study, each after those that it needs.

    Parameters
    ----------
    study : Study
    datasets : iterable of str, optional
        Keys of the datasets; default all in use.
    """
    keys = list(study.content.datasets) if datasets is None else list(datasets)
    jobs = [PlannedJob("acquire", "", "acquire", (), STEPS["acquire"].cost(len(keys)))]
    for job in study.jobs.all(keys):
        needed = job.inputs or ("acquire",)
        cost = study.resources.estimate(job.step, wildcards_of(job))
        jobs.append(PlannedJob(job.step, job.data.id, job.output, needed, cost))
    made = {step: tuple(job.output for job in jobs if job.step == step) for step in STEPS}
    scores, orders = made["score"] + made["evaluate"] + made["chain"], made["column_order"]
    reads = {
        "describe": made["prepare"],
        "worked": tuple(set(made["prepare"]).intersection(study.inputs.worked)),
        "collect": scores + orders,
        "chain_tables": made["chain"],
        "column_order_summary": orders,
    }
    planned: list[str] = []
    for name in study.summaries.steps[1:]:
        if reads.get(name) == ():  # its datasets are not at hand
            continue
        step = STEPS[name]
        waits = reads.get(name) or tuple(other for other in step.after if other in planned) or scores
        cost = step.cost(len(orders if step.inputs == "datasets" else scores))
        jobs.append(PlannedJob(name, "", name, waits, cost))
        planned.append(name)
    return jobs


def critical_path(jobs: Sequence[PlannedJob]) -> list[PlannedJob]:
    """Return the chain of jobs, first to last, that takes longest: no number of cores is faster.

    Parameters
    ----------
    jobs : sequence of PlannedJob
        Each after those that it needs.
    """
    ends: dict[str, float] = {}
    before: dict[str, str] = {}
    for job in jobs:
        last = max(job.inputs, key=ends.__getitem__, default="")
        ends[job.output] = ends.get(last, 0.0) + job.cost.minutes
        before[job.output] = last
    by_output = {job.output: job for job in jobs}
    chain: list[PlannedJob] = []
    name = max(ends, key=ends.__getitem__, default="")
    while name:
        chain.append(by_output[name])
        name = before[name]
    return chain[::-1]


def elapsed_minutes(jobs: Sequence[PlannedJob], cores: int) -> float:
    """Return the minutes from the first job's start to the last one's end on so many cores.

    A job takes one core. Whenever a core is free, the first of the jobs that can start does (list
    scheduling), the longest of the steps `LONGEST_FIRST` before all others; what a scheduler takes to start a
    job, and a queue, come on top.

    Parameters
    ----------
    jobs : sequence of PlannedJob
        Each after those that it needs; earlier ones go first.
    cores : int
        At least 1.
    """
    position = {job.output: place for place, job in enumerate(jobs)}
    waiting = [len(set(job.inputs)) for job in jobs]
    waited_for: Mapping[int, list[int]] = {place: [] for place in range(len(jobs))}
    for place, job in enumerate(jobs):
        for name in set(job.inputs):
            waited_for[position[name]].append(place)

    def turn(place: int) -> tuple[float, int]:
        job = jobs[place]
        return (-job.cost.minutes if job.step in LONGEST_FIRST else 0.0), place

    ready = [turn(place) for place, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, place = heapq.heappop(ready)
            heapq.heappush(running, (now + jobs[place].cost.minutes, place))
        now, done = heapq.heappop(running)
        for place in waited_for[done]:
            waiting[place] -= 1
            if waiting[place] == 0:
                heapq.heappush(ready, turn(place))
    return now
