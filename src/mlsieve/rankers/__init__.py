"""Feature rankers: scikit-learn estimators with ``fit(X, Y)`` and ``feature_importances_``.

What a module of this package registers under ``@register.ranker`` is found by itself: such an estimator, or a
function ``f(X, Y, **parameters)`` that returns the importances and names its estimator. The commands call the
function, and so need not wait for scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlsieve.rankers.controls import NoLabelRanker, OracleRanker, RandomRanker, UniformRanker
    from mlsieve.rankers.pct_estimator import PCTForestRanker
    from mlsieve.rankers.relief_estimator import ReliefRanker

__all__ = [
    "NoLabelRanker",
    "OracleRanker",
    "PCTForestRanker",
    "RandomRanker",
    "ReliefRanker",
    "UniformRanker",
]

_MODULES = {
    "NoLabelRanker": "controls",
    "OracleRanker": "controls",
    "PCTForestRanker": "pct_estimator",
    "RandomRanker": "controls",
    "ReliefRanker": "relief_estimator",
    "UniformRanker": "controls",
}


def __getattr__(name: str) -> Any:
    """Import an estimator when it is asked for: all need scikit-learn, which the commands do not."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
