"""Evaluators: what a ranking is worth to a learner that uses it.

An evaluator is a registered class. Its instance has ``predictions(dataset, rankings, n_threads=1)``, which
yields one `Prediction` for each ranking, or several: values of shape (test examples, labels), and how many
features they used. Values divided by its `denominator` are scores within [0, 1]; `relevant`, ">=" or ">", is
how a score compares with 1/2 if the label is predicted. `mlsieve predict` stores the predictions; the
measures are computed from the file.

The distance of one feature, d_i, is Relief's: ``|a - b| / (max - min)`` for a numeric feature (a constant one
counts with range 1), 0 or 1 for a nominal one. One missing cell: ``max(t, 1 - t)`` with t the known scaled
value, two: 1; a nominal feature with any missing cell: ``1 - 1/V``, V being its number of categories.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mlsieve.evaluators.prediction import Prediction

if TYPE_CHECKING:
    from mlsieve.evaluators.knn_estimator import WeightedKNN
    from mlsieve.evaluators.mlnb_estimator import MLNB
    from mlsieve.evaluators.weighted_knn import neighbor_votes

__all__ = ["MLNB", "Prediction", "WeightedKNN", "neighbor_votes"]

_OFFERED = {
    "MLNB": "mlsieve.evaluators.mlnb_estimator",
    "WeightedKNN": "mlsieve.evaluators.knn_estimator",
    "neighbor_votes": "mlsieve.evaluators.weighted_knn",
}


def __getattr__(name: str) -> Any:
    """Import what is offered when it is asked for: commands need no scikit-learn, and few need neighbours."""
    if name not in _OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_OFFERED[name]), name)
