"""Pages of what is registered, with all parameters, and of the datasets in the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlsieve.data.catalog import public_catalog
from mlsieve.registry import Entry, accepted_values, entries

KINDS = {
    "ranker": ("Rankers and selectors", "`mlsieve rank --method ID`, or `methods` of a study."),
    "evaluator": ("Evaluators", "`mlsieve evaluate --evaluator ID`, or `evaluators` of a study."),
    "chain": ("Chains", "`mlsieve chain --method ID`, or `chains` of a study."),
    "measure": ("Measures", "`--measures ID`, or `measures` of a study."),
    "question": ("Questions", "`analysis.questions` of a study."),
}
INTRODUCTION = """\
# Methods and their parameters

This page lists everything that is registered, with the parameters that `--set NAME=VALUE` and the key
`params` of a study accept. `mlsieve methods ID` prints the same. [Methods](../methods.md) and
[Definitions](../definitions.md) have the formulas.
"""
DATASETS = """\
# Datasets

These datasets are known by their ids: `mlsieve rank ID`, or `datasets` of a study. `mlsieve datasets show ID`
shows the sources and checksums of one. Those of the kind *embedded* come with the package.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the page of methods and the page of datasets."""
    lines = [INTRODUCTION]
    for kind, (title, use) in KINDS.items():
        lines += [f"## {title}\n", f"Used by {use}\n"]
        known = entries(kind)
        if kind in {"measure", "question"}:
            lines += ["| id | meaning |", "| --- | --- |"]
            lines += [f"| `{id}` | {cell(entry.summary)} |" for id, entry in sorted(known.items())]
            lines.append("")
        else:
            for _, entry in sorted(known.items()):
                lines += _method(entry)
    yield "methods.md", "\n".join(lines)
    yield "datasets.md", _datasets()


def _method(entry: Entry) -> list[str]:
    lines = [f"### `{entry.id}`\n", f"{entry.summary.replace('``', '`')}\n"]
    estimator = str(getattr(entry.facts, "estimator", "") or "").replace(":", ".")
    if estimator:
        lines.append(f"In Python: {{py:obj}}`{estimator}`.\n")
    parameters = entry.parameters()
    if parameters:
        lines += ["| parameter | default | values |", "| --- | --- | --- |"]
        for name, schema in parameters.items():
            lines.append(f"| `{name}` | `{_word(schema['default'])}` | {cell(accepted_values(schema))} |")
        lines.append("")
    return lines


def _datasets() -> str:
    lines = [DATASETS, "| id | task | kind | n | F | L |", "| --- | --- | --- | ---: | ---: | ---: |"]
    for id, entry in public_catalog().items():
        counts = [entry.counts.get(name, "") if entry.counts else "" for name in ("n", "F", "L")]
        lines.append(f"| `{id}` | {entry.task} | {entry.format} | {' | '.join(map(str, counts))} |")
    return "\n".join([*lines, ""])


def cell(text: str) -> str:
    """Return a text as the cell of a table."""
    return text.replace("``", "`").replace("|", "\\|").replace("*", "\\*")


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
