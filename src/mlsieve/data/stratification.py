"""Iterative stratification: rows divided into parts with the same shares of labels, or of pairs of labels.

First order: K. Sechidis, G. Tsoumakas, I. Vlahavas: On the stratification of multi-label data, ECML PKDD
2011, algorithm 1. Second order: P. Szymański, T. Kajdanowicz: A network perspective on stratification of
multi-label data, LIDTA 2017, which takes pairs of labels, and each label with itself, in place of labels.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mlsieve.data.column_contents import canonical_order, column_digests

_TABLE = 2**26  # entries of a table of all pairs; above it, the pairs that occur are sorted


def stratified_parts(
    Y: sp.csr_array, sizes: np.ndarray, weights: np.ndarray, order: np.ndarray, seed: int, *, pairs: bool
) -> np.ndarray:
    """Return the part of each row.

    Of the labels that rows without a part have, the rarest among these rows comes first. Each of its rows
    goes to the part that lacks most of the label's examples; of equal ones to the part that lacks most
    examples of the row's labels together, then to the one that lacks most rows. Rows without a label fill the
    parts. In the end, rows move from parts with too many to parts with too few, those first whose labels gain
    most by it.

    Parameters
    ----------
    Y : csr_array of shape (n, L)
        Labels; stored entries are all 1.
    sizes : ndarray of int, shape (K,)
        Rows of each part; their sum is n.
    weights : ndarray of int, shape (K,)
        Above 0; a part should have the share weight / (sum of weights) of a label's examples.
    order : ndarray of int, shape (n,)
        The rows in the order in which those of a label are taken.
    seed : int
        In [0, 2**53): decides between labels, and between parts, that are equal otherwise.
    pairs : bool
        Whether pairs of labels take the place of labels.

    Returns
    -------
    ndarray of int32, shape (n,)
        From 0 to K - 1. It does not depend on the order of the labels, nor on that of the rows where `order`
        follows them.

    Notes
    -----
    The papers draw where parts lack equally many examples and rows, and sizes are near those asked for.
    """
    from mlsieve._kernels.common.stratification import stratify

    labels = sp.csr_array(Y[order], dtype=np.float64)
    labels = labels[:, canonical_order(column_digests(labels), seed)]
    labels.sort_indices()
    strata, is_label = _pairs_of(labels) if pairs else (labels, np.ones(labels.shape[1], np.uint8))
    columns = strata.tocsc()
    draws = np.random.Generator(np.random.Philox(seed)).random(len(order))
    parts = np.full(len(order), -1, np.int32)
    stratify(
        strata.indptr.astype(np.int64),
        strata.indices.astype(np.int32),
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int32),
        is_label,
        weights.astype(np.int64),
        sizes.astype(np.int64),
        draws,
        parts,
    )
    found = np.empty_like(parts)
    found[order] = parts
    return found


def _pairs_of(labels: sp.csr_array) -> tuple[sp.csr_array, np.ndarray]:
    """Return the pairs of labels that each row has, and which of them are a label with itself.

    The first is a csr_array of ones, shape (n, pairs that occur), the second uint8 of that many.
    """
    n, n_labels = labels.shape
    places = np.arange(labels.nnz)
    counts = np.repeat(labels.indptr[1:], np.diff(labels.indptr)) - places  # of pairs with an entry first
    starts = places - np.cumsum(counts) + counts
    second = labels.indices[np.repeat(starts, counts) + np.arange(counts.sum())]
    codes = np.repeat(labels.indices.astype(np.int64) * n_labels, counts) + second
    if n_labels**2 <= _TABLE:
        occurs = np.zeros(n_labels**2, bool)
        occurs[codes] = True
        known = np.flatnonzero(occurs)
        pairs = (np.cumsum(occurs, dtype=np.int32) - 1)[codes]
    else:
        known, pairs = np.unique(codes, return_inverse=True)
    before = np.concatenate([[0], np.cumsum(counts)])
    ones = np.ones(len(pairs), np.uint8)
    strata = sp.csr_array((ones, pairs, before[labels.indptr]), shape=(n, len(known)))
    return strata, (known // n_labels == known % n_labels).astype(np.uint8)
