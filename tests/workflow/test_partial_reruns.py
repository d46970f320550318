"""docs/reruns.md: each row of its tables, on its example: exactly the jobs that it lists run again.

The stand-in for the command makes the example's files; the plans are those of the real Snakefile.
"""

from __future__ import annotations

import copy
import itertools
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from planner import Planner
from workflow_project import ROOT, Project, make_project

import mlsieve

DOCUMENT = (ROOT / "docs" / "reruns.md").read_text(encoding="utf-8")
TABLES = Counter(collect=1, compare=1, figures=1, report=1)
OF_EXAMPLE, OF_CATALOG = DOCUMENT.split("## Sets that `config/datasets.yaml` describes")
WRITTEN = "1.5,0.5,1,0\n"  # a row of two features and two labels


class Row(NamedTuple):
    """A row of the document."""

    change: str
    example: str
    jobs: str


def block(name: str) -> dict[str, Any]:
    """Return the YAML below a mark of the document."""
    return yaml.safe_load(re.search(rf"<!-- {name} -->\n```yaml\n(.*?)```", DOCUMENT, re.S)[1])


def rows(text: str) -> list[Row]:
    """Return the rows of a part's tables whose last column are jobs."""
    found: list[Row] = []
    for table in re.findall(r"^\| what changes .*\n\| ---.*\n((?:\|.*\n)+)", text, re.M):
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
        found += [Row(*row) for row in cells]
    return found


def jobs(text: str) -> Counter[str]:
    """Return the number of jobs by rule that a last column lists."""
    found: Counter[str] = Counter()
    for words in [] if text == "none" else text.split(", "):
        number = re.fullmatch(r"(\d+) `(\w+)`", words)
        assert number or words == "tables", f"not understood in docs/reruns.md: {words!r}"
        found += Counter({number[2]: int(number[1])}) if number else TABLES
    return found


def changed(configuration: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a configuration with what ``path: value`` says, or without the item of a path alone."""
    path, given, value = text.partition(": ")
    whole = copy.deepcopy(configuration)
    target, steps = whole, [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]
    for step, following in itertools.pairwise(steps):
        if isinstance(step, str) and step not in target:
            target[step] = [] if isinstance(following, int) else {}
        target = target[step]
    if not given:
        del target[steps[-1]]
    elif isinstance(target, list) and steps[-1] == len(target):
        target.append(yaml.safe_load(value))
    else:
        target[steps[-1]] = yaml.safe_load(value)
    return whole


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
    # It records what it does, and finds every data set.
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


@contextmanager
def edited(path: Path, text: str) -> Iterator[None]:
    """Give a file another text for a while."""
    before, times = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


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
    path = other_source / "mlsieve" / code
    path.write_text(path.read_text().replace("return ", "return None or "))
    with Planner(example.folder, other_source) as changed_package:
        return changed_package.planned(study)


@pytest.fixture(scope="module")
def other_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, to be changed."""
    here, folder = Path(mlsieve.__file__).parent, tmp_path_factory.mktemp("package")
    for path in here.rglob("*"):
        target = folder / "mlsieve" / path.relative_to(here)
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".py":
            shutil.copyfile(path, target)
        else:
            target.symlink_to(path)
    return folder


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
    assert made == Counter(data=3, ensemble=3, rankings=12, votes=12)
