"""A permutation test of one mean rank for each domain."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mlsieve.seeds import derive_seed
from mlsieve.stats._lazy import pd

LARGEST_ENUMERATION = 2**17  # permutations that are all tried; beyond, some are drawn
DRAWS = 9_999


@dataclass(frozen=True)
class PermutationResult:
    """Outcome of a permutation test of methods over domains.

    Attributes
    ----------
    statistic : float
        See `permutation_test`; NaN where the test cannot be done.
    p_value : float
        Two-sided; NaN where the test cannot be done.
    kind : {"exact", "monte-carlo", ""}
        Whether all permutations were tried, or `DRAWS` of them; empty without a p-value.
    n_datasets : int
        Rows of ranks: domains, each counted once.
    note : str
        Why there is no p-value; empty where there is one.
    """

    statistic: float
    p_value: float
    kind: Literal["exact", "monte-carlo", ""]
    n_datasets: int
    note: str = ""


def permutation_test(means: pd.DataFrame) -> PermutationResult:
    """Test whether methods are exchangeable within domains, from one mean rank per domain.

    Under the hypothesis the methods of a domain can change places, in all of its datasets at once, without
    changing the distribution of its ranks. Domains count equally, whatever the number of their datasets.

    Parameters
    ----------
    means : DataFrame of float, shape (F, k)
        Domains by methods: the mean over a domain's datasets of each method's rank, as from
        `mlsieve.stats.one_row_per_domain`. With k = 1 it is the mean signed rank of two methods
        (`mlsieve.stats.wilcoxon.signed_ranks`), whose sign changes when they change places. No NaN.

    Returns
    -------
    PermutationResult
        The statistic is the sum over methods of the squared deviation of their average rank from (k + 1) / 2;
        with k = 1 the absolute mean of the signed ranks. The p-value is the share of the permutations with a
        statistic at least as large: of all of them up to `LARGEST_ENUMERATION`, else of `DRAWS` random ones
        and the one observed, from a fixed seed. NaN with a note for fewer than two domains.

    References
    ----------
    Pitman (1937), JRSS Supplement 4, and Good (2005), Permutation, Parametric and Bootstrap Tests of
    Hypotheses, for permutations within blocks; Rosner, Glynn and Lee (2006), Biometrics 62, for signed ranks
    of clusters whose signs change together.
    """
    numbers = means.to_numpy(dtype=np.float64)
    n_domains, n_methods = numbers.shape
    if n_domains < 2:
        note = f"the permutation test needs at least 2 domains; there are {n_domains}"
        return PermutationResult(math.nan, math.nan, "", n_domains, note)
    if n_methods == 1:
        sums, exact = _flipped_sums(numbers[:, 0])
        statistics = np.abs(sums) / n_domains
    else:
        order, exact = _orders(n_domains, n_methods)
        centred = numbers - (n_methods + 1) / 2
        # Each row of `order` says which cell of the table each cell takes.
        averages = centred.ravel()[order].reshape(-1, n_domains, n_methods).sum(axis=1) / n_domains
        statistics = (averages**2).sum(axis=1)
    observed = float(statistics[0])  # the first permutation changes nothing
    as_large = statistics >= observed - 1e-9 * max(1.0, observed)
    p_value = float(as_large.mean())
    return PermutationResult(observed, p_value, "exact" if exact else "monte-carlo", n_domains)


def least_p_value(n_domains: int, n_methods: int) -> float:
    """Return the smallest p-value that `permutation_test` can give, whatever the ranks.

    Parameters
    ----------
    n_domains : int
        F, at least 1.
    n_methods : int
        k; 1 or 2 for signs of differences.

    Returns
    -------
    float
        2^(1 - F) for two methods and (k!)^(1 - F) for more, for ranks without ties; at least
        1 / (`DRAWS` + 1) where permutations are drawn.
    """
    ways = math.factorial(max(n_methods, 2)) ** (n_domains - 1)
    return 1 / ways if ways <= LARGEST_ENUMERATION else 1 / (DRAWS + 1)


def _flipped_sums(values: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the sums of values with all signs up to a common one, and whether these are all."""
    if 2 ** (len(values) - 1) <= LARGEST_ENUMERATION:
        sums = values[:1]
        for value in values[1:]:
            sums = np.concatenate([sums + value, sums - value])
        return sums, True
    generator = np.random.default_rng(derive_seed(0, "permutation-test", len(values), 2))
    signs = 1.0 - 2.0 * generator.integers(0, 2, size=(DRAWS, len(values)))
    return np.concatenate([[values.sum()], signs @ values]), False


@functools.lru_cache(maxsize=8)
def _orders(n_domains: int, n_methods: int) -> tuple[np.ndarray, bool]:
    """Return permutations of the cells of a table within its rows, and whether these are all.

    All up to a common permutation of the columns, which changes no statistic: the first row stays.
    """
    starts = n_methods * np.arange(n_domains)[:, None]
    if math.factorial(n_methods) ** (n_domains - 1) <= LARGEST_ENUMERATION:
        ways = np.array(list(itertools.permutations(range(n_methods))))
        chosen = np.array(list(itertools.product(range(len(ways)), repeat=n_domains - 1)), dtype=np.intp)
        first = np.zeros((len(chosen), 1), dtype=np.intp)
        places = ways[np.concatenate([first, chosen], axis=1)]
        return (places + starts).reshape(len(places), -1), True
    generator = np.random.default_rng(derive_seed(0, "permutation-test", n_domains, n_methods))
    drawn = np.argsort(generator.random((DRAWS, n_domains, n_methods)), axis=2)
    unchanged = np.broadcast_to(np.arange(n_methods), (1, n_domains, n_methods))
    places = np.concatenate([unchanged, drawn])
    return (places + starts).reshape(len(places), -1), False
