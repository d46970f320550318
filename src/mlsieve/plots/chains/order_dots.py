"""A dynamic order beside static ones: a panel for each measure, a row for each dataset."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.errors import number_of
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import ACCENT, CONTROL, INK, SMALL, datasets, styled, text_size
from mlsieve.questions.chains.static_order import QUESTION, present_pairs
from mlsieve.registry import register

ROW, WIDTH = 0.24, 2.35  # inches


@register.figure(QUESTION)
def orders(material: Material) -> dict[str, Drawing]:
    """A figure for each pair: the dynamic order, the mean of the static ones, and each static order."""
    drawings = {}
    for dynamic, static in present_pairs(material.analysis, list(material.labels)).items():
        values = order_values(material, dynamic, static)
        if values.empty:
            continue
        orders = int(values["draws"].map(len).max())
        text = (
            f"The figure compares {dynamic} and {static} on {datasets(int(values['dataset'].nunique()))}; "
            "the trees are the same. "
        )
        if orders:
            text += f"A small dot is one of {number_of(orders, 'static order')}, and a circle is their mean."
        drawings[f"static-order_{dynamic}"] = Drawing(
            orders_figure(values, (dynamic, static), material.directed),
            f"{dynamic} and {static}",
            text,
            QUESTION,
        )
    return drawings


def order_values(material: Material, dynamic: str, static: str) -> pd.DataFrame:
    """Return the values of both methods by measure and dataset.

    Returns
    -------
    DataFrame
        Columns measure, dataset, dynamic, static and draws (tuple of float: the value of each static order,
        where the study has them).
    """
    frame = material.performance[material.performance["method"].isin((dynamic, static))]
    wide = frame.pivot_table(index=["measure", "dataset"], columns="method", values="value", sort=False)
    wide = wide.reindex(columns=[dynamic, static]).dropna()
    drawn: dict[tuple[str, str], tuple[float, ...]] = {}
    curves = material.chain_curves
    if curves is not None:
        own = curves[(curves["method"] == static) & (curves["parameter"] == "draw")]
        for key, values in own.groupby(["measure", "dataset"], sort=False)["value"]:
            drawn[key] = tuple(values.astype(float))
    rows = [
        (*key, float(row[dynamic]), float(row[static]), drawn.get(key, ())) for key, row in wide.iterrows()
    ]
    return pd.DataFrame(rows, columns=["measure", "dataset", "dynamic", "static", "draws"])


def orders_figure(values: pd.DataFrame, names: tuple[str, str], title: Callable[[str], str]) -> Figure:
    """Draw the dynamic order as a diamond, the mean of the static ones as a circle, and each as a dot.

    Parameters
    ----------
    values : DataFrame
        As `order_values` returns it; both orders of its rows are kept.
    names : tuple of str
        Of the dynamic and of the static method.
    title : callable
        Function of a measure that returns the title of its panel.
    """
    measures = list(dict.fromkeys(values["measure"]))
    sets = list(dict.fromkeys(values["dataset"]))
    several = values["draws"].map(len).max() > 0
    legend = [
        Line2D([], [], linestyle="", marker="D", markersize=5, color=ACCENT, label=names[0]),
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            markersize=5.5,
            color=CONTROL,
            mfc="white",
            mew=1.4,
            label=names[1],
        ),
    ]
    if several:
        legend.append(
            Line2D(
                [],
                [],
                linestyle="",
                marker="o",
                markersize=3,
                color=INK,
                alpha=0.4,
                mew=0,
                label="one static order",
            )
        )
    with styled():
        figure, axes = grid(
            [title(measure) for measure in measures],
            width=WIDTH,
            height=ROW * len(sets) + 0.15,
            left=max(text_size(name, SMALL)[0] for name in sets) + 0.14,
            bottom=0.36,
            legend=legend,
        )
        for axis, measure in zip(axes, measures, strict=True):
            _panel(axis, values[values["measure"] == measure], sets)
    return figure


def _panel(axis: Axes, values: pd.DataFrame, sets: list[str]) -> None:
    axis.grid(axis="y", visible=False)
    shown: list[float] = []
    for row in values.to_dict("records"):
        place = sets.index(row["dataset"])
        ends = [row["static"], row["dynamic"]]
        axis.plot(ends, [place, place], color="#cfcfcf", linewidth=1.6, zorder=1, solid_capstyle="butt")
        dots = list(row["draws"])
        axis.plot(
            dots,
            [place + 0.27] * len(dots),
            "o",
            color=INK,
            alpha=0.4,
            markersize=3,
            mew=0,
            gid=f"draws-{row['dataset']}",
        )
        axis.plot(
            row["static"],
            place,
            "o",
            color=CONTROL,
            markersize=5.5,
            markerfacecolor="white",
            mew=1.4,
            zorder=3,
            gid=f"static-{row['dataset']}",
        )
        axis.plot(
            row["dynamic"], place, "D", color=ACCENT, markersize=5, zorder=4, gid=f"dynamic-{row['dataset']}"
        )
        shown += [*ends, *dots]
    for place in range(1, len(sets), 2):
        axis.axhspan(place - 0.5, place + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    axis.set_yticks(range(len(sets)), sets)
    axis.set_ylim(len(sets) - 0.4, -0.6)
    axis.set_xlim(padded(shown))
    few_ticks(axis, "x", 4)
    axis.tick_params(length=0, axis="y")
