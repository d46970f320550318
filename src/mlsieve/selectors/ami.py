"""AMI: relevance minus redundancy, each a sum of mutual information."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.discretize import Discretization, discrete_data
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import Form, less_penalties, select_greedily


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
    multi-label feature selection, Electronics Letters 48, 2012; SCLS paper, eq. 2). The published tables
    follow from the mean over s, or from the authors' program: see docs/scls_variants.md.

    Parameters
    ----------
    X, y, k, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.scls.scls_selection`.
    form : {"mean", "printed", "program"}
        Whether the redundancy is averaged over the selected features, summed, or left out. The authors'
        program charges the redundancy of all candidates to a single position, and so orders by relevance.

    Returns
    -------
    Selection

    Notes
    -----
    In round k the program charges the feature in column k, which is then not selected before round k + 1.
    This implementation does not depend on the order of the columns, and leaves that out.
    """
    data = discrete_data(X, y, method=discretize, nominal=nominal, digests=digests)
    size, places = wanted_size(k, data.n_rows, data.n_features), data.places(random_state)

    def penalty(chosen: int) -> np.ndarray:
        return np.zeros(data.n_features) if form == "program" else data.redundancy(chosen)

    criterion = less_penalties(data.relevance, averaged=form == "mean")
    return select_greedily(size, data.relevance, data.entropy > 0, criterion, penalty, places)
