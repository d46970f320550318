"""A measure against the number of selected features: a panel for each dataset, a line for each method."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.analysis.sentences.wording import number_of
from mlsieve.plots.drawing.critical_difference import WIDEST
from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import SMALL, styled, text_size
from mlsieve.registry import register
from mlsieve.tables.labels import labels_of

QUESTION = "selection"
WIDTH, HEIGHT, COLUMNS = 1.85, 1.25, 5
MOST_MARKERS = 12  # on a curve


@register.figure("selection-curves", version=3)
def selection_curves(material: Material) -> dict[str, Drawing]:
    """A figure for each measure: its mean over the splits at every evaluated number of features."""
    frame = curve_points(material.performance)
    if frame.empty:
        return {}
    tests = material.tests[material.tests["question"] == QUESTION]
    reference = _reference(material.average_ranks)
    order = _order(frame, tests, reference)
    several = frame["evaluator"].nunique() > 1
    drawings = {}
    for (evaluator, measure), part in frame.groupby(["evaluator", "measure"], sort=False):
        if len(tests) and measure not in set(tests["measure"]):
            continue
        tail = f"_{evaluator}" if several else ""
        drawings[f"selection-curves_{measure}{tail}"] = Drawing(
            curves_figure(part, order, material.looks),
            f"{measure} against the number of features" + (f", {evaluator}" if several else ""),
            _caption(part, order, material.direction(str(measure))),
            QUESTION,
        )
    return drawings


def curve_points(performance: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard error over the splits by dataset, method and number of features.

    Parameters
    ----------
    performance : DataFrame
        See `mlsieve.analysis.read_performance`; of ensembles only the largest size is taken.

    Returns
    -------
    DataFrame
        Columns evaluator, measure, dataset, method, features, mean, error (NaN with one split), splits; empty
        where no method was evaluated at several numbers of features.
    """
    columns = ["evaluator", "measure", "dataset", "method", "features", "mean", "error", "splits"]
    nothing = pd.DataFrame(columns=columns)
    if "features" not in performance or performance.empty:
        return nothing
    frame = performance.assign(method=labels_of(performance))
    frame = frame[frame["size"] == frame.groupby("method")["size"].transform("max")]
    keys = ["evaluator", "measure", "dataset", "method", "features"]
    groups = frame.groupby(keys, sort=False)["value"]
    found = groups.agg(mean="mean", error="sem", splits="count").reset_index()
    points = found.groupby(["evaluator", "measure", "dataset", "method"])["features"].transform("nunique")
    return found[columns] if (points > 1).any() else nothing


def _reference(ranks: pd.DataFrame) -> str:
    """Return the method that the question compares the others with; empty if it was not asked."""
    own = ranks.loc[
        (ranks["question"] == QUESTION) & (ranks["reference_method"].astype(str) != ""), "reference_method"
    ]
    return str(own.iloc[0]) if len(own) else ""


def _order(frame: pd.DataFrame, tests: pd.DataFrame, reference: str) -> list[str]:
    """Return the methods: the reference method first, then the paper's, then the others."""
    present = list(dict.fromkeys(frame["method"]))
    paper = tests.loc[(tests["family"] == "paper") & (tests["test"] == "friedman"), "methods"]
    first = [reference, *(paper.iloc[0].split(";") if len(paper) else ())]
    return [name for name in dict.fromkeys([*first, *present]) if name in present]


def _styles(frame: pd.DataFrame, order: list[str], looks: Looks) -> tuple[dict[str, dict], dict[str, dict]]:
    """Return how the curves are drawn, and how the methods of one point each: as horizontal lines."""
    curves = _curves(frame, order)
    levels = [name for name in order if name not in curves]
    drawn = {
        # The first method, which the tests are about, is drawn on top.
        name: looks.of(name).curve(
            linewidth=1.0 if place else 1.7, markersize=3.4, markeredgewidth=0.4, zorder=3 if place else 4
        )
        for place, name in enumerate(curves)
    }
    flat = {name: looks.of(name).level(linewidth=1.0, zorder=2) for name in levels}
    return drawn, flat


def _curves(frame: pd.DataFrame, order: list[str]) -> list[str]:
    """Return the methods that are drawn as curves.

    A method that was evaluated at several numbers of features, but at more of them than the first method (all
    features, in any order), is a level: its curve has another subject, and would squeeze the others.
    """
    several = frame.groupby(["method", "dataset"])["features"].nunique().groupby("method").max() > 1
    most = frame.groupby(["method", "dataset"])["features"].max().unstack("dataset")
    candidates = [name for name in order if several[name]]
    if not candidates:
        return []
    beyond = (most > most.loc[candidates[0]]).mean(axis=1) > 0.5
    return [name for name in candidates if not beyond[name]]


def curves_figure(frame: pd.DataFrame, order: list[str], looks: Looks) -> Figure:
    """Draw one measure: a panel per dataset, with its own scales.

    Parameters
    ----------
    frame : DataFrame
        Of one evaluator and measure, as `curve_points` returns it.
    order : list of str
        Methods, for colours and legend; those that were not evaluated at several numbers of features, up to
        that of the first one, become horizontal lines.
    looks : Looks
    """
    order = [name for name in order if name in set(frame["method"])]
    drawn, flat = _styles(frame, order, looks)
    datasets = list(dict.fromkeys(frame["dataset"]))
    lines = [Line2D([], [], label=name, **style) for name, style in {**drawn, **flat}.items()]
    shown = [f"{value:.2f}" for value in frame["mean"]]
    left = max(text_size(text, SMALL)[0] for text in shown) + 0.16
    width = max(WIDTH, *(1.15 * text_size(name)[0] - left for name in datasets))
    columns = min(COLUMNS, int(WIDEST / (left + width + 0.18)), len(datasets))
    with styled():
        figure, axes = grid(
            datasets,
            width=width,
            height=HEIGHT,
            left=left,
            bottom=0.4,
            legend=lines,
            columns=columns if len(datasets) != 4 else 2,
        )
        for axis, dataset in zip(axes, datasets, strict=True):
            _panel(axis, frame[frame["dataset"] == dataset], drawn, flat)
    return figure


def _panel(axis: Axes, frame: pd.DataFrame, drawn: Mapping[str, dict], flat: Mapping[str, dict]) -> None:
    levels = _levels_in_reach(frame, list(drawn))
    for name, level in levels.items():
        axis.axhline(level, gid=f"level-{name}", **flat[name])
    for name, style in drawn.items():
        curve = frame[frame["method"] == name].sort_values("features")
        x, y = curve["features"].to_numpy(dtype=float), curve["mean"].to_numpy(dtype=float)
        axis.plot(x, y, gid=f"curve-{name}", markevery=max(1, len(x) // MOST_MARKERS), **style)
        error = np.nan_to_num(curve["error"].to_numpy(dtype=float))
        band = {"color": style["color"], "alpha": 0.18, "linewidth": 0, "zorder": 1}
        axis.fill_between(x, y - error, y + error, **band)
    curves = frame[frame["method"].isin(drawn)]
    axis.set_ylim(padded(pd.concat([curves["mean"], pd.Series(levels, dtype=float)])))
    axis.set_xlim(0, 1.04 * float(curves["features"].max()) if len(curves) else 1.0)
    few_ticks(axis, "x", 4)
    few_ticks(axis, "y", 4)
    axis.set_xlabel("features", labelpad=2)


def _levels_in_reach(frame: pd.DataFrame, drawn: list[str]) -> dict[str, float]:
    """Return the horizontal lines of a panel that are no farther from the curves than their span.

    A level far away would squeeze all curves into one line.
    """
    curves = frame.loc[frame["method"].isin(drawn), "mean"]
    flat = frame[~frame["method"].isin(drawn)]
    levels = flat.loc[flat.groupby("method")["features"].idxmax()].set_index("method")["mean"]
    if curves.empty:
        return levels.to_dict()
    span = curves.max() - curves.min()
    return levels[levels.between(curves.min() - span, curves.max() + span)].to_dict()


def _caption(frame: pd.DataFrame, order: list[str], direction: str | None) -> str:
    splits = sorted(set(frame["splits"].astype(int)))
    over = str(splits[0]) if len(splits) == 1 else f"{splits[0]} to {splits[-1]}"
    text = f"The curves are means over {number_of(over, 'split')} of each dataset"
    text += ", with a band of one standard error. " if splits[-1] > 1 else ". "
    text += {"lower": "Lower is better. ", "higher": "Higher is better. "}.get(direction or "", "")
    text += "Horizontal lines are methods with a number of features of their own"
    drawn = _curves(frame, order)
    flat = [name for name in order if name not in drawn]
    missing = {
        name
        for _, part in frame.groupby("dataset")
        for name in set(flat) & set(part["method"]) - set(_levels_in_reach(part, drawn))
    }
    if missing:
        names = ", ".join(name for name in flat if name in missing)
        text += f"; a line that is farther from the curves than their span ({names}) is left out"
    return f"{text}. The scales of the panels differ."
