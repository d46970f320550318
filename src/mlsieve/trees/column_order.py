"""The order in which trees see the features: by content, so that the order of the columns decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

import numpy as np


class ColumnOrder(NamedTuple):
    """An order of the features that depends on their content and a seed alone.

    Attributes
    ----------
    feature : ndarray of int64, shape (F,)
        The column of the data at each place of the order.
    copy_of : ndarray of int32, shape (F,)
        By column of the data: the first column that equals it.
    """

    feature: np.ndarray
    copy_of: np.ndarray


def canonical_order(coded: Mapping[str, np.ndarray], n_categories: np.ndarray, seed: int) -> ColumnOrder:
    """Order coded features by a digest of their codes, mixed with a seed.

    A strictly rising transformation of a feature's values leaves its codes and so its place alone. Features
    with the same codes follow each other by their values, and equal ones by their columns: whoever uses the
    order must treat those alike (`ColumnOrder.copy_of`).

    Parameters
    ----------
    coded : mapping of ndarray
        As `mlsieve.trees.columns.code_columns` joins them: codes of the dense features, and of the others
        rest, n_listed, row, code; values and n_values of all.
    n_categories : ndarray of int32, shape (F,)
        Categories of nominal features with more than two, else 0.
    seed : int
        From 0 to 2**63 - 1.

    Returns
    -------
    ColumnOrder
    """
    if not len(n_categories):
        return ColumnOrder(np.empty(0, np.int64), np.empty(0, np.int32))
    of_codes = np.frombuffer(b"".join(_code_digests(coded, n_categories)), "<u8").reshape(-1, 2)
    key = _mix(of_codes[:, 0].astype(np.uint64) ^ _mix(np.array([seed], np.uint64)))
    feature = np.lexsort((of_codes[:, 1], key))
    run = _numbered_runs(of_codes[feature])
    values = _value_digests(coded, feature, run)
    by_values = np.lexsort((values, run))  # stable: of equal features the lowest column comes first
    feature, run, values = feature[by_values], run[by_values], values[by_values]
    run = _numbered_runs(np.column_stack([run.astype(np.uint64), values]))
    copy_of = np.empty(len(feature), np.int32)
    copy_of[feature] = feature[np.searchsorted(run, run)]
    return ColumnOrder(feature, copy_of)


def _code_digests(coded: Mapping[str, np.ndarray], n_categories: np.ndarray) -> Iterator[bytes]:
    """Yield 16 bytes a feature: the same for features with the same codes."""
    rest, n_listed = coded["rest"].tolist(), coded["n_listed"].tolist()
    row, code = (coded[name].astype("<i4", copy=False).data.cast("B") for name in ("row", "code"))
    codes = iter(coded["codes"].reshape(max(1, rest.count(-1)), -1).astype("<i4", copy=False))
    cell = 0
    for rest_code, listed, categories in zip(rest, n_listed, n_categories.tolist(), strict=True):
        content = blake2b(b"%d %d %d " % (rest_code, categories, listed), digest_size=16)
        if rest_code < 0:
            content.update(next(codes))
        else:
            content.update(row[4 * cell : 4 * (cell + listed)])
            content.update(code[4 * cell : 4 * (cell + listed)])
            cell += listed
        yield content.digest()


def _value_digests(coded: Mapping[str, np.ndarray], feature: np.ndarray, run: np.ndarray) -> np.ndarray:
    """Return digests of the values of features that share their codes with another, else 0, as ordered."""
    end = np.cumsum(coded["n_values"], dtype=np.int64)
    digests = np.zeros(len(feature), np.uint64)
    for place in np.flatnonzero(np.bincount(run)[run] > 1).tolist():
        own = slice(end[feature[place]] - coded["n_values"][feature[place]], end[feature[place]])
        values = coded["values"][own].astype("<f8") + 0.0  # -0.0 is the same value as 0.0
        digests[place] = int.from_bytes(blake2b(values.tobytes(), digest_size=8).digest(), "little")
    return digests


def _numbered_runs(content: np.ndarray) -> np.ndarray:
    """Number the runs of equal rows: 0, 1, ..."""
    return np.concatenate([[0], np.cumsum((content[1:] != content[:-1]).any(axis=1))])


def _mix(word: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64, by which the kernels draw as well."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
