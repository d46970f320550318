"""Post-hoc tests after Friedman: Nemenyi between all methods, Bonferroni-Dunn against a reference method.

p-values come from scikit-posthocs, critical distances from scipy's distributions.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from mlsieve.stats._lazy import pd, stats


@functools.cache
def nemenyi_distance(n_methods: int, n_datasets: int, significance: float = 0.05) -> float:
    """Return Nemenyi's critical distance between two average ranks.

    Parameters
    ----------
    n_methods : int
        k, at least 2.
    n_datasets : int
        N, at least 1.
    significance : float
        In (0, 1).

    Returns
    -------
    float
        q sqrt(k (k + 1) / (6 N)), q the upper quantile of the studentized range over the square root of 2.

    References
    ----------
    Demsar (2006), JMLR 7, section 3.2.2 and table 5(a).
    """
    q = stats.studentized_range.isf(significance, n_methods, np.inf) / math.sqrt(2)
    return float(q * _standard_error(n_methods, n_datasets))


@functools.cache
def bonferroni_dunn_distance(n_methods: int, n_datasets: int, significance: float = 0.05) -> float:
    """Return the critical distance between the average rank of a reference method and that of another method.

    Parameters
    ----------
    n_methods : int
        k with the reference method, at least 2.
    n_datasets : int
        N, at least 1.
    significance : float
        In (0, 1), shared by the k - 1 comparisons.

    Returns
    -------
    float
        z sqrt(k (k + 1) / (6 N)), z the upper quantile of the normal distribution at significance / (2 (k -
        1)).

    References
    ----------
    Dunn (1961), JASA 56; Demsar (2006), JMLR 7, section 3.2.2 and table 5(b).
    """
    z = stats.norm.isf(significance / (2 * (n_methods - 1)))
    return float(z * _standard_error(n_methods, n_datasets))


def _standard_error(n_methods: int, n_datasets: int) -> float:
    return math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def nemenyi_p_values(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return Nemenyi's p-value of every pair of methods, already corrected for the number of pairs.

    Parameters
    ----------
    ranks : DataFrame of float, shape (N, k)
        Datasets by methods, no NaN.

    Returns
    -------
    DataFrame of float64, shape (k, k)
        Symmetric, 1 on the diagonal.
    """
    import scikit_posthocs

    p_values = scikit_posthocs.posthoc_nemenyi_friedman(ranks.to_numpy())
    return pd.DataFrame(p_values.to_numpy(dtype=np.float64), index=ranks.columns, columns=ranks.columns)


def bonferroni_dunn_p_values(ranks: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return the p-values of every method against a reference method, plain and times k - 1 (at most 1).

    Parameters
    ----------
    ranks : DataFrame of float, shape (N, k)
        Datasets by methods, no NaN.
    reference : str
        A column of `ranks`.

    Returns
    -------
    DataFrame of float64, shape (k - 1, 2)
        Columns ``p_value`` and ``p_adjusted``, indexed by the other methods.
    """
    import scikit_posthocs

    position = list(ranks.columns).index(reference)
    others = [column for column in ranks.columns if column != reference]
    both = [
        scikit_posthocs.posthoc_demsar(ranks.to_numpy(), control=position, p_adjust=adjust, to_matrix=False)
        for adjust in (None, "bonferroni")
    ]
    return pd.DataFrame(
        {"p_value": both[0].to_numpy(np.float64), "p_adjusted": both[1].to_numpy(np.float64)}, index=others
    )


def groups_within(average_ranks: pd.Series, critical_distance: float) -> list[tuple[str, ...]]:
    """Return the largest sets of neighbouring methods that lie less than a critical distance apart.

    Parameters
    ----------
    average_ranks : Series of float
        By method.
    critical_distance : float
        Methods whose ranks differ by this much or more differ significantly.

    Returns
    -------
    list of tuple of str
        Best first, each with at least two methods, none inside another.
    """
    ordered = average_ranks.sort_values(kind="stable")
    names, ranks = list(ordered.index), ordered.to_numpy()
    groups: list[tuple[str, ...]] = []
    reached = 0
    for start in range(len(names)):
        stop = int(np.searchsorted(ranks, ranks[start] + critical_distance - 1e-12, side="left"))
        if stop > reached and stop - start > 1:
            groups.append(tuple(names[start:stop]))
            reached = stop
    return groups
