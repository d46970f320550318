"""A study's merged configuration, expanded: its parts, each in a module of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlsieve.files.checksums import sha256_of
from mlsieve.study.content import Content
from mlsieve.study.inputs import Inputs
from mlsieve.study.jobs import Jobs
from mlsieve.study.options import Options
from mlsieve.study.paths import Paths
from mlsieve.study.resources import Resources
from mlsieve.study.summaries import Summaries
from mlsieve.study.versions import Versions


class Study:
    """A valid merged configuration, expanded.

    Parameters
    ----------
    configuration : mapping
        What `mlsieve.configuration.require_valid` has accepted.
    cache : str
        Folder of the files that studies share.
    results : str
        Folder of the studies' tables.
    digest : callable
        Returns the SHA-256 of a file of the user's own.

    Attributes
    ----------
    content : Content
        Datasets, splits, rankers, evaluators and measures.
    paths : Paths
        Where files lie.
    inputs : Inputs
        What a job reads.
    options : Options
        Arguments of a job's command.
    versions : Versions
        Versions of what a summary runs.
    jobs : Jobs
        All jobs, and the files of theirs that summaries read.
    resources : Resources
        Memory, time and threads of a job.
    summaries : Summaries
        Which summaries the study has.
    """

    def __init__(
        self,
        configuration: Mapping[str, Any],
        cache: str = "results/cache",
        results: str = "results",
        digest: Callable[[str], str] = sha256_of,
    ) -> None:
        self.content = Content(configuration, digest)
        self.paths = Paths(cache, f"{results}/{self.content.name}")
        self.inputs = Inputs(self.content, self.paths)
        self.options = Options(self.content, self.inputs)
        self.versions = Versions(self.content)
        self.jobs = Jobs(self.content, self.paths, self.inputs, self.options)
        self.resources = Resources(self.content, self.jobs)
        self.summaries = Summaries(self.content, self.paths)
