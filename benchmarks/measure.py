"""Measure one task: start its contenders, let them take turns, and make rows of what came out."""

from __future__ import annotations

import contextlib
import dataclasses
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.comparison import counted_seconds
from benchmarks.table import Row
from benchmarks.tasks import Contender, Task
from benchmarks.workers import Failed, Worker


def measure(task: Task, *, repeats: int, budget: float, limit: float, measured: str) -> list[Row]:
    """Return one row a contender.

    Each contender has a process of its own, which loads the data once; then they take turns. Of a peer's
    forms only the fastest is repeated, and no peer is repeated that has spent the budget.

    Parameters
    ----------
    task : Task
    repeats : int
        Runs of each contender.
    budget : float
        Seconds after which a peer is not repeated; a third of them with several threads.
    limit : float
        Seconds after which a run of a peer in a process of its own is cut off.
    measured : str
        Time of the whole run's start, for the rows.
    """
    rows: dict[Contender, Row] = {}
    with contextlib.ExitStack() as stack:
        active: list[tuple[Contender, Worker]] = []
        for contender in task.contenders:
            worker = stack.enter_context(Worker(task.spec(contender, limit)))
            active.append((contender, worker))
        base = {}
        for round in range(repeats):
            for contender, worker in list(active):
                try:
                    if round == 0:
                        worker.prepare()
                        base[contender] = worker.peak(reset=True) if task.of_memory else 0.0
                    if not worker.runs or _repeats(contender, worker, budget):
                        worker.run()
                except Failed as failure:
                    active.remove((contender, worker))
                    rows[contender] = _row(task, contender, measured, note=f"failed: {failure}")
            if round == 0:
                slower = _slower(active)
                rows |= {side[0]: _result(task, *side, base, measured) for side in slower}
                active = [side for side in active if side not in slower]
        rows |= {side[0]: _result(task, *side, base, measured) for side in active}
    return [rows[contender] for contender in task.contenders]


def measure_in_turns(tasks: Sequence[Task], *, repeats: int, limit: float, measured: str) -> list[Row]:
    """Return the rows of tasks of mlsieve alone that are compared with each other: the points of a curve.

    All take turns, so that a slow minute of the machine bends no curve. Parameters as of `measure`.
    """
    rows: dict[tuple[str, ...], Row] = {}
    with contextlib.ExitStack() as stack:
        active = [
            (task, contender, stack.enter_context(Worker(task.spec(contender, limit))))
            for task in tasks
            for contender in task.contenders
        ]
        for round in range(repeats):
            for side in list(active):
                task, contender, worker = side
                try:
                    if round == 0:
                        worker.prepare()
                    worker.run()
                except Failed as failure:
                    active.remove(side)
                    rows[task.key(contender)] = _row(task, contender, measured, note=f"failed: {failure}")
        for task, contender, worker in active:
            rows[task.key(contender)] = _result(task, contender, worker, {}, measured)
    return [rows[task.key(contender)] for task in tasks for contender in task.contenders]


def _repeats(contender: Contender, worker: Worker, budget: float) -> bool:
    """Whether a contender that has run runs again: mlsieve always does, apart from its many weightings.

    No one does where memory is measured: a second run would begin with what the first one has left.
    """
    if worker.spec.get("once"):
        return False
    if contender.name == "mlsieve" and contender.amount == contender.full:
        return True
    return not worker.stopped and worker.spent < (budget if contender.threads == 1 else budget / 3)


def without_hopeless_forms(task: Task, rows: Iterable[Row]) -> Task:
    """Return the task without the forms of a peer that cannot become its fastest with several threads.

    With one thread they took as many times the fastest form's seconds as there are threads now.
    """
    known = {row.key: float(row.wall) for row in rows if row.wall and row.contender != "mlsieve"}
    one = [dataclasses.replace(contender, threads=1) for contender in task.contenders]
    seconds = [known.get(task.key(contender)) for contender in one]
    kept = []
    for contender, mine in zip(task.contenders, seconds, strict=True):
        others = [
            other
            for side, other in zip(one, seconds, strict=True)
            if side.name == contender.name and other is not None
        ]
        if contender.threads == 1 or mine is None or mine < contender.threads * min(others):
            kept.append(contender)
    return dataclasses.replace(task, contenders=tuple(kept))


def _slower(sides: Sequence[tuple[Contender, Worker]]) -> list[tuple[Contender, Worker]]:
    """Return the peers' forms that another form of the same peer beats, by the seconds that will count."""
    slower = []
    for name in {contender.name for contender, _ in sides} - {"mlsieve"}:
        forms = [side for side in sides if side[0].name == name]
        slower += sorted(forms, key=lambda side: side[1].seconds(counted_seconds(side[0].threads)))[1:]
    return slower


def _result(
    task: Task, contender: Contender, worker: Worker, base: dict[Contender, float], measured: str
) -> Row:
    amount, full = (int(worker.median(key) or getattr(contender, key)) for key in ("amount", "full"))
    cpu, wall = (
        sorted(whole_seconds(run, kind, full / amount) for run in worker.runs) for kind in ("cpu", "wall")
    )
    nodes, learning = worker.median("nodes"), worker.median("learning_cpu")
    data = worker.median("data_mib")
    parts = f"{contender.first} and {amount}" if contender.first and amount < full else str(amount)
    return _row(
        task,
        contender,
        measured,
        note="more than" if worker.stopped else "",
        amount=parts,
        full=str(full),
        runs=str(len(worker.runs)),
        cpu=_text(statistics.median(cpu)),
        wall=_text(statistics.median(wall)),
        inner_cpu=_text(learning) if learning is not None and not worker.stopped else "",
        cpu_least=_text(cpu[0]),
        cpu_most=_text(cpu[-1]),
        nodes=f"{nodes * full / amount:.0f}" if nodes is not None else "",
        peak_mib=_peak(worker, base[contender]) if task.of_memory else "",
        data_mib=f"{data:.2f}" if task.of_memory and data is not None else "",
    )


def _peak(worker: Worker, base: float) -> str:
    """Return the memory beyond what loading held; of a process that the contender starts, all of it."""
    told = worker.median("peak_mib")
    return f"{worker.peak() - base if told is None else told:.1f}"


def whole_seconds(run: dict[str, Any], kind: str, scale: float) -> float:
    """Return the seconds of the whole work by one run's.

    A peer with a start and a warm-up tells by itself what the rest would have added, at least if the run was
    cut off; all other work is proportional to its amount.
    """
    if "more_than" in run or f"more_{kind}" in run:
        return float(run[kind] + run.get(f"more_{kind}", 0.0))
    return float(run[kind] * scale)


def _row(task: Task, contender: Contender, measured: str, **values: str) -> Row:
    return Row(
        work=task.work,
        dataset=task.dataset,
        contender=contender.name,
        variant=contender.variant,
        threads=str(contender.threads),
        measured=measured,
        **values,
    )


def _text(seconds: float) -> str:
    return f"{seconds:.6g}"
