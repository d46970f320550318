"""The pages that are made when the site is built: each public name, command and key has one."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

from mlsieve.cli import command_names, command_parser
from mlsieve.configuration.schema import build_schema
from mlsieve.data.catalog import public_catalog
from mlsieve.registry import PACKAGES, entries

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


def public_modules():
    """The package and its modules that name what they export."""
    folder = ROOT / "src" / "mlsieve"
    below = [
        path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    ]
    names = ["mlsieve", *(f"mlsieve.{name}" for name in sorted(below) if name[0] != "_")]
    return [module for module in map(importlib.import_module, names) if getattr(module, "__all__", ())]


def test_every_public_name_has_a_page(pages):
    modules = public_modules()
    assert {"mlsieve.rankers", "mlsieve.hierarchy", "mlsieve.errors"} <= {
        module.__name__ for module in modules
    }
    for module in modules:
        for name in module.__all__:
            path = f"{module.__name__}.{name}"
            assert re.search(rf"\.\. (auto\w+|py:data):: {re.escape(path)}\n", pages[f"python/{path}.rst"])
            assert f"<{path}>`" in pages[f"python/{module.__name__}.rst"]


@pytest.mark.parametrize("kind", PACKAGES)
def test_everything_registered_is_listed_with_its_parameters(pages, kind):
    title = "Rankers and selectors" if kind == "ranker" else f"{kind.capitalize()}s"
    section = pages["methods.md"].partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    for name, entry in entries(kind).items():
        if kind in {"measure", "question", "figure"}:
            assert re.search(rf"^\| `{name}` \| .+ \|$", section, re.MULTILINE)
        else:
            own = section.partition(f"### `{name}`\n")[2].partition("\n### ")[0]
            assert own and all(f"| `{parameter}` | " in own for parameter in entry.parameters()), name


def test_every_dataset_is_listed_with_its_sizes(pages):
    for name, entry in public_catalog().items():
        labels = f"{entry.counts['L']:,}" if entry.counts else ""
        assert re.search(
            rf"^\| `{re.escape(name)}` \| .* \| {labels} \|$", pages["datasets.md"], re.MULTILINE
        )


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


def keys(schema):
    """Every key of a study that a schema knows, without the parameters of methods."""
    for name, key in schema.get("properties", {}).items():
        yield name
        if name != "params":
            yield from keys(key)
    for part in (schema.get("items"), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from keys(part) if part else ()


def test_every_key_of_a_study_is_on_the_page_of_the_configuration(pages):
    found = set(keys(build_schema()))
    assert {"study", "split", "questions", "formats", "train_share", "trees"} <= found
    page = pages["configuration.md"]
    explained = {name.rpartition(".")[2] for name in re.findall(r"`\{?([\w.]+)", page)}
    explained |= set(re.findall(r"\b(\w+):", page))  # in examples, and in mappings such as {decimals: 3}
    assert not found - explained


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
