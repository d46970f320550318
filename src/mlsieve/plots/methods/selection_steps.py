"""Measures at every number of selected features, one after the other, where a study evaluated them all."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.analysis.sentences.wording import number_of
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.papers import SELECTION
from mlsieve.plots.drawing.style import SMALL, styled, text_size
from mlsieve.plots.methods.selection_curves import MOST_MARKERS, QUESTION, curve_points
from mlsieve.registry import register

FEWEST = 10  # fewest points of a curve in a figure of its own


@register.figure("selection-steps", version=1)
def selection_steps(material: Material) -> dict[str, Drawing]:
    """A figure for each dataset: its measures at 1, 2, 3, ... features, for methods that have all of them."""
    frame = every_number(curve_points(material.performance))
    several = frame["evaluator"].nunique() > 1
    tested = set(material.tests["measure"])
    drawings = {}
    for (evaluator, dataset), part in frame.groupby(["evaluator", "dataset"], sort=False):
        part = part[part["measure"].isin(tested)] if tested else part
        if part.empty:
            continue
        most, splits = int(part["features"].max()), sorted(set(part["splits"].astype(int)))
        over = " to ".join(str(number) for number in dict.fromkeys((splits[0], splits[-1])))
        band = ", with a band of one standard error" if splits[-1] > 1 else ""
        tail = f"_{evaluator}" if several else ""
        drawings[f"selection-steps_{dataset}{tail}"] = Drawing(
            steps_figure(part, material),
            f"{dataset}: every number of selected features",
            f"The figure shows measures on {dataset} with the first k selected features, at every k from 1 "
            f"to {most}, averaged over {number_of(over, 'split')}{band}. The scales of the panels differ. "
            f"The figure follows Fig. 2 of {SELECTION}.",
            QUESTION,
        )
    return drawings


def every_number(points: pd.DataFrame) -> pd.DataFrame:
    """Return the curves that have every number of features from 1 to their largest, ten or more.

    Parameters
    ----------
    points : DataFrame
        As `mlsieve.plots.methods.selection_curves.curve_points` returns it.
    """
    keys = ["evaluator", "measure", "dataset", "method"]
    features = points.groupby(keys, sort=False)["features"]
    whole = (features.transform("nunique") == features.transform("max")) & (features.transform("min") == 1)
    return points[whole & (features.transform("max") >= FEWEST)]


def steps_figure(frame: pd.DataFrame, material: Material) -> Figure:
    """Draw a panel per measure and a line per method.

    Parameters
    ----------
    frame : DataFrame
        Of one evaluator and dataset, as `every_number` returns it.
    material : Material
        Gives the better direction of each measure.
    """
    methods, measures = list(dict.fromkeys(frame["method"])), list(dict.fromkeys(frame["measure"]))
    styles = {name: material.looks.of(str(name)).curve(linewidth=1.3, markersize=4.0) for name in methods}
    handles = [Line2D([], [], label=name, **style) for name, style in styles.items()]
    left = max(text_size(f"{value:.3f}", SMALL)[0] for value in frame["mean"]) + 0.2
    with styled():
        figure, axes = grid(
            [material.directed(str(measure)) for measure in measures],
            width=2.6,
            height=1.9,
            left=left,
            bottom=0.42,
            legend=handles,
        )
        for axis, measure in zip(axes, measures, strict=True):
            own = frame[frame["measure"] == measure]
            for name, style in styles.items():
                curve = own[own["method"] == name].sort_values("features")
                x, y = curve["features"].to_numpy(dtype=float), curve["mean"].to_numpy(dtype=float)
                error = np.nan_to_num(curve["error"].to_numpy(dtype=float))
                axis.plot(
                    x, y, gid=f"curve-{name}", markevery=max(1, len(x) // MOST_MARKERS), zorder=3, **style
                )
                axis.fill_between(
                    x, y - error, y + error, color=style["color"], alpha=0.18, linewidth=0, zorder=1
                )
            axis.set_xlim(0, 1.02 * float(own["features"].max()))
            axis.set_ylim(padded(own["mean"]))
            few_ticks(axis, "x")
            few_ticks(axis, "y")
            axis.set_xlabel("number of selected features k", labelpad=2)
    return figure
