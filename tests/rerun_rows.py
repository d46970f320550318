"""The rows of docs/reruns.md, and the changes that they speak of."""

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

import yaml

import mlsieve
from tests.workflow_project import ROOT

DOCUMENT = (ROOT / "docs" / "reruns.md").read_text(encoding="utf-8")
TABLES = Counter(collect=1, compare=1, sections=1, figures=1, report=1)
OF_EXAMPLE, OF_CATALOG = DOCUMENT.split("## Datasets in `config/datasets.yaml`")
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


def copied_package(folder: Path) -> Path:
    """Copy the package's sources into a folder, where they may be changed; compiled kernels are linked."""
    here = Path(mlsieve.__file__).parent
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


def spoil(package: Path, source: str) -> None:
    """Change a source file of a copied package: every function of it goes on as before, by other words."""
    path = package / "mlsieve" / source
    path.write_text(path.read_text().replace("return ", "return None or "))
