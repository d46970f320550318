"""How many of a ranking's features an evaluator uses: the parameters that all evaluators share.

`features` says how many of a ranking's first features count alike, the others not at all: a count (of fewer
features all), a share of all features (float, rounded up), "sqrt" for ceil(sqrt(n)) and "log2" for
ceil(log2(n)) with n the examples of the whole dataset, or "all". Said so, it holds for rankings and for
selections. Each evaluator's default is what suits it, and uses of a selection what it selected.

`points` asks for curves: with K features in use, predictions at ceil(K i / points) features, i = 1 ..
points, each size once; the last is K. With "all" they are at every number of features from 1 to K.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from mlsieve.rankings.files import Ranking
from mlsieve.rankings.selection import feature_count
from mlsieve.registry import AtLeast, AtMost
from mlsieve.registry.parameters import MoreThan

__all__ = ["FeatureCount", "Points", "feature_count", "prefix_sizes", "prefix_weights"]

FeatureCount = (
    Annotated[int, AtLeast(1)] | Annotated[float, MoreThan(0), AtMost(1)] | Literal["sqrt", "log2", "all"]
)
Points = Annotated[int, AtLeast(1)] | Literal["all"]


def prefix_sizes(count: int, points: Points) -> tuple[int, ...]:
    """Return at most `points` rising sizes, evenly spaced, the last being `count`; (0,) if that is 0."""
    if points == "all":
        return tuple(range(1, count + 1)) or (0,)
    return tuple(dict.fromkeys(-(-count * i // points) for i in range(1, points + 1)))


def prefix_weights(ranking: Ranking, size: int) -> np.ndarray:
    """Return 1 for a ranking's first features and 0 for the others; ndarray of float64, shape (F,)."""
    weights = np.zeros(len(ranking.scores))
    weights[ranking.order()[:size]] = 1.0
    return weights
