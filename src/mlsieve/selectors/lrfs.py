"""LRFS: relevance for each label given each other label, minus redundancy."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.discretize import Discretization, discrete_data
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import less_penalties, select_greedily


@register.ranker(
    "lrfs",
    version=2,
    tasks=("mlc",),
    doi="10.1016/j.patcog.2019.06.004",
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:LRFS",
)
def lrfs_selection(
    X: Any,
    y: Any,
    *,
    k: SelectionSize = None,
    discretize: Discretization = "laim",
    nominal: Any = None,
    digests: np.ndarray | None = None,
    random_state: int = 0,
) -> Selection:
    """LRFS: information about each label given another label, minus redundancy with selected features.

    ``J(f) = sum_l sum_{l' != l} M(f; l | l') - (1 / |S|) sum_s M(f; s)``, s over the features selected so far
    (Zhang, Liu, Gao: Distinguishing two types of labels for multi-label feature selection, Pattern
    Recognition 95, 2019). With one label there are no pairs, and only redundancy counts.

    Parameters
    ----------
    X, y, k, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.scls.scls_selection`.

    Returns
    -------
    Selection
    """
    data = discrete_data(X, y, method=discretize, nominal=nominal, digests=digests)
    criterion = less_penalties(data.label_pair_relevance, averaged=True)
    size, places = wanted_size(k, data.n_rows, data.n_features), data.places(random_state)
    return select_greedily(size, data.relevance, data.entropy > 0, criterion, data.redundancy, places)
