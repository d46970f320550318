"""From a table of values (datasets by methods) to ranks: rounding, missing values, related datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from mlsieve.stats._lazy import pd, stats

Direction = Literal["higher", "lower"]


def round_values(values, *, decimals: int | None = None, significant: int | None = None) -> np.ndarray:
    """Round to a number of decimals or of significant digits, as printing would.

    Two values that print alike become the same float, so that they tie when they are ranked.

    Parameters
    ----------
    values : array_like of float
        NaN and infinities are kept.
    decimals : int, optional
        Digits after the point.
    significant : int, optional
        Significant digits, at least 1. Give at most one of the two; with neither the values are only copied.

    Returns
    -------
    ndarray of float64
        Same shape as `values`.
    """
    values = np.array(values, dtype=np.float64)
    if decimals is not None and significant is not None:
        raise ValueError("give decimals or significant, not both")
    if decimals is not None:
        form = f".{int(decimals)}f"
    elif significant is not None:
        if significant < 1:
            raise ValueError("significant must be at least 1")
        form = f".{int(significant)}g"
    else:
        return values
    flat = [float(format(value, form)) for value in values.ravel().tolist()]
    # Adding 0 turns a rounded -0.0 into 0.0.
    return np.array(flat, dtype=np.float64).reshape(values.shape) + 0.0


def paired_differences(first, second) -> np.ndarray:
    """Return first - second without the rounding errors of the subtraction.

    0.3 - 0.2 and 0.2 - 0.1 become equal: a difference is rounded to 12 digits of the larger of the two
    values of its pair, so that values of any scale tie only where they should.

    Parameters
    ----------
    first, second : array_like of float, same shape

    Returns
    -------
    ndarray of float64
        Of the same shape; never -0.0.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return _rounded_to(first - second, np.maximum(np.abs(first), np.abs(second)))


def tied_differences(differences) -> np.ndarray:
    """Return differences, or sums of two, such that those become equal that only rounding errors separate.

    Parameters
    ----------
    differences : array_like of float
        Of any shape; the values behind them are not known.

    Returns
    -------
    ndarray of float64
        Rounded to 12 decimals; if all are below 1e-4, to 8 digits of the largest. Never -0.0.
    """
    differences = np.asarray(differences, dtype=np.float64)
    absolute = np.abs(differences[np.isfinite(differences)])
    largest = float(absolute.max(initial=0.0))
    return _rounded_to(differences, np.full(differences.shape, min(1.0, 1e4 * largest)))


def _rounded_to(differences: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Round each difference to 12 digits of its scale."""
    found = np.array(differences, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.clip(np.ceil(np.log10(scale)), -200, 200)  # np.round fails beyond
    for power in np.unique(powers[~np.isnan(powers)]):
        same = powers == power
        found[same] = np.round(found[same], 12 - int(power))
    return found + 0.0


def complete_rows(values: pd.DataFrame) -> pd.DataFrame:
    """Return the rows without a NaN: a dataset that lacks one compared method leaves the test."""
    missing = np.isnan(values.to_numpy(dtype=np.float64)).any(axis=1)
    return values[~missing] if missing.any() else values


def rank_methods(values: pd.DataFrame, direction: Direction = "higher") -> pd.DataFrame:
    """Rank the methods within each dataset: 1 is best, ties share the mean of their ranks.

    Parameters
    ----------
    values : DataFrame of float, shape (N datasets, k methods)
        Without NaN (see `complete_rows`), already rounded (see `round_values`).
    direction : {"higher", "lower"}
        Whether a higher or a lower value is better.

    Returns
    -------
    DataFrame of float64, shape (N, k)
        Each row sums to k (k + 1) / 2.
    """
    if direction not in ("higher", "lower"):
        raise ValueError(f"direction must be 'higher' or 'lower', not {direction!r}")
    numbers = values.to_numpy(dtype=np.float64)
    if np.isnan(numbers).any():
        raise ValueError("values hold NaN: drop those rows first (complete_rows)")
    if numbers.size == 0:
        return pd.DataFrame(np.empty(numbers.shape), index=values.index, columns=values.columns)
    ranks = stats.rankdata(-numbers if direction == "higher" else numbers, axis=1, method="average")
    return pd.DataFrame(ranks, index=values.index, columns=values.columns)


def one_row_per_domain(table: pd.DataFrame, domains_of: Mapping[str, str]) -> pd.DataFrame:
    """Replace the datasets of one domain by one row, the mean of theirs.

    Related datasets (the Yahoo sets, the RCV1 subsets) are not independent samples; one value for each domain
    counts them once.

    Parameters
    ----------
    table : DataFrame of float, shape (N, k)
        Ranks (or signed ranks) with dataset ids as index.
    domains_of : mapping of str to str
        Dataset id to the name of its domain; each dataset that is not named is a domain of its own.

    Returns
    -------
    DataFrame of float64, shape (number of domains, k)
        In the order in which the domains first appear.
    """
    names = [domains_of.get(str(name), str(name)) for name in table.index]
    domains = list(dict.fromkeys(names))
    place = {domain: position for position, domain in enumerate(domains)}
    members = np.zeros((len(domains), len(names)))
    members[[place[name] for name in names], np.arange(len(names))] = 1.0
    means = members @ table.to_numpy(dtype=np.float64) / members.sum(axis=1, keepdims=True)
    return pd.DataFrame(means, index=pd.Index(domains, name=table.index.name), columns=table.columns)


def place_of(average_ranks: pd.Series, method: str) -> int:
    """Return the place of a method by its average rank; 0 without a rank.

    Parameters
    ----------
    average_ranks : Series of float
        By method; lower is better. Ranks that differ by less than 1e-9 are equal and share the best of their
        places.
    method : str
    """
    rounded = average_ranks.round(9)
    own = rounded[method]
    return 0 if np.isnan(own) else 1 + int((rounded < own).sum())
