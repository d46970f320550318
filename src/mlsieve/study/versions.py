"""Versions of what a summary runs: they are among its rule's parameters, so that a raised one reruns it.

The versions of what a job runs are in the names of its files (`mlsieve.study.parts.versions_of`).
Snakemake does not look into the package. docs/reruns.md says what to raise when, and how a changed result
without a raised version is found.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlsieve.registry import entries, lookup
from mlsieve.study.content import Content
from mlsieve.study.parts import short_hash
from mlsieve.study.steps import STEPS


class Versions:
    """The versions that the rules of summaries ask for."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def of(self, step: str) -> int | str:
        """Version of a step, and of what it runs or reads besides.

        Those of `compare` and `sections` include the study's questions, that of `acquire` the entries of its
        datasets in config/datasets.yaml.
        """
        # None of figures: to look them up would import all that draws, wherever the workflow starts.
        further: Mapping[str, int | str] = {}
        if step in ("compare", "sections"):
            asked = self._content.questions or entries("question")
            further = {name: lookup("question", name).revision for name in sorted(asked)}
        elif step == "acquire":
            further = self._of_project
        if step in ("compare", "sections", "figures", "report"):  # they use questions, measures and methods
            further = {**further, **{plugin.name: plugin.revision for plugin in self._content.plugins}}
        words = [f"{name}:{each}" for name, each in further.items() if each != 1]
        return ";".join([str(STEPS[step].version), *words]) if words else STEPS[step].version

    @property
    def _of_project(self) -> dict[str, str]:
        """Hash of the entry in config/datasets.yaml of each dataset of the study that has one there."""
        from mlsieve.data.catalog import public_catalog

        return {
            data.id: short_hash(data.entry)
            for data in self._content.datasets.values()
            if data.entry and public_catalog().get(data.id) != self._content.catalog[data.id]
        }
