"""AMI: relevance minus redundancy, each a sum of mutual information."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mlsieve.discretize import Discretization, discrete_data
from mlsieve.discretize.information import DiscreteData
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import Criterion, select_greedily

Form = Literal["mean", "printed"]


@register.ranker(
    "ami",
    version=2,
    tasks=("mlc",),
    doi="10.1049/el.2012.1600",
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:AMI",
)
def ami_selection(
    X: Any,
    y: Any,
    *,
    k: SelectionSize = None,
    form: Form = "mean",
    discretize: Discretization = "laim",
    nominal: Any = None,
    digests: np.ndarray | None = None,
    random_state: int = 0,
) -> Selection:
    """AMI: relevance for all labels minus redundancy with the selected features.

    J(f) = sum_l M(f; l) - sum_s M(f; s) as printed (Lee, Lim, Kim: Approximating mutual information for
    multi-label feature selection, Electronics Letters 48, 2012; SCLS paper, eq. 2); the published tables
    have the mean over s in place of its sum.

    Parameters
    ----------
    X, y, k, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.scls.scls_selection`.
    form : {"mean", "printed"}
        Whether the redundancy is averaged over the selected features or summed.

    Returns
    -------
    Selection
    """
    data = discrete_data(X, y, method=discretize, nominal=nominal, digests=digests)
    size, places = wanted_size(k, data.n_rows, data.n_features), data.places(random_state)
    criterion = ami_criterion(data, form)
    return select_greedily(size, data.relevance, data.entropy > 0, criterion, data.redundancy, places)


def ami_criterion(data: DiscreteData, form: Form) -> Criterion:
    """Return J for the sum of M(f; s) over the selected features, and their number."""
    if form == "printed":
        return lambda redundancy, n_chosen: data.relevance - redundancy
    return lambda redundancy, n_chosen: data.relevance - redundancy / max(n_chosen, 1)
