"""How rankings of fewer trees agree with that of the most, against the number of trees."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.lines import Line2D

from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.papers import FLAT
from mlsieve.plots.drawing.style import datasets, styled
from mlsieve.plots.ensembles.saturation import curve_styles, size_axis
from mlsieve.registry import register

PANELS = {
    "tau": "tau-b with the largest ensemble",
    "similarity": "FUJI with the largest ensemble",
    "tau_seeds": "tau-b between seeds",
    "similarity_seeds": "FUJI between seeds",
}


@register.figure("convergence", version=1)
def convergence(material: Material) -> dict[str, Drawing]:
    """Curves of each ensemble and score: mean agreement over the datasets against the number of trees."""
    means = material.convergence
    if means is None or means.empty:
        return {}
    several = means.groupby("label")["size"].transform("nunique") > 1
    means = means[several]
    if means.empty:
        return {}
    shown = [name for name in PANELS if means[name].notna().any()]
    text = (
        "The curves show the agreement of a ranking with that of the largest ensemble, averaged over "
        f"{datasets(means['datasets'])}; 1 is the same order. A smaller ensemble consists of the "
        "first trees of the largest. "
    )
    if "tau_seeds" in shown:
        text += (
            "The panels 'between seeds' show the mean over all pairs of rankings of equally many trees grown "
            "with different seeds, which have no tree in common. "
        )
    return {
        "convergence": Drawing(
            _figure(means, shown, material.looks),
            "Agreement of rankings against the number of trees",
            f"{text}By Corollary 1 of {FLAT}, the order converges.",
            "convergence",
        )
    }


def _figure(means: pd.DataFrame, shown: list[str], looks: Looks) -> Any:
    styles = curve_styles(dict.fromkeys(means["label"]), looks)
    handles = [Line2D([], [], label=label, **style) for label, style in styles.items()]
    places = {size: place for place, size in enumerate(sorted(means["size"].unique().tolist()))}
    with styled():
        figure, axes = grid(
            [PANELS[name] for name in shown],
            width=max(2.6, 0.34 * len(places) + 0.3),
            height=2.0,
            left=0.5,
            bottom=0.45,
            legend=handles,
            columns=2,
        )
        for axis, name in zip(axes, shown, strict=True):
            for label, own in means.groupby("label", sort=False):
                x = [places[size] for size in own["size"]]
                axis.plot(x, own[name], gid=f"curve-{label}", **styles[str(label)])
            size_axis(axis, places)
            axis.set_ylim(padded(means[name]))
            few_ticks(axis, "y")
    return figure
