"""Squared distances of rows as sums of products of columns that need only be weighted.

``d(a, b)^2 = norm(a) + norm(b) + sum of left(a) right(b)`` over columns, each of which belongs to one
feature: its weight multiplies the feature's share of the norms and the columns' products. A known numeric
cell t enters as ``(t_a - t_b)^2 = t_a^2 + t_b^2 - 2 t_a t_b``, two norms and one column; nominal features and
missing cells take indicator columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.distances.features import FeatureDistance, distances_from_zero

# Kinds of a sparse feature's columns; of a nominal feature each category has one of the kind VALUE.
PLAIN, ANY, VALUE, MISSING, LEFT_MISSING, RIGHT_MISSING = range(6)


@dataclass(frozen=True)
class Columns:
    """The columns of test and training rows; ndarrays or csr_arrays.

    Attributes
    ----------
    owner : ndarray of int, shape (C,)
        Feature that each column belongs to.
    left, right : shapes (n_test, C) and (n_train, C)
        float32 if dense, float64 if sparse.
    left_squares, right_squares : the same shapes, float64
        Squares of left / 2 and right: ``sum |left(a) right(b)|`` is at most twice the root of the product of
        their sums.
    norms : shape (n_train, C') or (n_train, F)
        Each feature's share of the training rows' norms.
    norm_owner : ndarray of int or None
        Feature of each column of `norms`; None if they are the features.
    counted : ndarray of bool, shape (F,)
        Whether the feature's distance is 0 or 1 and its column's cells are, too (the left ones times -2).
    """

    owner: np.ndarray
    left: Any
    right: Any
    left_squares: Any
    right_squares: Any
    norms: Any
    norm_owner: np.ndarray | None
    counted: np.ndarray


def dense_columns(train: np.ndarray, test: np.ndarray, distance: FeatureDistance) -> Columns:
    """Return the columns of dense rows."""
    nominal = distance.n_values > 0
    binary = ((train == 0) | (train == 1)).all(axis=0) & ((test == 0) | (test == 1)).all(axis=0)
    plain = ~distance.missing & (~nominal | binary)  # 0/1 categories differ by |a - b|, like numbers
    counted = plain & binary & (distance.span == 1.0)
    kept = np.flatnonzero(plain)
    where = slice(None) if plain.all() else kept  # picking columns takes longer than all the rest
    span = distance.span[where]
    with np.errstate(over="ignore", invalid="ignore"):
        # Any shift serves; about the mean the norms are small, and so is the rounding of the products.
        shift = np.where(counted[where], 0.0, train[:, where].mean(axis=0))
        left, right = test[:, where] - shift, train[:, where] - shift
        left /= span
        right /= span
        left *= -2.0
        others = [
            (i, *pair) for i in np.flatnonzero(~plain) for pair in _dense_pairs(train, test, distance, int(i))
        ]
        norms = right * right
        if others:
            left = np.column_stack([left, *(pair[1] for pair in others)])
            right = np.column_stack([right, *(pair[2] for pair in others)])
        right_squares = right * right if others else norms
        left_squares = left * left
        left_squares *= 0.25
        left, right = left.astype(np.float32), right.astype(np.float32)
    owner = np.array([*kept, *(pair[0] for pair in others)], dtype=np.intp)
    return Columns(owner, left, right, left_squares, right_squares, norms, kept, counted)


def _dense_pairs(
    train: np.ndarray, test: np.ndarray, distance: FeatureDistance, i: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (test column, training column) of a feature; the products sum to the squared distance."""
    a, b = test[:, i], train[:, i]
    known_a, known_b = (~np.isnan(a)).astype(np.float64), (~np.isnan(b)).astype(np.float64)
    if distance.n_values[i]:
        either_missing = (1.0 - 1.0 / distance.n_values[i]) ** 2
        yield np.full(len(a), either_missing), np.ones(len(b))
        yield (1.0 - either_missing) * known_a, known_b
        for value in np.unique(b[~np.isnan(b)]):
            yield -(a == value).astype(np.float64), (b == value).astype(np.float64)
        return
    ta = np.where(known_a > 0, (a - distance.low[i]) / distance.span[i], 0.0)
    tb = np.where(known_b > 0, (b - distance.low[i]) / distance.span[i], 0.0)
    yield ta * ta, known_b
    yield -2.0 * ta, tb
    yield known_a, tb * tb
    yield 1.0 - known_a, 1.0 - known_b + known_b * np.maximum(tb, 1.0 - tb) ** 2
    yield known_a * np.maximum(ta, 1.0 - ta) ** 2, 1.0 - known_b


def sparse_columns(train: sp.csr_array, test: sp.csr_array, distance: FeatureDistance) -> Columns:
    """Return the columns of sparse rows without stored zeros, whose products vanish where a cell is 0.

    A row's norm is its squared distance to a row of zeros, or of the ranges' middles where no row has a zero:
    so far from 0 the norms, and the rounding of the products, would be large. The first F columns are of
    plain features.
    """
    n_features = train.shape[1]
    nominal, counted = distance.n_values > 0, ~distance.missing
    for rows in (train, test):
        counted[rows.indices[rows.data != 1.0]] = False
    plain = ~distance.missing & (~nominal | counted)  # 0/1 categories differ by |a - b|, like numbers
    counted &= plain & (distance.span == 1.0)
    full = ~nominal & ~counted
    for rows in (train, test):
        full &= np.bincount(rows.indices, minlength=n_features) == rows.shape[0]
    owner = np.arange(n_features)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(full, distance.low + 0.5 * distance.span, 0.0)
        if plain.all():
            left = _like(test, -2.0 * _scaled(test, distance, middle))
            right = _like(train, _scaled(train, distance, middle))
            norms = right_squares = _like(train, right.data**2)
        else:
            norms = distances_from_zero(train, distance).power(2)
            if full.any():
                shifted = np.nan_to_num(_scaled(train, distance, middle), nan=0.5, posinf=np.inf) ** 2
                norms.data = np.where(full[train.indices], shifted, norms.data)
            cells = [
                _sparse_cells(rows, distance, plain, middle, side) for side, rows in enumerate((test, train))
            ]
            owner, columns = _numbered([keys for _, keys, _ in cells], n_features)
            left, right = (
                sp.csr_array((values, (row, column)), shape=(rows.shape[0], len(owner)))
                for rows, (row, _, values), column in zip((test, train), cells, columns, strict=True)
            )
            right_squares = _like(right, right.data**2)
        left_squares = _like(left, 0.25 * left.data**2)
    return Columns(owner, left, right, left_squares, right_squares, norms, None, counted)


def _like(rows: sp.csr_array, values: np.ndarray) -> sp.csr_array:
    return sp.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)


def _scaled(rows: sp.csr_array, distance: FeatureDistance, middle: np.ndarray) -> np.ndarray:
    values = rows.data - middle[rows.indices] if middle.any() else rows.data
    return values if (distance.span == 1.0).all() else values / distance.span[rows.indices]


def _numbered(keys: list[np.ndarray], n_features: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the columns' owners, and the column of each key: plain features first, then others by kind."""
    pairs = np.concatenate(keys)
    numbers, other = pairs[:, 0].astype(np.intp), pairs[:, 1] != PLAIN
    distinct, columns = np.unique(pairs[other], axis=0, return_inverse=True)
    numbers[other] = n_features + columns.reshape(-1)
    owner = np.concatenate([np.arange(n_features), distinct[:, 0].astype(np.intp)])
    return owner, np.split(numbers, [len(keys[0])])


def _sparse_cells(
    rows: sp.csr_array, distance: FeatureDistance, plain: np.ndarray, middle: np.ndarray, side: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what cells give to the left (0) or right (1): row, column's (feature, kind, category), value.

    With d(x) the distance of a cell to 0 (or to the middle), d(a, b)^2 - d(a)^2 - d(b)^2 is a sum of products
    of, for a nominal feature, indicators of any cell (-1), of each value (-1) and of missing cells (1 less
    their squared distance to others); for a numeric one, of the known values (-2 t_a t_b) and of missing
    cells of one side with a function of the other's.
    """
    row, i, x = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices, rows.data
    missing, nominal = np.isnan(x), (distance.n_values[i] > 0) & ~plain[i]
    known, unknown = ~nominal & ~missing, ~nominal & missing
    apart = (1.0 - 1.0 / np.maximum(distance.n_values[i], 1)) ** 2
    scaled, zero = _scaled(rows, distance, middle), (middle[i] - distance.low[i]) / distance.span[i]
    t, one = scaled + zero, np.ones(len(x))
    farthest = np.maximum(zero, 1.0 - zero) ** 2  # squared distance of a missing cell to 0 or the middle
    from_missing = np.maximum(t, 1.0 - t) ** 2 - farthest - scaled**2
    parts = [
        (nominal, ANY, one if side else -one),
        (nominal & ~missing, VALUE, one if side else -one),
        (nominal & missing, MISSING, one if side else 1.0 - apart),
        (known, PLAIN, scaled if side else -2.0 * scaled),
        (unknown, LEFT_MISSING if side == 0 else RIGHT_MISSING, one),
        (known & ~plain[i], LEFT_MISSING if side else RIGHT_MISSING, from_missing),
    ]
    if side:  # two missing cells are 1 apart; the column of the left ones has it
        parts.append((unknown, LEFT_MISSING, 1.0 - 2.0 * farthest))
    keys = [
        np.column_stack([i, np.full(len(i), kind), x if kind == VALUE else np.zeros(len(i))])[of_kind]
        for of_kind, kind, _ in parts
    ]
    return (
        np.concatenate([row[of_kind] for of_kind, _, _ in parts]),
        np.concatenate(keys),
        np.concatenate([value[of_kind] for of_kind, _, value in parts]),
    )
