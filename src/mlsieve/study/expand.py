"""A study's merged configuration expanded into jobs, paths and parameters, asked for by wildcards alone."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from mlsieve.registry import entries, lookup
from mlsieve.seeds import derive_seed
from mlsieve.study.estimates import counts_of, estimate
from mlsieve.study.parts import (
    OWN_FILES,
    Data,
    Evaluator,
    Job,
    Ranker,
    Split,
    beside,
    expand_rankers,
    first_unfinished,
    left_out,
    set_options,
    short_hash,
)

# Raised when the results of a step without a registered method change.
STEP_VERSIONS = {
    "acquire": 1,
    "prepare": 1,
    "collect": 3,
    "stability": 3,
    "compare": 4,
    "figures": 3,
    "report": 5,
}

# The one place that decides where a job's output lies; its log and its benchmark lie beside it.
LAYOUT = {
    "prepare": "{dataset}/data.npz",
    "grow": "{dataset}/{split}/{ensemble}/ensemble.npz",
    "rank": "{dataset}/{split}/{ranker}/rankings.npz",
    "predict": "{dataset}/{split}/{ranker}/{evaluator}/votes.npz",
    "score": "{dataset}/{split}/{ranker}/{evaluator}/{scoring}.csv",
}


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
    """

    def __init__(
        self, configuration: Mapping[str, Any], cache: str = "results/cache", results: str = "results"
    ) -> None:
        self.configuration = dict(configuration)
        self.cache, self.name = cache.rstrip("/"), configuration["study"]
        self.folder = f"{results}/{self.name}"
        self.seed = int(configuration.get("seed", 0))

    # What the study consists of

    @cached_property
    def datasets(self) -> dict[str, Data]:
        """Data sets in use by their key, in the study's order."""
        left_out = self.left_out
        found = [
            Data(item)
            if isinstance(item, str)
            else Data(item["id"], {k: v for k, v in item.items() if k != "id"})
            for item in self.configuration["datasets"]
        ]
        return {data.key: data for data in found if data.id not in left_out}

    @cached_property
    def catalog(self) -> Mapping[str, Any]:
        """Catalog entries by id, the study's own among them."""
        from mlsieve.data.catalog import catalog

        own = [item for item in self.configuration["datasets"] if not isinstance(item, str)]
        return catalog(inline=own)

    @property
    def asks_for_data(self) -> bool:
        """Whether some data set may turn out to be missing: neither embedded nor files that are there."""
        return any(
            not all(map(os.path.isfile, self.own_files(data)))
            if data.files
            else self.catalog[data.id].format != "embedded"
            for data in self.datasets.values()
        )

    def own_files(self, data: Data) -> list[str]:
        """Return the paths of the user's own data set; none for a set of the catalog."""
        return [str(data.files[role]) for role in OWN_FILES if data.files.get(role)]

    def available(self, table: str | os.PathLike[str]) -> list[str]:
        """Return the keys of the data sets that the acquire step found, from its table."""
        with open(table, encoding="utf-8", newline="") as stream:
            found = {row["dataset"] for row in csv.DictReader(stream)}
        return [key for key, data in self.datasets.items() if data.id in found]

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Reason for each data set that the configuration itself leaves out."""
        return left_out(self.configuration)

    @cached_property
    def splits(self) -> dict[str, Split]:
        """Splits by their key."""
        split = self.configuration.get("split", {})
        kind, repeats = split.get("kind", "official"), split.get("repeats", 1)
        return {item.key: item for item in (Split(kind, repeat, self.seed) for repeat in range(repeats))}

    @cached_property
    def rankers(self) -> dict[str, Ranker]:
        """Rankers by their key, each with its first seed: what the study's questions are about."""
        return {ranker.key: ranker for ranker in expand_rankers(self.configuration["methods"])}

    @property
    def seeds(self) -> int:
        """Number of seeds with which every method that uses one ranks each data set."""
        return int(self.configuration.get("stability", {}).get("seeds", 1))

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
    def ensembles(self) -> dict[str, Ranker]:
        """For each ensemble's key, one of the rankers that read it."""
        return {ranker.ensemble_key: ranker for ranker in self.seeded_rankers.values() if ranker.ensemble}

    @cached_property
    def evaluators(self) -> dict[str, Evaluator]:
        """Evaluators by their key."""
        found = [
            Evaluator(item["id"], dict(item.get("params", {}))) for item in self.configuration["evaluators"]
        ]
        return {evaluator.key: evaluator for evaluator in found}

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Ids of the measures, in the configuration's order."""
        chosen = self.configuration.get("measures", "all")
        return tuple(entries("measure")) if chosen == "all" else tuple(chosen)

    @cached_property
    def scoring(self) -> str:
        """Name of the files of scores: the definition and a hash of the measures."""
        definition = self.configuration.get("definition", "clus")
        return f"{definition}-{short_hash(definition, sorted(self.measures))}"

    def unsuited(self, data: Data, ranker: Ranker) -> str | None:
        """Return why a ranker takes no part in a data set; None where it does."""
        from mlsieve.data.synthetic import KNOWN_RELEVANCE

        if not ranker.needs or (not data.files and data.id in KNOWN_RELEVANCE):
            return None
        return f"{ranker.name} takes no part: the relevant features are not known"

    # Where things lie

    def path(self, step: str, **wildcards: str) -> str:
        """Return a step's output; wildcards that are not given stay in braces, as in a rule's `output`."""
        pattern = LAYOUT[step]
        names = ("dataset", "split", "ensemble", "ranker", "evaluator", "scoring")
        return f"{self.cache}/" + pattern.format(
            **{name: wildcards.get(name, f"{{{name}}}") for name in names}
        )

    def log(self, step: str) -> str:
        """Pattern of a step's log."""
        return beside(self.path(step), step, ".log")

    def benchmark(self, step: str) -> str:
        """Pattern of a step's benchmark table."""
        return beside(self.path(step), step, ".tsv")

    def table(self, name: str) -> str:
        """Path of a file of the study's own folder."""
        return f"{self.folder}/{name}"

    # What the rules ask for, by wildcards alone

    def rank_input(self, wildcards: Any) -> str:
        """What a ranking is made of: the ensemble, or the prepared data."""
        ranker = self.seeded_rankers[wildcards.ranker]
        if ranker.ensemble:
            return self.path(
                "grow", dataset=wildcards.dataset, split=wildcards.split, ensemble=ranker.ensemble_key
            )
        return self.path("prepare", dataset=wildcards.dataset)

    def prepare_input(self, wildcards: Any) -> list[str]:
        """The user's own files; a set of the catalog is known by its checksum instead."""
        return self.own_files(self.datasets[wildcards.dataset])

    def prepare_options(self, wildcards: Any) -> str:
        """Arguments of the prepare rule's command."""
        return self.datasets[wildcards.dataset].prepare_options()

    def grow_options(self, wildcards: Any) -> str:
        """Arguments of the grow rule's command."""
        ranker, split = self.ensembles[wildcards.ensemble], self.splits[wildcards.split]
        seed = self.seed_of(wildcards, ranker.ensemble, ranker.seed_number)
        words = f"--ensemble {ranker.ensemble} --trees {max(ranker.sizes)} --seed {seed} "
        words += split.options(self.datasets[wildcards.dataset])
        return f"{words} {set_options(ranker.tree_settings)}".rstrip()

    def rank_options(self, wildcards: Any) -> str:
        """Arguments of the rank rule's command."""
        ranker = self.seeded_rankers[wildcards.ranker]
        if ranker.ensemble:
            words = f"--score {ranker.score} --trees {','.join(map(str, ranker.sizes))}"
        else:
            split = self.splits[wildcards.split]
            seed = self.seed_of(wildcards, ranker.method, ranker.seed_number)
            words = (
                f"--method {ranker.method} --seed {seed} {split.options(self.datasets[wildcards.dataset])}"
            )
        return f"{words} {set_options(ranker.settings)}".rstrip()

    def predict_options(self, wildcards: Any) -> str:
        """Arguments of the predict rule's command."""
        evaluator, split = self.evaluators[wildcards.evaluator], self.splits[wildcards.split]
        words = f"--evaluator {evaluator.id} {split.options(self.datasets[wildcards.dataset])}"
        return f"{words} {set_options(evaluator.settings)}".rstrip()

    def score_options(self, wildcards: Any) -> str:
        """Arguments of the score rule's command."""
        words = f"--definition {self.configuration.get('definition', 'clus')}"
        if self.configuration.get("measures", "all") != "all":
            words += f" --measures {','.join(self.measures)}"
        return words

    def grow_version(self, wildcards: Any) -> int:
        """Version of the method whose ensemble is grown."""
        return self.ensembles[wildcards.ensemble].version

    def rank_version(self, wildcards: Any) -> int:
        """Version of the ranking method."""
        return self.seeded_rankers[wildcards.ranker].version

    def predict_version(self, wildcards: Any) -> int:
        """Version of the evaluator."""
        return lookup("evaluator", self.evaluators[wildcards.evaluator].id).version

    def score_version(self, wildcards: Any) -> str:
        """Versions of the measures."""
        known = entries("measure")
        return ",".join(f"{name}:{known[name].version}" for name in self.measures)

    def seed_of(self, wildcards: Any, name: str, number: int = 0) -> int:
        """Seed of an ensemble or method: a hash of (study seed, data set, split, its name).

        The first seed, number 0, is the same however many there are; the hash of others has their number too.
        """
        data, split = self.datasets[wildcards.dataset], self.splits[wildcards.split]
        names = [data.id, f"{split.kind}-{split.repeat}", name, *([f"seed-{number}"] if number else [])]
        return derive_seed(self.seed, *names)

    def step_version(self, step: str) -> int:
        """Version of a step that has no registered method."""
        return STEP_VERSIONS[step]

    @property
    def figure_formats(self) -> str:
        """Argument of ``mlsieve figures --formats``."""
        return ",".join(self.configuration.get("figures", {}).get("formats", ["svg", "pdf"]))

    # What a job may use

    def estimate(self, step: str, wildcards: Any) -> tuple[float, float]:
        """Return (minutes, megabytes) of a job on one core."""
        counts = counts_of(self.catalog.get(self.datasets[wildcards.dataset].id))
        if step == "grow":
            return estimate(step, counts, self.ensembles[wildcards.ensemble])
        has_ranker = step in {"rank", "predict", "score"}
        return estimate(step, counts, self.seeded_rankers[wildcards.ranker] if has_ranker else None)

    def memory(self, step: str) -> Callable[..., int]:
        """Megabytes of a rule's jobs; doubled at each new attempt."""
        return lambda wildcards, attempt: math.ceil(self.estimate(step, wildcards)[1]) * 2 ** (attempt - 1)

    def minutes(self, step: str) -> Callable[..., int]:
        """Minutes of a rule's jobs, four times the estimate and at least ten; doubled at each new attempt."""
        return lambda wildcards, attempt: (
            max(10, math.ceil(4 * self.estimate(step, wildcards)[0])) * 2 ** (attempt - 1)
        )

    def threads(self, step: str) -> Callable[..., int]:
        """Threads of a rule's jobs: one while other jobs can fill the cores, four for an hour's work."""
        return lambda wildcards: 4 if self.estimate(step, wildcards)[0] > 15 else 1

    # All jobs

    def chains(
        self, datasets: Iterable[str] | None = None, *, every_seed: bool = False
    ) -> Iterator[tuple[Job, ...]]:
        """Yield, for each table of scores, the jobs that lead to it, first to last.

        Parameters
        ----------
        datasets : iterable of str, optional
            Keys of the data sets; default all in use.
        every_seed : bool
            Whether to go through all seeds of each ranker, not only the first.
        """
        keys = (
            list(self.datasets)
            if datasets is None
            else [key for key in self.datasets if key in set(datasets)]
        )
        for dataset in keys:
            data = self.datasets[dataset]
            for split_key, split in self.splits.items():
                for ranker_key, ranker in (self.seeded_rankers if every_seed else self.rankers).items():
                    if self.unsuited(data, ranker):
                        continue
                    for evaluator in self.evaluators:
                        wildcards = {
                            "dataset": dataset,
                            "split": split_key,
                            "ranker": ranker_key,
                            "evaluator": evaluator,
                            "scoring": self.scoring,
                        }
                        steps = ["prepare", "rank", "predict", "score"]
                        if ranker.ensemble:
                            wildcards["ensemble"] = ranker.ensemble_key
                            steps.insert(1, "grow")
                        yield tuple(
                            Job(
                                step,
                                data,
                                None if step == "prepare" else split,
                                None if step == "prepare" else ranker,
                                self.path(step, **wildcards),
                            )
                            for step in steps
                        )

    def jobs(self, datasets: Iterable[str] | None = None) -> list[Job]:
        """Return every job of the given data sets and of all seeds once, in the order of `chains`."""
        found = {job.output: job for chain in self.chains(datasets, every_seed=True) for job in chain}
        return list(found.values())

    def score_files(
        self, datasets: Iterable[str] | None = None, *, every_seed: bool = False, finished: bool = False
    ) -> list[str]:
        """Return the tables of scores of the first or of every seed.

        Parameters
        ----------
        datasets, every_seed
            As for `chains`.
        finished : bool
            Whether to take only those whose whole chain of jobs is done, judged by the files there.
        """
        chains = self.chains(datasets, every_seed=every_seed)
        return [chain[-1].output for chain in chains if not finished or first_unfinished(chain) is None]

    def seeded_rankings(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the rankings that are compared with those of other seeds; arguments as of `score_files`."""
        found = {
            job.output: None
            for chain in self.chains(datasets, every_seed=True)
            if not finished or first_unfinished(chain) is None
            for job in chain
            if job.step == "rank" and job.ranker is not None and job.ranker.random
        }
        return list(found)

    @property
    def tables_of_seeds(self) -> list[str]:
        """The table that compares the seeds; none where there is one seed."""
        return [self.table("stability.csv")] if self.seeds > 1 else []
