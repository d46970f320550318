"""Performance and average rank against the number of trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import FAINT, SMALL, datasets, styled, text_size
from mlsieve.registry import register


@register.figure("saturation", version=1)
def saturation(material: Material) -> dict[str, Drawing]:
    """Curves over the sizes of every ensemble and score: mean performance, average rank and verdict."""
    table = performance_of(material)
    if table is None:
        return {}
    pairs = table.pairs()
    pairs = pairs[pairs["sizes"].map(len) > 1]
    if pairs.empty:
        return {}
    drawings = {}
    for evaluator in table.evaluators:
        tail = f"_{evaluator}" if len(table.evaluators) > 1 else ""
        drawings[f"saturation_performance{tail}"] = _performance(table, pairs, evaluator, material)
        ranks = _rank_table(material, evaluator)
        ranks = ranks[~ranks["method"].isin(list(table.by_label))]  # baselines among the sizes
        if not ranks.empty:
            drawings[f"saturation_rank{tail}"] = _ranks(ranks, pairs, table, material.looks)
    return drawings


def performance_of(material: Material) -> PerformanceTable | None:
    """Return a study's values as they are, of the measures that its tests are about; None without any."""
    tested = set(material.tests["measure"])
    performance = material.performance
    names = performance["measure"].unique().tolist()
    # Directions do not matter for a mean; any will do for a measure that is not registered.
    directions = {name: material.direction(name) or "higher" for name in names}
    if not names:
        return None
    table = PerformanceTable(performance, Analysis(rounding=None, directions=directions))
    if tested:
        table.measures = [name for name in table.measures if name in tested]
    return table if table.measures else None


def curve_styles(names: Iterable[str], looks: Looks) -> dict[str, dict]:
    """Return how each curve over the sizes is drawn."""
    return {name: looks.of(name).curve(linewidth=1.1, markersize=3.6) for name in names}


def legend_lines(styles: Mapping[str, dict]) -> list[Line2D]:
    """Return the entries of a legend."""
    return [Line2D([], [], label=label, **style) for label, style in styles.items()]


def _room(values, digits: str = "{:.3f}") -> float:
    return max((text_size(digits.format(value), SMALL)[0] for value in values), default=0.3) + 0.16


def size_places(pairs: pd.DataFrame) -> dict[int, int]:
    """Return a place on the axis for each size: even steps keep all sizes readable."""
    return {
        size: place for place, size in enumerate(sorted({size for sizes in pairs["sizes"] for size in sizes}))
    }


def size_axis(axis, places: dict[int, int], unit: str = "number of trees") -> None:
    """Give a panel one tick for each size."""
    axis.set_xticks(list(places.values()), [str(size) for size in places])
    axis.set_xlim(-0.4, len(places) - 0.6)
    axis.grid(axis="x", visible=False)
    axis.set_xlabel(unit, labelpad=2)


def _performance(table: PerformanceTable, pairs: pd.DataFrame, evaluator: str, material: Material) -> Drawing:
    places, styles = size_places(pairs), curve_styles(pairs["label"], material.looks)
    baselines = [
        label for label in table.companions() if not (table.labels.set_index("label")["sizes"][label])
    ]
    width = max(2.2, 0.34 * len(places) + 0.3)
    curves: dict[str, dict[str, pd.Series]] = {}
    levels: dict[str, dict[str, float]] = {}
    counts = set()
    for measure in table.measures:
        columns = [(row.label, size) for row in pairs.itertuples() for size in row.sizes]
        values = table.values(evaluator, measure, [*columns, *((label, 0) for label in baselines)]).dropna()
        counts.add(len(values))
        means = values.mean()
        curves[measure] = {
            row.label: pd.Series({size: means[(row.label, size)] for size in row.sizes})
            for row in pairs.itertuples()
        }
        levels[measure] = {label: float(means[(label, 0)]) for label in baselines}
    every = [value for part in curves.values() for curve in part.values() for value in curve]
    flat = level_styles(baselines, material.looks)
    with styled():
        titles = [material.directed(measure) for measure in table.measures]
        figure, axes = grid(
            titles,
            width=width,
            height=1.45,
            left=_room(every) + 0.05,
            bottom=0.45,
            legend=legend_lines({**styles, **flat}),
        )
        for axis, measure in zip(axes, table.measures, strict=True):
            draw_curves(axis, curves[measure], styles, levels[measure], flat, places)
    return Drawing(
        figure,
        "Performance against the number of trees",
        f"The curves are means over {datasets(counts)}; horizontal lines are the methods without trees. The "
        "scales of the panels differ.",
        "saturation",
    )


def draw_curves(
    axis: Axes,
    curves: Mapping[str, pd.Series],
    styles: Mapping[str, dict],
    levels: Mapping[str, float],
    flat: Mapping[str, dict],
    places: dict[int, int],
    unit: str = "number of trees",
) -> None:
    """Draw one measure against the sizes.

    Parameters
    ----------
    axis : Axes
    curves : mapping of str to Series of float
        By label: values by size.
    styles : mapping of str to dict
        By label: settings of the curve.
    levels : mapping of str to float
        Methods without sizes, which are horizontal lines.
    flat : mapping of str to dict
        By label: settings of these lines.
    places : dict of int to int
        The place of each size on the axis.
    unit : str
        Of the sizes.
    """
    for label, style in flat.items():
        axis.axhline(levels[label], **style)
    for label, curve in curves.items():
        axis.plot(
            [places[size] for size in curve.index], curve.to_numpy(), gid=f"curve-{label}", **styles[label]
        )
    size_axis(axis, places, unit)
    axis.set_ylim(padded([*(value for curve in curves.values() for value in curve), *levels.values()]))
    few_ticks(axis, "y")


def level_styles(names: Iterable[str], looks: Looks) -> dict[str, dict]:
    """Return how the horizontal lines of methods without sizes are drawn."""
    return {name: looks.of(name).level(linewidth=1.1) for name in names}


def _rank_table(material: Material, evaluator: str) -> pd.DataFrame:
    ranks = material.average_ranks
    chosen = (
        (ranks["question"] == "saturation") & (ranks["variant"] == "all") & (ranks["evaluator"] == evaluator)
    )
    ranks = ranks[chosen & ranks["rank"].notna()]
    if ranks.empty:
        return ranks
    family = "paper" if (ranks["family"] == "paper").any() else ranks["family"].iloc[0]
    # Only ensembles: the sizes of other methods are not numbers of trees.
    of_trees = material.labels.of_trees(ranks["comparison"])
    return ranks[(ranks["family"] == family) & of_trees]


def _ranks(ranks: pd.DataFrame, pairs: pd.DataFrame, table: PerformanceTable, looks: Looks) -> Drawing:
    places = size_places(pairs)
    shown = set(ranks["comparison"])
    styles = curve_styles([label for label in pairs["label"] if label in shown], looks)
    measures = [measure for measure in table.measures if (ranks["measure"] == measure).any()]
    extra = [
        Line2D(
            [],
            [],
            color=FAINT,
            marker="o",
            linestyle="",
            markersize=3.6,
            label="not significantly worse than the best size",
        ),
        Line2D(
            [],
            [],
            color=FAINT,
            marker="o",
            linestyle="",
            markersize=3.6,
            markerfacecolor="white",
            label="significantly worse",
        ),
    ]
    with styled():
        figure, axes = grid(
            measures,
            width=max(2.2, 0.34 * len(places) + 0.3),
            height=1.45,
            left=0.36,
            bottom=0.45,
            legend=[*legend_lines(styles), *extra],
        )
        for axis, measure in zip(axes, measures, strict=True):
            part = ranks[ranks["measure"] == measure]
            for label, group in part.groupby("comparison", sort=False):
                if label not in styles:
                    continue
                x = [places[int(size)] for size in group["method"]]
                y = group["rank"].to_numpy()
                distance = float(group["critical_distance"].iloc[0])
                worse = y - y.min() >= distance - 1e-12  # False everywhere without a distance
                style = styles[str(label)]
                axis.plot(x, y, gid=f"curve-{label}", **{**style, "marker": ""})
                for hollow, face in ((False, style["color"]), (True, "white")):
                    axis.plot(
                        [a for a, out in zip(x, worse, strict=True) if out == hollow],
                        y[worse == hollow],
                        **{**style, "linestyle": ""},
                        markerfacecolor=face,
                        markeredgewidth=0.9,
                    )
            size_axis(axis, places)
            axis.set_ylim(padded(part["rank"])[::-1])
            few_ticks(axis, "y")
    return Drawing(
        figure,
        "Average rank of each size",
        f"The curves are average ranks of the sizes of one method over {datasets(ranks['n_datasets'])}, the "
        "best at the top. A marker is hollow if the size is significantly worse than the best one by "
        "Nemenyi's test, after a significant Friedman test.",
        "saturation",
    )
