"""Number of features that each ranking weighs, against the quality of its predictions."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.analysis.ranking_costs import shares_by_dataset
from mlsieve.plots.drawing.dots import differences
from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.marks import describe
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.papers import HIERARCHICAL
from mlsieve.plots.drawing.style import INK, SMALL, datasets, styled, text_size
from mlsieve.plots.ensembles.one_dataset import references_of
from mlsieve.registry import register
from mlsieve.tables.similarity import compared_rankings


@register.figure("efficiency-quality", version=1)
def efficiency_quality(material: Material) -> dict[str, Drawing]:
    """Share of positive weights and gain over the baseline, a point for each dataset and ranking in use."""
    references = references_of(material)
    if material.rankings is None or material.rankings.empty or material.choices is None or not references:
        return {}
    baseline, rival = references[0], next(iter(references[1:]), "")
    choices = material.choices.astype(str).to_dict("records")
    compared = [label for label in compared_rankings(choices, rival, material.labels) if label]
    shares = shares_by_dataset(material.rankings, material.sizes())
    compared = [label for label in compared if label in shares.index]
    evaluators = sorted(material.performance["evaluator"].unique())
    drawings = {}
    for evaluator in evaluators:
        points = {
            measure: _points(material, evaluator, measure, compared, baseline, shares)
            for measure in material.few_measures()
        }
        points = {measure: own for measure, own in points.items() if len(own)}
        if not points:
            continue
        sets = max(own["dataset"].nunique() for own in points.values())
        tail = f"_{evaluator}" if len(evaluators) > 1 else ""
        drawings[f"efficiency-quality{tail}"] = Drawing(
            _figure(points, compared, baseline, material.looks),
            "Share of positive weights against quality",
            f"A small marker is one ranking on one dataset ({datasets(sets)}) at the size in use. It shows "
            f"the share of features with a positive weight, and the gain over {baseline} (above the line is "
            "better, also for measures where lower is better). Large markers are means over the datasets. "
            f"{HIERARCHICAL} discuss in section 4.5 whether rankings of fewer features are better.",
            "efficiency",
        )
    return drawings


def _points(
    material: Material, evaluator: str, measure: str, labels: list[str], baseline: str, shares: pd.DataFrame
) -> pd.DataFrame:
    """Return the points of one measure: columns label, dataset, share (in %) and gain."""
    gains = differences(material, evaluator, measure, labels, baseline)
    rows = [
        (label, dataset, 100 * float(shares.loc[label, dataset]), float(gain))
        for label in labels
        for dataset, gain in gains[label].dropna().items()
        if dataset in shares.columns and shares.loc[label, dataset] == shares.loc[label, dataset]
    ]
    return pd.DataFrame(rows, columns=["label", "dataset", "share", "gain"])


def _figure(points: dict[str, pd.DataFrame], labels: list[str], baseline: str, looks: Looks) -> Figure:
    styles = {label: looks.of(label).dot() for label in labels}
    handles = [Line2D([], [], markersize=6, label=label, **style) for label, style in styles.items()]
    values = [value for own in points.values() for value in padded(own["gain"])]
    with styled():
        figure, axes = grid(
            [f"{measure}: gain over {baseline}" for measure in points],
            width=2.9,
            height=2.2,
            left=max(text_size(f"{value:.3f}", SMALL)[0] for value in values) + 0.22,
            bottom=0.45,
            legend=handles,
        )
        for axis, own in zip(axes, points.values(), strict=True):
            axis.axhline(0, color=INK, linewidth=0.9, zorder=1)
            for label, part in own.groupby("label", sort=False):
                style = styles[str(label)]
                [line] = axis.plot(
                    part["share"],
                    part["gain"],
                    markersize=3.4,
                    alpha=0.5,
                    mew=0,
                    zorder=2,
                    gid=f"points-{label}",
                    **style,
                )
                rows = zip(part["dataset"], part["share"], part["gain"], strict=True)
                describe(line, [f"{dataset}, {share:.3g} %, {gain:.4g}" for dataset, share, gain in rows])
                axis.plot(
                    part["share"].mean(),
                    part["gain"].mean(),
                    markersize=8,
                    markeredgecolor=INK,
                    zorder=4,
                    gid=f"mean-{label}",
                    **style,
                )
            axis.set_xlim(-4, 104)
            axis.set_xticks([0, 25, 50, 75, 100])
            axis.set_xlabel("features with a positive weight, %", labelpad=2)
            axis.set_ylim(padded([0.0, *own["gain"]]))
            few_ticks(axis, "y")
    return figure
