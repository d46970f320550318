"""Average ranks of a few methods by many measures: a polygon for each method, a spoke for each measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.marks import describe
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.papers import FLAT
from mlsieve.plots.drawing.style import FAINT, INK, SMALL, datasets, styled, text_size
from mlsieve.registry import register
from mlsieve.tables.labels import Labels

# The questions whose ranks compare single methods: the scores with their ensembles, and the rival.
QUESTIONS = ("relief", "score")
FEWEST_MEASURES, MOST_METHODS = 3, 8
RADIUS, HOLE = 1.5, 0.14  # inches; the share of it inside rank 1, where lines would meet
PANEL_RADIUS = 1.2  # of one panel among several
RING = 0.24  # least distance of two rings, so that their numbers have room
OTHER = "other measures"
# As the panels of the ranking paper's figure 6; section 5.4 lists the measures by kind.
GROUPS = {
    "areas under curves": ("auprc", "pooled-auprc", "auroc"),
    "micro-averaged measures": ("micro-precision", "micro-recall", "micro-f1"),
    "macro-averaged measures": ("macro-precision", "macro-recall", "macro-f1"),
    OTHER: (),
    "multi-label measures": ("precision", "recall", "f1", "accuracy"),
}
GAP, ROW, MARGIN = 0.1, 0.21, 0.08
_FAMILY = {"paper": "main methods", "extended": "all methods"}  # the paper's, in a study of a paper


@register.figure("radar", version=2)
def radar(material: Material) -> dict[str, Drawing]:
    """Radar plots of the average ranks of the scores (and of Relief), where there are three measures or more.

    Ranks that an earlier plot shows are not drawn again: with Relief, the extended groups of the two
    questions have the same methods.
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
        drawings[name] = Drawing(
            radar_panels(
                {title: wide.loc[own] for title, own in measure_groups(list(wide.index)).items()},
                starred=tuple(rejected.index[rejected]),
                looks=material.looks,
            ),
            f"Average ranks by measure, {_FAMILY.get(family, family)}"
            + (f", {evaluator}" if several else ""),
            f"The figure shows average ranks over {datasets(part['n_datasets'])}, with a spoke for each "
            f"measure. Rank 1, the best, is on the innermost ring and rank {wide.shape[1]} on the "
            "outermost. A star marks measures on which Friedman's test is "
            f"significant{'' if rejected.any() else ' (here on none)'}. The figure follows Fig. 6 of {FLAT}.",
            question,
            family,
        )
    return drawings


def rank_matrix(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return average ranks as measures by methods, both in the table's order; incomplete measures left out.

    Parameters
    ----------
    ranks : DataFrame
        Rows of average_ranks.csv of one question, method group and evaluator.
    """
    measures, methods = dict.fromkeys(ranks["measure"]), dict.fromkeys(ranks["method"])
    wide = ranks.pivot_table(index="measure", columns="method", values="rank", aggfunc="first")
    return wide.loc[list(measures), list(methods)].dropna()


def measure_groups(measures: Sequence[str]) -> dict[str, list[str]]:
    """Return measures in groups of at least three that belong together, by the kind of measure.

    Measures of no group, and those of a group that would be smaller, are "other measures"; where these are
    fewer than three, all measures stay together, under an empty title.

    Parameters
    ----------
    measures : sequence of str
        As tables name them, with a definition in brackets or without.
    """
    groups: dict[str, list[str]] = {name: [] for name in GROUPS}
    for measure in measures:
        base = measure.split(" [")[0]
        title = next((name for name, own in GROUPS.items() if base in own), OTHER)
        groups[title].append(measure)
    small = [name for name in groups if name != OTHER and len(groups[name]) < FEWEST_MEASURES]
    groups[OTHER] = [
        measure for measure in measures if any(measure in groups[name] for name in (*small, OTHER))
    ]
    groups = {name: own for name, own in groups.items() if own and name not in small}
    alone = len(groups) == 1 or len(groups.get(OTHER, measures)) < FEWEST_MEASURES
    return {"": list(measures)} if alone else groups


def radar_panels(
    panels: Mapping[str, pd.DataFrame], starred: tuple[str, ...] = (), looks: Looks | None = None
) -> Figure:
    """Draw average ranks with rank 1 in the centre.

    Parameters
    ----------
    panels : mapping of str to DataFrame, shape (measures, methods)
        Average ranks in [1, number of methods], no NaN, by title; the same methods in all. At least three
        measures each; lines and markers differ for up to eight methods.
    starred : tuple of str
        Measures whose names get a star.
    looks : Looks, optional
        How the methods are drawn; default: each has a look of its own.

    Returns
    -------
    matplotlib Figure
    """
    methods = [str(method) for method in next(iter(panels.values())).columns]
    known = Looks(Labels(), methods) if looks is None else looks
    n_methods, radius = len(methods), RADIUS if len(panels) == 1 else PANEL_RADIUS
    radius = max(radius, RING * (n_methods - 1) / (1 - HOLE))
    names = {
        title: [f"{name} *" if name in starred else str(name) for name in ranks.index]
        for title, ranks in panels.items()
    }
    widest = max(text_size(name, SMALL)[0] for own in names.values() for name in own)
    side = max(radius + GAP + widest + MARGIN, *(text_size(title)[0] / 2 + MARGIN for title in panels))
    above = radius + GAP + 0.16 + MARGIN
    head = 0.24 if any(panels) else 0.0
    columns = 1 if len(panels) == 1 else 2
    rows = math.ceil(len(panels) / columns)
    needed = max(text_size(method, SMALL)[0] for method in methods) + 0.7
    width = max(2 * side * columns, needed)
    per_row = max(1, min(n_methods, int(width / needed)))
    legend_height = ROW * math.ceil(n_methods / per_row) + 0.12
    height = rows * (2 * above + head) + legend_height
    with styled():
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        for place, (title, ranks) in enumerate(panels.items()):
            row, column = divmod(place, columns)
            cell = width / columns, 2 * above + head
            axes = figure.add_axes(
                (column / columns, 1 - (row + 1) * cell[1] / height, 1 / columns, cell[1] / height)
            )
            axes.set(xlim=(-cell[0] / 2, cell[0] / 2), ylim=(-above, above + head))
            axes.axis("off")
            if title:
                axes.text(0, above + head - 0.06, title, ha="center", va="top", fontweight="bold")
            handles = _radar(axes, ranks, names[title], radius, known)
        figure.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, legend_height / height),
            ncols=per_row,
            frameon=False,
            handlelength=2.8,
            borderaxespad=0.1,
        )
    return figure


def _radar(axes: Axes, ranks: pd.DataFrame, names: list[str], radius: float, looks: Looks) -> list[Line2D]:
    """Draw one panel around the origin of its axes, whose unit is the inch; return a line a method."""
    n_measures, n_methods = ranks.shape
    angles = np.pi / 2 - 2 * np.pi * np.arange(n_measures) / n_measures  # clockwise from the top
    _web(axes, names, angles, n_methods, radius)
    handles = []
    for method in map(str, ranks.columns):
        x, y = _points(ranks[method].to_numpy(), angles, n_methods, radius)
        line = Line2D(
            [*x, x[0]],
            [*y, y[0]],
            gid=f"method-{method}",
            label=method,
            zorder=4,
            **looks.of(method).curve(linewidth=1.5, markersize=4.8),
        )
        axes.add_line(line)
        describe(line, [f"{name} {rank:.2f}" for name, rank in ranks[method].items()])
        handles.append(line)
    return handles


def _radius(rank: np.ndarray | float, n_methods: int, radius: float) -> np.ndarray | float:
    """Return the distance from the centre in inches: rank 1 around the hole, the worst rank at the rim."""
    share = (np.asarray(rank) - 1) / max(n_methods - 1, 1)
    return radius * (HOLE + (1 - HOLE) * share)


def _points(
    ranks: np.ndarray, angles: np.ndarray, n_methods: int, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    radii = _radius(ranks, n_methods, radius)
    return radii * np.cos(angles), radii * np.sin(angles)


def _web(axes: Axes, names: list[str], angles: np.ndarray, n_methods: int, size: float) -> None:
    """Draw a ring for each whole rank, the spokes, and the names of both."""
    for rank in range(1, n_methods + 1):
        x, y = _points(np.full(len(angles), float(rank)), angles, n_methods, size)
        rim = rank == n_methods
        axes.plot(
            [*x, x[0]],
            [*y, y[0]],
            color=INK if rim else FAINT,
            linewidth=0.9 if rim else 0.5,
            gid=f"ring-{rank}",
            zorder=1,
        )
    inner = float(_radius(1.0, n_methods, size))
    for angle, name in zip(angles, names, strict=True):
        x, y = np.cos(angle), np.sin(angle)
        axes.plot([inner * x, size * x], [inner * y, size * y], color=FAINT, linewidth=0.5, zorder=1)
        level = "center" if abs(y) < 0.94 else "bottom" if y > 0 else "top"
        side = "center" if abs(x) < 0.08 else "left" if x > 0 else "right"
        axes.text((size + GAP) * x, (size + GAP) * y, name, fontsize=SMALL, ha=side, va=level, color=INK)
    # Between two spokes, where no marker lies.
    between = angles[0] - np.pi / len(angles)
    chord = math.cos(np.pi / len(angles))
    for rank in range(1, n_methods + 1):
        radius = float(_radius(float(rank), n_methods, size)) * chord
        axes.text(
            radius * np.cos(between),
            radius * np.sin(between),
            str(rank),
            fontsize=SMALL,
            ha="center",
            va="center",
            color=INK,
            bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            zorder=5,
        )
