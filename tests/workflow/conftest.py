"""Projects for the workflow's tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from workflow_project import Project, make_project


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose tiny study has been run with the stand-in; tests only plan on it."""
    project = make_project(tmp_path_factory.mktemp("finished"))
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project that nothing has run in."""
    return make_project(tmp_path)
