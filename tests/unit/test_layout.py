"""The package's layout: what imports what, and how much a folder holds."""

from __future__ import annotations

import runpy
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
