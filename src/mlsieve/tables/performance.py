"""A study's tables from its jobs' files: performance, rankings, what was skipped, what each step took."""

from __future__ import annotations

import csv
import io
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlsieve.costs.measured import PARTS, read_usage, read_work
from mlsieve.errors import UserError
from mlsieve.files.checksums import require_intact, withdraw
from mlsieve.files.csv_tables import PERFORMANCE, as_csv
from mlsieve.files.writing import atomic_path
from mlsieve.progress import counted
from mlsieve.rankings.files import RankingBundle
from mlsieve.study import Data, Job, Study, first_unfinished
from mlsieve.tables.chains import performance_rows

SKIPPED = ("dataset", "reason", "status", "step", "method", "log")
TIMINGS = (
    "dataset",
    "method",
    "seconds",
    "cpu_seconds",
    "peak_mb",
    "step",
    "ensemble",
    "score",
    "split",
    "repeat",
    "seed",
    "trees",
    "work_once",
    "work_trees",
    "work_permutation",
)
_VALUE = PERFORMANCE.index("value")
RANKINGS = ("dataset", "split", "repeat", "method", "ensemble", "score", "size", "features", "positive")


@dataclass(frozen=True)
class Skipped:
    """One row of skipped.csv.

    Attributes
    ----------
    dataset, reason : str
    status : {"unavailable", "left out", "not applicable", "failed"}
        "not applicable": a method that is not for this dataset; nothing went wrong.
    step, method : str
        Of a failed job, or of a method that is not applicable.
    log : str
        The failed job's log.
    """

    dataset: str
    reason: str
    status: str
    step: str = ""
    method: str = ""
    log: str = ""


# Ids and definitions of the measures of a dataset.
Measured = Callable[[Data], Iterable[tuple[str, str]]]


def collect_performance(
    jobs: Mapping[str, Sequence[Job]], measured: Measured, output: str | os.PathLike[str]
) -> int:
    """Write one table from the tables of scores of jobs; return its number of rows.

    What a method that predicts label sets has found is a file of JSON; its rows of scores are taken.

    Parameters
    ----------
    jobs : mapping of str to sequence of Job
        For each file, the jobs whose rows it has.
    measured : callable
        `mlsieve.study.Content.measured` of the study.
    output : path-like

    Raises
    ------
    UserError
        If a file is missing, has other columns, or other rows than those of its jobs. A damaged file, and one
        of a study that has the rows of others, has been removed then.
    """
    rows = 0
    with atomic_path(output) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        stream.write(",".join(PERFORMANCE) + "\n")
        for file, own in counted(list(jobs.items()), "files"):
            body = scores_of(file, own, measured)
            stream.write(body)
            rows += body.count("\n")
    return rows


def scores_of(file: str | os.PathLike[str], jobs: Sequence[Job], measured: Measured) -> str:
    """Return the rows of a table of scores as CSV, once they are found to be those of its jobs.

    Raises
    ------
    UserError
        See `collect_performance`.
    """
    file = Path(file)
    if not file.is_file():
        raise UserError("no such file", file=file, hint="run the study again; its score job has not finished")
    if file.suffix == ".json":
        header, body = ",".join(PERFORMANCE), as_csv(PERFORMANCE, performance_rows(file)).partition("\n")[2]
    else:
        require_intact(file)
        header, _, body = file.read_text(encoding="utf-8").partition("\n")
    if header.strip() != ",".join(PERFORMANCE):
        raise UserError(
            "is not a table of scores of this version", file=file, line=1, hint="remove it and run again"
        )
    rows = list(csv.reader(io.StringIO(body, newline="")))
    described = {tuple(row[:_VALUE]) for row in rows}
    expected = set(itertools.chain.from_iterable(_expected(job, measured(job.data)) for job in jobs))
    # Rankings that are evaluated by several numbers of features have a row for each.
    if described != expected or len({(*row[:_VALUE], row[-1]) for row in rows}) < len(rows):
        withdraw(file)
        raise UserError(
            "does not have the rows of its job, each once"
            + (": it is that of another" if described.isdisjoint(expected) and expected else ""),
            file=file,
            hint="remove it, if it is still there, and run the study again",
        )
    return body


def _expected(job: Job, measured: Iterable[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Yield what a job's rows hold before the value."""
    assert job.split is not None
    split, ranker = job.split.kind_of(job.data), job.ranker
    if job.chain is not None:
        methods = [] if job.chain.keys.only_curves else [variant.name for variant in job.chain.variants]
        ensemble = score = evaluator = ""
        sizes: tuple[int, ...] = (0,)
    else:
        assert ranker is not None and job.evaluator is not None
        methods = [label for _, label in ranker.shared] or [ranker.label]
        ensemble, score, evaluator = ranker.ensemble, ranker.score, job.evaluator.id
        sizes = ranker.sizes or (0,)
    for method, size, repeat, measure in itertools.product(methods, sizes, job.split.repeats, measured):
        yield job.data.id, split, method, ensemble, score, str(size), str(repeat), evaluator, *measure


def skipped_sets(study: Study, unavailable: Mapping[str, str], available: Sequence[str]) -> list[Skipped]:
    """Return what the study could not use: datasets left out or unavailable, unsuited methods, failed jobs.

    Parameters
    ----------
    study : Study
    unavailable : mapping
        Reason by dataset id.
    available : sequence of str
        Keys of the datasets whose jobs should all have run.
    """
    content = study.content
    rows = [Skipped(name, reason, "left out") for name, reason in content.left_out.items()]
    rows += [Skipped(name, reason, "unavailable") for name, reason in unavailable.items()]
    for data in content.datasets.values():
        if data.id not in unavailable:
            reasons = {("rank", one.name): content.unsuited(data, one) for one in content.rankers.values()}
            reasons |= {
                ("chain", one.name): content.unsuited_chain(data, one) for one in content.chains.values()
            }
            rows += [
                Skipped(data.id, reason, "not applicable", step, name)
                for (step, name), reason in reasons.items()
                if reason
            ]
    rows += failed_jobs(study, available)
    return rows


def failed_jobs(study: Study, datasets: Sequence[str]) -> list[Skipped]:
    """Return one row for each job whose failure prevented a table of scores or effects.

    The reason is read from the job's log.
    """
    found: dict[tuple[str, str], Skipped] = {}
    for chain in study.jobs.every_chain(datasets):
        job = first_unfinished(chain)
        if job is not None and (job.output, job.method) not in found:
            reason = _damage_message(job, chain) or failure_reason(job)
            failed = Skipped(job.data.id, reason, "failed", job.step, job.method, job.log)
            found[job.output, job.method] = failed
    return [*found.values(), *_failed_example(study, datasets)]


def _failed_example(study: Study, datasets: Sequence[str]) -> Iterator[Skipped]:
    """Yield a row if the worked example was tried and is missing."""
    data, log = study.content.worked_data, study.paths.log("worked")
    if data is not None and data.key in datasets and study.summaries.worked_failed:
        yield Skipped(data.id, reason_in_log("worked", log), "failed", "worked", "", log)


def _damage_message(job: Job, chain: Sequence[Job]) -> str | None:
    """Return the message of a later job that found this one's output damaged, and removed it."""
    mark = f"mlsieve: {job.output}: was damaged"
    for reader in chain:
        try:
            since = os.stat(reader.log).st_mtime >= os.stat(job.log).st_mtime
            lines = Path(reader.log).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
        reports = [line for line in lines if line.startswith(mark)]
        if since and reports:
            return f"{reader.step} stopped: {reports[-1].removeprefix('mlsieve: ')}"
    return None


def failure_reason(job: Job) -> str:
    """Return why a job has no output, from the last line of its log."""
    return reason_in_log(job.step, job.log)


def reason_in_log(step: str, log: str) -> str:
    """Return why a job of a step failed, from the last line of its log."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return f"{step} was not run"
    said = [line.strip() for line in lines if line.strip()]
    if not said:
        causes = "it ran out of memory or time, was stopped, or a scheduler refused it"
        return f"{step} ended without a message: {causes}"
    return f"{step} failed: {said[-1].removeprefix('mlsieve: ')}"


def timings(jobs: Iterable[Job]) -> Iterator[dict[str, object]]:
    """Yield a row for each job whose benchmark is there: what its latest run took.

    CPU seconds and peak memory are what the operating system counted for the job, which writes them into its
    log; without such a line they are left empty, for Snakemake only samples them, and too late for a job of
    a second. ``work_...`` are the CPU seconds that jobs of growing and ranking measured themselves, for
    `trees` trees. A job that gives the rankings of several methods has a row for each, with an equal share of
    its seconds.
    """
    for job in jobs:
        try:
            with open(job.benchmark, encoding="utf-8", errors="replace", newline="") as stream:
                records = list(csv.DictReader(stream, delimiter="\t"))
        except (OSError, csv.Error):
            continue
        if not records:
            continue
        record, ranker, split = records[-1], job.ranker, job.split
        of_score = ranker is not None and job.step != "grow"
        work = read_work(job.log) if job.step in ("grow", "rank") else None
        used = read_usage(job.log)
        methods = [label for _, label in ranker.shared] if ranker else []
        methods = methods or [ranker.label if ranker else job.method]
        n = len(methods)
        for method in methods:
            yield {
                "dataset": job.data.id,
                "method": method,
                "seconds": _number(record.get("s"), n),
                "cpu_seconds": f"{used.cpu_seconds / n:.3f}" if used else "",
                "peak_mb": f"{used.peak_mb:.1f}" if used else "",
                "step": job.step,
                "ensemble": ranker.ensemble if ranker else "",
                "score": ranker.score if ranker and of_score else "",
                "split": split.kind_of(job.data) if split else "",
                "repeat": split.numbers if split else "",
                "seed": ranker.seed_number if ranker else "",
                "trees": max(ranker.sizes) if ranker and ranker.ensemble else "",
                **{f"work_{part}": f"{work[part] / n:.6f}" if work else "" for part in PARTS},
            }


def ranking_sizes(jobs: Iterable[Job]) -> Iterator[dict[str, object]]:
    """Yield a row for each ranking: how many features it has, and to how many it gives a positive weight.

    Rankings of the first seed only, as in performance.csv. A bundle that is no longer in the cache is left
    out.

    Parameters
    ----------
    jobs : iterable of Job
        Jobs of other steps are passed over.
    """
    for job in jobs:
        ranker, split = job.ranker, job.split
        if job.step != "rank" or ranker is None or split is None or not os.path.isfile(job.output):
            continue
        if ranker.seed_number:
            continue
        for ranking in RankingBundle.load(job.output).rankings:
            yield {
                "dataset": job.data.id,
                "split": split.kind_of(job.data),
                "repeat": split.repeats[0] if ranking.repeat is None else ranking.repeat,
                "method": ranking.name if ranker.shared else ranker.label,
                "ensemble": ranker.ensemble,
                "score": ranker.score,
                "size": ranking.size,
                "features": len(ranking.scores),
                "positive": int((ranking.weights() > 0).sum()),
            }


def _number(text: str | None, shares: int = 1) -> str:
    try:
        return f"{float(text or '') / shares:.2f}"
    except ValueError:
        return ""
