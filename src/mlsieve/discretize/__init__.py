"""Discretisation of numeric features: cuts are learned on some rows and applied to any."""

from __future__ import annotations

from typing import Any

from mlsieve.discretize.cuts import Cuts, Discretization, learn_cuts
from mlsieve.discretize.of_data import discrete_data

__all__ = ["Cuts", "Discretization", "Discretizer", "discrete_data", "learn_cuts"]


def __getattr__(name: str) -> Any:
    """Import the estimator when it is asked for: it needs scikit-learn, which the commands do not."""
    if name != "Discretizer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mlsieve.discretize.estimator import Discretizer

    return Discretizer
