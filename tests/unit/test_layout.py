"""The package's layout: what imports what, and how much a folder holds."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "mlsieve"
PICTURES = runpy.run_path(str(ROOT / "docs" / "architecture.py"))
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NOT_SOURCES = {".so", ".pyd", ".pyc"}


@pytest.fixture(scope="module")
def modules():
    return PICTURES["module_graph"]()


def test_no_modules_and_no_rooms_import_each_other(modules):
    assert PICTURES["circles"](modules) == []
    assert PICTURES["circles"](PICTURES["room_graph"](modules)) == []


def test_a_circle_would_be_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert PICTURES["circles"](graph) == [{"a", "b", "c"}]


def test_data_files_measures_and_statistics_know_no_method(modules):
    rooms = PICTURES["room_graph"](modules)
    assert {"data", "files", "measures", "stats"} <= rooms.keys()
    methods = {"rankers", "selectors", "evaluators", "trees", "relief", "discretize", "questions", "study"}
    for name in ("data", "files", "measures", "stats"):
        assert not rooms[name] & methods, name


def test_few_modules_lie_at_the_root_and_no_folder_is_large():
    at_root = [path.name for path in PACKAGE.glob("*.py")]
    assert len(at_root) <= 8, at_root
    folders = [
        PACKAGE,
        *(path for path in PACKAGE.rglob("*") if path.is_dir() and path.name != "__pycache__"),
    ]
    sizes = {
        folder: sum(path.is_file() and path.suffix not in NOT_SOURCES for path in folder.iterdir())
        for folder in folders
    }
    assert {folder.name: size for folder, size in sizes.items() if size > 16} == {}


@pytest.mark.parametrize("name", ["package", "rules"])
def test_the_pictures_are_up_to_date(name):
    """`python docs/architecture.py` writes them."""
    diagram = PICTURES[{"package": "package_diagram", "rules": "rule_diagram"}[name]]()
    assert diagram.count("-->") > 10
    assert PICTURES["page_with"](PAGE, name, diagram) == PAGE


def test_the_page_names_files_that_exist():
    named = [line.split()[0] for line in PAGE.split("```")[1].splitlines() if line.startswith("src/")]
    assert named and all((ROOT / name).exists() for name in named), named


RUN_FILES = """
import os, sys, mlsieve
from mlsieve.cli import main
base = os.path.dirname(mlsieve.__file__) + os.sep
seen = {}
def note(frame, event, _):
    name = frame.f_code.co_filename
    if event == "call" and name.startswith(base) and frame.f_code.co_name != "<module>":
        importing = frame
        while importing is not None and "importlib" not in importing.f_code.co_filename:
            importing = importing.f_back
        if importing is None:
            seen.setdefault(name[len(base):].replace(os.sep, "/"))
sys.setprofile(note)
main(sys.argv[1:])
sys.setprofile(None)
print("\\n".join(seen))
"""


def test_the_path_of_one_ranking_is_the_documented_one(mirror, tmp_path):
    words = ["rank", "emotions", "--method", "pct", "-o", str(tmp_path / "ranking.csv")]
    done = subprocess.run(
        [sys.executable, "-c", RUN_FILES, *words], capture_output=True, text=True, check=True
    )
    ran = done.stdout.split()
    start = PAGE.index("## The path of one ranking")
    section = PAGE[start : PAGE.index("In a study, the rules", start)]
    named = re.findall(r"`(\w+(?:/\w+)*\.py)`", section)
    kept = [name for name in dict.fromkeys(named) if name != "_kernels/__init__.py"]
    assert set(kept) == set(ran)
    assert len(ran) <= 43
