"""Versions of what a job runs: they are among its rule's parameters, so that a raised one reruns the job.

Snakemake does not look into the package. docs/reruns.md says what to raise when, and how a changed result
without a raised version is found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from mlsieve.registry import entries, lookup
from mlsieve.study.content import Content
from mlsieve.study.parts import Data, short_hash
from mlsieve.study.steps import STEPS

# What the catalog says about a dataset that changes nothing of its prepared file.
_ABOUT = frozenset({"counts", "published", "studies", "stands_in_for", "origin", "notes", "incomplete"})
# Its keys that came later: the text of an entry without them stays what it was.
_LATER = frozenset(
    {
        *("keep", "flatten", "label_names", "label_column", "label_separator", "positive", "x", "y"),
        *("separator", "decimal", "encoding", "header", "missing", "sheet"),
    }
)


def entry_text(entry: Any) -> str:
    """Return, as JSON, what a `mlsieve.data.catalog.DatasetEntry` says that decides the prepared dataset.

    Of its sources, that is only which other bytes are taken for the file: checksums decide what is read, not
    the address from which it comes.
    """
    said = {name: value for name, value in vars(entry).items() if name not in _ABOUT}
    default = type(entry)(entry.id)
    said = {
        name: value for name, value in said.items() if name not in _LATER or value != getattr(default, name)
    }
    said["files"] = {role: {**vars(file), "sources": file.equals} for role, file in entry.files.items()}
    return json.dumps(said, sort_keys=True, default=list)


class Versions:
    """The versions that rules ask for, by wildcards alone."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def of(self, step: str) -> int | str:
        """Version of a step, whatever its wildcards, and of what it runs or reads besides.

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
        return _joined(STEPS[step].version, {name: each for name, each in further.items() if each != 1})

    def prepare(self, wildcards: Any) -> int | str:
        """Version of reading data, and what config/datasets.yaml says of the dataset."""
        data = self._content.datasets[wildcards.dataset]
        said = {data.id: self._of_project[data.id]} if data.id in self._of_project else {}
        return _joined(STEPS["prepare"].version, said)

    def grow(self, wildcards: Any) -> int | str:
        """Version of the method whose ensemble is grown."""
        return _of_step("grow", self._content.ensembles[wildcards.ensemble].version)

    def rank(self, wildcards: Any) -> int | str:
        """Version of the ranking method."""
        return _of_step("rank", self._content.ranked[wildcards.ranker].version)

    def predict(self, wildcards: Any) -> int | str:
        """Version of the evaluator."""
        return _of_step("predict", self._evaluator_version(wildcards))

    def score(self, wildcards: Any) -> int | str:
        """Versions of the measures that the dataset is scored by."""
        return _of_step("score", self._measure_versions(self._content.datasets[wildcards.dataset]))

    def evaluate(self, wildcards: Any) -> int | str:
        """Versions of the evaluator and the measures."""
        measures = self._measure_versions(self._content.datasets[wildcards.dataset])
        return _of_step("evaluate", f"{self._evaluator_version(wildcards)};{measures}")

    def tune(self, wildcards: Any) -> int | str:
        """Versions of the method that is tuned and of the measures."""
        return self._of_chain("tune", wildcards, self._content.points[wildcards.point].registered)

    def chain(self, wildcards: Any) -> int | str:
        """Versions of the method that predicts label sets and of the measures."""
        return self._of_chain("chain", wildcards, self._content.chains[wildcards.chain].registered)

    def _of_chain(self, step: str, wildcards: Any, registered: Iterable[str]) -> int | str:
        methods = ",".join(str(lookup("chain", id).revision) for id in registered)
        measures = self._measure_versions(self._content.datasets[wildcards.dataset])
        return _of_step(step, f"{methods};{measures}")

    def column_order(self, wildcards: Any) -> int | str:
        """Versions of the trees, the evaluator and the measures."""
        order, data = self._content.column_order, self._content.datasets[wildcards.dataset]
        used = next(iter(self._content.evaluators.values()))
        trees, evaluator = lookup("ranker", "pct").revision, lookup("evaluator", used.id).revision
        measures = self._measure_versions(data, None if order is None else order.measures)
        return _of_step("column_order", f"{trees};{evaluator};{measures}")

    def _evaluator_version(self, wildcards: Any) -> int | str:
        return lookup("evaluator", self._content.every_evaluator[wildcards.evaluator].id).revision

    def _measure_versions(self, data: Data, some: Iterable[str] | None = None) -> str:
        """Return ``id:version`` of each function that computes a measure of a dataset."""
        names, hierarchical = self._content.measures_of(data, some), self._content.task_of(data) == "hmlc"
        key = (names, hierarchical)
        if key not in self._versions_of_measures:
            from mlsieve.measures import choose

            chosen = choose(names, self._content.keys.definition, hierarchical=hierarchical)
            known = entries("measure")
            words = [f"{measure.registered}:{known[measure.registered].revision}" for measure in chosen]
            self._versions_of_measures[key] = ",".join(words)
        return self._versions_of_measures[key]

    @cached_property
    def _versions_of_measures(self) -> dict[tuple[tuple[str, ...] | None, bool], str]:
        return {}

    @cached_property
    def _of_project(self) -> dict[str, str]:
        """Hash of the entry in config/datasets.yaml of each dataset of the study that has one there."""
        from mlsieve.data.catalog import public_catalog

        named = {data.id for data in self._content.datasets.values() if not data.own}
        return {
            id: short_hash(entry_text(entry))
            for id, entry in self._content.catalog.items()
            if id in named and public_catalog().get(id) != entry
        }


def _of_step(step: str, version: int | str) -> int | str:
    """Return a method's version with that of its step.

    The first version of a step adds nothing: what was made before it had one stays.
    """
    more = STEPS[step].version
    return version if more == 1 else f"{version};{step}:{more}"


def _joined(version: int, further: Mapping[str, int | str]) -> int | str:
    words = [f"{name}:{each}" for name, each in further.items()]
    return ";".join([str(version), *words]) if words else version
