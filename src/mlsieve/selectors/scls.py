"""SCLS: a criterion that stays on one scale, however many labels there are."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mlsieve.discretize import Discretization, discrete_data
from mlsieve.discretize.information import DiscreteData
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import Criterion, select_greedily

Form = Literal["printed", "means"]


@register.ranker(
    "scls",
    version=2,
    tasks=("mlc",),
    doi="10.1016/j.patcog.2017.01.014",
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:SCLS",
)
def scls_selection(
    X: Any,
    y: Any,
    *,
    k: SelectionSize = None,
    form: Form = "printed",
    discretize: Discretization = "laim",
    nominal: Any = None,
    digests: np.ndarray | None = None,
    random_state: int = 0,
) -> Selection:
    """SCLS: relevance, reduced by the share of a feature's entropy that selected features already cover.

    J(f) = sum_l M(f; l) (1 - sum_s M(f; s) / H(f)), s over the features selected so far (Lee and Kim, Pattern
    Recognition 66, 2017, eq. 25). The sum over s is not weighted. The tables of that paper follow another
    criterion, J(f) = mean_l M(f; l) - mean_s M(f; s): see docs/scls_variants.md.

    Parameters
    ----------
    X : ndarray of float64 or csr_array, shape (n, F)
        NaN, missing, counts as a value of its own.
    y : csr_array, shape (n, L)
        0/1 labels.
    k : int or float, optional
        How many features to select, or their share; default ceil(sqrt(n)) of n rows.
    form : {"printed", "means"}
        Whether J is eq. 25, or the difference of the two means, which reproduces the paper's tables.
    discretize : {"laim", "laim-boundaries", "mdlp", "equal-width", "equal-frequency", "none"}
        What is done with numeric features, see `mlsieve.discretize.learn_cuts`.
    nominal : array-like, optional
        Nominal features (mask, indices, or names): these stay as they are.
    digests : ndarray of uint64, shape (F,), optional
        Of the features' content, where X holds categories that were made of it; default those of X (see
        `mlsieve.data.column_contents`).
    random_state : int
        Seed of the order in which equally good features are taken, which is one of their contents.

    Returns
    -------
    Selection
    """
    data = discrete_data(X, y, method=discretize, nominal=nominal, digests=digests)
    size, places = wanted_size(k, data.n_rows, data.n_features), data.places(random_state)
    return select_greedily(
        size, data.relevance, data.entropy > 0, scls_criterion(data, form), data.redundancy, places
    )


def scls_criterion(data: DiscreteData, form: Form = "printed") -> Criterion:
    """Return J for the sum of M(f; s) over the selected features, and their number."""
    if form == "means":
        relevance = data.relevance / max(data.n_labels, 1)
        return lambda redundancy, n_chosen: relevance - redundancy / max(n_chosen, 1)
    entropy = np.where(data.entropy > 0, data.entropy, 1.0)
    return lambda redundancy, n_chosen: data.relevance * (1.0 - redundancy / entropy)
