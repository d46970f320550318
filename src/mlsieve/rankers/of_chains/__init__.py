"""Rankers made of chains: importances of boosted trees, and permutation of features."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlsieve.data.column_contents import canonical_order, column_digests


def label_order_by_content(Y: Any, seed: int) -> np.ndarray:
    """Return the labels in a seeded order by content: sums over labels then do not depend on their order.

    Parameters
    ----------
    Y : csr_array, shape (n, L)
    seed : int

    Returns
    -------
    ndarray of int, shape (L,)
    """
    return canonical_order(column_digests(Y), seed)
