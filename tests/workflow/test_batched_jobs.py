"""Jobs go together where a profile asks for batches, and nowhere else."""

from __future__ import annotations

import re

import yaml
from workflow_project import ROOT, Project

from mlsieve.workflow.cluster import BATCH, BATCH_MINUTES


def groups(project: Project, *options: str) -> list[str]:
    done = project.snakemake("-n", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return re.findall(r"Group job (\S+)", done.stdout + done.stderr)


def test_a_small_study_is_one_batch_where_batches_are_wanted(project: Project) -> None:
    assert groups(project) == []
    assert groups(project, "--group-components", f"{BATCH}=1000000") == ["batch-0001"]


def test_wrong_minutes_end_the_run_in_one_line(project: Project) -> None:
    project.environment[BATCH_MINUTES] = "ten"
    done = project.snakemake("-n")
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if "mlsieve: " in line and ": note: " not in line]
    assert len(lines) == 1 and BATCH_MINUTES in lines[0] and "'ten'" in lines[0]
    assert "Traceback" not in done.stderr


def test_both_profiles_want_batches_retries_and_what_failed_batches_have_finished() -> None:
    plain, accounted = (
        yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))
        for name in ("slurm", "slurm-accounting")
    )
    for profile in (plain, accounted):
        assert profile["executor"] == "slurm" and profile["cores"] >= 1 and profile["retries"] >= 1
        assert profile["group-components"] == [f"{BATCH}=1000000"]
        assert profile["keep-incomplete"] is True
        assert not any("array" in option for option in profile), "arrays lose jobs"
    assert (plain["slurm-status-command"], accounted["slurm-status-command"]) == ("squeue", "sacct")
    assert "default-resources" not in plain, "a plain cluster knows no account"
    assert any(word.startswith("slurm_account=") for word in accounted["default-resources"])
