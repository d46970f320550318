"""Discretising a `Dataset`: what the command ``discretise`` does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.discretize.cuts import Cuts, Discretization, learn_cuts

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset


def learn_dataset_cuts(dataset: Dataset, method: Discretization, *, bins: int = 5) -> Cuts:
    """Return the cuts of a dataset's numeric features, learned on its training part.

    Parameters
    ----------
    dataset : Dataset
    method, bins
        See `mlsieve.discretize.learn_cuts`.
    """
    return learn_cuts(dataset.X_train, dataset.Y_train, method=method, numeric=~dataset.nominal, bins=bins)


def with_cuts(dataset: Dataset, cuts: Cuts, facts: Mapping[str, Any]) -> Dataset:
    """Return a dataset whose numeric features have become nominal.

    Parameters
    ----------
    dataset : Dataset
    cuts : Cuts
        Of its features; applied to all rows.
    facts : mapping
        ``method`` and ``bins``, for the dataset's own facts.

    Returns
    -------
    Dataset
        All features nominal, their categories named by the intervals; sparse where it was.
    """
    if dataset.nominal.all():
        return dataset
    return replace(
        dataset,
        X=cuts.transform(dataset.X),
        nominal=np.ones(dataset.X.shape[1], bool),
        categories=tuple(
            cuts.categories(feature) if cuts.numeric[feature] else dataset.categories[feature]
            for feature in range(dataset.X.shape[1])
        ),
        facts={**dataset.facts, "discretised": {name: facts[name] for name in ("method", "bins")}},
    )
