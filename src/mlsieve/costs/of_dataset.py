"""How long ranking a dataset takes, as the user is shown meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.costs.model import Task, predicted

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset
    from mlsieve.registry import Entry


def expected_seconds(entry: Entry, dataset: Dataset, parameters: Mapping[str, Any], n_rows: int) -> float:
    """Return the seconds that a ranker without trees is expected to take on one core.

    Parameters
    ----------
    entry : Entry
        Of the ranker.
    dataset : Dataset
    parameters : mapping
        Of the ranker; those left out have their defaults.
    n_rows : int
        How many rows it learns from.
    """
    n, n_features = dataset.X.shape
    stored = dataset.X.nnz if sp.issparse(dataset.X) else n * n_features
    task = Task(
        step="rank",
        n=n_rows,
        n_train=n_rows,
        n_features=n_features,
        n_labels=dataset.Y.shape[1],
        cardinality=dataset.Y.nnz / max(1, n),
        numeric=1 - float(np.mean(dataset.nominal)) if n_features else 1.0,
        nonzeros=stored * n_rows / max(1, n) if sp.issparse(dataset.X) else 0.0,
        hierarchical=dataset.hierarchy is not None,
        method=entry.id,
        own_seconds=_own_seconds(entry, parameters, n_rows, stored, dataset),
    )
    return predicted(task).minutes * 60


def _own_seconds(
    entry: Entry, parameters: Mapping[str, Any], n_rows: int, stored: int, dataset: Dataset
) -> float | None:
    """Return what the method estimates of itself, None if nothing."""
    if entry.facts.cost is None:
        return None
    counts = {
        "n": n_rows,
        "F": dataset.X.shape[1],
        "L": dataset.Y.shape[1],
        "cardinality": dataset.Y.nnz / max(1, dataset.Y.shape[0]),
        "stored": stored,
    }
    defaults = {name: schema["default"] for name, schema in entry.parameters().items()}
    return float(entry.facts.cost(counts, defaults | dict(parameters)))
