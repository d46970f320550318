"""The order in which trees see the features: by their content, so that the order of the columns decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
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

    A strictly rising transformation of a feature's values leaves its codes and so its place alone. Features with
    the same codes follow each other by their values, and equal ones by their columns: whoever uses the order must
    treat those alike (`ColumnOrder.copy_of`).

    Parameters
    ----------
    coded : mapping of ndarray
        As `mlsieve.trees.columns.code_columns` joins them: codes of the dense features, and of the others rest,
        n_listed, row, code; values and n_values of all.
    n_categories : ndarray of int32, shape (F,)
        Categories of nominal features with more than two, else 0.
    seed : int
        From 0 to 2**63 - 1.

    Returns
    -------
    ColumnOrder
    """
    of_codes, of_values = _digests(coded, n_categories)
    key = _mix(of_codes[:, 0] ^ _mix(np.array([seed], np.uint64)))
    feature = np.lexsort((of_values, of_codes[:, 1], key))
    content = np.column_stack([of_codes, of_values])[feature]
    new = np.concatenate([[True], (content[1:] != content[:-1]).any(axis=1)]) if len(feature) else []
    copy_of = np.empty(len(feature), np.int32)
    copy_of[feature] = feature[np.flatnonzero(new)][np.cumsum(new) - 1]  # lexsort is stable: the first is lowest
    return ColumnOrder(feature, copy_of)


def _digests(coded: Mapping[str, np.ndarray], n_categories: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return digests of the features' codes, (F, 2), and of their values, (F,), all uint64."""
    rest, n_listed = coded["rest"].tolist(), coded["n_listed"].tolist()
    row, code = coded["row"].astype("<i4", copy=False), coded["code"].astype("<i4", copy=False)
    values = coded["values"].astype("<f8", copy=False)
    n_values, categories = coded["n_values"].tolist(), n_categories.tolist()
    codes = iter(coded["codes"].reshape(max(1, rest.count(-1)), -1).astype("<i4", copy=False))
    of_codes, of_values = [], []
    cell = value = 0
    for rest_code, listed, distinct, n in zip(rest, n_listed, n_values, categories, strict=True):
        content = blake2b(b"%d %d" % (rest_code, n), digest_size=16)
        if rest_code < 0:
            content.update(next(codes))
        else:
            content.update(row[cell : cell + listed])
            content.update(code[cell : cell + listed])
            cell += listed
        of_codes.append(content.digest())
        # 0.0 is added because -0.0 is the same value.
        of_values.append(blake2b(values[value : value + distinct] + 0.0, digest_size=8).digest())
        value += distinct
    return (
        np.frombuffer(b"".join(of_codes), "<u8").reshape(-1, 2).astype(np.uint64),
        np.frombuffer(b"".join(of_values), "<u8").astype(np.uint64),
    )


def _mix(word: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64, by which the kernels draw as well."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
