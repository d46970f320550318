"""A study's merged configuration expanded into jobs, paths and parameters, asked for by wildcards alone."""

from __future__ import annotations

import dataclasses
import itertools
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from mlsieve.costs import Cost
from mlsieve.seeds import derive_seed
from mlsieve.study.column_order import QUESTION
from mlsieve.study.needs import Needs, megabytes_asked, minutes_asked
from mlsieve.study.parts import (
    Data,
    Evaluator,
    Job,
    Ranker,
    Split,
    beside,
    first_unfinished,
    set_options,
    short_hash,
)
from mlsieve.study.steps import STEPS


class Study(Needs):
    """A valid merged configuration, expanded; parameters as of `mlsieve.study.content.Content`."""

    # Where things lie

    def path(self, step: str, **wildcards: str) -> str:
        """Return a step's output; wildcards that are not given stay in braces, as in a rule's `output`."""
        given = {name: wildcards.get(name, f"{{{name}}}") for name in STEPS[step].wildcards}
        return f"{self.cache}/{STEPS[step].output.format(**given)}"

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

    def rank_cuts(self, wildcards: Any) -> list[str]:
        """The cuts of numeric features that a ranking needs besides; mostly none."""
        return self._cuts(wildcards, self.seeded_rankers[wildcards.ranker].discretization)

    def predict_cuts(self, wildcards: Any) -> list[str]:
        """The cuts of numeric features that an evaluator needs; mostly none."""
        return self._cuts(wildcards, self.every_evaluator[wildcards.evaluator].discretization)

    def _cuts(self, wildcards: Any, discretization: str | None) -> list[str]:
        if discretization is None:
            return []
        at = {"dataset": wildcards.dataset, "split": wildcards.split}
        return [self.path("discretise", discretization=discretization, **at)]

    def discretise_options(self, wildcards: Any) -> str:
        """Arguments of the discretise rule's command."""
        split = self.splits[wildcards.split]
        return f"--method {wildcards.discretization} {split.options(self.datasets[wildcards.dataset])}"

    def prepare_input(self, wildcards: Any) -> list[str]:
        """The user's own files; a file of the catalog without a path is known by its checksum instead."""
        return self.own_files(self.datasets[wildcards.dataset])

    def prepare_options(self, wildcards: Any) -> str:
        """Arguments of the prepare rule's command."""
        return self.datasets[wildcards.dataset].prepare_options()

    def grow_options(self, wildcards: Any) -> str:
        """Arguments of the grow rule's command."""
        ranker, split = self.ensembles[wildcards.ensemble], self.splits[wildcards.split]
        (seed,) = self.seeds_of(wildcards, ranker.ensemble, ranker.seed_number)
        words = f"--ensemble {ranker.ensemble} --trees {max(ranker.sizes)} --seed {seed} "
        words += split.options(self.datasets[wildcards.dataset])
        return f"{words} {set_options(ranker.tree_settings)}".rstrip()

    def rank_options(self, wildcards: Any) -> str:
        """Arguments of the rank rule's command."""
        ranker = self.seeded_rankers[wildcards.ranker]
        if ranker.ensemble:
            words = f"--score {ranker.score} --trees {','.join(map(str, ranker.sizes))}"
        else:
            split = self.splits[wildcards.split].options(self.datasets[wildcards.dataset])
            seeds = self.seeds_of(wildcards, ranker.method, ranker.seed_number)
            words = f"--method {ranker.method} --seed {','.join(map(str, seeds))} {split}"
            words += "".join(f" --cuts {shlex.quote(path)}" for path in self.rank_cuts(wildcards))
            words += f" --sizes {','.join(map(str, ranker.sizes))}" if ranker.sizes else ""
        if ranker.given_name:
            words += f" --name {shlex.quote(ranker.given_name)}"
        if ranker.select is not None:
            words += f" --select {ranker.select}"
        return f"{words} {set_options(ranker.settings)}".rstrip()

    def predict_options(self, wildcards: Any) -> str:
        """Arguments of the predict rule's command."""
        evaluator, split = self.every_evaluator[wildcards.evaluator], self.splits[wildcards.split]
        words = f"--evaluator {evaluator.id} {split.options(self.datasets[wildcards.dataset])}"
        words += "".join(f" --cuts {shlex.quote(path)}" for path in self.predict_cuts(wildcards))
        return f"{words} {set_options(evaluator.settings)}".rstrip()

    @property
    def worked_data(self) -> Data | None:
        """The data set on which the analysis wants selectors to be worked out step by step; mostly none."""
        wanted = (self.configuration.get("analysis") or {}).get("worked_example") or {}
        return next((data for data in self.datasets.values() if data.id == wanted.get("dataset")), None)

    @property
    def worked_input(self) -> list[str]:
        """What the worked example is made of."""
        return [self.path("prepare", dataset=self.worked_data.key)] if self.worked_data else []

    @property
    def worked_failed(self) -> bool:
        """Whether the last try to make the worked example left no table, or an older one."""
        table, log = self.table("worked.csv"), self.table("logs/worked.log")
        if not os.path.isfile(log):
            return False
        return not os.path.isfile(table) or os.stat(table).st_mtime < os.stat(log).st_mtime

    @property
    def worked_options(self) -> str:
        """Arguments of the worked rule's command."""
        wanted = (self.configuration.get("analysis") or {}).get("worked_example") or {}
        words = f"--iterations {wanted.get('iterations', 2)}"
        features = ",".join(map(str, wanted.get("features", ())))
        return words + (f" --features {features}" if features else "")

    def score_options(self, wildcards: Any) -> str:
        """Arguments of the score rule's command."""
        return self._score_words(self.datasets[wildcards.dataset])

    def _score_words(self, data: Data, some: Iterable[str] | None = None) -> str:
        definition = self.configuration.get("definition")
        words = [] if definition is None else ["--definition", definition]
        measures = self.measures_of(data, some)
        return " ".join([*words, *(() if measures is None else ("--measures", ",".join(measures)))])

    def column_order_options(self, wildcards: Any) -> str:
        """Arguments of the column_order rule's command."""
        return self._order_words(self.datasets[wildcards.dataset])

    def _order_words(self, data: Data) -> str:
        order, split = self.column_order, self.column_order_split
        assert order is not None
        evaluator = next(iter(self.evaluators.values()))
        trees = (seed for number in (0, 1) for seed in self._seeds(data, split, QUESTION, number))
        words = [order.options(trees), split.options(data), f"--evaluator {evaluator.id}"]
        words += [set_options(evaluator.settings), self._score_words(data, order.measures)]
        return " ".join(filter(None, words))

    def evaluate_options(self, wildcards: Any) -> str:
        """Arguments of the evaluate rule's command."""
        return f"{self.predict_options(wildcards)} {self.score_options(wildcards)}"

    def seeds_of(self, wildcards: Any, name: str, number: int = 0) -> list[int]:
        """Seeds of an ensemble or method, one for each split of the job.

        A hash of (study seed, data set, split, its name). The first seed, number 0, is the same however many
        there are; the hash of others has their number too.
        """
        data, split = self.datasets[wildcards.dataset], self.splits[wildcards.split]
        return self._seeds(data, split, name, number)

    def _seeds(self, data: Data, split: Split, name: str, number: int) -> list[int]:
        more = [f"seed-{number}"] if number else []
        return [
            derive_seed(self.seed, data.id, f"{split.kind}-{repeat}", name, *more) for repeat in split.repeats
        ]

    @property
    def figure_formats(self) -> str:
        """Argument of ``mlsieve figures --formats``."""
        return ",".join(self.configuration.get("figures", {}).get("formats", ["svg", "pdf"]))

    @property
    def figure_options(self) -> str:
        """Arguments of ``mlsieve figures`` that say what is shown."""
        section = self.configuration.get("figures", {})
        words = [
            f"--{name} {','.join(section[name])}" for name in ("datasets", "measures") if section.get(name)
        ]
        return " ".join(words)

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
            for split in self.splits.values():
                for ranker in (self.seeded_rankers if every_seed else self.rankers).values():
                    if self.unsuited(data, ranker):
                        continue
                    for evaluator in self.evaluators_of(data, ranker):
                        yield tuple(self._chain(data, split, ranker, evaluator))

    def _chain(self, data: Data, split: Split, ranker: Ranker, evaluator: Evaluator) -> Iterator[Job]:
        """Yield the jobs that lead to one table of scores, first to last."""
        at = {"dataset": data.key, "split": split.key}
        ranked = {**at, "ranker": ranker.key}
        scored = {**ranked, "evaluator": evaluator.key, "scoring": self.scoring}
        prepared = self.path("prepare", **at)
        yield Job("prepare", data, None, None, prepared)
        cuts: dict[str | None, str] = {}
        for discretization in (ranker.discretization, evaluator.discretization):
            if discretization is not None and discretization not in cuts:
                cuts[discretization] = self.path("discretise", discretization=discretization, **at)
                yield Job("discretise", data, split, None, cuts[discretization], (prepared,))
        source = prepared
        if ranker.ensemble:
            source = self.path("grow", ensemble=ranker.ensemble_key, **at)
            yield Job("grow", data, split, ranker, source, (prepared,))
        needed = [cuts[name] for name in cuts if name == ranker.discretization]
        ranking = self.path("rank", **ranked)
        yield Job("rank", data, split, ranker, ranking, (source, *needed))
        needed = [prepared, ranking, *(cuts[name] for name in cuts if name == evaluator.discretization)]
        if split.together:
            yield Job(
                "evaluate", data, split, ranker, self.path("evaluate", **scored), tuple(needed), evaluator
            )
            return
        votes = self.path("predict", **scored)
        yield Job("predict", data, split, ranker, votes, tuple(needed), evaluator)
        yield Job("score", data, split, ranker, self.path("score", **scored), (votes,), evaluator)

    def jobs(self, datasets: Iterable[str] | None = None) -> list[Job]:
        """Return every job of the given data sets and of all seeds once, in the order of `chains`."""
        chains = itertools.chain(self.chains(datasets, every_seed=True), self.column_order_chains(datasets))
        return list({job.output: job for chain in chains for job in chain}.values())

    @property
    def column_order_split(self) -> Split:
        """The split on which the order of the columns is tried: the first."""
        split = next(iter(self.splits.values()))
        return dataclasses.replace(split, repeats=split.repeats[:1])

    def column_order_chains(self, datasets: Iterable[str] | None = None) -> Iterator[tuple[Job, ...]]:
        """Yield, for each dataset whose columns are reversed, the jobs that lead to the table of the effects.

        Parameters
        ----------
        datasets : iterable of str, optional
            Keys of the datasets; default all in use.
        """
        order, wanted = self.column_order, None if datasets is None else set(datasets)
        if order is None:
            return
        for key, data in self.datasets.items():
            left = wanted is not None and key not in wanted
            if left or not order.includes(data.id) or self.measures_of(data, order.measures) == ():
                continue
            at = {"dataset": key, "split": self.column_order_split.key}
            prepared = self.path("prepare", **at)
            made = self.path("column_order", order=short_hash(self._order_words(data)), **at)
            yield (
                Job("prepare", data, None, None, prepared),
                Job("column_order", data, self.column_order_split, None, made, (prepared,)),
            )

    def column_order_files(
        self, datasets: Iterable[str] | None = None, *, finished: bool = False
    ) -> list[str]:
        """Return the tables of effects of the column order; arguments as of `score_files`."""
        chains = self.column_order_chains(datasets)
        return [chain[-1].output for chain in chains if not finished or first_unfinished(chain) is None]

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

    def first_rankings(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the rankings of the first seed; arguments as of `score_files`."""
        found = {
            job.output: None
            for chain in self.chains(datasets)
            if not finished or first_unfinished(chain) is None
            for job in chain
            if job.step == "rank"
        }
        return list(found)

    def tree_rankings(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the rankings of ensembles at several sizes, of all seeds; arguments as of `score_files`."""
        found = {
            job.output: None
            for chain in self.chains(datasets, every_seed=True)
            if not finished or first_unfinished(chain) is None
            for job in chain
            if job.step == "rank" and job.ranker is not None
            if job.ranker.ensemble and len(job.ranker.sizes) > 1
        }
        return list(found)

    def asks(self, question: str) -> bool:
        """Return whether the analysis asks a question that needs a step of its own."""
        return question in ((self.configuration.get("analysis") or {}).get("questions") or ())

    @property
    def described(self) -> dict[str, str]:
        """Option of ``mlsieve compare`` with the table of data sets; mostly none."""
        return {"datasets": self.table("datasets.csv")} if self.asks("candidates") else {}

    @property
    def compared_tables(self) -> dict[str, str]:
        """Options of ``mlsieve compare`` with the tables that only some questions read."""
        counted = {"rankings": self.table("rankings.csv")} if self.asks("efficiency") else {}
        return {**self.described, **counted}

    @property
    def convergences(self) -> list[str]:
        """The tables of how the order of the features settles, by dataset and on average; mostly none."""
        names = ("convergence.csv", "convergence_means.csv")
        return [self.table(name) for name in names] if self.asks("convergence") else []

    @property
    def similarities(self) -> list[str]:
        """The tables of how alike rankings are, by all and by the first features; mostly none."""
        names = ("similarity.csv", "similarity_curves.csv")
        return [self.table(name) for name in names] if self.asks("similarity") else []

    @property
    def column_order_tables(self) -> list[str]:
        """The tables of what the order of the columns changes, over the datasets; mostly none."""
        names = (".csv", "_summary.csv", "_tests.csv", "_findings.json")
        return [] if self.column_order is None else [self.table(f"column_order{name}") for name in names]

    @property
    def figure_tables(self) -> dict[str, str]:
        """Options of ``mlsieve figures`` with the tables that only some studies draw."""
        found = {
            name: self.table(f"{name}.csv") for name in ("rankings", "timings") if self.asks("efficiency")
        }
        found |= dict(zip(("similarity", "curves"), self.similarities, strict=False))
        return found | ({"convergence": self.convergences[1]} if self.convergences else {})

    def memory_of_summary(self, step: str) -> Callable[..., int]:
        """Megabytes of a rule that joins the study's tables, from `mlsieve.study.needs.megabytes_asked`."""
        return lambda wildcards, attempt: megabytes_asked(self._of_summary(step), attempt)

    def minutes_of_summary(self, step: str) -> Callable[..., int]:
        """Minutes of a rule that joins the study's tables, from `mlsieve.study.needs.minutes_asked`."""
        return lambda wildcards, attempt: minutes_asked(self._of_summary(step), attempt)

    def _of_summary(self, step: str) -> Cost:
        of_datasets = STEPS[step].inputs == "datasets"
        return STEPS[step].cost(len(self.datasets) if of_datasets else self._n_tables)

    @cached_property
    def _n_tables(self) -> int:
        return len(self.score_files(every_seed=True))

    @property
    def tables_of_seeds(self) -> list[str]:
        """The table that compares the seeds; none where there is one seed."""
        return [self.table("stability.csv")] if self.seeds > 1 else []
