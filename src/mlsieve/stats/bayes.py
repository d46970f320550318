"""The Bayesian signed-rank test of two methods over several datasets."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from mlsieve.stats.wilcoxon import DECIMALS

PRIOR = 0.5  # weight of the pseudo-observation at a difference of 0
DRAWS = 50_000
_BLOCK = 1 << 16  # numbers that are added up at a time


@dataclass(frozen=True)
class BayesResult:
    """Posterior probabilities of a Bayesian signed-rank test.

    Attributes
    ----------
    better, rope, worse : float
        Probabilities that the first method is practically better, that both are practically equivalent, and
        that the second is practically better. They sum to 1; NaN without differences.
    n_datasets : int
        Differences that are not NaN.
    """

    better: float
    rope: float
    worse: float
    n_datasets: int


def bayesian_signed_rank_test(
    differences,
    rope: float = 0.0,
    *,
    prior: float = PRIOR,
    draws: int = DRAWS,
    seed: int = 0,
    decimals: int | None = DECIMALS,
) -> BayesResult:
    """Return how probable it is that one of two methods is practically better than the other.

    The distribution of the differences has a Dirichlet process as its prior, with one pseudo-observation at
    0. Each draw from its posterior gives the datasets random weights; the weights of all pairs of datasets
    whose mean difference lies above, inside and below the region of practical equivalence are added up, and
    the largest of the three sums wins the draw. The probabilities are the shares of draws won.

    Parameters
    ----------
    differences : array_like of float, shape (N,)
        One per dataset, positive where the first method is better; NaN are left out.
    rope : float
        Half the width of the region of practical equivalence, in the unit of the differences; at least 0.
        With 0 there is no such region, and its probability is 0.
    prior : float
        Weight s of the pseudo-observation, above 0.
    draws : int
        Draws from the posterior, at least 1.
    seed : int
        The same seed gives the same probabilities.
    decimals : int or None
        Differences that agree to these decimals are equal. None: as they are.

    Returns
    -------
    BayesResult

    Raises
    ------
    ValueError
        If `rope` is negative or infinite, or `prior` or `draws` is too small.

    Notes
    -----
    Draws that two of the sums win alike count in halves for each. baycomp gives them to the first method.

    References
    ----------
    Benavoli, Corani, Demsar and Zaffalon (2017), JMLR 18(77), section 4.2.2; Benavoli, Mangili, Corani,
    Zaffalon and Ruggeri (2014), ICML.
    """
    if not 0 <= rope < math.inf:
        raise ValueError(f"rope must be at least 0 and finite, got {rope}")
    if not prior > 0 or draws < 1:
        raise ValueError("prior must be above 0, and draws at least 1")
    known = np.asarray(differences, dtype=np.float64)
    known = known[~np.isnan(known)]
    known = known if decimals is None else np.round(known, decimals)
    if not len(known):
        return BayesResult(math.nan, math.nan, math.nan, 0)
    weights = _weights(len(known), prior, draws, seed)
    return _shares(posterior_sample(known, rope, weights), len(known))


@functools.lru_cache(maxsize=4)
def _weights(n: int, prior: float, draws: int, seed: int) -> np.ndarray:
    alpha = np.ones(n + 1)
    alpha[0] = prior
    return np.random.default_rng(seed).dirichlet(alpha, draws)


def posterior_sample(differences: np.ndarray, rope: float, weights: np.ndarray) -> np.ndarray:
    """Return the three sums of each draw: below, inside and above the region of practical equivalence.

    Parameters
    ----------
    differences : ndarray of float, shape (N,)
    rope : float
    weights : ndarray of float, shape (draws, N + 1)
        From the Dirichlet distribution; the first weight is that of the pseudo-observation.

    Returns
    -------
    ndarray of float, shape (draws, 3)
        Each row sums to 1. A mean difference on a border counts half on each side of it.
    """
    values = np.concatenate([[0.0], differences])
    order = np.argsort(values, kind="stable")
    values = values[order]
    above, below = _partners(values, 2 * rope), _partners(values, -2 * rope)
    found = np.empty((len(weights), 3))
    step = max(1, _BLOCK // len(values))
    for start in range(0, len(weights), step):
        part = weights[start : start + step].T[order]  # by rows, which are gathered faster than columns
        upto = np.zeros((len(part) + 1, part.shape[1]))
        np.cumsum(part, axis=0, out=upto[1:])
        found[start : start + step, 2] = 1 - _weight_of_pairs(part, upto, above)
        if rope > 0:
            found[start : start + step, 0] = _weight_of_pairs(part, upto, below)
    if rope == 0:  # nothing lies between
        found[:, 0] = 1 - found[:, 2]
    found[:, 1] = 1 - found[:, 0] - found[:, 2]
    return found


def _partners(values: np.ndarray, border: float) -> tuple[np.ndarray, np.ndarray]:
    """Return with how many of ascending values each one has a sum up to a border, and below it."""
    room = 1e-8 * abs(border)  # 0.1 - 0.09 is 0.01
    upto = np.searchsorted(values, border - values + room, side="right")
    return upto, np.searchsorted(values, border - values - room, side="left")


def _weight_of_pairs(
    weights: np.ndarray, upto: np.ndarray, partners: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the weight of the pairs of values, half of it for pairs on the border."""
    of_partners = upto[partners[0]]
    of_partners += upto[partners[1]]
    of_partners *= weights
    return of_partners.sum(axis=0) / 2


def _shares(sample: np.ndarray, n_datasets: int) -> BayesResult:
    largest = np.maximum(np.maximum(sample[:, 0], sample[:, 1]), sample[:, 2]) - 1e-12
    best = [sample[:, place] >= largest for place in range(3)]  # by columns: rows of three are slow
    winners = best[0].astype(np.float64) + best[1] + best[2]
    worse, rope, better = (float((own / winners).mean()) for own in best)
    return BayesResult(better, rope, worse, n_datasets)
