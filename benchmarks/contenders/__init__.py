"""What is measured: each module prepares its input once and returns the work as a function.

A contender's ``prepare(spec)`` returns a function of no arguments that does the work once and returns a dict
of facts: ``nodes`` (of trees, in all), or what it says of its own time. ``available()`` returns None, or why
it cannot run here.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

MODULES = {
    "mlsieve": "benchmarks.contenders.ours",
    "scikit-learn": "benchmarks.contenders.scikit_learn",
    "CLUS": "benchmarks.contenders.clus",
    "XGBoost": "benchmarks.contenders.xgboost",
    "CatBoost": "benchmarks.contenders.catboost",
    "plain scipy": "benchmarks.contenders.plain_scipy",
    "plain numpy": "benchmarks.contenders.plain_numpy",
}


def contender(name: str) -> ModuleType:
    """Return a contender's module."""
    return import_module(MODULES[name])
