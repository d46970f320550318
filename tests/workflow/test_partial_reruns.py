"""docs/reruns.md: each row of its tables, on its example: exactly the jobs that it lists run again.

The stand-in for the command makes the example's files; the plans are those of the real Snakefile.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from planner import Planner
from rerun_rows import (
    DOCUMENT,
    OF_CATALOG,
    OF_EXAMPLE,
    WRITTEN,
    Row,
    block,
    changed,
    copied_package,
    edited,
    jobs,
    rows,
    spoil,
)
from workflow_project import Project, make_project


def finish(project: Project) -> Counter[str]:
    """Run a study to its end and return the number of jobs by rule."""
    record = project.folder / "ran"
    record.write_text("")
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    return Counter(record.read_text().split())


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The document's example, finished."""
    project = make_project(tmp_path_factory.mktemp("example"))
    (project.folder / "config" / "datasets.yaml").write_text(yaml.safe_dump(block("config/datasets.yaml")))
    (project.folder / "data").mkdir()
    for name in ("mine", "survey"):
        (project.folder / "data" / f"{name}.csv").write_text("x1,x2,a,b\n" + WRITTEN)
    # It records what it does, and finds every dataset.
    available = "".join(f"{name},own\n" for name in ("synthetic-linear", "synthetic-mixed", "survey"))
    command = project.folder / "bin" / "mlsieve"
    text = command.read_text().replace("dataset,source\\n", f"dataset,source\\n{available}")
    command.write_text(text.replace("name=$1\n", 'name=$1\necho "$command" >> ran\n'))
    project.configure(block("example"))
    finish(project)
    return project


@pytest.fixture(scope="module")
def described(example: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The example with a set that config/datasets.yaml describes, finished."""
    folder = tmp_path_factory.mktemp("described") / "project"
    shutil.copytree(example.folder, folder)
    project = Project(folder)
    project.configure(changed(block("example"), "datasets[2]: survey"))
    finish(project)
    return project


@pytest.fixture(scope="module")
def planner(example: Project) -> Iterator[Planner]:
    """Plans on the example."""
    with Planner(example.folder) as planner:
        yield planner


def planned(example: Project, planner: Planner, row: Row, other_source: Path) -> Counter[str]:
    """Return the jobs that Snakemake plans after a row's change."""
    study = block("example")
    kind, _, code = (word.strip() for word in row.example.rstrip("`").partition("`"))
    if not code:
        return planner.planned(study)
    if kind in {"", "without"}:
        return planner.planned(changed(study, code))
    if kind == "raised":
        return planner.planned(study, raised=code)
    if kind == "option":
        return planner.planned(study, *code.split())
    if kind == "the file":
        path = example.folder / code
        with edited(path, path.read_text() + WRITTEN):
            return planner.planned(study)
    if kind == "shell":
        path = example.folder / "workflow" / "rules" / "evaluate.smk"
        with edited(path, path.read_text().replace(f"mlsieve {code} ", f"mlsieve {code}  ")):
            return planner.planned(study)
    assert kind == "source", f"not understood in docs/reruns.md: {row.example}"
    spoil(other_source, code)
    with Planner(example.folder, other_source) as changed_package:
        return changed_package.planned(study)


@pytest.fixture(scope="module")
def other_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, to be changed."""
    return copied_package(tmp_path_factory.mktemp("package"))


@pytest.mark.parametrize("row", rows(OF_EXAMPLE), ids=lambda row: f"{row.change} {row.example}".strip())
def test_exactly_the_listed_jobs_run_again(
    example: Project, planner: Planner, other_source: Path, row: Row
) -> None:
    assert planned(example, planner, row, other_source) == jobs(row.jobs)


@pytest.mark.parametrize("row", rows(OF_CATALOG), ids=lambda row: row.change)
def test_a_set_of_the_projects_own_catalog_runs_again_when_it_changes(described: Project, row: Row) -> None:
    """Really run: the jobs after `acquire` are known only then."""
    kind, code = row.example.rstrip("`").split(" `")
    file = described.folder / "config" / "datasets.yaml"
    if kind == "the file":
        file = described.folder / code
        text = file.read_text() + WRITTEN
    else:
        text = yaml.safe_dump(changed(yaml.safe_load(file.read_text()), code))
    file.write_text(text)
    assert finish(described) == jobs(row.jobs)


def test_the_document_speaks_of_every_kind_of_change() -> None:
    examples = [row.example for row in rows(DOCUMENT)]
    for kind in (
        "alpha: ",
        "evaluators[0].params.k: ",
        "measures[2]: ",
        "raised `ranker ",
        "raised `evaluator ",
        "raised `measure ",
        "raised `step ",
        "the file `",
        "the entry `",
        "significance: ",
        "figures.formats: ",
        "methods[3]: ",
        "without `methods",
        "datasets[3]: ",
        "without `datasets",
        "source `",
    ):
        assert any(kind in example for example in examples), kind


def test_the_example_has_as_many_jobs_as_the_document_says(example: Project) -> None:
    cache = example.folder / "results" / "cache"
    made = Counter(path.stem for path in cache.rglob("*.npz"))
    assert made == Counter(data=3, ensemble=3, rankings=12, predictions=12)
