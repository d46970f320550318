"""The arguments of the commands that a study's rules run, asked for by wildcards alone.

Snakemake notices a changed value only so: a function that takes the input as well is not looked at.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

from mlsieve.rankers.tree_rankings import DEFAULT_METHOD
from mlsieve.registry import Entry, entries, lookup
from mlsieve.registry.plugins import plugin_options
from mlsieve.study.chains.entries import seed_name
from mlsieve.study.column_order import QUESTION
from mlsieve.study.content import Content
from mlsieve.study.inputs import Inputs
from mlsieve.study.parts import Data, Split, set_options


class Options:
    """Arguments of each rule's command."""

    def __init__(self, content: Content, inputs: Inputs) -> None:
        self._content, self._inputs = content, inputs

    def prepare(self, wildcards: Any) -> str:
        """Arguments of the prepare rule's command."""
        return self._content.datasets[wildcards.dataset].prepare_options()

    def discretise(self, wildcards: Any) -> str:
        """Arguments of the discretise rule's command."""
        method, _, _ = wildcards.discretization.rpartition("-")  # its version follows
        return f"--method {method} {self._split(wildcards)}"

    def grow(self, wildcards: Any) -> str:
        """Arguments of the grow rule's command."""
        ranker = self._content.ensembles[wildcards.ensemble]
        (seed,) = self._seeds(wildcards, ranker.ensemble, ranker.seed_number)
        words = _plugins(lookup("ranker", ranker.method))
        words += "" if ranker.method == DEFAULT_METHOD else f"--method {ranker.method} "
        words += f"--ensemble {ranker.ensemble} --trees {max(ranker.sizes)} --seed {seed} "
        words += "" if ranker.gathers else f"--scores {','.join(ranker.scores_without_out_of_bag)} "
        words += self._split(wildcards)
        return f"{words} {set_options(ranker.tree_settings)}".rstrip()

    def rank(self, wildcards: Any) -> str:
        """Arguments of the rank rule's command."""
        ranker = self._content.ranked[wildcards.ranker]
        words = _plugins(lookup("ranker", ranker.method), *filter(None, [ranker.chain]))
        if ranker.ensemble:
            words += f"--score {ranker.score} --trees {','.join(map(str, ranker.sizes))}"
        else:
            seeds = self._seeds(wildcards, ranker.method, ranker.seed_number)
            words += f"--method {ranker.method} --seed {','.join(map(str, seeds))} {self._split(wildcards)}"
            words += _cuts(self._inputs.rank_cuts(wildcards))
            words += f" --sizes {','.join(map(str, ranker.sizes))}" if ranker.sizes else ""
        if ranker.shared:
            values, labels = zip(*ranker.shared, strict=True)
            varied = lookup("ranker", ranker.method).facts.varied
            words += f" --vary {varied}={','.join(values)} --name {','.join(labels)}"
        elif ranker.given_name:
            words += f" --name {shlex.quote(ranker.given_name)}"
        if ranker.select is not None:
            words += f" --select {ranker.select}"
        return f"{words} {set_options(ranker.job_settings)}".rstrip()

    def predict(self, wildcards: Any) -> str:
        """Arguments of the predict rule's command."""
        evaluator = self._content.every_evaluator[wildcards.evaluator]
        words = _plugins(lookup("evaluator", evaluator.id), *self._method_of(wildcards))
        words += f"--evaluator {evaluator.id} {self._split(wildcards)}"
        words += _cuts(self._inputs.predict_cuts(wildcards))
        return f"{words} {set_options(evaluator.settings)}".rstrip()

    def score(self, wildcards: Any) -> str:
        """Arguments of the score rule's command."""
        return self._measures(self._content.datasets[wildcards.dataset])

    def evaluate(self, wildcards: Any) -> str:
        """Arguments of the evaluate rule's command."""
        return f"{self.predict(wildcards)} {self.score(wildcards)}"

    def tune(self, wildcards: Any) -> str:
        """Arguments of the tune rule's command."""
        point = self._content.points[wildcards.point]
        return f"{point.options} {self._of_chain(wildcards, point.method, point.registered)}"

    def chain(self, wildcards: Any) -> str:
        """Arguments of the chain rule's command."""
        method = self._content.chains[wildcards.chain]
        return f"{method.options} {self._of_chain(wildcards, method.id, method.registered)}"

    def _of_chain(self, wildcards: Any, method: str, registered: Iterable[str]) -> str:
        """Return what jobs of tuning and of testing say alike; their seed is that of `seed_name`."""
        (seed,) = self._seeds(wildcards, seed_name(method), 0)
        plugins = _plugins(*(lookup("chain", id) for id in registered))
        words = [f"{plugins}--seed {seed}", self._split(wildcards)]
        return " ".join([*words, self._measures(self._content.datasets[wildcards.dataset])])

    def column_order(self, wildcards: Any) -> str:
        """Arguments of the column_order rule's command."""
        order, split = self._content.column_order, self._content.column_order_split
        assert order is not None
        data = self._content.datasets[wildcards.dataset]
        evaluator = next(iter(self._content.evaluators.values()))
        trees = (seed for number in (0, 1) for seed in self._content.seeds_of(data, split, QUESTION, number))
        words = [order.options(trees), self._split_of(data, split), f"--evaluator {evaluator.id}"]
        words += [set_options(evaluator.settings), self._measures(data, order.measures)]
        return " ".join(filter(None, words))

    @property
    def worked(self) -> str:
        """Arguments of the worked rule's command."""
        wanted = self._content.worked_example
        if wanted is None:
            return ""
        words = f"--iterations {wanted.iterations}"
        features = ",".join(map(str, wanted.features))
        return words + (f" --features {features}" if features else "")

    @property
    def figures(self) -> str:
        """Arguments of ``mlsieve step figures`` that say what is shown."""
        keys = self._content.keys.figures
        shown = {"datasets": keys.datasets, "measures": keys.measures}
        return " ".join(f"--{name} {','.join(ids)}" for name, ids in shown.items() if ids)

    @property
    def figure_formats(self) -> str:
        """Argument of ``mlsieve step figures --formats``."""
        return ",".join(self._content.keys.figures.formats)

    @property
    def plugins(self) -> str:
        """Options of a summary's command that name every plugin of the study."""
        return plugin_options(self._content.plugins)

    def _method_of(self, wildcards: Any) -> list[Entry]:
        """Return the ranker of a job, if the job is one of a ranking: its facts say how it is evaluated."""
        key = getattr(wildcards, "ranker", None)
        known = self._content.ranked
        return [lookup("ranker", known[key].method)] if key in known else []

    def _split(self, wildcards: Any) -> str:
        data, split = self._content.datasets[wildcards.dataset], self._content.splits[wildcards.split]
        return self._split_of(data, split)

    def _split_of(self, data: Data, split: Split) -> str:
        entry = None if data.own else self._content.catalog.get(data.id)
        return split.options(data, seeded=entry is not None and not entry.has_official_split)

    def _seeds(self, wildcards: Any, name: str, number: int) -> list[int]:
        data, split = self._content.datasets[wildcards.dataset], self._content.splits[wildcards.split]
        return self._content.seeds_of(data, split, name, number)

    def _measures(self, data: Data, some: Iterable[str] | None = None) -> str:
        definition = self._content.keys.definition
        words = [] if definition is None else ["--definition", definition]
        measures = self._content.measures_of(data, some)
        words += () if measures is None else ("--measures", ",".join(measures))
        known = entries("measure").values()
        return " ".join(filter(None, [plugin_options(entry.origin for entry in known), *words]))


def _plugins(*methods: Entry) -> str:
    """Return the options that name the files of methods from outside the package, with a space after them."""
    words = plugin_options(method.origin for method in methods)
    return f"{words} " if words else ""


def _cuts(paths: Iterable[str]) -> str:
    return "".join(f" --cuts {shlex.quote(path)}" for path in paths)
