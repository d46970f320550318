"""What decides between columns and between labels that are equally good, besides the cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mlsieve._kernels.boosting.booster import Booster
from mlsieve.data.column_contents import column_digests, mixed, order_of_digests


@dataclass(frozen=True)
class RowContents:
    """What decides the order of columns and labels besides the cells: each row's labels and weight.

    Attributes
    ----------
    keys : ndarray of uint64, shape (n,)
        Digests of the labels, and of the labels' weights as shares of the row's largest one.
    counts, fractions : ndarray of uint64, shape (n,)
        Whole part of that weight, and a digest of the rest, 0 without one.
    """

    keys: np.ndarray
    counts: np.ndarray
    fractions: np.ndarray

    @classmethod
    def alike(cls, n_rows: int) -> RowContents:
        """Return contents of rows of which nothing is known."""
        zeros = np.zeros(n_rows, np.uint64)
        return cls(zeros, np.ones(n_rows, np.uint64), zeros)

    def digests(self, booster: Booster) -> tuple[np.ndarray, np.ndarray]:
        """Return digests of a booster's columns, and of the rows."""
        return booster.digests(self.keys, self.counts, self.fractions)

    def sums(self, of_rows: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return sums of digests over the rows that each column of `chosen` has, uint64 of shape (L,)."""
        weighted = self.counts * of_rows
        weighted += np.where(self.fractions == 0, 0, mixed(of_rows + self.fractions)).astype(np.uint64)
        return np.array([weighted[column > 0].sum(dtype=np.uint64) for column in chosen.T], np.uint64)


def row_contents(truth: np.ndarray, weights: np.ndarray | None = None) -> RowContents:
    """Return what rows are besides their cells; it ignores the order of the labels.

    A row of weight 2 counts as two rows do.

    Parameters
    ----------
    truth : ndarray of uint8, shape (n, L)
    weights : ndarray of float32, shape (n, L), optional
        Finite, at least 0, and not 0 for all labels of a row.
    """
    contents = RowContents.alike(len(truth))
    if weights is not None:
        largest = weights.max(axis=1)
        whole = np.minimum(np.floor(largest), 2.0**62)
        fraction = np.ascontiguousarray(largest - whole, np.float32).view(np.uint32)
        digests = np.where(fraction == 0, 0, mixed(fraction.astype(np.uint64))).astype(np.uint64)
        contents = RowContents(contents.keys, whole.astype(np.uint64), digests)
    cells = truth * mixed(contents.sums(np.ones(len(truth), np.uint64), truth))
    keys = cells.sum(axis=1, dtype=np.uint64)
    if weights is not None:
        share = np.ascontiguousarray(weights / largest[:, None], np.float32)
        keys += np.where(share == 1, 0, mixed(cells + share.view(np.uint32))).sum(axis=1, dtype=np.uint64)
    return replace(contents, keys=keys)


def order_of_labels(
    booster: Booster, truth: np.ndarray, seed: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return the labels in an order of their contents, which ignores the order of the rows and of the labels.

    Parameters
    ----------
    booster : Booster
        With the columns of the data.
    truth : ndarray of uint8, shape (n, L)
    seed : int
    weights : ndarray of float32, shape (n, L), optional

    Returns
    -------
    ndarray of int64, shape (L,)
        Labels that differ only in rows of equal features and labels follow each other row by row.
    """
    contents, rows = np.zeros(truth.shape[1], np.uint64), row_contents(truth, weights)
    of_rows = rows.digests(booster)[1]
    for _ in range(2):  # labels that differ in rows of equal features may occur with different other labels
        of_rows = mixed(of_rows + (truth * mixed(contents)).sum(axis=1, dtype=np.uint64))
        contents += rows.sums(of_rows, truth)
    return order_of_digests(contents, column_digests(truth), seed).feature
