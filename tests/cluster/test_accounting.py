"""profiles/slurm-accounting on a SLURM with a database: jobs have an account, and it tells how they ended."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from private_database import ACCOUNT, PrivateDatabase, lacking
from private_slurm import PrivateSlurm
from workflow_project import TINY, Project, make_project

STUDY = {
    **TINY,
    "datasets": ["synthetic-linear", "synthetic-mixed"],
    "methods": [{"id": "uniform"}, {"id": "relief"}],
}
PROFILE = "profiles/slurm-accounting"
Ended = tuple[Project, str]


@pytest.fixture(scope="module")
def accounting(slurm: PrivateSlurm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateSlurm]:
    """A second SLURM, with a database; the first is asked for so that this one is skipped where that is."""
    if lacking():
        pytest.skip(lacking())
    with PrivateSlurm(tmp_path_factory.mktemp("accounts"), cpus=4, database=PrivateDatabase()) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def ended(accounting: PrivateSlurm, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A small study that ran there, one of whose jobs needed more memory at first; what was said."""
    project = make_project(tmp_path_factory.mktemp("project"), stand_in=False)
    project.configure(STUDY)
    profile = project.folder / PROFILE / "config.yaml"
    text = profile.read_text(encoding="utf-8")
    assert text.count("CHANGE_ME") == 1
    profile.write_text(text.replace("CHANGE_ME", ACCOUNT), encoding="utf-8")
    happened, commands = project.folder / "faults", project.folder / "bin"
    for folder in (happened, commands):
        folder.mkdir()
    shutil.copy(Path(__file__).parent / "faulty_mlsieve.sh", commands / "mlsieve")
    installed = Path(os.path.abspath(sys.executable)).parent
    project.environment = {
        **accounting.environment,
        "NEEDS_MEMORY": "synthetic-mixed",
        "FAULTS": str(happened),
        "REAL": str(installed / "mlsieve"),
        "PYTHON": sys.executable,
        "PATH": os.pathsep.join([str(commands), str(installed), accounting.environment["PATH"]]),
        "MLSIEVE_BATCH_MINUTES": "0.08",  # a batch for each dataset
    }
    done = project.snakemake(
        f"--profile={PROFILE}",
        "--cores=2",
        "--slurm-init-seconds-before-status-checks=5",
        "--latency-wait=10",
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-20_000:] + accounting.logs()
    return project, output


def jobs(accounting: PrivateSlurm) -> list[tuple[str, str, str]]:
    """Return state, account and memory of each job that the database has, the first one first."""
    options = ("--allocations", "--noheader", "--parsable2", "--format=State,Account,ReqMem")
    done = accounting.run("sacct", *options, "--starttime=now-1days")
    assert done.returncode == 0, done.stderr
    return [tuple(line.split("|")) for line in done.stdout.splitlines()]


def test_the_study_ends_and_each_job_has_the_account(accounting: PrivateSlurm, ended: Ended) -> None:
    project, _ = ended
    assert (project.folder / "results" / "tiny" / "report.html").is_file()
    found = jobs(accounting)
    assert len(found) == 3 and {account for _, account, _ in found} == {ACCOUNT}


def test_the_database_tells_which_job_was_killed_and_what_it_got_then(
    accounting: PrivateSlurm, ended: Ended
) -> None:
    _, output = ended
    memory = {state: int(asked.rstrip("M")) for state, _, asked in jobs(accounting)}
    # Without cgroups SLURM does not tell that it was for the memory.
    assert set(memory) == {"FAILED", "COMPLETED"}
    assert memory["COMPLETED"] == 2 * memory["FAILED"]
    assert "SLURM status is: 'FAILED'" in output
