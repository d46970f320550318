"""Average ranks of a few methods over many measures: a polygon a method, a spoke a measure."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.plots.material import Drawing, Material
from mlsieve.plots.style import FAINT, INK, LINES, MARKERS, PALETTE, SMALL, data_sets, styled, text_size
from mlsieve.registry import register

# The questions whose ranks compare single methods: the scores with their ensembles, and the rival.
QUESTIONS = ("relief", "score")
FEWEST_MEASURES, MOST_METHODS = 3, 8
RADIUS, HOLE = 1.5, 0.14  # inches; the share of it inside the worst rank, where lines would meet
GAP, ROW, MARGIN = 0.1, 0.21, 0.08
_FAMILY = {"paper": "main methods", "extended": "all methods"}  # of a paper, in a study of one
# Hues far apart in the colour-blind palette, the lightest last.
_COLOURS = tuple(PALETTE[place] for place in (0, 1, 2, 4, 3, 5, 9, 7))
_LINES = (*LINES, (0, (5, 1.2, 1, 1.2, 1, 1.2)), (0, (8, 2)), (0, (1, 2.5)), (0, (3, 1, 1, 1)))


@register.figure("radar", version=1)
def radar(material: Material) -> dict[str, Drawing]:
    """Radar plots of the average ranks of the scores (and of Relief), where there are three measures or more.

    Ranks that an earlier plot shows already are not drawn again: with Relief, the extended families of the
    two questions hold the same methods.
    """
    ranks = material.average_ranks
    ranks = ranks[(ranks["variant"] == "all") & ranks["question"].isin(QUESTIONS) & ranks["rank"].notna()]
    ranks = ranks[ranks["test"].isin(["nemenyi", "bonferroni-dunn"])]
    several = ranks["evaluator"].nunique() > 1
    drawings: dict[str, Drawing] = {}
    seen: list[pd.DataFrame] = []
    for keys, part in ranks.groupby(["question", "family", "evaluator"], sort=False):
        question, family, evaluator = map(str, keys)
        wide = rank_matrix(part)
        if len(wide) < FEWEST_MEASURES or wide.shape[1] > MOST_METHODS:
            continue
        ordered = wide.sort_index(axis=1)
        if any(ordered.equals(other) for other in seen):
            continue
        seen.append(ordered)
        rejected = part.groupby("measure", sort=False)["critical_distance"].first().notna()
        name = "_".join(["radar", question, family, *([evaluator] if several else [])])
        number = part["n_datasets"].astype(int)
        sets = str(number.max()) if number.min() == number.max() else f"{number.min()} to {number.max()}"
        drawings[name] = Drawing(
            radar_chart(wide, starred=tuple(rejected.index[rejected])),
            f"Average ranks by measure, {_FAMILY.get(family, family)}"
            + (f", {evaluator}" if several else ""),
            f"Average ranks over {data_sets(sets)}, a spoke a measure; rank 1, the best, is on the outermost "
            f"ring and rank {wide.shape[1]} on the innermost. A star: Friedman's test rejects on this measure"
            + (" (here on none)." if not rejected.any() else "."),
            question,
        )
    return drawings


def rank_matrix(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return average ranks as measures by methods, both in the table's order; incomplete measures left out.

    Parameters
    ----------
    ranks : DataFrame
        Rows of average_ranks.csv of one question, family and evaluator.
    """
    measures, methods = dict.fromkeys(ranks["measure"]), dict.fromkeys(ranks["method"])
    wide = ranks.pivot_table(index="measure", columns="method", values="rank", aggfunc="first")
    return wide.loc[list(measures), list(methods)].dropna()


def radar_chart(ranks: pd.DataFrame, starred: tuple[str, ...] = ()) -> Figure:
    """Draw average ranks with rank 1 outermost.

    Parameters
    ----------
    ranks : DataFrame, shape (measures, methods)
        Average ranks in [1, number of methods], no NaN. At least three measures; lines and markers differ
        for up to eight methods.
    starred : tuple of str
        Measures whose names get a star.

    Returns
    -------
    matplotlib Figure
    """
    n_measures, n_methods = ranks.shape
    names = [f"{name} *" if name in starred else str(name) for name in ranks.index]
    angles = np.pi / 2 - 2 * np.pi * np.arange(n_measures) / n_measures  # clockwise from the top
    side = RADIUS + GAP + max(text_size(name, SMALL)[0] for name in names) + MARGIN
    above = RADIUS + GAP + 0.16 + MARGIN
    methods = [str(method) for method in ranks.columns]
    needed = max(text_size(method, SMALL)[0] for method in methods) + 0.7
    columns = max(1, min(n_methods, int(2 * side / needed)))
    legend_height = ROW * math.ceil(n_methods / columns) + 0.12
    width, height = 2 * max(side, needed / 2), 2 * above + legend_height
    with styled():
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(-width / 2, width / 2), ylim=(-above - legend_height, above))
        axes.axis("off")
        _web(axes, names, angles, n_methods)
        handles = []
        for place, method in enumerate(methods):
            x, y = _points(ranks[method].to_numpy(), angles, n_methods)
            line = Line2D(
                [*x, x[0]],
                [*y, y[0]],
                color=_COLOURS[place % len(_COLOURS)],
                linestyle=_LINES[place % len(_LINES)],
                marker=MARKERS[place % len(MARKERS)],
                linewidth=1.5,
                markersize=4.8,
                markeredgecolor="white",
                markeredgewidth=0.5,
                gid=f"method-{method}",
                label=method,
                zorder=4,
            )
            axes.add_line(line)
            handles.append(line)
        figure.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, legend_height / height),
            ncols=columns,
            frameon=False,
            handlelength=2.8,
            borderaxespad=0.1,
        )
    return figure


def _radius(rank: np.ndarray | float, n_methods: int) -> np.ndarray | float:
    """Return the distance from the centre in inches: rank 1 at the rim, the worst rank around the hole."""
    share = (n_methods - np.asarray(rank)) / max(n_methods - 1, 1)
    return RADIUS * (HOLE + (1 - HOLE) * share)


def _points(ranks: np.ndarray, angles: np.ndarray, n_methods: int) -> tuple[np.ndarray, np.ndarray]:
    radii = _radius(ranks, n_methods)
    return radii * np.cos(angles), radii * np.sin(angles)


def _web(axes: Axes, names: list[str], angles: np.ndarray, n_methods: int) -> None:
    """Draw a ring for each whole rank, the spokes, and the names of both."""
    for rank in range(1, n_methods + 1):
        x, y = _points(np.full(len(angles), float(rank)), angles, n_methods)
        rim = rank == 1
        axes.plot(
            [*x, x[0]],
            [*y, y[0]],
            color=INK if rim else FAINT,
            linewidth=0.9 if rim else 0.5,
            gid=f"ring-{rank}",
            zorder=1,
        )
    inner = float(_radius(float(n_methods), n_methods))
    for angle, name in zip(angles, names, strict=True):
        x, y = np.cos(angle), np.sin(angle)
        axes.plot([inner * x, RADIUS * x], [inner * y, RADIUS * y], color=FAINT, linewidth=0.5, zorder=1)
        level = "center" if abs(y) < 0.94 else "bottom" if y > 0 else "top"
        side = "center" if abs(x) < 0.08 else "left" if x > 0 else "right"
        axes.text((RADIUS + GAP) * x, (RADIUS + GAP) * y, name, fontsize=SMALL, ha=side, va=level, color=INK)
    # Between two spokes, where no marker lies.
    between = angles[0] - np.pi / len(angles)
    chord = math.cos(np.pi / len(angles))
    for rank in range(1, n_methods + 1):
        radius = float(_radius(float(rank), n_methods)) * chord
        axes.text(
            radius * np.cos(between),
            radius * np.sin(between),
            str(rank),
            fontsize=SMALL - 1.5,
            ha="center",
            va="center",
            color=INK,
            bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            zorder=5,
        )
