"""Every example of a study or a dataset, on a page or in a comment of a template, is one that is accepted."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from snakemake.cli import get_argument_parser

from mlsieve.configuration.schema import build_schema
from mlsieve.data.catalog import catalog, entry_from
from mlsieve.data.readers.tables import FORMATS
from mlsieve.errors import UserError
from mlsieve.registry import entries
from mlsieve.schema_errors import schema_errors
from mlsieve.study.parts import is_own

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = [
    *sorted((ROOT / "config").rglob("*.yaml")),
    ROOT / "src" / "mlsieve" / "workflow" / "study_template.yaml",
]
PAGES = [
    path
    for folder in (".", "docs", "docs/guide", "config", "benchmarks")
    for path in sorted((ROOT / folder).glob("*.md"))
]
BASE = {
    "study": "unit",
    "datasets": ["synthetic-linear"],
    "methods": [{"id": "uniform"}],
    "evaluators": [{"id": "weighted-knn"}],
}


def commented(text: str) -> list[str]:
    """Return what the comments of a YAML file hold, uncommented: each run of lines that may be data."""
    lines = [(re.match(r"( *)# ?(.*)", line) or [line, "", ""])[2] for line in text.splitlines()]
    starts = re.compile(r"( *- )?[{\w-]+: ?|  *- \{")
    found, run = [], []
    for line in [*lines, ""]:
        is_data = bool(starts.match(line)) or bool(run and line.startswith(" "))
        if not is_data and run:
            found.append("\n".join(run))
        run = [*run, line] if is_data else []
    return found


def examples(path: Path) -> list[object]:
    """Return the examples of a file: blocks and inline mappings of a page, or comments of a template."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        inline = re.findall(r"`(\{id: [^`]*\})`", text)
        return [yaml.safe_load(part) for part in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) + inline]
    found = []
    for part in commented(text):
        try:
            found.append(yaml.safe_load(part))
        except yaml.YAMLError:
            continue  # a sentence with a colon
    return [part for part in found if not isinstance(part, str)]


def of_study(example: object, page: str) -> dict:
    """Return the part of a study that an example is: a mapping, a list of datasets, or an item of a list."""
    if isinstance(example, list):
        return {"datasets": example}
    assert isinstance(example, dict)
    if "id" not in example:
        return example
    kinds = {"ranker": "methods", "evaluator": "evaluators", "chain": "chains"}
    found = [key for kind, key in kinds.items() if example["id"] in entries(kind)]
    if found:
        return {found[0]: [example]}
    if f'"{example["id"]}",' in page:  # the page registers it
        return {}
    assert is_own(example) or example["id"] in catalog(), example
    return {"datasets": [example]}


def wrong(example: object, page: str = "") -> list[str]:
    """Return what is wrong with an example."""
    part = of_study(example, page)
    own = [item for item in part.get("datasets", ()) if isinstance(item, dict) and is_own(item)]
    for item in own:
        entry_from(item)
    if any("files" in item for item in own):  # an entry of the public catalog, and of no study
        part = {}
    return schema_errors(build_schema("chains" in part), BASE | part)


@pytest.mark.parametrize("path", [*TEMPLATES, *PAGES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_of_studies_and_datasets_are_accepted(path):
    for example in examples(path):
        assert wrong(example, path.read_text(encoding="utf-8")) == []


def test_examples_are_found_and_wrong_ones_are_not_accepted():
    """The comment of the template that named a key which is refused."""
    text = "# A table names its labels: like this\n#\n#   - {id: a, labels: [b]}\n#     # why\nstudy: s\n"
    assert [part.strip() for part in commented(text)] == ["- {id: a, labels: [b]}\n    # why"]
    assert sum(len(examples(path)) for path in TEMPLATES) >= 2
    assert wrong([{"id": "a", "format": "csv", "all": "a.csv", "labels": ["b"]}]) == []
    with pytest.raises(UserError):
        wrong([{"id": "a", "format": "csv", "all": "a.csv", "label_names": ["b"]}])
    assert wrong({"analysis": {"question": ["score"]}}) and wrong({"id": "pct", "size": [3]})


@pytest.mark.parametrize(
    "path", sorted((ROOT / "profiles").rglob("*.yaml")), ids=lambda path: path.parent.name
)
def test_options_of_profiles_are_those_of_snakemake_also_in_comments(path):
    parser = get_argument_parser(profiles=())
    has_plugin = find_spec("snakemake_executor_plugin_slurm")
    known = {option[2:] for action in parser._actions for option in action.option_strings}
    text = path.read_text(encoding="utf-8")
    parts = [yaml.safe_load(part) for part in [text, *commented(text)]]
    assert ("slurm" in path.parent.name) == (len(parts) > 1)
    for name, value in (item for part in parts for item in part.items()):
        assert name in known or (name.startswith("slurm-") and not has_plugin)
        assert name != "default-resources" or all(re.fullmatch(r"\w+=\S+", resource) for resource in value)


def test_the_formats_are_those_that_are_read():
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    listed = page[page.index("`format` is one of") : page.index("Without `format`")]
    named = {
        word for start in re.findall(r"^- .*", listed, re.MULTILINE) for word in re.findall(r"`(\w+)`", start)
    }
    assert named - {"x", "y"} == set(FORMATS)
