"""The estimators that `mlsieve.rankers` and `mlsieve.selectors` offer by name, made of what is registered."""

from __future__ import annotations

from mlsieve.rankers.estimators import FunctionRanker, estimator_class, keyword_parameters
from mlsieve.rankers.selector_estimators import SelectorEstimator
from mlsieve.rankers.tree_estimators import tree_ranker_class
from mlsieve.registry import Entry, entries


def estimator_named(package: str, name: str) -> type:
    """Return the estimator that a package has under a name, made of the ranker that registers it so.

    Raises
    ------
    AttributeError
        If no ranker does.
    """
    for entry in entries("ranker").values():
        if entry.estimator_place == f"{package}:{name}":
            return _made(entry, name, package)
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def _made(entry: Entry, name: str, package: str) -> type:
    """Return the estimator class of a ranker's function or of what grows its trees."""
    if entry.facts.scores:
        return tree_ranker_class(entry, name, package)
    parameters = keyword_parameters(entry.target)
    if not entry.facts.selects:
        return estimator_class(entry, name, package, FunctionRanker, parameters)
    del parameters["k"]
    return estimator_class(entry, name, package, SelectorEstimator, parameters)
