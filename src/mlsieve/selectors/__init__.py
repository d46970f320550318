"""Feature selectors: functions that find an order of the features, and scikit-learn estimators made of them.

What a module of this package registers under ``@register.ranker(..., selects=True)`` is found by itself: a
function ``f(X, y, *, k, ...)`` that returns a `mlsieve.rankings.selection.Selection`. Its estimator, with the
same parameters but ``n_features_to_select`` for ``k``, is made when it is asked for by the name that the fact
``estimator="mlsieve.selectors:NAME"`` gives it.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AMI",
    "D2F",
    "LRFS",
    "MDMR",
    "MLCFS",
    "PMU",
    "SCLS",
    "PPTChiSquared",
    "PPTMutualInformation",
    "PPTRelief",
]


def __getattr__(name: str) -> Any:
    """Make the estimator of that name, once: it needs scikit-learn, which the commands do not."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mlsieve.rankers.named_estimators import estimator_named

    globals()[name] = estimator_named(__name__, name)
    return globals()[name]
