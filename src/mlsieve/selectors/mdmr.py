"""MDMR: redundancy counts less where two features are more informative about the labels together."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mlsieve.discretize import Discretization, discrete_data
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import less_penalties, select_greedily


@register.ranker(
    "mdmr",
    version=2,
    tasks=("mlc",),
    doi="10.1016/j.neucom.2015.06.010",
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:MDMR",
)
def mdmr_selection(
    X: Any,
    y: Any,
    *,
    k: SelectionSize = None,
    form: Literal["mean", "co-information"] = "mean",
    discretize: Discretization = "laim",
    nominal: Any = None,
    digests: np.ndarray | None = None,
    random_state: int = 0,
) -> Selection:
    """MDMR: max-dependency and min-redundancy.

    ``J(f) = sum_l M(f; l) - (1 / |S|) sum_s {M(f; s) - sum_l M(f; l | s)}`` (Lin, Hu, Liu, Duan,
    Neurocomputing 168, 2015); or the SCLS paper's eq. 3, whose penalty is the sum of the co-information of f,
    s and each label, ``M(f; l) - M(f; l | s)``, without ``1 / |S|``.

    Parameters
    ----------
    X, y, k, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.scls.scls_selection`.
    form : {"mean", "co-information"}

    Returns
    -------
    Selection
    """
    data = discrete_data(X, y, method=discretize, nominal=nominal, digests=digests)

    def penalty(chosen: int) -> np.ndarray:
        other = data.redundancy(chosen) if form == "mean" else data.relevance
        return other - data.relevance_given(chosen)

    criterion = less_penalties(data.relevance, averaged=form == "mean")
    size, places = wanted_size(k, data.n_rows, data.n_features), data.places(random_state)
    return select_greedily(size, data.relevance, data.entropy > 0, criterion, penalty, places)
