"""PMU: relevance minus the interaction with selected features and that of pairs of labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.discretize import Discretization, discrete_data
from mlsieve.rankings.selection import Selection, SelectionSize, wanted_size
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.greedy import Form, less_penalties, select_greedily


@register.ranker(
    "pmu",
    version=2,
    tasks=("mlc",),
    doi="10.1016/j.patrec.2012.10.005",
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:PMU",
)
def pmu_selection(
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
    """PMU: pairwise multi-label utility.

    J(f) = sum_l M(f; l) - sum_s sum_l M(f; s; l) - sum_{l < l'} M(f; l; l'), each triple a co-information,
    M(a; b; c) = M(a; b) - M(a; b | c), and s over the features selected so far (Lee and Kim: Feature
    selection for multi-label classification using multivariate mutual information, Pattern Recognition
    Letters 34, 2013). Each pair of labels counts once, as in the authors' program.

    Parameters
    ----------
    X, y, k, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.scls.scls_selection`.
    form : {"printed", "mean", "program"}
        Whether the interaction with the selected features is summed over them or averaged. The authors'
        program sums it, as printed.

    Returns
    -------
    Selection
    """
    data = discrete_data(X, y, method=discretize, nominal=nominal, digests=digests)
    utility = data.relevance - data.label_pair_information

    def penalty(chosen: int) -> np.ndarray:
        return data.relevance - data.relevance_given(chosen)

    criterion = less_penalties(utility, averaged=form == "mean")
    size, places = wanted_size(k, data.n_rows, data.n_features), data.places(random_state)
    return select_greedily(size, data.relevance, data.entropy > 0, criterion, penalty, places)
