"""What a study asks of the order of its datasets' columns: the section ``analysis.column_order``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from mlsieve.costs.model import Cost, Task, features_tried, predicted
from mlsieve.rankers.tree_rankings import DEFAULT_METHOD
from mlsieve.registry import lookup
from mlsieve.registry.parameters import AtLeast, Schema
from mlsieve.schemas import NOT_EMPTY, Names, read
from mlsieve.study.rankers.entries import grows_out_of_bag

QUESTION = "column-order"
# Both rules of ties with two orders and a second seed; and their rankings, some of which are equal.
_GROWN, _EVALUATED_OF_SCORE = 6, 5
_SCORES = 3
_MEGABYTES_MORE = 80.0  # the evaluator's and the statistics' modules, beside those that grow


def _kinds_of_ensembles(schema: Schema) -> Schema:
    return {**schema, **NOT_EMPTY, "items": {"enum": list(lookup("ranker", DEFAULT_METHOD).ensembles)}}


def _kinds_of_scores(schema: Schema) -> Schema:
    return {**schema, **NOT_EMPTY, "items": {"enum": list(lookup("ranker", DEFAULT_METHOD).facts.scores)}}


@dataclass(frozen=True)
class ColumnOrder:
    """Which ensembles are grown on reversed columns, on which datasets, and what is measured."""

    trees: Annotated[int, AtLeast(1), "number of trees of each ensemble"] = 50
    ensembles: Annotated[tuple[str, ...] | None, _kinds_of_ensembles, "all by default"] = None
    scores: Annotated[tuple[str, ...] | None, _kinds_of_scores, "all by default"] = None
    measures: Annotated[
        tuple[Annotated[str, Names("measure")], ...] | None,
        NOT_EMPTY,
        "the measures of the study by default",
    ] = None
    datasets: Annotated[
        tuple[Annotated[str, Names("dataset of the study")], ...] | None,
        NOT_EMPTY,
        "all by default",
    ] = None

    @classmethod
    def of_analysis(cls, analysis: Mapping[str, Any] | None) -> ColumnOrder | None:
        """Return what the section ``analysis`` asks; None where it does not ask the question."""
        analysis = analysis or {}
        if QUESTION not in (analysis.get("questions") or ()):
            return None
        return read(cls, analysis.get("column_order") or {})

    def includes(self, dataset: str) -> bool:
        """Return whether a dataset, named by its id, takes part."""
        return self.datasets is None or dataset in self.datasets

    def options(self, seeds: Iterable[int]) -> str:
        """Return the arguments of ``mlsieve step column-order`` that say what is grown."""
        words = f"--trees {self.trees} --seeds {','.join(map(str, seeds))}"
        for name in ("ensembles", "scores"):
            chosen = getattr(self, name)
            words += "" if chosen is None else f" --{name} {','.join(chosen)}"
        return words

    def cost(self, grow: Task, predict: Task, score: Task) -> Cost:
        """Return what a dataset's job is expected to cost.

        Parameters
        ----------
        grow, predict, score : Task
            Jobs on the dataset, of any ensemble and evaluator; their trees and sizes do not matter.
        """
        from mlsieve.trees.options import ENSEMBLES

        kinds = self.ensembles or ENSEMBLES
        grown = [predicted(_ensemble(grow, kind, self.trees)) for kind in kinds]
        sizes = _EVALUATED_OF_SCORE * sum(
            (len(self.scores) if self.scores else _SCORES) - (not grows_out_of_bag(DEFAULT_METHOD, kind, {}))
            for kind in kinds
        )
        used = [predicted(replace(task, sizes=max(1, sizes))) for task in (predict, score)]
        start = predicted(replace(grow, trees=0, bootstrap=False)).minutes  # of a job that reads the data
        minutes = (
            start + _GROWN * sum(cost.minutes - start for cost in grown) + sum(cost.minutes for cost in used)
        )
        return Cost(minutes, _MEGABYTES_MORE + max(cost.megabytes for cost in (*grown, *used)), 0.2)


def _ensemble(task: Task, kind: str, trees: int) -> Task:
    return replace(
        task,
        trees=trees,
        tried=features_tried(kind, None, task.n_features),
        bootstrap=grows_out_of_bag(DEFAULT_METHOD, kind, {}),
    )
