"""What Snakemake reads by itself before the workflow begins, and runs as code where it is a template."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from mlsieve.configuration.merge import read_yaml
from mlsieve.errors import UserError

_PROFILE = re.compile(r"(profile|config)(\.v\d+\+)?\.yaml")
_DEFAULT = "default"  # the profile of a workflow that Snakemake looks for without being told


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"--snakemake: {message}", hint="see 'snakemake --help'")


def require_no_templates(words: Sequence[str]) -> None:
    """Raise a UserError if a configuration or profile that Snakemake would read is not plain YAML.

    Parameters
    ----------
    words : sequence of str
        Options of Snakemake. Profiles are looked for in the working folder, where Snakemake looks first;
        those in the folders of the user and the computer are not looked at.
    """
    # Options that another one abbreviates are listed, too.
    parser = _Options(add_help=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="extend", default=[])
    parser.add_argument("--profile", nargs="+", action="extend", default=[])
    parser.add_argument("--workflow-profile", action="append", default=[])
    parser.add_argument("--config", "-C", nargs="*")
    given, _ = parser.parse_known_args(list(words))
    by_environment = re.split(r"[\s,\[\]]+", os.environ.get("SNAKEMAKE_PROFILE", ""))
    files = [Path(name) for name in given.configfile]
    for name in filter(None, [_DEFAULT, *given.profile, *given.workflow_profile, *by_environment]):
        for profile in _files_of_profile(name):
            named = _plain(profile).get("configfile") or []
            for file in [named] if isinstance(named, str) else named:
                files += [profile.parent / str(file), Path(str(file))]
    for file in files:
        _plain(file)


def _files_of_profile(name: str) -> Iterator[Path]:
    for place in (Path(name), Path("profiles") / name):
        if place.is_file():
            yield place
        elif place.is_dir():
            yield from (file for file in sorted(place.iterdir()) if _PROFILE.fullmatch(file.name))


def _plain(file: Path) -> dict[str, Any]:
    """Return what a file holds, nothing if it is none or JSON; UserError if it is no plain YAML."""
    if not file.is_file():
        return {}
    try:
        json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return read_yaml(file)
    return {}
