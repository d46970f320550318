"""Merging configuration files as Snakemake does: mappings merge, everything else is replaced."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlsieve.errors import UserError
from mlsieve.files.mappings import read_mapping
from mlsieve.files.yaml import parse_yaml

DEFAULT_CONFIGURATION = Path("config/config.yaml")


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` overridden by `over`.

    Parameters
    ----------
    base, over : mapping
        Parsed configurations; neither is changed.

    Returns
    -------
    dict
        Mappings are merged key by key, lists and scalars of `over` replace those of `base`.
    """
    result = dict(base)
    for key, value in over.items():
        known = result.get(key)
        if isinstance(value, Mapping) and isinstance(known, Mapping):
            result[key] = merged(known, value)
        else:
            result[key] = value
    return result


def read_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read one YAML mapping.

    Raises
    ------
    UserError
        If the file is missing, is not YAML (with the line) or holds something else than a mapping.
    """
    path = Path(path)
    if path.is_dir():
        raise UserError("is a folder, not a YAML file", file=path, hint="give the file")
    if not path.is_file():
        raise UserError("no such file", file=path, hint="check the path")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"is not YAML ({error})", file=path, hint="correct it") from error
    content = parse_yaml(text, path)
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise UserError("is not a mapping of keys to values", file=path, hint="see config/README.md")
    return content


def load_configuration(
    *paths: str | os.PathLike[str], default: Path | None = DEFAULT_CONFIGURATION
) -> dict[str, Any]:
    """Return the merged configuration of several files, as ``snakemake --configfile`` makes it.

    Parameters
    ----------
    *paths : path-like
        Configuration files, later ones override earlier ones.
    default : Path, optional
        What the workflow reads first (``config/config.yaml``); left out where it does not exist.
    """
    configuration: dict[str, Any] = read_yaml(default) if default is not None and default.is_file() else {}
    for path in paths:
        configuration = merged(configuration, read_yaml(path))
    return without_default_texts(configuration, default)


def without_default_texts(
    configuration: Mapping[str, Any], default: Path | None = DEFAULT_CONFIGURATION
) -> dict[str, Any]:
    """Return a merged configuration; if it is another study, without the default one's title and description.

    Parameters
    ----------
    configuration : mapping
    default : Path, optional
        What the workflow reads first; nothing is left out where it does not exist.
    """
    known = read_yaml(default) if default is not None and default.is_file() else {}
    result = dict(configuration)
    for key in ("title", "description"):
        if result.get("study") != known.get("study") and key in known and result.get(key) == known[key]:
            del result[key]
    return result


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read one JSON mapping that the workflow has written.

    Raises
    ------
    UserError
        If the file is missing or damaged.
    """
    again = "remove it; the workflow writes it again"
    return read_mapping(
        path, missing="give the folder of a study that has run, such as results/demo", damaged=again
    )
