"""All jobs of a study, in the order in which they lead to its tables of scores."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from types import SimpleNamespace

from mlsieve.rankers.tree_rankings import DEFAULT_METHOD
from mlsieve.study.chains.entries import ChainMethod
from mlsieve.study.content import Content
from mlsieve.study.inputs import Inputs
from mlsieve.study.options import Options
from mlsieve.study.parts import Data, Evaluator, Job, Split, first_unfinished, short_hash, versions_of
from mlsieve.study.paths import Paths
from mlsieve.study.rankers.entries import Ranker

Chain = tuple[Job, ...]


class Jobs:
    """The jobs of a study, and the files of theirs that its summaries read.

    Methods that take `datasets` go through these keys alone; default all in use. With `finished`, they go
    through the chains alone whose jobs are all done, judged by the files there.
    """

    def __init__(self, content: Content, paths: Paths, inputs: Inputs, options: Options) -> None:
        self._content, self._paths = content, paths
        self._inputs, self._options = inputs, options

    def all(self, datasets: Iterable[str] | None = None) -> list[Job]:
        """Return every job of all seeds once, in the order of `chains`."""
        return list({job.output: job for chain in self.every_chain(datasets) for job in chain}.values())

    def outputs(
        self, datasets: Iterable[str] | None = None, *, steps: Collection[str], finished: bool = False
    ) -> list[str]:
        """Return the outputs of all jobs of some steps; with `finished`, those that are there."""
        made = (job.output for job in self.all(datasets) if job.step in steps)
        return [output for output in made if not finished or os.path.isfile(output)]

    def every_chain(self, datasets: Iterable[str] | None = None) -> Iterator[Chain]:
        """Yield the chains of all seeds, then those of the column order."""
        keys = None if datasets is None else list(datasets)
        return itertools.chain(self.chains(keys, every_seed=True), self.column_order_chains(keys))

    def chains(
        self, datasets: Iterable[str] | None = None, *, every_seed: bool = False, finished: bool = False
    ) -> Iterator[Chain]:
        """Yield, for each table of scores, the jobs that lead to it, first to last.

        What a method that predicts label sets has found on a dataset is such a table, too.

        Parameters
        ----------
        datasets, finished
            As of the class.
        every_seed : bool
            Whether to go through all seeds of each ranker, not only the first.
        """
        keys = None if datasets is None else list(datasets)
        rankers = self._content.seeded_rankers if every_seed else self._content.rankers
        of_rankings = (
            tuple(self._chain(data, split, ranker, evaluator))
            for data in self._data(keys)
            for split in self._content.splits.values()
            for ranker in rankers.values()
            if not self._content.unsuited(data, ranker)
            for evaluator in self._content.evaluators_of(data, ranker)
        )
        predicting = (
            tuple(self._predicting(data, split, method))
            for data in self._data(keys)
            for split in self._content.splits.values()
            for method in self._content.chains.values()
            if not self._content.unsuited_chain(data, method)
        )
        return _done(itertools.chain(of_rankings, predicting), finished)

    def _predicting(self, data: Data, split: Split, method: ChainMethod) -> Iterator[Job]:
        """Yield the jobs that lead to what a method that predicts label sets has found, first to last."""
        at = {"dataset": data.key, "split": split.key, "scoring": self._content.scoring_of(data)}
        prepared = self._paths.of("prepare", **at)
        yield Job("prepare", data, None, None, prepared)
        points = dict.fromkeys((*method.read_points, *method.order_points))
        read = {point.key: self._paths.of("tune", point=point.key, **at) for point in points}
        for point in points:
            yield Job("tune", data, split, None, read[point.key], (prepared,), point=point)
        found = self._paths.of("chain", chain=method.key, **at)
        yield Job("chain", data, split, None, found, (prepared, *read.values()), chain=method)

    def _data(self, datasets: Iterable[str] | None) -> list[Data]:
        wanted = None if datasets is None else set(datasets)
        return [data for key, data in self._content.datasets.items() if wanted is None or key in wanted]

    def _chain(self, data: Data, split: Split, ranker: Ranker, evaluator: Evaluator) -> Iterator[Job]:
        """Yield the jobs that lead to one table of scores, first to last."""
        at = {
            "dataset": data.key,
            "split": split.key,
            "ensemble": ranker.ensemble_key if ranker.ensemble else "",
            "ranker": ranker.folder,
            "evaluator": evaluator.key,
            "scoring": self._content.scoring_of(data),
        }
        wildcards = SimpleNamespace(**at)
        prepared, ranking = self._paths.of("prepare", **at), self._paths.of("rank", **at)
        yield Job("prepare", data, None, None, prepared)
        of_ranker, of_evaluator = self._inputs.rank_cuts(wildcards), self._inputs.predict_cuts(wildcards)
        for cuts in dict.fromkeys((*of_ranker, *of_evaluator)):
            yield Job("discretise", data, split, None, cuts, (prepared,))
        source = self._inputs.rank(wildcards)
        if ranker.ensemble:
            yield Job("grow", data, split, ranker, source, (prepared,))
        yield Job("rank", data, split, ranker, ranking, (source, *of_ranker))
        read = (prepared, ranking, *of_evaluator)
        if split.together:
            yield Job("evaluate", data, split, ranker, self._paths.of("evaluate", **at), read, evaluator)
            return
        predictions = self._paths.of("predict", **at)
        yield Job("predict", data, split, ranker, predictions, read, evaluator)
        yield Job("score", data, split, ranker, self._paths.of("score", **at), (predictions,), evaluator)

    def column_order_chains(
        self, datasets: Iterable[str] | None = None, *, finished: bool = False
    ) -> Iterator[Chain]:
        """Yield, for each dataset whose columns are reversed, the jobs that lead to its table of effects."""
        return _done(self._column_order_chains(datasets), finished)

    def _column_order_chains(self, datasets: Iterable[str] | None) -> Iterator[Chain]:
        order = self._content.column_order
        if order is None:
            return
        split = self._content.column_order_split
        for data in self._data(datasets):
            if not order.includes(data.id) or self._content.measures_of(data, order.measures) == ():
                continue
            at = {"dataset": data.key, "split": split.key}
            prepared = self._paths.of("prepare", **at)
            evaluator = next(iter(self._content.evaluators))
            versions = versions_of("column_order", ranker=[DEFAULT_METHOD])
            versions |= self._content.measure_versions(data, order.measures)
            chosen = short_hash(self._options.column_order(SimpleNamespace(**at)), evaluator, versions)
            effects = self._paths.of("column_order", order=chosen, **at)
            yield (
                Job("prepare", data, None, None, prepared),
                Job("column_order", data, split, None, effects, (prepared,)),
            )

    def scores(self, datasets: Iterable[str] | None = None, **which: bool) -> list[str]:
        """Return the tables of scores; `which` as of `chains`."""
        return list(self.by_scores(datasets, **which))

    def by_scores(self, datasets: Iterable[str] | None = None, **which: bool) -> dict[str, list[Job]]:
        """Return the last jobs of the chains by their tables of scores, which rankings of one job share."""
        found: dict[str, list[Job]] = {}
        for *_, job in self.chains(datasets, **which):
            found.setdefault(job.output, []).append(job)
        return found

    def chain_records(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return what the methods that predict label sets have found."""
        found = (chain[-1] for chain in self.chains(datasets, finished=finished))
        return [job.output for job in found if job.step == "chain"]

    def column_orders(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the tables of effects of the column order."""
        return [chain[-1].output for chain in self.column_order_chains(datasets, finished=finished)]

    def first_rankings(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the rankings of the first seed."""
        return self._rankings(self.chains(datasets, finished=finished), lambda ranker: True)

    def seeded_rankings(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the rankings that are compared with those of other seeds."""
        chains = self.chains(datasets, every_seed=True, finished=finished)
        return self._rankings(chains, lambda ranker: ranker.random)

    def tree_rankings(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the rankings of ensembles at several sizes, of all seeds."""
        chains = self.chains(datasets, every_seed=True, finished=finished)
        return self._rankings(chains, lambda ranker: bool(ranker.ensemble) and len(ranker.sizes) > 1)

    @staticmethod
    def _rankings(chains: Iterable[Chain], chosen: Callable[[Ranker], bool]) -> list[str]:
        jobs = (job for chain in chains for job in chain if job.step == "rank")
        found = (job.output for job in jobs if job.ranker is not None and chosen(job.ranker))
        return list(dict.fromkeys(found))

    def prepared(self, datasets: Iterable[str] | None = None, *, finished: bool = False) -> list[str]:
        """Return the prepared datasets; with `finished`, those that are there."""
        files = [self._paths.of("prepare", dataset=data.key) for data in self._data(datasets)]
        return [file for file in files if os.path.isfile(file)] if finished else files


def _done(chains: Iterable[Chain], finished: bool) -> Iterator[Chain]:
    return (chain for chain in chains if not finished or first_unfinished(chain) is None)
