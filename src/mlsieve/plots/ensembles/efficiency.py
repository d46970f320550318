"""Number of features that each ranking weighs, and its cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.analysis.ranking_costs import ranking_costs, shares_by_dataset
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import decades
from mlsieve.plots.drawing.style import ACCENT, INK, SMALL, styled, text_size
from mlsieve.registry import register

ROW = 0.25  # inches


@register.figure("efficiency", version=1)
def efficiency(material: Material) -> dict[str, Drawing]:
    """Share of positive weights of every ranking at the size in use, and CPU seconds where they are known."""
    if material.rankings is None or material.rankings.empty:
        return {}
    sizes = material.sizes()
    shares = shares_by_dataset(material.rankings, sizes)
    seconds: dict[str, float] = {}
    if material.timings is not None and {"step", "trees", "work_once"} <= set(material.timings.columns):
        costs = ranking_costs(material.timings.to_dict("records"), sizes)
        seconds = {label: cost.seconds for label, cost in costs.items() if cost.seconds > 0}
    labels = sorted(shares.index, key=lambda label: float(shares.loc[label].mean()))
    text = "Dots are datasets, and diamonds their means"
    if seconds:
        text += "; CPU seconds are means over the datasets, at the size in use, on a logarithmic scale"
    if any(sizes.get(label) and not material.labels[label].of_trees for label in labels):
        text += "; for a method without trees, they are those of all its sizes together"
    return {
        "efficiency": Drawing(
            _figure(shares, labels, seconds),
            "Positive weights and cost of the rankings",
            f"{text}. The ranking with the fewest positive weights is at the top.",
            "efficiency",
        )
    }


def _figure(shares: pd.DataFrame, labels: list[str], seconds: dict[str, float]) -> Figure:
    left = max(text_size(label, SMALL)[0] for label in labels) + 0.16
    widths = [2.9, *([2.5] if seconds else [])]
    gap, top, bottom = 0.3, 0.1, 0.72
    width, height = left + sum(widths) + gap * len(widths), top + ROW * len(labels) + bottom
    with styled():
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        start = left
        for position, inches in enumerate(widths):
            place = (start / width, bottom / height, inches / width, ROW * len(labels) / height)
            axis = figure.add_axes(place)
            start += inches + gap
            for side in ("top", "right"):
                axis.spines[side].set_visible(False)
            axis.grid(axis="y", visible=False)
            for row in range(1, len(labels), 2):
                axis.axhspan(row - 0.5, row + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
            axis.set_ylim(len(labels) - 0.5, -0.5)
            axis.set_yticks(range(len(labels)), labels if position == 0 else [""] * len(labels))
            axis.tick_params(length=0, axis="y")
            _shares(axis, shares, labels) if position == 0 else _seconds(axis, seconds, labels)
        middle = {"color": ACCENT, "marker": "D", "markersize": 4.2, "linestyle": ""}
        dot = Line2D([], [], color=INK, marker="o", linestyle="", markersize=3.2, alpha=0.45)
        dot.set_label("one dataset")
        figure.legend(
            handles=[dot, Line2D([], [], **middle, label="mean")],
            loc="lower center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=2,
            frameon=False,
        )
    return figure


def _shares(axis: Axes, shares: pd.DataFrame, labels: list[str]) -> None:
    for row, label in enumerate(labels):
        values = 100 * shares.loc[label].dropna().to_numpy()
        axis.plot(values, np.full(len(values), row + 0.16), "o", color=INK, alpha=0.45, markersize=3.2, mew=0)
        axis.plot(values.mean(), row - 0.12, "D", color=ACCENT, markersize=4.2, gid=f"share-{label}")
    axis.set_xlim(-4, 104)
    axis.set_xticks([0, 25, 50, 75, 100])
    axis.set_xlabel("features with a positive weight, %", labelpad=2)


def _seconds(axis: Axes, seconds: dict[str, float], labels: list[str]) -> None:
    shown = [(row, seconds[label]) for row, label in enumerate(labels) if label in seconds]
    for row, value in shown:
        axis.plot(value, row - 0.12, "D", color=ACCENT, markersize=4.2, gid=f"seconds-{labels[row]}")
    low, high = min(value for _, value in shown), max(value for _, value in shown)
    axis.set_xlim(10 ** np.floor(np.log10(low) - 0.1), 10 ** np.ceil(np.log10(high) + 0.1))
    decades(axis, "x")
    axis.set_xlabel("CPU seconds per dataset", labelpad=2)
