"""PPT+MI: mutual information with label sets as classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from mlsieve.discretize import Discretization
from mlsieve.rankings.selection import Selection, SelectionSize
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors._class_tables import select_by_tables
from mlsieve.selectors._pruned_problem import Count, Pruned


@register.ranker(
    "ppt-mi",
    version=2,
    tasks=("mlc",),
    doi="10.1016/j.neucom.2013.06.035",
    smoke={"p": 1},
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:PPTMutualInformation",
)
def ppt_information_selection(
    X: Any,
    y: Any,
    *,
    k: SelectionSize = None,
    p: Count = 6,
    pruned: Pruned = "drop",
    n_subsets: Count = 2,
    discretize: Discretization = "laim",
    nominal: Any = None,
    digests: np.ndarray | None = None,
    random_state: int = 0,
) -> Selection:
    """PPT+MI: mutual information with the classes that a pruned problem transformation forms from label sets.

    Every label set that occurs at least p times, the empty one among them, is a class (Read: A pruned
    problem transformation method for multi-label classification, NZCSRSC 2008); the features of the highest
    mutual information with it are selected, each for itself. Doquire and Verleysen (Neurocomputing 122, 2013)
    search greedily for a set and estimate its information from neighbours instead.

    Parameters
    ----------
    X, y, k, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.scls.scls_selection`; n and the cuts are those of all rows that are given.
    p, pruned, n_subsets
        As for `mlsieve.selectors.ppt_rf.ppt_relief_selection`.

    Returns
    -------
    Selection
        Its scores are mutual information in bits. Features without entropy are last.

    Raises
    ------
    ValueError
        If fewer than two label sets occur p times, or `nominal` does not fit X.
    """
    return select_by_tables(
        X, y, mutual_information, k=k, p=p, pruned=pruned, n_subsets=n_subsets, discretize=discretize,
        nominal=nominal, digests=digests, random_state=random_state,
    )  # fmt: skip


def mutual_information(table: np.ndarray) -> float:
    """Return the plug-in mutual information of a contingency table's rows and columns, in bits."""

    def x_log_x(counts: np.ndarray) -> float:
        return float(xlogy(counts, counts).sum())

    total = int(table.sum())
    of_sides = x_log_x(table.sum(axis=0)) + x_log_x(table.sum(axis=1))
    nats = (x_log_x(table) - of_sides) / total + np.log(total)
    return max(0.0, float(nats / np.log(2.0)))
