"""Discretising a `Dataset`: what the command ``discretise`` does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mlsieve.discretize.cuts import Discretization, learn_cuts

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset


def discretise_dataset(dataset: Dataset, method: Discretization, *, bins: int = 5) -> Dataset:
    """Return a data set whose numeric features have become nominal.

    Parameters
    ----------
    dataset : Dataset
        The cuts are learned on its training part and applied to all rows.
    method, bins
        See `mlsieve.discretize.learn_cuts`.

    Returns
    -------
    Dataset
        All features nominal, their categories named by the intervals; sparse where it was.
    """
    numeric = ~dataset.nominal
    cuts = learn_cuts(dataset.X_train, dataset.Y_train, method=method, numeric=numeric, bins=bins)
    return replace(
        dataset,
        X=cuts.transform(dataset.X),
        nominal=np.ones(dataset.X.shape[1], bool),
        categories=tuple(
            cuts.categories(feature) if numeric[feature] else dataset.categories[feature]
            for feature in range(dataset.X.shape[1])
        ),
        facts={**dataset.facts, "discretised": {"method": method, "bins": bins}},
    )
