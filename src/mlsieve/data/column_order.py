"""The order in which trees see the features: by content, so that the order of the columns decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from mlsieve.data import column_contents as column_identity


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
        As `mlsieve.data.coded_columns.code_columns` joins them: codes of the dense features, and of the
        others rest, n_listed, row, code; values and n_values of all.
    n_categories : ndarray of int32, shape (F,)
        Categories of nominal features with more than two, else 0.
    seed : int
        From 0 to 2**63 - 1.

    Returns
    -------
    ColumnOrder
    """
    of_codes = np.frombuffer(b"".join(_code_digests(coded, n_categories)), "<u8").astype(np.uint64)
    of_values = _value_digests(coded, of_codes)
    by_values = np.argsort(of_values, kind="stable")
    feature = by_values[column_identity.canonical_order(of_codes[by_values], seed)]
    content = np.unique(np.column_stack([of_codes, of_values]), axis=0, return_inverse=True)[1].ravel()
    first = np.full(len(feature), len(feature), np.int32)
    np.minimum.at(first, content, np.arange(len(feature), dtype=np.int32))
    return ColumnOrder(feature, first[content])


def _code_digests(coded: Mapping[str, np.ndarray], n_categories: np.ndarray) -> Iterator[bytes]:
    """Yield 8 bytes a feature: the same for features with the same codes."""
    rest, n_listed = coded["rest"].tolist(), coded["n_listed"].tolist()
    row, code = (coded[name].astype("<i4", copy=False).data.cast("B") for name in ("row", "code"))
    codes = iter(coded["codes"].reshape(max(1, rest.count(-1)), -1).astype("<i4", copy=False))
    cell = 0
    for rest_code, listed, categories in zip(rest, n_listed, n_categories.tolist(), strict=True):
        content = blake2b(b"%d %d %d " % (rest_code, categories, listed), digest_size=8)
        if rest_code < 0:
            content.update(next(codes))
        else:
            content.update(row[4 * cell : 4 * (cell + listed)])
            content.update(code[4 * cell : 4 * (cell + listed)])
            cell += listed
        yield content.digest()


def _value_digests(coded: Mapping[str, np.ndarray], of_codes: np.ndarray) -> np.ndarray:
    """Return digests of the values of features that share their codes with another, else 0; uint64."""
    n_values = coded["n_values"]
    end = np.cumsum(n_values, dtype=np.int64)
    _, same, count = np.unique(of_codes, return_inverse=True, return_counts=True)
    digests = np.zeros(len(of_codes), np.uint64)
    for feature in np.flatnonzero(count[same] > 1).tolist():
        own = coded["values"][end[feature] - n_values[feature] : end[feature]]
        values = own.astype("<f8") + 0.0  # -0.0 is the same value as 0.0
        digests[feature] = int.from_bytes(blake2b(values.tobytes(), digest_size=8).digest(), "little")
    return digests
