"""Feature rankers: scikit-learn estimators with ``fit(X, Y)`` and ``feature_importances_``.

A module of this package with a class under ``@register.ranker`` is found by itself.
"""

from mlsieve.rankers.controls import RandomRanker, UniformRanker
from mlsieve.rankers.oracle import OracleRanker
from mlsieve.rankers.pct import PCTForestRanker
from mlsieve.rankers.relief import ReliefRanker

__all__ = ["OracleRanker", "PCTForestRanker", "RandomRanker", "ReliefRanker", "UniformRanker"]
