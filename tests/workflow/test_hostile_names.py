"""Names of a user's files and columns that a shell would run are names for the workflow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workflow_project import TINY, make_project

NAMES = {
    "commands": "a $(touch pwned) `touch pwned`; touch pwned & touch pwned | touch pwned > pwned.arff",
    "quotes": "a'b\"c\\d e#f*g?.arff",
    "option": "-o pwned.arff",
}
COLUMN = "x'; touch pwned #"


def own_sets(folder: Path) -> Iterator[dict]:
    """Write files of such names, and yield the entries that name them."""
    for key, name in NAMES.items():
        (folder / name).write_text(
            f'@relation r\n@attribute "{COLUMN}" numeric\n@attribute b numeric\n@attribute l {{0,1}}\n@data\n'
            + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(12))
        )
        (folder / f"{name}.xml").write_text('<labels><label name="l"/></labels>')
        yield {"id": key, "train": name, "labels": f"{name}.xml", "drop": [COLUMN]}


def test_files_names_are_no_commands(tmp_path):
    project = make_project(tmp_path, stand_in=False)
    project.configure({**TINY, "datasets": list(own_sets(project.folder)), "split": {"kind": "holdout"}})
    before = {path.name for path in project.folder.iterdir()}
    ran = project.snakemake("--until", "prepare")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(list(project.folder.glob("results/cache/**/data.npz"))) == len(NAMES)
    made = {path.name for path in project.folder.iterdir()} - before
    assert made <= {"results", ".snakemake"}, made
