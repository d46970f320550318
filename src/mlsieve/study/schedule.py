"""How long a study takes on so many cores: its graph of jobs gone through as a scheduler would."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mlsieve.costs import Cost
from mlsieve.published.setting import papers_beside
from mlsieve.study.batches import wildcards_of
from mlsieve.study.expand import Study
from mlsieve.study.steps import STEPS


@dataclass(frozen=True)
class PlannedJob:
    """A job with what it is expected to cost.

    Attributes
    ----------
    step, dataset : str
        Rule, and id of the data set; empty for the steps that join a study's tables.
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
        Keys of the data sets; default all in use.
    """
    keys = list(study.datasets) if datasets is None else list(datasets)
    jobs = [PlannedJob("acquire", "", "acquire", (), STEPS["acquire"].cost(len(keys)))]
    for job in study.jobs(keys):
        needed = job.inputs or ("acquire",)
        cost = study.estimate(job.step, wildcards_of(job))
        jobs.append(PlannedJob(job.step, job.data.id, job.output, needed, cost))
    ends = tuple(job.output for job in jobs if job.step in ("score", "evaluate"))
    orders = tuple(job.output for job in jobs if job.step == "column_order")
    for step, needed in _summaries(study, orders).items():
        waits = (*ends, *orders) if step == "collect" else needed or ends
        count = len(orders) if step == "column_order_summary" else len(ends)
        jobs.append(PlannedJob(step, "", step, waits, STEPS[step].cost(count)))
    return jobs


def _summaries(study: Study, orders: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the steps that join a study's tables, and what each waits for; empty: all scores.

    Parameters
    ----------
    study : Study
    orders : tuple of str
        Tables of effects of the column order.
    """
    found: dict[str, tuple[str, ...]] = {"collect": ()}
    if study.tables_of_seeds:
        found["stability"] = ()
    papers = papers_beside(study)
    if study.described or any(paper.study == study.name for paper in papers):
        found["describe"] = ()
    found["compare"] = tuple(found)
    if study.similarities:
        found["similarity"] = ("compare",)
    if study.convergences:
        found["convergence"] = ()
    if orders:
        found["column_order_summary"] = orders
    if papers:
        found["published"] = (*(("similarity",) if study.similarities else ()), "compare")
    drawn = ("similarity", "convergence")
    found["figures"] = (*(step for step in drawn if step in found), "compare")
    shown = ("published", "column_order_summary")
    found["report"] = ("figures", *(step for step in shown if step in found))
    return found


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
    scheduling); what a scheduler takes to start a job, and a queue, come on top.

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
    ready = [place for place, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            place = heapq.heappop(ready)
            heapq.heappush(running, (now + jobs[place].cost.minutes, place))
        now, done = heapq.heappop(running)
        for place in waited_for[done]:
            waiting[place] -= 1
            if waiting[place] == 0:
                heapq.heappush(ready, place)
    return now
