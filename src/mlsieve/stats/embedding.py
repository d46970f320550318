"""Points in space with given distances from each other, or the nearest to them that there are."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-9  # share of the largest distance below which a difference is rounding


@dataclass(frozen=True)
class Embedding:
    """Points, and how far their distances are from those that were asked for.

    Attributes
    ----------
    points : ndarray of float64, shape (k, 3)
        Their mean is the origin; the first axis is that of the largest spread.
    residuals : ndarray of float64, shape (k, k)
        Distance of the points less the distance that was asked for; symmetric, 0 on the diagonal.
    exact : bool
        Whether points with the distances asked for exist.
    """

    points: np.ndarray
    residuals: np.ndarray
    exact: bool


def place_points(distances: np.ndarray) -> Embedding:
    """Return up to four points in space whose distances are given.

    By classical scaling (Torgerson 1952), which is exact where such points exist: where the doubly centred
    matrix of squared distances has no negative eigenvalue. Else the points minimise the sum of squared
    differences between their distances and the given ones, from that start.

    Parameters
    ----------
    distances : array_like of float64, shape (k, k)
        Symmetric, not negative, 0 on the diagonal; k from 1 to 4.

    Raises
    ------
    ValueError
        If the matrix is something else.
    """
    given = np.asarray(distances, dtype=np.float64)
    k = len(given)
    if given.shape != (k, k) or not 1 <= k <= 4:
        raise ValueError(f"distances of shape {given.shape} are not those of one to four points")
    if (
        not np.isfinite(given).all()
        or (given < 0).any()
        or (given != given.T).any()
        or given.diagonal().any()
    ):
        raise ValueError("distances are finite, symmetric, not negative, and 0 on the diagonal")
    scale = float(given.max()) or 1.0
    centring = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-centring @ (given / scale) ** 2 @ centring / 2)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    exact = bool(values.min() >= -TOLERANCE)
    points = np.zeros((k, 3))
    kept = min(k, 3)
    points[:, :kept] = vectors[:, :kept] * np.sqrt(np.maximum(values[:kept], 0.0))
    if not exact:
        points = _nearest(points, given / scale)
    points = _oriented(points) * scale
    found = np.linalg.norm(points[:, None] - points[None], axis=2)
    residuals = np.where(np.abs(found - given) <= 1e-7 * scale, 0.0, found - given)
    return Embedding(points, residuals, exact)


def _nearest(start: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return the points whose distances have the least squared differences from the given ones."""
    from scipy.optimize import least_squares

    first, second = np.array(list(itertools.combinations(range(len(given)), 2))).T
    wanted = given[first, second]

    def differences(flat: np.ndarray) -> np.ndarray:
        points = flat.reshape(-1, 3)
        return np.linalg.norm(points[first] - points[second], axis=1) - wanted

    # Off the plane or line of the start, where the gradient has no component.
    starts = [start, start + 0.01 * np.eye(len(given), 3)]
    results = [least_squares(differences, one.ravel(), xtol=1e-14, ftol=1e-14, gtol=1e-14) for one in starts]
    return min(results, key=lambda result: round(float(result.cost), 12)).x.reshape(-1, 3)


def _oriented(points: np.ndarray) -> np.ndarray:
    """Return points around the origin on their principal axes, the signs of which do not depend on LAPACK."""
    points = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(points.T @ points)
    turned = points @ axes[:, ::-1]
    for column in range(3):
        largest = int(np.argmax(np.round(np.abs(turned[:, column]), 9)))
        if turned[largest, column] < 0:
            turned[:, column] *= -1
    return turned
