"""Write docs/scale.md from page.md, jobs.csv, dryruns.json, the factors of `mlsieve.costs` and the studies.

    python -m scale.page

A test holds the page against them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mlsieve.costs.model import predicted
from mlsieve.errors import number_of
from mlsieve.study.estimates import assumed_sizes
from mlsieve.study.resources import MEMORY_MORE, MEMORY_TIMES, MINUTES_TIMES
from mlsieve.workflow.batches import wildcards_of
from mlsieve.workflow.schedule import PlannedJob, critical_path, elapsed_minutes, planned_jobs
from scale.table import ROOT, read_jobs, study_of, task_of_row

STEPS = ("prepare", "discretise", "grow", "rank", "predict", "score", "evaluate")
STUDIES = ("mlc_ranking", "hmlc_ranking", "scls_selection")
CORES = (1, 100, 1_000)
_FLOOR_SECONDS = 0.1  # below it, a difference of CPU seconds is noise


def ratios(quantity: str) -> dict[str, list[float]]:
    """Return measured / expected of all jobs by rule.

    Parameters
    ----------
    quantity : {"cpu_seconds", "megabytes", "bytes"}
        The last two of watched jobs only.
    """
    found: dict[str, list[float]] = {step: [] for step in STEPS}
    for row in read_jobs():
        task = task_of_row(row)
        if task is None or not row[quantity]:
            continue
        cost = predicted(task)
        expected = {
            "cpu_seconds": cost.minutes * 60 + _FLOOR_SECONDS,
            "megabytes": cost.megabytes,
            "bytes": cost.disk * 1e6,
        }[quantity]
        measured = float(row[quantity]) + (_FLOOR_SECONDS if quantity == "cpu_seconds" else 0)
        found[row["step"]].append(measured / expected)
    return found


def requests() -> tuple[int, int, int]:
    """Return the watched jobs, those within the memory they ask for, and all jobs within their minutes.

    Of minutes, the ten that each job gets at the least are left out: one minute stands in their place.
    """
    watched = fits = in_time = 0
    for row in read_jobs():
        task = task_of_row(row)
        if task is None:
            continue
        cost = predicted(task)
        in_time += float(row["cpu_seconds"]) / 60 <= max(1, math.ceil(MINUTES_TIMES * cost.minutes))
        if row["megabytes"]:
            watched += 1
            fits += float(row["megabytes"]) <= math.ceil(MEMORY_MORE + MEMORY_TIMES * cost.megabytes)
    return watched, fits, in_time


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _ratio_table(quantity: str) -> str:
    rows = []
    for step, found in ratios(quantity).items():
        if found:
            low, first, middle, last, high = np.quantile(found, [0, 0.05, 0.5, 0.95, 1])
            rows.append((step, len(found), *(f"{x:.2f}" for x in (low, first, middle, last, high))))
    return table(("rule", "jobs", "least", "5 %", "median", "95 %", "most"), rows)


def _fit_values() -> dict[str, object]:
    """Return what the page tells of the fit."""
    rows = read_jobs()
    sources = [row["source"] for row in rows]
    _, fits, in_time = requests()
    return {
        "n_jobs": f"{len(rows):,}",
        "n_sets": len({row["dataset"] for row in rows}),
        "n_timings": f"{sources.count('timings'):,}",
        "n_watched": f"{sources.count('watched'):,}",
        **{quantity: _ratio_table(quantity) for quantity in ("cpu_seconds", "megabytes", "bytes")},
        "memory_times": f"{MEMORY_TIMES:g}",
        "memory_more": f"{MEMORY_MORE:g}",
        "minutes_times": f"{MINUTES_TIMES:g}",
        "n_fit": f"{fits:,}",
        "n_in_time": f"{in_time:,}",
        "asked": _asked(),
    }


def _asked() -> str:
    study = study_of("hmlc_ranking")
    asked = [
        study.resources.memory("grow")(wildcards_of(job), 1)
        for job in study.jobs.all()
        if (job.data.id, job.step) == ("cellcycle_GO", "grow")
        and job.ranker
        and job.ranker.ensemble == "extra-trees"
    ]
    return " and ".join(f"{value:,}" for value in sorted(set(asked)))


def _dryrun_values() -> dict[str, object]:
    """Return what the page tells of dry runs."""
    rows = json.loads((ROOT / "scale" / "dryruns.json").read_text(encoding="utf-8"))
    names = ("study", "times", "jobs", "cpu_seconds", "seconds", "megabytes")
    jobs = np.array([row["jobs"] for row in rows], dtype=float)
    start, per_job = np.polyfit(jobs, [row["cpu_seconds"] for row in rows], 1)[::-1]
    least, memory = np.polyfit(jobs, [row["megabytes"] for row in rows], 1)[::-1]
    lines = []
    for times in (1, 10, 100):
        found = [row for row in rows if row["times"] == times]
        if len(found) == len(STUDIES):
            count = sum(row["jobs"] for row in found)
            cpu, peak = sum(row["cpu_seconds"] for row in found), max(row["megabytes"] for row in found)
            how = "measured"
        else:
            single = [row["jobs"] for row in rows if row["times"] == 1]
            count, how = times * sum(single), "by the line, not measured"
            cpu, peak = start * len(STUDIES) + per_job * count, least + memory * times * max(single)
        lines.append((f"{times} x", f"{count:,}", f"{cpu / 60:,.1f}", f"{peak:,.0f}", how))
    return {
        "dryruns": table(
            ("study", "each dataset", "jobs", "CPU seconds", "seconds", "MB"),
            [[row[name] if name != "times" else f"{row[name]} x" for name in names] for row in rows],
        ),
        "line": f"{start:.1f} s and {1000 * per_job:.2f} ms a job; "
        f"{least:.0f} MB and {1000 * memory:.1f} kB a job",
        "programme": table(
            ("the three studies one after the other", "jobs", "CPU minutes", "most MB", "how"), lines
        ),
    }


def _elapsed(minutes: float) -> str:
    return f"{minutes / 60:.1f} h" if minutes >= 60 else f"{minutes:.0f} min"


def _study_row(name: str, jobs: Sequence[PlannedJob]) -> list[str]:
    hours = sum(job.cost.minutes for job in jobs) / 60
    memory, disk = max(job.cost.megabytes for job in jobs), sum(job.cost.disk for job in jobs)
    times = [_elapsed(elapsed_minutes(jobs, cores)) for cores in CORES]
    chain = sum(job.cost.minutes for job in critical_path(jobs))
    return [
        name,
        f"{len(jobs):,}",
        f"{hours:.1f}",
        f"{memory / 1000:.1f}",
        f"{disk / 1000:.1f}",
        *times,
        _elapsed(chain),
    ]


def _studies_values() -> dict[str, object]:
    """Return what the page says about the studies."""
    planned = {name: planned_jobs(study_of(name)) for name in STUDIES}
    known = assumed_sizes()
    used = {name: study_of(name).content.datasets.values() for name in STUDIES}
    assumed = {
        name: [data.id for data in datasets if data.id in known and not data.files]
        for name, datasets in used.items()
    }
    rows = [_study_row(name, jobs) for name, jobs in planned.items()]
    together = _study_row("all three at once", [job for jobs in planned.values() for job in _apart(jobs)])
    rows.append([*together[:3], "", "", *together[5:]])
    cores = [number_of(f"{count:,}", "core") for count in CORES]
    paths = []
    for name, jobs in planned.items():
        chain = critical_path(jobs)
        steps = [f"{job.step} {_elapsed(job.cost.minutes)}" for job in chain if job.cost.minutes > 0.5]
        paths.append(f"- {name}, by {next(job.dataset for job in chain if job.dataset)}: {', '.join(steps)}")
    return {
        "studies": table(
            ("study", "jobs", "CPU hours", "most GB of memory", "GB of disk", *cores, "critical path"), rows
        ),
        "paths": "\n".join(paths),
        "n_assumed": sum(map(len, assumed.values())),
        "shares": _shares(planned, assumed),
    }


def _apart(jobs: Sequence[PlannedJob]) -> list[PlannedJob]:
    """Return a study's jobs with outputs that no other study has."""
    mark = f"{id(jobs)}:"
    return [
        replace(job, output=mark + job.output, inputs=tuple(mark + name for name in job.inputs))
        for job in jobs
    ]


def _shares(planned: dict[str, list[PlannedJob]], assumed: dict[str, list[str]]) -> str:
    words = []
    for name, jobs in planned.items():
        whole = sum(job.cost.minutes for job in jobs)
        theirs = sum(job.cost.minutes for job in jobs if job.dataset in assumed[name])
        words.append(f"{name} {100 * theirs / whole:.0f} %")
    return ", ".join(words)


def page() -> str:
    """Return docs/scale.md."""
    template = (ROOT / "scale" / "page.md").read_text(encoding="utf-8")
    return template.format(**_fit_values(), **_dryrun_values(), **_studies_values())


def main() -> int:
    """Write docs/scale.md."""
    Path(ROOT / "docs" / "scale.md").write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
