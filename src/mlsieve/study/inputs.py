"""What each job of a study reads, asked for by its wildcards alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlsieve.study.chains.entries import Point
from mlsieve.study.content import Content
from mlsieve.study.paths import Paths
from mlsieve.study.steps import STEPS


class Inputs:
    """Inputs of the jobs that do not follow from their paths."""

    def __init__(self, content: Content, paths: Paths) -> None:
        self._content, self._paths = content, paths

    def rank(self, wildcards: Any) -> str:
        """What a ranking is made of: the ensemble, or the prepared data."""
        ranker, dataset = self._content.ranked[wildcards.ranker], wildcards.dataset
        if not ranker.ensemble:
            return self._paths.of("prepare", dataset=dataset)
        return self._paths.of("grow", dataset=dataset, split=wildcards.split, ensemble=ranker.ensemble_key)

    def rank_cuts(self, wildcards: Any) -> list[str]:
        """The cuts of numeric features that a ranking needs besides; mostly none."""
        return self._cuts(wildcards, self._content.ranked[wildcards.ranker].discretization)

    def predict_cuts(self, wildcards: Any) -> list[str]:
        """The cuts of numeric features that an evaluator needs; mostly none."""
        return self._cuts(wildcards, self._content.every_evaluator[wildcards.evaluator].discretization)

    def points(self, wildcards: Any) -> list[str]:
        """The measured points of the grid from which a method's parameters are chosen; mostly none."""
        return self._tuned(wildcards, self._content.chains[wildcards.chain].read_points)

    def order_points(self, wildcards: Any) -> list[str]:
        """The measured points from which a method takes the order of the labels; mostly none."""
        return self._tuned(wildcards, self._content.chains[wildcards.chain].order_points)

    def _tuned(self, wildcards: Any, points: Iterable[Point]) -> list[str]:
        at = {name: getattr(wildcards, name) for name in ("dataset", "split", "scoring")}
        return [self._paths.of("tune", point=point.key, **at) for point in points]

    def _cuts(self, wildcards: Any, discretization: str | None) -> list[str]:
        if discretization is None:
            return []
        named = f"{discretization}-{STEPS['discretise'].version}"
        at = {"dataset": wildcards.dataset, "split": wildcards.split}
        return [self._paths.of("discretise", discretization=named, **at)]

    @property
    def worked(self) -> list[str]:
        """The dataset of the worked example; none in a study without one."""
        data = self._content.worked_data
        return [] if data is None else [self._paths.of("prepare", dataset=data.key)]
