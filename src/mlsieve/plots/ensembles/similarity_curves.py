"""One dataset in two panels: the similarity of the rankings' first features, and their quality."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.plots.drawing.looks import Look
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import decades, few_ticks, grid, padded
from mlsieve.plots.drawing.style import LINES, SMALL, styled, text_size
from mlsieve.plots.ensembles.saturation import legend_lines, performance_of, size_axis
from mlsieve.registry import register

_OF_PAIRS = ("#5e4fa2", "#a59acb")  # no method has these
LOGARITHMIC = 50  # features from which the first ones would be too close to each other


@register.figure("similarity-curves", version=1)
def similarity_curves(material: Material) -> dict[str, Drawing]:
    """Curves of the first dataset in the table: FUJI against the number of features, and performance."""
    curves = material.curves
    if curves is None or curves.empty:
        return {}
    dataset = str(curves["dataset"].iloc[0])
    curves = curves[curves["dataset"] == dataset]
    names = list(dict.fromkeys([*curves["first"], *curves["second"]]))
    table = performance_of(material)
    drawings = {}
    for evaluator in [None] if table is None else table.evaluators:
        tail = f"_{evaluator}" if table is not None and len(table.evaluators) > 1 else ""
        drawings[f"similarity-curves{tail}"] = _draw(dataset, curves, names, table, evaluator, material)
    return drawings


def _draw(
    dataset: str,
    curves: pd.DataFrame,
    names: list[str],
    table: PerformanceTable | None,
    evaluator: str | None,
    material: Material,
) -> Drawing:
    values = {} if table is None else _values(table, str(evaluator), dataset, names, material.sizes())
    titles = ["similarity of the first features"]
    measure = "" if table is None else table.measures[0]
    if values:
        titles.append(measure + {"higher": " ↑", "lower": " ↓"}.get(material.direction(measure) or "", ""))
    pairs = list(dict.fromkeys(zip(curves["first"], curves["second"], strict=True)))
    # Colours belong to methods, so pairs differ in the kind of line and its shade.
    handles = [
        Line2D(
            [],
            [],
            color=_OF_PAIRS[place // len(LINES) % 2],
            linestyle=LINES[place % len(LINES)],
            linewidth=1.3,
        )
        for place in range(len(pairs))
    ]
    # The other panel's legend lists the ensembles.
    scores = [material.labels[name].short for name in names]
    short = dict(zip(names, scores if len(set(scores)) == len(names) else names, strict=True))
    for line, pair in zip(handles, pairs, strict=True):
        line.set_label(" and ".join(short[name] for name in pair))
    styles = {name: _style(material.looks.of(name), values[name]) for name in values}
    shown = [value for curve in values.values() for value in curve]
    left = max([text_size(f"{value:.3f}", SMALL)[0] for value in shown], default=0.25) + 0.2
    with styled():
        figure, axes = grid(
            titles,
            width=3.1,
            height=2.2,
            left=left,
            bottom=0.45,
            legend=[*handles, *legend_lines(styles)],
            columns=2,
        )
        _similarity(axes[0], curves, pairs, handles)
        if values:
            _performance(axes[1], values, styles)
    text = (
        f"{'The left panel' if values else 'The figure'} shows FUJI of each pair of rankings on {dataset} "
        "over the first j features; its mean over all j is their similarity."
    )
    if values:
        text += (
            f" The right panel shows {measure} on {dataset} by {evaluator} against the number of trees; a "
            "horizontal line is a ranking without trees at the size in use. The evaluator weighs all "
            "features, so there are no values by number of features."
        )
    return Drawing(figure, f"The rankings on {dataset}", text, "similarity")


def _style(look: Look, values: Mapping[int, float]) -> dict[str, Any]:
    return look.curve(linewidth=1.1, markersize=3.6) if len(values) > 1 else look.level(linewidth=1.3)


def _values(
    table: PerformanceTable, evaluator: str, dataset: str, names: list[str], sizes: Mapping[str, int]
) -> dict[str, dict[int, float]]:
    """Return the first measure of each ranking by size; of one without trees at the size in use only."""
    known = dict(zip(table.labels["label"], table.labels["sizes"], strict=True))
    trees = set(table.pairs()["label"])
    baselines = [label for label in table.companions() if label not in names and not known[label]]
    found: dict[str, dict[int, float]] = {}
    for name in [*names, *baselines]:
        if name not in known:
            continue
        chosen = known[name] if name in trees else (sizes.get(name, max(known[name], default=0)),)
        values = table.values(evaluator, table.measures[0], [(name, size) for size in chosen], rounded=False)
        if dataset in values.index:
            row = values.loc[dataset].to_numpy()
            found[name] = {size: value for size, value in zip(chosen, row, strict=True) if value == value}
    # Curves need two sizes of an ensemble; without any there is nothing that a level could be compared with.
    curves = [name for name, curve in found.items() if name in trees and len(curve) > 1]
    return {name: curve for name, curve in found.items() if curve} if curves else {}


def _similarity(
    axis: Axes, curves: pd.DataFrame, pairs: list[tuple[str, str]], handles: list[Line2D]
) -> None:
    for (first, second), line in zip(pairs, handles, strict=True):
        part = curves[(curves["first"] == first) & (curves["second"] == second)]
        axis.plot(
            part["features"],
            part["similarity"],
            color=line.get_color(),
            linestyle=line.get_linestyle(),
            linewidth=1.3,
        )
    most = int(curves["features"].max())
    axis.set_ylim(-0.02, 1.02)
    few_ticks(axis, "y")
    if most > LOGARITHMIC:
        axis.set_xlim(1, most)
        decades(axis, "x")
    else:
        axis.set_xlim(1, max(most, 2))
        few_ticks(axis, "x")
    axis.set_xlabel("number of first features j", labelpad=2)


def _performance(axis: Axes, values: dict[str, dict[int, float]], styles: dict[str, dict]) -> None:
    sizes = sorted({size for curve in values.values() if len(curve) > 1 for size in curve})
    places = {size: place for place, size in enumerate(sizes)}
    for name, curve in values.items():
        if len(curve) > 1:
            axis.plot([places[size] for size in curve], list(curve.values()), **styles[name])
        else:
            axis.axhline(next(iter(curve.values())), **styles[name])
    axis.set_ylim(padded([value for curve in values.values() for value in curve.values()]))
    few_ticks(axis, "y")
    size_axis(axis, places)
