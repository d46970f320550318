"""Training time against quality, both over those of another method: a line for each dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mlsieve.analysis.chains.lengths import cardinalities, length_frame, ratios, rounded_up
from mlsieve.analysis.chains.remarks import cut_methods, label_counts
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import grid
from mlsieve.plots.drawing.style import INK, LINES, MARKERS, PALETTE, styled
from mlsieve.questions.chains.chain_cost import QUESTION, cost_pairs
from mlsieve.registry import register

WIDTH, HEIGHT = 4.0, 3.1
NEAR, MOST = 4.0, 8  # the ratio of limits below which ticks are evenly spaced; ticks of an axis
# Places of ticks in each decade, from few to many.
_STEPS = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0))


@register.figure(QUESTION)
def cost_curves(material: Material) -> dict[str, Drawing]:
    """A panel for each method: a line for each dataset from length 1 to the greatest length."""
    if material.chain_curves is None or material.chain_runs is None:
        return {}
    frame = length_frame(material.chain_curves, material.chain_runs)
    found = {(method, other): ratios(frame, method, other) for method, other in cost_pairs(material.analysis)}
    found = {pair: table for pair, table in found.items() if len(table)}
    if not found:
        return {}
    text = (
        "A line is one dataset, from length 1 (open marker) to the greatest length (filled marker). It shows "
        "training time and F1 of the method above the panel, divided by those of the static chain that the "
        "axes name. Left of the vertical line, the chain trains in less time; above the horizontal line, its "
        "F1 is higher. Both axes are logarithmic."
    )
    labels = cardinalities(material.described)
    if labels:
        text += " An upright stroke marks the label cardinality, rounded up."
    methods = [method for method, _ in found]
    cut = cut_methods(material.chain_runs, methods, label_counts(material.described))
    text = " ".join([text, *cut])
    drawing = Drawing(
        cost_figure(found, {name: rounded_up(value) for name, value in labels.items()}),
        "Training time against F1, divided by those of static chains",
        text,
        QUESTION,
    )
    return {QUESTION: drawing}


def cost_figure(found: Mapping[tuple[str, str], pd.DataFrame], marked: Mapping[str, int]) -> Figure:
    """Draw a panel for each pair of methods.

    Parameters
    ----------
    found : mapping of (str, str) to DataFrame
        By the method and that whose time and quality divide, as `mlsieve.analysis.chains.lengths.ratios`
        returns it.
    marked : mapping of str to int
        A length of each dataset that a stroke marks; may lack some.
    """
    sets = list(dict.fromkeys(name for table in found.values() for name in table["dataset"]))
    styles: dict[str, dict[str, Any]] = {
        name: {
            "color": PALETTE[place % len(PALETTE)],
            "linestyle": LINES[(place // len(PALETTE)) % len(LINES)],
            "marker": MARKERS[place % len(MARKERS)],
        }
        for place, name in enumerate(sets)
    }
    legend = [
        Line2D([], [], label=name, linewidth=1.3, markersize=5, **style) for name, style in styles.items()
    ]
    with styled():
        figure, axes = grid(
            [method for method, _ in found],
            width=WIDTH,
            height=HEIGHT,
            left=0.62,
            bottom=0.5,
            legend=legend,
            columns=min(2, len(found)),
        )
        for axis, ((_, other), table) in zip(axes, found.items(), strict=True):
            _panel(axis, table, styles, marked)
            axis.set_xlabel(f"training time / {other}", labelpad=2)
            axis.set_ylabel(f"F1 / {other}", labelpad=2)
    return figure


def _panel(
    axis: Axes, table: pd.DataFrame, styles: Mapping[str, dict[str, Any]], marked: Mapping[str, int]
) -> None:
    table = table[(table["cost"] > 0) & (table["quality"] > 0)]
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.axvline(1, color=INK, linewidth=0.9, zorder=1)
    axis.axhline(1, color=INK, linewidth=0.9, zorder=1)
    for name, own in table.groupby("dataset", sort=False):
        own, style = own.sort_values("length"), styles[str(name)]
        line = {"color": style["color"], "linestyle": style["linestyle"], "linewidth": 1.3, "zorder": 3}
        axis.plot(own["cost"], own["quality"], gid=f"line-{name}", **line)
        ends = {
            "color": style["color"],
            "marker": style["marker"],
            "markersize": 5,
            "linestyle": "",
            "zorder": 4,
        }
        first, last = own.iloc[0], own.iloc[-1]
        axis.plot(first["cost"], first["quality"], markerfacecolor="white", gid=f"first-{name}", **ends)
        axis.plot(last["cost"], last["quality"], gid=f"full-{name}", **ends)
        at = own[own["length"] == marked.get(str(name), 0)]
        axis.plot(
            at["cost"],
            at["quality"],
            "|",
            color=style["color"],
            markersize=12,
            mew=2,
            zorder=5,
            gid=f"marked-{name}",
        )
    _ticks(axis, "x", [*table["cost"], 1.0])
    _ticks(axis, "y", [*table["quality"], 1.0])


def _ticks(axis: Axes, which: str, values: list[float]) -> None:
    """Set limits with room around the values, and a few round ticks; evenly spaced ones in a small range."""
    low, high = np.log10(min(values)), np.log10(max(values))
    room = 0.06 * (high - low) or 0.02
    low, high = 10 ** (low - room), 10 ** (high + room)
    (axis.set_xlim if which == "x" else axis.set_ylim)(low, high)
    if high / low < NEAR:
        places = [*map(float, MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high))]
    else:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        by_steps = [[step * 10.0**power for power in decades for step in steps] for steps in _STEPS]
        fitting = [places for places in by_steps if sum(low <= place <= high for place in places) <= MOST]
        places = fitting[-1] if fitting else by_steps[0]
    places = [float(f"{place:.6g}") for place in places if low <= place <= high]
    own = axis.xaxis if which == "x" else axis.yaxis
    own.set_ticks(places, [f"{place:g}" for place in places])
    own.set_ticks([], minor=True)
