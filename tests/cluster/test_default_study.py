"""The default study on a real SLURM, through faults, with the tables of a local run to the byte."""

from __future__ import annotations

import csv
import os
import re
import shutil
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest
from private_slurm import PrivateSlurm
from workflow_project import ROOT, Project, make_project

from mlsieve.configuration.merge import load_configuration
from mlsieve.files.checksums import record_of
from mlsieve.study import Study
from mlsieve.workflow.batches import batches, tree
from mlsieve.workflow.cluster import BATCH_MINUTES

# They tell times, and where and when they were made.
TIMED = {"timings.csv", "sections.json", "leaderboard.csv", "provenance.json", "report.html"}
TIMED |= {f"paper/{name}" for name in ("results.md", "text.tex", "tables.md", "tables.tex")}
TIMED |= {str(record_of(name)) for name in TIMED}
CORES = 2
# CI builds wheels and documentation beside it, on the same two cores.
PATIENCE = 1800.0
pytestmark = pytest.mark.timeout(2 * PATIENCE)
SUMMARIES = {"acquire", "collect", "compare", "sections", "figures", "report"}


@dataclass
class Run:
    """The default study, run on a cluster.

    Attributes
    ----------
    folder : Path
        Its results.
    output : str
        What Snakemake said.
    attempts : dict of str to list of dict
        What SLURM knew of each job that began with a dataset, in turn.
    faults : dict of str to str
        Dataset's id, as the command of its step names it, by fault.
    batches : int
        Number of batches that were expected.
    """

    folder: Path
    output: str
    attempts: dict[str, list[dict[str, str]]]
    faults: dict[str, str]
    batches: int


def finished(project: Project, *options: str) -> str:
    """Run the default study in a project; return what Snakemake said."""
    done = project.snakemake(*options, configured=False)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-20_000:]
    return output


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of the default study on this machine: those of `make study`, or of a run of our own."""
    done = os.environ.get("MLSIEVE_LOCAL_RESULTS")
    if done:
        return ROOT / done
    project = make_project(tmp_path_factory.mktemp("local"), stand_in=False)
    finished(project, "--quiet")
    return project.folder / "results" / "quickstart"


@pytest.fixture(scope="module")
def run(slurm: PrivateSlurm, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The default study on the cluster, in batches of about two datasets; three of them meet a fault."""
    study = Study(load_configuration())
    minutes = 2.01 * max(data.minutes for data in tree(study).below.values())
    packed = batches(study, minutes)
    by_batch: dict[str, str] = {}
    for key, data in study.content.datasets.items():
        by_batch.setdefault(packed[study.paths.of("prepare", dataset=key)], data.id)
    assert len(by_batch) >= 3, "each fault needs a batch of its own"
    faults = dict(zip(("FAILS", "NEEDS_MEMORY", "TAKES_LONG"), reversed(by_batch.values()), strict=False))

    project = make_project(tmp_path_factory.mktemp("cluster"), stand_in=False)
    project.patience = PATIENCE
    happened = project.folder / "faults"
    (project.folder / "bin").mkdir()
    happened.mkdir()
    shutil.copy(Path(__file__).parent / "faulty_mlsieve.sh", project.folder / "bin" / "mlsieve")
    installed = Path(os.path.abspath(sys.executable)).parent
    path = [str(project.folder / "bin"), str(installed), slurm.environment["PATH"]]
    project.environment = {
        **slurm.environment,
        **faults,
        "FAULTS": str(happened),
        "REAL": str(installed / "mlsieve"),
        "PYTHON": sys.executable,
        "PATH": os.pathsep.join(path),
        BATCH_MINUTES: str(minutes),
    }
    output = finished(
        project,
        "--profile=profiles/slurm",
        f"--cores={CORES}",
        "--slurm-init-seconds-before-status-checks=2",
        "--latency-wait=10",
    )
    attempts: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in (happened / "prepare.log").read_text(encoding="utf-8").splitlines():
        known = dict(word.split("=", 1) for word in line.split() if "=" in word)
        attempts[known["DataSet"]].append(known)
    return Run(project.folder / "results" / "quickstart", output, attempts, faults, len(by_batch))


def minutes_of(job: dict[str, str]) -> int:
    """Read SLURM's time limit, [days-]hours:minutes:seconds."""
    days, _, clock = job["TimeLimit"].rpartition("-")
    hours, minutes, _ = clock.split(":")
    return int(days or 0) * 1440 + int(hours) * 60 + int(minutes)


def megabytes_of(job: dict[str, str]) -> int:
    """Read SLURM's memory, which is in G where that is a whole number."""
    text = job["MinMemoryNode"]
    return int(text[:-1]) * {"M": 1, "G": 1024}[text[-1]]


def test_all_tables_and_figures_are_those_of_a_local_run(run: Run, local: Path) -> None:
    compared = 0
    for path in sorted(local.rglob("*")):
        name = path.relative_to(local)
        if path.is_dir() or name.parts[0] in {"logs", "configuration"} or str(name) in TIMED:
            continue
        assert (run.folder / name).read_bytes() == path.read_bytes(), name
        compared += 1
    assert compared >= 10
    assert {path.name for path in run.folder.iterdir()} == {path.name for path in local.iterdir()}


def test_the_table_of_times_has_the_same_rows(run: Run, local: Path) -> None:
    def rows(folder: Path) -> list[tuple[str, ...]]:
        with (folder / "timings.csv").open(newline="", encoding="utf-8") as stream:
            kept = ("dataset", "method", "step", "size", "repeat", "seed")
            return sorted(tuple(row.get(name, "") for name in kept) for row in csv.DictReader(stream))

    assert rows(run.folder) == rows(local) != []


def test_jobs_go_to_the_cluster_in_batches_and_summaries_do_not(run: Run) -> None:
    submitted = re.findall(r"SLURM jobid (\d+)", run.output)
    assert len(submitted) == run.batches + len(run.faults), "each batch once, and once more after each fault"
    logs = re.findall(r"\(log: (\S+)\)", run.output)
    assert all("/group_batch" in log for log in logs)
    assert set(re.findall(r"Finished jobid: \d+ \(Rule: (\w+)\)", run.output)) >= SUMMARIES


def test_no_job_asks_for_more_cores_than_the_profile_allows(run: Run) -> None:
    assert {job["NumCPUs"] for jobs in run.attempts.values() for job in jobs} == {str(CORES)}


def test_a_job_that_fails_once_is_run_again(run: Run) -> None:
    first, second = run.attempts[run.faults["FAILS"]]
    assert first["JobId"] != second["JobId"]


def test_a_job_killed_for_memory_gets_twice_as_much(run: Run) -> None:
    first, second = run.attempts[run.faults["NEEDS_MEMORY"]]
    assert megabytes_of(second) == 2 * megabytes_of(first)


def test_a_job_out_of_time_gets_twice_as_much(run: Run) -> None:
    first, second = run.attempts[run.faults["TAKES_LONG"]]
    assert f"'{first['JobId']}' failed, SLURM status is: 'TIMEOUT'" in run.output
    assert minutes_of(second) == 2 * minutes_of(first)
