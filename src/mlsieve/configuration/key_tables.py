"""The tables of a configuration's keys in config/README.md, made from the sections' typed fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mlsieve.analysis.settings import Analysis
from mlsieve.registry import entries
from mlsieve.registry.parameters import accepted_values, section_schema
from mlsieve.study.chains.keys import ChainKeys, VariantKeys
from mlsieve.study.settings import OwnData, StudyKeys

# `<!-- keys: own data -->`, a table and `<!-- end -->`.
_TABLE = re.compile(r"(<!-- keys: (?P<name>[\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def key_tables() -> dict[str, str]:
    """Return the Markdown tables of keys by the name that precedes each in config/README.md."""
    tables = {
        "study": _table(_rows(section_schema(StudyKeys))),
        "own data": _table(_rows(section_schema(OwnData))),
        "chains": _table(_rows(section_schema(ChainKeys))),
        "variants": _table(_rows(section_schema(VariantKeys))),
        "analysis": _table(_rows(section_schema(Analysis))),
    }
    of_questions = [
        row
        for entry in sorted(entries("question").values(), key=lambda entry: entry.facts.order)
        if entry.facts.settings
        for row in _rows(section_schema(entry.facts.settings), first=f"`{entry.id}`")
    ]
    return {**tables, "questions": _table(of_questions, first="question")}


def with_tables(page: str) -> str:
    """Return the text of config/README.md with its tables of keys as `key_tables` has them."""
    tables = key_tables()
    return _TABLE.sub(lambda found: f"{found[1]}{tables[found['name']]}{found[3]}", page)


def _rows(schema: Mapping[str, Any], path: str = "", first: str = "") -> Iterator[list[str]]:
    """Yield the cells of each key; the keys of a section within a section follow it."""
    for name, key in schema["properties"].items():
        default = "" if "properties" in key or "default" not in key else f"`{_as_yaml(key['default'])}`"
        default = "required" if name in schema.get("required", ()) else default
        cells = [
            f"`{path}{name}`",
            accepted_values(key).replace("none", "null"),
            default,
            key.get("description", ""),
        ]
        yield [first, *cells] if first else cells
        if "properties" in key:
            yield from _rows(key, f"{path}{name}.", first)


def _table(rows: Any, first: str = "") -> str:
    head = ["key", "value", "default", "meaning"]
    head = [first, *head] if first else head
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


def _as_yaml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_as_yaml(key)}: {_as_yaml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_yaml, value))}]"
    return f'"{value}"' if isinstance(value, str) and "," in value else str(value)
