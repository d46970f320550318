"""Places for the names of vertices and the lengths of edges in a drawing of a few points and lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlsieve.plots.drawing.style import FONT_SIZE, SMALL, text_size

DOT = 0.055  # inches: radius of a vertex
AIR = 0.025  # around each text
_SAMPLES = 0.03  # between the points of a line that texts keep away from
_SAME = 0.01  # vertices that cannot be seen apart
_NEAR = 0.14  # nearer texts need no line to what they name
_DIRECTIONS, _STEP, _FARTHEST = 24, 0.06, 3.0
_AT_ONCE = 512  # places tried together, nearest first


@dataclass(frozen=True)
class Label:
    """A text and its place.

    Attributes
    ----------
    text : str
    centre : ndarray of float64, shape (2,)
        In inches.
    half : ndarray of float64, shape (2,)
        Half its width and height, with the air around it.
    anchor : ndarray of float64, shape (2,)
        The point that it names: a vertex, or a point of an edge.
    on : bool
        Whether it is drawn on the edge itself.
    """

    text: str
    centre: np.ndarray
    half: np.ndarray
    anchor: np.ndarray
    on: bool = False

    @property
    def leader(self) -> np.ndarray | None:
        """Ends of the line from the text to what it names, shape (2, 2); None where it is near."""
        nearest = np.clip(self.anchor, self.centre - self.half, self.centre + self.half)
        return None if np.linalg.norm(nearest - self.anchor) <= _NEAR else np.array([nearest, self.anchor])


def placed_labels(
    points: np.ndarray, names: Sequence[str], lines: Sequence[tuple[int, int]], lengths: Sequence[str]
) -> tuple[list[Label], list[Label]]:
    """Return a label for each vertex and each edge; none meets another one, a vertex or an edge not its own.

    Each label takes the free place that is nearest to what it names. The vertices come first, then the edges
    in their order. Vertices at one place have one label with all their names.

    Parameters
    ----------
    points : ndarray of float64, shape (k, 2)
        In inches.
    names : sequence of str
        Of the vertices.
    lines : sequence of (int, int)
        The edges as places in `points`.
    lengths : sequence of str
        Their texts.
    """
    edges = [_sampled(points[one], points[two]) for one, two in lines]
    taken: list[Label] = []
    for point, name in _at_one_place(points, names):
        half = np.array(text_size(name, FONT_SIZE)) / 2 + AIR
        taken.append(_nearest_free(name, half, point[None], np.zeros(1), points, edges, None, taken))
    for place, ((one, two), text) in enumerate(zip(lines, lengths, strict=True)):
        half = np.array(text_size(text, SMALL)) / 2 + AIR
        shares = np.array([0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74])
        anchors = points[one] + shares[:, None] * (points[two] - points[one])
        away = np.abs(shares - 0.5) * np.linalg.norm(points[two] - points[one]) / 2
        taken.append(_nearest_free(text, half, anchors, away, points, edges, place, taken))
    return taken[: -len(lines)], taken[-len(lines) :]


def _at_one_place(points: np.ndarray, names: Sequence[str]) -> list[tuple[np.ndarray, str]]:
    """Return each place of vertices once, with the names of all that are there."""
    found: list[tuple[np.ndarray, list[str]]] = []
    for point, name in zip(points, names, strict=True):
        here = next((some for place, some in found if np.linalg.norm(place - point) < _SAME), None)
        if here is None:
            found.append((point, [name]))
        elif name not in here:
            here.append(name)
    return [(point, ", ".join(some)) for point, some in found]


def _sampled(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return close points of a line, shape (s, 2)."""
    count = int(_sample_count(np.linalg.norm(two - one)))
    return one + np.linspace(0, 1, count)[:, None] * (two - one)


def _sample_count(length: Any) -> Any:
    """Return how many close points lines of these lengths have."""
    return np.maximum(2, np.ceil(length / _SAMPLES).astype(np.int64) + 1)


def _nearest_free(
    text: str,
    half: np.ndarray,
    anchors: np.ndarray,
    away: np.ndarray,
    points: np.ndarray,
    edges: list[np.ndarray],
    own: int | None,
    taken: list[Label],
) -> Label:
    """Return a label at the cheapest free place around its anchors; `away` is what each of these costs."""
    angles = np.arange(_DIRECTIONS) * 2 * math.pi / _DIRECTIONS + math.pi / 2
    turns = np.column_stack([np.cos(angles), np.sin(angles)])
    radii = np.arange(_STEP, _FARTHEST, _STEP)
    offsets = (radii[:, None, None] * turns).reshape(-1, 2)
    distances = np.repeat(radii, _DIRECTIONS)
    if own is not None:  # an edge's text is drawn on it where there is room
        offsets, distances = np.vstack([np.zeros((1, 2)), offsets]), np.append(0.0, distances)
    centres = (anchors[:, None] + offsets).reshape(-1, 2)
    origins = np.repeat(anchors, len(offsets), axis=0)
    on = (np.tile(distances, len(anchors)) == 0.0) & (own is not None)
    costs = (away[:, None] + distances).ravel()
    free = ~_covers(centres, half + DOT, points)
    for place, line in enumerate(edges):
        asked = np.flatnonzero(free & ~(on & (place == own)))
        free[asked] = ~_covers(centres[asked], half, line)
    for other in taken:
        free &= (np.abs(centres - other.centre) >= half + other.half).any(axis=1)
        if other.leader is not None:
            asked = np.flatnonzero(free)
            free[asked] = ~_covers(centres[asked], half, _sampled(*other.leader))
    order = np.argsort(costs, kind="stable")
    order = order[free[order]]
    # Around points at one place, every way out can cross another text: then a near place without a line.
    for start in range(0, len(order), _AT_ONCE):
        some = order[start : start + _AT_ONCE]
        straight = some[~_crossing(centres[some], half, origins[some], points, taken)]
        if len(straight):
            place = straight[0]
            return Label(text, centres[place], half, origins[place], bool(on[place]))
    return Label(text, centres[order[0]], half, centres[order[0]])


def _covers(centres: np.ndarray, half: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return which boxes hold any of the points."""
    across, down = (np.abs(centres[:, None, axis] - points[:, axis]) < half[axis] for axis in (0, 1))
    return (across & down).any(axis=1)


def _crossing(
    centres: np.ndarray, half: np.ndarray, anchors: np.ndarray, points: np.ndarray, taken: list[Label]
) -> np.ndarray:
    """Return which labels have a line that runs through another label, or a vertex that it does not name."""
    nearest = np.clip(anchors, centres - half, centres + half)
    lengths = np.linalg.norm(nearest - anchors, axis=1)
    counts = _sample_count(lengths)
    crossing = np.zeros(len(centres), dtype=bool)
    for count in np.unique(counts[lengths > _NEAR]):  # lines of equally many points at once
        these = np.flatnonzero((counts == count) & (lengths > _NEAR))
        ends = anchors[these, None] - nearest[these, None]
        lines = nearest[these, None] + np.linspace(0, 1, count)[:, None] * ends
        for other in taken:
            crossing[these] |= (np.abs(lines - other.centre) < other.half).all(axis=2).any(axis=1)
        for point in points:
            meets = np.linalg.norm(lines - point, axis=2).min(axis=1) < DOT
            crossing[these] |= meets & (np.linalg.norm(point - anchors[these], axis=1) > 2 * DOT)
    return crossing
