"""PPT+CHI: the chi-squared statistic with label sets as classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.discretize import Discretization
from mlsieve.rankings.selection import Selection, SelectionSize
from mlsieve.rankings.ties import decides_ties_alone
from mlsieve.registry import register
from mlsieve.selectors._class_tables import select_by_tables
from mlsieve.selectors._pruned_problem import Count, Pruned


@register.ranker(
    "ppt-chi",
    version=2,
    tasks=("mlc",),
    doi="10.1109/ICDM.2008.74",
    smoke={"p": 1},
    seeded=decides_ties_alone,
    selects=True,
    estimator="mlsieve.selectors:PPTChiSquared",
)
def ppt_chi_squared_selection(
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
    """PPT+CHI: chi-squared with the classes that a pruned problem transformation forms from label sets.

    Every label set that occurs at least p times, the empty one among them, is a class (Read: A pruned
    problem transformation method for multi-label classification, NZCSRSC 2008); the features of the highest
    Pearson chi-squared statistic of values and classes are selected, each for itself. Neither the degrees of
    freedom, which differ where numbers of values do, nor small expected counts are corrected for.

    Parameters
    ----------
    X, y, k, p, pruned, n_subsets, discretize, nominal, digests, random_state
        As for `mlsieve.selectors.ppt_mi.ppt_information_selection`.

    Returns
    -------
    Selection
        Its scores are the statistics, at least 0. Features without entropy are last.

    Raises
    ------
    ValueError
        If fewer than two label sets occur p times, or `nominal` does not fit X.
    """
    return select_by_tables(
        X, y, chi_squared, k=k, p=p, pruned=pruned, n_subsets=n_subsets, discretize=discretize,
        nominal=nominal, digests=digests, random_state=random_state,
    )  # fmt: skip


def chi_squared(table: np.ndarray) -> float:
    """Return Pearson's statistic of a contingency table without empty rows or columns."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())
