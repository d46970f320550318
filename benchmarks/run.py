"""Set mlsieve beside what a user could pick instead: scikit-learn, CLUS, XGBoost, CatBoost, scipy and numpy.

    python -m benchmarks.run                               # everything: see docs/benchmarks.md
    python -m benchmarks.run --rows forest,knn --datasets enron,yeast --repeats 1
    python -m benchmarks.run --quick                       # a few seconds, on a small set of the package

Rows are written to results.csv.part beside the results as they come; --resume goes on from there after an
interruption. At the end they take their places in results.csv, and the document is written from it.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import document, goals, hierarchical_plan, machine, plan, table
from benchmarks.contenders import MODULES, contender
from benchmarks.data import ROOT, find_mirror
from benchmarks.measure import measure, measure_in_turns, without_hopeless_forms
from benchmarks.tasks import Task

RESULTS, DOCUMENT = ROOT / "benchmarks" / "results.csv", ROOT / "docs" / "benchmarks.md"
QUICK_DATASET = "synthetic-linear"
_DATASETS = goals.DATASETS + goals.CHAINS_ONLY + goals.HIERARCHICAL


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Return the options, checked."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--rows", metavar="NAME,...", help=f"which comparisons (default all: {','.join(plan.FAMILIES)})")
    add(
        "--datasets",
        metavar="ID,...",
        help=f"dataset ids (default {','.join(_DATASETS)})",
    )
    add("--repeats", type=int, metavar="N", help="runs of each, of which the median counts (default 5)")
    add(
        "--budget",
        type=float,
        default=10.0,
        metavar="S",
        help="no repeat after S seconds of runs (default 10)",
    )
    add("--limit", type=float, default=240.0, metavar="S", help="longest run of CLUS (default 240 seconds)")
    add(
        "--quick",
        action="store_true",
        help="few trees on a small set; writes nothing unless --output is given",
    )
    add("--resume", action="store_true", help="keep the rows that an interrupted run has left")
    add("--output", type=Path, metavar="FILE", help="results (default benchmarks/results.csv)")
    add(
        "--document",
        type=Path,
        metavar="FILE",
        help="document (default docs/benchmarks.md; none beside --output)",
    )
    options = parser.parse_args(argv)
    options.families = options.rows.split(",") if options.rows else list(plan.FAMILIES)
    if unknown := [name for name in options.families if name not in plan.FAMILIES]:
        parser.error(f"no rows '{unknown[0]}'; there are {', '.join(plan.FAMILIES)}")
    options.whole = not (options.rows or options.datasets or options.quick)
    default = list(_DATASETS)
    if options.quick:
        hierarchies = set(options.families) <= set(hierarchical_plan.FAMILIES)
        default = [hierarchical_plan.QUICK_DATASET if hierarchies else QUICK_DATASET]
    options.ids = options.datasets.split(",") if options.datasets else default
    options.repeats = options.repeats or (1 if options.quick else 5)
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    if options.output is None and not options.quick:
        options.output, options.document = RESULTS, options.document or DOCUMENT
    return options


def main(argv: list[str] | None = None) -> int:
    """Measure, write results and document, print the table of what must be reached."""
    options = parse(argv)
    find_mirror()
    started = time.perf_counter()
    measured = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    part = None
    if options.output:
        part = table.PartFile(options.output.with_name(f"{options.output.name}.part"), options.resume)
    rows: list[table.Row] = part.rows if part else []

    def keep(row: table.Row) -> None:
        part.add(row) if part else rows.append(row)

    peers = []
    for name in MODULES:
        why = contender(name).available()
        if why is None:
            peers.append(name)
        else:
            print(f"benchmarks: {name} is left out: {why}", file=sys.stderr)
            keep(table.Row("left out", contender=name, note=why, measured=measured))
    for name, value in machine.facts().items():
        keep(table.Row("about", name, note=value, measured=measured))
    try:
        tasks = plan.tasks(options.families, options.ids, machine.usable_cores(), peers, options.quick)
        for _, numbered in itertools.groupby(enumerate(tasks), _turns):
            known = {row.key for row in rows}
            wanted = [without_hopeless_forms(task, rows) for _, task in numbered]
            wanted = [task for task in wanted if not {task.key(side) for side in task.contenders} <= known]
            if not wanted:
                continue
            how = {"repeats": options.repeats, "budget": options.budget, "limit": options.limit}
            made = (
                measure_in_turns(wanted, repeats=options.repeats, limit=options.limit, measured=measured)
                if len(wanted) > 1
                else measure(wanted[0], **how, measured=measured)
            )
            for row in made:
                keep(dataclasses.replace(row, repeats=f"{options.repeats}", budget=f"{options.budget:g}"))
                print(_line(row), flush=True)
    except KeyboardInterrupt:
        kept = f"; the rows so far are in {part.path.name}, go on with --resume" if part else ""
        print(f"\nbenchmarks: interrupted{kept}", file=sys.stderr)
        return 130
    keep(table.Row("about", "minutes", note=f"{(time.perf_counter() - started) / 60:.1f}", measured=measured))
    if part:
        # A run of everything starts afresh; a part of it replaces what it measured anew.
        rows = table.merged([] if options.whole else table.read(options.output), part.rows)
        table.write(options.output, rows)
        part.path.unlink()
        if options.document:
            document.write(options.document, rows)
    print("\n" + document.reached(rows))
    return 0


def _turns(numbered: tuple[int, Task]) -> str | int:
    """Return what is the same for tasks that take turns: the points of a curve do, others stand alone."""
    number, task = numbered
    return task.work if task.work.startswith("curve-") else number


def _line(row: table.Row) -> str:
    cpu, wall = (f"{float(text):9.4f}" if text else "        -" for text in (row.cpu, row.wall))
    what = f"{row.work:<12} {row.dataset:<16} {row.contender:<12} {row.variant:<13} {row.threads} threads"
    return f"{what} {cpu} s CPU {wall} s wall  {row.note}"


if __name__ == "__main__":
    sys.exit(main())
