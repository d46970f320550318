"""The parts of a study's configuration that its commands read, each in a file of its own.

A command reads its own part only, so that a change of the figures does not rerun the tests.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlsieve.configuration.merge import read_json
from mlsieve.files.checksums import is_intact
from mlsieve.files.writing import json_text, write_text
from mlsieve.study import Content, Study
from mlsieve.study.column_order import QUESTION
from mlsieve.workflow.own_files import recorded_digests


def read_study(path: str | os.PathLike[str]) -> Study:
    """Return the study of one of these files, as far as the commands that read it need it."""
    content = read_json(path)
    return Study(content, cache=content["cache"], digest=recorded_digests(content))


def slices(study: Study) -> dict[str, dict[str, Any]]:
    """Return the parts of the configuration that the study-level commands read, by file name."""
    content, whole, section = study.content, study.content.configuration, study.content.analysis
    later = {"analysis", "figures", "title", "description", "mirror"}
    digests = {path: digest for data in content.datasets.values() for path, digest in data.digests.items()}
    context: dict[str, Any] = {"cache": study.paths.cache, "folder": study.paths.folder, "digests": digests}
    # A worked example, and jobs of the column order, whose failure becomes a row of skipped.csv; how similar
    # rankings of several seeds are.
    read = {name: section[name] for name in ("worked_example", "similarity_features") if section.get(name)}
    if content.column_order is not None:
        read |= {"questions": [QUESTION], "column_order": section.get("column_order")}
    if read:
        context["analysis"] = read
    return {
        "study.json": whole | {"cache": study.paths.cache, "digests": digests},
        "datasets.json": {
            "datasets": [{"id": data.id, **data.files} for data in content.datasets.values()],
            "cache": study.paths.cache,
        },
        "jobs.json": {key: value for key, value in whole.items() if key not in later} | context,
        "analysis.json": analysis_settings(content),
    }


def analysis_settings(content: Content) -> dict[str, Any]:
    """Return what `mlsieve compare` reads: the section `analysis`, and what the datasets are.

    What the catalog says of a dataset is overridden by the section's own `domains` and `differing`.
    """
    known, section = content.entries, dict(content.analysis)
    domains = {name: entry.domain for name, entry in known.items() if entry.domain}
    section.setdefault("domains", domains)
    if content.keys.task == "hmlc":
        # `Analysis` has the choices of the paper on flat labels; these are the hierarchical paper's, of its
        # sections 4.1 and 4.3.
        section.setdefault("paper_sizes", {"default": 10, "relief": 1})
        section.setdefault(
            "paper_ensembles",
            {"symbolic": "random-forest", "genie3": "random-forest", "permutation": "bagging"},
        )
    section.setdefault("differing", [name for name, entry in known.items() if entry.differs_from_paper])
    return section


def write_slices(study: Study, look_again: bool = False) -> dict[Path, tuple[str, int]]:
    """Write results/<study>/configuration/*.json where their content has changed.

    Parameters
    ----------
    study : Study
    look_again : bool
        Whether datasets that the last run lacked are to be looked for again.

    Returns
    -------
    dict
        What was replaced: text and time of change (nanoseconds) by path.
    """
    replaced = {}
    for path, text in changed_slices(study, look_again).items():
        if path.is_file():
            replaced[path] = (path.read_text(encoding="utf-8", errors="replace"), path.stat().st_mtime_ns)
        write_text(path, text)
    return replaced


def changed_slices(study: Study, look_again: bool = False) -> dict[Path, str]:
    """Return the text of each part of the configuration whose file is missing, damaged or not up to date.

    Parameters
    ----------
    study : Study
    look_again : bool
        As of `write_slices`: the part that lists the datasets counts the times, for Snakemake does not look
        at the time of a small file whose content is the same.
    """
    parts = slices(study)
    if searches := _searches(study) + look_again:
        parts["datasets.json"]["searched_again"] = searches
    folder = Path(study.paths.table("configuration"))
    texts = {folder / name: json_text(part) for name, part in parts.items()}
    return {
        path: text
        for path, text in texts.items()
        if not (path.is_file() and path.read_bytes() == text.encode("utf-8") and is_intact(path))
    }


def _searches(study: Study) -> int:
    """Return how often datasets have been looked for again so far."""
    path = Path(study.paths.table("configuration/datasets.json"))
    if not is_intact(path):
        return 0
    try:
        found = json.loads(path.read_bytes()).get("searched_again", 0)
    except (ValueError, AttributeError):
        return 0
    return found if isinstance(found, int) else 0


def restore_slices(replaced: Mapping[Path, tuple[str, int]]) -> None:
    """Put back what `write_slices` replaced, so that nothing that depends on it is made again."""
    for path, (text, changed) in replaced.items():
        write_text(path, text)
        os.utime(path, ns=(changed, changed))
