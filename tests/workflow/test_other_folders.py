"""The workflow started in another folder than its own, and by a Python without the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from workflow_project import TINY, Project, job_counts


def planned(
    project: Project, folder: Path, *options: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake dry in a folder, with the project's Snakefile."""
    snakefile = str(project.folder / "Snakefile")
    return subprocess.run(
        [sys.executable, "-m", "snakemake", "-s", snakefile, "--cores", "1", "-n", *options],
        cwd=folder,
        env={**project.variables(), **environment},
        capture_output=True,
        text=True,
        timeout=project.patience,
        check=False,
    )


def test_results_lie_in_the_folder_where_the_workflow_is_started(project: Project, tmp_path: Path) -> None:
    """The default study of the workflow's project fills up what a study of the folder leaves out."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    done = planned(project, folder)
    assert done.returncode == 0, done.stderr
    assert job_counts(done.stdout + done.stderr)["report"] == 1
    assert "results/quickstart/report.html" in done.stdout + done.stderr
    study = project.folder / "study.yaml"
    done = planned(project, folder, "--configfile", str(study))
    assert job_counts(done.stdout + done.stderr)["prepare"] == len(TINY["datasets"]), done.stderr
    assert "results/tiny/report.html" in done.stdout + done.stderr


def test_another_study_takes_no_title_of_a_default_study_elsewhere(tmp_path: Path) -> None:
    default = tmp_path / "default.yaml"
    default.write_text("study: quickstart\ntitle: Quick\n")
    configuration = {**TINY, "title": "Quick"}
    script = (
        "import json, sys; from mlsieve.workflow.run import open_study as o; c = json.loads(sys.argv[1]);"
    )
    script += " o(c, {}, sys.argv[2]); print(c.get('title'))"
    for given, title in ((str(default), "None"), (str(tmp_path / "none.yaml"), "Quick")):
        command = [sys.executable, "-c", script, json.dumps(configuration), given]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == title


def test_a_folder_with_a_default_study_of_its_own_has_that(project: Project, tmp_path: Path) -> None:
    own = tmp_path / "own" / "config"
    own.mkdir(parents=True)
    (own / "config.yaml").write_text((project.folder / "study.yaml").read_text())
    done = planned(project, own.parent)
    assert job_counts(done.stdout + done.stderr)["prepare"] == len(TINY["datasets"]), done.stderr


def test_a_missing_package_is_one_line_that_says_what_to_do(project: Project, tmp_path: Path) -> None:
    for name in ("mlsieve", "scipy"):  # which neither Snakemake nor its plugins import
        hidden = tmp_path / name
        hidden.mkdir()
        (hidden / "sitecustomize.py").write_text(f"import sys\nsys.modules[{name!r}] = None\n")
        path = os.pathsep.join(filter(None, [str(hidden), os.environ.get("PYTHONPATH", "")]))
        done = planned(project, tmp_path, PYTHONPATH=path)
        told = [line for line in done.stderr.splitlines() if not line.startswith("Using ")]
        assert done.returncode == 2 and len(told) == 1, done.stderr
        assert told[0].startswith(
            f"mlsieve: {sys.executable}: the Python package '{name}' is not installed; "
        )
        assert told[0].endswith(f"{sys.executable} -m pip install 'mlsieve[study]'")
        (project.folder / "Makefile").touch()  # as in a clone
        done = planned(project, tmp_path, PYTHONPATH=path)
        assert f"run 'make setup' in {project.folder}" in done.stderr
        (project.folder / "Makefile").unlink()
