"""Differences of methods from one other: a dot for each dataset, the estimate, its interval, a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.plots.drawing.marks import describe
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import ACCENT, INK, SMALL, styled, text_size

ROW = 0.25  # inches
# The dots lie below the interval of their row, so that neither hides the other.
BELOW, ABOVE = 0.2, -0.13


def differences(
    material: Material,
    evaluator: str,
    measure: str,
    methods: Sequence[str],
    reference: str,
    at: Mapping[str, int] | None = None,
) -> pd.DataFrame:
    """Return how much better than one method the others are on each dataset, at the sizes in use.

    Parameters
    ----------
    material : Material
    evaluator, measure : str
    methods : sequence of str
        Labels as in the tables of tests.
    reference : str
    at : mapping of str to int, optional
        Sizes by label that take the place of those in use.

    Returns
    -------
    DataFrame, datasets by methods
        Above 0 where the method is better, whichever direction is the better one. Empty where sizes or
        direction are not known.
    """
    nothing = pd.DataFrame(columns=list(methods), dtype=float)
    direction = material.direction(measure)
    if material.choices is None or direction is None:
        return nothing
    sizes = {**material.sizes(), **(at or {})}
    base = measure.split(" [")[0]
    performance = material.performance[material.performance["measure"] == base]
    table = PerformanceTable(
        performance, Analysis(rounding=None, directions={measure: direction, base: direction})
    )
    if measure not in table.measures or evaluator not in table.evaluators:
        return nothing
    known = dict(zip(table.labels["label"], table.labels["sizes"], strict=True))
    labels = [*methods, reference]
    columns = [(label, sizes.get(label, max(known.get(label, ()), default=0))) for label in labels]
    values = table.values(evaluator, measure, columns)
    values.columns = pd.Index(labels)
    found = values[list(methods)].sub(values[reference], axis=0)
    return -found if direction == "lower" else found


def dots_figure(medians: pd.DataFrame, dots: dict[str, pd.DataFrame]) -> Figure:
    """Draw a panel for each measure with a row for each method; right of the line is better.

    Parameters
    ----------
    medians : DataFrame
        Columns measure, method, difference, interval_low, interval_high, rejected; both orders are
        kept. Rows without a difference show their dots alone.
    dots : dict of str to DataFrame
        Measure to datasets by methods, as `differences` returns them.
    """
    methods, measures = list(dict.fromkeys(medians["method"])), list(dict.fromkeys(medians["measure"]))
    left = max(text_size(method, SMALL)[0] for method in methods) + 0.14
    legend = _legend()
    with styled():
        figure, axes = grid(
            measures,
            width=2.3,
            height=ROW * len(methods) + 0.15,
            left=left,
            bottom=0.36,
            legend=legend,
        )
        for axis, measure in zip(axes, measures, strict=True):
            rows = medians[medians["measure"] == measure].set_index("method")
            _panel(axis, rows, dots[measure], methods)
    return figure


def _panel(axis: Axes, rows: pd.DataFrame, dots: pd.DataFrame, methods: list[str]) -> None:
    axis.axvline(0, color=INK, linewidth=0.9, zorder=1)
    axis.grid(axis="y", visible=False)
    shown = [0.0]
    for place, method in enumerate(methods):
        if place % 2:
            axis.axhspan(place - 0.5, place + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
        values = dots[method].dropna().astype(float) if method in dots.columns else pd.Series(dtype=float)
        heights = np.full(len(values), place + BELOW)
        dot: dict[str, Any] = {
            "color": INK,
            "alpha": 0.45,
            "markersize": 3.2,
            "mew": 0,
            "gid": f"dots-{method}",
        }
        [line] = axis.plot(values.to_numpy(), heights, "o", **dot)
        describe(line, [f"{dataset} {value:.4g}" for dataset, value in values.items()])
        shown.extend(values)
        if method not in rows.index or pd.isna(rows.loc[method, "difference"]):
            continue
        row = rows.loc[method]
        low, middle, high = (row[name] for name in ("interval_low", "difference", "interval_high"))
        height = place + ABOVE
        axis.plot([low, high], [height, height], color=ACCENT, linewidth=1.4, solid_capstyle="butt")
        axis.plot(
            middle,
            height,
            "D",
            color=ACCENT,
            markersize=4.2,
            markerfacecolor=ACCENT if row["rejected"] else "white",
            zorder=4,
            gid=f"median-{method}",
        )
        shown.extend([low, middle, high])
    axis.set_yticks(range(len(methods)), methods)
    axis.set_ylim(len(methods) - 0.4, -0.6)
    axis.set_xlim(padded(shown))
    few_ticks(axis, "x", 4)
    axis.tick_params(length=0, axis="y")


def _legend() -> list[Line2D]:
    middle = {"color": ACCENT, "marker": "D", "markersize": 4.2}
    return [
        Line2D([], [], color=INK, marker="o", linestyle="", markersize=3.2, alpha=0.45, label="one dataset"),
        Line2D([], [], **middle, label="difference and 95 % interval, significant"),
        Line2D([], [], **middle, markerfacecolor="white", label="the same, not significant"),
    ]
