"""Rankers made of chains: importances of boosted trees, and permutation of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlsieve.data.column_contents import canonical_order, column_digests
from mlsieve.rankings.ties import shared_by_copies


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


def boosted_importances(
    model: Any, X: Any, Y: Any, importance: str, each: Sequence[str] | None
) -> np.ndarray:
    """Fit boosted trees and return the importances of the features; columns of equal content share theirs.

    Parameters
    ----------
    model : MultiLabelXGBLearner or XDCCLearner
        Not fitted; its seed decides in which order it sees the labels, too.
    X : ndarray of float64 or csr_array, shape (n, F)
    Y : csr_array, shape (n, L)
    importance : {"gain", "cover", "splits"}
    each : sequence of str, or None
        Several of these in its place.

    Returns
    -------
    ndarray of float64, shape (F,), or with each (len(each), F)
    """
    model.learn(X, Y[:, label_order_by_content(Y, model.random_state)])
    digests = column_digests(X)
    scores = [shared_by_copies(model.importances(one), digests) for one in each or (importance,)]
    return scores[0] if each is None else np.array(scores)
