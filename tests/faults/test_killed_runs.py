"""A study is killed twice and loses a file to a bad disk: the same command again gives the same bytes."""

from __future__ import annotations

import shutil
import subprocess

from mlsieve.cli import main
from tests.faults.damage import FLIPPED, damage
from tests.faults.kills import end, live_jobs, process_tree, wait_for
from tests.faults.trials import digests
from tests.workflow_project import TINY, Project, make_project

# Four jobs in a row, each of a second.
ONE_CHAIN = {**TINY, "study": "chain", "datasets": ["synthetic-linear"], "methods": [{"id": "uniform"}]}


def kill(project: Project, rule: str, with_jobs: bool) -> None:
    """Start the study, and kill it while a job of a rule is alive; the job may go on by itself."""
    run = project.start("--until", "score", stdout=subprocess.DEVNULL)
    try:
        wait_for(run, rule)
        jobs = live_jobs(run.pid)[rule]
        end([*process_tree(run.pid)[:1], *(jobs if with_jobs else ())])
    finally:
        end(process_tree(run.pid))
        run.wait()


def test_a_killed_run_is_taken_up_again(tmp_path, monkeypatch):
    project = make_project(tmp_path, stand_in=False)
    project.configure(ONE_CHAIN)
    kill(project, "rank", with_jobs=False)
    kill(project, "predict", with_jobs=True)
    monkeypatch.chdir(tmp_path)
    (data,) = (tmp_path / "results").rglob("data.npz")
    damage(data, FLIPPED, 1)
    assert main(["rank", str(data), "--method", "uniform", "-o", "ranking.csv"]) == 2
    assert not data.exists()

    resumed = project.snakemake("--until", "score")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "was killed; its locks have been removed" in resumed.stderr
    assert not list((tmp_path / "results").rglob("*.part"))
    found = digests(project)

    shutil.rmtree(tmp_path / "results" / "cache")
    undisturbed = project.snakemake("--until", "score")
    assert undisturbed.returncode == 0, undisturbed.stdout + undisturbed.stderr
    assert digests(project) == found
    assert {name.rsplit("/", 1)[-1] for name in found} >= {"data.npz", "rankings.npz", "predictions.npz"}
