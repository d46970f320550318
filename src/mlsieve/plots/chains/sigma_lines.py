"""A measure against the share of active label tests: a panel for each dataset."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.style import SMALL, styled, text_size
from mlsieve.questions.chains.chain_sequence import ChainSequenceKeys
from mlsieve.questions.chains.label_tests import QUESTION, sigma_curves
from mlsieve.registry import register

WIDTH, HEIGHT = 1.62, 1.25
_LEAST_RANGE = 0.02  # of a panel's scale: a difference of a single example is not drawn as a cliff


@register.figure(QUESTION)
def sigma_figures(material: Material) -> dict[str, Drawing]:
    """A figure for each measure: a panel for each dataset, a curve for each share of label tests."""
    if material.chain_curves is None:
        return {}
    methods = material.analysis.of(ChainSequenceKeys).label_test_methods
    curves = sigma_curves(material.chain_curves, methods)
    curves = curves[curves.groupby(["dataset", "method"])["sigma"].transform("nunique") > 1]
    return {
        f"label-tests_{measure}": Drawing(
            sigma_figure(own, methods, material.looks),
            f"{material.directed(str(measure))}: share of active label tests",
            "The horizontal axis shows sigma, the share of the label tests that are active; at 0, the "
            "trees predict every label by itself. A curve is a share of label tests in the trees. The "
            f"scales of the panels differ; each covers at least {_LEAST_RANGE}.",
            QUESTION,
        )
        for measure, own in curves.groupby("measure", sort=False)
    }


def _scale(values: pd.Series) -> tuple[float, float]:
    """Return the ends of a panel's scale: no lower than 0 and no higher than 1 where no value is."""
    low, high = padded(values)
    more = max(0.0, _LEAST_RANGE - (high - low)) / 2
    low, high = low - more, high + more
    if values.min() >= 0 > low:
        low, high = 0.0, max(high, _LEAST_RANGE)
    if values.max() <= 1 < high:
        low, high = min(low, 1 - _LEAST_RANGE), 1.0
    return low, high


def sigma_figure(curves: pd.DataFrame, methods: Mapping[str, str], looks: Looks) -> Figure:
    """Draw one measure.

    Parameters
    ----------
    curves : DataFrame
        Columns dataset, method, sigma and value.
    methods : mapping of str to str
        The words for each method, in the order of the legend.
    looks : Looks
    """
    shown = [name for name in methods if name in set(curves["method"])]
    styles = {name: looks.of(name).curve(linewidth=1.3, markersize=3.4) for name in shown}
    sets = list(dict.fromkeys(curves["dataset"]))
    scales = {name: _scale(curves.loc[curves["dataset"] == name, "value"]) for name in sets}
    ends = [f"{value:.3f}" for scale in scales.values() for value in scale]
    left = max(text_size(end, SMALL)[0] for end in ends) + 0.2
    legend = [Line2D([], [], label=f"{methods[name]} label tests ({name})", **styles[name]) for name in shown]
    with styled():
        figure, axes = grid(
            sets, width=WIDTH, height=HEIGHT, left=left, bottom=0.42, legend=legend, columns=min(4, len(sets))
        )
        for axis, dataset in zip(axes, sets, strict=True):
            own = curves[curves["dataset"] == dataset]
            for name in shown:
                curve = own[own["method"] == name].sort_values("sigma")
                # Markers on the edge of a scale that ends at 0 or 1 are drawn whole.
                line = {"gid": f"curve-{name}", "clip_on": False, **styles[name]}
                axis.plot(curve["sigma"], curve["value"], **line)
            axis.set_xlim(-0.05, 1.05)
            axis.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            axis.set_ylim(scales[dataset])
            few_ticks(axis, "y", 4)
            axis.set_xlabel("sigma", labelpad=2)
    return figure
