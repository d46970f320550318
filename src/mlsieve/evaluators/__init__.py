"""Evaluators: what a ranking is worth to a learner that uses it.

An evaluator is a registered class whose instance has ``vote(dataset, rankings, n_threads) -> (votes,
denominator)``: votes of shape (rankings, test examples, labels), and what divides them into scores within [0,
1]. `mlsieve predict` stores them; the measures are computed from the file.

The distance of one feature, d_i, is Relief's: ``|a - b| / (max - min)`` for a numeric feature (a constant one
counts with range 1), 0 or 1 for a nominal one. One missing cell: ``max(t, 1 - t)`` with t the known scaled
value, two: 1; a nominal feature with any missing cell: ``1 - 1/V``, V being its number of categories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlsieve.evaluators.weighted_knn import neighbor_votes

if TYPE_CHECKING:
    from mlsieve.evaluators.knn_estimator import WeightedKNN

__all__ = ["WeightedKNN", "neighbor_votes"]


def __getattr__(name: str) -> Any:
    """Import the estimator when it is asked for: it needs scikit-learn, which the commands do not."""
    if name != "WeightedKNN":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mlsieve.evaluators.knn_estimator import WeightedKNN

    return WeightedKNN
