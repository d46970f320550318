"""The figures of docs/benchmarks.md: how the cost grows with each quantity, wholly from the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.comparison import curve_points, exponent
from benchmarks.curves import Curves
from benchmarks.table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

QUANTITIES = {
    "n": "rows n",
    "F": "features F",
    "L": "labels L",
    "cardinality": "labels a row (cardinality)",
    "k": "selected features k",
    "classes": "classes C",
    "rounds": "rounds",
    "steps": "steps of the chain",
}


def write(folder: Path, rows: Sequence[Row], curves: Curves) -> bool:
    """Write a figure into a folder, by its name; return whether there is anything to draw."""
    from mlsieve.plots.drawing.style import save_figure

    figure = curves_figure(rows, curves)
    if figure is None:
        return False
    path = folder / curves.figure
    save_figure(figure, path)
    # Matplotlib writes a line a point; with a line a path, a change of a figure can be read.
    path.write_text(re.sub(r' ?\n(?=[LQCMz"])', " ", path.read_text(encoding="utf-8")), encoding="utf-8")
    return True


def curves_figure(rows: Sequence[Row], curves: Curves) -> Figure | None:
    """Return log-log panels of CPU seconds against the quantities of the curves; None without such rows.

    Every line has its fit by least squares, dashed, and that fit's slope at its end: the exponent.
    """
    from matplotlib.figure import Figure

    from mlsieve.plots.drawing.style import FAINT, LINES, MARKERS, PALETTE, styled

    points = curve_points(rows, curves)
    if not points:
        return None
    with styled():
        figure = Figure(figsize=(2.6 * len(points), 3.1), layout="constrained")
        panels = figure.subplots(1, len(points), sharey=True, squeeze=False)[0]
        for axes, (quantity, lines) in zip(panels, points.items(), strict=True):
            for place, (work, name) in enumerate(curves.works.items()):
                if work in lines:
                    look = {"color": PALETTE[place], "marker": MARKERS[place], "label": name}
                    _draw(axes, *lines[work], look)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_title(QUANTITIES[quantity])
            ticks = sorted({size for sizes, _ in lines.values() for size in sizes})
            axes.set_xticks(ticks, [f"{size:g}" for size in ticks])
            axes.minorticks_off()
            axes.margins(x=0.06)
            axes.set_xlim(right=ticks[-1] * (ticks[-1] / ticks[0]) ** 0.22)  # room for the exponents
            axes.axvline(curves.base[quantity], color=FAINT, linestyle=LINES[2], linewidth=0.8, zorder=0)
        panels[0].set_ylabel("CPU seconds, one thread")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
    return figure


def _draw(axes: Axes, sizes: list[float], seconds: list[float], look: dict[str, Any]) -> None:
    """Draw one line, and its fit if there are two points or more."""
    axes.plot(sizes, seconds, linewidth=1.4, markersize=4, **look)
    if len(sizes) < 2:
        return
    slope = exponent(sizes, seconds)
    middle, level = np.log(sizes).mean(), np.log(seconds).mean()
    ends = np.array([min(sizes), max(sizes)])
    fit = np.exp(level + slope * (np.log(ends) - middle))
    axes.plot(ends, fit, color=look["color"], linestyle="--", linewidth=0.9, alpha=0.6)
    place = (sizes[-1], seconds[-1])
    axes.annotate(
        f"{slope:.2f}",
        place,
        (5, 0),
        textcoords="offset points",
        va="center",
        color=look["color"],
        fontsize=8,
    )
