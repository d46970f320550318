"""The workflow as it comes with the installed package: its Snakefile, its rules and the studies of papers."""

from __future__ import annotations

from pathlib import Path

import mlsieve
from mlsieve.configuration.merge import DEFAULT_CONFIGURATION
from mlsieve.errors import UserError, did_you_mean

# Laid out as the repository, so that the paths between the files hold.
PROJECT = Path(mlsieve.__file__).resolve().parent / "_project"
# Set by `mlsieve study run`: without a terminal, the run is shown as lines in place of Snakemake's messages.
IN_LINES = "MLSIEVE_IN_LINES"


def snakefile() -> Path:
    """Return the Snakefile of the installed package."""
    return PROJECT / "Snakefile"


def default_study() -> Path:
    """Return the study whose keys fill in what another one leaves out.

    Returns
    -------
    pathlib.Path
        The working folder's ``config/config.yaml`` if there is one, else that of the installed package.
    """
    return DEFAULT_CONFIGURATION if DEFAULT_CONFIGURATION.is_file() else PROJECT / DEFAULT_CONFIGURATION


def published_studies() -> dict[str, Path]:
    """Return the files of the studies that follow papers, by their names, sorted."""
    return {path.stem: path for path in sorted((PROJECT / "config" / "studies").glob("*.yaml"))}


def published_study(name: str) -> Path:
    """Return the file of a study that follows a paper.

    Raises
    ------
    UserError
        If no study has that name.
    """
    known = published_studies()
    if name not in known:
        raise UserError(f"unknown study '{name}'", hint=did_you_mean(name, list(known)))
    return known[name]
