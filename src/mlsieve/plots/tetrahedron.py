"""How alike the rankings of the scores and of Relief are: a tetrahedron, seen from above."""

from __future__ import annotations

import itertools
import math

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mlsieve.plots.material import Drawing, Material
from mlsieve.plots.style import INK, SMALL, styled, text_size
from mlsieve.questions.wording import size_name
from mlsieve.registry import register

RADIUS, DISC = 1.75, 0.13  # inches
MARGIN, LINE = 0.1, 0.15


@register.figure("similarity-tetrahedron", version=1)
def similarity_tetrahedron(material: Material) -> dict[str, Drawing]:
    """Three or four rankings as vertices, their mean FUJI similarity over the data sets as edges."""
    table = material.similarity
    if table is None or table.empty:
        return {}
    names = list(dict.fromkeys([*table["first"], *table["second"]]))
    if not 3 <= len(names) <= 4:
        return {}
    by_dataset = table.groupby(["first", "second", "dataset"], sort=False)["similarity"].mean()
    edges = by_dataset.groupby(["first", "second"], sort=False).agg(["mean", "min", "max", "count"])
    if len(edges) < math.comb(len(names), 2) or edges["mean"].isna().any():
        return {}
    sets = sorted({int(edges["count"].min()), int(edges["count"].max())})
    shape = "tetrahedron seen from above" if len(names) == 4 else "triangle"
    return {
        "similarity-tetrahedron": Drawing(
            tetrahedron(edges, {name: _vertex(name, table, material) for name in names}),
            "Similarity of the rankings",
            f"The rankings as corners of a {shape}; on each edge their mean FUJI similarity over "
            f"{' to '.join(map(str, sets))} data sets (1: the same), and below it the least and the largest. "
            "Thicker and darker is more alike; lengths mean nothing.",
            "similarity",
        )
    }


def _vertex(name: str, table: pd.DataFrame, material: Material) -> tuple[str, ...]:
    """Return the lines that stand at a vertex: the score, then its ensemble and size."""
    sizes: dict[str, int] = {}
    for side in ("first", "second"):
        if f"{side}_size" in table:
            sizes |= dict(zip(table[side], table[f"{side}_size"], strict=True))
    size = int(sizes.get(name, 0))
    *others, score = name.split("/")
    words = [*others, *([size_name(name, size)] if size else [])]
    return (score, ", ".join(words)) if words else (score,)


def tetrahedron(edges: pd.DataFrame, vertices: dict[str, tuple[str, ...]]) -> Figure:
    """Draw three or four vertices and the edges between them; the last of four is in the middle.

    Parameters
    ----------
    edges : DataFrame
        Index pairs of names, columns mean, min and max, in [0, 1].
    vertices : dict of str to tuple of str
        Lines of text of each vertex.
    """
    names = list(vertices)
    angles = [math.pi / 2, math.pi * 7 / 6, math.pi * 11 / 6]
    places = {
        name: (RADIUS * math.cos(angle), RADIUS * math.sin(angle))
        for name, angle in zip(names[:3], angles, strict=True)
    }
    if len(names) == 4:
        places[names[3]] = (0.0, 0.0)
    wide = max(text_size(line, SMALL)[0] * 1.15 for lines in vertices.values() for line in lines)
    half = max(RADIUS * math.cos(math.pi / 6) + wide / 2, RADIUS) + MARGIN
    above = DISC + 0.08 + LINE * len(vertices[names[0]]) + MARGIN
    below = DISC + 0.08 + LINE * max(len(vertices[name]) for name in names[1:3]) + MARGIN
    low, high = -RADIUS / 2 - below, RADIUS + above
    with styled():
        figure = Figure(figsize=(2 * half, high - low))
        FigureCanvasAgg(figure)
        axis = figure.add_axes((0, 0, 1, 1))
        axis.set(xlim=(-half, half), ylim=(low, high))
        axis.axis("off")
        shades = matplotlib.colormaps["Blues"]
        for first, second in itertools.combinations(names, 2):
            key = (first, second) if (first, second) in edges.index else (second, first)
            _edge(axis, places[first], places[second], edges.loc[key], shades)
        for name, lines in vertices.items():
            _corner(axis, places[name], lines, upwards=name == names[0])
    return figure


def _edge(axis: Axes, start, stop, edge: pd.Series, shades) -> None:
    share = min(max(float(edge["mean"]), 0.0), 1.0)
    axis.plot(
        [start[0], stop[0]],
        [start[1], stop[1]],
        color=shades(0.3 + 0.65 * share),
        linewidth=0.8 + 6 * share,
        solid_capstyle="butt",
        zorder=1,
        gid="edge",
    )
    x, y = (start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2
    lines = f"{edge['mean']:.2f}", f"{edge['min']:.2f} to {edge['max']:.2f}"
    half = max(text_size(text, SMALL)[0] for text in lines) / 2 + 0.03
    ground = Rectangle(
        (x - half, y - LINE), 2 * half, 2 * LINE + 0.02, facecolor="white", linewidth=0, zorder=2
    )
    axis.add_patch(ground)
    axis.text(x, y + 0.01, lines[0], ha="center", va="bottom", fontweight="bold", zorder=3)
    axis.text(x, y - 0.01, lines[1], ha="center", va="top", fontsize=SMALL - 1, zorder=3)


def _corner(axis: Axes, place, lines: tuple[str, ...], *, upwards: bool) -> None:
    axis.plot(*place, "o", color=INK, markersize=2 * DISC * 72 * 0.6, zorder=4)
    sign = 1 if upwards else -1
    ordered = lines[::-1] if upwards else lines
    for position, line in enumerate(ordered):
        bold = line == lines[0]
        axis.text(
            place[0],
            place[1] + sign * (DISC + 0.04 + LINE * position),
            line,
            ha="center",
            va="bottom" if upwards else "top",
            fontsize=SMALL,
            fontweight="bold" if bold else "normal",
            zorder=5,
            bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none"},
        )
