"""Measures and times against the length of the chain, on one dataset: curves, levels and bands of orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mlsieve.analysis.chains.lengths import (
    BANDS,
    PREDICTION,
    TIMES,
    TRAINING,
    bands_of,
    cardinalities,
    length_frame,
    means_of,
)
from mlsieve.analysis.chains.remarks import cut_methods, label_counts
from mlsieve.errors import number_of
from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import FAINT, INK, SMALL, styled, text_size
from mlsieve.questions.chains.chain_length import QUESTION, ChainLengthKeys
from mlsieve.registry import register

WIDTH, HEIGHT = 2.4, 1.9
MOST_MARKERS = 10
_TIMES_IN_WORDS = {TRAINING: "training, CPU seconds", PREDICTION: "prediction, CPU seconds"}
SHADES = ("#e4e4e4", "#cdcdcd", "#b0b0b0")  # of the bands, from all orders to the middle fifth
LEVELS: tuple[Any, ...] = ("--", "-.", (0, (6, 1.5, 1, 1.5, 1, 1.5)), (0, (1, 1)))
CARDINALITY: dict[str, Any] = {"color": INK, "linestyle": (0, (1, 2)), "linewidth": 1.0}


@register.figure(QUESTION)
def length_curves(material: Material) -> dict[str, Drawing]:
    """A figure for each group of static chains and dataset that the study names, or with several orders."""
    if material.chain_curves is None or material.chain_runs is None:
        return {}
    settings = material.analysis.of(ChainLengthKeys)
    every = length_frame(material.chain_curves, material.chain_runs)
    curves = every[every["method"].isin(settings.chain_curves)]
    several = curves.groupby("dataset", sort=False)["length"].nunique()
    drawn = dict.fromkeys(bands_of(every[every["method"].isin(settings.levels)])["dataset"])
    wanted = material.datasets or tuple(drawn) or tuple(several.index[:1])
    labels, drawings = cardinalities(material.described), {}
    for dataset in (name for name in wanted if several.get(name, 0) > 1):
        of_set = every[every["dataset"] == dataset]
        runs = material.chain_runs[material.chain_runs["dataset"] == dataset]
        groups = {
            group: methods
            for group, methods in settings.chain_levels.items()
            if of_set["method"].isin(methods).any()
        }
        for place, (group, methods) in enumerate((groups or {"": ()}).items(), start=1):
            own = of_set[of_set["method"].isin([*settings.chain_curves, *methods])]
            measures = [name for name in dict.fromkeys(own["measure"]) if name not in TIMES]
            titles = {name: material.directed(name) for name in measures} | {
                name: _TIMES_IN_WORDS[name] for name in TIMES if name in set(own["measure"])
            }
            static = f"; static chains: {group}" if group else ""
            drawings[f"chain-length_{dataset}" + (f"_{place}" if place > 1 else "")] = Drawing(
                length_figure(own, titles, labels.get(dataset), material.looks),
                f"{dataset}: measures and times by the length of the chain{static}",
                _caption(own, cut_methods(runs, settings.chain_curves, label_counts(material.described))),
                QUESTION,
            )
    return drawings


def _caption(frame: pd.DataFrame, cut: Sequence[str]) -> str:
    text = (
        "A curve shows a dynamic chain that is cut after each length. A horizontal line is a static "
        "chain, which always sets all labels."
    )
    text = " ".join([text, *cut])
    bands = bands_of(frame)
    if len(bands):
        orders, name = int(bands["orders"].max()), str(bands["method"].iloc[0])
        text += (
            f" The band shows {name} with {number_of(orders, 'random order')}: its limits are the lowest "
            "value, the 20th, 40th, 60th and 80th percentile, and the highest."
        )
    return text


def length_figure(
    frame: pd.DataFrame, titles: Mapping[str, str], cardinality: float | None, looks: Looks
) -> Figure:
    """Draw one dataset: a panel for each measure, a curve for each method with several lengths.

    A method with one length is a horizontal line. If it has several orders, they are a band of quantiles.

    Parameters
    ----------
    frame : DataFrame
        Of one dataset, see `mlsieve.analysis.chains.lengths`.
    titles : mapping of str to str
        The panel's title by measure, in the order of the panels.
    cardinality : float or None
        The average number of labels, which a vertical line shows.
    looks : Looks
    """
    means, bands = means_of(frame), bands_of(frame)
    styles = _styles(means, list(dict.fromkeys(bands["method"])), looks)
    shown = [f"{value:.2f}" for value in means["value"]]
    with styled():
        figure, axes = grid(
            list(titles.values()),
            width=WIDTH,
            height=HEIGHT,
            left=max(text_size(text, SMALL)[0] for text in shown) + 0.2,
            bottom=0.42,
            legend=_legend(styles, bands, cardinality),
            columns=3,
        )
        longest = float(means["length"].max())
        for axis, measure in zip(axes, titles, strict=True):
            own, band = (table[table["measure"] == measure] for table in (means, bands))
            _panel(axis, own, band, styles)
            if cardinality is not None:
                axis.axvline(cardinality, zorder=1, gid="cardinality", **CARDINALITY)
            axis.set_xlim(0.6, longest + 0.4)
            few_ticks(axis, "x", 7)
            few_ticks(axis, "y")
            axis.set_xlabel("length of the chain", labelpad=2)
    return figure


def _styles(means: pd.DataFrame, banded: Sequence[str], looks: Looks) -> dict[str, dict[str, Any]]:
    """Return the look of each method: coloured curves, and grey or black levels; nothing for bands alone."""
    several = means.groupby("method", sort=False)["length"].nunique() > 1
    curves = [name for name in several.index if several[name]]
    levels = [name for name in several.index if not several[name]]
    found: dict[str, dict[str, Any]] = {
        str(name): looks.of(str(name)).curve(linewidth=1.5, markersize=max(5.2 - 1.4 * place, 2.4), zorder=4)
        for place, name in enumerate(curves)
    }
    for place, name in enumerate(levels):
        found[str(name)] = {
            "color": FAINT if name in banded else INK,
            "linestyle": "-" if name in banded else LEVELS[place % len(LEVELS)],
            "linewidth": 1.3,
            "zorder": 3,
        }
    return found


def _legend(
    styles: Mapping[str, dict[str, Any]], bands: pd.DataFrame, cardinality: float | None
) -> list[Any]:
    banded = bands.groupby("method", sort=False)["orders"].max()
    entries: list[Any] = [
        Line2D([], [], label=f"{name}, mean of {banded[name]} orders" if name in banded else name, **style)
        for name, style in styles.items()
    ]
    parts = ("all orders", "the middle three fifths", "the middle fifth")
    if len(banded):
        entries += [
            Patch(facecolor=shade, linewidth=0, label=part) for shade, part in zip(SHADES, parts, strict=True)
        ]
    if cardinality is not None:
        entries.append(Line2D([], [], label=f"label cardinality, {cardinality:.2f}", **CARDINALITY))
    return entries


def _panel(
    axis: Axes, means: pd.DataFrame, bands: pd.DataFrame, styles: Mapping[str, dict[str, Any]]
) -> None:
    for name, own in bands.groupby("method", sort=False):
        _band(axis, own.pivot(index="length", columns="quantile", values="value"), str(name))
    for name, style in styles.items():
        curve = means[means["method"] == name].sort_values("length")
        if curve.empty:
            continue
        if "marker" in style:
            every = max(1, len(curve) // MOST_MARKERS)
            axis.plot(curve["length"], curve["value"], markevery=every, gid=f"curve-{name}", **style)
        else:
            axis.axhline(float(curve["value"].iloc[-1]), gid=f"level-{name}", **style)
    axis.set_ylim(padded([*means["value"], *bands["value"]]))


def _band(axis: Axes, quantiles: pd.DataFrame, name: str) -> None:
    """Fill between pairs of quantiles: over the whole panel for a single length."""
    for (low, high), shade in zip(BANDS, SHADES, strict=True):
        gid = f"band-{name}-{low:g}"
        if len(quantiles) == 1:
            row = quantiles.iloc[0]
            axis.axhspan(row[low], row[high], color=shade, linewidth=0, zorder=1.5, gid=gid)
        else:
            axis.fill_between(
                quantiles.index,
                quantiles[low],
                quantiles[high],
                color=shade,
                linewidth=0,
                zorder=1.5,
                gid=gid,
            )
