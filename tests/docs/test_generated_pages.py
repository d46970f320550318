"""The pages that are made when the site is built: each public name, command and key has one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from mlsieve.cli import command_names, command_parser

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages():
    """The generated pages by their names."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from builders import generated

        return generated()
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_every_public_name_has_a_page(pages):
    import importlib

    for folder in sorted((ROOT / "src" / "mlsieve").iterdir()):
        if (folder / "__init__.py").is_file() and folder.name[0] != "_":
            package = importlib.import_module(f"mlsieve.{folder.name}")
            for name in getattr(package, "__all__", ()):
                text = pages[f"python/mlsieve.{folder.name}.{name}.rst"]
                assert re.search(rf"\.\. (auto\w+|py:data):: mlsieve\.{folder.name}\.{name}\n", text)


def test_every_public_name_has_a_docstring(pages):
    bare = [line for name, text in pages.items() if name.startswith("python/") for line in text.splitlines()]
    assert "     - " not in bare  # the summary in the table of a package


def test_every_command_has_a_page_with_its_options(pages):
    for command in command_names():
        text = pages[f"commands/{command}.rst"]
        for action in command_parser(command)._actions:
            for option in action.option_strings:
                assert option in {"-h", "--help"} or f" {option}" in text, (command, option)


def test_the_configuration_is_the_page_that_the_schema_writes(pages):
    assert "<!-- keys: study -->" in pages["configuration.md"]
    assert (
        "](methods.md)" not in pages["configuration.md"] and "](../methods.md)" in pages["configuration.md"]
    )


def test_links_that_leave_the_site_become_words():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from builders.links import on_site
    finally:
        sys.path.remove(str(ROOT / "docs"))
    text = "[a](../config/README.md#keys), [b](../src/x.py), [c](methods.md), [d](https://e.org), [e](#f)"
    assert on_site(text, "docs/a.md", "docs/a.md") == (
        "[a](generated/configuration.md#keys), `src/x.py`, [c](methods.md), [d](https://e.org), [e](#f)"
    )
