"""What a study consists of by its configuration: datasets, splits, rankers, evaluators and measures."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from mlsieve.files.checksums import sha256_of
from mlsieve.files.csv_tables import read_rows
from mlsieve.registry import entries, lookup
from mlsieve.registry.plugins import load_trusted_plugins
from mlsieve.schemas import read
from mlsieve.seeds import derive_seed
from mlsieve.study.chains.entries import ChainMethod, Point, expand_chains
from mlsieve.study.column_order import ColumnOrder
from mlsieve.study.parts import (
    Data,
    Evaluator,
    Split,
    entry_text,
    is_own,
    left_out,
    short_hash,
    versions_of,
)
from mlsieve.study.rankers.entries import Ranker, expand_rankers
from mlsieve.study.settings import StudyKeys, WorkedExample


class Content:
    """A valid merged configuration, expanded.

    Parameters
    ----------
    configuration : mapping
        What `mlsieve.configuration.require_valid` has accepted.
    digest : callable
        Returns the SHA-256 of a file of the user's own.
    """

    def __init__(self, configuration: Mapping[str, Any], digest: Callable[[str], str] = sha256_of) -> None:
        self._digest = digest
        self.configuration = dict(configuration)
        self.keys = read(StudyKeys, configuration)
        self.name, self.seed, self.analysis = self.keys.study, self.keys.seed, self.keys.analysis
        self.plugins = load_trusted_plugins(self.keys.plugins)

    @cached_property
    def datasets(self) -> dict[str, Data]:
        """Datasets in use by their key, in the study's order."""
        found = [
            Data(item)
            if isinstance(item, str)
            else Data(item["id"], {k: v for k, v in item.items() if k != "id"})
            for item in self.configuration["datasets"]
        ]
        used = [self._complete(data) for data in found if data.id not in self.left_out]
        return {data.key: data for data in used}

    def _complete(self, data: Data) -> Data:
        """Return a dataset with what its catalog says and the checksums that it does not say."""
        entry = None if data.own else self.catalog.get(data.id)
        digests = dict.fromkeys(self.own_files(data), "")
        unknown = [] if entry is None else [role for role, file in entry.files.items() if not file.sha256]
        if entry is not None and unknown:
            from mlsieve.data.public.acquire import locate

            found = locate(entry, mirror=self.keys.mirror)
            digests |= {str(found[role][1]): "" for role in unknown if role in found}
        for path in digests:
            with contextlib.suppress(OSError):
                digests[path] = self._digest(path)
        return replace(data, entry="" if entry is None else entry_text(entry), digests=digests)

    @cached_property
    def catalog(self) -> Mapping[str, Any]:
        """Catalog entries by id, the study's own among them."""
        from mlsieve.data.catalog import catalog

        own = [item for item in self.configuration["datasets"] if not isinstance(item, str) and is_own(item)]
        return catalog(inline=own)

    @property
    def entries(self) -> dict[str, Any]:
        """Catalog entries of the datasets in use, by id."""
        ids = (data.id for data in self.datasets.values())
        return {id: self.catalog[id] for id in ids if id in self.catalog}

    @property
    def asks_for_data(self) -> bool:
        """Whether some dataset may turn out to be missing: neither embedded nor files that are there."""
        return any(
            not all(map(os.path.isfile, self.own_files(data)))
            if data.own
            else self.catalog[data.id].format != "embedded"
            for data in self.datasets.values()
        )

    def own_files(self, data: Data) -> list[str]:
        """Return the paths of the user's own files of a dataset; none for a set of the public catalog."""
        from mlsieve.data.catalog import given_paths

        given = [str(path) for path in given_paths(data.files).values() if path]
        entry = None if data.own else self.catalog.get(data.id)
        named = [] if entry is None else [file.path for file in entry.files.values() if file.path is not None]
        return given + named

    def available(self, table: str | os.PathLike[str]) -> list[str]:
        """Return the keys of the datasets that the acquire step found, from its table.

        Raises
        ------
        UserError
            If the table is damaged; it has been removed then.
        """
        found = {row["dataset"] for row in read_rows(table)}
        return [key for key, data in self.datasets.items() if data.id in found]

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Reason for each dataset that the configuration itself leaves out."""
        return left_out(self.keys)

    @property
    def repeats(self) -> int:
        """Number of splits of each dataset."""
        return self.keys.split.repeats

    @cached_property
    def splits(self) -> dict[str, Split]:
        """Splits by their key; those of one job are together."""
        split = self.keys.split
        numbers, step = range(split.repeats), split.repeats_per_job
        found = (
            Split(split.kind, tuple(numbers[first : first + step]), self.seed, split.train_share, split.folds)
            for first in numbers[::step]
        )
        return {item.key: item for item in found}

    def seeds_of(self, data: Data, split: Split, name: str, number: int = 0) -> list[int]:
        """Seeds of an ensemble or method, one for each repeat of the split.

        A hash of (study seed, dataset, split, its name). The first seed, number 0, is the same however many
        there are; the hash of others has their number too.
        """
        more = [f"seed-{number}"] if number else []
        return [
            derive_seed(self.seed, data.id, f"{split.kind}-{repeat}", name, *more) for repeat in split.repeats
        ]

    @cached_property
    def rankers(self) -> dict[str, Ranker]:
        """Rankers by their key, each with its first seed: what the study's questions are about."""
        found = with_shared_jobs(expand_rankers(self.keys.methods), self._evaluated_as)
        return {ranker.key: ranker for ranker in found}

    def _evaluated_as(self, ranker: Ranker) -> list[bool]:
        """Return which exceptions of evaluators name the method."""
        exceptions = (exception for item in self.keys.evaluators for exception in item.exceptions)
        return [ranker.label in exception.methods for exception in exceptions]

    @property
    def seeds(self) -> int:
        """Number of seeds with which every method that uses one ranks each dataset."""
        return self.keys.stability.seeds

    @cached_property
    def seeded_rankers(self) -> dict[str, Ranker]:
        """Rankers by their key, each with all its seeds."""
        every = (
            ranker.again(number)
            for ranker in self.rankers.values()
            for number in range(self.seeds if ranker.random else 1)
        )
        return {ranker.key: ranker for ranker in every}

    @cached_property
    def ranked(self) -> dict[str, Ranker]:
        """For each folder of rankings, of all seeds, one of the rankers whose job makes them."""
        return {ranker.folder: ranker for ranker in self.seeded_rankers.values()}

    @cached_property
    def ensembles(self) -> dict[str, Ranker]:
        """For each ensemble's key, one of the rankers that read it."""
        return {ranker.ensemble_key: ranker for ranker in self.seeded_rankers.values() if ranker.ensemble}

    @cached_property
    def chains(self) -> dict[str, ChainMethod]:
        """Methods that predict label sets, by their key."""
        return {method.key: method for method in expand_chains(self.keys.chains)}

    @cached_property
    def points(self) -> dict[str, Point]:
        """Points of the grids of these methods, by their key."""
        return {
            point.key: point
            for method in self.chains.values()
            for point in (*method.read_points, *method.order_points)
        }

    @cached_property
    def evaluators(self) -> dict[str, Evaluator]:
        """Evaluators by their key, with the parameters that they have but for exceptions."""
        found = [Evaluator(item.id, dict(item.params)) for item in self.keys.evaluators]
        return {evaluator.key: evaluator for evaluator in found}

    @cached_property
    def every_evaluator(self) -> dict[str, Evaluator]:
        """Evaluators by their key, those of the exceptions among them."""
        excepted = (one for _, rest in self._exceptions.values() for *_, one in rest)
        return self.evaluators | {evaluator.key: evaluator for evaluator in excepted}

    @cached_property
    def _exceptions(self) -> dict[str, tuple[Evaluator, list[tuple[set[str], set[str], Evaluator]]]]:
        """By an evaluator's id: the evaluator, and datasets, methods and evaluator of each exception."""
        items = {item.id: item for item in self.keys.evaluators}
        return {
            evaluator.id: (
                evaluator,
                [
                    (
                        set(exception.datasets),
                        set(exception.methods),
                        Evaluator(evaluator.id, {**evaluator.settings, **exception.params}),
                    )
                    for exception in items[evaluator.id].exceptions
                ],
            )
            for evaluator in self.evaluators.values()
        }

    def evaluators_of(self, data: Data, ranker: Ranker) -> list[Evaluator]:
        """Return the evaluators of a method's rankings of a dataset, by the first exception that fits."""
        return [
            next(
                (
                    special
                    for datasets, methods, special in exceptions
                    if data.id in datasets and (not methods or ranker.label in methods)
                ),
                evaluator,
            )
            for evaluator, exceptions in self._exceptions.values()
        ]

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Ids of the measures, in the configuration's order."""
        return tuple(entries("measure")) if self.keys.measures == "all" else self.keys.measures

    def scoring_of(self, data: Data) -> str:
        """Name of the files of a dataset's scores: the definition, and a hash of the measures."""
        definition, chosen = self.keys.definition or "default", self.measures_of(data)
        return f"{definition}-{short_hash(definition, chosen, self.measure_versions(data))}"

    def measured(self, data: Data) -> list[tuple[str, str]]:
        """Return the id and the definition of each measure of a dataset, as in its tables of scores."""
        from mlsieve.measures import choose

        chosen = choose(
            self.measures_of(data), self.keys.definition, hierarchical=self.task_of(data) == "hmlc"
        )
        return [(measure.id, measure.definition) for measure in chosen]

    def measure_versions(self, data: Data, some: Iterable[str] | None = None) -> dict[str, int | str]:
        """Return the versions of the functions that compute the measures of a dataset; see `measures_of`."""
        names, hierarchical = self.measures_of(data, some), self.task_of(data) == "hmlc"
        key = (names, hierarchical)
        if key not in self._measure_versions:
            from mlsieve.measures import choose

            chosen = choose(names, self.keys.definition, hierarchical=hierarchical)
            used = sorted({measure.registered for measure in chosen})
            self._measure_versions[key] = versions_of("score", "evaluate", measure=used)
        return self._measure_versions[key]

    @cached_property
    def _measure_versions(self) -> dict[tuple[tuple[str, ...] | None, bool], dict[str, int | str]]:
        return {}

    def measures_of(self, data: Data, some: Iterable[str] | None = None) -> tuple[str, ...] | None:
        """Return the ids of the measures of a dataset; None for all that its definition has.

        Flat data have no measures of hierarchies; nor has a study of flat data that takes in a set with a
        hierarchy, unless it names them.

        Parameters
        ----------
        data : Data
        some : iterable of str, optional
            Of these measures alone; default those of the study.
        """
        if some is not None or self.keys.measures != "all":
            flat = self.task_of(data) == "mlc"
            known = entries("measure")
            return tuple(
                name
                for name in (self.measures if some is None else some)
                if not (flat and known[name].facts.hierarchical)
            )
        if self.task_of(data) == "mlc" or self.keys.task == "hmlc":
            return None
        from mlsieve.measures import available, default_definition

        definition = self.keys.definition or default_definition(hierarchical=True)
        return tuple(available(definition))

    @property
    def questions(self) -> tuple[str, ...]:
        """Ids of the questions that the analysis names; none where it leaves them to the default."""
        return tuple(self.analysis.get("questions") or ())

    @cached_property
    def column_order(self) -> ColumnOrder | None:
        """What the analysis asks of the order of the columns; mostly nothing."""
        return ColumnOrder.of_analysis(self.analysis)

    @property
    def column_order_split(self) -> Split:
        """The split on which the order of the columns is tried: the first."""
        split = next(iter(self.splits.values()))
        return replace(split, repeats=split.repeats[:1])

    @property
    def worked_example(self) -> WorkedExample | None:
        """What the analysis wants selectors to be worked out on, step by step; mostly nothing."""
        wanted = self.analysis.get("worked_example")
        return read(WorkedExample, wanted) if wanted else None

    @property
    def worked_data(self) -> Data | None:
        """The dataset of the worked example, if it is in use."""
        wanted = self.worked_example
        return next((data for data in self.datasets.values() if wanted and data.id == wanted.dataset), None)

    def task_of(self, data: Data) -> str:
        """Return "mlc", or "hmlc" for labels with a hierarchy."""
        entry = self.catalog.get(data.id)
        if data.files.get("flatten"):
            return "mlc"
        if data.files.get("hierarchy"):
            return "hmlc"
        return entry.task if entry is not None else "mlc"

    def unsuited_chain(self, data: Data, method: ChainMethod) -> str | None:
        """Return why a method that predicts label sets takes no part in a dataset; None where it does."""
        if self.task_of(data) not in lookup("chain", method.id).facts.tasks:
            return _not_for_labels(method.name, self.task_of(data))
        if not method.takes(data):
            return f"{method.name} does not apply: the configuration leaves this dataset out"
        return f"{method.name} does not apply: {method.lacks}" if method.lacks else None

    def unsuited(self, data: Data, ranker: Ranker) -> str | None:
        """Return why a ranker takes no part in a dataset; None where it does."""
        from mlsieve.data.generated.synthetic import KNOWN_RELEVANCE

        tasks = lookup("ranker", ranker.method).facts.tasks
        if self.task_of(data) not in tasks:
            return _not_for_labels(ranker.name, self.task_of(data))
        if self.measures_of(data) == ():
            return "no method applies: the study's measures are for labels with a hierarchy"
        if not ranker.needs or (not data.files and data.id in KNOWN_RELEVANCE):
            return None
        return f"{ranker.name} does not apply: the relevant features are not known"


def _not_for_labels(name: str, task: str) -> str:
    """Return why a method takes no part in a dataset with labels of the other kind."""
    why = (
        "without a hierarchy" if task == "mlc" else "with a hierarchy ('flatten: true' would make them flat)"
    )
    return f"{name} does not apply: it does not support labels {why}"


def with_shared_jobs(rankers: Iterable[Ranker], apart: Callable[[Ranker], Any]) -> list[Ranker]:
    """Return the rankers, in their order; those that differ in a method's fact ``varied`` alone share jobs.

    Parameters
    ----------
    rankers : iterable of Ranker
    apart : callable
        Function of a ranker whose value (JSON-serialisable) those of one job have in common.
    """
    found, groups = list(rankers), dict[str, list[tuple[int, str, str]]]()
    for place, ranker in enumerate(found):
        entry = lookup("ranker", ranker.method)
        varied = entry.facts.varied
        if varied and not ranker.sizes:
            rest = {name: value for name, value in ranker.settings.items() if name != varied}
            value = ranker.settings.get(varied, entry.parameters()[varied]["default"])
            key = short_hash(ranker.method, rest, ranker.select, apart(ranker))
            groups.setdefault(key, []).append((place, value, ranker.label))
    for group in groups.values():
        shared = tuple((value, label) for _, value, label in group)
        if 1 < len(group) == len({value for value, _ in shared}):
            for place, *_ in group:
                found[place] = replace(found[place], shared=shared)
    return found
