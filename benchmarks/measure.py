"""Measure one task: start its contenders, let them take turns, and make rows of what came out."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Sequence

from benchmarks.plan import Contender, Task
from benchmarks.table import Row
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
                        base[contender] = worker.peak(reset=True) if task.work == "memory" else 0.0
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


def _repeats(contender: Contender, worker: Worker, budget: float) -> bool:
    """Whether a contender that has run runs again: mlsieve always does, apart from its many weightings."""
    if contender.name == "mlsieve" and contender.amount == contender.full:
        return True
    return not worker.stopped and worker.spent < (budget if contender.threads == 1 else budget / 3)


def without_slower_forms(task: Task, rows: Iterable[Row]) -> Task:
    """Return the task with that form of each peer only which was fastest with one thread."""
    here = (task.work, task.dataset, "1")
    known = [row for row in rows if (row.work, row.dataset, row.threads) == here]
    kept = []
    for contender in task.contenders:
        same = [row for row in known if row.contender == contender.name and row.cpu]
        fastest = min(same, key=lambda row: float(row.cpu)).variant if same else contender.variant
        if contender.threads == 1 or contender.name == "mlsieve" or contender.variant == fastest:
            kept.append(contender)
    return dataclasses.replace(task, contenders=tuple(kept))


def _slower(sides: Sequence[tuple[Contender, Worker]]) -> list[tuple[Contender, Worker]]:
    """Return the peers' forms that another form of the same peer beats."""
    slower = []
    for name in {contender.name for contender, _ in sides} - {"mlsieve"}:
        forms = [side for side in sides if side[0].name == name]
        slower += sorted(forms, key=lambda side: side[1].seconds("cpu"))[1:]
    return slower


def _result(
    task: Task, contender: Contender, worker: Worker, base: dict[Contender, float], measured: str
) -> Row:
    amount, full = (int(worker.median(key) or getattr(contender, key)) for key in ("amount", "full"))
    scale = worker.median("scale") or full / amount
    # A peer that runs in a process of its own says which share of it was learning: only that grows.
    share = worker.median("share")
    grown = (1 - share + share * scale) if share is not None else scale
    note = ""
    if worker.stopped:
        grown, note = (grown if share is not None else 1.0), "more than"
    cpu = sorted(run["cpu"] * grown for run in worker.runs)
    nodes = worker.median("nodes")
    return _row(
        task,
        contender,
        measured,
        note=note,
        amount=str(amount),
        full=str(full),
        runs=str(len(worker.runs)),
        cpu=_text(worker.seconds("cpu") * grown),
        wall=_text(worker.seconds("wall") * grown),
        inner_cpu=_text(worker.seconds("cpu") * share * scale) if share is not None and not note else "",
        cpu_least=_text(cpu[0]),
        cpu_most=_text(cpu[-1]),
        nodes=f"{nodes * full / amount:.0f}" if nodes is not None else "",
        peak_mib=f"{worker.peak() - base[contender]:.1f}" if task.work == "memory" else "",
    )


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
