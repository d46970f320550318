"""Whether a study has the setting of a paper's cells: evaluator, split, methods and data.

Only the configuration decides. Nothing here reads a table, so that the workflow can ask before any job runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mlsieve.published.papers import Paper, known_papers
from mlsieve.registry import lookup

if TYPE_CHECKING:
    from mlsieve.study import Content


def papers_beside(content: Content) -> list[Paper]:
    """Return the papers with which a study can be compared: its own, and those with its setting.

    A study's own paper is the one whose file in papers/ has the study's name.
    """
    return [
        paper for paper in known_papers().values() if paper.study == content.name or has_cells(content, paper)
    ]


def setting_differs(content: Content, cells: Mapping[str, Any]) -> str:
    """Return the part of a paper's setting that the study lacks; empty if it has all of it.

    Parameters
    ----------
    content : Content
    cells : mapping
        A paper's ``cells``.
    """
    evaluator = cells["evaluator"]
    settings = [one.settings for one in content.evaluators.values() if one.id == evaluator["id"]]
    if len(settings) != 1 or _differing("evaluator", evaluator["id"], settings[0], evaluator["params"]):
        wanted = ", ".join(f"{name} = {value}" for name, value in evaluator["params"].items())
        return f"the study does not evaluate by {evaluator['id']}" + (f" with {wanted}" if wanted else "")
    split = content.keys.split
    if split.kind != cells["split"]:
        return f"the study's split is not {cells['split']}"
    if cells.get("train_share") not in (None, split.train_share):
        return f"the study does not train on {cells['train_share']:.0%} of the rows"
    return ""


def has_cells(content: Content, paper: Paper) -> bool:
    """Return whether a study's configuration has a paper's setting, one of its methods and its own data."""
    cells = paper.cells
    if cells is None or setting_differs(content, cells):
        return False
    methods = {item["method"] for item in cells["rankings"]} & {one.label for one in content.rankers.values()}
    printed = {name for item in cells["rankings"] for row in item["values"].values() for name in row}
    return bool(methods) and any(
        data.id in printed and not basis_of(content, data, cells) for data in content.datasets.values()
    )


def basis_of(content: Content, data: Any, cells: Mapping[str, Any]) -> str:
    """Return how a dataset of the study differs from the paper's; empty if it does not.

    Parameters
    ----------
    content : Content
    data : mlsieve.study.Data
    cells : mapping
        A paper's ``cells``.
    """
    entry = content.catalog.get(data.id)
    if data.own or entry is None:
        return "a file of the user's own"
    if entry.stands_in_for:
        return "a reduced copy of the paper's data"
    if entry.differs_from_paper:
        return "another version of the paper's data"
    wanted = cells.get("changes", {}).get(data.id, {})
    if dict(data.files) != dict(wanted):
        changed = ", ".join(f"{name} = {value}" for name, value in {**data.files, **wanted}.items())
        return f"other changes of the data than the paper's ({changed})"
    return str(cells.get("other", {}).get(data.id, ""))


def study_copies(content: Content, cells: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return, by the paper's dataset, the study's own id of it and how it differs (empty: not at all).

    Parameters
    ----------
    content : Content
    cells : mapping
        A paper's ``cells``.
    """
    found: dict[str, tuple[str, str]] = {}
    for data in content.datasets.values():
        entry = content.catalog.get(data.id)
        if data.own or entry is None:
            continue
        name, basis = entry.stands_in_for or data.id, basis_of(content, data, cells)
        if name not in found or not basis:  # the complete dataset comes before a reduced copy
            found[name] = data.id, basis
    return found


def method_differs(content: Content, item: Mapping[str, Any]) -> str:
    """Return why the study's method of that name is not the paper's; empty if it is.

    Parameters
    ----------
    content : Content
    item : mapping
        One of the ``rankings`` of a paper's ``cells``.
    """
    method, wanted = item["method"], item["params"]
    # A default that depends on the data is the one of the data that the paper uses.
    given = [
        item.get("defaults", {}) | {name: value for name, value in one.settings.items() if value is not None}
        for one in content.rankers.values()
        if one.label == method
    ]
    if len(given) != 1:
        return f"the study has {method} with several settings" if given else f"the study has no {method}"
    names = _differing("ranker", method, given[0], wanted)
    if not names:
        return ""
    own = _defaults("ranker", method) | given[0]
    printed, here = (", ".join(f"{name} = {of[name]}" for name in names) for of in (wanted, own))
    return f"the paper's {method} has {printed}, and the study's {here}"


def _defaults(kind: str, id: str) -> dict[str, Any]:
    return {name: schema["default"] for name, schema in lookup(kind, id).parameters().items()}


def _differing(kind: str, id: str, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    if not wanted:
        return []
    own = _defaults(kind, id) | dict(given)
    # A count and a share are different settings: m = 1 is one example, m = 1.0 all of them.
    return [name for name, value in wanted.items() if (own[name], type(own[name])) != (value, type(value))]
