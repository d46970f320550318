"""Pages of what is registered, with all parameters, and of the datasets in the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlsieve.data.catalog import DatasetEntry, public_catalog
from mlsieve.registry import Entry, accepted_values, entries

KINDS = {
    "ranker": ("Rankers and selectors", "`mlsieve rank --method ID`, or `methods` of a study."),
    "evaluator": ("Evaluators", "`mlsieve evaluate --evaluator ID`, or `evaluators` of a study."),
    "chain": ("Chains", "`mlsieve chain --method ID`, or `chains` of a study."),
    "measure": ("Measures", "`--measures ID`, or `measures` of a study."),
    "question": ("Questions", "`analysis.questions` of a study."),
    "figure": ("Figures", "the report of a study, where its questions and tables allow the figure."),
}
# Kinds that are listed with a line each: they have no parameters of their own.
LISTED = {"measure", "question", "figure"}
INTRODUCTION = """\
# Methods and their parameters

This page lists everything that is registered, with the parameters that `--set NAME=VALUE` and the key
`params` of a study accept. `mlsieve methods ID` prints the same. [Methods](../methods.md) and
[Definitions](../definitions.md) have the formulas.
"""
DATASETS = """\
# Datasets

These datasets are known by their ids: `mlsieve rank ID`, or `datasets` of a study. `mlsieve datasets show ID`
shows the sources and checksums of one. n, F and L are the numbers of examples, features and labels, training
and test part together; a dataset that we have not read has none.
"""
KINDS_OF_DATA = {"Part of the package": "embedded", "To be downloaded": "public"}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the page of methods and the page of datasets."""
    lines = [INTRODUCTION]
    for kind, (title, use) in KINDS.items():
        lines += [f"## {title}\n", f"Used by {use}\n"]
        known = entries(kind)
        if kind in LISTED:
            lines += ["| id | meaning |", "| --- | --- |"]
            lines += [f"| `{id}` | {cell(_meaning(entry))} |" for id, entry in sorted(known.items())]
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
            default = _word(schema["default"])
            lines.append(f"| `{name}` | {default} | {cell(accepted_values(schema))} |")
        lines.append("")
    return lines


def _meaning(entry: Entry) -> str:
    """Return what an entry stands for: of a question its title, which is the question itself."""
    title = getattr(entry.facts, "title", "")
    return f"{title} {entry.summary}".strip()


def _datasets() -> str:
    lines = [DATASETS]
    for title, format in KINDS_OF_DATA.items():
        lines += [f"## {title}\n", "| id | task | n | F | L |", "| --- | --- | ---: | ---: | ---: |"]
        for id, entry in public_catalog().items():
            if (entry.format == "embedded") == (format == "embedded"):
                lines.append(f"| `{id}` | {entry.task} | {' | '.join(_sizes(entry))} |")
        lines.append("")
    return "\n".join(lines)


def _sizes(entry: DatasetEntry) -> list[str]:
    """Return the numbers of examples, features and labels of a dataset, empty where they are not known."""
    counts = entry.counts
    if not counts:
        return ["", "", ""]
    sizes = (
        counts["n_train"] + counts.get("n_test", 0),
        counts["F_numeric"] + counts["F_nominal"],
        counts["L"],
    )
    return [f"{size:,}" for size in sizes]


def cell(text: str) -> str:
    """Return a text as the cell of a table."""
    return text.replace("``", "`").replace("|", "\\|").replace("*", "\\*")


def _word(value: Any) -> str:
    if value == "":
        return "empty"
    return f"`{str(value).lower() if isinstance(value, bool) or value is None else value}`"
