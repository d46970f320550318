"""Feature rankers: scikit-learn estimators with ``fit(X, y)`` and ``feature_importances_``.

What a module of this package registers under ``@register.ranker`` is found by itself: such an estimator; a
function ``f(X, y, *, ...)`` that returns the importances; or a class whose method ``grow`` returns an
ensemble of trees, with the scores that are read from it. Their estimators are made when they are asked for,
under the name that the fact ``estimator="mlsieve.rankers:NAME"`` gives: so the commands do not wait for
scikit-learn.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ChainPermutationRanker",
    "MLXGBRanker",
    "NoLabelRanker",
    "OracleRanker",
    "PCTForestRanker",
    "RandomRanker",
    "ReliefRanker",
    "UniformRanker",
    "XDCCRanker",
]


def __getattr__(name: str) -> Any:
    """Make the estimator of that name, once: it needs scikit-learn, which the commands do not."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mlsieve.rankers.named_estimators import estimator_named

    globals()[name] = estimator_named(__name__, name)
    return globals()[name]
