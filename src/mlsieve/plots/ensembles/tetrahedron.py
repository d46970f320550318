"""Similarity of the rankings of the scores and of Relief: a tetrahedron whose edges are distances."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlsieve.plots.drawing.graph_labels import DOT, Label, placed_labels
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.papers import HIERARCHICAL
from mlsieve.plots.drawing.style import FAINT, FONT_SIZE, INK, SMALL, datasets, styled, text_size
from mlsieve.registry import register
from mlsieve.stats.embedding import Embedding, place_points

LONGEST = 2.4  # inches: the longest edge
MARGIN, LINE, GAP = 0.15, 0.175, 0.35
LETTERS = "ABCD"


@register.figure("similarity-tetrahedron", version=3)
def similarity_tetrahedron(material: Material) -> dict[str, Drawing]:
    """Three or four rankings as vertices, their mean distance 1 - FUJI over the datasets as edges."""
    table = material.similarity
    if table is None or table.empty:
        return {}
    names = list(dict.fromkeys([*table["first"], *table["second"]]))
    if not 3 <= len(names) <= 4:
        return {}
    by_dataset = table.groupby(["first", "second", "dataset"], sort=False)["similarity"].mean()
    edges = (1 - by_dataset).groupby(["first", "second"], sort=False).agg(["mean", "min", "max", "count"])
    if len(edges) < math.comb(len(names), 2) or edges["mean"].isna().any():
        return {}
    embedding = place_points(distance_matrix(edges, names))
    return {
        "similarity-tetrahedron": Drawing(
            tetrahedron(edges, embedding, {name: _vertex(name, table, material) for name in names}),
            "Distances between the rankings",
            _caption(embedding, datasets(edges["count"])),
            "similarity",
        )
    }


def distance_matrix(edges: pd.DataFrame, names: list[str]) -> np.ndarray:
    """Return the mean distances of `names` as a symmetric matrix; `edges` as of `tetrahedron`."""
    found = np.zeros((len(names), len(names)))
    for (first, second), mean in edges["mean"].items():
        one, two = names.index(str(first)), names.index(str(second))
        found[one, two] = found[two, one] = mean
    return found


def _caption(embedding: Embedding, sets: str) -> str:
    text = (
        f"The distance of two rankings is d = 1 - FUJI, averaged over {sets} (0: the same "
        "ranking); brackets show the smallest and the largest d of a dataset. Thicker lines join more "
        "similar rankings. "
    )
    if len(embedding.points) == 4:
        text += (
            "The left drawing shows the tetrahedron in space. The right one shows it unfolded, with all "
            "lengths true to scale; when it is folded, the three corners D meet. "
        )
        what = "tetrahedron"
    else:
        text += "The triangle is true to scale. "
        what = "triangle"
    if not embedding.exact:
        upper = embedding.residuals[np.triu_indices(len(embedding.points), 1)]
        text += (
            f"No {what} has exactly these edges. The one drawn minimises the sum of squared differences: its "
            f"edges differ from the distances by {np.abs(upper).max():.3f} at most, with a root mean square "
            f"of {np.sqrt((upper**2).mean()):.3f}; the list shows each drawn length. "
        )
    return f"{text}The figure follows Fig. 6 of {HIERARCHICAL}."


def _vertex(name: str, table: pd.DataFrame, material: Material) -> str:
    """Return the name of a vertex: the score, then its ensemble and size."""
    sizes: dict[str, int] = {}
    for side in ("first", "second"):
        if f"{side}_size" in table:
            sizes |= dict(zip(table[side], table[f"{side}_size"], strict=True))
    size = int(sizes.get(name, 0))
    label = material.labels[name]
    words = [*label.parts[:-1], *([label.size_in_words(size)] if size else [])]
    return f"{label.short} ({', '.join(words)})" if words else label.short


def tetrahedron(edges: pd.DataFrame, embedding: Embedding, vertices: dict[str, str]) -> Figure:
    """Draw three or four vertices and the edges between them: in space, unfolded, and as a list.

    Parameters
    ----------
    edges : DataFrame
        Index pairs of names, columns mean, min and max of the distance, in [0, 1].
    embedding : Embedding
        Of the names, in the order of `vertices`.
    vertices : dict of str to str
        What the list calls each name.
    """
    names = list(vertices)
    longest = float(np.linalg.norm(embedding.points[:, None] - embedding.points[None], axis=2).max()) or 1.0
    inches = LONGEST / longest
    pairs = list(itertools.combinations(range(len(names)), 2))
    views = [(projected(embedding.points), list(range(len(names))), pairs)]
    if len(names) == 4:
        views.append(unfolded(embedding.points))
    rows = [f"{LETTERS[place]}  {text}" for place, text in enumerate(vertices.values())]
    known = [_edge(edges, names[one], names[two]) for one, two in pairs]
    means = {pair: float(edge["mean"]) for pair, edge in zip(pairs, known, strict=True)}
    drawn = [_view(points * inches, letters, lines, means) for points, letters, lines in views]
    boxes = [view.size + 2 * MARGIN for view in drawn]
    listed = [_edge_text(one, two, edge, embedding) for (one, two), edge in zip(pairs, known, strict=True)]
    first = max(text_size(row, SMALL)[0] for row in rows)  # width of the list's first column
    width = max(
        sum(box[0] for box in boxes) + GAP * (len(boxes) - 1),
        first + GAP + max(text_size(row, SMALL)[0] for row in listed) + 2 * MARGIN,
    )
    below = LINE * max(len(rows), len(listed)) + 0.5
    upper = max(box[1] for box in boxes)
    with styled():
        figure = Figure(figsize=(width, upper + below))
        FigureCanvasAgg(figure)
        start = (width - sum(box[0] for box in boxes) - GAP * (len(boxes) - 1)) / 2
        for view, box in zip(drawn, boxes, strict=True):
            axis = figure.add_axes(
                (start / width, below / (upper + below), box[0] / width, upper / (upper + below))
            )
            axis.set(xlim=(-box[0] / 2, box[0] / 2), ylim=(-upper / 2, upper / 2))
            axis.axis("off")
            _draw(axis, view, means)
            start += box[0] + GAP
        axis = figure.add_axes((0, 0, 1, below / (upper + below)))
        axis.set(xlim=(0, width), ylim=(0, below))
        axis.axis("off")
        _scale(axis, width, below, inches, longest)
        for column, texts in ((MARGIN, rows), (MARGIN + first + GAP, listed)):
            for place, text in enumerate(texts):
                axis.text(column, below - 0.42 - LINE * place, text, fontsize=SMALL, va="center")
    return figure


def projected(points: np.ndarray) -> np.ndarray:
    """Return points of space as they are seen from where a tetrahedron's parts are farthest apart.

    Parameters
    ----------
    points : ndarray of float64, shape (k, 3)

    Returns
    -------
    ndarray of float64, shape (k, 2)
    """
    if len(points) < 4:
        return points[:, :2]  # on the principal axes, a triangle lies in the plane of the first two
    best, found = -1.0, points[:, :2]
    n_directions = 600
    for place in range(n_directions):  # evenly on the sphere: Fibonacci's lattice
        height = 1 - 2 * (place + 0.5) / n_directions
        angle = place * math.pi * (3 - math.sqrt(5))
        side = math.sqrt(1 - height * height)
        direction = np.array([side * math.cos(angle), side * math.sin(angle), height])
        across = np.cross([0.0, 0.0, 1.0], direction)
        across /= np.linalg.norm(across)
        seen = points @ np.column_stack([across, np.cross(direction, across)])
        room = _room(seen)
        if room > best + 1e-9:
            best, found = room, seen
    return found


def _room(corners: np.ndarray) -> float:
    """Return the least distance of a corner from an edge that it does not end, or of two edges' middles."""
    edges = list(itertools.combinations(range(4), 2))
    gaps = []
    for one, two in edges:
        along = corners[two] - corners[one]
        for other in set(range(4)) - {one, two}:
            share = np.clip((corners[other] - corners[one]) @ along / max(along @ along, 1e-300), 0, 1)
            gaps.append(np.linalg.norm(corners[other] - corners[one] - share * along))
    middles = [(corners[one] + corners[two]) / 2 for one, two in edges]
    gaps += [np.linalg.norm(one - two) for one, two in itertools.combinations(middles, 2)]
    return float(min(gaps))


def unfolded(points: np.ndarray) -> tuple[np.ndarray, list[int], list[tuple[int, int]]]:
    """Return a tetrahedron in the plane: the first three corners, and the fourth behind each of their edges.

    Parameters
    ----------
    points : ndarray of float64, shape (4, 3)

    Returns
    -------
    corners : ndarray of float64, shape (6, 2)
    letters : list of int
        Which of the four each corner is.
    lines : list of (int, int)
        The nine edges as places in `corners`.
    """
    lengths = np.linalg.norm(points[:, None] - points[None], axis=2)
    one = np.zeros(2)
    two = np.array([lengths[0, 1], 0.0])
    three = _apex(one, two, lengths[0, 2], lengths[1, 2], away_from=np.array([0.0, -1.0]))
    corners, lines = [one, two, three], [(0, 1), (0, 2), (1, 2)]
    for first, second, opposite in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        apex = _apex(
            corners[first],
            corners[second],
            lengths[first, 3],
            lengths[second, 3],
            away_from=corners[opposite],
        )
        lines += [(first, len(corners)), (second, len(corners))]
        corners.append(apex)
    return np.array(corners), [0, 1, 2, 3, 3, 3], lines


def _apex(
    first: np.ndarray, second: np.ndarray, to_first: float, to_second: float, away_from: np.ndarray
) -> np.ndarray:
    """Return the corner of a triangle over an edge, on the other side of it than a point."""
    along = second - first
    base = float(np.linalg.norm(along))
    along = along / base if base else np.array([1.0, 0.0])
    normal = np.array([-along[1], along[0]])
    if normal @ (away_from - first) > 0:
        normal = -normal
    foot = (base**2 + to_first**2 - to_second**2) / (2 * base) if base else 0.0
    return first + foot * along + math.sqrt(max(to_first**2 - foot**2, 0.0)) * normal


def _edge(edges: pd.DataFrame, first: str, second: str) -> pd.Series:
    return edges.loc[(first, second) if (first, second) in edges.index else (second, first)]


def _edge_text(one: int, two: int, edge: pd.Series, embedding: Embedding) -> str:
    text = f"{LETTERS[one]}{LETTERS[two]}  d = {edge['mean']:.3f} ({edge['min']:.3f} to {edge['max']:.3f})"
    residual = float(embedding.residuals[one, two])
    return text if embedding.exact else f"{text}, drawn {edge['mean'] + residual:.3f}"


@dataclass(frozen=True)
class _View:
    """One drawing of the points, and the places of its texts; in inches around its middle."""

    points: np.ndarray
    lines: list[tuple[int, int]]
    pairs: list[tuple[int, int]]  # the names' places that each line joins, in their order
    corners: list[Label]
    lengths: list[Label]
    size: np.ndarray


def _view(
    points: np.ndarray,
    letters: list[int],
    lines: list[tuple[int, int]],
    means: dict[tuple[int, int], float],
) -> _View:
    """Place the texts of a drawing, and find the room that it takes."""
    pairs = [(min(ends), max(ends)) for ends in ((letters[one], letters[two]) for one, two in lines)]
    texts = [f"{LETTERS[one]}{LETTERS[two]} {means[one, two]:.2f}" for one, two in pairs]
    corners, lengths = placed_labels(points, [LETTERS[letter] for letter in letters], lines, texts)
    labels = [*corners, *lengths]
    low = np.min([points.min(axis=0) - DOT, *(label.centre - label.half for label in labels)], axis=0)
    high = np.max([points.max(axis=0) + DOT, *(label.centre + label.half for label in labels)], axis=0)
    middle = (low + high) / 2
    corners, lengths = (
        [replace(label, centre=label.centre - middle, anchor=label.anchor - middle) for label in some]
        for some in (corners, lengths)
    )
    return _View(points - middle, lines, pairs, corners, lengths, high - low)


def _draw(axis: Axes, view: _View, means: dict[tuple[int, int], float]) -> None:
    """Draw edges with their lengths, and corners with their letters."""
    shades = matplotlib.colormaps["Blues"]
    for (start, stop), pair in zip(view.lines, view.pairs, strict=True):
        similarity = min(max(1 - means[pair], 0.0), 1.0)
        axis.plot(
            *view.points[[start, stop]].T,
            color=shades(0.3 + 0.65 * similarity),
            linewidth=0.8 + 4 * similarity,
            solid_capstyle="butt",
            zorder=1,
            gid="edge",
        )
    for point in view.points:
        axis.plot(*point, "o", color=INK, markersize=2 * DOT * 72, markeredgewidth=0, zorder=4, gid="corner")
    for labels, kind, size, weight in (
        (view.corners, "letter", FONT_SIZE, "bold"),
        (view.lengths, "length", SMALL, "normal"),
    ):
        for label in labels:
            if label.leader is not None:
                axis.plot(*label.leader.T, color=FAINT, linewidth=0.7, zorder=3, gid="leader")
            ground = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
            style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "fontweight": weight}
            style |= {"bbox": ground} if label.on else {}
            x, y = label.centre
            axis.text(x, y, label.text, zorder=5, gid=kind, **style)


def _scale(axis: Axes, width: float, top: float, inches: float, longest: float) -> None:
    """Draw a bar of a round length that is at most half the longest edge."""
    power = 10.0 ** math.floor(math.log10(longest / 2))
    length = max(step * power for step in (1, 2, 5) if step * power <= longest / 2)
    start, height = (width - length * inches) / 2, top - 0.16
    axis.plot([start, start + length * inches], [height] * 2, color=FAINT, linewidth=1.6, gid="scale")
    for x in (start, start + length * inches):
        axis.plot([x, x], [height - 0.04, height + 0.04], color=FAINT, linewidth=1.0)
    axis.text(start - 0.06, height, f"d = {length:g}", ha="right", va="center", fontsize=SMALL)
