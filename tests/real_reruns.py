"""Each row of docs/reruns.md for real: its change, then ``snakemake --cores 2`` with jobs that compute.

    python -m tests.real_reruns [--only WORDS]

`tests/workflow/test_partial_reruns.py` compares plans in seconds; this takes a quarter of an hour. A row
holds if the run ends well, exactly the listed jobs have run, and the same command then has nothing to do.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.rerun_rows import (
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
from tests.workflow_project import ROOT, Project, make_project

_ENDED = re.compile(r"^Finished jobid: \d+ \(Rule: (\w+)\)$", re.M)
# Every process of the project starts with a raised version: Snakemake, and its jobs that look for files.
_RAISED = """\
import sys
sys.path.insert(0, {tests!r})
from planner import raise_version
raise_version({what!r})
"""


def finished(folder: Path, *edits: str) -> Project:
    """Make the document's example, with edits of its configuration, and run it to its end."""
    folder.mkdir()
    project = make_project(folder, stand_in=False)
    (folder / "config" / "datasets.yaml").write_text(yaml.safe_dump(block("config/datasets.yaml")))
    (folder / "data").mkdir()
    examples = "".join(f"{place % 7},{place % 5},{place % 2},{place % 3 % 2}\n" for place in range(60))
    for name in ("mine", "survey"):
        (folder / "data" / f"{name}.csv").write_text("x1,x2,a,b\n" + examples)
    study = block("example")
    for edit in edits:
        study = changed(study, edit)
    project.configure(study)
    ran(project)
    return project


def ran(project: Project, *options: str) -> Counter[str]:
    """Run a project's study and return how many jobs of each rule have ended.

    Raises
    ------
    AssertionError
        If the run does not end well.
    """
    done = project.snakemake(*options)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-3000:]
    return Counter(rule for rule in _ENDED.findall(said) if rule not in ("all", "default"))


@contextlib.contextmanager
def after(project: Project, row: Row) -> Iterator[tuple[str, ...]]:
    """Make a row's change in a project for a while; yields the options of the run that follows."""
    study = yaml.safe_load((project.folder / "study.yaml").read_text())
    kind, _, code = (word.strip() for word in row.example.rstrip("`").partition("`"))
    with contextlib.ExitStack() as edits:
        if code and kind in ("", "without"):
            project.configure(changed(study, code))
        elif kind == "the file":
            path = project.folder / code
            edits.enter_context(edited(path, path.read_text() + WRITTEN))
        elif kind == "the entry":
            path = project.folder / "config" / "datasets.yaml"
            entry = changed(yaml.safe_load(path.read_text()), code)
            edits.enter_context(edited(path, yaml.safe_dump(entry)))
        elif kind == "shell":
            path = project.folder / "workflow" / "rules" / "evaluate.smk"
            text = path.read_text().replace(f"mlsieve {code} ", f"mlsieve {code}  ")
            edits.enter_context(edited(path, text))
        elif kind == "raised":
            first = project.folder / "first"
            first.mkdir()
            (first / "sitecustomize.py").write_text(_RAISED.format(tests=str(ROOT / "tests"), what=code))
            project.environment["PYTHONPATH"] = str(first)
        elif kind == "source":
            package = copied_package(project.folder / "package")
            spoil(package, code)
            project.environment["PYTHONPATH"] = str(package)
        else:
            assert not code or kind == "option", f"not understood in docs/reruns.md: {row.example}"
        yield tuple(code.split()) if kind == "option" else ()


def holds(original: Project, row: Row, folder: Path) -> str | None:
    """Try a row on a copy of a finished project; return what is wrong, or None."""
    shutil.copytree(original.folder, folder)
    project = Project(folder, False)
    with after(project, row) as options:
        try:
            found, again = ran(project, *options), ran(project, *options)
        except AssertionError as error:
            return f"did not end well: {error}"
    shutil.rmtree(folder)
    if found != jobs(row.jobs):
        return f"ran {dict(found)}"
    return f"ran {dict(again)} once more" if again else None


def main() -> int:
    """Try every row; exit with 1 if one does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", default="", metavar="WORDS", help="rows in which these words occur")
    args = parser.parse_args()
    wrong = tried = 0
    with tempfile.TemporaryDirectory(prefix="mlsieve-reruns-") as name:
        parts = {
            "example": (OF_EXAMPLE, finished(Path(name) / "example")),
            "catalog": (OF_CATALOG, finished(Path(name) / "catalog", "datasets[2]: survey")),
        }
        for text, project in parts.values():
            for row in rows(text):
                if args.only not in f"{row.change} {row.example}":
                    continue
                tried += 1
                problem = holds(project, row, Path(name) / f"row-{tried}")
                wrong += problem is not None
                print(
                    f"{'FAILED' if problem else 'holds'}: {row.change}, {row.example}: {row.jobs}", flush=True
                )
                if problem:
                    print(f"  {problem}", flush=True)
    print(f"{tried} rows, {wrong} do not hold")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
