"""D2F: relevance minus the information about a label that a feature shares with a selected one."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.discretize import Discretization
from mlsieve.rankings.selection import Selection, SelectionSize
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors.mdmr import mdmr_selection


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

    Returns
    -------
    Selection

    Notes
    -----
    The authors' program subtracts the share of every selected feature again in each round, and so that of
    early features many times. This implementation subtracts it once, as printed.
    """
    return mdmr_selection(
        X,
        y,
        k=k,
        form="co-information",
        discretize=discretize,
        nominal=nominal,
        digests=digests,
        random_state=random_state,
    )
