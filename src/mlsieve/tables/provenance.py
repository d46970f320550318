"""Where a study's numbers come from: configuration, code, libraries, data and machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from mlsieve.files.arrays import HEADER, array_from, read_members
from mlsieve.files.checksums import require_intact, sha256_of
from mlsieve.study import Content, Study
from mlsieve.study.chains.entries import seed_name

LIBRARIES = (
    "mlsieve",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "scikit-posthocs",
    "matplotlib",
    "seaborn",
    "snakemake",
)


def provenance(study: Study) -> dict[str, Any]:
    """Return the record that becomes results/<study>/provenance.json.

    Returns
    -------
    dict
        study, configuration (merged), plugins (SHA-256 of each file), packages (versions of those that
        register methods), seeds, data (checksums of each set's source and prepared file), methods (versions),
        commit, versions, host, finished (UTC).
    """
    content = study.content
    configuration = {
        key: value for key, value in content.configuration.items() if key not in {"cache", "folder"}
    }
    return {
        "study": content.name,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "versions": {"python": platform.python_version(), **versions()},
        "host": {
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "python": sys.implementation.name,
        },
        "configuration": configuration,
        "methods": _methods(content),
        "plugins": {plugin.name: sha256_of(plugin.name) for plugin in content.plugins},
        "packages": _packages(),
        "seeds": {"study": content.seed, **_seeds(content)},
        "data": _data(study),
    }


def commit() -> str | None:
    """Return the project's commit; None outside a repository.

    Whether files differ is not asked: git would run filters and monitors that the repository configures.
    """
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--verify", "--end-of-options", "HEAD"],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def versions() -> dict[str, str]:
    """Return the versions of mlsieve and of the libraries that decide its results."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    if "mlsieve" not in found:
        from mlsieve import __version__

        found["mlsieve"] = __version__
    return found


_KINDS = ("ranker", "evaluator", "measure", "chain")


def _packages() -> dict[str, str]:
    """Return the versions of installed packages that register methods."""
    from mlsieve.registry import entries

    origins = (entry.origin for kind in _KINDS for entry in entries(kind).values())
    return {origin.name: origin.revision for origin in origins if origin is not None and not origin.file}


def _methods(content: Content) -> dict[str, dict[str, int | str]]:
    from mlsieve.registry import entries, lookup

    known = entries("measure")
    return {
        "rankers": {ranker.method: ranker.version for ranker in content.rankers.values()},
        "evaluators": {item.id: lookup("evaluator", item.id).version for item in content.evaluators.values()},
        "chains": {
            id: lookup("chain", id).version for one in content.chains.values() for id in one.registered
        },
        "measures": {name: known[name].version for name in content.measures},
    }


def _seeds(content: Content) -> dict[str, int]:
    found = {}
    for data in content.datasets.values():
        for split in content.splits.values():
            for ranker in content.seeded_rankers.values():
                name, number = ranker.ensemble or ranker.method, ranker.seed_number
                seeds = content.seeds_of(data, split, name, number)
                for repeat, seed in zip(split.repeats, seeds, strict=True):
                    place = f"{data.id}/{split.kind}-{repeat}/{name}"
                    found[place + (f"/seed-{number}" if number else "")] = seed
            for method in content.chains.values():
                seeds = content.seeds_of(data, split, seed_name(method.id))
                for repeat, seed in zip(split.repeats, seeds, strict=True):
                    found[f"{data.id}/{split.kind}-{repeat}/{method.id}"] = seed
    return found


def _data(study: Study) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, data in study.content.datasets.items():
        path = Path(study.paths.of("prepare", dataset=key))
        if path.is_file():
            require_intact(path)
            found[data.id] = {"sha256": sha256_of(path), **_header(path)}
    return found


def _header(path: Path) -> Mapping[str, Any]:
    """Read the sizes of a prepared file; the rows of each part where it has a test part."""
    names = ("train_mask.npy", "label_names.npy", "Y_indices.npy")
    try:
        members = read_members(path, (HEADER, *names))
        header = json.loads(members[HEADER])
        mask, label_names, label_places = (array_from(members[name]) for name in names)
    except (OSError, LookupError, TypeError, ValueError, zipfile.BadZipFile, zlib.error):
        return {}
    training, n_labels, n_set = int(mask.sum()), len(label_names), len(label_places)
    facts, shape = header.get("facts", {}), header.get("shape")
    official = header.get("official_split")
    return {
        "shape": shape,
        "official_split": official,
        "rows": {"train": training, "test": shape[0] - training} if official and shape else {},
        "labels": n_labels,
        "cardinality": n_set / shape[0] if shape and shape[0] else None,
        "files": facts.get("files", {}),
    }
