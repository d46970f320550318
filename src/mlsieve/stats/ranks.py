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
    """Return first - second such that those become equal that only rounding errors separate.

    0.3 - 0.2 and 0.2 - 0.1 are equal, and so are 10.3333333333 - 7 and 7.33333333333 - 4, whatever the unit.

    Parameters
    ----------
    first, second : array_like of float, shape (N,) or (N, P)
        P pairs of methods over N datasets.

    Returns
    -------
    ndarray of float64
        Of the same shape; never -0.0. A difference is rounded to 12 digits of the larger value of its pair.
        Absolute differences of one column whose distance is within 2e-11 of these values are equal then; the
        smallest of them is taken for all.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    scale = np.maximum(np.abs(first), np.abs(second))
    differences = _rounded_to(first - second, scale)
    if not differences.size:
        return differences
    absolute = np.abs(differences)
    order = np.argsort(absolute, axis=0, kind="stable")
    ordered, scale = np.take_along_axis(absolute, order, 0), np.take_along_axis(scale, order, 0)
    with np.errstate(invalid="ignore"):
        close = np.diff(ordered, axis=0) <= 2e-11 * np.maximum(scale[1:], scale[:-1])
    close &= ordered[:-1] > 0  # what differs from 0 stays so
    starts = np.arange(len(ordered)).reshape(-1, *[1] * (ordered.ndim - 1)) + np.zeros(ordered.shape, int)
    starts[1:][close] = 0
    same = np.take_along_axis(ordered, np.maximum.accumulate(starts, axis=0), 0)
    np.put_along_axis(absolute, order, same, 0)
    return np.copysign(absolute, differences) + 0.0


def _rounded_to(differences: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Round each difference to 12 digits of its scale."""
    found = np.array(differences, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.ceil(np.log10(scale))
    for power in np.unique(powers[np.abs(powers) <= 290]):  # np.round fails beyond
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
