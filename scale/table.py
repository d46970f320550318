"""What jobs took, in one table: jobs.csv, from watched runs (`scale.measure`) and studies' timings.csv.

    python -m scale.table build/scale/records.jsonl results/*/timings.csv

Rows of ``watched`` jobs are what the operating system counted. CPU seconds of rows of ``timings`` are what
the job itself has from the operating system; where it has written none they are those of its work, or else
the time on the clock. Their memory is not used.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from mlsieve.configuration.merge import load_configuration
from mlsieve.costs.measured import PARTS, read_work
from mlsieve.costs.model import Task
from mlsieve.files.csv_tables import as_csv, read_rows
from mlsieve.study import Job, Study
from mlsieve.workflow.batches import wildcards_of

ROOT = Path(__file__).resolve().parents[1]
JOBS = ROOT / "scale" / "jobs.csv"
STUDIES = ("quickstart", "mlc_ranking", "hmlc_ranking", "scls_selection")
COLUMNS = (
    "source",
    "study",
    "dataset",
    "step",
    "method",
    "ensemble",
    "score",
    "cpu_seconds",
    "trees_seconds",
    "permutation_seconds",
    "megabytes",
    "bytes",
)


@cache
def study_of(name: str) -> Study:
    """Return a study of config/ by its name."""
    default = ROOT / "config" / "config.yaml"
    if name == "quickstart":
        return Study(load_configuration(default, default=None))
    return Study(load_configuration(ROOT / "config" / "studies" / f"{name}.yaml", default=default))


def names_of(job: Job) -> tuple[str, ...]:
    """Return dataset, step, method, ensemble and score of a job, as in timings.csv."""
    ranker = job.ranker
    if ranker is None:
        return (job.data.id, job.step, "", "", "")
    score = "" if job.step == "grow" else ranker.score
    return (job.data.id, job.step, ranker.label, ranker.ensemble, score)


@cache
def _jobs_of(name: str) -> dict[tuple[str, ...], Job]:
    return {names_of(job): job for job in study_of(name).jobs.all()}


def job_of(row: dict[str, str]) -> Job | None:
    """Return the job of a row of jobs.csv; None if the study has it no longer."""
    names = tuple(row[name] for name in ("dataset", "step", "method", "ensemble", "score"))
    return _jobs_of(row["study"]).get(names)


def task_of_row(row: dict[str, str]) -> Task | None:
    """Return a row's job as its cost is reckoned; None if the study has it no longer."""
    job = job_of(row)
    return None if job is None else study_of(row["study"]).resources.task(job.step, wildcards_of(job))


def read_jobs(path: Path = JOBS) -> list[dict[str, str]]:
    """Return the rows of jobs.csv."""
    return read_rows(path)


def watched(records: Path) -> Iterator[dict[str, object]]:
    """Yield a row for each job of a study in the records of `scale.measure`, the latest of each."""
    by_output = {job.output: (name, job) for name in STUDIES for job in study_of(name).jobs.all()}
    found: dict[str, dict[str, object]] = {}
    for line in records.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        name, job = by_output.get(record["output"], ("", None))
        if job is None or record["status"] or job.step != record["step"]:
            continue
        work = read_work(records.parent / job.log) if job.step == "grow" else None
        found[record["output"]] = {
            "source": "watched",
            "study": name,
            **dict(zip(("dataset", "step", "method", "ensemble", "score"), names_of(job), strict=True)),
            "cpu_seconds": f"{record['cpu_seconds']:.2f}",
            **_work_columns(work),
            "megabytes": f"{record['megabytes']:.0f}",
            "bytes": record["bytes"],
        }
    yield from found.values()


def timed(timings: Path) -> Iterator[dict[str, object]]:
    """Yield a row for each job of a study's timings.csv; the study's name is that of its folder."""
    name = timings.resolve().parent.name
    for record in read_rows(timings):
        row = {"study": name} | {
            key: record[key] for key in ("dataset", "step", "method", "ensemble", "score")
        }
        if not record["seconds"] or job_of(row) is None:
            continue
        seconds, told = float(record["seconds"]), [record[f"work_{part}"] for part in PARTS]
        grown = record["step"] == "grow" and all(told)
        work = dict(zip(PARTS, map(float, told), strict=True)) if grown else None
        known = record["cpu_seconds"]
        used = float(known) if known else sum(work.values()) if work else seconds
        yield {
            "source": "timings",
            **row,
            "cpu_seconds": f"{used:.2f}",
            **_work_columns(work),
            "megabytes": "",
            "bytes": "",
        }


def _work_columns(work: dict[str, float] | None) -> dict[str, str]:
    if work is None:
        return {"trees_seconds": "", "permutation_seconds": ""}
    return {
        "trees_seconds": f"{work['once'] + work['trees']:.2f}",
        "permutation_seconds": f"{work['permutation']:.2f}",
    }


def write_jobs(rows: Iterable[dict[str, object]], path: Path = JOBS) -> int:
    """Write jobs.csv in the order of sources, studies and jobs; return its number of rows."""
    ordered = sorted(rows, key=lambda row: [str(row[name]) for name in COLUMNS[:7]])
    path.write_text(as_csv(COLUMNS, ordered), encoding="utf-8", newline="")
    return len(ordered)


def main() -> int:
    """Read records (.jsonl) and timings (.csv), and write jobs.csv."""
    parser = argparse.ArgumentParser(prog="python -m scale.table", description=__doc__.split("\n")[0])
    parser.add_argument(
        "files", type=Path, nargs="+", help="records.jsonl, and timings.csv in their studies' folders"
    )
    parser.add_argument("-o", "--output", type=Path, default=JOBS)
    arguments = parser.parse_args()
    rows = [row for file in arguments.files for row in (watched if file.suffix == ".jsonl" else timed)(file)]
    print(f"{arguments.output}: {write_jobs(rows, arguments.output)} jobs")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
