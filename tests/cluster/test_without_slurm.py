"""`make test-cluster` without a SLURM fails at once, and says what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import private_slurm
import pytest
from workflow_project import ROOT

WHAT_TO_INSTALL = "install Debian's packages slurm-wlm and munge"


def test_a_missing_program_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_slurm, "PROGRAMS", ("sh", "no-such-program"))
    monkeypatch.setattr(private_slurm.os, "geteuid", lambda: 0)
    assert private_slurm.lacking() == f"no-such-program not found: {WHAT_TO_INSTALL}"


def test_only_root_can_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_slurm.os, "geteuid", lambda: 1000)
    assert "root" in private_slurm.lacking()


def test_the_check_of_make_fails_where_something_is_missing(tmp_path: Path) -> None:
    """The program that the Makefile runs first, asked for a program that no machine has."""
    copy = tmp_path / "private_slurm.py"
    shutil.copy(ROOT / "tests" / "cluster" / "private_slurm.py", copy)
    copy.write_text(copy.read_text().replace('"slurmctld"', '"no-such-program"'))
    done = subprocess.run([sys.executable, str(copy)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    expected = WHAT_TO_INSTALL if os.geteuid() == 0 else "root"
    assert "cannot run here" in done.stderr and expected in done.stderr


def test_the_makefile_asks_before_it_sets_anything_up(tmp_path: Path) -> None:
    """A Python that notes what it is asked to run, and says that there is no SLURM."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "src").mkdir()
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\necho "{WHAT_TO_INSTALL}" >&2\nexit 1\n')
    python.chmod(0o755)
    done = subprocess.run(
        ["make", f"PYTHON={python}", "test-cluster"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and WHAT_TO_INSTALL in done.stderr
    assert (tmp_path / "asked").read_text() == "tests/cluster/private_slurm.py\n"
    assert not (tmp_path / ".venv").exists()


def test_tests_that_were_asked_for_are_never_skipped() -> None:
    """Snakemake's plugin is hidden from a run that asks for the tests on a cluster."""
    program = (
        "import importlib.util, sys, pytest; find = importlib.util.find_spec;"
        "importlib.util.find_spec = lambda name, *a: None if 'slurm' in name else find(name, *a);"
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/cluster/test_private_slurm.py']))"
    )
    environment = {**os.environ, "MLSIEVE_TEST_CLUSTER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "make slurm" in done.stdout and "skipped" not in done.stdout
