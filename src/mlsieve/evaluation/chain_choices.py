"""Which parameters a method of a study is tested with, from the points of grids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError
from mlsieve.evaluation.chain_tuning import TunedPoint, best_point
from mlsieve.evaluation.chains import ChainMethod
from mlsieve.measures import Measure

DEFAULT_MEASURE = "f1"


@dataclass(frozen=True)
class Tuning:
    """The points from which parameters are chosen.

    Attributes
    ----------
    points : sequence of TunedPoint
        In the order of the grid.
    measures : sequence of Measure
        Each chooses for itself.
    names : sequence of str, or None
        With points of another method: the parameters whose values are taken. None: the points are the
        method's own, and all their settings are taken.
    tuned_as : mapping
        With points of another method: the parameters of prediction of the variant that counts.
    """

    points: Sequence[TunedPoint]
    measures: Sequence[Measure]
    names: Sequence[str] | None = None
    tuned_as: Mapping[str, Any] = field(default_factory=dict)

    @property
    def of_own_grid(self) -> bool:
        """Whether the points are the method's own."""
        return self.names is None

    def best(self, params: Mapping[str, Any], measure: Measure) -> int:
        """Return the index of the point that a measure chooses for a variant with these parameters."""
        return best_point(self.points, params if self.of_own_grid else self.tuned_as, measure)

    def settings(self, params: Mapping[str, Any], measure: Measure) -> dict[str, Any]:
        """Return the parameters that a measure chooses for a variant with these parameters of prediction."""
        found = self.points[self.best(params, measure)].settings
        return {name: found[name] for name in (found if self.names is None else self.names) if name in found}


def require_points(
    points: Sequence[TunedPoint],
    dataset: Dataset,
    split: str,
    repeat: int,
    *,
    method: ChainMethod | None = None,
) -> None:
    """Raise a UserError unless points are of one method and of the same split of a dataset.

    Parameters
    ----------
    points : sequence of TunedPoint
    dataset : Dataset
    split : str
    repeat : int
    method : ChainMethod, optional
        Whose points they must be, with its settings.
    """
    for point in points:
        if (point.dataset, point.split, point.repeat) != (dataset.name, split, repeat):
            raise UserError(
                f"a point of a grid is of dataset '{point.dataset}', split {point.split}, repeat"
                f" {point.repeat}, not of '{dataset.name}', {split}, {repeat}",
                hint="give points of the same split",
            )
        wanted = points[0].method if method is None else method.entry.id
        if point.method != wanted:
            raise UserError(
                f"a point of a grid is of the method '{point.method}', not '{wanted}'",
                hint="name with --choose the parameters that are taken from another method",
            )
        fixed = {} if method is None else method.settings
        for name, value in fixed.items():
            if point.settings.get(name) != value:
                raise UserError(
                    f"a point of the grid has {name} = {point.settings.get(name)}, not {value}",
                    hint="give points that were fitted with the same --set, or name what they have with"
                    " --tuned-at",
                )


def mean_order(points: Sequence[TunedPoint], params: Mapping[str, Any], measures: Sequence[Measure]) -> str:
    """Return the labels by their mean position in the predictions of the best point, as ``2:0:1``.

    Parameters
    ----------
    points : sequence of TunedPoint
        Of a method with a chain.
    params : mapping
        Parameters of prediction of the variant that counts.
    measures : sequence of Measure
        The one called f1 chooses the point, or the first one.

    Raises
    ------
    UserError
        If the method has no chain.
    """
    by_f1 = [measure for measure in measures if measure.id == DEFAULT_MEASURE]
    point = points[best_point(points, params, (by_f1 or list(measures))[0])]
    variant = point.values(params)
    if variant is None or variant.positions is None:
        raise UserError(
            f"'{point.method}' sets all labels at once, and has no order", hint="name a method with a chain"
        )
    return ":".join(map(str, np.argsort(np.asarray(variant.positions), kind="stable").tolist()))
