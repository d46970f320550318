"""Orders of the labels of a static chain."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from mlsieve.errors import InvalidSetting, did_you_mean, number_of
from mlsieve.seeds import derive_seed

Order = Literal["random", "frequent-first", "rare-first", "given"]


def label_order(order: str, counts: np.ndarray, *, seed: int = 0, given: Any = None) -> np.ndarray:
    """Return the order in which a chain sets the labels.

    Parameters
    ----------
    order : {"random", "frequent-first", "rare-first", "given"}
        Random: by a hash of the seed and the label's index. Frequent or rare first: by the number of
        training examples with the label, equal ones by index. Given: the labels of `given`, or by index.
    counts : ndarray of int, shape (L,)
        Training examples with each label.
    seed : int
        Of a random order.
    given : array-like of int, shape (L,), or str, optional
        Each label's index once, from 0; as a text, separated by commas or colons: ``2,0,1``.

    Returns
    -------
    ndarray of int64, shape (L,)
        ``order[k]`` is the index of the label that step k sets.

    Raises
    ------
    InvalidSetting
        On another word, labels that are not each given once, or labels given to another order.
    """
    n_labels = len(counts)
    if order != "given" and given is not None and order in (*get_args(Order), "xdcc"):
        raise InvalidSetting(
            f"an order of labels cannot be given with order = {order!r}", hint="set order to 'given'"
        )
    if order not in get_args(Order):
        raise InvalidSetting(f"order = {order!r} is unknown", hint=did_you_mean(str(order), get_args(Order)))
    if order == "given":
        return np.arange(n_labels) if given is None else _permutation(given, n_labels)
    if order == "random":
        keys = [derive_seed(seed, "label order", label) for label in range(n_labels)]
        return np.argsort(keys, kind="stable")
    counts = np.asarray(counts, np.int64)
    return np.argsort(counts if order == "rare-first" else -counts, kind="stable")


def mean_positions(labels: np.ndarray, n_labels: int) -> np.ndarray:
    """Return the mean step in which a chain with orders of its own has set each label.

    Parameters
    ----------
    labels : ndarray of int, shape (n, K)
        The label that each step sets for each example, -1: none (`mlsieve.chains.sequence.LabelSequence`).
    n_labels : int

    Returns
    -------
    ndarray of float64, shape (L,)
        From 1; K + 1 counts for an example that does not set the label.
    """
    n, length = labels.shape
    row, step = np.nonzero(labels >= 0)
    early = np.bincount(labels[row, step], weights=step - length, minlength=n_labels)
    return (early + float(n * (length + 1))) / n


def mean_position_order(labels: np.ndarray, n_labels: int) -> np.ndarray:
    """Return the labels by their `mean_positions`: the earliest first, equal ones by index, int64 of (L,)."""
    return np.argsort(mean_positions(labels, n_labels), kind="stable")


def require_order(order: np.ndarray) -> None:
    """Raise a ValueError unless an array of a file is an order: int64, each index once."""
    if (
        order.ndim != 1
        or order.dtype != np.int64
        or not np.array_equal(np.sort(order), np.arange(len(order)))
    ):
        raise ValueError("its order of the labels leaves one out")


def _permutation(given: Any, n_labels: int) -> np.ndarray:
    """Return given labels as indices, after checking that each is there once."""
    how = "give each label's index once, counted from 0, such as 2,0,1"
    try:
        items = (
            given.replace(":", ",").split(",") if isinstance(given, str) else list(np.asarray(given).tolist())
        )
        order = np.array([int(item) for item in items], dtype=np.int64)
        if not isinstance(given, str) and order.tolist() != items:
            raise ValueError("a label is not a whole number")
    except (OverflowError, TypeError, ValueError):
        raise InvalidSetting(f"given = {given!r} is not an order of labels", hint=how) from None
    if sorted(order.tolist()) != list(range(n_labels)):
        raise InvalidSetting(
            f"given: {number_of(len(order), 'label')} of {n_labels}, not each label once",
            hint=how,
        )
    return order
