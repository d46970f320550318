"""Performance and average rank of a method without trees, such as Relief, against its sizes."""

from __future__ import annotations

import pandas as pd

from mlsieve.analysis.choices import several_sizes
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import FAINT, SMALL, datasets, styled, text_size
from mlsieve.plots.ensembles.saturation import performance_of, size_axis
from mlsieve.registry import register


@register.figure("size-saturation", version=1)
def size_saturation(material: Material) -> dict[str, Drawing]:
    """For each method without trees that was tested over its sizes: mean performance and average ranks."""
    table = performance_of(material)
    ranks = material.average_ranks
    ranks = ranks[(ranks["question"] == "saturation") & (ranks["variant"] == "all") & ranks["rank"].notna()]
    if table is None or ranks.empty:
        return {}
    drawings = {}
    for row in several_sizes(table).itertuples():
        label, sizes = str(row.label), [int(size) for size in row.sizes]
        own = ranks[ranks["comparison"] == label]
        family = "paper" if (own["family"] == "paper").any() else "extended"
        own = own[(own["family"] == family) & own["method"].isin([str(size) for size in sizes])]
        for evaluator in table.evaluators:
            part = own[own["evaluator"] == evaluator]
            if part.empty:
                continue
            tail = f"_{evaluator}" if len(table.evaluators) > 1 else ""
            values = {
                str(measure): table.values(
                    evaluator, str(measure), [(label, size) for size in sizes], rounded=False
                ).dropna()
                for measure in dict.fromkeys(part["measure"])
            }
            drawings[f"size-saturation_{label}{tail}"] = _draw(label, sizes, part, values, material)
    return drawings


def _draw(
    label: str, sizes: list[int], ranks: pd.DataFrame, values: dict[str, pd.DataFrame], material: Material
) -> Drawing:
    unit = "% of the examples" if material.labels[label].in_per_cent else "size"
    titles = [f"{measure}: {what}" for measure in values for what in ("mean", "average rank")]
    shown = [value for frame in values.values() for value in frame.mean()]
    left = max((text_size(f"{value:.3f}", SMALL)[0] for value in shown), default=0.3) + 0.21
    places = {size: place for place, size in enumerate(sizes)}
    colour = material.looks.of(label).color
    with styled():
        width = max(2.2, 0.34 * len(sizes) + 0.3, *(text_size(title)[0] * 1.2 for title in titles))
        figure, axes = grid(titles, width=width, height=1.45, left=left, bottom=0.45, columns=2)
        for (measure, frame), mean_axis, rank_axis in zip(values.items(), axes[::2], axes[1::2], strict=True):
            means = frame.mean().to_numpy()
            mean_axis.plot(list(places.values()), means, "o-", color=colour, markersize=3.6, linewidth=1.1)
            mean_axis.set_ylim(padded(means))
            part = ranks[ranks["measure"] == measure]
            by_size = part.set_index(part["method"].astype(int))["rank"].reindex(sizes).to_numpy()
            distance = float(part["critical_distance"].iloc[0])
            rank_axis.plot(list(places.values()), by_size, "-", color=colour, linewidth=1.1)
            for place, rank in enumerate(by_size):
                worse = rank - by_size.min() >= distance - 1e-12
                face = "white" if worse else colour
                rank_axis.plot(place, rank, "o", color=colour, markersize=3.6, markerfacecolor=face)
            rank_axis.set_ylim(padded(by_size)[::-1])
            used = material.sizes().get(label)
            for axis in (mean_axis, rank_axis):
                size_axis(axis, places, unit)
                few_ticks(axis, "y")
                if used in places:
                    axis.axvline(places[used], color=FAINT, linestyle=":", linewidth=1.1, zorder=1)
    return Drawing(
        figure,
        f"How {label} depends on its size",
        "The figure shows the mean of each measure and the average ranks of the sizes over "
        f"{datasets(ranks['n_datasets'])}, the best rank at the top. A marker is hollow if the size is "
        "significantly worse than the best one by Nemenyi's test, after a significant Friedman test. The "
        "dotted line is the size that later questions use.",
        "saturation",
    )
