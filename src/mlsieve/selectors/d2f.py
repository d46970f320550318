"""D2F: relevance minus the information about a label that a feature shares with a selected one."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.discretize import Discretization, discrete_data
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import Form, less_penalties, less_penalties_of_each_round, select_greedily


@register.ranker(
    "d2f",
    version=2,
    tasks=("mlc",),
    doi="10.1016/j.eswa.2014.09.063",
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:D2F",
)
def d2f_selection(
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
    """D2F: relevance minus the information about labels that features share with selected ones.

    J(f) = sum_l M(f; l) - sum_s sum_l M(f; s; l), with the co-information M(f; s; l) = M(f; l) - M(f; l | s)
    and s over the features selected so far (Lee and Kim: Mutual information-based multi-label feature
    selection using interaction information, Expert Systems with Applications 42, 2015). The SCLS paper prints
    the same criterion as MDMR's (eq. 3): ``mdmr`` with form="co-information".

    Parameters
    ----------
    X, y, k, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.scls.scls_selection`.
    form : {"printed", "mean", "program"}
        Whether the shared information is summed over the selected features, averaged, or charged as in the
        authors' program, which charges each selected feature again in every later round.

    Returns
    -------
    Selection
    """
    data = discrete_data(X, y, method=discretize, nominal=nominal, digests=digests)
    relevance = data.relevance

    def penalty(chosen: int) -> np.ndarray:
        return relevance - data.relevance_given(chosen)

    if form == "program":
        criterion = less_penalties_of_each_round(relevance)
    else:
        criterion = less_penalties(relevance, averaged=form == "mean")
    size, places = wanted_size(k, data.n_rows, data.n_features), data.places(random_state)
    return select_greedily(size, relevance, data.entropy > 0, criterion, penalty, places)
