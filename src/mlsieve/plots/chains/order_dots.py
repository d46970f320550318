"""Dynamic orders beside static ones: a panel for each measure, a lane for each method of each dataset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.errors import number_of
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import INK, MARKERS, PALETTE, SMALL, datasets, styled, text_size
from mlsieve.questions.chains.static_order import QUESTION, OrderPairs, present_pairs
from mlsieve.registry import register

LANE, GAP, WIDTH = 0.11, 0.5, 2.35  # height of a lane and width of a panel in inches; GAP in lanes


@dataclass(frozen=True)
class Mark:
    """How the value of a method is marked: dynamic orders filled, the mean of static ones hollow."""

    lane: int
    marker: str
    color: str
    filled: bool

    def style(self) -> dict[str, Any]:
        """Return the keywords of a line with this mark."""
        inside = self.color if self.filled else "white"
        return {
            "marker": self.marker,
            "linestyle": "",
            "color": self.color,
            "markersize": 5,
            "markerfacecolor": inside,
            "mew": 1.3,
        }


@register.figure(QUESTION)
def orders(material: Material) -> dict[str, Drawing]:
    """One figure: each dynamic order, the mean of each method's static ones, and each static order."""
    pairs = present_pairs(material.analysis, list(material.labels))
    values = order_values(material, pairs)
    if values.empty:
        return {}
    marks = marks_of(pairs)
    orders = int(values["draws"].map(len).max())
    text = (
        f"The figure compares orders of the labels on {datasets(int(values['dataset'].nunique()))}; the "
        "trees are the same. Filled marks are dynamic orders"
    )
    text += ", and hollow ones static orders. " if pairs.static else ". "
    if orders:
        text += f"A small dot is one of {number_of(orders, 'static order')}, and a hollow mark is their mean."
    drawing = Drawing(
        orders_figure(values, marks, material.directed),
        "Dynamic and static orders",
        text.strip(),
        QUESTION,
    )
    return {"static-order": drawing}


def marks_of(pairs: OrderPairs) -> dict[str, Mark]:
    """Return the mark of each method; those with a static order are hollow, and come last."""
    firsts = [one for one, _ in pairs.all]
    static = list(dict.fromkeys(other for _, other in pairs.static if other not in firsts))
    dynamic = list(
        dict.fromkeys(name for pair in (*pairs.all, *pairs.dynamic) for name in pair if name not in static)
    )
    names = [*dynamic, *static]
    return {
        name: Mark(place, MARKERS[place % len(MARKERS)], PALETTE[place % len(PALETTE)], name in dynamic)
        for place, name in enumerate(names)
    }


def order_values(material: Material, pairs: OrderPairs) -> pd.DataFrame:
    """Return the values of all compared methods by measure and dataset.

    Returns
    -------
    DataFrame
        Columns measure, dataset, method, value and draws (tuple of float: the value of each static order,
        where the study has them).
    """
    methods = {name for pair in pairs.all for name in pair}
    frame = material.performance[material.performance["method"].isin(methods)]
    keys = ["measure", "dataset", "method"]
    means = frame.groupby(keys, sort=False)["value"].mean().dropna()
    drawn: dict[tuple[str, str, str], tuple[float, ...]] = {}
    curves = material.chain_curves
    if curves is not None:
        own = curves[curves["method"].isin(methods) & (curves["parameter"] == "draw")]
        for key, values in own.groupby(keys, sort=False)["value"]:
            drawn[key] = tuple(values.astype(float))
    rows = [(*key, float(value), drawn.get(key, ())) for key, value in means.items()]
    return pd.DataFrame(rows, columns=[*keys, "value", "draws"])


def orders_figure(values: pd.DataFrame, marks: dict[str, Mark], title: Callable[[str], str]) -> Figure:
    """Draw each method's value as its mark, and each static order as a dot.

    Parameters
    ----------
    values : DataFrame
        As `order_values` returns it.
    marks : dict of str to Mark
        By method.
    title : callable
        Function of a measure that returns the title of its panel.
    """
    measures = list(dict.fromkeys(values["measure"]))
    sets = list(dict.fromkeys(values["dataset"]))
    legend = [Line2D([], [], label=name, **mark.style()) for name, mark in marks.items()]
    if values["draws"].map(len).max() > 0:
        legend.append(Line2D([], [], label="one static order", **_DOT))
    with styled():
        figure, axes = grid(
            [title(measure) for measure in measures],
            width=WIDTH,
            height=LANE * (len(marks) + GAP) * len(sets) + 0.1,
            left=max(text_size(name, SMALL)[0] for name in sets) + 0.14,
            bottom=0.36,
            legend=legend,
        )
        for axis, measure in zip(axes, measures, strict=True):
            _panel(axis, values[values["measure"] == measure], sets, marks)
    return figure


_DOT: dict[str, Any] = {"marker": "o", "linestyle": "", "color": INK, "alpha": 0.4, "markersize": 3, "mew": 0}


def _panel(axis: Axes, values: pd.DataFrame, sets: list[str], marks: dict[str, Mark]) -> None:
    axis.grid(axis="y", visible=False)
    shown: list[float] = []
    step = 1 / (len(marks) + GAP)  # a band is 1 high
    for row in values.to_dict("records"):
        mark, band = marks[row["method"]], sets.index(row["dataset"])
        place = band + (mark.lane - (len(marks) - 1) / 2) * step
        name, dots = f"{row['method']}, {row['dataset']}", list(row["draws"])
        if dots:
            axis.plot(dots, [place] * len(dots), gid=f"draws-{name}", **_DOT)
        axis.plot(row["value"], place, zorder=3, gid=f"method-{name}", **mark.style())
        shown += [row["value"], *dots]
    for place in range(1, len(sets), 2):
        axis.axhspan(place - 0.5, place + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    axis.set_yticks(range(len(sets)), sets)
    axis.set_ylim(len(sets) - 0.5, -0.5)
    axis.set_xlim(padded(shown))
    few_ticks(axis, "x", 4)
    axis.tick_params(length=0, axis="y")
