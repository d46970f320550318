"""Small multiples: one panel per measure, and a legend below that never covers them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlsieve.plots.drawing.style import SMALL, text_size


def grid(
    titles: Sequence[str],
    *,
    width: float,
    height: float,
    left: float,
    bottom: float,
    legend: Sequence[Artist] = (),
    columns: int | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with one titled panel for each title, laid out in inches, and its legend below.

    Parameters
    ----------
    titles : sequence of str
    width, height : float
        Of a panel's inside, in inches.
    left, bottom : float
        Room for the tick labels of every panel, in inches.
    legend : sequence of Artist
        Labelled lines and patches.
    columns : int, optional
        Default: 3, or 2 for four panels.

    Returns
    -------
    figure : Figure
    axes : list of Axes
        In the order of `titles`.
    """
    n = len(titles)
    columns = columns or (2 if n == 4 else min(3, n))
    rows = math.ceil(n / columns)
    cell_width, cell_height = left + width + 0.18, bottom + height + 0.32
    needed = max((text_size(str(line.get_label()), SMALL)[0] for line in legend), default=0.0) + 0.75
    total_width = max(columns * cell_width, needed + 0.2)
    legend_columns = max(1, min(len(legend), int((total_width - 0.2) / needed))) if legend else 1
    legend_height = 0.22 * math.ceil(len(legend) / legend_columns) + 0.2 if legend else 0.0
    total_height = rows * cell_height + legend_height
    figure = Figure(figsize=(total_width, total_height))
    FigureCanvasAgg(figure)
    axes = []
    for position, title in enumerate(titles):
        row, column = divmod(position, columns)
        axis = figure.add_axes(
            (
                (column * cell_width + left) / total_width,
                1 - ((row + 1) * cell_height - bottom) / total_height,
                width / total_width,
                height / total_height,
            )
        )
        axis.set_title(title, fontweight="bold", pad=5)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
        axes.append(axis)
    if legend:
        figure.legend(
            handles=legend,
            loc="upper center",
            bbox_to_anchor=(0.5, legend_height / total_height),
            ncols=legend_columns,
            frameon=False,
            numpoints=1,
        )
    return figure, axes


def few_ticks(axes: Axes, which: str, most: int = 5) -> None:
    """Give one axis (x or y) of a panel at most so many round ticks inside its limits, set before.

    Fewer where their labels, side by side below a panel, would touch each other.
    """
    from matplotlib.ticker import MaxNLocator

    low, high = sorted(axes.get_xlim() if which == "x" else axes.get_ylim())
    axis = axes.xaxis if which == "x" else axes.yaxis
    figure = axes.get_figure(root=True)
    room = axes.get_position().width * figure.get_figwidth() if figure is not None else math.inf
    for number in range(most, 0, -1):
        places = MaxNLocator(number, steps=[1, 2, 2.5, 5, 10], min_n_ticks=min(number, 3)).tick_values(
            low, high
        )
        inside = [float(place) for place in places if low <= place <= high]
        widest = max(
            (text_size(label)[0] for label in axis.get_major_formatter().format_ticks(inside)), default=0
        )
        if which == "y" or len(inside) < 3 or (widest + 0.08) * (high - low) < room * (inside[1] - inside[0]):
            break
    axis.set_ticks(inside)


def decades(axes: Axes, which: str, most: int = 5) -> None:
    """Make one axis (x or y) of a panel logarithmic, with at most so many powers of ten inside its limits."""
    low, high = sorted(axes.get_xlim() if which == "x" else axes.get_ylim())
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / most))
    places = [10.0**power for power in range(first, last + 1, step)]
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(places, [f"{place:g}" for place in places])
    axis.set_ticks([], minor=True)


def padded(values: Sequence[float], share: float = 0.08) -> tuple[float, float]:
    """Return limits that leave room around finite values (0 to 1 where there are none)."""
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    room = (high - low) * share or max(abs(high) * share, 0.01)
    return low - room, high + room
